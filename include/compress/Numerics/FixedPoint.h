//===- FixedPoint.h - Fixed-point requantization ----------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Multiplying an i32 accumulator with a real number by integer arithmetic only:
//
//   single rounding: floor((x * multiplier + 2^(shift-1)) / 2^shift)
//   double rounding: the product is first rounded to units of 2^31, half up,
//                    then to units of 2^shift, half away from zero
//
// Double rounding is what TFLite's reference kernels do (a rounding doubling
// high multiplication, then a rounding division by a power of two) and, bit for
// bit, TOSA's DOUBLE_ROUND. It differs from single rounding only for shifts
// above 31.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_FIXEDPOINT_H
#define COMPRESS_NUMERICS_FIXEDPOINT_H

#include "compress/Numerics/Affine.h"

#include "llvm/Support/Error.h"

#include <cstdint>

namespace compress::numerics {

/// The real number multiplier * 2^-shift.
struct FixedPoint {
  /// >= 0; in [2^30, 2^31) (a Q31 number in [0.5, 1)) unless the number is too
  /// small for that.
  int32_t multiplier = 1 << 30;
  /// In [2, 62].
  int32_t shift = 30;

  /// Fails if a member is out of its range.
  llvm::Error verify() const;
};

enum class FixedPointRounding { Single, Double };

/// The multiplier and shift nearest to `real`, half away from zero, with 31
/// significant bits if real >= 2^-32. Fails unless `real` is in [0, 2^29).
llvm::Expected<FixedPoint> getFixedPoint(double real);

/// x times `factor`, rounded to an integer as the head of the file says.
/// `factor` must be valid; then nothing overflows.
int64_t multiplyFixedPoint(int32_t x, FixedPoint factor,
                           FixedPointRounding rounding);

/// saturate(x * factor + zp): an accumulator to a code of `format`.
int32_t requantizeFixedPoint(int32_t x, FixedPoint factor, int32_t zeroPoint,
                             IntegerFormat format, FixedPointRounding rounding);

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_FIXEDPOINT_H
