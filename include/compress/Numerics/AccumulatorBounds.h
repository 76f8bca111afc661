//===- AccumulatorBounds.h - Ranges of integer dot products -----*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Proofs that an accumulator is wide enough: the range of every partial sum of
//
//   sum over k < K of (a[k] - za) * (b[k] - zb)
//
// for codes of two formats. All arithmetic saturates at the limits of i64, so a
// range that reaches them may be larger.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_ACCUMULATORBOUNDS_H
#define COMPRESS_NUMERICS_ACCUMULATORBOUNDS_H

#include "compress/Numerics/Affine.h"

#include <cstdint>
#include <optional>

namespace compress::numerics {

/// The integers in [min, max].
struct IntegerRange {
  int64_t min = 0;
  int64_t max = 0;

  /// Larger magnitude of the two ends (2^63 for the least i64).
  uint64_t getMagnitude() const;
  /// Whether all are two's complement integers of `bits` bits (1 to 64), and
  /// neither end is saturated.
  bool fitsIn(unsigned bits) const;
};

/// The codes of `format`, as they are multiplied if zero points are handled by
/// precomputed sums.
IntegerRange getCodeRange(IntegerFormat format);

/// Codes minus their zero point; one that is not known may be any code of the
/// format.
IntegerRange getCenteredRange(IntegerFormat format,
                              std::optional<int32_t> zeroPoint);

/// Range of all sums of 0 to `length` products of a number of `lhs` and a
/// number of `rhs`. Negative lengths count as 0.
IntegerRange getDotRange(IntegerRange lhs, IntegerRange rhs, int64_t length);

/// Most products of which every sum fits in `bits` bits (1 to 64): the length
/// at which a longer sum must be split. Saturates at the largest i64, also for
/// products that are always 0.
int64_t getLongestDot(IntegerRange lhs, IntegerRange rhs, unsigned bits);

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_ACCUMULATORBOUNDS_H
