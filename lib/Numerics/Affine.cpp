//===- Affine.cpp - Affine integer quantization ---------------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/Affine.h"
#include "compress/Numerics/HalfFloat.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace compress::numerics {

static float getLargestScale(ScaleType type) {
  switch (type) {
  case ScaleType::F32:
    return std::numeric_limits<float>::max();
  case ScaleType::F16:
    return 65504.0f;
  case ScaleType::BF16:
    return bfloatToFloat(0x7F7F);
  }
  return std::numeric_limits<float>::max();
}

float getSmallestScale(ScaleType type) {
  return type == ScaleType::F16 ? 0x1p-24f : std::numeric_limits<float>::min();
}

float roundScale(float scale, ScaleType type) {
  if (std::isnan(scale))
    return 1.0f;
  // The limits are numbers of `type`, so rounding cannot leave them again.
  float clamped =
      std::clamp(scale, getSmallestScale(type), getLargestScale(type));
  switch (type) {
  case ScaleType::F32:
    return clamped;
  case ScaleType::F16:
    return halfToFloat(floatToHalf(clamped));
  case ScaleType::BF16:
    return bfloatToFloat(floatToBFloat(clamped));
  }
  return clamped;
}

/// The scale before it is rounded to its type; 0 for the range [0, 0].
static float chooseScale(float low, float high, IntegerFormat format,
                         bool symmetric) {
  // Formats of one or two codes have ends that are 0; such an end can hold
  // nothing, and a division by it would say that it needs an infinite scale.
  const float qmin = static_cast<float>(format.getMin());
  const float qmax = static_cast<float>(format.getMax());
  if (symmetric) {
    float forHigh = qmax > 0 ? high / qmax : 0.0f;
    float forLow = qmin < 0 ? low / qmin : 0.0f;
    return std::max(forHigh, forLow);
  }
  const float steps = qmax - qmin;
  if (steps <= 0)
    return 0.0f;
  float extent = high - low;
  return std::isinf(extent) ? high / steps - low / steps : extent / steps;
}

AffineParams chooseParams(float low, float high, IntegerFormat format,
                          bool symmetric, ScaleType scaleType) {
  low = std::isfinite(low) ? std::min(low, 0.0f) : 0.0f;
  high = std::isfinite(high) ? std::max(high, 0.0f) : 0.0f;
  float scale = 1.0f;
  if (low < 0 || high > 0)
    scale = roundScale(chooseScale(low, high, format, symmetric), scaleType);
  if (symmetric)
    return {scale, 0};
  return {scale, chooseZeroPoint(low, scale, format)};
}

int32_t chooseZeroPoint(float low, float scale, IntegerFormat format) {
  low = std::isfinite(low) ? std::min(low, 0.0f) : 0.0f;
  const float qmin = static_cast<float>(format.getMin());
  const float qmax = static_cast<float>(format.getMax());
  float zeroPoint = std::nearbyint(qmin - low / scale);
  return static_cast<int32_t>(std::clamp(zeroPoint, qmin, qmax));
}

/// `quotient` is x / s. The sum is exact wherever it is not saturated, so its
/// type does not matter.
static int32_t roundAndSaturate(double quotient, int32_t zeroPoint,
                                IntegerFormat format) {
  double code =
      std::isnan(quotient) ? zeroPoint : std::nearbyint(quotient) + zeroPoint;
  return static_cast<int32_t>(std::clamp(code,
                                         static_cast<double>(format.getMin()),
                                         static_cast<double>(format.getMax())));
}

int32_t quantize(float value, AffineParams params, IntegerFormat format) {
  return roundAndSaturate(value / params.scale, params.zeroPoint, format);
}

int32_t quantize(double value, AffineParams params, IntegerFormat format) {
  return roundAndSaturate(value / params.scale, params.zeroPoint, format);
}

} // namespace compress::numerics
