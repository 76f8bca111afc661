//===- MinMax.cpp - Smallest and largest element --------------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/MinMax.h"

#include "StatisticsKernels.h"
#include "TileAccess.h"

#include "compress/Numerics/Parallel.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <vector>

using namespace llvm;

namespace compress::numerics {

double MinMax::getAbsMax() const {
  return hasRange() ? std::max(std::fabs(low), std::fabs(high)) : 0.0;
}

/// Whether a < b, with -0 < +0.
static bool isLess(double a, double b) {
  return a < b || (a == b && std::signbit(a) && !std::signbit(b));
}

void MinMax::merge(const MinMax &other) {
  low = isLess(other.low, low) ? other.low : low;
  high = isLess(high, other.high) ? other.high : high;
  numFinite += other.numFinite;
  numInfinite += other.numInfinite;
  numNaN += other.numNaN;
}

bool MinMax::operator==(const MinMax &other) const {
  return low == other.low && std::signbit(low) == std::signbit(other.low) &&
         high == other.high && std::signbit(high) == std::signbit(other.high) &&
         numFinite == other.numFinite && numInfinite == other.numInfinite &&
         numNaN == other.numNaN;
}

namespace {

/// How the elements of type T are seen as integers.
template <typename T>
struct KeyTraits;

template <>
struct KeyTraits<float> {
  using Key = int32_t;
  static constexpr Key infinity = 0x7F800000;
  static double toDouble(Key bits) { return detail::bitCast<float>(bits); }
};
template <>
struct KeyTraits<double> {
  using Key = int64_t;
  static constexpr Key infinity = 0x7FF0000000000000;
  static double toDouble(Key bits) { return detail::bitCast<double>(bits); }
};
template <>
struct KeyTraits<Half> {
  using Key = int16_t;
  static constexpr Key infinity = 0x7C00;
  static double toDouble(Key bits) {
    return halfToFloat(static_cast<uint16_t>(bits));
  }
};
template <>
struct KeyTraits<BFloat16> {
  using Key = int16_t;
  static constexpr Key infinity = 0x7F80;
  static double toDouble(Key bits) {
    return bfloatToFloat(static_cast<uint16_t>(bits));
  }
};

} // namespace

template <typename Key>
static KeyRange<Key> getKeyRange(const StatisticsKernels &kernels,
                                 const void *values, int64_t count) {
  if constexpr (sizeof(Key) == 2)
    return kernels.keyRange16(values, count);
  else if constexpr (sizeof(Key) == 4)
    return kernels.keyRange32(values, count);
  else
    return kernels.keyRange64(values, count);
}

template <typename Key>
static void updateKeys(const StatisticsKernels &kernels, const void *values,
                       int64_t count, Key *low, Key *high) {
  if constexpr (sizeof(Key) == 2)
    kernels.updateKeys16(values, count, low, high);
  else if constexpr (sizeof(Key) == 4)
    kernels.updateKeys32(values, count, low, high);
  else
    kernels.updateKeys64(values, count, low, high);
}

/// Whether every key of the range is that of a finite number.
template <typename T>
static bool isFiniteRange(KeyRange<typename KeyTraits<T>::Key> range) {
  return range.high < KeyTraits<T>::infinity &&
         range.low >
             static_cast<typename KeyTraits<T>::Key>(~KeyTraits<T>::infinity);
}

/// The range of `numFinite` elements with finite keys in `range`.
template <typename T>
static MinMax toMinMax(KeyRange<typename KeyTraits<T>::Key> range,
                       int64_t numFinite) {
  MinMax result;
  result.low = KeyTraits<T>::toDouble(toOrderedKey(range.low));
  result.high = KeyTraits<T>::toDouble(toOrderedKey(range.high));
  result.numFinite = numFinite;
  return result;
}

/// Element by element: for data with infinities or NaN.
template <typename T>
static MinMax getMinMaxOfMixed(StridedSpan<const T> values) {
  MinMax result;
  for (int64_t i = 0; i < values.size(); ++i) {
    double value = widen(values[i]);
    MinMax single;
    if (std::isnan(value)) {
      single.numNaN = 1;
    } else if (std::isinf(value)) {
      single.numInfinite = 1;
    } else {
      single.low = single.high = value;
      single.numFinite = 1;
    }
    result.merge(single);
  }
  return result;
}

/// One tile: contiguous, or gathered to a buffer first.
template <typename T>
static MinMax getTileMinMax(const StatisticsKernels &kernels,
                            StridedSpan<const T> values) {
  using Key = typename KeyTraits<T>::Key;
  T buffer[tileSize];
  const T *start = values.data();
  if (!values.isContiguous()) {
    for (int64_t i = 0; i < values.size(); ++i)
      buffer[i] = values[i];
    start = buffer;
  }
  KeyRange<Key> range = getKeyRange<Key>(kernels, start, values.size());
  if (isFiniteRange<T>(range))
    return toMinMax<T>(range, values.size());
  return getMinMaxOfMixed(values);
}

/// One chunk, without threads.
template <typename T>
static MinMax getChunkMinMax(const StatisticsKernels &kernels,
                             StridedSpan<const T> values) {
  // A contiguous chunk is scanned as a whole; only if it is not finite
  // everywhere do its tiles matter.
  using Key = typename KeyTraits<T>::Key;
  if (values.empty())
    return {};
  if (values.isContiguous()) {
    KeyRange<Key> range =
        getKeyRange<Key>(kernels, values.data(), values.size());
    if (isFiniteRange<T>(range))
      return toMinMax<T>(range, values.size());
  }
  MinMax result;
  for (int64_t i = 0; i < values.size(); i += tileSize)
    result.merge(getTileMinMax(
        kernels, values.slice(i, std::min(tileSize, values.size() - i))));
  return result;
}

template <typename T>
Expected<MinMax> computeMinMax(StridedSpan<const T> values,
                               ThreadPoolInterface *pool) {
  if (Error error = checkSpan(values, "the value span"))
    return std::move(error);
  const StatisticsKernels &kernels = getStatisticsKernels();
  MinMax result;
  std::mutex mutex;
  forEachChunk(pool, values.size(), parallelChunkSize,
               [&](int64_t, int64_t begin, int64_t end) {
                 MinMax part =
                     getChunkMinMax(kernels, values.slice(begin, end - begin));
                 std::lock_guard<std::mutex> lock(mutex);
                 result.merge(part);
               });
  return result;
}

//===----------------------------------------------------------------------===//
// Channels
//===----------------------------------------------------------------------===//

/// Channels [first, first + results.size()) that lie side by side: walks along
/// memory, all channels at once. Channels with infinities or NaN are redone.
template <typename T>
static void scanAdjacentChannels(const StatisticsKernels &kernels,
                                 StridedSpan<const T> values, int64_t first,
                                 MutableArrayRef<MinMax> results) {
  using Key = typename KeyTraits<T>::Key;
  const int64_t numChannels = results.size();
  std::vector<Key> low(numChannels, std::numeric_limits<Key>::max());
  std::vector<Key> high(numChannels, std::numeric_limits<Key>::min());
  for (int64_t i = 0; i < values.size(); ++i)
    updateKeys<Key>(kernels, values.data() + first + i * values.stride(),
                    numChannels, low.data(), high.data());
  for (int64_t c = 0; c < numChannels; ++c) {
    KeyRange<Key> range = {low[c], high[c]};
    results[c] =
        isFiniteRange<T>(range)
            ? toMinMax<T>(range, values.size())
            : getMinMaxOfMixed(StridedSpan<const T>(
                  values.data() + first + c, values.size(), values.stride()));
  }
}

template <typename T>
Error computeChannelMinMax(StridedSpan<const T> values, int64_t channelStride,
                           MutableArrayRef<MinMax> results,
                           ThreadPoolInterface *pool) {
  if (Error error = checkSpan(values, "the channel span"))
    return error;
  llvm::fill(results, MinMax());
  if (values.empty() || results.empty())
    return Error::success();
  const StatisticsKernels &kernels = getStatisticsKernels();
  const int64_t numChannels = results.size();
  if (channelStride == 1 && !values.isContiguous()) {
    forEachChunk(pool, numChannels, tileSize,
                 [&](int64_t, int64_t begin, int64_t end) {
                   scanAdjacentChannels(kernels, values, begin,
                                        results.slice(begin, end - begin));
                 });
    return Error::success();
  }
  // One large channel is shared by the threads, many small ones are dealt out.
  int64_t perChunk = std::max<int64_t>(1, parallelChunkSize / values.size());
  if (numChannels == 1) {
    Expected<MinMax> result = computeMinMax(values, pool);
    if (!result)
      return result.takeError();
    results[0] = *result;
    return Error::success();
  }
  forEachChunk(
      pool, numChannels, perChunk, [&](int64_t, int64_t begin, int64_t end) {
        for (int64_t c = begin; c < end; ++c)
          results[c] = getChunkMinMax(
              kernels, StridedSpan<const T>(values.data() + c * channelStride,
                                            values.size(), values.stride()));
      });
  return Error::success();
}

#define COMPRESS_INSTANTIATE(T)                                                \
  template Expected<MinMax> computeMinMax<T>(StridedSpan<const T>,             \
                                             ThreadPoolInterface *);           \
  template Error computeChannelMinMax<T>(StridedSpan<const T>, int64_t,        \
                                         MutableArrayRef<MinMax>,              \
                                         ThreadPoolInterface *);
COMPRESS_INSTANTIATE(float)
COMPRESS_INSTANTIATE(double)
COMPRESS_INSTANTIATE(Half)
COMPRESS_INSTANTIATE(BFloat16)
#undef COMPRESS_INSTANTIATE

} // namespace compress::numerics
