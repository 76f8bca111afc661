//===- MinMax.h - Smallest and largest element ------------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranges of data: one pass, bound by the memory's read bandwidth. NaN and
// infinities are counted and left out of the range, so that one bad element
// cannot ruin it and none goes unnoticed. Results merge exactly, in any order.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_MINMAX_H
#define COMPRESS_NUMERICS_MINMAX_H

#include "compress/Numerics/FloatTypes.h"
#include "compress/Numerics/StridedSpan.h"

#include "llvm/ADT/ArrayRef.h"

#include <limits>

namespace llvm {
class ThreadPoolInterface;
} // namespace llvm

namespace compress::numerics {

/// What is known of the range of some data. -0 counts as less than +0.
struct MinMax {
  /// Of the finite elements; +infinity and -infinity if there are none.
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  int64_t numFinite = 0;
  int64_t numInfinite = 0;
  int64_t numNaN = 0;

  /// False if nothing finite was seen: there is no range then.
  bool hasRange() const { return numFinite > 0; }
  /// The largest magnitude of the finite elements, 0 if there are none.
  double getAbsMax() const;
  /// Adds what `other` has seen.
  void merge(const MinMax &other);

  bool operator==(const MinMax &other) const;
  bool operator!=(const MinMax &other) const { return !(*this == other); }
};

/// The range of `values` (T: float, double, Half, BFloat16), on the calling
/// thread and those of `pool`. An empty span gives an empty MinMax. Fails if
/// the span has elements but no data.
template <typename T>
llvm::Expected<MinMax> computeMinMax(StridedSpan<const T> values,
                                     llvm::ThreadPoolInterface *pool = nullptr);

/// The ranges of channels: `results[c]` becomes that of the elements
/// values[c * channelStride + i], where `values` is a view of one channel.
/// E.g. the rows of a contiguous RxC matrix: a span of C elements, stride 1,
/// and channelStride C; its columns: a span of R elements, stride C, and
/// channelStride 1. Fails as computeMinMax does.
template <typename T>
llvm::Error computeChannelMinMax(StridedSpan<const T> values,
                                 int64_t channelStride,
                                 llvm::MutableArrayRef<MinMax> results,
                                 llvm::ThreadPoolInterface *pool = nullptr);

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_MINMAX_H
