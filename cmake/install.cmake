# What `cmake --install` puts in place: the program with DuckDB's library where it looks for it, and for
# find_package(tidemark) the modules' archives, the headers and the target tidemark::tidemark.
include(CMakePackageConfigHelpers)

get_property(TIDEMARK_MODULES GLOBAL PROPERTY TIDEMARK_MODULES)
list(REMOVE_ITEM TIDEMARK_MODULES tidemark_cli)

add_library(tidemark_library INTERFACE)
add_library(tidemark::tidemark ALIAS tidemark_library)
target_compile_features(tidemark_library INTERFACE cxx_std_20)
target_link_libraries(tidemark_library INTERFACE ${TIDEMARK_MODULES})
set_target_properties(tidemark_library PROPERTIES EXPORT_NAME tidemark)

install(TARGETS tidemark_library ${TIDEMARK_MODULES} EXPORT tidemarkTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY "${CMAKE_SOURCE_DIR}/src/tidemark" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h" PATTERN "cli" EXCLUDE)
install(PROGRAMS "${TIDEMARK_DUCKDB_LIBRARY}" DESTINATION lib/tidemark RENAME libduckdb.so)
install(TARGETS tidemark RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tidemark)
configure_package_config_file(cmake/tidemarkConfig.cmake.in "${CMAKE_BINARY_DIR}/tidemarkConfig.cmake"
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file("${CMAKE_BINARY_DIR}/tidemarkConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_BINARY_DIR}/tidemarkConfig.cmake" "${CMAKE_BINARY_DIR}/tidemarkConfigVersion.cmake"
              cmake/tidemark_dependencies.cmake DESTINATION ${package_dir})
install(EXPORT tidemarkTargets NAMESPACE tidemark:: DESTINATION ${package_dir})
