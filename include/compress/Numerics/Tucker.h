//===- Tucker.h - Tucker decompositions -------------------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// X ~ core x_k factor_k over the decomposed modes: the truncated higher-order
// SVD (De Lathauwer, De Moor and Vandewalle 2000) and its refinement by
// higher-order orthogonal iteration. With only the two channel modes of a
// convolution kernel decomposed it is Tucker-2, which turns the convolution
// into a 1x1, a core and a 1x1 convolution (Kim et al. 2016).
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_TUCKER_H
#define COMPRESS_NUMERICS_TUCKER_H

#include "compress/Numerics/Matrix.h"
#include "compress/Numerics/RankSelection.h"

namespace compress::numerics {

/// A Tucker decomposition; mode k of the core has the size of the tensor if it
/// is not decomposed, else the rank.
template <typename T>
struct Tucker {
  Tensor<T> core;
  /// One per mode: size x rank with orthonormal columns; without elements for
  /// a mode that is not decomposed.
  std::vector<Matrix<T>> factors;
  /// |X - reconstruction| / |X|; 0 for X = 0.
  double relativeError = 0;
  int sweeps = 0;
};

struct TuckerOptions {
  /// Sweeps of orthogonal iteration over the modes; 0 leaves the higher-order
  /// SVD as it is.
  int maxSweeps = 10;
  /// Stop when a sweep lowers the squared error by less than this part of the
  /// squared norm.
  double tolerance = 1e-8;
};

/// The Tucker decomposition with ranks[k] in [1, size of mode k], or 0 for a
/// mode that stays as it is. At least one mode must be decomposed.
///
/// The tensor is scaled inside; tensors of up to 2^18 elements and all of f64
/// are computed in f64, larger ones in f32, where errors below about 3e-4 of
/// the norm can come from squaring. A rank above that of the data is filled
/// with orthonormal directions whose part of the core is zero. A sweep over two
/// modes of sizes n and ranks r costs about 2 N r + n r N / n + 4/3 n^3
/// operations a mode, N the number of elements. Fails on NaN, infinity, empty
/// input and ranks out of range.
llvm::Expected<Tucker<float>>
decomposeTucker(const TensorRef<const float> &tensor,
                llvm::ArrayRef<int64_t> ranks,
                const TuckerOptions &options = {},
                llvm::ThreadPoolInterface *pool = nullptr);
llvm::Expected<Tucker<double>>
decomposeTucker(const TensorRef<const double> &tensor,
                llvm::ArrayRef<int64_t> ranks,
                const TuckerOptions &options = {},
                llvm::ThreadPoolInterface *pool = nullptr);

/// core x_k factor_k over all decomposed modes. Fails on shapes that do not
/// fit.
llvm::Expected<Tensor<float>>
reconstruct(const Tucker<float> &tucker,
            llvm::ThreadPoolInterface *pool = nullptr);
llvm::Expected<Tensor<double>>
reconstruct(const Tucker<double> &tucker,
            llvm::ThreadPoolInterface *pool = nullptr);

/// EVBMF on the unfolding of each mode in `modes` (others get 0, "stays"): the
/// ranks to pass to decomposeTucker. For a convolution kernel `modes` are its
/// two channel dimensions.
llvm::Expected<llvm::SmallVector<int64_t, 4>>
chooseTuckerRanks(const TensorRef<const float> &tensor,
                  llvm::ArrayRef<unsigned> modes, const RankLimits &limits = {},
                  llvm::ThreadPoolInterface *pool = nullptr);
llvm::Expected<llvm::SmallVector<int64_t, 4>>
chooseTuckerRanks(const TensorRef<const double> &tensor,
                  llvm::ArrayRef<unsigned> modes, const RankLimits &limits = {},
                  llvm::ThreadPoolInterface *pool = nullptr);

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_TUCKER_H
