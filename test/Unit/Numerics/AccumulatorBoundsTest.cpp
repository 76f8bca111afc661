//===- AccumulatorBoundsTest.cpp - Integer dot products -------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/AccumulatorBounds.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <limits>

using namespace compress::numerics;

namespace {

constexpr IntegerFormat i8 = {8, true, false};
constexpr IntegerFormat u8 = {8, false, false};
constexpr IntegerFormat i16 = {16, true, false};

TEST(AccumulatorBoundsTest, RangesOfCodesAndDifferences) {
  EXPECT_EQ(getCodeRange(u8).max, 255);
  EXPECT_EQ(getCenteredRange(i8, 3).min, -131);
  EXPECT_EQ(getCenteredRange(i8, 3).max, 124);
  EXPECT_EQ(getCenteredRange(u8, std::nullopt).min, -255);
  EXPECT_EQ(getCenteredRange(i8, std::nullopt).max, 255);
}

TEST(AccumulatorBoundsTest, SumsOfUnsignedTimesSigned) {
  // 255 * 127 * 2 does not fit in 16 bits.
  IntegerRange range = getDotRange(getCodeRange(u8), getCodeRange(i8), 2);
  EXPECT_EQ(range.max, 64770);
  EXPECT_EQ(range.min, -65280);
  EXPECT_EQ(range.getMagnitude(), 65280u);
  EXPECT_FALSE(range.fitsIn(16));
  EXPECT_TRUE(range.fitsIn(17));
  EXPECT_EQ(getDotRange(getCodeRange(u8), getCodeRange(i8), 64).max, 2072640);
}

TEST(AccumulatorBoundsTest, LongestDotIsTheLastThatFits) {
  const IntegerRange ranges[] = {
      getCodeRange(i8), getCodeRange(u8), getCodeRange(i16),
      getCenteredRange(u8, std::nullopt), getCenteredRange({4, true, true}, 0)};
  for (IntegerRange lhs : ranges)
    for (IntegerRange rhs : ranges)
      for (unsigned bits : {16u, 32u, 48u, 64u}) {
        int64_t longest = getLongestDot(lhs, rhs, bits);
        EXPECT_TRUE(getDotRange(lhs, rhs, longest).fitsIn(bits));
        EXPECT_FALSE(getDotRange(lhs, rhs, longest + 1).fitsIn(bits));
      }
  // 131072 products of -128 are 2^31, one too many.
  EXPECT_EQ(getLongestDot(getCodeRange(i8), getCodeRange(i8), 32), 131071);
  // Full-range 16-bit codes: one product, but not two.
  EXPECT_EQ(getLongestDot(getCodeRange(i16), getCodeRange(i16), 32), 1);
}

TEST(AccumulatorBoundsTest, EqualsTheRangeOverAllPairs) {
  for (IntegerFormat lhs : {IntegerFormat{3, true, false},
                            {3, true, true},
                            {2, false, false},
                            {1, true, false}})
    for (IntegerFormat rhs : {IntegerFormat{4, true, false}, {4, false, false}})
      for (int32_t zero = rhs.getMin(); zero <= rhs.getMax(); ++zero) {
        int64_t least = 0, greatest = 0;
        for (int32_t a = lhs.getMin(); a <= lhs.getMax(); ++a)
          for (int32_t b = rhs.getMin(); b <= rhs.getMax(); ++b) {
            least = std::min<int64_t>(least, a * (b - zero));
            greatest = std::max<int64_t>(greatest, a * (b - zero));
          }
        IntegerRange range =
            getDotRange(getCodeRange(lhs), getCenteredRange(rhs, zero), 5);
        EXPECT_EQ(range.min, 5 * least);
        EXPECT_EQ(range.max, 5 * greatest);
      }
}

TEST(AccumulatorBoundsTest, Saturates) {
  const int64_t most = std::numeric_limits<int64_t>::max();
  IntegerRange range = getDotRange(getCodeRange(i16), getCodeRange(i16), most);
  EXPECT_EQ(range.max, most);
  EXPECT_EQ(range.min, std::numeric_limits<int64_t>::min());
  EXPECT_EQ(range.getMagnitude(), uint64_t(1) << 63);
  EXPECT_FALSE(range.fitsIn(64));
  EXPECT_TRUE(getDotRange({0, 0}, getCodeRange(i8), most).fitsIn(1));
  EXPECT_EQ(getLongestDot({0, 0}, getCodeRange(i8), 32), most);
  EXPECT_EQ(getDotRange(getCodeRange(i8), getCodeRange(i8), -5).max, 0);
  EXPECT_FALSE(getDotRange({INT64_MIN, INT64_MAX}, {INT64_MIN, INT64_MAX}, 1)
                   .fitsIn(64));
}

} // namespace
