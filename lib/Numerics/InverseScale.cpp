//===- InverseScale.cpp - Codes without a division ------------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/InverseScale.h"

#include <algorithm>
#include <limits>

using namespace compress::numerics;

bool compress::numerics::hasExactCodes(float scale, int32_t low, int32_t high) {
  constexpr int32_t kMaxCode = 1 << 16;
  if (!(scale >= 0x1p-60f && scale <= 0x1p60f) || low > high ||
      low < -kMaxCode || high > kMaxCode)
    return false;
  const float inverse = 1 / scale;
  const float infinity = std::numeric_limits<float>::infinity();
  CodeLimits limits = getCodeLimits(scale, low, high);
  auto agree = [&](float value) {
    float expected =
        std::clamp<float>(std::nearbyint(value / scale), low, high);
    float clamped = std::clamp(value, limits.low, limits.high);
    return expected ==
           std::nearbyint(multiplyByInverse(clamped, scale, inverse));
  };
  // Rounding is monotonic, so the ends stand for all beyond them.
  if (!agree(limits.low) || !agree(limits.high) || !agree(infinity) ||
      !agree(-infinity))
    return false;
  for (int32_t code = low; code < high; ++code) {
    // The boundary to the next code is within an ulp of this product.
    float value = static_cast<float>(code + 0.5) * scale;
    for (int step = 0; step < 4; ++step)
      value = std::nextafter(value, -infinity);
    for (int step = -4; step <= 4; ++step) {
      if (!agree(value))
        return false;
      value = std::nextafter(value, infinity);
    }
  }
  return true;
}
