//===- AffineKernels.cpp - Inner loops of affine quantization -------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Written as plain loops that compilers vectorize: no branches, no calls, no
// floating-point reductions. Each is compiled for every InstructionSet by
// forcing it inline into a function with the target attribute of that set.
//
//===----------------------------------------------------------------------===//

#include "AffineKernels.h"
#include "KernelTarget.h"
#include "compress/Numerics/HalfFloat.h"
#include "compress/Numerics/InstructionSet.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace compress::numerics {

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

namespace {

/// What the loops need to know about a float kind: how it is stored (Bits),
/// what it is computed in (Value), and a signed integer that orders like it.
template <FloatBuffer::Kind kind>
struct Element;

template <>
struct Element<FloatBuffer::F32> {
  using Bits = uint32_t;
  using Ordered = int32_t;
  using Value = float;
  static constexpr Bits infinity = 0x7F800000;
  static COMPRESS_KERNEL float widen(Bits bits) {
    return detail::bitCast<float>(bits);
  }
  static COMPRESS_KERNEL Bits scaled(int32_t steps, float scale) {
    return detail::bitCast<Bits>(static_cast<float>(steps) * scale);
  }
};

template <>
struct Element<FloatBuffer::F64> {
  using Bits = uint64_t;
  using Ordered = int64_t;
  using Value = double;
  static constexpr Bits infinity = 0x7FF0000000000000;
  static COMPRESS_KERNEL double widen(Bits bits) {
    return detail::bitCast<double>(bits);
  }
  static COMPRESS_KERNEL Bits scaled(int32_t steps, float scale) {
    return detail::bitCast<Bits>(static_cast<double>(steps) * scale);
  }
};

// The product of a 17-bit and a 24-bit integer is exact in f64, so narrowing it
// is the only rounding.
template <>
struct Element<FloatBuffer::F16> {
  using Bits = uint16_t;
  using Ordered = int16_t;
  using Value = float;
  static constexpr Bits infinity = 0x7C00;
  static COMPRESS_KERNEL float widen(Bits bits) { return halfToFloat(bits); }
  static COMPRESS_KERNEL Bits scaled(int32_t steps, float scale) {
    return doubleToHalf(static_cast<double>(steps) * scale);
  }
};

template <>
struct Element<FloatBuffer::BF16> {
  using Bits = uint16_t;
  using Ordered = int16_t;
  using Value = float;
  static constexpr Bits infinity = 0x7F80;
  static COMPRESS_KERNEL float widen(Bits bits) { return bfloatToFloat(bits); }
  static COMPRESS_KERNEL Bits scaled(int32_t steps, float scale) {
    return doubleToBFloat(static_cast<double>(steps) * scale);
  }
};

/// Adding it puts a number of magnitude below 2^21, rounded half to even, into
/// the low bits of the sum.
template <typename Value>
struct RoundingAnchor;
template <>
struct RoundingAnchor<float> {
  static constexpr float value = 0x1.8p23f;
  static COMPRESS_KERNEL int32_t extract(float sum) {
    return detail::bitCast<int32_t>(sum) - detail::bitCast<int32_t>(value);
  }
};
template <>
struct RoundingAnchor<double> {
  static constexpr double value = 0x1.8p52;
  static COMPRESS_KERNEL int32_t extract(double sum) {
    return static_cast<int32_t>(detail::bitCast<int64_t>(sum));
  }
};

template <typename Bits>
COMPRESS_KERNEL Bits load(const char *at, int64_t i) {
  Bits bits;
  std::memcpy(&bits, at + i * static_cast<int64_t>(sizeof(Bits)), sizeof(Bits));
  return bits;
}

template <typename Bits>
COMPRESS_KERNEL void store(char *at, int64_t i, Bits bits) {
  std::memcpy(at + i * static_cast<int64_t>(sizeof(Bits)), &bits, sizeof(Bits));
}

//===----------------------------------------------------------------------===//
// Quantize
//===----------------------------------------------------------------------===//

/// Affine.h's quantize. Clamping the quotient to the integers qmin - zp and
/// qmax - zp before it is rounded gives what clamping the code afterwards does.
template <typename Value>
COMPRESS_KERNEL int32_t quantizeOne(Value value, float scale, int32_t zeroPoint,
                                    int32_t qmin, int32_t qmax) {
  using Anchor = RoundingAnchor<Value>;
  Value quotient = value / static_cast<Value>(scale);
  quotient = std::isnan(quotient) ? Value(0) : quotient;
  const Value low = static_cast<Value>(qmin - zeroPoint);
  const Value high = static_cast<Value>(qmax - zeroPoint);
  quotient = quotient < low ? low : quotient;
  quotient = quotient > high ? high : quotient;
  return Anchor::extract(quotient + Anchor::value) + zeroPoint;
}

template <FloatBuffer::Kind kind, typename Code>
COMPRESS_KERNEL void quantizeGroup(const char *__restrict in, int64_t count,
                                   float scale, int32_t zeroPoint, int32_t qmin,
                                   int32_t qmax, Code *__restrict out) {
  using E = Element<kind>;
  for (int64_t i = 0; i < count; ++i)
    out[i] = static_cast<Code>(quantizeOne<typename E::Value>(
        E::widen(load<typename E::Bits>(in, i)), scale, zeroPoint, qmin, qmax));
}

template <FloatBuffer::Kind kind, typename Code>
COMPRESS_KERNEL void quantizeEach(const char *__restrict in, int64_t count,
                                  const float *__restrict scales,
                                  const int32_t *__restrict zeros, int32_t qmin,
                                  int32_t qmax, Code *__restrict out) {
  using E = Element<kind>;
  using Value = typename E::Value;
  if (zeros) {
    for (int64_t i = 0; i < count; ++i)
      out[i] = static_cast<Code>(
          quantizeOne<Value>(E::widen(load<typename E::Bits>(in, i)), scales[i],
                             zeros[i], qmin, qmax));
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    out[i] = static_cast<Code>(quantizeOne<Value>(
        E::widen(load<typename E::Bits>(in, i)), scales[i], 0, qmin, qmax));
}

/// Calls body(first element, count, group) for each block of a run. Common
/// large block sizes become constants, so that loops over them need no
/// remainder. Not small ones: such loops are unrolled before they can be
/// vectorized.
template <typename Body>
COMPRESS_KERNEL void forEachBlock(int64_t count, int64_t block, Body body) {
  int64_t group = 0, at = 0;
  switch (block) {
  case 64:
    for (; at + 64 <= count; at += 64)
      body(at, 64, group++);
    break;
  case 128:
    for (; at + 128 <= count; at += 128)
      body(at, 128, group++);
    break;
  default:
    for (; count - at >= block; at += block)
      body(at, block, group++);
    break;
  }
  if (at < count)
    body(at, count - at, group);
}

template <FloatBuffer::Kind kind, typename Code>
COMPRESS_KERNEL void quantizeRun(const char *in, int64_t count, int64_t block,
                                 GroupParams params, int32_t qmin, int32_t qmax,
                                 void *out) {
  Code *codes = static_cast<Code *>(out);
  if (block == 1)
    return quantizeEach<kind, Code>(in, count, params.scales, params.zeroPoints,
                                    qmin, qmax, codes);
  forEachBlock(count, block,
               [=](int64_t at, int64_t size, int64_t group)
                   __attribute__((always_inline)) {
                     int32_t zero =
                         params.zeroPoints ? params.zeroPoints[group] : 0;
                     quantizeGroup<kind, Code>(
                         in + at * FloatBuffer::getElementBytes(kind), size,
                         params.scales[group], zero, qmin, qmax, codes + at);
                   });
}

//===----------------------------------------------------------------------===//
// Dequantize
//===----------------------------------------------------------------------===//

template <FloatBuffer::Kind kind, typename Code>
COMPRESS_KERNEL void dequantizeRun(const void *in, int64_t count, int64_t block,
                                   GroupParams params, char *out) {
  using E = Element<kind>;
  const Code *__restrict codes = static_cast<const Code *>(in);
  const float *__restrict scales = params.scales;
  const int32_t *__restrict zeros = params.zeroPoints;
  char *__restrict values = out;
  if (block == 1) {
    if (zeros) {
      for (int64_t i = 0; i < count; ++i)
        store(values, i, E::scaled(codes[i] - zeros[i], scales[i]));
      return;
    }
    for (int64_t i = 0; i < count; ++i)
      store(values, i, E::scaled(codes[i], scales[i]));
    return;
  }
  forEachBlock(count, block,
               [=](int64_t at, int64_t size, int64_t group)
                   __attribute__((always_inline)) {
                     const int32_t zero = zeros ? zeros[group] : 0;
                     const float scale = scales[group];
                     for (int64_t i = at; i < at + size; ++i)
                       store(values, i, E::scaled(codes[i] - zero, scale));
                   });
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

/// The largest finite f32 instead of numbers beyond it.
COMPRESS_KERNEL float toFiniteFloat(float value) { return value; }
COMPRESS_KERNEL float toFiniteFloat(double value) {
  value = value > FLT_MAX ? FLT_MAX : value;
  value = value < -FLT_MAX ? -FLT_MAX : value;
  return static_cast<float>(value);
}

/// Flips the magnitude bits of negative numbers: integers that order as the
/// numbers do. Its own inverse.
template <typename Ordered>
COMPRESS_KERNEL Ordered flip(Ordered bits) {
  constexpr Ordered magnitude = std::numeric_limits<Ordered>::max();
  return static_cast<Ordered>(
      bits ^ ((bits >> (8 * sizeof(Ordered) - 1)) & magnitude));
}

/// Minimum and maximum as integers, because compilers reorder those.
template <FloatBuffer::Kind kind>
COMPRESS_KERNEL void widenRange(const char *__restrict in, int64_t count,
                                float &low, float &high) {
  using E = Element<kind>;
  using Bits = typename E::Bits;
  using Ordered = typename E::Ordered;
  Ordered least = 0, greatest = 0;
  for (int64_t i = 0; i < count; ++i) {
    Ordered bits = load<Ordered>(in, i);
    Ordered magnitude = bits & std::numeric_limits<Ordered>::max();
    bits = magnitude < static_cast<Ordered>(E::infinity) ? bits : Ordered(0);
    Ordered ordered = flip<Ordered>(bits);
    least = ordered < least ? ordered : least;
    greatest = ordered > greatest ? ordered : greatest;
  }
  low = std::min(
      low, toFiniteFloat(E::widen(static_cast<Bits>(flip<Ordered>(least)))));
  high = std::max(high, toFiniteFloat(E::widen(
                            static_cast<Bits>(flip<Ordered>(greatest)))));
}

template <FloatBuffer::Kind kind>
COMPRESS_KERNEL void rangeRun(const char *in, int64_t count, int64_t block,
                              float *lows, float *highs) {
  using E = Element<kind>;
  using Value = typename E::Value;
  if (block == 1) {
    const char *__restrict values = in;
    float *__restrict low = lows;
    float *__restrict high = highs;
    for (int64_t i = 0; i < count; ++i) {
      Value value = E::widen(load<typename E::Bits>(values, i));
      constexpr Value largest = std::numeric_limits<Value>::max();
      bool isFinite = value <= largest && value >= -largest;
      float finite = toFiniteFloat(isFinite ? value : Value(0));
      low[i] = finite < low[i] ? finite : low[i];
      high[i] = finite > high[i] ? finite : high[i];
    }
    return;
  }
  forEachBlock(count, block,
               [=](int64_t at, int64_t size,
                   int64_t group) __attribute__((always_inline)) {
                 widenRange<kind>(in + at * FloatBuffer::getElementBytes(kind),
                                  size, lows[group], highs[group]);
               });
}

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

#define COMPRESS_DEFINE_VARIANT(Name, TARGET)                                  \
  struct Name {                                                                \
    template <FloatBuffer::Kind kind, typename Code>                           \
    TARGET static void quantize(const char *in, int64_t count, int64_t block,  \
                                GroupParams params, int32_t qmin,              \
                                int32_t qmax, void *out) {                     \
      quantizeRun<kind, Code>(in, count, block, params, qmin, qmax, out);      \
    }                                                                          \
    template <FloatBuffer::Kind kind, typename Code>                           \
    TARGET static void dequantize(const void *in, int64_t count,               \
                                  int64_t block, GroupParams params,           \
                                  char *out) {                                 \
      dequantizeRun<kind, Code>(in, count, block, params, out);                \
    }                                                                          \
    template <FloatBuffer::Kind kind>                                          \
    TARGET static void range(const char *in, int64_t count, int64_t block,     \
                             float *lows, float *highs) {                      \
      rangeRun<kind>(in, count, block, lows, highs);                           \
    }                                                                          \
  };

COMPRESS_DEFINE_VARIANT(Portable, )
#if COMPRESS_HAS_X86_KERNELS
COMPRESS_DEFINE_VARIANT(AVX2, COMPRESS_TARGET_AVX2)
COMPRESS_DEFINE_VARIANT(AVX512, COMPRESS_TARGET_AVX512)
#endif

} // namespace

/// Calls fn with the kernels of the best usable variant.
template <typename Fn>
static auto withVariant(Fn fn) {
#if COMPRESS_HAS_X86_KERNELS
  switch (getInstructionSet()) {
  case InstructionSet::AVX512:
    return fn(AVX512());
  case InstructionSet::AVX2:
    return fn(AVX2());
  case InstructionSet::Portable:
    break;
  }
#endif
  return fn(Portable());
}

/// Calls fn with `kind` as a constant.
template <typename Fn>
static auto withKind(FloatBuffer::Kind kind, Fn fn) {
  switch (kind) {
  case FloatBuffer::F16:
    return fn(std::integral_constant<FloatBuffer::Kind, FloatBuffer::F16>());
  case FloatBuffer::BF16:
    return fn(std::integral_constant<FloatBuffer::Kind, FloatBuffer::BF16>());
  case FloatBuffer::F64:
    return fn(std::integral_constant<FloatBuffer::Kind, FloatBuffer::F64>());
  case FloatBuffer::F32:
    break;
  }
  return fn(std::integral_constant<FloatBuffer::Kind, FloatBuffer::F32>());
}

QuantizeFn getQuantizeKernel(FloatBuffer::Kind kind, bool wide) {
  return withVariant([=](auto variant) {
    using Variant = decltype(variant);
    return withKind(kind, [=](auto constant) -> QuantizeFn {
      constexpr FloatBuffer::Kind k = decltype(constant)::value;
      if (wide)
        return &Variant::template quantize<k, int16_t>;
      return &Variant::template quantize<k, int8_t>;
    });
  });
}

DequantizeFn getDequantizeKernel(FloatBuffer::Kind kind, bool wide,
                                 bool isSigned) {
  return withVariant([=](auto variant) {
    using Variant = decltype(variant);
    return withKind(kind, [=](auto constant) -> DequantizeFn {
      constexpr FloatBuffer::Kind k = decltype(constant)::value;
      if (wide && isSigned)
        return &Variant::template dequantize<k, int16_t>;
      if (wide)
        return &Variant::template dequantize<k, uint16_t>;
      if (isSigned)
        return &Variant::template dequantize<k, int8_t>;
      return &Variant::template dequantize<k, uint8_t>;
    });
  });
}

RangeFn getRangeKernel(FloatBuffer::Kind kind) {
  return withVariant([=](auto variant) {
    using Variant = decltype(variant);
    return withKind(kind, [=](auto constant) -> RangeFn {
      return &Variant::template range<decltype(constant)::value>;
    });
  });
}

} // namespace compress::numerics
