//===- ScaleSearch.h - Moving range between inputs and weights --*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A diagonal matrix S between a layer and its input changes nothing, for
// (x / S) * (S W^T) = x W^T, but it changes what quantization loses.
// SmoothQuant (Xiao et al. 2023) moves range from the activations into the
// weights, AWQ (Lin et al. 2024) enlarges the weights of large inputs. A
// channel without range on either side keeps scale 1.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_SCALESEARCH_H
#define COMPRESS_NUMERICS_SCALESEARCH_H

#include "compress/Numerics/GroupedWeights.h"

namespace compress::numerics {

/// One scale per input channel: max|X_j|^alpha / max|W_j|^(1-alpha), 1 where
/// either maximum is 0, always finite and within [1e-6, 1e6]. The activations
/// are to be divided by it and the weights' columns multiplied. alpha is in
/// [0, 1]. Fails on NaN, infinite or negative maxima and different counts.
llvm::Expected<std::vector<double>>
getSmoothingScales(llvm::ArrayRef<double> activationMax,
                   llvm::ArrayRef<double> weightMax, double alpha);

/// The largest magnitude of each column. Fails on NaN and infinity.
llvm::Expected<std::vector<double>>
getColumnMaxima(MatrixRef<const float> matrix);
llvm::Expected<std::vector<double>>
getColumnMaxima(MatrixRef<const double> matrix);

/// What a scale search found.
struct ScaleSearchResult {
  /// One per input channel: multiply the weights' columns, divide the inputs.
  std::vector<double> scales;
  double alpha = 0;
  /// Squared output error with these scales and without any.
  double error = 0;
  double unscaledError = 0;
  /// The search found nothing better than no scales (all 1).
  bool keptUnscaled = false;
};

/// SmoothQuant with the best exponent of a grid of `steps` + 1 in [0, 1]:
/// weights (m x n) by `weightSpec`, inputs by `inputFormat` with one
/// symmetric scale for all of `samples` (k x n) if `perTensor`, else for each
/// row of them. The error is that of the outputs for these samples. Ties go to
/// the smaller exponent. 2 k m n operations a step. Fails on bad shapes, NaN
/// and infinity.
struct SmoothingOptions {
  IntegerFormat inputFormat{8, true, true};
  bool perTensor = true;
  int steps = 20;
};
llvm::Expected<ScaleSearchResult>
searchSmoothing(MatrixRef<const float> weights, MatrixRef<const float> samples,
                const WeightSpec &weightSpec,
                const SmoothingOptions &options = {},
                llvm::ThreadPoolInterface *pool = nullptr);
llvm::Expected<ScaleSearchResult>
searchSmoothing(MatrixRef<const double> weights,
                MatrixRef<const double> samples, const WeightSpec &weightSpec,
                const SmoothingOptions &options = {},
                llvm::ThreadPoolInterface *pool = nullptr);

/// AWQ: scales magnitude_j^alpha, brought to a geometric mean of 1 between
/// their extremes, with the best alpha of `steps` + 1 in [0, 1] for weights
/// (m x n) alone. `magnitudes` are the mean magnitudes of the inputs, `moment`
/// their second moment (n x n); the error is trace(D H D^T). m n^2 operations
/// a step. Ties go to the smaller exponent. Fails as searchSmoothing does.
llvm::Expected<ScaleSearchResult>
searchAwqScales(MatrixRef<const float> weights,
                llvm::ArrayRef<double> magnitudes,
                MatrixRef<const double> moment, const WeightSpec &spec,
                int steps = 20, llvm::ThreadPoolInterface *pool = nullptr);
llvm::Expected<ScaleSearchResult>
searchAwqScales(MatrixRef<const double> weights,
                llvm::ArrayRef<double> magnitudes,
                MatrixRef<const double> moment, const WeightSpec &spec,
                int steps = 20, llvm::ThreadPoolInterface *pool = nullptr);

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_SCALESEARCH_H
