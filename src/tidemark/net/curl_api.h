#pragma once

// Private to this module: libcurl's functions, looked up in a library loaded at run time. With what
// it brings along (LDAP, Kerberos, SSH) it costs half of the start of a command that needs no HTTP.

// The checks of argument types are macros, which know the functions by their own names only.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

namespace tidemark::net {

// clang-format off
#define TIDEMARK_CURL_FUNCTIONS(X) \
  X(easy_cleanup) X(easy_getinfo) X(easy_init) X(easy_reset) X(easy_setopt) X(easy_strerror)  \
  X(free) X(global_init) X(multi_add_handle) X(multi_cleanup) X(multi_info_read)              \
  X(multi_init) X(multi_perform) X(multi_poll) X(multi_remove_handle) X(slist_append)         \
  X(slist_free_all) X(url) X(url_cleanup) X(url_get) X(url_set) X(url_strerror)
// clang-format on

struct CurlApi {
// NOLINTNEXTLINE(bugprone-macro-parentheses): the name of a member.
#define X(name) decltype(&::curl_##name) name = nullptr;
  TIDEMARK_CURL_FUNCTIONS(X)
#undef X
};

// Loads and initialises the library at the first call. Thread-safe. Error kNotFound when it is not
// installed, kUnsupported when it is too old.
const CurlApi& curl();

}  // namespace tidemark::net
