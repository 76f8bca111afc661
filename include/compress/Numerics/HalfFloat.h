//===- HalfFloat.h - f16 and bf16 conversions -------------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions between f32 or f64 numbers and the bits of IEEE binary16 (f16)
// and bfloat16 (bf16). All of them are branch-free, so that loops over them
// become vector code on every target, and they need no half-precision support
// of the compiler. Narrowing rounds once, half to even; numbers beyond the
// largest finite one become infinities, NaN stays a (quiet) NaN.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_HALFFLOAT_H
#define COMPRESS_NUMERICS_HALFFLOAT_H

#include <cstdint>
#include <cstring>

namespace compress::numerics {

namespace detail {
template <typename To, typename From>
inline To bitCast(From from) {
  static_assert(sizeof(To) == sizeof(From), "sizes must be equal");
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

/// The bits of `value` in an IEEE format of `exponentBits` and `mantissaBits`.
template <unsigned exponentBits, unsigned mantissaBits>
inline uint16_t narrowDouble(double value) {
  constexpr int bias = (1 << (exponentBits - 1)) - 1;
  constexpr unsigned dropped = 52 - mantissaBits;
  constexpr uint64_t infinity = ((1ull << exponentBits) - 1) << mantissaBits;
  constexpr uint64_t doubleInfinity = 0x7FFull << 52;
  uint64_t bits = bitCast<uint64_t>(value);
  uint64_t sign = bits >> 63 << (exponentBits + mantissaBits);
  uint64_t magnitude = bits & ~(1ull << 63);
  // Normal numbers: half to even on the bits, then the smaller exponent bias.
  uint64_t rounded = (magnitude + ((1ull << (dropped - 1)) - 1) +
                      ((magnitude >> dropped) & 1)) >>
                     dropped;
  uint64_t normal =
      rounded - (static_cast<uint64_t>(1023 - bias) << mantissaBits);
  normal = normal < infinity ? normal : infinity;
  // Subnormal numbers: an addition whose unit in the last place is theirs.
  double anchor =
      bitCast<double>(static_cast<uint64_t>(1023 + 1 - bias -
                                            static_cast<int>(mantissaBits) + 52)
                      << 52);
  uint64_t subnormal = bitCast<uint64_t>(bitCast<double>(magnitude) + anchor) -
                       bitCast<uint64_t>(anchor);
  uint64_t smallestNormal = static_cast<uint64_t>(1023 + 1 - bias) << 52;
  uint64_t result = magnitude < smallestNormal ? subnormal : normal;
  uint64_t quietNaN = infinity | (1ull << (mantissaBits - 1));
  result = magnitude > doubleInfinity ? quietNaN : result;
  return static_cast<uint16_t>(result | sign);
}
} // namespace detail

/// f64 to f16, rounded once.
inline uint16_t doubleToHalf(double value) {
  return detail::narrowDouble<5, 10>(value);
}

/// f64 to bf16, rounded once.
inline uint16_t doubleToBFloat(double value) {
  return detail::narrowDouble<8, 7>(value);
}

/// f32 to f16.
inline uint16_t floatToHalf(float value) {
  uint32_t bits = detail::bitCast<uint32_t>(value);
  uint32_t sign = (bits >> 16) & 0x8000;
  uint32_t magnitude = bits & 0x7FFFFFFF;
  uint32_t normal = (magnitude + 0xFFF + ((magnitude >> 13) & 1)) >> 13;
  normal -= (127 - 15) << 10;
  normal = normal < 0x7C00 ? normal : 0x7C00;
  // 0.5 has the unit in the last place 2^-24, the smallest subnormal f16.
  uint32_t subnormal =
      detail::bitCast<uint32_t>(detail::bitCast<float>(magnitude) + 0.5f) -
      detail::bitCast<uint32_t>(0.5f);
  uint32_t result = magnitude < 0x38800000 ? subnormal : normal;
  result = magnitude > 0x7F800000 ? 0x7E00 : result;
  return static_cast<uint16_t>(result | sign);
}

/// f32 to bf16.
inline uint16_t floatToBFloat(float value) {
  uint32_t bits = detail::bitCast<uint32_t>(value);
  uint32_t rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
  uint32_t quietNaN = (bits >> 16) | 0x40;
  bool isNaN = (bits & 0x7FFFFFFF) > 0x7F800000;
  return static_cast<uint16_t>(isNaN ? quietNaN : rounded);
}

/// f16 to f32, exact.
inline float halfToFloat(uint16_t half) {
  uint32_t sign = static_cast<uint32_t>(half & 0x8000) << 16;
  uint32_t magnitude = half & 0x7FFF;
  uint32_t normal = (magnitude << 13) + ((127 - 15) << 23);
  // Infinities and NaNs need the exponent 255.
  normal += magnitude >= 0x7C00 ? (255 - 31 - 127 + 15) << 23 : 0;
  uint32_t subnormal = detail::bitCast<uint32_t>(
      static_cast<float>(static_cast<int32_t>(magnitude)) * 0x1p-24f);
  uint32_t bits = magnitude < 0x400 ? subnormal : normal;
  return detail::bitCast<float>(bits | sign);
}

/// bf16 to f32, exact.
inline float bfloatToFloat(uint16_t bfloat) {
  return detail::bitCast<float>(static_cast<uint32_t>(bfloat) << 16);
}

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_HALFFLOAT_H
