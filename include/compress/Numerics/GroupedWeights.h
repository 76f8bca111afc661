//===- GroupedWeights.h - Weights with a scale per group of a row *- C++
//-*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The form in which the error-driven methods (GPTQ, learned rounding, scale
// search and refinement, residual factors) take and give quantized weights: a
// matrix of codes and, for every row and every group of consecutive columns,
// affine parameters. The arithmetic is that of Affine.h.
//
// The error of weights W against reference weights is measured where it
// matters, at the output: with the second moment H = X^T X of n sampled inputs
// X (n x columns), the squared output error is trace(D H D^T), D the
// difference of the weights.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_GROUPEDWEIGHTS_H
#define COMPRESS_NUMERICS_GROUPEDWEIGHTS_H

#include "compress/Numerics/Affine.h"
#include "compress/Numerics/Matrix.h"

namespace llvm {
class ThreadPoolInterface;
} // namespace llvm

namespace compress::numerics {

/// How the weights of a layer are to be quantized.
struct WeightSpec {
  IntegerFormat format{8, true, true};
  bool symmetric = true;
  ScaleType scaleType = ScaleType::F32;
  /// Columns that share a scale; 0 means the whole row. The last group of a row
  /// may be shorter.
  int64_t groupSize = 0;

  int64_t getGroupSize(int64_t columns) const {
    return groupSize == 0 ? columns : groupSize;
  }
  int64_t getNumGroups(int64_t columns) const {
    return columns <= 0 ? 0 : (columns - 1) / getGroupSize(columns) + 1;
  }
};

/// Quantized weights, rows x columns.
struct GroupedWeights {
  WeightSpec spec;
  Matrix<int32_t> codes;
  /// rows x groups.
  Matrix<AffineParams> params;

  const AffineParams &getParams(int64_t row, int64_t column) const {
    return params(row, column / spec.getGroupSize(codes.columns()));
  }
  /// The denoted value of an element.
  double operator()(int64_t row, int64_t column) const {
    return dequantize(codes(row, column), getParams(row, column));
  }
};

/// Fails unless bits are in [1, 16] and the group size is not negative.
llvm::Error checkSpec(const WeightSpec &spec);

/// Parameters from the range of each group, then round to nearest. Fails on a
/// bad spec, empty weights, NaN and infinity.
llvm::Expected<GroupedWeights> quantizeNearest(MatrixRef<const float> weights,
                                               const WeightSpec &spec);
llvm::Expected<GroupedWeights> quantizeNearest(MatrixRef<const double> weights,
                                               const WeightSpec &spec);

/// The denoted values, written to `out` (rows x columns).
llvm::Error dequantize(const GroupedWeights &weights, MatrixRef<float> out);
llvm::Error dequantize(const GroupedWeights &weights, MatrixRef<double> out);

/// Adds X^T X to `moment` (columns x columns, f64) for the samples X (n x
/// columns): batches may be added one after another. n columns^2 operations.
/// Fails on NaN, infinity and shapes that do not fit.
llvm::Error accumulateSecondMoment(MatrixRef<const float> samples,
                                   MatrixRef<double> moment,
                                   llvm::ThreadPoolInterface *pool = nullptr);
llvm::Error accumulateSecondMoment(MatrixRef<const double> samples,
                                   MatrixRef<double> moment,
                                   llvm::ThreadPoolInterface *pool = nullptr);

/// trace(D H D^T) for D = quantized - reference; never negative.
llvm::Expected<double>
getOutputError(const GroupedWeights &quantized,
               MatrixRef<const float> reference, MatrixRef<const double> moment,
               llvm::ThreadPoolInterface *pool = nullptr);
llvm::Expected<double> getOutputError(
    const GroupedWeights &quantized, MatrixRef<const double> reference,
    MatrixRef<const double> moment, llvm::ThreadPoolInterface *pool = nullptr);

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_GROUPEDWEIGHTS_H
