# The third-party packages that the library links: found here for the build and, through the installed
# package, for whoever links tidemark::tidemark.
foreach(package Threads OpenSSL fmt ZLIB PkgConfig)
  find_package(${package} REQUIRED)
endforeach()
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(SIMDJSON REQUIRED IMPORTED_TARGET simdjson)
pkg_check_modules(YAMLCPP REQUIRED IMPORTED_TARGET yaml-cpp)
pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)
pkg_check_modules(SQLITE REQUIRED IMPORTED_TARGET sqlite3)
