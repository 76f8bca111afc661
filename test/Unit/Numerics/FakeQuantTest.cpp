//===- FakeQuantTest.cpp - Fake quantization and its gradients ------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/FakeQuant.h"

#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace compress::numerics;

namespace {

constexpr IntegerFormat i4 = {4, true, false};

TEST(FakeQuantTest, ForwardIsQuantizeThenDequantize) {
  EXPECT_EQ(fakeQuantize(0.6f, {0.25f, 1}, i4), 0.5f);
  EXPECT_EQ(fakeQuantize(100.0f, {0.25f, 1}, i4), 1.5f);
  EXPECT_EQ(fakeQuantize(-100.0, {0.25f, 1}, i4), -2.25);
  EXPECT_EQ(fakeQuantize(float(NAN), {0.25f, 1}, i4), 0.0f);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-3, 3);
  for (int i = 0; i < 1000; ++i) {
    AffineParams params = {static_cast<float>(std::abs(uniform(random)) + 0.1),
                           static_cast<int>(random() % 16) - 8};
    double x = uniform(random), once = fakeQuantize(x, params, i4);
    EXPECT_EQ(fakeQuantize(once, params, i4), once);
    float single = fakeQuantize(static_cast<float>(x), params, i4);
    EXPECT_EQ(fakeQuantize(single, params, i4), single);
  }
}

TEST(FakeQuantTest, StraightThroughIsClippedToTheCodes) {
  AffineParams params = {0.5f, 1};
  // Codes -8..7 with zero point 1 hold -4.5..3.0; values that round to an end
  // are inside.
  for (float x : {-4.5f, -4.7f, 0.0f, 3.0f, 3.2f}) {
    FakeQuantGradient<float> gradient = getFakeQuantGradient(x, params, i4);
    EXPECT_EQ(gradient.x, 1.0f) << x;
    EXPECT_EQ(gradient.zeroPoint, 0.0f);
  }
  for (float x : {-4.8f, 3.3f, float(INFINITY), -float(INFINITY)}) {
    FakeQuantGradient<float> gradient = getFakeQuantGradient(x, params, i4);
    EXPECT_EQ(gradient.x, 0.0f) << x;
    EXPECT_EQ(gradient.zeroPoint, -0.5f);
    EXPECT_EQ(gradient.scale, x < 0 ? -9.0f : 6.0f);
  }
  FakeQuantGradient<float> none = getFakeQuantGradient(float(NAN), params, i4);
  EXPECT_EQ(none.x, 0.0f);
  EXPECT_EQ(none.scale, 0.0f);
  EXPECT_EQ(none.zeroPoint, 0.0f);
}

TEST(FakeQuantTest, ScaleGradientIsThatOfTheStepsHeldFixed) {
  // Straight-through treats the rounding as adding a constant:
  // y(s) = (x / s + c) * s with c = round(x / s0) - x / s0, whose derivative at
  // s0 is c. Outside, y is a code times s.
  std::mt19937 random(2);
  std::uniform_real_distribution<double> uniform(-8, 8);
  for (int i = 0; i < 2000; ++i) {
    AffineParams params = {0.75f, static_cast<int>(random() % 16) - 8};
    double x = uniform(random), s = params.scale;
    FakeQuantGradient<double> gradient = getFakeQuantGradient(x, params, i4);
    double steps = std::nearbyint(x / s);
    auto output = [&](double scale) {
      double position = x / scale + (steps - x / s);
      double low = -8 - params.zeroPoint, high = 7 - params.zeroPoint;
      return (steps < low ? low : steps > high ? high : position) * scale;
    };
    const double h = 1e-6;
    EXPECT_NEAR(gradient.scale, (output(s + h) - output(s - h)) / (2 * h),
                1e-7);
    EXPECT_NEAR(output(s), fakeQuantize(x, params, i4), 1e-12);
  }
  EXPECT_FLOAT_EQ(getLSQGradientScale<float>(100, i4),
                  1.0f / std::sqrt(700.0f));
  EXPECT_EQ(getLSQGradientScale<float>(0, i4), 1.0f);
  EXPECT_EQ(getLSQGradientScale<double>(5, {1, true, false}), 1.0);
}

TEST(FakeQuantTest, PACTClipsAtAlpha) {
  IntegerFormat u4 = {4, false, false};
  AffineParams params = getPACTParams(3.0f, u4);
  EXPECT_EQ(params.scale, 0.2f);
  EXPECT_EQ(fakeQuantize(5.0f, params, u4), 3.0f);
  EXPECT_EQ(fakeQuantize(-5.0f, params, u4), 0.0f);
  struct {
    float x, gradientX, gradientAlpha;
  } rows[] = {{-1, 0, 0}, {0, 1, 0},  {1, 1, 0},
              {3, 0, 1},  {10, 0, 1}, {float(NAN), 0, 0}};
  for (auto [x, gradientX, gradientAlpha] : rows) {
    PACTGradient<float> gradient = getPACTGradient(x, 3.0f);
    EXPECT_EQ(gradient.x, gradientX) << x;
    EXPECT_EQ(gradient.alpha, gradientAlpha) << x;
  }
  EXPECT_TRUE(std::isnormal(getPACTParams(0.0f, u4).scale));
  EXPECT_TRUE(std::isnormal(getPACTParams(-1.0f, u4).scale));
}

} // namespace
