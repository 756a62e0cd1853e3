#pragma once

#include <climits>
#include <memory>
#include <string>
#include <vector>

#include "tidemark/base/error.h"
#include "tidemark/destination/destination.h"

// For tests.
namespace tidemark::pipeline {

// A destination that fails where it is told to, as a process that is killed or a database that goes
// away there would look to the next run. All else is the real one's.
class FaultyDestination final : public destination::Destination {
 public:
  enum class Point { kNowhere, kConnect, kApply, kLoad, kBeforeCommit, kAfterCommit };
  static constexpr Point kPoints[] = {Point::kConnect, Point::kApply, Point::kLoad,
                                      Point::kBeforeCommit, Point::kAfterCommit};

  explicit FaultyDestination(destination::Destination& inner) : inner_(inner) {}

  const destination::Capabilities& capabilities() const override { return inner_.capabilities(); }
  std::string location() const override { return inner_.location(); }
  void check_location() const override { inner_.check_location(); }
  std::unique_ptr<destination::Session> connect(std::string_view dataset,
                                                destination::Access access) override;

  Point fail_at = Point::kNowhere;
  ErrorCode code = ErrorCode::kInternal;
  int failures = 0;            // so far
  int max_failures = INT_MAX;  // behind which nothing fails any more

 private:
  destination::Destination& inner_;
};

// The rows of a query, values separated by |, null as null.
std::vector<std::string> ask_in(destination::Destination& destination, std::string_view dataset,
                                std::string_view sql);

}  // namespace tidemark::pipeline
