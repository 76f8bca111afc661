//===- InverseScale.h - Codes without a division ----------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The code round_half_even(x / scale) by the inverse of a known scale:
//
//   inverse = 1 / scale, rounded
//   q = x * inverse
//   q' = q + (x - q * scale) * inverse     (two fused operations)
//
// Before its last rounding q' is within 2^-22 ulp of the exact quotient, unless
// something underflows, which needs |x / scale| far below a half where the code
// is 0 anyway. So q' and the rounded quotient are within an ulp of the exact
// one, and their codes can differ only for an x within a few ulp of a boundary,
// (k + 1/2) * scale. Those are finitely many numbers, which hasExactCodes
// tries.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_INVERSESCALE_H
#define COMPRESS_NUMERICS_INVERSESCALE_H

#include <cmath>
#include <cstdint>

namespace compress::numerics {

/// q' from above.
inline float multiplyByInverse(float value, float scale, float inverse) {
  float quotient = value * inverse;
  return std::fma(std::fma(-quotient, scale, value), inverse, quotient);
}

/// Values between which codes are not beyond `low` and `high`.
struct CodeLimits {
  float low, high;
};

/// Values that have the codes `low` and `high`, so that what is clamped to them
/// has clamped codes. Holds where hasExactCodes does.
inline CodeLimits getCodeLimits(float scale, int32_t low, int32_t high) {
  return {static_cast<float>(low) * scale, static_cast<float>(high) * scale};
}

/// Whether, for every float x, NaN excluded, clamping x to getCodeLimits and
/// then rounding multiplyByInverse half to even gives the same as rounding x /
/// scale half to even and clamping that to [low, high]. Always false for scales
/// outside [2^-60, 2^60] and codes beyond 2^16.
bool hasExactCodes(float scale, int32_t low, int32_t high);

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_INVERSESCALE_H
