#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "tidemark/base/error.h"
#include "tidemark/blob/blob_store.h"

namespace tidemark::blob {

// call(), whose Error then names the store, the operation and the key, as BlobStore promises.
template <typename Call>
std::invoke_result_t<Call> store_call(const BlobStore& store, std::string_view operation,
                                      std::string_view key, Call call) try {
  return call();
} catch (Error& error) {
  error.add_context(store.describe() + ": " + std::string(operation) + " '" + std::string(key) +
                    "'");
  throw;
}

}  // namespace tidemark::blob
