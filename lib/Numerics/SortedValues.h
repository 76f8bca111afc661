//===- SortedValues.h - Distinct values with prefix sums --------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The form of one-dimensional data that both kinds of k-means work on.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_LIB_NUMERICS_SORTEDVALUES_H
#define COMPRESS_LIB_NUMERICS_SORTEDVALUES_H

#include "compress/Numerics/StridedSpan.h"

#include <vector>

namespace compress::numerics {

/// Distinct values in ascending order. For sums over [first, last), the
/// prefix sums hold one more entry than there are values.
template <typename T>
struct SortedValues {
  std::vector<T> values;
  /// Sums of the weights, and of the weights times (value - center).
  std::vector<double> weightBefore;
  std::vector<double> momentBefore;
  /// The mean; taken off the values to keep the sums small.
  double center = 0.0;

  int64_t size() const { return values.size(); }
  double getWeight(int64_t first, int64_t last) const {
    return weightBefore[last] - weightBefore[first];
  }
  double getMoment(int64_t first, int64_t last) const {
    return momentBefore[last] - momentBefore[first];
  }
  /// The mean of [first, last), which is not empty.
  double getMean(int64_t first, int64_t last) const {
    return getMoment(first, last) / getWeight(first, last) + center;
  }
  double getTotalWeight() const { return weightBefore.back(); }

  /// Sorts finite `values`. `weights` is empty or as long; values of weight 0
  /// are left out, and zeros too if `dropZeros`.
  static SortedValues create(StridedSpan<const T> values,
                             StridedSpan<const T> weights, bool dropZeros);
};

} // namespace compress::numerics

#endif // COMPRESS_LIB_NUMERICS_SORTEDVALUES_H
