//===- InverseScaleTest.cpp - Codes without a division --------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/InverseScale.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

using namespace compress::numerics;

namespace {

float toFloat(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

float divide(float value, float scale, int32_t low, int32_t high) {
  return std::clamp<float>(std::nearbyint(value / scale), low, high);
}

float multiply(float value, float scale, int32_t low, int32_t high) {
  CodeLimits limits = getCodeLimits(scale, low, high);
  value = std::clamp(value, limits.low, limits.high);
  return std::nearbyint(multiplyByInverse(value, scale, 1 / scale));
}

TEST(InverseScaleTest, EveryFloat) {
  // All floats but NaN, by a stride that is odd, for scales of different kinds.
  for (float scale : {0.05f, 0x1.fffffep-7f, 0x1.000002p3f, 0x1p-60f, 0x1p60f,
                      1.0f / 3, 0.0078125f}) {
    ASSERT_TRUE(hasExactCodes(scale, -128, 127)) << scale;
    int64_t differences = 0;
    for (uint64_t bits = 0; bits < (uint64_t(1) << 32); bits += 1009) {
      float value = toFloat(static_cast<uint32_t>(bits));
      if (!std::isnan(value))
        differences += divide(value, scale, -128, 127) !=
                       multiply(value, scale, -128, 127);
    }
    EXPECT_EQ(differences, 0) << scale;
  }
}

TEST(InverseScaleTest, RandomScales) {
  std::mt19937 random(7);
  std::uniform_int_distribution<uint32_t> mantissa(0, (1 << 23) - 1);
  std::uniform_int_distribution<uint32_t> exponent(127 - 60, 127 + 59);
  std::uniform_real_distribution<float> quotient(-300, 300);
  int64_t accepted = 0, differences = 0;
  constexpr int64_t kScales = 2000;
  for (int64_t i = 0; i < kScales; ++i) {
    float scale = toFloat(exponent(random) << 23 | mantissa(random));
    if (!hasExactCodes(scale, -128, 127))
      continue;
    ++accepted;
    for (int64_t j = 0; j < 1000; ++j) {
      float value = quotient(random) * scale;
      differences +=
          divide(value, scale, -128, 127) != multiply(value, scale, -128, 127);
    }
  }
  EXPECT_EQ(differences, 0);
  // The check is no empty promise.
  EXPECT_EQ(accepted, kScales);
}

TEST(InverseScaleTest, Limits) {
  EXPECT_TRUE(hasExactCodes(0.1f, -32768, 32767));
  EXPECT_TRUE(hasExactCodes(0.1f, -131, 124));
  EXPECT_FALSE(hasExactCodes(0.1f, -128, 1 << 17));
  EXPECT_FALSE(hasExactCodes(0x1p-61f, -128, 127));
  EXPECT_FALSE(hasExactCodes(0x1p61f, -128, 127));
  EXPECT_FALSE(hasExactCodes(0.0f, -128, 127));
  EXPECT_FALSE(hasExactCodes(-0.1f, -128, 127));
  EXPECT_FALSE(
      hasExactCodes(std::numeric_limits<float>::infinity(), -128, 127));
  EXPECT_FALSE(
      hasExactCodes(std::numeric_limits<float>::quiet_NaN(), -128, 127));
  EXPECT_FALSE(hasExactCodes(0.1f, 1, 0));
}

} // namespace
