# Where DuckDB's header and library are: what the environment names, else what scripts/fetch-duckdb left.
# The library is loaded at run time, never linked.
foreach(variable TIDEMARK_DUCKDB_INCLUDE_DIR TIDEMARK_DUCKDB_LIBRARY)
  if(DEFINED ENV{${variable}})
    set(${variable} "$ENV{${variable}}" CACHE PATH "DuckDB, from the environment" FORCE)
  endif()
endforeach()
set(TIDEMARK_DUCKDB_INCLUDE_DIR "${CMAKE_SOURCE_DIR}/build/deps/duckdb/include"
    CACHE PATH "Directory of duckdb.h")
set(TIDEMARK_DUCKDB_LIBRARY "${CMAKE_SOURCE_DIR}/build/deps/duckdb/lib/libduckdb.so"
    CACHE FILEPATH "DuckDB's shared library")
