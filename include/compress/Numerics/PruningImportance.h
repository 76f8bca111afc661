//===- PruningImportance.h - Importance of channels -------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How much a channel matters, for structured pruning. A channel is an index of
// one dimension of a weight tensor; each function gives one number, not
// negative, for every index of that dimension. Channels of several tensors
// that must go together (a group) are aggregated.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_PRUNINGIMPORTANCE_H
#define COMPRESS_NUMERICS_PRUNINGIMPORTANCE_H

#include "compress/Numerics/Matrix.h"
#include "compress/Numerics/StridedSpan.h"

namespace llvm {
class ThreadPoolInterface;
} // namespace llvm

namespace compress::numerics {

enum class ChannelNorm {
  /// Sum of magnitudes (Li et al. 2017).
  L1,
  /// Square root of the sum of squares.
  L2
};

/// The norm of every channel of dimension `dim`. Fails on NaN, infinity and a
/// dimension out of range; so do the functions below.
llvm::Expected<std::vector<double>>
getNormImportance(const TensorRef<const float> &weights, unsigned dim,
                  ChannelNorm norm);
llvm::Expected<std::vector<double>>
getNormImportance(const TensorRef<const double> &weights, unsigned dim,
                  ChannelNorm norm);

enum class TaylorForm {
  /// |sum of weight * gradient|: the first-order change of the loss without the
  /// channel (Molchanov et al. 2017).
  MagnitudeOfSum,
  /// Sum of (weight * gradient)^2: the weights as independent (Molchanov et al.
  /// 2019).
  SumOfSquares
};

/// First-order Taylor importance from weights and gradients of equal sizes
/// (strides may differ).
llvm::Expected<std::vector<double>>
getTaylorImportance(const TensorRef<const float> &weights,
                    const TensorRef<const float> &gradients, unsigned dim,
                    TaylorForm form);
llvm::Expected<std::vector<double>>
getTaylorImportance(const TensorRef<const double> &weights,
                    const TensorRef<const double> &gradients, unsigned dim,
                    TaylorForm form);

/// The sum of the Euclidean distances to all other channels: channels near the
/// geometric median can be expressed by the others (He et al. 2019). c^2 n
/// operations for c channels of n weights.
llvm::Expected<std::vector<double>>
getGeometricMedianImportance(const TensorRef<const float> &weights,
                             unsigned dim,
                             llvm::ThreadPoolInterface *pool = nullptr);
llvm::Expected<std::vector<double>>
getGeometricMedianImportance(const TensorRef<const double> &weights,
                             unsigned dim,
                             llvm::ThreadPoolInterface *pool = nullptr);

/// Magnitudes of the scales of a batch normalization (Liu et al. 2017).
llvm::Expected<std::vector<double>>
getBatchNormImportance(StridedSpan<const float> scales);
llvm::Expected<std::vector<double>>
getBatchNormImportance(StridedSpan<const double> scales);

/// How the members of a group are combined, channel by channel.
enum class Aggregation { Sum, Mean, Max, Product, L2 };
/// What each member is divided by first, to make members comparable; members
/// that are all zero stay so.
enum class Normalization { None, Sum, Mean, Max };

/// One importance for each channel of a group. Fails on members of different
/// sizes, no member, NaN, infinite and negative numbers.
llvm::Expected<std::vector<double>>
aggregateImportance(llvm::ArrayRef<std::vector<double>> members,
                    Aggregation aggregation,
                    Normalization normalization = Normalization::Mean);

/// The indices, ascending, of the `keep` most important channels; ties go to
/// the lower index. Fails unless keep is in [1, number of channels], and on
/// NaN.
llvm::Expected<std::vector<int64_t>>
selectChannels(llvm::ArrayRef<double> importance, int64_t keep);

/// How many of `channels` to keep for a fraction in (0, 1]: the nearest
/// multiple of `multiple` to fraction * channels, at least one multiple, at
/// most all of them. Fails on a fraction or multiple out of range.
llvm::Expected<int64_t> getChannelsToKeep(int64_t channels, double fraction,
                                          int64_t multiple = 1);

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_PRUNINGIMPORTANCE_H
