#include "tidemark/runner/relay.h"

#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "tidemark/os/child.h"

namespace tidemark::runner {
namespace {

using std::chrono::milliseconds;

// What a reader of the pipe gets up to its end.
std::string read_all(const os::FileDescriptor& pipe) {
  std::string all;
  for (std::string bytes; !(bytes = os::read_some(pipe, 1 << 20)).empty();) all += bytes;
  return all;
}

class RelayTest : public testing::Test {
 protected:
  void start(Look look) {
    relay_.emplace(std::move(from_.read), std::move(to_.write), std::move(look));
  }

  os::Pipe from_ = os::make_pipe();
  os::Pipe to_ = os::make_pipe();
  std::optional<Relay> relay_;
};

TEST_F(RelayTest, PassesOnAndShowsEveryByteUntilTheEnd) {
  std::string seen;
  start([&](std::string_view bytes) { seen += bytes; });
  const std::string sent = "rubbish \xff\n" + std::string(20'000, 'x');
  {
    const os::PipeWriter writer(std::move(from_.write));
    ASSERT_EQ(writer.write(sent, milliseconds(0)), sent.size());
  }
  EXPECT_EQ(read_all(to_.read), sent);
  relay_.reset();
  EXPECT_EQ(seen, sent);
}

// Two pipes and what is in its hand are all that it holds.
TEST_F(RelayTest, SlowsDownWhoWritesToOneThatDoesNotRead) {
  start([](std::string_view) {});
  const os::PipeWriter writer(std::move(from_.write));
  const std::string bytes(size_t{1} << 20, 'x');
  size_t written = 0;
  while (const size_t more = writer.write(bytes, milliseconds(300)).value()) written += more;
  EXPECT_GT(written, size_t{64} << 10);
  EXPECT_LE(written, size_t{192} << 10);
}

TEST_F(RelayTest, TellsTheOneInFrontThatNobodyReadsAnyMore) {
  start([](std::string_view) {});
  to_.read = os::FileDescriptor();
  const os::PipeWriter writer(std::move(from_.write));
  const std::string bytes(size_t{64} << 10, 'x');
  std::optional<size_t> written = 1;
  for (int i = 0; written && i < 1000; ++i) written = writer.write(bytes, milliseconds(10));
  EXPECT_EQ(written, std::nullopt);
}

}  // namespace
}  // namespace tidemark::runner
