//===- FixedPointTest.cpp - Fixed-point requantization --------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/FixedPoint.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <vector>

using namespace compress::numerics;

namespace {

constexpr auto single = FixedPointRounding::Single;
constexpr auto twice = FixedPointRounding::Double;

std::vector<int64_t> multiplyAll(std::vector<int32_t> values, FixedPoint factor,
                                 FixedPointRounding rounding) {
  std::vector<int64_t> results;
  for (int32_t value : values)
    results.push_back(multiplyFixedPoint(value, factor, rounding));
  return results;
}

TEST(FixedPointTest, SingleAndDoubleRoundingDiffer) {
  // The real products are 11.4991, -11.4991, 34.4974, -28.8054, 17.7801.
  FixedPoint factor = {1583594044, 40};
  std::vector<int32_t> values = {7984, -7984, 23952, -20000, 12345};
  EXPECT_EQ(multiplyAll(values, factor, single),
            (std::vector<int64_t>{11, -11, 34, -29, 18}));
  EXPECT_EQ(multiplyAll(values, factor, twice),
            (std::vector<int64_t>{12, -12, 34, -29, 18}));
}

/// The two steps of double rounding, written as such.
int64_t multiplyInTwoSteps(int32_t x, FixedPoint factor) {
  using Wide = __int128;
  Wide product = static_cast<Wide>(x) * factor.multiplier;
  Wide doubled = (product + (Wide(1) << 30)) >> 31;
  int exponent = factor.shift - 31;
  Wide magnitude = doubled < 0 ? -doubled : doubled;
  Wide rounded = (magnitude + (Wide(1) << (exponent - 1))) >> exponent;
  return static_cast<int64_t>(doubled < 0 ? -rounded : rounded);
}

TEST(FixedPointTest, DoubleRoundingIsTwoRoundings) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200000; ++i) {
    FixedPoint factor = {static_cast<int32_t>(random() >> 33),
                         static_cast<int32_t>(32 + random() % 31)};
    int32_t x = static_cast<int32_t>(random()) >> (random() % 32);
    EXPECT_EQ(multiplyFixedPoint(x, factor, twice),
              multiplyInTwoSteps(x, factor))
        << x << " * " << factor.multiplier << " >> " << factor.shift;
  }
}

TEST(FixedPointTest, SingleRoundingIsHalfUpAndNeverOverflows) {
  std::mt19937_64 random(2);
  const int32_t extremes[] = {INT32_MIN, INT32_MAX, 0, 1, -1};
  for (int i = 0; i < 200000; ++i) {
    FixedPoint factor = {static_cast<int32_t>(random() >> 33),
                         static_cast<int32_t>(2 + random() % 61)};
    int32_t x = i % 7 == 0 ? extremes[random() % 5]
                           : static_cast<int32_t>(random()) >> (random() % 32);
    if (i % 11 == 0)
      factor.multiplier = INT32_MAX;
    __int128 sum = static_cast<__int128>(x) * factor.multiplier +
                   (static_cast<__int128>(1) << (factor.shift - 1));
    EXPECT_EQ(multiplyFixedPoint(x, factor, single),
              static_cast<int64_t>(sum >> factor.shift));
    if (factor.shift <= 31)
      EXPECT_EQ(multiplyFixedPoint(x, factor, twice),
                multiplyFixedPoint(x, factor, single));
  }
}

TEST(FixedPointTest, FactorsAreNearest) {
  auto get = [](double real) { return llvm::cantFail(getFixedPoint(real)); };
  EXPECT_EQ(get(1.0).multiplier, 1 << 30);
  EXPECT_EQ(get(1.0).shift, 30);
  EXPECT_EQ(get(0.5).shift, 31);
  // Rounds up to 1.
  EXPECT_EQ(get(1.0 - 0x1p-40).multiplier, 1 << 30);
  EXPECT_EQ(get(1.0 - 0x1p-40).shift, 30);
  EXPECT_EQ(get(0.0).multiplier, 0);
  EXPECT_EQ(get(0x1p-100).multiplier, 0);
  EXPECT_EQ(get(0x1p-40).multiplier, 1 << 22);
  EXPECT_EQ(get(0x1p-40).shift, 62);
  EXPECT_EQ(get(0x1p29 - 1).shift, 2);
  std::mt19937_64 random(3);
  for (int i = 0; i < 10000; ++i) {
    double real = std::ldexp(1.0 + (random() >> 12) * 0x1p-52,
                             static_cast<int>(random() % 60) - 32);
    FixedPoint factor = get(real);
    EXPECT_FALSE(static_cast<bool>(factor.verify()));
    EXPECT_GE(factor.multiplier, 1 << 30);
    EXPECT_LE(std::abs(std::ldexp(factor.multiplier, -factor.shift) - real),
              real * 0x1p-31);
  }
}

TEST(FixedPointTest, RequantizesAndSaturates) {
  FixedPoint half = llvm::cantFail(getFixedPoint(0.5));
  EXPECT_EQ(requantizeFixedPoint(5, half, 10, {8, true, false}, single), 13);
  EXPECT_EQ(requantizeFixedPoint(-5, half, 10, {8, true, false}, single), 8);
  EXPECT_EQ(requantizeFixedPoint(1000, half, 10, {8, true, false}, single),
            127);
  EXPECT_EQ(requantizeFixedPoint(-1000, half, 10, {8, false, false}, single),
            0);
  FixedPoint large = llvm::cantFail(getFixedPoint(0x1p29 - 1));
  EXPECT_EQ(
      requantizeFixedPoint(INT32_MIN, large, INT32_MIN, {8, true, true}, twice),
      -127);
}

TEST(FixedPointTest, SaysWhatIsWrong) {
  for (double bad :
       {-1.0, 0x1p29, 0x1p29 - 0x1p-20, double(NAN), double(INFINITY)})
    EXPECT_TRUE(errorToBool(getFixedPoint(bad).takeError())) << bad;
  EXPECT_EQ(llvm::toString(FixedPoint{-1, 30}.verify()),
            "fixed-point multiplier -1 is negative");
  EXPECT_EQ(llvm::toString(FixedPoint{1, 1}.verify()),
            "fixed-point shift must be in [2, 62], but is 1");
  EXPECT_TRUE(errorToBool(FixedPoint{1, 63}.verify()));
}

} // namespace
