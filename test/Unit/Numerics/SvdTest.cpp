//===- SvdTest.cpp - Truncated singular value decompositions --------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/Svd.h"
#include "MatrixTesting.h"

#include "llvm/Support/ThreadPool.h"

#include <limits>

using namespace compress::numerics;
using namespace compress::numerics::testing;

namespace {

/// Orthonormal columns by Gram-Schmidt on random ones.
Matrix<double> randomBasis(int64_t rows, int64_t columns, unsigned seed) {
  Matrix<double> q = randomMatrix<double>(rows, columns, seed);
  for (int pass = 0; pass < 2; ++pass)
    for (int64_t j = 0; j < columns; ++j) {
      for (int64_t k = 0; k < j; ++k) {
        double dot = 0;
        for (int64_t i = 0; i < rows; ++i)
          dot += q(i, j) * q(i, k);
        for (int64_t i = 0; i < rows; ++i)
          q(i, j) -= dot * q(i, k);
      }
      double sum = 0;
      for (int64_t i = 0; i < rows; ++i)
        sum += q(i, j) * q(i, j);
      for (int64_t i = 0; i < rows; ++i)
        q(i, j) /= std::sqrt(sum);
    }
  return q;
}

/// A matrix with these singular values.
template <typename T>
Matrix<T> withSpectrum(int64_t rows, int64_t columns,
                       llvm::ArrayRef<double> values, unsigned seed) {
  Matrix<double> u = randomBasis(rows, values.size(), seed);
  Matrix<double> v = randomBasis(columns, values.size(), seed + 1);
  Matrix<T> result(rows, columns);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      double sum = 0;
      for (size_t k = 0; k < values.size(); ++k)
        sum += u(i, k) * values[k] * v(j, k);
      result(i, j) = static_cast<T>(sum);
    }
  return result;
}

template <typename T>
double residual(const Svd<T> &svd, const Matrix<T> &matrix) {
  Matrix<T> back(matrix.rows(), matrix.columns());
  EXPECT_FALSE(llvm::errorToBool(reconstruct(svd, back.ref())));
  return distance(back.elements(), matrix.elements());
}

TEST(SvdTest, FindsAPlantedSpectrumOverManyMagnitudes) {
  std::vector<double> planted = {100,  30,   30,   1,     1e-2,
                                 1e-5, 1e-7, 1e-9, 1e-10, 1e-12};
  for (auto [rows, columns] : {std::pair(40, 70), std::pair(90, 30)}) {
    Matrix<double> a = withSpectrum<double>(rows, columns, planted, 5);
    Svd<double> svd = take(truncatedSvd(a.ref(), 10));
    ASSERT_EQ(svd.getRank(), 10);
    // The planted matrix itself is rounded at 1e-16 of 100.
    for (int k = 0; k < 10; ++k)
      EXPECT_NEAR(svd.values[k], planted[k], 2e-13);
    EXPECT_LT(orthogonalityError(svd.left), 1e-12);
    EXPECT_LT(orthogonalityError(svd.right), 1e-12);
    EXPECT_LT(residual(svd, a), 1e-12);
  }
}

TEST(SvdTest, ErrorEqualsTheTail) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    Matrix<float> a = randomMatrix<float>(60 + 30 * seed, 100, seed);
    int64_t full = std::min<int64_t>(a.rows(), a.columns());
    Svd<float> all = take(truncatedSvd(a.ref(), full));
    EXPECT_LT(residual(all, a), 1e-6 * norm(a.elements()));
    for (int64_t rank : {1, 7, 40}) {
      Svd<float> svd = take(truncatedSvd(a.ref(), rank));
      double tail = 0;
      for (int64_t k = rank; k < full; ++k)
        tail += all.values[k] * all.values[k];
      EXPECT_NEAR(residual(svd, a) / std::sqrt(tail), 1, 1e-5);
      double kept = 0;
      for (double value : svd.values)
        kept += value * value;
      EXPECT_NEAR(std::sqrt(svd.totalEnergy - kept) / std::sqrt(tail), 1, 1e-5);
    }
  }
}

TEST(SvdTest, ZeroAndLowRankInputGivesFiniteOrthonormalVectors) {
  Matrix<float> zero(6, 9);
  for (bool randomized : {false, true}) {
    RandomizedSvdOptions options;
    options.rank = 4;
    Svd<float> svd = take(randomized ? randomizedSvd(zero.ref(), options)
                                     : truncatedSvd(zero.ref(), 4));
    EXPECT_LT(orthogonalityError(svd.left), 1e-6);
    EXPECT_LT(orthogonalityError(svd.right), 1e-6);
    EXPECT_EQ(svd.values, std::vector<double>(4, 0.0));
  }
  Matrix<float> rank3 = withSpectrum<float>(50, 20, {3., 2., 1.}, 9);
  for (bool randomized : {false, true}) {
    RandomizedSvdOptions options;
    options.rank = 8;
    Svd<float> svd = take(randomized ? randomizedSvd(rank3.ref(), options)
                                     : truncatedSvd(rank3.ref(), 8));
    EXPECT_LT(orthogonalityError(svd.left), 1e-5);
    EXPECT_LT(orthogonalityError(svd.right), 1e-5);
    EXPECT_NEAR(svd.values[2], 1, 1e-5);
    EXPECT_LT(svd.values[3], 1e-5);
    EXPECT_LT(residual(svd, rank3), 1e-5);
  }
}

TEST(SvdTest, MagnitudeOfTheInputDoesNotMatter) {
  Matrix<float> a = randomMatrix<float>(30, 40, 3);
  RandomizedSvdOptions options;
  options.rank = 5;
  Svd<float> reference = take(truncatedSvd(a.ref(), 5));
  for (float scale : {1e-36f, 1e-20f, 1e30f, 1e37f}) {
    Matrix<float> b = a;
    for (float &value : b.elements())
      value *= scale;
    for (const Svd<float> &svd : {take(truncatedSvd(b.ref(), 5)),
                                  take(randomizedSvd(b.ref(), options))}) {
      EXPECT_TRUE(allFinite(llvm::ArrayRef<double>(svd.values)));
      EXPECT_NEAR(svd.values[0] / scale, reference.values[0], 1e-2);
      EXPECT_LT(orthogonalityError(svd.left), 1e-5);
    }
  }
}

TEST(SvdTest, RandomizedFindsAPlantedRank) {
  std::vector<double> planted;
  for (int k = 0; k < 12; ++k)
    planted.push_back(50 / (1.0 + k));
  Matrix<float> a = withSpectrum<float>(300, 220, planted, 21);
  Matrix<float> noise = randomMatrix<float>(300, 220, 22);
  for (int64_t i = 0; i < 300 * 220; ++i)
    a.elements()[i] += 1e-3f * noise.elements()[i];
  RandomizedSvdOptions options;
  options.rank = 12;
  options.seed = 7;
  Svd<float> svd = take(randomizedSvd(a.ref(), options));
  Svd<float> exact = take(truncatedSvd(a.ref(), 12));
  for (int k = 0; k < 12; ++k)
    EXPECT_NEAR(svd.values[k] / exact.values[k], 1, 1e-5);
  EXPECT_NEAR(residual(svd, a) / residual(exact, a), 1, 1e-4);
  EXPECT_LT(orthogonalityError(svd.left), 1e-5);
  EXPECT_LT(orthogonalityError(svd.right), 1e-5);
}

TEST(SvdTest, ThreadsAndStridesDoNotChangeBits) {
  Matrix<float> a = randomMatrix<float>(260, 190, 13);
  RandomizedSvdOptions options;
  options.rank = 10;
  Svd<float> one = take(randomizedSvd(a.ref(), options));
  llvm::StdThreadPool pool(llvm::hardware_concurrency(3));
  Svd<float> three = take(randomizedSvd(a.ref(), options, &pool));
  EXPECT_EQ(one.values, three.values);
  EXPECT_EQ(one.left.elements(), three.left.elements());
  EXPECT_EQ(one.right.elements(), three.right.elements());
  Svd<float> exact1 = take(truncatedSvd(a.ref(), 10));
  Svd<float> exact2 = take(truncatedSvd(a.ref(), 10, &pool));
  EXPECT_EQ(exact1.values, exact2.values);
  EXPECT_EQ(exact1.left.elements(), exact2.left.elements());

  // The same numbers as a transposed view of a padded buffer.
  std::vector<float> buffer(190 * 300);
  for (int64_t i = 0; i < 260; ++i)
    for (int64_t j = 0; j < 190; ++j)
      buffer[j * 300 + i] = a(i, j);
  MatrixRef<const float> view(buffer.data(), 260, 190, 1, 300);
  Svd<float> strided = take(truncatedSvd(view, 10));
  EXPECT_EQ(strided.values, exact1.values);
  EXPECT_EQ(strided.left.elements(), exact1.left.elements());
}

TEST(SvdTest, EvenSplitMultipliesBack) {
  Matrix<double> a = randomMatrix<double>(12, 8, 2);
  Svd<double> svd = take(truncatedSvd(a.ref(), 8));
  LowRankFactors<double> factors = splitEvenly(svd);
  Matrix<double> back =
      naiveProduct<double, double>(factors.first.ref(), factors.second.ref());
  EXPECT_LT(distance(back.elements(), a.elements()), 1e-13);
}

TEST(SvdTest, RefusesBadInput) {
  Matrix<float> a = randomMatrix<float>(5, 4, 1);
  EXPECT_NE(messageOf(truncatedSvd(a.ref(), 0)).find("[1, 4]"),
            std::string::npos);
  EXPECT_NE(messageOf(truncatedSvd(a.ref(), 5)).find("[1, 4]"),
            std::string::npos);
  EXPECT_NE(messageOf(truncatedSvd(MatrixRef<const float>(), 1)).find("0x0"),
            std::string::npos);
  RandomizedSvdOptions options;
  options.oversampling = -1;
  EXPECT_NE(messageOf(randomizedSvd(a.ref(), options)).find("oversampling"),
            std::string::npos);
  options.oversampling = 4;
  for (float bad : {std::numeric_limits<float>::quiet_NaN(),
                    -std::numeric_limits<float>::infinity()}) {
    a(3, 2) = bad;
    EXPECT_NE(messageOf(truncatedSvd(a.ref(), 2)).find("(3, 2)"),
              std::string::npos);
    EXPECT_NE(messageOf(randomizedSvd(a.ref(), options)).find("(3, 2)"),
              std::string::npos);
  }
}

} // namespace
