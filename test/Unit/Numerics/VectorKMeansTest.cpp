//===- VectorKMeansTest.cpp - Codebooks of short vectors ------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/VectorKMeans.h"

#include "compress/Numerics/InstructionSet.h"
#include "compress/Numerics/KMeans.h"
#include "llvm/Support/ThreadPool.h"
#include "gtest/gtest.h"

#include <cmath>
#include <limits>
#include <random>

using namespace compress::numerics;
using llvm::cantFail;
using llvm::errorToBool;

namespace {

template <typename T>
double getDistance(MatrixRef<const T> vectors, int64_t row,
                   MatrixRef<const T> centroids, int64_t centroid) {
  double sum = 0;
  for (int64_t column = 0; column < vectors.columns; ++column)
    sum +=
        std::pow(double(vectors(row, column)) - centroids(centroid, column), 2);
  return sum;
}

template <typename T>
MatrixRef<const T> getRef(const Matrix<T> &matrix) {
  return {matrix.data(), matrix.rows(), matrix.columns()};
}

/// Vectors around `numCenters` well separated grid points.
template <typename T>
std::vector<T> makeClusters(int64_t rows, int64_t columns, int numCenters,
                            unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> data(rows * columns);
  for (int64_t row = 0; row < rows; ++row) {
    int center = random() % numCenters;
    for (int64_t column = 0; column < columns; ++column)
      data[row * columns + column] =
          10 * (center >> column & 1) + random() / 4294967296.0 - 0.5;
  }
  return data;
}

TEST(VectorKMeansTest, FindsPlantedClusters) {
  std::vector<float> data = makeClusters<float>(5000, 3, 8, 1);
  MatrixRef<const float> vectors(data.data(), 5000, 3);
  VectorKMeansOptions options;
  options.numClusters = 8;
  double best = std::numeric_limits<double>::infinity();
  for (options.seed = 0; options.seed < 5; ++options.seed) {
    auto result = cantFail(fitVectorKMeans<float>(vectors, {}, options));
    EXPECT_TRUE(result.converged);
    EXPECT_EQ(result.centroids.rows(), 8);
    double inertia = 0, weight = 0;
    for (int64_t row = 0; row < 5000; ++row) {
      double own = getDistance(vectors, row, getRef(result.centroids),
                               result.indices[row]);
      inertia += own;
      for (int64_t c = 0; c < 8; ++c)
        ASSERT_LE(own, getDistance(vectors, row, getRef(result.centroids), c) +
                           1e-4);
    }
    for (double part : result.weights)
      weight += part;
    EXPECT_EQ(weight, 5000);
    EXPECT_NEAR(result.inertia, inertia, 1e-3 * inertia);
    best = std::min(best, result.inertia);
  }
  // Each column has the variance 1/12 of a uniform distribution.
  EXPECT_NEAR(best, 5000 * 3 / 12.0, 100);
}

TEST(VectorKMeansTest, OneColumnIsNotBetterThanTheOptimum) {
  std::vector<double> data = makeClusters<double>(300, 1, 2, 2);
  VectorKMeansOptions options;
  options.numClusters = 5;
  KMeansOptions exactOptions;
  exactOptions.numClusters = 5;
  double optimum =
      cantFail(fitKMeansExact<double>(StridedSpan<const double>(data), {},
                                      exactOptions))
          .inertia;
  double best = std::numeric_limits<double>::infinity();
  for (options.seed = 0; options.seed < 20; ++options.seed)
    best = std::min(best, cantFail(fitVectorKMeans<double>(
                                       {data.data(), 300, 1}, {}, options))
                              .inertia);
  EXPECT_GE(best, optimum * (1 - 1e-12));
  EXPECT_LE(best, optimum * 1.05);
}

template <typename T>
void checkThreadsAndProcessors() {
  std::vector<T> data = makeClusters<T>(20000, 4, 16, 3);
  // A transposed view.
  std::vector<T> transposed(data.size());
  for (int64_t row = 0; row < 20000; ++row)
    for (int64_t column = 0; column < 4; ++column)
      transposed[column * 20000 + row] = data[row * 4 + column];
  MatrixRef<const T> vectors(data.data(), 20000, 4);
  MatrixRef<const T> view(transposed.data(), 20000, 4, 1, 20000);
  VectorKMeansOptions options;
  options.numClusters = 37;
  options.maxIterations = 5;
  options.seed = 4;
  auto expected = cantFail(fitVectorKMeans<T>(vectors, {}, options));
  llvm::StdThreadPool pool(llvm::hardware_concurrency(3));
  for (InstructionSet set : {InstructionSet::AVX512, InstructionSet::AVX2,
                             InstructionSet::Portable}) {
    limitInstructionSet(set);
    auto result = cantFail(fitVectorKMeans<T>(view, {}, options, &pool));
    EXPECT_EQ(result.indices, expected.indices);
    EXPECT_EQ(result.weights, expected.weights);
    EXPECT_EQ(result.inertia, expected.inertia);
    for (int64_t c = 0; c < expected.centroids.rows(); ++c)
      for (int64_t column = 0; column < 4; ++column)
        ASSERT_EQ(result.centroids(c, column), expected.centroids(c, column));
  }
  limitInstructionSet(InstructionSet::AVX512);
  std::vector<int32_t> indices(20000);
  ASSERT_FALSE(errorToBool(
      assignVectors<T>(vectors, getRef(expected.centroids), indices)));
  EXPECT_EQ(indices, expected.indices);
}

TEST(VectorKMeansTest, ThreadsProcessorsAndStridesDoNotChangeBits) {
  checkThreadsAndProcessors<float>();
  checkThreadsAndProcessors<double>();
}

TEST(VectorKMeansTest, FewerVectorsThanClusters) {
  std::vector<float> data = {1, 2, 3, 4, 1, 2, 5, 6};
  VectorKMeansOptions options;
  options.numClusters = 10;
  auto result =
      cantFail(fitVectorKMeans<float>({data.data(), 4, 2}, {}, options));
  EXPECT_EQ(result.centroids.rows(), 3);
  EXPECT_EQ(result.inertia, 0.0);
  EXPECT_EQ(result.indices[0], result.indices[2]);
}

TEST(VectorKMeansTest, WeightsCountAsRepetitions) {
  // One cluster: the weighted mean. No weight: no influence.
  std::vector<double> data = {0, 0, 4, 8, 100, 100}, weights = {1, 3, 0};
  VectorKMeansOptions options;
  options.numClusters = 1;
  auto result = cantFail(fitVectorKMeans<double>(
      {data.data(), 3, 2}, StridedSpan<const double>(weights), options));
  EXPECT_EQ(result.centroids(0, 0), 3.0);
  EXPECT_EQ(result.centroids(0, 1), 6.0);
  EXPECT_EQ(result.weights, std::vector<double>{4.0});
  EXPECT_EQ(result.inertia, 9.0 + 36.0 + 3 * (1.0 + 4.0));
}

TEST(VectorKMeansTest, TiesGoToTheLowerIndexAndNaNToTheFirst) {
  float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> centroids = {1, 1, -1, -1, 1, 1};
  std::vector<float> vectors = {0, 0, 1, 1, nan, 1};
  std::vector<int32_t> indices(3);
  ASSERT_FALSE(errorToBool(assignVectors<float>(
      {vectors.data(), 3, 2}, {centroids.data(), 3, 2}, indices)));
  EXPECT_EQ(indices, (std::vector<int32_t>{0, 0, 0}));
}

TEST(VectorKMeansTest, RefusesBadInput) {
  auto fails = [](std::vector<float> data, int64_t rows, int64_t columns,
                  std::vector<float> weights, VectorKMeansOptions options) {
    return errorToBool(fitVectorKMeans<float>({data.data(), rows, columns},
                                              StridedSpan<const float>(weights),
                                              options)
                           .takeError());
  };
  float nan = std::numeric_limits<float>::quiet_NaN();
  VectorKMeansOptions good, bad;
  EXPECT_FALSE(fails({1, 2, 3, 4}, 2, 2, {}, good));
  EXPECT_TRUE(fails({}, 0, 2, {}, good));
  EXPECT_TRUE(fails({1}, 1, 0, {}, good));
  EXPECT_TRUE(fails({1, nan, 3, 4}, 2, 2, {}, good));
  EXPECT_TRUE(fails({1, 3e38f, 3, 4}, 2, 2, {}, good));
  EXPECT_TRUE(fails({1, 2, 3, 4}, 2, 2, {1}, good));
  EXPECT_TRUE(fails({1, 2, 3, 4}, 2, 2, {1, -1}, good));
  EXPECT_TRUE(fails({1, 2, 3, 4}, 2, 2, {0, 0}, good));
  bad.numClusters = 0;
  EXPECT_TRUE(fails({1, 2, 3, 4}, 2, 2, {}, bad));
  bad = good;
  bad.maxIterations = 0;
  EXPECT_TRUE(fails({1, 2, 3, 4}, 2, 2, {}, bad));
  bad = good;
  bad.tolerance = nan;
  EXPECT_TRUE(fails({1, 2, 3, 4}, 2, 2, {}, bad));
  std::vector<float> data(6);
  std::vector<int32_t> indices(3);
  MatrixRef<const float> three(data.data(), 3, 2), wide(data.data(), 2, 3);
  EXPECT_TRUE(errorToBool(assignVectors<float>(three, wide, indices)));
  EXPECT_TRUE(
      errorToBool(assignVectors<float>(three, {data.data(), 0, 2}, indices)));
  indices.pop_back();
  EXPECT_TRUE(errorToBool(assignVectors<float>(three, three, indices)));
}

} // namespace
