//===- Gptq.h - Column-wise error feedback ----------------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GPTQ (Frantar, Ashkboos, Hoefler and Alistarh 2023): columns are quantized
// one after another and the error of each is compensated in those still to
// come, with the inverse of the second moment of the inputs as the model of
// what one column can do for another.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_GPTQ_H
#define COMPRESS_NUMERICS_GPTQ_H

#include "compress/Numerics/GroupedWeights.h"

namespace compress::numerics {

struct GptqOptions {
  /// Part of the mean diagonal that is added to the diagonal of the second
  /// moment; raised tenfold, up to 1, while the matrix is not positive
  /// definite.
  double damping = 0.01;
  /// Columns that are compensated at once; does not change the result beyond
  /// rounding.
  int64_t blockSize = 128;
  /// Takes the columns with the largest inputs first. The parameters of all
  /// groups are then chosen from the original weights, else from the weights
  /// as they are when their group is reached.
  bool activationOrder = false;
};

struct GptqResult {
  GroupedWeights weights;
  /// trace(D H D^T) of the result and of rounding to nearest.
  double error = 0;
  double nearestError = 0;
  double damping = 0;
  /// The feedback did not help (it is no descent method): `weights` are those
  /// of rounding to nearest.
  bool keptNearest = false;
};

/// Quantizes `weights` (outputs x inputs) for inputs with the second moment
/// `moment` (inputs x inputs; see accumulateSecondMoment). Inputs that are
/// always zero keep their nearest code. n^3 + m n^2 operations for m outputs
/// and n inputs, in f64. Rows are independent; same bits for every number of
/// threads. Fails on bad shapes and options, NaN, infinity and a moment that
/// is not symmetric positive semidefinite.
llvm::Expected<GptqResult>
quantizeGptq(MatrixRef<const float> weights, MatrixRef<const double> moment,
             const WeightSpec &spec, const GptqOptions &options = {},
             llvm::ThreadPoolInterface *pool = nullptr);
llvm::Expected<GptqResult>
quantizeGptq(MatrixRef<const double> weights, MatrixRef<const double> moment,
             const WeightSpec &spec, const GptqOptions &options = {},
             llvm::ThreadPoolInterface *pool = nullptr);

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_GPTQ_H
