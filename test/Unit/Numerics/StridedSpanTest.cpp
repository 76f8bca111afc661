//===- StridedSpanTest.cpp - One-dimensional strided views ----------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/StridedSpan.h"

#include "gtest/gtest.h"

#include <vector>

using namespace compress::numerics;

namespace {

TEST(StridedSpanTest, CopiesAndConstViewsKeepTheStride) {
  std::vector<int> data = {0, 1, 2, 3, 4, 5, 6};
  StridedSpan<int> odd(data.data() + 1, 3, 2);
  StridedSpan<int> copy = odd;
  StridedSpan<const int> view = odd;
  EXPECT_EQ(copy.stride(), 2);
  EXPECT_EQ(view.stride(), 2);
  EXPECT_EQ(view[2], 5);
  StridedSpan<const int> tail = view.slice(1, 2);
  EXPECT_EQ(tail[0], 3);
  EXPECT_EQ(tail[1], 5);
  StridedSpan<const int> backwards(data.data() + 6, 7, -1);
  EXPECT_EQ(backwards[6], 0);
}

TEST(StridedSpanTest, WholeArraysConvert) {
  std::vector<int> data = {1, 2, 3};
  const std::vector<int> &constant = data;
  StridedSpan<const int> view = constant;
  EXPECT_EQ(view.size(), 3);
  EXPECT_TRUE(view.isContiguous());
  StridedSpan<int> writable = data;
  writable[1] = 7;
  EXPECT_EQ(view[1], 7);
}

TEST(StridedSpanTest, RefusesElementsWithoutData) {
  EXPECT_TRUE(llvm::errorToBool(checkSpan(StridedSpan<int>(nullptr, 1), "x")));
  int value = 0;
  EXPECT_TRUE(llvm::errorToBool(checkSpan(StridedSpan<int>(&value, -1), "x")));
  EXPECT_FALSE(llvm::errorToBool(checkSpan(StridedSpan<int>(nullptr, 0), "x")));
}

} // namespace
