//===- Affine.h - Affine integer quantization -------------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one definition of affine quantization that encoders, builders, kernels
// and tests agree with bit for bit:
//
//   quantize(x)   = saturate(round_half_even(x / s) + zp)     (ONNX order)
//   dequantize(q) = (q - zp) * s
//
// The division and the addition are done in f32 for f16, bf16 and f32 values
// and in f64 for f64 values; the clamp is done in floating point, before the
// conversion to an integer. NaN gives the zero point (the code of 0.0),
// infinities saturate.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_AFFINE_H
#define COMPRESS_NUMERICS_AFFINE_H

#include <cstdint>

namespace compress::numerics {

/// The integer codes of an affine format: `bits` in [1, 16], two's complement
/// if `isSigned`. A `narrow` signed format leaves out the lowest code, so that
/// the range is symmetric ([-127, 127] for 8 bits).
struct IntegerFormat {
  unsigned bits = 8;
  bool isSigned = true;
  bool narrow = false;

  constexpr int32_t getMin() const {
    return isSigned ? -(1 << (bits - 1)) + (narrow ? 1 : 0) : 0;
  }
  constexpr int32_t getMax() const {
    return isSigned ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
  }
};

/// The floating-point type in which scales are stored.
enum class ScaleType { F32, F16, BF16 };

/// Scale and zero point of one element group.
struct AffineParams {
  float scale = 1.0f;
  int32_t zeroPoint = 0;
};

/// The smallest scale there is: the smallest normal f32 (smallest positive
/// f16 for ScaleType::F16).
float getSmallestScale(ScaleType type);

/// `scale` rounded half-even to `type` and clamped to
/// [getSmallestScale(type), largest finite]. NaN gives 1.
float roundScale(float scale, ScaleType type);

/// Parameters for values in [low, high] (either may be NaN or infinite: such
/// an end counts as 0; the range is widened to include 0).
///
/// Symmetric (zero point 0): s = max(high / qmax, low / qmin), without the
/// second term if qmin is 0. Asymmetric: s = (high - low) / (qmax - qmin), as
/// high/n - low/n where the difference overflows, and
/// zp = clamp(round_half_even(qmin - low / s)). All arithmetic is in f32. A
/// range of [0, 0] gives scale 1. The scale is rounded to `scaleType` before
/// the zero point is derived.
AffineParams chooseParams(float low, float high, IntegerFormat format,
                          bool symmetric, ScaleType scaleType = ScaleType::F32);

/// The zero point that chooseParams gives an asymmetric `format` whose scale is
/// given (positive and finite).
int32_t chooseZeroPoint(float low, float scale, IntegerFormat format);

/// One value; see the head of the file. Float values are divided in f32,
/// double values in f64.
int32_t quantize(float value, AffineParams params, IntegerFormat format);
int32_t quantize(double value, AffineParams params, IntegerFormat format);

/// The denoted value of a code. Exact in f64: a 17-bit times a 24-bit integer.
inline double dequantize(int32_t code, AffineParams params) {
  return static_cast<double>(code - params.zeroPoint) * params.scale;
}

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_AFFINE_H
