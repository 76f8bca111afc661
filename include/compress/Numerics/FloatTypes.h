//===- FloatTypes.h - The element types of numeric data ---------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Types that tell templates how 16-bit elements are to be read, and the exact
// conversions of every element type to the wider type that computes with it.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_FLOATTYPES_H
#define COMPRESS_NUMERICS_FLOATTYPES_H

#include "compress/Numerics/HalfFloat.h"

#include <type_traits>

namespace compress::numerics {

/// The bits of one f16 element.
struct Half {
  uint16_t bits = 0;
};

/// The bits of one bf16 element.
struct BFloat16 {
  uint16_t bits = 0;
};

/// The type that statistics and conversions of `T` elements compute in: double
/// for double, float for the others.
template <typename T>
using ComputeType =
    std::conditional_t<std::is_same_v<T, double>, double, float>;

/// Every element type to its ComputeType, exactly.
inline double widen(double value) { return value; }
inline float widen(float value) { return value; }
inline float widen(Half value) { return halfToFloat(value.bits); }
inline float widen(BFloat16 value) { return bfloatToFloat(value.bits); }

/// A float as an element of type `T`: exact for float and double, rounded half
/// to even for the 16-bit types.
template <typename T>
inline T narrow(float value) {
  if constexpr (std::is_same_v<T, Half>)
    return Half{floatToHalf(value)};
  else if constexpr (std::is_same_v<T, BFloat16>)
    return BFloat16{floatToBFloat(value)};
  else
    return value;
}

/// `value` as an f32 number from which any format of at most 22 mantissa bits
/// is rounded as from `value` itself: the truncated number with the last bit
/// set if anything was cut off ("round to odd"). Finite numbers stay finite.
inline float roundToOdd(double value) {
  float nearest = static_cast<float>(value);
  uint32_t bits = detail::bitCast<uint32_t>(nearest);
  double back = nearest;
  double magnitude = value < 0 ? -value : value;
  double backMagnitude = back < 0 ? -back : back;
  // Rounding away from zero includes the step to infinity.
  uint32_t truncated = bits - (backMagnitude > magnitude ? 1 : 0);
  truncated |= back != value ? 1 : 0;
  return detail::bitCast<float>(value != value ? bits : truncated);
}

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_FLOATTYPES_H
