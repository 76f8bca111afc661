//===- CPTest.cpp - Canonical polyadic decomposition ----------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/CP.h"
#include "MatrixTesting.h"

#include "llvm/Support/ThreadPool.h"

#include <limits>

using namespace compress::numerics;
using namespace compress::numerics::testing;

namespace {

template <typename T>
TensorRef<const T> constRef(const Tensor<T> &tensor) {
  return tensor.ref();
}

/// sum_r of outer products of the columns, by the definition.
Tensor<double> sumOfOuter(llvm::ArrayRef<Matrix<double>> factors) {
  llvm::SmallVector<int64_t, 4> sizes;
  for (const Matrix<double> &factor : factors)
    sizes.push_back(factor.rows());
  Tensor<double> result(sizes);
  for (size_t i = 0; i < result.elements().size(); ++i) {
    for (int64_t r = 0; r < factors[0].columns(); ++r) {
      double product = 1;
      size_t rest = i;
      for (size_t k = factors.size(); k-- > 0;) {
        product *= factors[k](rest % sizes[k], r);
        rest /= sizes[k];
      }
      result.elements()[i] += product;
    }
  }
  return result;
}

Tensor<double> plant(llvm::ArrayRef<int64_t> sizes, int64_t rank,
                     unsigned seed) {
  std::vector<Matrix<double>> factors;
  for (int64_t size : sizes)
    factors.push_back(randomMatrix<double>(size, rank, seed++));
  return sumOfOuter(factors);
}

double errorOf(const CP<double> &cp, const Tensor<double> &tensor) {
  std::vector<Matrix<double>> factors = cp.factors;
  for (int64_t i = 0; i < factors[0].rows(); ++i)
    for (int64_t r = 0; r < factors[0].columns(); ++r)
      factors[0](i, r) *= cp.weights[r];
  const Tensor<double> back = sumOfOuter(factors);
  return distance(back.elements(), tensor.elements()) / norm(tensor.elements());
}

TEST(CPTest, RecoversPlantedComponents) {
  for (unsigned seed : {1u, 20u, 300u})
    for (bool svd : {true, false}) {
      Tensor<double> tensor = plant({10, 9, 8}, 4, seed);
      CPOptions options;
      options.startFromSvd = svd;
      options.maxIterations = 2000;
      options.tolerance = 1e-11;
      CP<double> cp = take(decomposeCP(constRef(tensor), 4, options));
      EXPECT_LT(cp.relativeError, 1e-5) << "seed " << seed << " svd " << svd;
      EXPECT_NEAR(errorOf(cp, tensor), cp.relativeError, 1e-9);
      EXPECT_FALSE(cp.isDegenerate);
      for (size_t r = 1; r < cp.weights.size(); ++r)
        EXPECT_LE(cp.weights[r], cp.weights[r - 1]);
    }
}

TEST(CPTest, ConvolutionKernelAndMatrix) {
  Tensor<double> kernel = plant({24, 16, 3, 3}, 5, 40);
  CPOptions options;
  options.maxIterations = 1000;
  options.tolerance = 1e-11;
  CP<double> cp = take(decomposeCP(constRef(kernel), 5, options));
  EXPECT_LT(cp.relativeError, 1e-5);
  // A matrix: the best sum of rank-one terms is the truncated SVD.
  Tensor<double> matrix = randomTensor<double>({12, 7}, 3);
  EXPECT_LT(take(decomposeCP(constRef(matrix), 7, options)).relativeError,
            1e-6);
}

TEST(CPTest, ErrorFallsWithRankAndIterations) {
  Tensor<double> tensor = randomTensor<double>({7, 8, 9}, 5);
  double last = 1;
  for (int64_t rank : {1, 3, 6, 12, 24}) {
    double error = take(decomposeCP(constRef(tensor), rank)).relativeError;
    EXPECT_LT(error, last);
    last = error;
  }
  CPOptions options;
  options.lineSearch = false;
  options.regularization = 0;
  options.tolerance = 0;
  last = 1;
  for (int iterations : {1, 2, 4, 8, 16}) {
    options.maxIterations = iterations;
    CP<double> cp = take(decomposeCP(constRef(tensor), 4, options));
    EXPECT_EQ(cp.iterations, iterations);
    EXPECT_LE(cp.relativeError, last + 1e-12);
    last = cp.relativeError;
  }
}

TEST(CPTest, LineSearchNeedsFewerIterations) {
  // Nearly collinear components make plain iteration slow.
  std::vector<Matrix<double>> factors;
  for (unsigned k = 0; k < 3; ++k) {
    Matrix<double> factor = randomMatrix<double>(10, 3, 60 + k);
    for (int64_t i = 0; i < 10; ++i)
      for (int64_t r = 1; r < 3; ++r)
        factor(i, r) = factor(i, 0) + 0.5 * factor(i, r);
    factors.push_back(factor);
  }
  Tensor<double> tensor = sumOfOuter(factors);
  CPOptions options;
  options.maxIterations = 5000;
  CP<double> fast = take(decomposeCP(constRef(tensor), 3, options));
  options.lineSearch = false;
  CP<double> slow = take(decomposeCP(constRef(tensor), 3, options));
  EXPECT_TRUE(fast.converged);
  EXPECT_LT(fast.iterations, slow.iterations);
}

TEST(CPTest, DegenerateTensorIsReported) {
  // a b b + b a b + b b a has rank 3, but is a limit of tensors of rank 2
  // whose components grow without bound (de Silva and Lim 2008).
  Tensor<double> tensor({4, 4, 4});
  auto at = [&](int i, int j, int k) -> double & {
    return tensor.elements()[(i * 4 + j) * 4 + k];
  };
  at(0, 1, 1) = at(1, 0, 1) = at(1, 1, 0) = 1;
  CPOptions options;
  options.maxIterations = 2000;
  options.tolerance = 0;
  options.regularization = 1e-12;
  options.startFromSvd = false;
  options.seed = 3;
  CP<double> cp = take(decomposeCP(constRef(tensor), 2, options));
  EXPECT_TRUE(cp.isDegenerate)
      << cp.smallestCongruence << " " << cp.energyRatio;
  EXPECT_LT(cp.relativeError, 0.2);
  // Damping bounds the components.
  options.regularization = 1e-2;
  CP<double> damped = take(decomposeCP(constRef(tensor), 2, options));
  EXPECT_LT(damped.energyRatio, cp.energyRatio);
}

TEST(CPTest, RankOneZeroTinyAndBadInput) {
  Tensor<double> one = plant({8, 8, 8}, 1, 9);
  CP<double> cp = take(decomposeCP(constRef(one), 4));
  EXPECT_LT(errorOf(cp, one), 1e-5);
  for (const Matrix<double> &factor : cp.factors)
    EXPECT_TRUE(allFinite(factor.elements()));
  Tensor<float> tiny = randomTensor<float>({8, 8, 8}, 2);
  for (float &value : tiny.elements())
    value *= 1e-20f;
  CP<float> small = take(decomposeCP(constRef(tiny), 6));
  EXPECT_TRUE(allFinite(llvm::ArrayRef<float>(small.weights)));
  EXPECT_LT(small.relativeError, 1);
  Tensor<float> zero({3, 4, 5});
  small = take(decomposeCP(constRef(zero), 2));
  EXPECT_EQ(small.weights, std::vector<float>(2, 0.0f));
  EXPECT_EQ(norm(take(reconstruct(small)).elements()), 0);

  Tensor<float> bad = randomTensor<float>({8, 8, 8}, 3);
  bad.elements()[5] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NE(messageOf(decomposeCP(constRef(bad), 2)).find("element 5"),
            std::string::npos);
  EXPECT_NE(messageOf(decomposeCP(constRef(tiny), 0)).find("rank"),
            std::string::npos);
  Tensor<float> vector({4});
  EXPECT_NE(messageOf(decomposeCP(constRef(vector), 1)).find("rank 2"),
            std::string::npos);
}

TEST(CPTest, ThreadsDoNotChangeBitsAndSeedsRepeat) {
  Tensor<double> tensor = randomTensor<double>({60, 50, 3, 3}, 12);
  CPOptions options;
  options.maxIterations = 5;
  options.startFromSvd = false;
  options.seed = 42;
  llvm::DefaultThreadPool pool(llvm::hardware_concurrency(3));
  CP<double> one = take(decomposeCP(constRef(tensor), 20, options));
  CP<double> three = take(decomposeCP(constRef(tensor), 20, options, &pool));
  EXPECT_EQ(one.weights, three.weights);
  EXPECT_EQ(one.factors[0].elements(), three.factors[0].elements());
  options.seed = 43;
  EXPECT_NE(take(decomposeCP(constRef(tensor), 20, options)).weights,
            one.weights);
}

} // namespace
