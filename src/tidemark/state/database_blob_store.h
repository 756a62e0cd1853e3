#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "tidemark/base/clock.h"
#include "tidemark/blob/blob_store.h"
#include "tidemark/state/system_database.h"

namespace tidemark::state {

// Our own objects beside Meltano's tables, in `tidemark_records`, which is made by the first write.
// A version is the SHA-256 of the bytes. Keys are UTF-8 without NUL: else Error kInvalid.
class DatabaseBlobStore final : public blob::BlobStore {
 public:
  // The database is borrowed.
  explicit DatabaseBlobStore(SystemDatabase& database);

  std::optional<blob::Blob> get(std::string_view key) override;
  std::optional<blob::BlobInfo> stat(std::string_view key) override;
  std::optional<blob::Version> put(std::string_view key, std::string_view bytes,
                                   const blob::Condition& condition) override;
  bool remove(std::string_view key, const blob::Condition& condition) override;
  void list(const blob::Listing& listing,
            const std::function<void(const blob::Listed& listed)>& visit) override;
  Time store_time() override { return database_.now(); }
  blob::Capabilities capabilities() const override { return {}; }
  std::string describe() const override { return database_.describe(); }

 private:
  // Where there is no table yet, work finds nothing.
  void read(std::string_view operation, const SystemDatabase::Work& work);
  void check(std::string_view verb, std::string_view key) const;

  SystemDatabase& database_;
};

}  // namespace tidemark::state
