#include "tidemark/net/curl_api.h"

#include "tidemark/base/error.h"
#include "tidemark/os/shared_library.h"

namespace tidemark::net {
namespace {

CurlApi load() {
  const os::SharedLibrary library("libcurl.so.4");
  CurlApi api;
#define X(name)                                                                                \
  api.name = library.find<decltype(api.name)>("curl_" #name);                                  \
  if (api.name == nullptr) {                                                                   \
    throw Error(ErrorCode::kUnsupported, "libcurl.so.4 has no curl_" #name "; it is too old"); \
  }
  TIDEMARK_CURL_FUNCTIONS(X)
#undef X
  const CURLcode code = api.global_init(CURL_GLOBAL_DEFAULT);
  if (code != CURLE_OK) throw Error(ErrorCode::kInternal, api.easy_strerror(code));
  return api;
}

}  // namespace

const CurlApi& curl() {
  static const CurlApi kApi = load();
  return kApi;
}

}  // namespace tidemark::net
