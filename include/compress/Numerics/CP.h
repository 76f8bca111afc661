//===- CP.h - Canonical polyadic decomposition ------------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// X ~ sum over r of weights[r] * a_r (x) b_r (x) ...: a sum of rank-one tensors
// by alternating least squares (Kolda and Bader, SIAM Review 51, 2009). For a
// convolution kernel it is a chain of a 1x1, two depthwise one-dimensional and
// a 1x1 convolution (Lebedev et al. 2015).
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_CP_H
#define COMPRESS_NUMERICS_CP_H

#include "compress/Numerics/Matrix.h"

namespace llvm {
class ThreadPoolInterface;
} // namespace llvm

namespace compress::numerics {

template <typename T>
struct CP {
  /// One per mode, size x rank; columns have norm 1, or 0 where the component
  /// is not used.
  std::vector<Matrix<T>> factors;
  /// Size of each component, descending and not negative.
  std::vector<T> weights;
  /// |X - reconstruction| / |X|; 0 for X = 0.
  double relativeError = 0;
  int iterations = 0;
  bool converged = false;
  /// The smallest product over the modes of the cosines of two components; -1
  /// means that two components cancel each other. 0 for rank 1.
  double smallestCongruence = 0;
  /// Sum of the squared weights over |X|^2: far above 1, the components are
  /// large and cancel, and rounded or quantized factors will lose the sum.
  double energyRatio = 0;
  /// Both say so: see CPOptions.
  bool isDegenerate = false;
};

struct CPOptions {
  int maxIterations = 200;
  /// Stop when the relative error changes by less than this.
  double tolerance = 1e-8;
  /// Damping: this part of the mean diagonal is added to the normal equations.
  double regularization = 1e-9;
  /// Start from the leading singular vectors of the unfoldings (random beyond
  /// the size of a mode), else from random factors.
  bool startFromSvd = true;
  /// Every third iteration also tries to go on along the last step, and keeps
  /// that if it is better.
  bool lineSearch = true;
  uint64_t seed = 0;
  /// isDegenerate is smallestCongruence < congruenceLimit and
  /// energyRatio > energyLimit.
  double congruenceLimit = -0.85;
  double energyLimit = 10;
};

/// A CP decomposition of a tensor of rank 2 or more with `rank` >= 1
/// components. Computed in f64 on the scaled tensor. An iteration costs about
/// 4 N rank operations, N the number of elements. Never diverges: without an
/// answer within maxIterations it returns the last one with `converged` unset.
/// Fails on NaN, infinity, empty input and a rank below 1.
llvm::Expected<CP<float>>
decomposeCP(const TensorRef<const float> &tensor, int64_t rank,
            const CPOptions &options = {},
            llvm::ThreadPoolInterface *pool = nullptr);
llvm::Expected<CP<double>>
decomposeCP(const TensorRef<const double> &tensor, int64_t rank,
            const CPOptions &options = {},
            llvm::ThreadPoolInterface *pool = nullptr);

/// The sum of the components. Fails on shapes that do not fit.
llvm::Expected<Tensor<float>>
reconstruct(const CP<float> &cp, llvm::ThreadPoolInterface *pool = nullptr);
llvm::Expected<Tensor<double>>
reconstruct(const CP<double> &cp, llvm::ThreadPoolInterface *pool = nullptr);

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_CP_H
