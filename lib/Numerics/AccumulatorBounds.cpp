//===- AccumulatorBounds.cpp - Ranges of integer dot products -------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/AccumulatorBounds.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <limits>

namespace compress::numerics {

static constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
static constexpr int64_t kGreatest = std::numeric_limits<int64_t>::max();

static int64_t multiplySaturating(int64_t a, int64_t b) {
  int64_t product;
  if (!llvm::MulOverflow(a, b, product))
    return product;
  return (a < 0) == (b < 0) ? kGreatest : kLeast;
}

uint64_t IntegerRange::getMagnitude() const {
  auto magnitude = [](int64_t value) {
    return value < 0 ? 0 - static_cast<uint64_t>(value)
                     : static_cast<uint64_t>(value);
  };
  return std::max(magnitude(min), magnitude(max));
}

/// Least and greatest number of `bits` bits, short of the saturated ones.
static IntegerRange getLimits(unsigned bits) {
  if (bits >= 64)
    return {kLeast + 1, kGreatest - 1};
  bits = std::max(bits, 1u);
  return {-(int64_t(1) << (bits - 1)), (int64_t(1) << (bits - 1)) - 1};
}

bool IntegerRange::fitsIn(unsigned bits) const {
  IntegerRange limits = getLimits(bits);
  return min >= limits.min && max <= limits.max;
}

IntegerRange getCodeRange(IntegerFormat format) {
  return {format.getMin(), format.getMax()};
}

IntegerRange getCenteredRange(IntegerFormat format,
                              std::optional<int32_t> zeroPoint) {
  IntegerRange codes = getCodeRange(format);
  if (!zeroPoint)
    return {codes.min - codes.max, codes.max - codes.min};
  return {codes.min - *zeroPoint, codes.max - *zeroPoint};
}

/// One product, or none.
static IntegerRange getProductRange(IntegerRange lhs, IntegerRange rhs) {
  auto [min, max] = std::minmax({multiplySaturating(lhs.min, rhs.min),
                                 multiplySaturating(lhs.min, rhs.max),
                                 multiplySaturating(lhs.max, rhs.min),
                                 multiplySaturating(lhs.max, rhs.max)});
  return {std::min<int64_t>(min, 0), std::max<int64_t>(max, 0)};
}

IntegerRange getDotRange(IntegerRange lhs, IntegerRange rhs, int64_t length) {
  IntegerRange product = getProductRange(lhs, rhs);
  length = std::max<int64_t>(length, 0);
  return {multiplySaturating(product.min, length),
          multiplySaturating(product.max, length)};
}

int64_t getLongestDot(IntegerRange lhs, IntegerRange rhs, unsigned bits) {
  IntegerRange product = getProductRange(lhs, rhs);
  IntegerRange limits = getLimits(bits);
  int64_t below = product.min < 0 ? limits.min / product.min : kGreatest;
  int64_t above = product.max > 0 ? limits.max / product.max : kGreatest;
  return std::min(below, above);
}

} // namespace compress::numerics
