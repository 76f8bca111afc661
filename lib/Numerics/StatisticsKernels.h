//===- StatisticsKernels.h - Inner loops of range and histogram passes -*- C++
//-*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loops over contiguous arrays that MinMax and Histogram stand on, one
// table of functions per instruction set.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_LIB_NUMERICS_STATISTICSKERNELS_H
#define COMPRESS_LIB_NUMERICS_STATISTICSKERNELS_H

#include "compress/Numerics/FloatTypes.h"

#include <cstdint>
#include <limits>

namespace compress::numerics {

/// A float number's bits, rearranged so that signed integers compare as the
/// numbers do: -NaN < -Inf < ... < -0 < +0 < ... < Inf < NaN. Comparing
/// integers is associative and has no NaN rules, which lets the compiler
/// vectorize. The function is its own inverse.
template <typename Key>
inline Key toOrderedKey(Key bits) {
  constexpr unsigned signShift = 8 * sizeof(Key) - 1;
  return static_cast<Key>(
      bits ^ ((bits >> signShift) & std::numeric_limits<Key>::max()));
}

/// The ends of a non-empty set of keys.
template <typename Key>
struct KeyRange {
  Key low;
  Key high;
};

struct StatisticsKernels {
  /// The key range of `count` >= 1 elements of 16, 32 or 64 bits.
  KeyRange<int16_t> (*keyRange16)(const void *values, int64_t count);
  KeyRange<int32_t> (*keyRange32)(const void *values, int64_t count);
  KeyRange<int64_t> (*keyRange64)(const void *values, int64_t count);
  /// low[i] = min(low[i], key of values[i]), high[i] likewise.
  void (*updateKeys16)(const void *values, int64_t count, int16_t *low,
                       int16_t *high);
  void (*updateKeys32)(const void *values, int64_t count, int32_t *low,
                       int32_t *high);
  void (*updateKeys64)(const void *values, int64_t count, int64_t *low,
                       int64_t *high);
  /// bins[i] = floor(|values[i]| * scale), from `center` up for numbers >= 0
  /// and, if `isSigned`, from center - 1 down for numbers < 0; `skipped` for
  /// infinities and NaN. |values[i]| * scale must be below 2^31.
  void (*findBins32)(const float *values, int64_t count, float scale,
                     int32_t center, bool isSigned, int32_t skipped,
                     int32_t *bins);
  void (*findBins64)(const double *values, int64_t count, double scale,
                     int32_t center, bool isSigned, int32_t skipped,
                     int32_t *bins);
};

/// The kernels for getInstructionSet().
const StatisticsKernels &getStatisticsKernels();

} // namespace compress::numerics

#endif // COMPRESS_LIB_NUMERICS_STATISTICSKERNELS_H
