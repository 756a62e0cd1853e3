# tidemark_module(NAME SOURCES a.cc ... [TESTS a_test.cc ...] [DEPS module ...] [LIBS target ...]
#                 [SERVERS name ...] [CONCURRENT])
#
# One module: a static library tidemark_NAME and, when it has tests, an executable NAME_test. DEPS are
# other modules: they are the only ones whose headers this module may include (scripts/check-includes
# compares). LIBS are third-party targets, private to the module's own sources. CONCURRENT: its tests run
# threads, so `make tsan` runs them under the thread sanitizer. SERVERS: what ctest starts before its tests
# (tests/CMakeLists.txt); where they are stands in TIDEMARK_SERVERS_DIR.
set(TIDEMARK_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
    -Wnon-virtual-dtor -Woverloaded-virtual -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 sees an overlap in `"text" + std::string` when it inlines it, and takes the value behind an empty
  # std::optional for one that is used: https://gcc.gnu.org/bugzilla/show_bug.cgi?id=105651, id=80635
  list(APPEND TIDEMARK_WARNINGS -Wno-restrict -Wno-maybe-uninitialized)
elseif(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # libstdc++ 12's own stable_sort calls what it has marked as deprecated.
  list(APPEND TIDEMARK_WARNINGS -Wno-deprecated-declarations)
endif()

if(TIDEMARK_SANITIZE)
  add_compile_options(-fsanitize=${TIDEMARK_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${TIDEMARK_SANITIZE})
endif()

# All modules run threads; some of their libraries ask for the flag too, and headers are parsed once for all.
add_compile_options(-pthread)

if(TIDEMARK_BUILD_TESTS)
  add_custom_target(concurrent_tests)
endif()

# The headers that most files include. Under TIDEMARK_PRECOMPILE_HEADERS they are parsed once for all modules and
# once for all their tests, which saves a quarter of the compile time. Every file still includes what it uses: the
# other builds, and clang-tidy, read it without.
set(TIDEMARK_COMMON_HEADERS <algorithm> <array> <chrono> <cstdint> <filesystem> <functional> <map> <memory> <optional>
    <span> <string> <string_view> <utility> <variant> <vector> <fmt/format.h>)

# The first target that asks compiles HEADERS; those after it use them.
function(tidemark_precompile_headers target kind)
  if(NOT TIDEMARK_PRECOMPILE_HEADERS)
    return()
  endif()
  # ccache wants to see in the preprocessed text which parsed headers were used.
  target_compile_options(${target} PRIVATE -fpch-preprocess)
  get_property(first GLOBAL PROPERTY TIDEMARK_PRECOMPILED_${kind})
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
    set_property(GLOBAL PROPERTY TIDEMARK_PRECOMPILED_${kind} ${target})
  endif()
endfunction()

function(tidemark_module name)
  cmake_parse_arguments(M "CONCURRENT" "" "SOURCES;TESTS;DEPS;LIBS;SERVERS" ${ARGN})
  list(TRANSFORM M_DEPS PREPEND tidemark_)
  add_library(tidemark_${name} STATIC ${M_SOURCES})
  target_include_directories(tidemark_${name} PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/src>)
  set_target_properties(tidemark_${name} PROPERTIES EXPORT_NAME ${name})
  target_compile_options(tidemark_${name} PRIVATE ${TIDEMARK_WARNINGS})
  target_link_libraries(tidemark_${name} PUBLIC ${M_DEPS} PRIVATE ${M_LIBS} Threads::Threads)
  if(fmt::fmt IN_LIST M_LIBS)
    tidemark_precompile_headers(tidemark_${name} MODULES ${TIDEMARK_COMMON_HEADERS})
  endif()
  set_property(GLOBAL APPEND PROPERTY TIDEMARK_MODULES tidemark_${name})
  if(TIDEMARK_BUILD_TESTS AND M_TESTS)
    add_executable(${name}_test ${M_TESTS})
    # What tests themselves do takes no time, optimizing GoogleTest's macros a third of their compile time, and checking
    # those for undefined behaviour another third: that is done in the modules.
    target_compile_options(${name}_test PRIVATE ${TIDEMARK_WARNINGS} -O0 -fno-sanitize=undefined)
    tidemark_precompile_headers(${name}_test TESTS ${TIDEMARK_COMMON_HEADERS} <gmock/gmock.h> <gtest/gtest.h>)
    target_compile_definitions(${name}_test PRIVATE
      TIDEMARK_GOLDEN_DIR="${CMAKE_SOURCE_DIR}/tests/golden"
      TIDEMARK_SERVERS_DIR="${CMAKE_BINARY_DIR}/servers")
    target_link_libraries(${name}_test PRIVATE tidemark_${name} ${M_LIBS} GTest::gmock_main)
    set(properties)
    if(M_CONCURRENT)
      list(APPEND properties LABELS concurrent)
      add_dependencies(concurrent_tests ${name}_test)
    endif()
    if(M_SERVERS)
      list(APPEND properties FIXTURES_REQUIRED "${M_SERVERS}")
    endif()
    gtest_discover_tests(${name}_test DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 300 ${properties})
  endif()
endfunction()
