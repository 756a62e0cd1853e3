# tidemark_fuzzer(NAME SOURCES a.cc DEPS module ...)
#
# One libFuzzer executable NAME_fuzz; its seeds are in fuzz/corpus/NAME. The modules it links are
# instrumented by the flags that tidemark_module.cmake adds in a fuzz build.
if(TIDEMARK_BUILD_FUZZERS)
  add_compile_options(-fsanitize=fuzzer-no-link)
  add_custom_target(fuzzers)
endif()

function(tidemark_fuzzer name)
  cmake_parse_arguments(F "" "" "SOURCES;DEPS" ${ARGN})
  list(TRANSFORM F_DEPS PREPEND tidemark_)
  add_executable(${name}_fuzz ${F_SOURCES})
  target_compile_options(${name}_fuzz PRIVATE ${TIDEMARK_WARNINGS})
  target_link_libraries(${name}_fuzz PRIVATE ${F_DEPS})
  target_link_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
  add_dependencies(fuzzers ${name}_fuzz)
endfunction()
