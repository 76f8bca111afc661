//===- SensitivityTest.cpp - How much an approximation hurts --------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/Sensitivity.h"
#include "MatrixTesting.h"

#include <limits>

using namespace compress::numerics;
using namespace compress::numerics::testing;

namespace {

ErrorMeasures measure(const std::vector<double> &reference,
                      const std::vector<double> &actual) {
  return take(measureError(StridedSpan<const double>(reference),
                           StridedSpan<const double>(actual)));
}

TEST(SensitivityTest, MeasuresByHand) {
  ErrorMeasures m = measure({3, 0, -4, 0}, {3, 1, -4, -1});
  EXPECT_DOUBLE_EQ(m.meanSquare, 0.5);
  EXPECT_DOUBLE_EQ(m.largest, 1);
  EXPECT_DOUBLE_EQ(m.signalToNoise, 10 * std::log10(12.5));
  EXPECT_DOUBLE_EQ(m.cosine, 25 / (5 * std::sqrt(27.0)));
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(measure({1, 2}, {1, 2}).signalToNoise, infinity);
  EXPECT_EQ(measure({0, 0}, {0, 1}).signalToNoise, -infinity);
  EXPECT_EQ(measure({0, 0}, {0, 0}).cosine, 1);
  EXPECT_EQ(measure({0, 0}, {0, 1}).cosine, 0);
  // Strides.
  std::vector<float> values = {1, 9, 2, 9, 3};
  std::vector<float> other = {1, 2, 4};
  EXPECT_NEAR(take(measureError(StridedSpan<const float>(values.data(), 3, 2),
                                StridedSpan<const float>(other)))
                  .meanSquare,
              1.0 / 3, 1e-12);
}

TEST(SensitivityTest, DivergenceOfKnownDistributions) {
  // Probabilities 1/2, 1/4, 1/4 against uniform.
  Matrix<double> p(1, 3), q(1, 3);
  p(0, 0) = std::log(0.5);
  p(0, 1) = p(0, 2) = std::log(0.25);
  const double expected =
      0.5 * std::log(0.5 * 3) + 2 * 0.25 * std::log(0.25 * 3);
  EXPECT_NEAR(take(getOutputDivergence(p.ref(), q.ref())), expected, 1e-14);
  // A constant changes nothing, however large.
  for (double &value : q.elements())
    value += 1e4;
  EXPECT_NEAR(take(getOutputDivergence(p.ref(), q.ref())), expected, 1e-9);
  EXPECT_EQ(take(getOutputDivergence(p.ref(), p.ref())), 0);
  // High temperature makes them alike.
  EXPECT_LT(take(getOutputDivergence(p.ref(), q.ref(), 10)), expected / 50);
}

TEST(SensitivityTest, DivergenceIsFiniteAndNotNegative) {
  Matrix<float> p = randomMatrix<float>(20, 15, 1);
  Matrix<float> q = randomMatrix<float>(20, 15, 2);
  for (float scale : {1e-3f, 1.0f, 1e3f, 1e30f}) {
    Matrix<float> a = p, b = q;
    for (float &value : a.elements())
      value *= scale;
    for (float &value : b.elements())
      value *= scale;
    double divergence = take(getOutputDivergence(a.ref(), b.ref()));
    EXPECT_TRUE(std::isfinite(divergence));
    EXPECT_GE(divergence, 0);
  }
}

TEST(SensitivityTest, RoundingErrorsFallWithTheBits) {
  Matrix<float> weights = randomMatrix<float>(20, 30, 3);
  Matrix<double> samples = randomMatrix<double>(60, 30, 4), moment(30, 30);
  ASSERT_FALSE(
      llvm::errorToBool(accumulateSecondMoment(samples.ref(), moment.ref())));
  std::vector<WeightSpec> specs;
  for (unsigned bits : {2u, 3u, 4u, 6u, 8u}) {
    WeightSpec spec;
    spec.format = {bits, true, true};
    specs.push_back(spec);
  }
  for (MatrixRef<const double> h :
       {MatrixRef<const double>(), MatrixRef<const double>(moment.ref())}) {
    std::vector<double> errors =
        take(getRoundingErrors(weights.ref(), specs, h));
    ASSERT_EQ(errors.size(), 5u);
    for (size_t i = 1; i < errors.size(); ++i)
      EXPECT_LT(errors[i], errors[i - 1] / 2);
  }
  GroupedWeights quantized = take(quantizeNearest(weights.ref(), specs[2]));
  EXPECT_EQ(
      take(getRoundingErrors(weights.ref(), specs[2], moment.ref())).front(),
      take(getOutputError(quantized, weights.ref(), moment.ref())));
}

TEST(SensitivityTest, RefusesBadInput) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> one = {1, 2}, two = {1, nan}, three = {1};
  EXPECT_NE(messageOf(measureError(StridedSpan<const double>(one),
                                   StridedSpan<const double>(two)))
                .find("element 1"),
            std::string::npos);
  EXPECT_NE(messageOf(measureError(StridedSpan<const double>(one),
                                   StridedSpan<const double>(three)))
                .find("as many"),
            std::string::npos);
  Matrix<double> p(2, 3), q(2, 2);
  EXPECT_NE(messageOf(getOutputDivergence(p.ref(), q.ref())).find("2x2"),
            std::string::npos);
  for (double temperature : {0.0, -1.0, nan})
    EXPECT_NE(messageOf(getOutputDivergence(p.ref(), p.ref(), temperature))
                  .find("temperature"),
              std::string::npos);
  p(1, 1) = nan;
  EXPECT_NE(messageOf(getOutputDivergence(p.ref(), p.ref())).find("(1, 1)"),
            std::string::npos);
}

} // namespace
