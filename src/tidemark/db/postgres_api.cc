#include "tidemark/db/postgres_api.h"

#include "tidemark/base/error.h"
#include "tidemark/os/shared_library.h"

namespace tidemark::db {
namespace {

PqApi load() {
  const os::SharedLibrary library("libpq.so.5");
  PqApi api;
#define X(name)                                                                           \
  api.name = library.find<decltype(api.name)>("PQ" #name);                                \
  if (api.name == nullptr) {                                                              \
    throw Error(ErrorCode::kUnsupported, "libpq.so.5 has no PQ" #name "; it is too old"); \
  }
  TIDEMARK_PQ_FUNCTIONS(X)
#undef X
  return api;
}

}  // namespace

const PqApi& pq() {
  static const PqApi kApi = load();
  return kApi;
}

}  // namespace tidemark::db
