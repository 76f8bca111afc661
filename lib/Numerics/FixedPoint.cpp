//===- FixedPoint.cpp - Fixed-point requantization ------------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/FixedPoint.h"

#include <algorithm>
#include <cmath>

using namespace llvm;

namespace compress::numerics {

static constexpr int kMinShift = 2, kMaxShift = 62;

Error FixedPoint::verify() const {
  if (multiplier < 0)
    return createStringError("fixed-point multiplier %d is negative",
                             multiplier);
  if (shift < kMinShift || shift > kMaxShift)
    return createStringError("fixed-point shift must be in [%d, %d], but is %d",
                             kMinShift, kMaxShift, shift);
  return Error::success();
}

Expected<FixedPoint> getFixedPoint(double real) {
  if (!(real >= 0 && real < 0x1p29))
    return createStringError(
        "a fixed-point multiplier must be in [0, 2^29), but is %g", real);
  int exponent;
  std::frexp(real, &exponent);
  int shift = std::min(31 - exponent, kMaxShift);
  double scaled = std::round(std::ldexp(real, shift));
  // 0.99999999999 rounds to 1.
  if (scaled == 0x1p31) {
    scaled = 0x1p30;
    --shift;
  }
  if (shift < kMinShift)
    return createStringError(
        "a fixed-point multiplier must be in [0, 2^29), but is %.17g", real);
  return FixedPoint{static_cast<int32_t>(scaled), shift};
}

int64_t multiplyFixedPoint(int32_t x, FixedPoint factor,
                           FixedPointRounding rounding) {
  // |product| <= 2^62 and the rest is at most 2^61 + 2^30.
  int64_t sum = static_cast<int64_t>(x) * factor.multiplier;
  sum += int64_t(1) << (factor.shift - 1);
  // Both roundings of the double form in one addition: half up in units of
  // 2^31, then half away from zero, which lies the other way for negative x.
  if (rounding == FixedPointRounding::Double && factor.shift > 31)
    sum += x >= 0 ? int64_t(1) << 30 : -(int64_t(1) << 30);
  return sum >> factor.shift;
}

int32_t requantizeFixedPoint(int32_t x, FixedPoint factor, int32_t zeroPoint,
                             IntegerFormat format,
                             FixedPointRounding rounding) {
  // At most 2^60, so the sum does not overflow.
  int64_t code = multiplyFixedPoint(x, factor, rounding) + zeroPoint;
  return static_cast<int32_t>(
      std::clamp<int64_t>(code, format.getMin(), format.getMax()));
}

} // namespace compress::numerics
