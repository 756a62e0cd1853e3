#include "tidemark/pipeline/faulty_destination.h"

#include <utility>

#include "tidemark/base/error.h"
#include "tidemark/destination/text_sink.h"

namespace tidemark::pipeline {

namespace {

using destination::Access;
using Point = FaultyDestination::Point;

void fail_if(FaultyDestination& destination, Point here) {
  if (destination.fail_at != here || destination.failures >= destination.max_failures) return;
  ++destination.failures;
  throw Error(destination.code, "stopped here by the test");
}

class FaultyLoad final : public destination::PackageLoad {
 public:
  FaultyLoad(std::unique_ptr<destination::PackageLoad> inner, FaultyDestination& owner)
      : inner_(std::move(inner)), owner_(owner) {}

  void drop_tables(std::string_view schema_name, std::span<const std::string> tables) override {
    inner_->drop_tables(schema_name, tables);
  }
  json::Object apply(const schema::Schema& schema, std::span<const std::string> tables,
                     Time now) override {
    auto update = inner_->apply(schema, tables, now);
    fail_if(owner_, Point::kApply);
    return update;
  }
  void truncate_tables(std::span<const std::string> tables) override {
    inner_->truncate_tables(tables);
  }
  std::vector<destination::LoadedTable> load(const schema::Schema& schema,
                                             const destination::TableChain& chain) override {
    auto loaded = inner_->load(schema, chain);
    fail_if(owner_, Point::kLoad);
    return loaded;
  }
  void commit(const destination::LoadRow& row) override {
    fail_if(owner_, Point::kBeforeCommit);
    inner_->commit(row);
    fail_if(owner_, Point::kAfterCommit);
  }

 private:
  std::unique_ptr<destination::PackageLoad> inner_;
  FaultyDestination& owner_;
};

class FaultySession final : public destination::Session {
 public:
  FaultySession(std::unique_ptr<destination::Session> inner, FaultyDestination& owner)
      : inner_(std::move(inner)), owner_(owner) {}

  bool has_dataset() override { return inner_->has_dataset(); }
  bool has_state_tables() override { return inner_->has_state_tables(); }
  std::optional<destination::StateRow> newest_state(std::string_view name) override {
    return inner_->newest_state(name);
  }
  std::optional<std::string> newest_schema(std::string_view name) override {
    return inner_->newest_schema(name);
  }
  bool is_committed(std::string_view load_id) override { return inner_->is_committed(load_id); }
  std::optional<std::string> newest_load_id() override { return inner_->newest_load_id(); }
  std::unique_ptr<destination::PackageLoad> begin() override {
    return std::make_unique<FaultyLoad>(inner_->begin(), owner_);
  }
  void query(std::string_view sql, destination::RowSink& sink) override {
    inner_->query(sql, sink);
  }
  void interrupt() override { inner_->interrupt(); }

 private:
  std::unique_ptr<destination::Session> inner_;
  FaultyDestination& owner_;
};

}  // namespace

std::unique_ptr<destination::Session> FaultyDestination::connect(std::string_view dataset,
                                                                 Access access) {
  if (access == Access::kWrite) fail_if(*this, Point::kConnect);
  return std::make_unique<FaultySession>(inner_.connect(dataset, access), *this);
}

std::vector<std::string> ask_in(destination::Destination& destination, std::string_view dataset,
                                std::string_view sql) {
  destination::TextSink sink;
  destination.connect(dataset, Access::kRead)->query(sql, sink);
  return std::move(sink.lines);
}

}  // namespace tidemark::pipeline
