#include "tidemark/net/status.h"

#include <gtest/gtest.h>

namespace tidemark::net {
namespace {

TEST(Status, SaysWhetherTryingAgainOrLoggingInHelps) {
  for (const int status : {401, 403, 407}) EXPECT_EQ(error_code(status), ErrorCode::kUnauthorized);
  for (const int status : {404, 410}) EXPECT_EQ(error_code(status), ErrorCode::kNotFound);
  EXPECT_EQ(error_code(408), ErrorCode::kTimeout);
  for (const int status : {429, 500, 503, 599}) {
    EXPECT_EQ(error_code(status), ErrorCode::kUnavailable);
  }
  for (const int status : {301, 400, 409, 416}) EXPECT_EQ(error_code(status), ErrorCode::kInvalid);
}

}  // namespace
}  // namespace tidemark::net
