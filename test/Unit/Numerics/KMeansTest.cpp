//===- KMeansTest.cpp - Codebooks fitted to scalar data -------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/KMeans.h"

#include "compress/Numerics/Codebook.h"
#include "compress/Numerics/InstructionSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ThreadPool.h"
#include "gtest/gtest.h"

#include <cmath>
#include <limits>
#include <random>

using namespace compress::numerics;
using llvm::cantFail;
using llvm::errorToBool;

namespace {

struct ReferenceInertia {
  unsigned numClusters;
  double inertia;
};
#include "Inputs/KMeansReference.inc"

template <typename T>
using Span = StridedSpan<const T>;

template <typename T>
KMeansResult<T> fitExact(const std::vector<T> &values, unsigned numClusters,
                         const std::vector<T> &weights = {}) {
  KMeansOptions options;
  options.numClusters = numClusters;
  return cantFail(
      fitKMeansExact<T>(Span<T>(values), Span<T>(weights), options));
}

/// The weighted sum of squared distances to the nearest centroid.
template <typename T>
double getInertia(llvm::ArrayRef<T> values, llvm::ArrayRef<T> weights,
                  llvm::ArrayRef<T> centroids) {
  double inertia = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    double best = std::numeric_limits<double>::infinity();
    for (T centroid : centroids)
      best = std::min(best, std::pow(double(values[i]) - centroid, 2));
    inertia += best * (weights.empty() ? 1.0 : weights[i]);
  }
  return inertia;
}

/// The least inertia of sorted data in at most `numClusters` intervals.
double searchBest(llvm::ArrayRef<double> values, llvm::ArrayRef<double> weights,
                  unsigned numClusters) {
  if (values.empty())
    return 0;
  if (numClusters == 0)
    return std::numeric_limits<double>::infinity();
  double best = std::numeric_limits<double>::infinity();
  for (size_t size = 1; size <= values.size(); ++size) {
    double weight = 0, sum = 0, inertia = 0;
    for (size_t i = 0; i < size; ++i) {
      weight += weights[i];
      sum += weights[i] * values[i];
    }
    for (size_t i = 0; i < size && weight > 0; ++i)
      inertia += weights[i] * std::pow(values[i] - sum / weight, 2);
    best = std::min(best, inertia + searchBest(values.drop_front(size),
                                               weights.drop_front(size),
                                               numClusters - 1));
  }
  return best;
}

TEST(KMeansTest, ExactReachesTheExhaustiveOptimum) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    std::vector<double> values(1 + random() % 10), weights(values.size(), 1.0);
    for (double &value : values)
      value = static_cast<int>(random() % 200 - 100) / 16.0;
    llvm::sort(values);
    if (round % 2) {
      for (double &weight : weights)
        weight = random() % 5;
      weights[0] += 1;
    }
    for (unsigned k = 1; k <= 4; ++k) {
      KMeansResult<double> result =
          fitExact(values, k, round % 2 ? weights : std::vector<double>());
      double best = searchBest(values, weights, k);
      EXPECT_LE(result.inertia, best * (1 + 1e-12) + 1e-12);
      EXPECT_NEAR(result.inertia,
                  getInertia<double>(values, weights, result.centroids),
                  1e-9 * (1 + best));
      EXPECT_LE(result.centroids.size(), k);
      EXPECT_TRUE(result.converged);
    }
  }
}

template <typename T>
void compareWithReference(llvm::ArrayRef<float> floats,
                          llvm::ArrayRef<ReferenceInertia> references) {
  std::vector<T> values(floats.begin(), floats.end());
  for (const ReferenceInertia &reference : references) {
    SCOPED_TRACE(reference.numClusters);
    KMeansOptions options;
    options.numClusters = reference.numClusters;
    double inertia =
        cantFail(fitKMeansExact<T>(Span<T>(values), {}, options)).inertia;
    // Centroids rounded to float cost a little.
    EXPECT_LE(inertia,
              reference.inertia * (sizeof(T) == 4 ? 1 + 1e-6 : 1) + 1e-12);
    // No start of Lloyd's iteration does better; the best of ten k-means++
    // starts comes near.
    options.maxIterations = 1000;
    for (KMeansStart start :
         {KMeansStart::Linear, KMeansStart::Density, KMeansStart::PlusPlus}) {
      options.start = start;
      auto lloyd = cantFail(fitKMeansLloyd<T>(Span<T>(values), {}, options));
      EXPECT_TRUE(lloyd.converged);
      EXPECT_GE(lloyd.inertia, inertia * (1 - 1e-6));
      EXPECT_NEAR(lloyd.inertia, getInertia<T>(values, {}, lloyd.centroids),
                  1e-5 * lloyd.inertia);
    }
    double best = std::numeric_limits<double>::infinity();
    for (options.seed = 0; options.seed < 10; ++options.seed)
      best = std::min(
          best,
          cantFail(fitKMeansLloyd<T>(Span<T>(values), {}, options)).inertia);
    EXPECT_LE(best, reference.inertia * 1.25);
  }
}

TEST(KMeansTest, NotWorseThanScikitLearnsBestOfTenStarts) {
  compareWithReference<float>(kGaussianValues, kGaussianInertia);
  compareWithReference<double>(kGaussianValues, kGaussianInertia);
  compareWithReference<float>(kLaplaceValues, kLaplaceInertia);
  compareWithReference<double>(kLaplaceValues, kLaplaceInertia);
  compareWithReference<float>(kPrunedValues, kPrunedInertia);
  compareWithReference<double>(kPrunedValues, kPrunedInertia);
  compareWithReference<float>(kMixtureValues, kMixtureInertia);
  compareWithReference<double>(kMixtureValues, kMixtureInertia);
}

/// Pruned, then shared: the zeros stay, and nothing else becomes zero.
TEST(KMeansTest, KeepsZeros) {
  std::vector<float> values = {0,      0,     0,    0,    0,    0,     0.01f,
                               -0.02f, 0.03f, 1.0f, 1.1f, 0.9f, -1.0f, -1.1f};
  KMeansOptions options;
  options.numClusters = 4;
  options.keepZero = true;
  auto check = [&](const KMeansResult<float> &result) {
    ASSERT_EQ(result.centroids.size(), 4u);
    EXPECT_EQ(llvm::count(result.centroids, 0.0f), 1);
    EXPECT_NEAR(result.centroids.front(), -1.05f, 1e-6);
    EXPECT_NEAR(result.centroids.back(), 1.0f, 1e-6);
    auto nearest = cantFail(NearestEntry<float>::create(
        result.centroids, ZeroAssignment::Reserved));
    std::vector<uint8_t> indices(values.size());
    cantFail(nearest.assign(values, indices));
    std::vector<float> shared(values.size());
    cantFail(lookUpEntries<float>(indices, result.centroids,
                                  StridedSpan<float>(shared)));
    for (size_t i = 0; i < values.size(); ++i)
      EXPECT_EQ(shared[i] == 0.0f, values[i] == 0.0f) << i;
    EXPECT_EQ(result.weights[llvm::find(result.centroids, 0.0f) -
                             result.centroids.begin()],
              6.0);
  };
  check(cantFail(fitKMeansExact<float>(Span<float>(values), {}, options)));
  for (KMeansStart start : {KMeansStart::Linear, KMeansStart::Density}) {
    options.start = start;
    check(cantFail(fitKMeansLloyd<float>(Span<float>(values), {}, options)));
  }
}

TEST(KMeansTest, KeptZeroIsNotDuplicatedByAMeanOfZero) {
  std::vector<float> values = {0, -0.0f, -0.5f, 0.5f, 9, -9};
  KMeansOptions options;
  options.keepZero = true;
  options.numClusters = 4;
  auto result =
      cantFail(fitKMeansExact<float>(Span<float>(values), {}, options));
  // The mean of -0.5 and 0.5 gives way to the nearest value.
  EXPECT_EQ(result.centroids, (std::vector<float>{-9, 0, 0.5f, 9}));
  EXPECT_EQ(result.weights, (std::vector<double>{1, 2, 2, 1}));
  EXPECT_EQ(result.inertia, 1.0);
  options.numClusters = 1;
  EXPECT_TRUE(errorToBool(
      fitKMeansExact<float>(Span<float>(values), {}, options).takeError()));
  std::vector<float> zeros(5);
  result = cantFail(fitKMeansLloyd<float>(Span<float>(zeros), {}, options));
  EXPECT_EQ(result.centroids, std::vector<float>{0});
  EXPECT_EQ(result.weights, std::vector<double>{5});
  // Without zeros there is none to keep.
  std::vector<float> ones(5, 1.0f);
  result = cantFail(fitKMeansLloyd<float>(Span<float>(ones), {}, options));
  EXPECT_EQ(result.centroids, std::vector<float>{1});
}

TEST(KMeansTest, FewerValuesThanClusters) {
  std::vector<double> values = {3, 1, 3, 2, 1, 3};
  for (KMeansStart start :
       {KMeansStart::Linear, KMeansStart::Density, KMeansStart::PlusPlus}) {
    KMeansOptions options;
    options.numClusters = 8;
    options.start = start;
    auto result =
        cantFail(fitKMeansLloyd<double>(Span<double>(values), {}, options));
    EXPECT_EQ(result.centroids, (std::vector<double>{1, 2, 3}));
    EXPECT_EQ(result.weights, (std::vector<double>{2, 1, 3}));
    EXPECT_EQ(result.inertia, 0.0);
  }
  EXPECT_EQ(fitExact<double>(values, 5).centroids,
            (std::vector<double>{1, 2, 3}));
}

/// A start far from all data: every cluster but the outer ones is empty.
TEST(KMeansTest, EmptyClustersRestart) {
  std::vector<float> values(2000);
  std::mt19937 random(2);
  for (float &value : values)
    value = random() / 4294967296.0f;
  values.push_back(1000.0f);
  KMeansOptions options;
  options.numClusters = 8;
  options.maxIterations = 1000;
  auto result =
      cantFail(fitKMeansLloyd<float>(Span<float>(values), {}, options));
  EXPECT_EQ(result.centroids.size(), 8u);
  EXPECT_LE(result.inertia, fitExact<float>(values, 8).inertia * 1.5);
}

TEST(KMeansTest, WeightsCountAsRepetitions) {
  std::vector<double> values = {0, 1, 5, 6, 20}, weights = {3, 1, 2, 2, 1};
  std::vector<double> repeated;
  for (size_t i = 0; i < values.size(); ++i)
    repeated.insert(repeated.end(), size_t(weights[i]), values[i]);
  for (unsigned k = 1; k <= 4; ++k) {
    auto result = fitExact(values, k, weights);
    EXPECT_EQ(result.centroids, fitExact(repeated, k).centroids);
    EXPECT_EQ(result.weights, fitExact(repeated, k).weights);
    KMeansOptions options;
    options.numClusters = k;
    options.start = KMeansStart::Density;
    EXPECT_EQ(
        cantFail(fitKMeansLloyd<double>(Span<double>(values),
                                        Span<double>(weights), options))
            .centroids,
        cantFail(fitKMeansLloyd<double>(Span<double>(repeated), {}, options))
            .centroids);
  }
}

template <typename T>
void expectSameBits(const KMeansResult<T> &left, const KMeansResult<T> &right) {
  EXPECT_EQ(left.centroids, right.centroids);
  EXPECT_EQ(left.weights, right.weights);
  EXPECT_EQ(left.inertia, right.inertia);
  EXPECT_EQ(left.iterations, right.iterations);
}

template <typename T>
void checkThreadsAndProcessors() {
  std::mt19937 random(3);
  std::vector<T> values(300001);
  for (T &value : values)
    value = static_cast<T>(std::pow(random() / 4294967296.0 - 0.4, 3));
  llvm::StdThreadPool pool(llvm::hardware_concurrency(3));
  KMeansOptions options;
  options.numClusters = 13;
  options.maxIterations = 7;
  Span<T> span(values);
  for (KMeansStart start : {KMeansStart::Linear, KMeansStart::PlusPlus}) {
    options.start = start;
    options.seed = 9;
    auto expected = cantFail(fitKMeansLloyd<T>(span, {}, options));
    expectSameBits(expected,
                   cantFail(fitKMeansLloyd<T>(span, {}, options, &pool)));
    for (InstructionSet set :
         {InstructionSet::Portable, InstructionSet::AVX2}) {
      limitInstructionSet(set);
      expectSameBits(expected,
                     cantFail(fitKMeansLloyd<T>(span, {}, options, &pool)));
    }
    limitInstructionSet(InstructionSet::AVX512);
  }
  options.numClusters = 6;
  expectSameBits(cantFail(fitKMeansExact<T>(span, {}, options)),
                 cantFail(fitKMeansExact<T>(span, {}, options, &pool)));
  // Reversed by a stride: other sums, the same clusters up to rounding.
  Span<T> reversed(values.data() + values.size() - 1, values.size(), -1);
  options.start = KMeansStart::Linear;
  auto forward = cantFail(fitKMeansLloyd<T>(span, {}, options));
  auto backward = cantFail(fitKMeansLloyd<T>(reversed, {}, options));
  for (size_t i = 0; i < 6; ++i)
    EXPECT_NEAR(forward.centroids[i], backward.centroids[i], 1e-5);
}

TEST(KMeansTest, ThreadsAndProcessorsDoNotChangeBits) {
  checkThreadsAndProcessors<float>();
  checkThreadsAndProcessors<double>();
}

TEST(KMeansTest, SeedsMatterOnlyToPlusPlus) {
  std::vector<float> values(kLaplaceValues, std::end(kLaplaceValues));
  KMeansOptions options;
  options.numClusters = 16;
  options.start = KMeansStart::PlusPlus;
  auto fit = [&](uint64_t seed) {
    options.seed = seed;
    return cantFail(fitKMeansLloyd<float>(Span<float>(values), {}, options));
  };
  expectSameBits(fit(1), fit(1));
  EXPECT_NE(fit(1).centroids, fit(2).centroids);
}

TEST(KMeansTest, IterationStopsAtTheLimitOrTheTolerance) {
  std::vector<float> values(kGaussianValues, std::end(kGaussianValues));
  KMeansOptions options;
  options.maxIterations = 2;
  for (KMeansStart start : {KMeansStart::Linear, KMeansStart::Density}) {
    options.start = start;
    options.maxIterations = 2;
    options.tolerance = 0.0;
    auto result =
        cantFail(fitKMeansLloyd<float>(Span<float>(values), {}, options));
    EXPECT_EQ(result.iterations, 2u);
    EXPECT_FALSE(result.converged);
    options.maxIterations = 1000;
    auto full =
        cantFail(fitKMeansLloyd<float>(Span<float>(values), {}, options));
    options.tolerance = 1e-3;
    auto early =
        cantFail(fitKMeansLloyd<float>(Span<float>(values), {}, options));
    EXPECT_TRUE(early.converged);
    EXPECT_LT(early.iterations, full.iterations);
    EXPECT_GE(early.inertia, full.inertia);
  }
}

TEST(KMeansTest, RefusesBadInput) {
  float nan = std::numeric_limits<float>::quiet_NaN();
  float inf = std::numeric_limits<float>::infinity();
  auto fails = [](std::vector<float> values, std::vector<float> weights,
                  KMeansOptions options) {
    Span<float> v(values), w(weights);
    bool exact = errorToBool(fitKMeansExact<float>(v, w, options).takeError());
    bool lloyd = errorToBool(fitKMeansLloyd<float>(v, w, options).takeError());
    EXPECT_EQ(exact, lloyd);
    return exact;
  };
  KMeansOptions good, bad;
  EXPECT_FALSE(fails({1, 2}, {}, good));
  EXPECT_TRUE(fails({}, {}, good));
  EXPECT_TRUE(fails({1, nan}, {}, good));
  EXPECT_TRUE(fails({1, inf}, {}, good));
  EXPECT_TRUE(fails({1, 2}, {1}, good));
  EXPECT_TRUE(fails({1, 2}, {1, -1}, good));
  EXPECT_TRUE(fails({1, 2}, {1, nan}, good));
  EXPECT_TRUE(fails({1, 2}, {0, 0}, good));
  EXPECT_TRUE(fails({1, 2}, {inf, 0}, good));
  bad.numClusters = 0;
  EXPECT_TRUE(fails({1, 2}, {}, bad));
  bad = good;
  bad.maxIterations = 0;
  EXPECT_TRUE(fails({1, 2}, {}, bad));
  bad = good;
  bad.tolerance = nan;
  EXPECT_TRUE(fails({1, 2}, {}, bad));
  std::vector<double> huge = {1e200, 0};
  EXPECT_TRUE(errorToBool(
      fitKMeansExact<double>(Span<double>(huge), {}, good).takeError()));
}

} // namespace
