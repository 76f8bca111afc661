//===- FloatTypesTest.cpp - The element types of numeric data -------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/FloatTypes.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>
#include <random>

using namespace compress::numerics;

namespace {

void checkRoundToOdd(double value) {
  float rounded = roundToOdd(value);
  if (static_cast<double>(static_cast<float>(value)) == value) {
    EXPECT_EQ(static_cast<double>(rounded), value);
    return;
  }
  // One of the two neighbours: the one whose last bit is set.
  EXPECT_EQ(detail::bitCast<uint32_t>(rounded) & 1, 1u) << value;
  EXPECT_EQ(std::signbit(rounded), std::signbit(value));
  double toward = std::nextafter(
      rounded, value > rounded ? std::numeric_limits<float>::infinity()
                               : -std::numeric_limits<float>::infinity());
  EXPECT_LT(std::fmin(toward, rounded), value);
  EXPECT_GT(std::fmax(toward, rounded), value);
}

TEST(FloatTypesTest, RoundToOddKeepsWhatRoundingNeeds) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100000; ++i) {
    // The exponents of f32, subnormal numbers included.
    uint64_t exponent = 1023 - 160 + random() % 287;
    uint64_t bits = (random() & 0x800FFFFFFFFFFFFF) | exponent << 52;
    checkRoundToOdd(detail::bitCast<double>(bits));
    // Numbers of f32 and their neighbours in f64.
    double number = static_cast<float>(detail::bitCast<double>(bits));
    for (double value : {number, std::nextafter(number, 1e300),
                         std::nextafter(number, -1e300)})
      checkRoundToOdd(value);
  }
}

TEST(FloatTypesTest, RoundToOddAtTheEnds) {
  constexpr float largest = std::numeric_limits<float>::max();
  EXPECT_EQ(roundToOdd(1e300), largest);
  EXPECT_EQ(roundToOdd(-0x1.ffffffp127), -largest);
  EXPECT_EQ(roundToOdd(5e-324), std::numeric_limits<float>::denorm_min());
  EXPECT_TRUE(std::isinf(roundToOdd(std::numeric_limits<double>::infinity())));
  EXPECT_TRUE(std::isnan(roundToOdd(std::numeric_limits<double>::quiet_NaN())));
  EXPECT_TRUE(std::signbit(roundToOdd(-0.0)));
}

} // namespace
