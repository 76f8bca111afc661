//===- FakeQuant.h - Fake quantization and its gradients --------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What quantization-aware training computes with in place of quantized numbers,
// and the gradients that replace the true ones, which are zero almost
// everywhere. With q = round_half_even(x / s) + zp, before saturation:
//
//   forward          y = (saturate(q) - zp) * s
//   straight-through dy/dx = 1, or clipped: 1 if qmin <= q <= qmax, else 0
//   LSQ scale        dy/ds = (q - zp) - x / s inside, qmin - zp below,
//                            qmax - zp above
//   zero point       dy/dzp = 0 inside, -s outside
//
// NaN is quantized to 0.0 and has no gradient. Computations are done in the
// type of x. The functions are templates over float and double.
//
// Sources: Bengio et al. 2013 (straight-through); Esser et al., "Learned Step
// Size Quantization", ICLR 2020; Bhalgat et al., "LSQ+", 2020 (zero point);
// Choi et al., "PACT", 2018.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_FAKEQUANT_H
#define COMPRESS_NUMERICS_FAKEQUANT_H

#include "compress/Numerics/Affine.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace compress::numerics {

/// dequantize(quantize(x)), rounded once to the type of x.
template <typename Float>
Float fakeQuantize(Float x, AffineParams params, IntegerFormat format) {
  return static_cast<Float>(dequantize(quantize(x, params, format), params));
}

/// Factors by which a gradient of the output is multiplied.
template <typename Float>
struct FakeQuantGradient {
  /// Of x, clipped straight-through.
  Float x = 0;
  Float scale = 0;
  Float zeroPoint = 0;
};

/// The gradients at x; see the head of the file.
template <typename Float>
FakeQuantGradient<Float> getFakeQuantGradient(Float x, AffineParams params,
                                              IntegerFormat format) {
  const Float quotient = x / static_cast<Float>(params.scale);
  if (std::isnan(quotient))
    return {};
  const Float steps = std::nearbyint(quotient);
  const Float low = static_cast<Float>(format.getMin() - params.zeroPoint);
  const Float high = static_cast<Float>(format.getMax() - params.zeroPoint);
  if (steps < low)
    return {0, low, -static_cast<Float>(params.scale)};
  if (steps > high)
    return {0, high, -static_cast<Float>(params.scale)};
  return {1, steps - quotient, 0};
}

/// LSQ's factor for the sum of the scale's gradient over `count` elements:
/// 1 / sqrt(count * qmax); 1 if that is not positive.
template <typename Float>
Float getLSQGradientScale(int64_t count, IntegerFormat format) {
  double product = static_cast<double>(count) * format.getMax();
  return static_cast<Float>(product > 0 ? 1.0 / std::sqrt(product) : 1.0);
}

/// PACT's scale for activations clipped to [0, alpha]: alpha / qmax, at least
/// the smallest scale. `format` is unsigned and the zero point 0, so that
/// fakeQuantize clips by itself.
inline AffineParams getPACTParams(float alpha, IntegerFormat format) {
  float largest = static_cast<float>(std::max(format.getMax(), 1));
  return {roundScale(alpha / largest, ScaleType::F32), 0};
}

/// Factors for the gradients of x and of the clipping value alpha.
template <typename Float>
struct PACTGradient {
  Float x = 0;
  Float alpha = 0;
};

/// x gets the gradient where 0 <= x < alpha, alpha where x >= alpha. NaN gives
/// none.
template <typename Float>
PACTGradient<Float> getPACTGradient(Float x, Float alpha) {
  if (x >= alpha)
    return {0, 1};
  if (x >= 0)
    return {1, 0};
  return {};
}

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_FAKEQUANT_H
