//===- TuckerTest.cpp - Tucker decompositions -----------------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/Tucker.h"
#include "MatrixTesting.h"
#include "compress/Numerics/InstructionSet.h"
#include "compress/Numerics/Unfold.h"

#include "llvm/Support/ThreadPool.h"

#include <limits>

using namespace compress::numerics;
using namespace compress::numerics::testing;

namespace {

template <typename T>
TensorRef<const T> constRef(const Tensor<T> &tensor) {
  return tensor.ref();
}

/// A tensor of exact multilinear rank `ranks`, built by the definition.
template <typename T>
Tensor<T> plant(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> ranks,
                unsigned seed) {
  Tensor<double> result = randomTensor<double>(ranks, seed);
  for (unsigned k = 0; k < sizes.size(); ++k) {
    Matrix<double> factor = randomMatrix<double>(sizes[k], ranks[k], seed + k);
    result = take(modeProduct(constRef(result), k, factor.ref()));
  }
  Tensor<T> converted(sizes);
  for (size_t i = 0; i < result.elements().size(); ++i)
    converted.elements()[i] = static_cast<T>(result.elements()[i]);
  return converted;
}

template <typename T>
double relativeError(const Tucker<T> &tucker, const Tensor<T> &tensor) {
  const Tensor<T> back = take(reconstruct(tucker));
  return distance(back.elements(), tensor.elements()) / norm(tensor.elements());
}

TEST(UnfoldTest, FollowsTheDefinitionAndFoldsBack) {
  // [[0 1 2] [3 4 5]] [[6 7 8] [9 10 11]] as 2x2x3.
  Tensor<float> tensor({2, 2, 3});
  for (int i = 0; i < 12; ++i)
    tensor.elements()[i] = i;
  Matrix<float> middle(2, 6);
  ASSERT_FALSE(llvm::errorToBool(unfold(constRef(tensor), 1, middle.ref())));
  EXPECT_EQ(middle.elements(),
            llvm::ArrayRef<float>({0, 1, 2, 6, 7, 8, 3, 4, 5, 9, 10, 11}));
  for (unsigned mode = 0; mode < 3; ++mode) {
    int64_t size = tensor.size(mode);
    Matrix<float> matrix(size, 12 / size);
    ASSERT_FALSE(
        llvm::errorToBool(unfold(constRef(tensor), mode, matrix.ref())));
    Tensor<float> back({2, 2, 3});
    ASSERT_FALSE(llvm::errorToBool(
        fold(MatrixRef<const float>(matrix.ref()), mode, back.ref())));
    EXPECT_EQ(back.elements(), tensor.elements());
  }
  Matrix<float> wrong(3, 3);
  EXPECT_TRUE(llvm::errorToBool(unfold(constRef(tensor), 0, wrong.ref())));
  EXPECT_TRUE(llvm::errorToBool(unfold(constRef(tensor), 3, wrong.ref())));
}

TEST(UnfoldTest, PermutesStridedTensors) {
  // A 3x4x5 view of a 5x3x4 buffer with padding in the middle.
  std::vector<double> buffer(5 * 6 * 4);
  for (size_t i = 0; i < buffer.size(); ++i)
    buffer[i] = i;
  TensorRef<const double> view(buffer.data(), {3, 4, 5}, {8, 1, 24});
  for (std::vector<unsigned> order :
       {std::vector<unsigned>{0, 1, 2}, {2, 0, 1}, {1, 2, 0}, {2, 1, 0}}) {
    Tensor<double> result = take(permute(view, order));
    int64_t position = 0;
    int64_t index[3];
    for (index[0] = 0; index[0] < result.size(0); ++index[0])
      for (index[1] = 0; index[1] < result.size(1); ++index[1])
        for (index[2] = 0; index[2] < result.size(2); ++index[2]) {
          int64_t offset = 0;
          for (int k = 0; k < 3; ++k)
            offset += index[k] * view.strides[order[k]];
          EXPECT_EQ(result.elements()[position++], buffer[offset]);
        }
  }
  EXPECT_NE(messageOf(permute(view, {0, 1, 1})).find("permutation"),
            std::string::npos);
}

TEST(UnfoldTest, ModeProductFollowsTheDefinition) {
  Tensor<double> tensor = randomTensor<double>({3, 4, 5}, 1);
  for (unsigned mode = 0; mode < 3; ++mode) {
    Matrix<double> matrix = randomMatrix<double>(2, tensor.size(mode), 2);
    Tensor<double> result =
        take(modeProduct(constRef(tensor), mode, matrix.ref()));
    Matrix<double> unfolded(tensor.size(mode), 60 / tensor.size(mode));
    ASSERT_FALSE(
        llvm::errorToBool(unfold(constRef(tensor), mode, unfolded.ref())));
    Matrix<double> expected =
        naiveProduct<double, double>(matrix.ref(), unfolded.ref());
    Matrix<double> actual(2, 60 / tensor.size(mode));
    ASSERT_FALSE(
        llvm::errorToBool(unfold(constRef(result), mode, actual.ref())));
    EXPECT_LT(distance(actual.elements(), expected.elements()), 1e-13);
  }
}

TEST(UnfoldTest, ProductsAreRightOnEveryInstructionSet) {
  // Shapes around the tiles and blocks, whole, transposed and strided; small
  // integers, whose sums are exact.
  std::mt19937 random(11);
  for (InstructionSet limit : {InstructionSet::Portable, InstructionSet::AVX2,
                               InstructionSet::AVX512}) {
    limitInstructionSet(limit);
    for (int trial = 0; trial < 60; ++trial) {
      const int64_t m = 1 + random() % 100, k = 1 + random() % 80;
      const int64_t n = 1 + random() % (trial % 4 ? 110 : 1100);
      const int64_t depth = trial % 10 ? k : k + 512;
      std::vector<float> left((m + 3) * (depth + 2)), right(depth * n);
      for (float &value : left)
        value = static_cast<int>(random() % 9) - 4;
      for (float &value : right)
        value = static_cast<int>(random() % 9) - 4;
      const MatrixRef<const float> a =
          trial % 2
              ? MatrixRef<const float>(left.data(), m, depth, depth + 2, 1)
              : MatrixRef<const float>(left.data(), m, depth, 1, m + 3);
      // Mode 0 multiplies a matrix whose rows are contiguous, mode 1 one whose
      // columns are.
      const bool last = trial % 3 == 0;
      const int64_t sizes[] = {last ? n : depth, last ? depth : n};
      TensorRef<const float> b(right.data(), sizes);
      const Tensor<float> product = take(modeProduct(b, last, a));
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
          double sum = 0;
          for (int64_t p = 0; p < depth; ++p)
            sum += double(a(i, p)) * right[last ? j * depth + p : p * n + j];
          ASSERT_EQ(product.elements()[last ? j * m + i : i * n + j], sum)
              << m << "x" << n << "x" << depth << " trial " << trial;
        }
    }
    Tensor<double> tensor = plant<double>({30, 40, 20}, {4, 3, 2}, 6);
    EXPECT_LT(take(decomposeTucker(constRef(tensor), {4, 3, 2})).relativeError,
              1e-12);
  }
  limitInstructionSet(InstructionSet::AVX512);
}

TEST(TuckerTest, RecoversPlantedRanks) {
  Tensor<double> tensor = plant<double>({12, 15, 9}, {3, 4, 2}, 5);
  Tucker<double> exact = take(decomposeTucker(constRef(tensor), {3, 4, 2}));
  EXPECT_LT(exact.relativeError, 1e-12);
  EXPECT_LT(relativeError(exact, tensor), 1e-12);
  for (const Matrix<double> &factor : exact.factors)
    EXPECT_LT(orthogonalityError(factor), 1e-12);
  Tucker<double> less = take(decomposeTucker(constRef(tensor), {3, 3, 2}));
  EXPECT_GT(less.relativeError, 1e-3);
  EXPECT_NEAR(less.relativeError, relativeError(less, tensor), 1e-9);
}

TEST(TuckerTest, PlantedConvolutionKernelAndItsRanks) {
  // 48 x 40 x 3 x 3 of channel ranks 6 and 5, with 1 % of noise.
  Tensor<float> kernel = plant<float>({48, 40, 3, 3}, {6, 5, 3, 3}, 7);
  Tensor<float> noise = randomTensor<float>({48, 40, 3, 3}, 8);
  const double scale = 0.01 * norm(kernel.elements()) / norm(noise.elements());
  for (size_t i = 0; i < kernel.elements().size(); ++i)
    kernel.elements()[i] += scale * noise.elements()[i];
  llvm::SmallVector<int64_t, 4> ranks =
      take(chooseTuckerRanks(constRef(kernel), {0, 1}));
  EXPECT_EQ(ranks, (llvm::SmallVector<int64_t, 4>{6, 5, 0, 0}));
  Tucker<float> tucker = take(decomposeTucker(constRef(kernel), ranks));
  EXPECT_LT(tucker.relativeError, 0.0101);
  EXPECT_EQ(tucker.core.sizes(), llvm::ArrayRef<int64_t>({6, 5, 3, 3}));
  EXPECT_EQ(tucker.factors[2].rows(), 0);
}

TEST(TuckerTest, IterationImprovesOnTheHigherOrderSvd) {
  Tensor<double> tensor = randomTensor<double>({10, 11, 12}, 3);
  TuckerOptions options;
  options.maxSweeps = 0;
  double last =
      take(decomposeTucker(constRef(tensor), {3, 3, 3}, options)).relativeError;
  options.tolerance = 0;
  const double hosvd = last;
  for (int sweeps : {1, 2, 4, 8}) {
    options.maxSweeps = sweeps;
    Tucker<double> tucker =
        take(decomposeTucker(constRef(tensor), {3, 3, 3}, options));
    EXPECT_EQ(tucker.sweeps, sweeps);
    EXPECT_LE(tucker.relativeError, last + 1e-12);
    last = tucker.relativeError;
  }
  EXPECT_LT(last, hosvd - 1e-4);
}

TEST(TuckerTest, FullRankIsExact) {
  Tensor<float> kernel = randomTensor<float>({6, 4, 3, 3}, 1);
  Tucker<float> tucker = take(decomposeTucker(constRef(kernel), {6, 4, 0, 0}));
  EXPECT_LT(relativeError(tucker, kernel), 1e-6);
  EXPECT_LT(tucker.relativeError, 1e-6);
}

TEST(TuckerTest, LargeTensorsInSinglePrecision) {
  Tensor<float> kernel = plant<float>({200, 180, 3, 3}, {12, 9, 3, 3}, 17);
  Tucker<float> tucker = take(decomposeTucker(constRef(kernel), {12, 9, 0, 0}));
  EXPECT_LT(tucker.relativeError, 1e-5);
  EXPECT_LT(relativeError(tucker, kernel), 1e-5);
  EXPECT_LT(orthogonalityError(tucker.factors[0]), 1e-5);
  Tensor<float> empty({300, 300, 3});
  tucker = take(decomposeTucker(constRef(empty), {4, 4, 0}));
  EXPECT_EQ(tucker.relativeError, 0);
  EXPECT_LT(orthogonalityError(tucker.factors[1]), 1e-5);
}

TEST(TuckerTest, TinyNaNAndRankOneTensors) {
  Tensor<float> tiny = randomTensor<float>({8, 8, 8}, 2);
  for (float &value : tiny.elements())
    value *= 1e-20f;
  Tucker<float> tucker = take(decomposeTucker(constRef(tiny), {8, 8, 8}));
  EXPECT_TRUE(allFinite(llvm::ArrayRef<float>(tucker.core.elements())));
  for (const Matrix<float> &factor : tucker.factors)
    EXPECT_TRUE(allFinite(factor.elements()));
  EXPECT_LT(relativeError(tucker, tiny), 1e-6);

  Tensor<float> bad = randomTensor<float>({8, 8, 8}, 3);
  bad.elements()[77] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NE(
      messageOf(decomposeTucker(constRef(bad), {4, 4, 4})).find("element 77"),
      std::string::npos);

  Tensor<float> rank1 = plant<float>({8, 8, 8}, {1, 1, 1}, 4);
  tucker = take(decomposeTucker(constRef(rank1), {4, 4, 4}));
  EXPECT_TRUE(allFinite(llvm::ArrayRef<float>(tucker.core.elements())));
  EXPECT_LT(relativeError(tucker, rank1), 1e-5);
  for (const Matrix<float> &factor : tucker.factors)
    EXPECT_LT(orthogonalityError(factor), 1e-5);
}

TEST(TuckerTest, ThreadsDoNotChangeBits) {
  Tensor<float> kernel = randomTensor<float>({120, 100, 3, 3}, 9);
  llvm::DefaultThreadPool pool(llvm::hardware_concurrency(3));
  Tucker<float> one = take(decomposeTucker(constRef(kernel), {20, 16, 0, 0}));
  Tucker<float> three =
      take(decomposeTucker(constRef(kernel), {20, 16, 0, 0}, {}, &pool));
  EXPECT_EQ(one.core.elements(), three.core.elements());
  EXPECT_EQ(one.factors[0].elements(), three.factors[0].elements());
  EXPECT_EQ(one.relativeError, three.relativeError);
}

TEST(TuckerTest, RefusesBadRanks) {
  Tensor<float> tensor = randomTensor<float>({4, 5}, 1);
  for (std::vector<int64_t> ranks :
       {std::vector<int64_t>{5, 1}, {-1, 2}, {0, 0}, {1}, {1, 1, 1}})
    EXPECT_NE(messageOf(decomposeTucker(constRef(tensor), ranks)).find("rank"),
              std::string::npos);
  EXPECT_NE(messageOf(chooseTuckerRanks(constRef(tensor), {2})).find("mode 2"),
            std::string::npos);
}

} // namespace
