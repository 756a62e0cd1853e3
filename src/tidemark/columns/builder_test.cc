#include "tidemark/columns/builder.h"

#include <string>

#include <gtest/gtest.h>

namespace tidemark::columns {
namespace {

int64_t int64_at(const ColumnView& view, size_t row) {
  int64_t value;
  std::memcpy(&value, view.values + row * sizeof value, sizeof value);
  return value;
}

TEST(ColumnBuilder, HasNoValidityWithoutNulls) {
  ColumnBuilder column(Layout::kInt64);
  for (int64_t i = 0; i < 100; ++i) column.append_int64(i * 3);
  EXPECT_EQ(column.view().validity, nullptr);
  EXPECT_EQ(column.view().rows, 100U);
  EXPECT_EQ(int64_at(column.view(), 99), 297);
}

TEST(ColumnBuilder, KeepsRowsBeforeAndBehindANull) {
  for (size_t place : {0, 1, 7, 8, 9, 63, 64, 99}) {
    ColumnBuilder column(Layout::kBytes);
    for (size_t i = 0; i < 100; ++i) {
      if (i == place) {
        column.append_null();
      } else {
        column.append_bytes(std::to_string(i));
      }
    }
    const ColumnView view = column.view();
    for (size_t i = 0; i < 100; ++i) {
      EXPECT_EQ(view.is_valid(i), i != place) << place;
      EXPECT_EQ(view.text(i), i == place ? "" : std::to_string(i)) << place;
    }
  }
}

TEST(ColumnBuilder, BeginsWithAnEmptyText) {
  ColumnBuilder column(Layout::kBytes);
  column.append_bytes({});
  column.append_bytes("a");
  EXPECT_EQ(column.view().text(0), "");
  EXPECT_EQ(column.view().text(1), "a");
}

TEST(ColumnBuilder, PadsWithNullsUpToARow) {
  ColumnBuilder column(Layout::kDouble);
  column.pad(10);
  column.append_double(1.5);
  column.pad(5);
  EXPECT_EQ(column.size(), 11U);
  EXPECT_FALSE(column.view().is_valid(9));
  EXPECT_TRUE(column.view().is_valid(10));
}

TEST(ColumnBuilder, PacksBooleansAsBits) {
  ColumnBuilder column(Layout::kBool);
  for (int i = 0; i < 20; ++i) column.append_bool(i % 3 == 0);
  column.append_null();
  const ColumnView view = column.view();
  for (size_t i = 0; i < 20; ++i) EXPECT_EQ(view.boolean(i), i % 3 == 0) << i;
  EXPECT_FALSE(view.is_valid(20));
}

TEST(ColumnBuilder, IsEmptyAfterClear) {
  ColumnBuilder column(Layout::kBytes);
  column.append_null();
  column.append_bytes("x");
  column.clear();
  column.append_bytes("y");
  EXPECT_EQ(column.size(), 1U);
  EXPECT_EQ(column.view().text(0), "y");
  EXPECT_EQ(column.view().validity, nullptr);
}

}  // namespace
}  // namespace tidemark::columns
