//===- FactorizationPropertyTest.cpp - Decompositions of awkward input ----===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Properties that hold for every finite input, tried on small shapes with
// seeds: sizes of one, zeros, few distinct values, magnitudes from 1e-38 to
// 1e37 in one tensor or throughout.
//
//===----------------------------------------------------------------------===//

#include "MatrixTesting.h"
#include "compress/Numerics/CP.h"
#include "compress/Numerics/ErrorCorrection.h"
#include "compress/Numerics/Gptq.h"
#include "compress/Numerics/Tucker.h"

using namespace compress::numerics;
using namespace compress::numerics::testing;

namespace {

class AwkwardInput {
public:
  explicit AwkwardInput(unsigned seed) : random(seed) {}

  int64_t draw(int64_t below) { return random() % below; }

  Tensor<float> drawTensor(int64_t rank) {
    llvm::SmallVector<int64_t, 4> sizes;
    for (int64_t k = 0; k < rank; ++k)
      sizes.push_back(1 + draw(7));
    Tensor<float> tensor(sizes);
    const int kind = draw(6);
    const double scale = std::pow(10.0, double(draw(75)) - 38);
    for (float &value : tensor.elements()) {
      const double uniform = random() / 2147483648.0 - 1;
      switch (kind) {
      case 0:
        value = 0;
        break;
      case 1:
        value = static_cast<float>(scale);
        break;
      case 2:
        value = draw(3) ? 0.0f : static_cast<float>(uniform * scale);
        break;
      case 3:
        value = static_cast<float>(draw(3) - 1);
        break;
      case 4:
        value = static_cast<float>(uniform * std::pow(10.0, draw(60) - 30.0));
        break;
      default:
        value = static_cast<float>(uniform * scale);
      }
    }
    return tensor;
  }

private:
  std::mt19937 random;
};

TEST(FactorizationPropertyTest, TensorsDecomposeFinitely) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    AwkwardInput input(seed);
    Tensor<float> tensor = input.drawTensor(1 + input.draw(4));
    TensorRef<const float> view = tensor.ref();
    llvm::SmallVector<int64_t, 4> ranks;
    for (int64_t size : tensor.sizes())
      ranks.push_back(1 + input.draw(size));
    const Tucker<float> tucker = take(decomposeTucker(view, ranks));
    EXPECT_TRUE(allFinite(tucker.core.elements()));
    EXPECT_LE(tucker.relativeError, 1.0001);
    for (const Matrix<float> &factor : tucker.factors)
      EXPECT_LT(orthogonalityError(factor), 1e-5);
    if (tensor.sizes().size() < 2)
      continue;
    CPOptions options;
    options.maxIterations = 15;
    CP<float> cp = take(decomposeCP(view, 1 + input.draw(8), options));
    EXPECT_TRUE(allFinite(llvm::ArrayRef<float>(cp.weights)));
    EXPECT_LE(cp.relativeError, 1.01);
  }
}

TEST(FactorizationPropertyTest, SingularValuesHoldTheWholeEnergy) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    AwkwardInput input(seed + 1000);
    const Tensor<float> tensor = input.drawTensor(2);
    MatrixRef<const float> matrix(tensor.data(), tensor.size(0),
                                  tensor.size(1));
    const int64_t full = std::min(matrix.rows, matrix.columns);
    Svd<float> svd = take(truncatedSvd(matrix, full));
    double sum = 0;
    for (double value : svd.values) {
      EXPECT_GE(value, 0);
      sum += value * value;
    }
    EXPECT_LE(std::abs(sum - svd.totalEnergy), 1e-9 * svd.totalEnergy);
    EXPECT_LT(orthogonalityError(svd.left), 1e-5);
    EXPECT_LT(orthogonalityError(svd.right), 1e-5);
    RandomizedSvdOptions options;
    options.rank = 1 + input.draw(full);
    Svd<float> sketch = take(randomizedSvd(matrix, options));
    EXPECT_LE(sketch.values[0], svd.values[0] * (1 + 1e-5));
    EXPECT_LT(orthogonalityError(sketch.left), 1e-4);
    int64_t rank = take(chooseRankEvbmf(matrix));
    EXPECT_GE(rank, 1);
    EXPECT_LE(rank, full);
  }
}

TEST(FactorizationPropertyTest, CorrectionsNeverLose) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    AwkwardInput input(seed + 2000);
    const Tensor<float> tensor = input.drawTensor(2);
    MatrixRef<const float> weights(tensor.data(), tensor.size(0),
                                   tensor.size(1));
    Matrix<double> samples =
        randomMatrix<double>(1 + input.draw(9), weights.columns, seed);
    Matrix<double> moment(weights.columns, weights.columns);
    ASSERT_FALSE(
        llvm::errorToBool(accumulateSecondMoment(samples.ref(), moment.ref())));
    WeightSpec spec;
    spec.format = {unsigned(2 + input.draw(7)), input.draw(2) == 1,
                   input.draw(2) == 1};
    spec.symmetric = input.draw(2) == 1;
    spec.groupSize = input.draw(5);
    GptqOptions options;
    options.blockSize = 1 + input.draw(4);
    options.activationOrder = input.draw(2) == 1;
    GptqResult gptq = take(quantizeGptq(weights, moment.ref(), spec, options));
    EXPECT_LE(gptq.error, gptq.nearestError);
    CorrectionResult rounding =
        take(refineRounding(weights, moment.ref(), gptq.weights));
    EXPECT_LE(rounding.error, rounding.errorBefore);
    CorrectionResult scales = take(refineScales(weights, {}, gptq.weights));
    EXPECT_LE(scales.error, scales.errorBefore);
    for (const AffineParams &params : gptq.weights.params.elements()) {
      EXPECT_GT(params.scale, 0);
      EXPECT_TRUE(std::isfinite(params.scale));
    }
    ResidualFactors<float> residual =
        take(factorizeResidual(weights, spec, 1, 2));
    EXPECT_LE(residual.error, residual.nearestError * (1 + 1e-6));
  }
}

} // namespace
