//===- AffineTest.cpp - Affine integer quantization -----------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/Affine.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace compress::numerics;

namespace {

constexpr IntegerFormat i8 = {8, true, false};
constexpr IntegerFormat u8 = {8, false, false};
constexpr float inf = std::numeric_limits<float>::infinity();
const float nan = std::numeric_limits<float>::quiet_NaN();

/// Quantizes as f32 and as f64, which must agree on these inputs.
std::vector<int32_t> quantizeAll(std::vector<float> values, AffineParams params,
                                 IntegerFormat format) {
  std::vector<int32_t> codes;
  for (float value : values) {
    codes.push_back(quantize(value, params, format));
    EXPECT_EQ(codes.back(),
              quantize(static_cast<double>(value), params, format));
  }
  return codes;
}

using Codes = std::vector<int32_t>;

TEST(AffineTest, RoundsHalfToEven) {
  EXPECT_EQ(
      quantizeAll({0.5f, 1.5f, 2.5f, -2.5f, 127.5f, 1e9f, nan}, {1, 0}, i8),
      (Codes{0, 2, 2, -2, 127, 127, 0}));
  EXPECT_EQ(
      quantizeAll({0.25f, 0.75f, 1.25f, 1.75f, -0.25f, -0.75f, -1.25f, -1.75f},
                  {0.5f, 0}, i8),
      (Codes{0, 2, 2, 4, 0, -2, -2, -4}));
}

TEST(AffineTest, AddsTheZeroPointAfterRounding) {
  EXPECT_EQ(quantizeAll({-21, -20, 3, 600}, {2, 10}, u8),
            (Codes{0, 0, 12, 255}));
  // Rounding the sum 1.5 would give 2.
  EXPECT_EQ(quantizeAll({0.5f}, {1, 1}, i8), (Codes{1}));
}

TEST(AffineTest, SaturatesAndNeverWraps) {
  EXPECT_EQ(
      quantizeAll({-129, -128, -127, -126.5f, 126.5f, 127, 128, 1e10f, -1e10f,
                   inf, -inf},
                  {1, 0}, i8),
      (Codes{-128, -128, -127, -126, 126, 127, 127, 127, -128, 127, -128}));
  EXPECT_EQ(quantizeAll({-129, -0.5f, 0, 254.5f, 255, 256, 1e10f, inf, -inf},
                        {1, 0}, u8),
            (Codes{0, 0, 0, 254, 255, 255, 255, 255, 0}));
  EXPECT_EQ(quantizeAll({0.75f, 1.25f, -0.75f, 100, -100}, {0.5f, 0}, i8),
            (Codes{2, 2, -2, 127, -128}));
  // A quotient that overflows f32, with either sign of the zero point.
  EXPECT_EQ(quantizeAll({3e38f, -3e38f}, {1e-3f, -128}, i8),
            (Codes{127, -128}));
  EXPECT_EQ(quantizeAll({-inf, inf, -300}, {1, 0}, {8, true, true}),
            (Codes{-127, 127, -127}));
}

TEST(AffineTest, NaNGivesTheCodeOfZero) {
  EXPECT_EQ(quantizeAll({nan, 0, -0.0f}, {0.25f, 37}, i8), (Codes{37, 37, 37}));
  EXPECT_EQ(dequantize(37, {0.25f, 37}), 0.0);
}

TEST(AffineTest, DividesInTheTypeOfTheValue) {
  // In f32 the quotient is exactly 2.5, in f64 it is a little above.
  double above = 2.5 * (1 + 1e-12);
  EXPECT_EQ(quantize(static_cast<float>(above), {1, 0}, i8), 2);
  EXPECT_EQ(quantize(above, {1, 0}, i8), 3);
  // The division, not a product with 1/s: 0.35f / 0.1f is 3.5 in f32.
  EXPECT_EQ(quantize(0.35f, {0.1f, 0}, i8),
            static_cast<int>(std::nearbyint(0.35f / 0.1f)));
}

TEST(AffineTest, ChoosesDynamicQuantizeLinearParameters) {
  AffineParams params = chooseParams(-1, 3, u8, /*symmetric=*/false);
  EXPECT_EQ(params.scale, 4.0f / 255.0f);
  EXPECT_EQ(params.zeroPoint, 64);
  EXPECT_EQ(quantizeAll({-1, 0, 3}, params, u8), (Codes{0, 64, 255}));
}

TEST(AffineTest, RoundsZeroPointHalfToEven) {
  AffineParams params = chooseParams(-253, 257, u8, false);
  EXPECT_EQ(params.scale, 2.0f);
  EXPECT_EQ(params.zeroPoint, 126);
  EXPECT_EQ(quantizeAll({-253, 257, 0}, params, u8), (Codes{0, 254, 126}));
  params = chooseParams(-127, 128, u8, false);
  EXPECT_EQ(params.scale, 1.0f);
  EXPECT_EQ(params.zeroPoint, 127);
  EXPECT_EQ(quantizeAll({-127, 128, 0.5f}, params, u8), (Codes{0, 255, 127}));
}

TEST(AffineTest, ZeroPointStaysInTheFormat) {
  // Ranges on one side of 0 are widened to include it.
  AffineParams params = chooseParams(1000, 2000, i8, false);
  EXPECT_EQ(params.zeroPoint, -128);
  params = chooseParams(-2000, -1000, i8, false);
  EXPECT_EQ(params.zeroPoint, 127);
  params = chooseParams(2, 2, u8, false);
  EXPECT_EQ(params.zeroPoint, 0);
  EXPECT_EQ(quantize(2.0f, params, u8), 255);
  EXPECT_EQ(static_cast<float>(dequantize(255, params)), 2.0f);
}

TEST(AffineTest, ExtremeRangesGiveFiniteNormalScales) {
  const float max = std::numeric_limits<float>::max();
  AffineParams params = chooseParams(-max, 1, i8, false);
  EXPECT_FLOAT_EQ(params.scale, 1.334440e36f);
  params = chooseParams(-max, max, u8, false);
  EXPECT_FLOAT_EQ(params.scale, max / 127.5f);
  EXPECT_NEAR(params.zeroPoint, 127.5, 0.5);
  for (float amax : {1e-40f, 2.8e-36f, 1e-45f, 0.0f, max, inf, nan})
    for (bool symmetric : {false, true})
      for (ScaleType type : {ScaleType::F32, ScaleType::F16, ScaleType::BF16})
        for (unsigned bits : {1u, 2u, 4u, 8u, 16u})
          for (bool isSigned : {false, true})
            for (bool narrow : {false, true}) {
              IntegerFormat format = {bits, isSigned, narrow};
              params = chooseParams(-amax, amax, format, symmetric, type);
              EXPECT_TRUE(std::isnormal(params.scale)) << amax;
              EXPECT_GE(params.scale, getSmallestScale(type));
              EXPECT_EQ(roundScale(params.scale, type), params.scale);
              EXPECT_GE(params.zeroPoint, symmetric ? 0 : format.getMin());
              EXPECT_LE(params.zeroPoint, symmetric ? 0 : format.getMax());
              if (std::isfinite(amax) && bits >= 4 && type == ScaleType::F32) {
                double back =
                    dequantize(quantize(amax, params, format), params);
                if (isSigned || !symmetric)
                  EXPECT_LE(std::abs(back - amax), amax);
              }
            }
}

TEST(AffineTest, ZeroRangeGivesScaleOne) {
  for (IntegerFormat format : {i8, u8, IntegerFormat{4, true, false}})
    for (bool symmetric : {false, true}) {
      AffineParams params = chooseParams(0, 0, format, symmetric);
      EXPECT_EQ(params.scale, 1.0f);
      int32_t code = quantize(0.0f, params, format);
      EXPECT_EQ(code, params.zeroPoint);
      EXPECT_EQ(dequantize(code, params), 0.0);
    }
  EXPECT_EQ(chooseParams(0, 0, u8, false).zeroPoint, 0);
  EXPECT_EQ(chooseParams(nan, -inf, i8, true).scale, 1.0f);
}

TEST(AffineTest, SymmetricScaleServesBothEnds) {
  EXPECT_EQ(chooseParams(-128, 100, i8, true).scale, 1.0f);
  EXPECT_EQ(chooseParams(-128, 127, {8, true, true}, true).scale,
            128.0f / 127.0f);
  EXPECT_EQ(chooseParams(-8, 14, {4, true, false}, true).scale, 2.0f);
  EXPECT_EQ(chooseParams(-100, 255, u8, true).scale, 1.0f);
}

TEST(AffineTest, RoundsScalesHalfToEven) {
  EXPECT_EQ(roundScale(1.0f + 0x1p-11f, ScaleType::F16), 1.0f);
  EXPECT_EQ(roundScale(1.0f + 0x1.8p-10f, ScaleType::F16), 1.0f + 0x1p-9f);
  EXPECT_EQ(roundScale(1.0f + 0x1p-8f, ScaleType::BF16), 1.0f);
  EXPECT_EQ(roundScale(1.0f + 0x1.8p-7f, ScaleType::BF16), 1.0f + 0x1p-6f);
  EXPECT_EQ(roundScale(1e-10f, ScaleType::F16), 0x1p-24f);
  EXPECT_EQ(roundScale(1e10f, ScaleType::F16), 65504.0f);
  EXPECT_EQ(roundScale(inf, ScaleType::BF16), 0x1.FEp127f);
  EXPECT_EQ(roundScale(nan, ScaleType::F32), 1.0f);
  EXPECT_EQ(roundScale(-1.0f, ScaleType::F32), 0x1p-126f);
}

TEST(AffineTest, ErrorIsAtMostHalfAScaleAndCodesAreFixedPoints) {
  std::mt19937 random(11);
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (unsigned round = 0; round < 2000; ++round) {
    IntegerFormat format = {2 + round % 15, round % 2 == 0, round % 3 == 0};
    bool symmetric = format.isSigned && round % 5 < 2;
    float low = uniform(random) * 10, high = low + 10 * (1 + uniform(random));
    AffineParams params = chooseParams(low, high, format, symmetric);
    for (int i = 0; i < 20; ++i) {
      float value =
          std::clamp(low + (high - low) * std::abs(uniform(random)), low, high);
      int32_t code = quantize(static_cast<double>(value), params, format);
      double back = dequantize(code, params);
      // An asymmetric zero point is rounded, so an end of the range may lie
      // half a step further out than the last code.
      double bound = params.scale * (symmetric ? 0.5 : 1.0) * (1 + 1e-5);
      if (code != format.getMin() && code != format.getMax())
        bound = params.scale * 0.5 * (1 + 1e-12);
      EXPECT_LE(std::abs(back - value), bound);
      EXPECT_EQ(quantize(back, params, format), code);
      EXPECT_EQ(quantize(static_cast<float>(back), params, format), code);
    }
  }
}

} // namespace
