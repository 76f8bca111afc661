//===- Sensitivity.h - How much an approximation hurts ----------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Measures of the difference between what a layer or a network gives and what
// it gives after compression: the errors that allocateBudget weighs.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_SENSITIVITY_H
#define COMPRESS_NUMERICS_SENSITIVITY_H

#include "compress/Numerics/GroupedWeights.h"
#include "compress/Numerics/StridedSpan.h"

namespace compress::numerics {

/// Differences of two arrays, in f64.
struct ErrorMeasures {
  double meanSquare = 0;
  double largest = 0;
  /// 10 log10 of the squares of the reference over those of the difference, in
  /// dB: infinite without a difference, minus infinite for a zero reference.
  double signalToNoise = 0;
  /// Cosine of the angle between the two; 1 if both are zero, 0 if one is.
  double cosine = 1;
};

/// Fails on different sizes, empty arrays, NaN and infinity.
llvm::Expected<ErrorMeasures> measureError(StridedSpan<const float> reference,
                                           StridedSpan<const float> actual);
llvm::Expected<ErrorMeasures> measureError(StridedSpan<const double> reference,
                                           StridedSpan<const double> actual);

/// The mean over the rows of KL(softmax(reference / T) || softmax(actual / T))
/// in nats, T the temperature: never negative, 0 for equal rows (or rows that
/// differ by a constant). Logits of any finite size. Fails on different shapes,
/// NaN and infinity, and T that is not positive.
llvm::Expected<double> getOutputDivergence(MatrixRef<const float> reference,
                                           MatrixRef<const float> actual,
                                           double temperature = 1);
llvm::Expected<double> getOutputDivergence(MatrixRef<const double> reference,
                                           MatrixRef<const double> actual,
                                           double temperature = 1);

/// The squared output error of rounding `weights` to nearest by each of
/// `specs`: trace(D H D^T) for the second moment H of the inputs, or the plain
/// sum of squares if `moment` has no data. Fails as quantizeNearest and
/// getOutputError do.
llvm::Expected<std::vector<double>>
getRoundingErrors(MatrixRef<const float> weights,
                  llvm::ArrayRef<WeightSpec> specs,
                  MatrixRef<const double> moment = {},
                  llvm::ThreadPoolInterface *pool = nullptr);
llvm::Expected<std::vector<double>>
getRoundingErrors(MatrixRef<const double> weights,
                  llvm::ArrayRef<WeightSpec> specs,
                  MatrixRef<const double> moment = {},
                  llvm::ThreadPoolInterface *pool = nullptr);

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_SENSITIVITY_H
