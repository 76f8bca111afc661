//===- ScaleSearchTest.cpp - Moving range between inputs and weights ------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/ScaleSearch.h"
#include "MatrixTesting.h"

#include <limits>

using namespace compress::numerics;
using namespace compress::numerics::testing;

namespace {

/// Some inputs are much larger than others, as in transformers.
Matrix<double> samplesWithOutliers(int64_t count, int64_t inputs,
                                   unsigned seed) {
  Matrix<double> samples = randomMatrix<double>(count, inputs, seed);
  for (int64_t s = 0; s < count; ++s)
    for (int64_t j = 0; j < inputs; j += 16)
      samples(s, j) *= 50;
  return samples;
}

WeightSpec fourBits() {
  WeightSpec spec;
  spec.format = {4, true, true};
  return spec;
}

TEST(ScaleSearchTest, ZeroChannelsKeepScaleOne) {
  std::vector<double> scales =
      take(getSmoothingScales({8, 2, 0, 4}, {2, 0, 1, 0.5}, 0.5));
  EXPECT_NEAR(scales[0], 2, 1e-12);
  EXPECT_EQ(scales[1], 1);
  EXPECT_EQ(scales[2], 1);
  EXPECT_NEAR(scales[3], std::sqrt(8.0), 1e-12);
  // x / s times s W is x W.
  Matrix<double> x = randomMatrix<double>(3, 4, 1);
  Matrix<double> w = randomMatrix<double>(4, 5, 2);
  Matrix<double> expected = naiveProduct<double, double>(x.ref(), w.ref());
  for (int64_t j = 0; j < 4; ++j) {
    for (int64_t i = 0; i < 3; ++i)
      x(i, j) /= scales[j];
    for (int64_t i = 0; i < 5; ++i)
      w(j, i) *= scales[j];
  }
  EXPECT_LT(distance(naiveProduct<double, double>(x.ref(), w.ref()).elements(),
                     expected.elements()),
            1e-6);
}

TEST(ScaleSearchTest, ScalesAreAlwaysFiniteAndPositive) {
  const double tiny = std::numeric_limits<double>::denorm_min();
  const double huge = std::numeric_limits<double>::max();
  for (double alpha : {0.0, 0.3, 1.0})
    for (double scale :
         take(getSmoothingScales({tiny, huge, tiny, huge, 0},
                                 {huge, tiny, tiny, huge, 0}, alpha))) {
      EXPECT_TRUE(std::isfinite(scale));
      EXPECT_GT(scale, 0);
    }
}

TEST(ScaleSearchTest, SmoothingLowersTheOutputError) {
  Matrix<double> samples = samplesWithOutliers(64, 48, 3);
  Matrix<double> weights = randomMatrix<double>(20, 48, 4);
  SmoothingOptions options;
  for (bool perTensor : {true, false}) {
    options.perTensor = perTensor;
    WeightSpec spec; // 8 bits
    ScaleSearchResult result =
        take(searchSmoothing(weights.ref(), samples.ref(), spec, options));
    EXPECT_FALSE(result.keptUnscaled);
    EXPECT_LT(result.error, 0.5 * result.unscaledError);
    EXPECT_GT(result.alpha, 0);
    // Zero columns of either side change nothing and break nothing.
    Matrix<double> dead = samples, deadWeights = weights;
    for (int64_t s = 0; s < 64; ++s)
      dead(s, 1) = 0;
    for (int64_t i = 0; i < 20; ++i)
      deadWeights(i, 2) = 0;
    result =
        take(searchSmoothing(deadWeights.ref(), dead.ref(), spec, options));
    EXPECT_EQ(result.scales[1], 1);
    EXPECT_EQ(result.scales[2], 1);
    EXPECT_TRUE(allFinite(llvm::ArrayRef<double>(result.scales)));
  }
}

TEST(ScaleSearchTest, AwqLowersTheOutputErrorAndReportsIt) {
  Matrix<double> samples = samplesWithOutliers(100, 32, 5);
  Matrix<float> weights = randomMatrix<float>(12, 32, 6);
  Matrix<double> moment(32, 32);
  ASSERT_FALSE(
      llvm::errorToBool(accumulateSecondMoment(samples.ref(), moment.ref())));
  std::vector<double> magnitudes(32);
  for (int64_t s = 0; s < 100; ++s)
    for (int64_t j = 0; j < 32; ++j)
      magnitudes[j] += std::abs(samples(s, j)) / 100;
  ScaleSearchResult result = take(
      searchAwqScales(weights.ref(), magnitudes, moment.ref(), fourBits()));
  EXPECT_LT(result.error, 0.7 * result.unscaledError);
  // The reported error is that of the scaled and quantized weights.
  Matrix<float> scaled = weights;
  for (int64_t i = 0; i < 12; ++i)
    for (int64_t j = 0; j < 32; ++j)
      scaled(i, j) = static_cast<float>(weights(i, j) * result.scales[j]);
  GroupedWeights quantized = take(quantizeNearest(scaled.ref(), fourBits()));
  double error = 0;
  for (int64_t s = 0; s < 100; ++s)
    for (int64_t i = 0; i < 12; ++i) {
      double difference = 0;
      for (int64_t j = 0; j < 32; ++j)
        difference += (quantized(i, j) / result.scales[j] - weights(i, j)) *
                      samples(s, j);
      error += difference * difference;
    }
  EXPECT_NEAR(error / result.error, 1, 1e-6);
}

TEST(ScaleSearchTest, NeverWorseThanWithoutScales) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    Matrix<double> samples = randomMatrix<double>(30, 10, seed);
    Matrix<double> weights = randomMatrix<double>(4, 10, seed + 100);
    Matrix<double> moment(10, 10);
    ASSERT_FALSE(
        llvm::errorToBool(accumulateSecondMoment(samples.ref(), moment.ref())));
    std::vector<double> magnitudes(10, 1.0);
    magnitudes[3] = 0;
    ScaleSearchResult awq = take(
        searchAwqScales(weights.ref(), magnitudes, moment.ref(), fourBits()));
    EXPECT_LE(awq.error, awq.unscaledError);
    ScaleSearchResult smooth =
        take(searchSmoothing(weights.ref(), samples.ref(), fourBits()));
    EXPECT_LE(smooth.error, smooth.unscaledError);
    if (smooth.keptUnscaled)
      EXPECT_EQ(smooth.scales, std::vector<double>(10, 1.0));
  }
}

TEST(ScaleSearchTest, HugeWeightsAreNoBadInput) {
  Matrix<float> weights = randomMatrix<float>(4, 6, 1);
  Matrix<float> samples = randomMatrix<float>(5, 6, 2);
  for (float &value : weights.elements())
    value *= 3e38f;
  for (float &value : samples.elements())
    value *= 1e5f;
  ScaleSearchResult result =
      take(searchSmoothing(weights.ref(), samples.ref(), fourBits()));
  EXPECT_LE(result.error, result.unscaledError);
  EXPECT_TRUE(allFinite(llvm::ArrayRef<double>(result.scales)));
}

TEST(ScaleSearchTest, RefusesBadInput) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(
      messageOf(getSmoothingScales({1, nan}, {1, 1}, 0.5)).find("number 1"),
      std::string::npos);
  EXPECT_NE(messageOf(getSmoothingScales({1}, {-1}, 0.5)).find("weight maxima"),
            std::string::npos);
  EXPECT_NE(messageOf(getSmoothingScales({1}, {1, 1}, 0.5)).find("1 activ"),
            std::string::npos);
  EXPECT_NE(messageOf(getSmoothingScales({1}, {1}, 1.5)).find("[0, 1]"),
            std::string::npos);
  Matrix<double> weights = randomMatrix<double>(3, 4, 1);
  Matrix<double> samples = randomMatrix<double>(3, 5, 1);
  EXPECT_NE(messageOf(searchSmoothing(weights.ref(), samples.ref(), fourBits()))
                .find("5 inputs"),
            std::string::npos);
  samples(1, 1) = nan;
  EXPECT_NE(messageOf(searchSmoothing(weights.ref(), samples.ref(), fourBits()))
                .find("(1, 1)"),
            std::string::npos);
  Matrix<double> moment(4, 4);
  EXPECT_NE(messageOf(searchAwqScales(weights.ref(), {1, 1, 1}, moment.ref(),
                                      fourBits()))
                .find("3 input magnitudes"),
            std::string::npos);
  EXPECT_NE(messageOf(searchAwqScales(weights.ref(), {1, 1, 1, 1}, moment.ref(),
                                      fourBits(), 0))
                .find("steps"),
            std::string::npos);
}

} // namespace
