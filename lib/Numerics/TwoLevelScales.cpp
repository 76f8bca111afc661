//===- TwoLevelScales.cpp - Scales that are quantized themselves ----------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/TwoLevelScales.h"
#include "BlockIteration.h"

#include <algorithm>
#include <cmath>
#include <vector>

using namespace llvm;

namespace compress::numerics {

Error TwoLevel::verify() const {
  if (code.isSigned || code.bits < 4 || code.bits > 8)
    return createStringError(
        "scale codes must be unsigned integers of 4 to 8 bits, not %s ones of "
        "%u",
        code.isSigned ? "signed" : "unsigned", code.bits);
  return layout.verify();
}

static Error verifyScaleCodes(uint64_t size, const TwoLevel &levels) {
  if (size == static_cast<uint64_t>(levels.layout.getNumElements()))
    return Error::success();
  return createStringError(
      "expected %lld scale codes, but got %llu",
      static_cast<long long>(levels.layout.getNumElements()),
      static_cast<unsigned long long>(size));
}

/// Calls fn(scale index, super index) for all scales.
template <typename Fn>
static void forEachScale(const BlockLayout &layout, Fn fn) {
  const MergedLayout merged(layout);
  const int64_t block = merged.dims.back().block;
  for (const Box &box : partition(merged, /*threads=*/1).boxes)
    forEachRun(merged, box, /*withPadding=*/false, [&](const Run &run) {
      for (int64_t i = 0; i < run.count; ++i)
        fn(run.element + i, run.group + i / block);
    });
}

static uint8_t chooseCode(float scale, float super, IntegerFormat format) {
  int32_t code = std::max(quantize(scale, {super, 0}, format), 1);
  while (code > 1 && std::isinf(static_cast<float>(code) * super))
    --code;
  return code;
}

Error chooseTwoLevel(ArrayRef<float> scales, const TwoLevel &levels,
                     MutableArrayRef<float> supers,
                     MutableArrayRef<uint8_t> codes) {
  if (Error error = levels.verify())
    return error;
  if (Error error =
          verifyParams(scales, {}, levels.layout.getNumElements(), levels.code))
    return error;
  if (Error error = verifyScaleCodes(codes.size(), levels))
    return error;
  std::vector<float> lows(levels.layout.getNumGroups(), 0.0f), highs(lows);
  if (Error error = updateGroupRanges(scales, levels.layout, lows, highs))
    return error;
  if (supers.size() != highs.size())
    return createStringError("expected %zu super scales, but got %zu",
                             highs.size(), supers.size());
  const float largest = static_cast<float>(levels.code.getMax());
  for (size_t i = 0; i < supers.size(); ++i)
    supers[i] = roundScale(highs[i] / largest, levels.superType);
  forEachScale(levels.layout, [&](int64_t scale, int64_t super) {
    codes[scale] = chooseCode(scales[scale], supers[super], levels.code);
  });
  return Error::success();
}

Error expandTwoLevel(ArrayRef<uint8_t> codes, ArrayRef<float> supers,
                     const TwoLevel &levels, MutableArrayRef<float> scales) {
  if (Error error = levels.verify())
    return error;
  if (Error error =
          verifyParams(supers, {}, levels.layout.getNumGroups(), levels.code))
    return error;
  if (Error error = verifyScaleCodes(codes.size(), levels))
    return error;
  if (scales.size() != codes.size())
    return createStringError("expected %zu scales, but got %zu", codes.size(),
                             scales.size());
  const uint8_t largest = levels.code.getMax();
  for (size_t i = 0; i < codes.size(); ++i)
    if (codes[i] == 0 || codes[i] > largest)
      return createStringError("scale code %zu is %u, which is outside of "
                               "[1, %u]",
                               i, codes[i], largest);
  int64_t overflow = -1;
  forEachScale(levels.layout, [&](int64_t scale, int64_t super) {
    scales[scale] = static_cast<float>(codes[scale]) * supers[super];
    if (std::isinf(scales[scale]))
      overflow = scale;
  });
  if (overflow >= 0)
    return createStringError("scale %lld overflows f32",
                             static_cast<long long>(overflow));
  return Error::success();
}

Error chooseTwoLevelTensorParams(
    FloatBuffer values, const BlockLayout &layout, IntegerFormat format,
    bool symmetric, const TwoLevel &levels, MutableArrayRef<float> supers,
    MutableArrayRef<uint8_t> codes, MutableArrayRef<float> scales,
    MutableArrayRef<int32_t> zeroPoints, Threads threads) {
  if (Error error = layout.verify())
    return error;
  if (layout.getGridShape() != levels.layout.shape)
    return createStringError("the layout of the scales on two levels does not "
                             "have the grid shape of the values");
  std::vector<float> lows(layout.getNumGroups(), 0.0f), highs(lows);
  if (Error error = updateGroupRanges(values, layout, lows, highs, threads))
    return error;
  if (Error error = chooseGroupParams(lows, highs, format, symmetric,
                                      ScaleType::F32, scales, zeroPoints))
    return error;
  if (Error error = chooseTwoLevel(scales, levels, supers, codes))
    return error;
  if (Error error = expandTwoLevel(codes, supers, levels, scales))
    return error;
  if (symmetric)
    return Error::success();
  return chooseZeroPoints(lows, scales, format, zeroPoints);
}

} // namespace compress::numerics
