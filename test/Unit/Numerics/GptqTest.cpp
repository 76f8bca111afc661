//===- GptqTest.cpp - Column-wise error feedback --------------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/Gptq.h"
#include "MatrixTesting.h"

#include "llvm/Support/ThreadPool.h"

#include <limits>

using namespace compress::numerics;
using namespace compress::numerics::testing;

namespace {

/// Samples whose inputs share a few hidden sources.
Matrix<double> correlatedSamples(int64_t count, int64_t inputs, unsigned seed) {
  Matrix<double> sources = randomMatrix<double>(count, inputs / 4 + 1, seed);
  Matrix<double> mixing =
      randomMatrix<double>(inputs / 4 + 1, inputs, seed + 1);
  Matrix<double> samples =
      naiveProduct<double, double>(sources.ref(), mixing.ref());
  Matrix<double> own = randomMatrix<double>(count, inputs, seed + 2);
  for (size_t i = 0; i < samples.elements().size(); ++i)
    samples.elements()[i] += 0.1 * own.elements()[i];
  return samples;
}

Matrix<double> momentOf(const Matrix<double> &samples) {
  Matrix<double> moment(samples.columns(), samples.columns());
  EXPECT_FALSE(
      llvm::errorToBool(accumulateSecondMoment(samples.ref(), moment.ref())));
  return moment;
}

WeightSpec makeSpec(unsigned bits, int64_t groupSize, bool symmetric) {
  WeightSpec spec;
  spec.format = {bits, symmetric, symmetric};
  spec.symmetric = symmetric;
  spec.groupSize = groupSize;
  return spec;
}

/// |X (Wq - W)^T|^2 by the definition.
double outputError(const GroupedWeights &quantized,
                   const Matrix<double> &weights,
                   const Matrix<double> &samples) {
  double sum = 0;
  for (int64_t s = 0; s < samples.rows(); ++s)
    for (int64_t i = 0; i < weights.rows(); ++i) {
      double difference = 0;
      for (int64_t j = 0; j < weights.columns(); ++j)
        difference += (quantized(i, j) - weights(i, j)) * samples(s, j);
      sum += difference * difference;
    }
  return sum;
}

/// The algorithm with the inverse written out and reduced column by column.
Matrix<int32_t> referenceFeedback(const Matrix<double> &weights,
                                  const Matrix<double> &moment, double damping,
                                  const GroupedWeights &params) {
  const int64_t n = weights.columns();
  double mean = 0;
  for (int64_t i = 0; i < n; ++i)
    mean += moment(i, i) / n;
  // Gauss-Jordan on [H | I].
  Matrix<double> work(n, 2 * n);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j)
      work(i, j) = moment(i, j) + (i == j ? damping * mean : 0.0);
    work(i, n + i) = 1;
  }
  for (int64_t k = 0; k < n; ++k) {
    double pivot = work(k, k);
    for (int64_t j = 0; j < 2 * n; ++j)
      work(k, j) /= pivot;
    for (int64_t i = 0; i < n; ++i) {
      double factor = work(i, k);
      if (i != k)
        for (int64_t j = 0; j < 2 * n; ++j)
          work(i, j) -= factor * work(k, j);
    }
  }
  Matrix<double> inverse(n, n);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      inverse(i, j) = work(i, n + j);
  Matrix<double> current = weights;
  Matrix<int32_t> codes(weights.rows(), n);
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = 0; i < weights.rows(); ++i) {
      codes(i, j) =
          quantize(current(i, j), params.params(i, 0), params.spec.format);
      double error =
          (current(i, j) - dequantize(codes(i, j), params.params(i, 0))) /
          inverse(j, j);
      for (int64_t k = j + 1; k < n; ++k)
        current(i, k) -= error * inverse(j, k);
    }
    Matrix<double> old = inverse;
    for (int64_t a = j + 1; a < n; ++a)
      for (int64_t b = j + 1; b < n; ++b)
        inverse(a, b) -= old(a, j) * old(j, b) / old(j, j);
  }
  return codes;
}

TEST(GptqTest, EqualsTheAlgorithmWithAnExplicitInverse) {
  for (unsigned seed : {1u, 2u, 3u}) {
    Matrix<double> samples = correlatedSamples(80, 24, seed);
    Matrix<double> moment = momentOf(samples);
    Matrix<double> weights = randomMatrix<double>(9, 24, seed + 50);
    WeightSpec spec = makeSpec(4, 0, true);
    GptqOptions options;
    options.blockSize = 7;
    GptqResult result =
        take(quantizeGptq(weights.ref(), moment.ref(), spec, options));
    ASSERT_FALSE(result.keptNearest);
    EXPECT_EQ(
        result.weights.codes.elements(),
        referenceFeedback(weights, moment, 0.01, result.weights).elements());
  }
}

TEST(GptqTest, LosesLessThanRoundingOnCorrelatedInputs) {
  for (unsigned bits : {2u, 3u, 4u, 8u})
    for (int64_t groupSize : {0, 16, 20})
      for (bool order : {false, true}) {
        Matrix<double> samples = correlatedSamples(200, 64, bits);
        Matrix<double> moment = momentOf(samples);
        Matrix<double> weights = randomMatrix<double>(16, 64, bits + 9);
        WeightSpec spec = makeSpec(bits, groupSize, bits > 2);
        GptqOptions options;
        options.activationOrder = order;
        options.blockSize = 24;
        GptqResult result =
            take(quantizeGptq(weights.ref(), moment.ref(), spec, options));
        EXPECT_FALSE(result.keptNearest);
        EXPECT_LT(result.error, 0.7 * result.nearestError)
            << bits << " bits, groups of " << groupSize;
        // The reported errors are those of the outputs.
        EXPECT_NEAR(outputError(result.weights, weights, samples) /
                        result.error,
                    1, 1e-9);
        GroupedWeights nearest = take(quantizeNearest(weights.ref(), spec));
        EXPECT_NEAR(outputError(nearest, weights, samples) /
                        result.nearestError,
                    1, 1e-9);
        for (int32_t code : result.weights.codes.elements()) {
          EXPECT_GE(code, spec.format.getMin());
          EXPECT_LE(code, spec.format.getMax());
        }
      }
}

TEST(GptqTest, IndependentInputsGiveRoundingToNearest) {
  Matrix<float> weights = randomMatrix<float>(5, 12, 3);
  Matrix<double> moment(12, 12);
  for (int i = 0; i < 12; ++i)
    moment(i, i) = 1 + i;
  WeightSpec spec = makeSpec(4, 4, false);
  GptqResult result = take(quantizeGptq(weights.ref(), moment.ref(), spec));
  GroupedWeights nearest = take(quantizeNearest(weights.ref(), spec));
  EXPECT_EQ(result.weights.codes.elements(), nearest.codes.elements());
  EXPECT_EQ(result.error, result.nearestError);
}

TEST(GptqTest, BlocksAndThreadsDoNotMatter) {
  Matrix<double> samples = correlatedSamples(300, 150, 5);
  Matrix<double> moment = momentOf(samples);
  Matrix<float> weights = randomMatrix<float>(130, 150, 6);
  WeightSpec spec = makeSpec(4, 32, true);
  GptqOptions options;
  GptqResult whole =
      take(quantizeGptq(weights.ref(), moment.ref(), spec, options));
  llvm::DefaultThreadPool pool(llvm::hardware_concurrency(3));
  GptqResult threaded =
      take(quantizeGptq(weights.ref(), moment.ref(), spec, options, &pool));
  EXPECT_EQ(whole.weights.codes.elements(), threaded.weights.codes.elements());
  EXPECT_EQ(whole.error, threaded.error);
  options.blockSize = 1000;
  GptqResult oneBlock =
      take(quantizeGptq(weights.ref(), moment.ref(), spec, options));
  // Sums in another order may tip a code at a tie, no more.
  EXPECT_NEAR(whole.error / oneBlock.error, 1, 0.02);
}

TEST(GptqTest, DeadInputsAndFewSamples) {
  // 10 samples of 40 inputs, 5 of them always zero.
  Matrix<double> samples = correlatedSamples(10, 40, 7);
  for (int64_t s = 0; s < 10; ++s)
    for (int64_t j = 0; j < 5; ++j)
      samples(s, 8 * j) = 0;
  Matrix<double> moment = momentOf(samples);
  Matrix<float> weights = randomMatrix<float>(6, 40, 8);
  WeightSpec spec = makeSpec(4, 0, true);
  GptqOptions options;
  options.damping = 0;
  GptqResult result =
      take(quantizeGptq(weights.ref(), moment.ref(), spec, options));
  EXPECT_GT(result.damping, 0);
  EXPECT_LT(result.error, result.nearestError);
  GroupedWeights nearest = take(quantizeNearest(weights.ref(), spec));
  for (int64_t i = 0; i < 6; ++i)
    for (int64_t j = 0; j < 5; ++j)
      EXPECT_EQ(result.weights.codes(i, 8 * j), nearest.codes(i, 8 * j));
  // No inputs at all.
  Matrix<double> zero(40, 40);
  result = take(quantizeGptq(weights.ref(), zero.ref(), spec));
  EXPECT_EQ(result.error, 0);
}

TEST(GptqTest, SecondMomentsAddUp) {
  Matrix<double> samples = randomMatrix<double>(20, 6, 3);
  Matrix<double> moment(6, 6);
  for (int64_t begin : {0, 7, 14})
    ASSERT_FALSE(llvm::errorToBool(accumulateSecondMoment(
        std::as_const(samples).ref().block(begin, 0, begin == 14 ? 6 : 7, 6),
        moment.ref())));
  Matrix<double> expected = naiveProduct<double, double>(
      std::as_const(samples).ref().transposed(), samples.ref());
  EXPECT_LT(distance(moment.elements(), expected.elements()), 1e-12);
}

TEST(GptqTest, RefusesBadInput) {
  Matrix<float> weights = randomMatrix<float>(3, 4, 1);
  Matrix<double> moment(4, 4);
  for (int i = 0; i < 4; ++i)
    moment(i, i) = 1;
  WeightSpec spec;
  auto message = [&] {
    return messageOf(quantizeGptq(weights.ref(), moment.ref(), spec));
  };
  moment(1, 2) = 0.5;
  EXPECT_NE(message().find("not symmetric"), std::string::npos);
  moment(2, 1) = 0.5;
  moment(3, 3) = -1;
  EXPECT_NE(message().find("negative diagonal"), std::string::npos);
  // Not semidefinite: |h12| above the geometric mean of the diagonal.
  moment(3, 3) = 1;
  moment(1, 2) = moment(2, 1) = 30;
  EXPECT_NE(message().find("semidefinite"), std::string::npos);
  moment(1, 2) = moment(2, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(message().find("finite"), std::string::npos);
  moment(1, 2) = moment(2, 1) = 0;
  weights(2, 3) = std::numeric_limits<float>::infinity();
  EXPECT_NE(message().find("(2, 3)"), std::string::npos);
  weights(2, 3) = 0;
  spec.format.bits = 17;
  EXPECT_NE(message().find("16 bits"), std::string::npos);
  spec.format = {1, true, false};
  EXPECT_NE(message().find("unsigned"), std::string::npos);
  spec = {};
  GptqOptions options;
  options.damping = 2;
  EXPECT_NE(messageOf(quantizeGptq(weights.ref(), moment.ref(), spec, options))
                .find("damping"),
            std::string::npos);
  Matrix<double> small(3, 3);
  EXPECT_NE(
      messageOf(quantizeGptq(weights.ref(), small.ref(), spec)).find("3x3"),
      std::string::npos);
}

} // namespace
