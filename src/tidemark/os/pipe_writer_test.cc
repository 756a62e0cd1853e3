#include "tidemark/os/pipe_writer.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "tidemark/os/child.h"

namespace tidemark::os {
namespace {

using std::chrono::milliseconds;

TEST(PipeWriter, WritesWhatThePipeTakesAndGoesOnWhenThereIsRoom) {
  Pipe pipe = make_pipe();
  const PipeWriter writer(std::move(pipe.write));
  const std::string bytes(size_t{1} << 20, 'x');
  const std::optional<size_t> first = writer.write(bytes, milliseconds(0));
  ASSERT_TRUE(first);
  EXPECT_GT(*first, 0);
  EXPECT_LT(*first, bytes.size());
  EXPECT_EQ(writer.write(bytes, milliseconds(1)), 0);
  EXPECT_EQ(read_some(pipe.read, bytes.size()), bytes.substr(0, *first));
  EXPECT_EQ(writer.write("end", milliseconds(0)), 3);
}

// A SIGPIPE would end this process.
TEST(PipeWriter, SaysThatNobodyReadsAnyMore) {
  Pipe pipe = make_pipe();
  const PipeWriter writer(std::move(pipe.write));
  pipe.read = FileDescriptor();
  EXPECT_EQ(writer.write("x", milliseconds(0)), std::nullopt);
}

}  // namespace
}  // namespace tidemark::os
