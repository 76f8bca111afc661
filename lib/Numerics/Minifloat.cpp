//===- Minifloat.cpp - FP8, FP6, FP4 and E8M0 numbers ---------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/Minifloat.h"

#include "MinifloatKernels.h"
#include "TileAccess.h"

#include "compress/Numerics/Parallel.h"
#include "compress/Numerics/Random.h"

#include <algorithm>
#include <atomic>
#include <limits>

using namespace llvm;

namespace compress::numerics {

const MinifloatTraits &getTraits(MinifloatFormat format) {
  // name, exponent bits, mantissa bits, bias, sign, Inf, NaN, unsigned zero,
  // largest code, largest value, largest exponent
  static const MinifloatTraits traits[] = {
      {"E4M3FN", 4, 3, 7, true, false, true, false, 0x7E, 448.0f, 8},
      {"E5M2", 5, 2, 15, true, true, true, false, 0x7B, 57344.0f, 15},
      {"E4M3FNUZ", 4, 3, 8, true, false, true, true, 0x7F, 240.0f, 7},
      {"E5M2FNUZ", 5, 2, 16, true, false, true, true, 0x7F, 57344.0f, 15},
      {"E3M2", 3, 2, 3, true, false, false, false, 0x1F, 28.0f, 4},
      {"E2M3", 2, 3, 1, true, false, false, false, 0x1F, 7.5f, 2},
      {"E2M1", 2, 1, 1, true, false, false, false, 0x07, 6.0f, 2},
      {"E8M0", 8, 0, 127, false, false, true, false, 0xFE, 0x1p127f, 127}};
  return traits[static_cast<unsigned>(format)];
}

static Error checkSizes(int64_t values, int64_t codes) {
  if (values != codes)
    return createStringError(
        "expected as many codes as values, but got %lld and %lld",
        static_cast<long long>(codes), static_cast<long long>(values));
  return Error::success();
}

template <typename T>
static Error checkSpans(StridedSpan<const T> values,
                        StridedSpan<const uint8_t> codes) {
  if (Error error = checkSpan(values, "the value span"))
    return error;
  if (Error error = checkSpan(codes, "the code span"))
    return error;
  return checkSizes(values.size(), codes.size());
}

namespace {
/// The buffers of one chunk of encoding work.
template <typename T>
struct EncodeTile {
  ComputeType<T> wide[tileSize];
  float rounded[tileSize];
  uint8_t codes[tileSize];
  // A tile may start inside a Philox block and end inside another.
  uint32_t random[tileSize + 8];
};
} // namespace

/// The tile as f32 numbers that round to `format` as the elements do.
template <typename T>
static const float *loadFloatTile(StridedSpan<const T> values, int64_t begin,
                                  int64_t count, EncodeTile<T> &tile,
                                  const MinifloatKernels &kernels) {
  const ComputeType<T> *wide = loadTile(values, begin, count, tile.wide);
  if constexpr (std::is_same_v<T, double>) {
    kernels.roundToOdd(wide, tile.rounded, count);
    return tile.rounded;
  } else {
    return wide;
  }
}

/// Calls body(kernels, begin, count, values, codes) on tiles of the spans.
template <typename T, typename Body>
static void encodeTiles(StridedSpan<const T> values, StridedSpan<uint8_t> codes,
                        ThreadPoolInterface *pool, Body body) {
  const MinifloatKernels &kernels = getMinifloatKernels();
  forEachChunk(pool, values.size(), parallelChunkSize,
               [&](int64_t, int64_t begin, int64_t end) {
                 EncodeTile<T> tile;
                 for (int64_t i = begin; i < end; i += tileSize) {
                   int64_t count = std::min(tileSize, end - i);
                   const float *in =
                       loadFloatTile(values, i, count, tile, kernels);
                   uint8_t *out = getTileTarget(codes, i, tile.codes);
                   body(kernels, i, count, in, out, tile.random);
                   storeTile(codes, i, count, out);
                 }
               });
}

/// The index of the first NaN of a tile that has one.
static int64_t findNaN(const float *values, int64_t count) {
  return std::find_if(values, values + count,
                      [](float value) { return value != value; }) -
         values;
}

static void lowerTo(std::atomic<int64_t> &minimum, int64_t value) {
  int64_t current = minimum;
  while (value < current && !minimum.compare_exchange_weak(current, value))
    ;
}

template <typename T>
Error encodeMinifloat(StridedSpan<const T> values, MinifloatFormat format,
                      const MinifloatOptions &options,
                      StridedSpan<uint8_t> codes, ThreadPoolInterface *pool) {
  if (Error error = checkSpans<T>(values, codes))
    return error;
  const bool isStochastic = options.rounding == MinifloatRounding::Stochastic;
  if (format == MinifloatFormat::E8M0) {
    if (isStochastic)
      return createStringError("E8M0 has no stochastic rounding; choose "
                               "nearest, or E8M0Rounding with encodeE8M0");
    return encodeE8M0<T>(values, E8M0Rounding::NearestTiesUp, options.saturate,
                         codes, pool);
  }
  const MinifloatEncoder encoder = getEncoder(format, options.saturate);
  constexpr int64_t none = std::numeric_limits<int64_t>::max();
  std::atomic<int64_t> firstNaN{none};
  encodeTiles<T>(values, codes, pool,
                 [&](const MinifloatKernels &kernels, int64_t begin,
                     int64_t count, const float *in, uint8_t *out,
                     uint32_t *random) {
                   bool sawNaN;
                   if (isStochastic) {
                     uint64_t first = options.firstIndex + begin;
                     unsigned skipped = first % 4;
                     kernels.random(options.seed, first / 4,
                                    (skipped + count + 3) / 4, random);
                     sawNaN = kernels.encodeStochastic(in, random + skipped,
                                                       out, count, encoder);
                   } else {
                     sawNaN = kernels.encode(in, out, count, encoder);
                   }
                   if (sawNaN)
                     lowerTo(firstNaN, begin + findNaN(in, count));
                 });
  const MinifloatTraits &traits = getTraits(format);
  if (firstNaN != none && !traits.hasNaN &&
      options.nanPolicy == NaNPolicy::Refuse)
    return createStringError(
        "element %lld is NaN, which %s cannot hold; remove it or ask for zero",
        static_cast<long long>(firstNaN.load()), traits.name.data());
  return Error::success();
}

template <typename T>
Error encodeE8M0(StridedSpan<const T> values, E8M0Rounding rounding,
                 bool saturate, StridedSpan<uint8_t> codes,
                 ThreadPoolInterface *pool) {
  if (Error error = checkSpans<T>(values, codes))
    return error;
  const E8M0Encoder encoder = getE8M0Encoder(rounding, saturate);
  encodeTiles<T>(values, codes, pool,
                 [&](const MinifloatKernels &kernels, int64_t, int64_t count,
                     const float *in, uint8_t *out, uint32_t *) {
                   kernels.encodeE8M0(in, out, count, encoder);
                 });
  return Error::success();
}

template <typename T>
Error decodeMinifloat(StridedSpan<const uint8_t> codes, MinifloatFormat format,
                      StridedSpan<T> values, ThreadPoolInterface *pool) {
  if (Error error = checkSpans<T>(values, codes))
    return error;
  const MinifloatKernels &kernels = getMinifloatKernels();
  const bool isE8M0 = format == MinifloatFormat::E8M0;
  const MinifloatDecoder decoder =
      isE8M0 ? MinifloatDecoder() : getDecoder(format);
  forEachChunk(pool, values.size(), parallelChunkSize,
               [&](int64_t, int64_t begin, int64_t end) {
                 uint8_t codeBuffer[tileSize];
                 float valueBuffer[tileSize];
                 for (int64_t i = begin; i < end; i += tileSize) {
                   int64_t count = std::min(tileSize, end - i);
                   const uint8_t *in = codeBuffer;
                   if (codes.isContiguous())
                     in = codes.data() + i * codes.stride();
                   else
                     for (int64_t j = 0; j < count; ++j)
                       codeBuffer[j] = codes[i + j];
                   float *out = valueBuffer;
                   if constexpr (std::is_same_v<T, float>)
                     out = getTileTarget(values, i, valueBuffer);
                   if (isE8M0)
                     kernels.decodeE8M0(in, out, count);
                   else
                     kernels.decode(in, out, count, decoder);
                   storeTile(values, i, count, out);
                 }
               });
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Single values
//===----------------------------------------------------------------------===//

namespace {
/// The constants of all signed formats, made once.
struct ConstantTables {
  static constexpr unsigned numFormats =
      static_cast<unsigned>(MinifloatFormat::E8M0);
  MinifloatEncoder encoders[numFormats][2];
  MinifloatDecoder decoders[numFormats];

  ConstantTables() {
    for (unsigned i = 0; i < numFormats; ++i) {
      MinifloatFormat format = static_cast<MinifloatFormat>(i);
      for (bool saturate : {false, true})
        encoders[i][saturate] = getEncoder(format, saturate);
      decoders[i] = getDecoder(format);
    }
  }
};
} // namespace

static const ConstantTables &getTables() {
  static const ConstantTables tables;
  return tables;
}

uint8_t encodeMinifloat(float value, MinifloatFormat format, bool saturate) {
  uint32_t bits = detail::bitCast<uint32_t>(value);
  if (format == MinifloatFormat::E8M0)
    return encodeE8M0Bits(
        bits, getE8M0Encoder(E8M0Rounding::NearestTiesUp, saturate));
  return encodeBits(
      bits, getTables().encoders[static_cast<unsigned>(format)][saturate]);
}

uint8_t encodeMinifloat(double value, MinifloatFormat format, bool saturate) {
  return encodeMinifloat(roundToOdd(value), format, saturate);
}

float decodeMinifloat(uint8_t code, MinifloatFormat format) {
  if (format == MinifloatFormat::E8M0)
    return detail::bitCast<float>(decodeE8M0Bits(code));
  return detail::bitCast<float>(
      decodeBits(code, getTables().decoders[static_cast<unsigned>(format)]));
}

uint8_t encodeE8M0(double value, E8M0Rounding rounding, bool saturate) {
  uint32_t bits = detail::bitCast<uint32_t>(roundToOdd(value));
  return encodeE8M0Bits(bits, getE8M0Encoder(rounding, saturate));
}

#define COMPRESS_INSTANTIATE(T)                                                \
  template Error encodeMinifloat<T>(                                           \
      StridedSpan<const T>, MinifloatFormat, const MinifloatOptions &,         \
      StridedSpan<uint8_t>, ThreadPoolInterface *);                            \
  template Error encodeE8M0<T>(StridedSpan<const T>, E8M0Rounding, bool,       \
                               StridedSpan<uint8_t>, ThreadPoolInterface *);   \
  template Error decodeMinifloat<T>(StridedSpan<const uint8_t>,                \
                                    MinifloatFormat, StridedSpan<T>,           \
                                    ThreadPoolInterface *);
COMPRESS_INSTANTIATE(float)
COMPRESS_INSTANTIATE(double)
COMPRESS_INSTANTIATE(Half)
COMPRESS_INSTANTIATE(BFloat16)
#undef COMPRESS_INSTANTIATE

} // namespace compress::numerics
