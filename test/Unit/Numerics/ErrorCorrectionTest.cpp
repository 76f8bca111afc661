//===- ErrorCorrectionTest.cpp - Making up for quantization errors --------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/ErrorCorrection.h"
#include "MatrixTesting.h"

#include "llvm/Support/ThreadPool.h"

#include <limits>

using namespace compress::numerics;
using namespace compress::numerics::testing;

namespace {

WeightSpec makeSpec(unsigned bits, int64_t groupSize = 0) {
  WeightSpec spec;
  spec.format = {bits, true, true};
  spec.groupSize = groupSize;
  return spec;
}

Matrix<double> momentOf(int64_t inputs, unsigned seed) {
  Matrix<double> mixing = randomMatrix<double>(3 * inputs, inputs, seed);
  for (int64_t i = 0; i < mixing.rows(); ++i)
    for (int64_t j = 1; j < inputs; ++j)
      mixing(i, j) += mixing(i, 0);
  Matrix<double> moment(inputs, inputs);
  EXPECT_FALSE(
      llvm::errorToBool(accumulateSecondMoment(mixing.ref(), moment.ref())));
  return moment;
}

TEST(ErrorCorrectionTest, BiasTakesTheShiftAway) {
  // W at scale 0.2 with inputs of mean [1, 2, -1]: as written out, and as this
  // library rounds it (0.30 / 0.2 and -0.70 / 0.2 are ties).
  Matrix<float> weights(2, 3), written(2, 3), rounded(2, 3);
  const float values[] = {0.30f, -0.70f, 0.24f, 1.02f, 0.51f, -0.49f};
  const float codes[] = {0.2f, -0.6f, 0.2f, 1.0f, 0.6f, -0.4f};
  for (int i = 0; i < 6; ++i) {
    weights.elements()[i] = values[i];
    written.elements()[i] = codes[i];
    rounded.elements()[i] = static_cast<float>(
        dequantize(quantize(values[i], {0.2f, 0}, {8, true, true}), {0.2f, 0}));
  }
  const std::vector<float> mean = {1, 2, -1};
  for (const Matrix<float> &quantized : {written, rounded}) {
    std::vector<float> bias = {0, 0};
    ASSERT_FALSE(llvm::errorToBool(correctBias(weights.ref(), quantized.ref(),
                                               StridedSpan<const float>(mean),
                                               StridedSpan<float>(bias))));
    for (int i = 0; i < 2; ++i) {
      double exact = 0, corrected = bias[i];
      for (int j = 0; j < 3; ++j) {
        exact += double(weights(i, j)) * mean[j];
        corrected += double(quantized(i, j)) * mean[j];
      }
      EXPECT_NEAR(corrected, exact, 1e-6);
    }
    if (quantized(0, 0) == 0.2f)
      EXPECT_NEAR(bias[0], -0.14f, 1e-6);
    EXPECT_NEAR(bias[1], -0.07f, 1e-6);
  }
}

TEST(ErrorCorrectionTest, BiasStridesAndErrors) {
  Matrix<double> weights = randomMatrix<double>(3, 2, 1);
  Matrix<double> other = randomMatrix<double>(3, 2, 2);
  std::vector<double> mean = {1, -9, 2}, bias = {1, 0, 2, 0, 3};
  StridedSpan<const double> meanSpan(mean.data(), 2, 2);
  StridedSpan<double> biasSpan(bias.data(), 3, 2);
  ASSERT_FALSE(llvm::errorToBool(
      correctBias(weights.ref(), other.ref(), meanSpan, biasSpan)));
  EXPECT_NEAR(bias[2],
              2 - (other(1, 0) - weights(1, 0)) * 1 -
                  (other(1, 1) - weights(1, 1)) * 2,
              1e-14);
  EXPECT_EQ(bias[1], 0);
  mean[2] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(llvm::errorToBool(
      correctBias(weights.ref(), other.ref(), meanSpan, biasSpan)));
  mean[2] = 0;
  EXPECT_TRUE(llvm::errorToBool(
      correctBias(weights.ref(), other.ref(), meanSpan, biasSpan.slice(0, 2))));
}

TEST(ErrorCorrectionTest, RoundingDescendsTowardsTheOptimum) {
  // One move at a time ends in a local optimum, which now and then is where it
  // began: the gain is that over all seeds.
  double sumBefore = 0, sum = 0, sumOptimum = 0;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const int64_t n = 8;
    Matrix<double> moment = momentOf(n, seed);
    Matrix<double> weights = randomMatrix<double>(3, n, seed + 20);
    GroupedWeights quantized =
        take(quantizeNearest(weights.ref(), makeSpec(3)));
    const GroupedWeights nearest = quantized;
    CorrectionResult result =
        take(refineRounding(weights.ref(), moment.ref(), quantized));
    EXPECT_NEAR(result.error,
                take(getOutputError(quantized, weights.ref(), moment.ref())),
                1e-12 * result.errorBefore);
    EXPECT_LE(result.error, result.errorBefore);
    EXPECT_EQ(result.error < result.errorBefore, result.changes > 0);
    // Exhaustive search over down and up of every weight of each row.
    double optimum = 0;
    for (int64_t i = 0; i < 3; ++i) {
      double best = std::numeric_limits<double>::infinity();
      for (int mask = 0; mask < (1 << n); ++mask) {
        std::vector<double> difference(n);
        for (int64_t j = 0; j < n; ++j) {
          const AffineParams params = nearest.getParams(i, j);
          double code =
              std::floor(weights(i, j) / params.scale) + ((mask >> j) & 1);
          code = std::clamp<double>(code, nearest.spec.format.getMin(),
                                    nearest.spec.format.getMax());
          difference[j] = code * params.scale - weights(i, j);
        }
        double error = 0;
        for (int64_t a = 0; a < n; ++a)
          for (int64_t b = 0; b < n; ++b)
            error += difference[a] * moment(a, b) * difference[b];
        best = std::min(best, error);
      }
      optimum += best;
    }
    EXPECT_GE(result.error, optimum * (1 - 1e-12));
    sumBefore += result.errorBefore;
    sum += result.error;
    sumOptimum += optimum;
    for (int64_t i = 0; i < 3; ++i)
      for (int64_t j = 0; j < n; ++j)
        EXPECT_LE(std::abs(quantized(i, j) - weights(i, j)),
                  quantized.params(i, 0).scale * (1 + 1e-9));
    // A second run finds nothing to change.
    EXPECT_EQ(
        take(refineRounding(weights.ref(), moment.ref(), quantized)).changes,
        0);
  }
  EXPECT_LT(sum, sumOptimum + 0.5 * (sumBefore - sumOptimum));
}

TEST(ErrorCorrectionTest, RoundingIsTheSameOnThreads) {
  Matrix<double> moment = momentOf(40, 3);
  Matrix<float> weights = randomMatrix<float>(60, 40, 4);
  GroupedWeights one = take(quantizeNearest(weights.ref(), makeSpec(4, 8)));
  GroupedWeights many = one;
  llvm::DefaultThreadPool pool(llvm::hardware_concurrency(3));
  CorrectionResult a = take(refineRounding(weights.ref(), moment.ref(), one));
  CorrectionResult b =
      take(refineRounding(weights.ref(), moment.ref(), many, 20, &pool));
  EXPECT_EQ(one.codes.elements(), many.codes.elements());
  EXPECT_EQ(a.error, b.error);
}

TEST(ErrorCorrectionTest, ScalesFitTheCodes) {
  for (unsigned bits : {2u, 3u, 4u}) {
    Matrix<double> weights = randomMatrix<double>(5, 64, bits);
    GroupedWeights quantized =
        take(quantizeNearest(weights.ref(), makeSpec(bits, 16)));
    const GroupedWeights before = quantized;
    CorrectionResult result = take(refineScales(weights.ref(), {}, quantized));
    EXPECT_LT(result.error, result.errorBefore);
    double error = 0, errorBefore = 0;
    for (int64_t i = 0; i < 5; ++i)
      for (int64_t j = 0; j < 64; ++j) {
        error += std::pow(quantized(i, j) - weights(i, j), 2);
        errorBefore += std::pow(before(i, j) - weights(i, j), 2);
      }
    EXPECT_NEAR(error, result.error, 1e-12);
    EXPECT_NEAR(errorBefore, result.errorBefore, 1e-12);
    for (const AffineParams &params : quantized.params.elements())
      EXPECT_GT(params.scale, 0);
  }
  // Exact data: codes times 0.25, quantized with a scale that is off.
  Matrix<double> exact(1, 8);
  GroupedWeights off = take(quantizeNearest(exact.ref(), makeSpec(4)));
  for (int64_t j = 0; j < 8; ++j) {
    exact(0, j) = 0.25 * (j - 4);
    off.codes(0, j) = j - 4;
  }
  off.params(0, 0).scale = 0.3f;
  EXPECT_LT(take(refineScales(exact.ref(), {}, off)).error, 1e-12);
  EXPECT_EQ(off.params(0, 0).scale, 0.25f);
}

TEST(ErrorCorrectionTest, ScalesFollowTheColumnWeights) {
  Matrix<double> weights = randomMatrix<double>(1, 32, 5);
  std::vector<double> important(32, 1e-6);
  important[7] = important[9] = 1;
  GroupedWeights plain = take(quantizeNearest(weights.ref(), makeSpec(3)));
  GroupedWeights weighted = plain;
  take(refineScales(weights.ref(), {}, plain));
  CorrectionResult result =
      take(refineScales(weights.ref(), important, weighted));
  EXPECT_LE(result.error, result.errorBefore);
  auto errorAt = [&](const GroupedWeights &q) {
    return std::pow(q(0, 7) - weights(0, 7), 2) +
           std::pow(q(0, 9) - weights(0, 9), 2);
  };
  EXPECT_LT(errorAt(weighted), errorAt(plain));
  // All-zero weights have nothing to fit.
  Matrix<double> zero(1, 32);
  GroupedWeights quantized = take(quantizeNearest(zero.ref(), makeSpec(3)));
  result = take(refineScales(zero.ref(), important, quantized));
  EXPECT_EQ(result.error, 0);
  EXPECT_EQ(quantized.params(0, 0).scale, 1);
}

TEST(ErrorCorrectionTest, ResidualBranchTakesTheTail) {
  Matrix<float> weights = randomMatrix<float>(40, 30, 8);
  WeightSpec spec = makeSpec(3);
  ResidualFactors<float> one = take(factorizeResidual(weights.ref(), spec, 6));
  EXPECT_LT(one.error, one.nearestError);
  // The error of one round is the tail of the residual's spectrum.
  Matrix<float> residual(40, 30);
  for (int64_t i = 0; i < 40; ++i)
    for (int64_t j = 0; j < 30; ++j)
      residual(i, j) = static_cast<float>(weights(i, j) - one.quantized(i, j));
  Svd<float> svd = take(truncatedSvd(residual.ref(), 30));
  double tail = 0;
  for (int k = 6; k < 30; ++k)
    tail += svd.values[k] * svd.values[k];
  EXPECT_NEAR(one.error / std::sqrt(tail), 1, 1e-5);
  ResidualFactors<float> five =
      take(factorizeResidual(weights.ref(), spec, 6, 5));
  EXPECT_LE(five.error, one.error);
  EXPECT_EQ(five.branch.getRank(), 6);
}

TEST(ErrorCorrectionTest, RefusesBadInput) {
  Matrix<float> weights = randomMatrix<float>(3, 4, 1);
  Matrix<double> moment = momentOf(4, 2);
  GroupedWeights quantized = take(quantizeNearest(weights.ref(), makeSpec(4)));
  GroupedWeights broken = quantized;
  broken.params(0, 0).scale = 0;
  EXPECT_NE(messageOf(refineRounding(weights.ref(), moment.ref(), broken))
                .find("positive"),
            std::string::npos);
  broken = quantized;
  broken.params = Matrix<AffineParams>(3, 2);
  EXPECT_NE(messageOf(refineScales(weights.ref(), {}, broken)).find("3x2"),
            std::string::npos);
  EXPECT_NE(messageOf(refineScales(weights.ref(), {1, 1, -1, 1}, quantized))
                .find("negative"),
            std::string::npos);
  EXPECT_NE(messageOf(refineScales(weights.ref(), {1}, quantized))
                .find("1 column weights"),
            std::string::npos);
  EXPECT_NE(messageOf(factorizeResidual(weights.ref(), makeSpec(4), 5))
                .find("[1, 3]"),
            std::string::npos);
  EXPECT_NE(messageOf(factorizeResidual(weights.ref(), makeSpec(4), 1, 0))
                .find("iteration"),
            std::string::npos);
  weights(1, 1) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NE(messageOf(refineRounding(weights.ref(), moment.ref(), quantized))
                .find("(1, 1)"),
            std::string::npos);
  EXPECT_NE(
      messageOf(refineScales(weights.ref(), {}, quantized)).find("(1, 1)"),
      std::string::npos);
}

} // namespace
