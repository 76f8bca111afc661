//===- AffineTensor.cpp - Affine quantization of tensors ------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/AffineTensor.h"
#include "AffineKernels.h"
#include "BlockIteration.h"
#include "FloatAccess.h"
#include "WorkerPool.h"
#include "compress/Numerics/Parallel.h"

#include <algorithm>
#include <cmath>
#include <vector>

using namespace llvm;

namespace compress::numerics {

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

Error verifyFormat(IntegerFormat format) {
  if (format.bits < 1 || format.bits > 16)
    return createStringError(
        "integer format must have 1 to 16 bits, but has %u", format.bits);
  return Error::success();
}

static Error verifyCount(const char *what, uint64_t actual, int64_t expected) {
  if (actual == static_cast<uint64_t>(expected))
    return Error::success();
  return createStringError("expected %lld %s, but got %llu",
                           static_cast<long long>(expected), what,
                           static_cast<unsigned long long>(actual));
}

Error verifyParams(ArrayRef<float> scales, ArrayRef<int32_t> zeroPoints,
                   int64_t numGroups, IntegerFormat format) {
  if (Error error = verifyFormat(format))
    return error;
  if (Error error = verifyCount("scales", scales.size(), numGroups))
    return error;
  for (size_t i = 0; i < scales.size(); ++i)
    if (!(scales[i] > 0) || std::isinf(scales[i]))
      return createStringError(
          "scale %zu must be positive and finite, but is %g", i,
          static_cast<double>(scales[i]));
  if (zeroPoints.empty())
    return Error::success();
  if (Error error = verifyCount("zero points", zeroPoints.size(), numGroups))
    return error;
  const int32_t qmin = format.getMin(), qmax = format.getMax();
  for (size_t i = 0; i < zeroPoints.size(); ++i)
    if (zeroPoints[i] < qmin || zeroPoints[i] > qmax)
      return createStringError("zero point %zu is %d, which is outside of the "
                               "range [%d, %d] of the format",
                               i, zeroPoints[i], qmin, qmax);
  return Error::success();
}

static Error verifyValues(int64_t size, bool splat, const BlockLayout &layout) {
  if (splat)
    return verifyCount("element in the splat", size, 1);
  return verifyCount("elements", size, layout.getNumElements());
}

/// Calls body(i) for each box on at most `threads` threads.
static void runBoxes(Threads threads, const Partition &parts,
                     function_ref<void(int64_t)> body) {
  WorkerPool pool(threads, parts.boxes.size());
  forEachChunk(pool.get(), parts.boxes.size(), 1,
               [&](int64_t i, int64_t, int64_t) { body(i); });
}

static Error verifyCodes(uint64_t size, bool wide, const BlockLayout &layout,
                         IntegerFormat format) {
  if (wide != (format.bits > 8))
    return createStringError("codes of %u bits are stored in %d bits, not %d",
                             format.bits, wide ? 8 : 16, wide ? 16 : 8);
  return verifyCount("codes", size, layout.getNumPaddedElements());
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

static void widenToSplat(FloatBuffer values, MutableArrayRef<float> lows,
                         MutableArrayRef<float> highs) {
  float low = 0, high = 0;
  getRangeKernel(values.kind)(static_cast<const char *>(values.data), 1, 2,
                              &low, &high);
  for (size_t i = 0; i < lows.size(); ++i) {
    lows[i] = std::min(lows[i], low);
    highs[i] = std::max(highs[i], high);
  }
}

static void widenBox(FloatBuffer values, const MergedLayout &layout,
                     const Box &box, RangeFn kernel, float *lows,
                     float *highs) {
  const char *data = static_cast<const char *>(values.data);
  const int64_t bytes = FloatBuffer::getElementBytes(values.kind);
  const int64_t block = layout.dims.back().block;
  forEachRun(layout, box, /*withPadding=*/false, [&](const Run &run) {
    kernel(data + run.element * bytes, run.count, block, lows + run.group,
           highs + run.group);
  });
}

Error updateGroupRanges(FloatBuffer values, const BlockLayout &layout,
                        MutableArrayRef<float> lows,
                        MutableArrayRef<float> highs, Threads threads) {
  if (Error error = layout.verify())
    return error;
  if (Error error = verifyValues(values.size, values.splat, layout))
    return error;
  const int64_t numGroups = layout.getNumGroups();
  if (Error error = verifyCount("lower ends", lows.size(), numGroups))
    return error;
  if (Error error = verifyCount("upper ends", highs.size(), numGroups))
    return error;
  if (layout.getNumElements() == 0)
    return Error::success();
  if (values.splat) {
    widenToSplat(values, lows, highs);
    return Error::success();
  }
  const MergedLayout merged(layout);
  const Partition parts = partition(merged, threads.getCount());
  const RangeFn kernel = getRangeKernel(values.kind);
  if (!parts.sharesGroups) {
    runBoxes(threads, parts, [&](int64_t i) {
      widenBox(values, merged, parts.boxes[i], kernel, lows.data(),
               highs.data());
    });
    return Error::success();
  }
  // Minima and maxima can be merged in any order.
  std::vector<float> partLows(parts.boxes.size() * numGroups, 0.0f);
  std::vector<float> partHighs(partLows.size(), 0.0f);
  runBoxes(threads, parts, [&](int64_t i) {
    widenBox(values, merged, parts.boxes[i], kernel, &partLows[i * numGroups],
             &partHighs[i * numGroups]);
  });
  for (size_t i = 0; i < partLows.size(); ++i) {
    lows[i % numGroups] = std::min(lows[i % numGroups], partLows[i]);
    highs[i % numGroups] = std::max(highs[i % numGroups], partHighs[i]);
  }
  return Error::success();
}

Error chooseGroupParams(ArrayRef<float> lows, ArrayRef<float> highs,
                        IntegerFormat format, bool symmetric,
                        ScaleType scaleType, MutableArrayRef<float> scales,
                        MutableArrayRef<int32_t> zeroPoints) {
  if (Error error = verifyFormat(format))
    return error;
  if (Error error = verifyCount("upper ends", highs.size(), lows.size()))
    return error;
  if (Error error = verifyCount("scales", scales.size(), lows.size()))
    return error;
  if (!symmetric || !zeroPoints.empty())
    if (Error error =
            verifyCount("zero points", zeroPoints.size(), lows.size()))
      return error;
  for (size_t i = 0; i < lows.size(); ++i) {
    AffineParams params =
        chooseParams(lows[i], highs[i], format, symmetric, scaleType);
    scales[i] = params.scale;
    if (!zeroPoints.empty())
      zeroPoints[i] = params.zeroPoint;
  }
  return Error::success();
}

Error chooseZeroPoints(ArrayRef<float> lows, ArrayRef<float> scales,
                       IntegerFormat format,
                       MutableArrayRef<int32_t> zeroPoints) {
  if (Error error = verifyCount("scales", scales.size(), lows.size()))
    return error;
  if (Error error = verifyParams(scales, {}, scales.size(), format))
    return error;
  if (Error error = verifyCount("zero points", zeroPoints.size(), lows.size()))
    return error;
  for (size_t i = 0; i < lows.size(); ++i)
    zeroPoints[i] = chooseZeroPoint(lows[i], scales[i], format);
  return Error::success();
}

Error chooseTensorParams(FloatBuffer values, const BlockLayout &layout,
                         IntegerFormat format, bool symmetric,
                         ScaleType scaleType, MutableArrayRef<float> scales,
                         MutableArrayRef<int32_t> zeroPoints, Threads threads) {
  if (Error error = layout.verify())
    return error;
  std::vector<float> lows(layout.getNumGroups(), 0.0f), highs(lows);
  if (Error error = updateGroupRanges(values, layout, lows, highs, threads))
    return error;
  return chooseGroupParams(lows, highs, format, symmetric, scaleType, scales,
                           zeroPoints);
}

//===----------------------------------------------------------------------===//
// Quantize and dequantize
//===----------------------------------------------------------------------===//

namespace {
/// Quantizes the runs of a tensor into Code, int8_t or int16_t.
template <typename Code>
struct Quantizer {
  FloatBuffer values;
  IntegerFormat format;
  ArrayRef<float> scales;
  ArrayRef<int32_t> zeroPoints;
  int64_t block;
  QuantizeFn kernel;
  Code *codes;

  GroupParams getParams(int64_t group) const {
    return {scales.data() + group,
            zeroPoints.empty() ? nullptr : zeroPoints.data() + group};
  }

  void quantizeSplat(const Run &run) const {
    AffineParams params;
    for (int64_t at = 0; at < run.count; at += block) {
      int64_t group = run.group + at / block;
      params.scale = scales[group];
      params.zeroPoint = zeroPoints.empty() ? 0 : zeroPoints[group];
      double value = loadDouble(values, 0);
      int32_t code = values.kind == FloatBuffer::F64
                         ? quantize(value, params, format)
                         : quantize(static_cast<float>(value), params, format);
      std::fill_n(codes + run.paddedElement + at,
                  std::min(block, run.count - at), static_cast<Code>(code));
    }
  }

  void pad(const Run &run) const {
    Code *out = codes + run.paddedElement;
    if (zeroPoints.empty()) {
      std::fill_n(out + run.count, run.padding, Code(0));
      return;
    }
    for (int64_t at = run.count, end = run.count + run.padding; at < end;) {
      int64_t next = std::min(end, (at / block + 1) * block);
      std::fill(out + at, out + next,
                static_cast<Code>(zeroPoints[run.group + at / block]));
      at = next;
    }
  }

  void operator()(const Run &run) const {
    if (values.splat)
      quantizeSplat(run);
    else if (run.count)
      kernel(static_cast<const char *>(values.data) +
                 run.element * FloatBuffer::getElementBytes(values.kind),
             run.count, block, getParams(run.group), format.getMin(),
             format.getMax(), codes + run.paddedElement);
    pad(run);
  }
};
} // namespace

template <typename Code>
static Error quantizeImpl(FloatBuffer values, const BlockLayout &layout,
                          IntegerFormat format, ArrayRef<float> scales,
                          ArrayRef<int32_t> zeroPoints,
                          MutableArrayRef<Code> codes, Threads threads) {
  constexpr bool wide = sizeof(Code) == 2;
  if (Error error = layout.verify())
    return error;
  if (Error error = verifyValues(values.size, values.splat, layout))
    return error;
  if (Error error =
          verifyParams(scales, zeroPoints, layout.getNumGroups(), format))
    return error;
  if (Error error = verifyCodes(codes.size(), wide, layout, format))
    return error;
  if (codes.empty())
    return Error::success();
  const MergedLayout merged(layout);
  const Partition parts = partition(merged, threads.getCount());
  const Quantizer<Code> quantizer = {values,
                                     format,
                                     scales,
                                     zeroPoints,
                                     merged.dims.back().block,
                                     getQuantizeKernel(values.kind, wide),
                                     codes.data()};
  runBoxes(threads, parts, [&](int64_t i) {
    forEachRun(merged, parts.boxes[i], /*withPadding=*/true, quantizer);
  });
  return Error::success();
}

Error quantizeTensor(FloatBuffer values, const BlockLayout &layout,
                     IntegerFormat format, ArrayRef<float> scales,
                     ArrayRef<int32_t> zeroPoints,
                     MutableArrayRef<int8_t> codes, Threads threads) {
  return quantizeImpl(values, layout, format, scales, zeroPoints, codes,
                      threads);
}

Error quantizeTensor(FloatBuffer values, const BlockLayout &layout,
                     IntegerFormat format, ArrayRef<float> scales,
                     ArrayRef<int32_t> zeroPoints,
                     MutableArrayRef<int16_t> codes, Threads threads) {
  return quantizeImpl(values, layout, format, scales, zeroPoints, codes,
                      threads);
}

template <typename Code>
static Error dequantizeImpl(ArrayRef<Code> codes, const BlockLayout &layout,
                            IntegerFormat format, ArrayRef<float> scales,
                            ArrayRef<int32_t> zeroPoints,
                            MutableFloatBuffer values, Threads threads) {
  constexpr bool wide = sizeof(Code) == 2;
  if (Error error = layout.verify())
    return error;
  if (Error error = verifyValues(values.size, /*splat=*/false, layout))
    return error;
  if (Error error =
          verifyParams(scales, zeroPoints, layout.getNumGroups(), format))
    return error;
  if (Error error = verifyCodes(codes.size(), wide, layout, format))
    return error;
  if (values.size == 0)
    return Error::success();
  const MergedLayout merged(layout);
  const Partition parts = partition(merged, threads.getCount());
  const int64_t block = merged.dims.back().block;
  const int64_t bytes = FloatBuffer::getElementBytes(values.kind);
  const DequantizeFn kernel =
      getDequantizeKernel(values.kind, wide, format.isSigned);
  auto dequantizeRun = [&](const Run &run) {
    GroupParams params = {scales.data() + run.group,
                          zeroPoints.empty() ? nullptr
                                             : zeroPoints.data() + run.group};
    kernel(codes.data() + run.paddedElement, run.count, block, params,
           static_cast<char *>(values.data) + run.element * bytes);
  };
  runBoxes(threads, parts, [&](int64_t i) {
    forEachRun(merged, parts.boxes[i], /*withPadding=*/false, dequantizeRun);
  });
  return Error::success();
}

Error dequantizeTensor(ArrayRef<int8_t> codes, const BlockLayout &layout,
                       IntegerFormat format, ArrayRef<float> scales,
                       ArrayRef<int32_t> zeroPoints, MutableFloatBuffer values,
                       Threads threads) {
  return dequantizeImpl(codes, layout, format, scales, zeroPoints, values,
                        threads);
}

Error dequantizeTensor(ArrayRef<int16_t> codes, const BlockLayout &layout,
                       IntegerFormat format, ArrayRef<float> scales,
                       ArrayRef<int32_t> zeroPoints, MutableFloatBuffer values,
                       Threads threads) {
  return dequantizeImpl(codes, layout, format, scales, zeroPoints, values,
                        threads);
}

//===----------------------------------------------------------------------===//
// Fake quantization
//===----------------------------------------------------------------------===//

namespace {
/// Fake-quantizes runs through a buffer of codes that stays in the L1 cache.
struct FakeQuantizer {
  FloatBuffer values;
  IntegerFormat format;
  ArrayRef<float> scales;
  ArrayRef<int32_t> zeroPoints;
  int64_t block;
  MutableFloatBuffer result;
  QuantizeFn quantize;
  DequantizeFn dequantize;

  static constexpr int64_t kCodes = 4096;

  /// Whole blocks, or a part of one that is larger than the buffer.
  int64_t getStep(int64_t at, int64_t count) const {
    int64_t step = block <= kCodes ? kCodes / block * block
                                   : std::min(kCodes, block - at % block);
    return std::min(step, count - at);
  }

  void operator()(const Run &run) const {
    alignas(64) int16_t codes[kCodes];
    for (int64_t at = 0, step; at < run.count; at += step) {
      step = getStep(at, run.count);
      const int64_t group = run.group + at / block;
      const GroupParams params = {
          scales.data() + group,
          zeroPoints.empty() ? nullptr : zeroPoints.data() + group};
      const int64_t element = run.element + at;
      quantize(static_cast<const char *>(values.data) +
                   element * FloatBuffer::getElementBytes(values.kind),
               step, block, params, format.getMin(), format.getMax(), codes);
      dequantize(codes, step, block, params,
                 static_cast<char *>(result.data) +
                     element * FloatBuffer::getElementBytes(result.kind));
    }
  }
};
} // namespace

Error fakeQuantizeTensor(FloatBuffer values, const BlockLayout &layout,
                         IntegerFormat format, ArrayRef<float> scales,
                         ArrayRef<int32_t> zeroPoints,
                         MutableFloatBuffer result, Threads threads) {
  if (Error error = layout.verify())
    return error;
  if (values.splat)
    return createStringError("the values must not be a splat; fake-quantize "
                             "its element once for each group instead");
  if (Error error = verifyValues(values.size, /*splat=*/false, layout))
    return error;
  if (Error error = verifyValues(result.size, /*splat=*/false, layout))
    return error;
  if (Error error =
          verifyParams(scales, zeroPoints, layout.getNumGroups(), format))
    return error;
  if (values.size == 0)
    return Error::success();
  const MergedLayout merged(layout);
  const Partition parts = partition(merged, threads.getCount());
  const bool wide = format.bits > 8;
  const FakeQuantizer quantizer = {
      values,
      format,
      scales,
      zeroPoints,
      merged.dims.back().block,
      result,
      getQuantizeKernel(values.kind, wide),
      getDequantizeKernel(result.kind, wide, format.isSigned)};
  runBoxes(threads, parts, [&](int64_t i) {
    forEachRun(merged, parts.boxes[i], /*withPadding=*/false, quantizer);
  });
  return Error::success();
}

} // namespace compress::numerics
