//===- MinifloatKernels.h - Inner loops of minifloat conversion -*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loops over contiguous arrays that Minifloat and BlockScaling stand on,
// one table of functions per instruction set, and the constants that make one
// loop serve all formats.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_LIB_NUMERICS_MINIFLOATKERNELS_H
#define COMPRESS_LIB_NUMERICS_MINIFLOATKERNELS_H

#include "KernelTarget.h"

#include "compress/Numerics/FloatTypes.h"
#include "compress/Numerics/InstructionSet.h"
#include "compress/Numerics/Minifloat.h"

#include <cstdint>

namespace compress::numerics {

/// A signed format and an overflow rule, as the encoding loop wants them.
/// Magnitudes are f32 bits without the sign.
struct MinifloatEncoder {
  /// f32 mantissa bits that rounding drops: 23 - mantissaBits.
  uint32_t dropped;
  /// What lowers the exponent bias of a code: (127 - bias) << mantissaBits.
  uint32_t rebias;
  /// The smallest normal number.
  uint32_t smallestNormal;
  /// The power of two whose unit in the last place is the smallest number.
  float anchor;
  /// 2^20 over the smallest number, for stochastic rounding.
  float subnormalScale;
  uint32_t largest;
  /// The codes for larger finite numbers, for infinity and for NaN; bits of
  /// the NaN's payload that are kept.
  uint32_t overflow;
  uint32_t infinity;
  uint32_t nan;
  uint32_t payload;
  /// The place of the sign: the bit, and how far the f32 sign is shifted down.
  uint32_t signBit;
  uint32_t signShift;
  /// All ones if zero keeps its sign, else 0; the same for NaN.
  uint32_t zeroSign;
  uint32_t nanSign;
};

/// Constants for a signed format (not E8M0).
MinifloatEncoder getEncoder(MinifloatFormat format, bool saturate);

/// The code of the f32 number with the given bits.
COMPRESS_KERNEL uint32_t encodeBits(uint32_t bits, const MinifloatEncoder &e) {
  uint32_t magnitude = bits & 0x7FFFFFFF;
  uint32_t half = (1u << (e.dropped - 1)) - 1;
  uint32_t normal =
      ((magnitude + half + ((magnitude >> e.dropped) & 1)) >> e.dropped) -
      e.rebias;
  // The addition rounds half to even at the smallest number's place.
  uint32_t subnormal =
      detail::bitCast<uint32_t>(detail::bitCast<float>(magnitude) + e.anchor) -
      detail::bitCast<uint32_t>(e.anchor);
  uint32_t code = magnitude < e.smallestNormal ? subnormal : normal;
  code = code > e.largest ? e.overflow : code;
  code = magnitude == 0x7F800000 ? e.infinity : code;
  bool isNaN = magnitude > 0x7F800000;
  uint32_t nan = e.nan | ((magnitude >> e.dropped) & e.payload);
  code = isNaN ? nan : code;
  uint32_t sign = (bits >> e.signShift) & e.signBit;
  sign = code == 0 ? sign & e.zeroSign : sign;
  sign = isNaN ? sign & e.nanSign : sign;
  return code | sign;
}

/// The same with stochastic rounding by the 32 bits of `random`.
COMPRESS_KERNEL uint32_t encodeBitsStochastic(uint32_t bits, uint32_t random,
                                              const MinifloatEncoder &e) {
  uint32_t magnitude = bits & 0x7FFFFFFF;
  // Finite numbers only; the rest is replaced below.
  uint32_t finite = magnitude < 0x7F800000 ? magnitude : 0;
  uint32_t normal =
      ((finite + (random >> (32 - e.dropped))) >> e.dropped) - e.rebias;
  uint32_t isSmall = finite < e.smallestNormal ? finite : 0;
  // 20 bits of fraction below the smallest number's place.
  uint32_t fixed = static_cast<uint32_t>(
      static_cast<int32_t>(detail::bitCast<float>(isSmall) * e.subnormalScale));
  uint32_t subnormal = (fixed + (random >> 12)) >> 20;
  uint32_t code = finite < e.smallestNormal ? subnormal : normal;
  code = code > e.largest ? e.overflow : code;
  uint32_t sign = (bits >> e.signShift) & e.signBit;
  sign = code == 0 ? sign & e.zeroSign : sign;
  uint32_t special = encodeBits(bits, e);
  return magnitude < 0x7F800000 ? code | sign : special;
}

/// A format as the decoding loop wants it.
struct MinifloatDecoder {
  uint32_t magnitudeMask;
  /// f32 mantissa bits minus the format's, and (127 - bias) << 23.
  uint32_t shift;
  uint32_t rebias;
  /// The code of the smallest normal number, and the smallest number.
  uint32_t smallestNormal;
  float smallest;
  uint32_t signBit;
  uint32_t signShift;
  /// Magnitudes from here on are Inf (if equal, and `hasInfinity`) or NaN.
  uint32_t firstSpecial;
  uint32_t infinity;
  /// The one code that is NaN in FNUZ formats; elsewhere no code.
  uint32_t negativeZeroNaN;
};

/// Constants for a signed format (not E8M0).
MinifloatDecoder getDecoder(MinifloatFormat format);

/// The f32 bits of a code.
COMPRESS_KERNEL uint32_t decodeBits(uint32_t code, const MinifloatDecoder &d) {
  uint32_t magnitude = code & d.magnitudeMask;
  uint32_t normal = (magnitude << d.shift) + d.rebias;
  uint32_t subnormal = detail::bitCast<uint32_t>(
      static_cast<float>(static_cast<int32_t>(magnitude)) * d.smallest);
  uint32_t bits = magnitude < d.smallestNormal ? subnormal : normal;
  uint32_t nan = 0x7FC00000 | ((magnitude << d.shift) & 0x007FFFFF);
  uint32_t special = magnitude == d.infinity ? 0x7F800000 : nan;
  bits = magnitude >= d.firstSpecial ? special : bits;
  bits |= (code & d.signBit) << d.signShift;
  return code == d.negativeZeroNaN ? 0x7FC00000 : bits;
}

/// Rounding of E8M0 on f32 bits.
struct E8M0Encoder {
  /// Added before the mantissa is cut off.
  uint32_t roundUp;
  /// f32 subnormal numbers above this become 2^-126, others 2^-127.
  uint32_t subnormalLimit;
  uint32_t overflow;
};

E8M0Encoder getE8M0Encoder(E8M0Rounding rounding, bool saturate);

/// The E8M0 code of the f32 number with the given bits.
COMPRESS_KERNEL uint32_t encodeE8M0Bits(uint32_t bits, const E8M0Encoder &e) {
  uint32_t magnitude = bits & 0x7FFFFFFF;
  uint32_t normal = (magnitude + e.roundUp) >> 23;
  uint32_t subnormal = magnitude > e.subnormalLimit ? 1 : 0;
  uint32_t code = magnitude < 0x00800000 ? subnormal : normal;
  code = code > 254 ? e.overflow : code;
  bool isNegative = bits > 0x80000000;
  return isNegative || magnitude > 0x7F800000 ? 255 : code;
}

/// The f32 bits of an E8M0 code.
COMPRESS_KERNEL uint32_t decodeE8M0Bits(uint32_t code) {
  uint32_t bits = code == 0 ? 0x00400000 : code << 23;
  return code == 255 ? 0x7FC00000 : bits;
}

/// Loops over contiguous arrays of `count` elements.
struct MinifloatKernels {
  /// Returns whether a NaN was among the values.
  bool (*encode)(const float *values, uint8_t *codes, int64_t count,
                 const MinifloatEncoder &encoder);
  bool (*encodeStochastic)(const float *values, const uint32_t *random,
                           uint8_t *codes, int64_t count,
                           const MinifloatEncoder &encoder);
  void (*decode)(const uint8_t *codes, float *values, int64_t count,
                 const MinifloatDecoder &decoder);
  void (*encodeE8M0)(const float *values, uint8_t *codes, int64_t count,
                     const E8M0Encoder &encoder);
  void (*decodeE8M0)(const uint8_t *codes, float *values, int64_t count);
  /// words[4*i + j] is word j of the Philox block with counter firstBlock + i.
  void (*random)(uint64_t seed, uint64_t firstBlock, int64_t numBlocks,
                 uint32_t *words);
  /// roundToOdd of each element.
  void (*roundToOdd)(const double *values, float *rounded, int64_t count);
};

/// The kernels for getInstructionSet().
const MinifloatKernels &getMinifloatKernels();

} // namespace compress::numerics

#endif // COMPRESS_LIB_NUMERICS_MINIFLOATKERNELS_H
