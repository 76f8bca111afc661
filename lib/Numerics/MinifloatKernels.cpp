//===- MinifloatKernels.cpp - Inner loops of minifloat conversion ---------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MinifloatKernels.h"

#include "compress/Numerics/Random.h"

namespace compress::numerics {

//===----------------------------------------------------------------------===//
// Loop bodies
//===----------------------------------------------------------------------===//

static COMPRESS_KERNEL bool encodeBody(const float *__restrict values,
                                       uint8_t *__restrict codes, int64_t count,
                                       const MinifloatEncoder &encoder) {
  // A local copy, so that stores to `codes` cannot change it.
  const MinifloatEncoder e = encoder;
  uint32_t sawNaN = 0;
  for (int64_t i = 0; i < count; ++i) {
    uint32_t bits = detail::bitCast<uint32_t>(values[i]);
    sawNaN |= (bits & 0x7FFFFFFF) > 0x7F800000 ? 1 : 0;
    codes[i] = static_cast<uint8_t>(encodeBits(bits, e));
  }
  return sawNaN != 0;
}

static COMPRESS_KERNEL bool encodeStochasticBody(
    const float *__restrict values, const uint32_t *__restrict random,
    uint8_t *__restrict codes, int64_t count, const MinifloatEncoder &encoder) {
  const MinifloatEncoder e = encoder;
  uint32_t sawNaN = 0;
  for (int64_t i = 0; i < count; ++i) {
    uint32_t bits = detail::bitCast<uint32_t>(values[i]);
    sawNaN |= (bits & 0x7FFFFFFF) > 0x7F800000 ? 1 : 0;
    codes[i] = static_cast<uint8_t>(encodeBitsStochastic(bits, random[i], e));
  }
  return sawNaN != 0;
}

static COMPRESS_KERNEL void decodeBody(const uint8_t *__restrict codes,
                                       float *__restrict values, int64_t count,
                                       const MinifloatDecoder &decoder) {
  const MinifloatDecoder d = decoder;
  for (int64_t i = 0; i < count; ++i)
    values[i] = detail::bitCast<float>(decodeBits(codes[i], d));
}

static COMPRESS_KERNEL void encodeE8M0Body(const float *__restrict values,
                                           uint8_t *__restrict codes,
                                           int64_t count,
                                           const E8M0Encoder &encoder) {
  const E8M0Encoder e = encoder;
  for (int64_t i = 0; i < count; ++i)
    codes[i] = static_cast<uint8_t>(
        encodeE8M0Bits(detail::bitCast<uint32_t>(values[i]), e));
}

static COMPRESS_KERNEL void decodeE8M0Body(const uint8_t *__restrict codes,
                                           float *__restrict values,
                                           int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    values[i] = detail::bitCast<float>(decodeE8M0Bits(codes[i]));
}

static COMPRESS_KERNEL void randomBody(uint64_t seed, uint64_t firstBlock,
                                       int64_t numBlocks,
                                       uint32_t *__restrict words) {
  // philox4x32, with the rounds in registers so that lanes are blocks.
  for (int64_t i = 0; i < numBlocks; ++i) {
    uint64_t block = firstBlock + i;
    uint32_t c0 = static_cast<uint32_t>(block);
    uint32_t c1 = static_cast<uint32_t>(block >> 32);
    uint32_t c2 = 0, c3 = 0;
    uint32_t k0 = static_cast<uint32_t>(seed);
    uint32_t k1 = static_cast<uint32_t>(seed >> 32);
#if defined(__clang__)
#pragma clang loop unroll(full)
#endif
    for (int round = 0; round < 10; ++round) {
      uint64_t product0 = static_cast<uint64_t>(0xD2511F53u) * c0;
      uint64_t product1 = static_cast<uint64_t>(0xCD9E8D57u) * c2;
      c0 = static_cast<uint32_t>(product1 >> 32) ^ c1 ^ k0;
      c1 = static_cast<uint32_t>(product1);
      c2 = static_cast<uint32_t>(product0 >> 32) ^ c3 ^ k1;
      c3 = static_cast<uint32_t>(product0);
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
    words[4 * i] = c0;
    words[4 * i + 1] = c1;
    words[4 * i + 2] = c2;
    words[4 * i + 3] = c3;
  }
}

static COMPRESS_KERNEL void roundToOddBody(const double *__restrict values,
                                           float *__restrict rounded,
                                           int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    rounded[i] = roundToOdd(values[i]);
}

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

// One class of thin wrappers per instruction set; TARGET holds the attribute.
#define COMPRESS_MINIFLOAT_KERNELS(NAME, TARGET)                               \
  namespace {                                                                  \
  struct NAME {                                                                \
    TARGET static bool encode(const float *values, uint8_t *codes,             \
                              int64_t count, const MinifloatEncoder &e) {      \
      return encodeBody(values, codes, count, e);                              \
    }                                                                          \
    TARGET static bool encodeStochastic(const float *values,                   \
                                        const uint32_t *random,                \
                                        uint8_t *codes, int64_t count,         \
                                        const MinifloatEncoder &e) {           \
      return encodeStochasticBody(values, random, codes, count, e);            \
    }                                                                          \
    TARGET static void decode(const uint8_t *codes, float *values,             \
                              int64_t count, const MinifloatDecoder &d) {      \
      decodeBody(codes, values, count, d);                                     \
    }                                                                          \
    TARGET static void encodeE8M0(const float *values, uint8_t *codes,         \
                                  int64_t count, const E8M0Encoder &e) {       \
      encodeE8M0Body(values, codes, count, e);                                 \
    }                                                                          \
    TARGET static void decodeE8M0(const uint8_t *codes, float *values,         \
                                  int64_t count) {                             \
      decodeE8M0Body(codes, values, count);                                    \
    }                                                                          \
    TARGET static void random(uint64_t seed, uint64_t firstBlock,              \
                              int64_t numBlocks, uint32_t *words) {            \
      randomBody(seed, firstBlock, numBlocks, words);                          \
    }                                                                          \
    TARGET static void roundToOdd(const double *values, float *rounded,        \
                                  int64_t count) {                             \
      roundToOddBody(values, rounded, count);                                  \
    }                                                                          \
    static constexpr MinifloatKernels getTable() {                             \
      return {encode,     encodeStochastic, decode,    encodeE8M0,             \
              decodeE8M0, random,           roundToOdd};                       \
    }                                                                          \
  };                                                                           \
  }

COMPRESS_MINIFLOAT_KERNELS(PortableKernels, )
#if COMPRESS_HAS_X86_KERNELS
COMPRESS_MINIFLOAT_KERNELS(AVX2Kernels, COMPRESS_TARGET_AVX2)
COMPRESS_MINIFLOAT_KERNELS(AVX512Kernels, COMPRESS_TARGET_AVX512)
#endif

const MinifloatKernels &getMinifloatKernels() {
#if COMPRESS_HAS_X86_KERNELS
  return selectKernelTable<MinifloatKernels, PortableKernels, AVX2Kernels,
                           AVX512Kernels>();
#else
  return selectKernelTable<MinifloatKernels, PortableKernels>();
#endif
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// The f32 bits of 2^exponent, for normal numbers.
static uint32_t getPowerOfTwoBits(int exponent) {
  return static_cast<uint32_t>(exponent + 127) << 23;
}

MinifloatEncoder getEncoder(MinifloatFormat format, bool saturate) {
  const MinifloatTraits &traits = getTraits(format);
  const int mantissaBits = static_cast<int>(traits.mantissaBits);
  const int smallest = 1 - traits.bias - mantissaBits;
  MinifloatEncoder e;
  e.dropped = 23 - mantissaBits;
  e.rebias = static_cast<uint32_t>(127 - traits.bias) << mantissaBits;
  e.smallestNormal = getPowerOfTwoBits(1 - traits.bias);
  e.anchor = detail::bitCast<float>(getPowerOfTwoBits(smallest + 23));
  e.subnormalScale = detail::bitCast<float>(getPowerOfTwoBits(20 - smallest));
  e.largest = traits.largestCode;
  e.signShift = 32 - traits.getBits();
  e.signBit = 1u << (traits.getBits() - 1);
  e.zeroSign = traits.isUnsignedZero ? 0 : ~0u;
  e.payload = traits.hasInfinity ? (1u << mantissaBits) - 1 : 0;
  if (!traits.hasNaN) {
    e.nan = 0;
    e.nanSign = 0;
    e.overflow = e.infinity = e.largest;
    return e;
  }
  e.nanSign = ~0u;
  // All ones below the sign; with infinities the quiet bit over zeros; the
  // code of negative zero.
  e.nan = (1u << (traits.getBits() - 1)) - 1;
  if (traits.hasInfinity)
    e.nan &= ~((1u << (mantissaBits - 1)) - 1);
  if (traits.isUnsignedZero)
    e.nan = e.signBit;
  uint32_t beyond = traits.hasInfinity ? e.largest + 1 : e.nan;
  e.overflow = saturate ? e.largest : beyond;
  e.infinity = saturate && !traits.isUnsignedZero ? e.largest : beyond;
  return e;
}

MinifloatDecoder getDecoder(MinifloatFormat format) {
  const MinifloatTraits &traits = getTraits(format);
  const int mantissaBits = static_cast<int>(traits.mantissaBits);
  MinifloatDecoder d;
  d.signBit = 1u << (traits.getBits() - 1);
  d.magnitudeMask = d.signBit - 1;
  d.shift = 23 - mantissaBits;
  d.rebias = static_cast<uint32_t>(127 - traits.bias) << 23;
  d.smallestNormal = 1u << mantissaBits;
  d.smallest =
      detail::bitCast<float>(getPowerOfTwoBits(1 - traits.bias - mantissaBits));
  d.signShift = 32 - traits.getBits();
  d.firstSpecial =
      traits.hasNaN && !traits.isUnsignedZero ? traits.largestCode + 1u : ~0u;
  d.infinity = traits.hasInfinity ? d.firstSpecial : ~0u;
  d.negativeZeroNaN = traits.isUnsignedZero ? d.signBit : ~0u;
  return d;
}

E8M0Encoder getE8M0Encoder(E8M0Rounding rounding, bool saturate) {
  const uint32_t overflow = saturate ? 254 : 255;
  switch (rounding) {
  case E8M0Rounding::Up:
    return {0x7FFFFF, 0x400000, overflow};
  case E8M0Rounding::Down:
    return {0, 0x7FFFFF, overflow};
  case E8M0Rounding::NearestTiesUp:
    break;
  }
  return {0x400000, 0x5FFFFF, overflow};
}

} // namespace compress::numerics
