//===- ErrorCorrection.h - Making up for quantization errors ----*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What can be done after the codes and scales are there: round some weights
// the other way, fit the scales to the codes, shift the bias, or carry what is
// left in a low-rank branch. None of them can make the error it minimizes
// larger.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_ERRORCORRECTION_H
#define COMPRESS_NUMERICS_ERRORCORRECTION_H

#include "compress/Numerics/GroupedWeights.h"
#include "compress/Numerics/StridedSpan.h"
#include "compress/Numerics/Svd.h"

namespace compress::numerics {

/// Before and after.
struct CorrectionResult {
  double errorBefore = 0;
  double error = 0;
  /// Sweeps made; codes changed.
  int iterations = 0;
  int64_t changes = 0;
};

/// Rounds each weight down or up so that the output error trace(D H D^T)
/// falls: the aim of AdaRound (Nagel et al. 2020), reached by coordinate
/// descent. Goes over the columns of every row in order, moves a code to the
/// other neighbour of its weight where that lowers the error, until nothing
/// moves (a local optimum) or `maxSweeps` have been made. m n^2 operations,
/// then n for each change. Rows are independent; same bits for every number of
/// threads. Fails on shapes that do not fit, NaN and infinity.
llvm::Expected<CorrectionResult>
refineRounding(MatrixRef<const float> reference, MatrixRef<const double> moment,
               GroupedWeights &weights, int maxSweeps = 20,
               llvm::ThreadPoolInterface *pool = nullptr);
llvm::Expected<CorrectionResult>
refineRounding(MatrixRef<const double> reference,
               MatrixRef<const double> moment, GroupedWeights &weights,
               int maxSweeps = 20, llvm::ThreadPoolInterface *pool = nullptr);

/// Fits the scale of every group to its codes by least squares, weighted by
/// `columnWeights` (one per column, such as the mean squares of the inputs; all
/// 1 if empty): s = sum(h w c) / sum(h c^2), c the code less the zero point.
/// Then rounds again with that scale, and so on, `maxIterations` times at most;
/// a group keeps the best it had. Scales stay positive and of the spec's type.
/// Fails as refineRounding does, and on negative column weights.
llvm::Expected<CorrectionResult>
refineScales(MatrixRef<const float> reference,
             llvm::ArrayRef<double> columnWeights, GroupedWeights &weights,
             int maxIterations = 5);
llvm::Expected<CorrectionResult>
refineScales(MatrixRef<const double> reference,
             llvm::ArrayRef<double> columnWeights, GroupedWeights &weights,
             int maxIterations = 5);

/// bias -= (quantized - reference) * meanInput: outputs of inputs with this
/// mean have their mean back. `bias` has one element per row, `meanInput` one
/// per column. Fails on shapes that do not fit, NaN and infinity.
llvm::Error correctBias(MatrixRef<const float> reference,
                        MatrixRef<const float> quantized,
                        StridedSpan<const float> meanInput,
                        StridedSpan<float> bias);
llvm::Error correctBias(MatrixRef<const double> reference,
                        MatrixRef<const double> quantized,
                        StridedSpan<const double> meanInput,
                        StridedSpan<double> bias);

/// Quantized weights and a low-rank branch: W ~ quantized + low-rank.
template <typename T>
struct ResidualFactors {
  GroupedWeights quantized;
  Svd<T> branch;
  /// Frobenius norms of W - quantized - branch, and of W - nearest(W).
  double error = 0;
  double nearestError = 0;
};

/// Quantizes W, takes the `rank` largest singular triplets of what is lost,
/// quantizes W less these, and so on for `iterations` >= 1 rounds; keeps the
/// best (Li et al. 2023, LoftQ; with one round it is the SVD of the
/// quantization residual). A round costs a truncated SVD. Fails on a bad spec
/// or rank, NaN and infinity.
llvm::Expected<ResidualFactors<float>>
factorizeResidual(MatrixRef<const float> weights, const WeightSpec &spec,
                  int64_t rank, int iterations = 1,
                  llvm::ThreadPoolInterface *pool = nullptr);
llvm::Expected<ResidualFactors<double>>
factorizeResidual(MatrixRef<const double> weights, const WeightSpec &spec,
                  int64_t rank, int iterations = 1,
                  llvm::ThreadPoolInterface *pool = nullptr);

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_ERRORCORRECTION_H
