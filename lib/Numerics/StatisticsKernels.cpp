//===- StatisticsKernels.cpp - Inner loops of range and histogram passes --===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StatisticsKernels.h"

#include "KernelTarget.h"

#include "compress/Numerics/InstructionSet.h"

#include <cstring>
#include <limits>

namespace compress::numerics {

//===----------------------------------------------------------------------===//
// Loop bodies
//===----------------------------------------------------------------------===//

/// The bits of element `index`, whatever its type.
template <typename Key>
static COMPRESS_KERNEL Key loadBits(const void *values, int64_t index) {
  Key bits;
  std::memcpy(&bits, static_cast<const char *>(values) + index * sizeof(Key),
              sizeof(Key));
  return bits;
}

template <typename Key>
static COMPRESS_KERNEL KeyRange<Key> keyRangeBody(const void *values,
                                                  int64_t count) {
  Key low = std::numeric_limits<Key>::max();
  Key high = std::numeric_limits<Key>::min();
  for (int64_t i = 0; i < count; ++i) {
    Key key = toOrderedKey(loadBits<Key>(values, i));
    low = key < low ? key : low;
    high = key > high ? key : high;
  }
  return {low, high};
}

template <typename Key>
static COMPRESS_KERNEL void updateKeysBody(const void *__restrict values,
                                           int64_t count, Key *__restrict low,
                                           Key *__restrict high) {
  for (int64_t i = 0; i < count; ++i) {
    Key key = toOrderedKey(loadBits<Key>(values, i));
    low[i] = key < low[i] ? key : low[i];
    high[i] = key > high[i] ? key : high[i];
  }
}

template <typename T, typename Bits, Bits infinity>
static COMPRESS_KERNEL void
findBinsBody(const T *__restrict values, int64_t count, T scale, int32_t center,
             bool isSigned, int32_t skipped, int32_t *__restrict bins) {
  constexpr Bits signMask = std::numeric_limits<Bits>::max() >> 1;
  const int32_t mirror = isSigned ? -1 : 0;
  for (int64_t i = 0; i < count; ++i) {
    Bits magnitude = detail::bitCast<Bits>(values[i]) & signMask;
    bool isFinite = magnitude < infinity;
    // Only what fits may be converted to an integer.
    T scaled = detail::bitCast<T>(isFinite ? magnitude : Bits(0)) * scale;
    int32_t bin = static_cast<int32_t>(scaled);
    // ~bin is -1 - bin.
    int32_t flip = values[i] < T(0) ? mirror : 0;
    bins[i] = isFinite ? center + (bin ^ flip) : skipped;
  }
}

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

#define COMPRESS_KEY_KERNELS(TARGET, BITS)                                     \
  TARGET static KeyRange<int##BITS##_t> keyRange##BITS(const void *values,     \
                                                       int64_t count) {        \
    return keyRangeBody<int##BITS##_t>(values, count);                         \
  }                                                                            \
  TARGET static void updateKeys##BITS(const void *values, int64_t count,       \
                                      int##BITS##_t *low,                      \
                                      int##BITS##_t *high) {                   \
    updateKeysBody(values, count, low, high);                                  \
  }

#define COMPRESS_STATISTICS_KERNELS(NAME, TARGET)                              \
  namespace {                                                                  \
  struct NAME {                                                                \
    COMPRESS_KEY_KERNELS(TARGET, 16)                                           \
    COMPRESS_KEY_KERNELS(TARGET, 32)                                           \
    COMPRESS_KEY_KERNELS(TARGET, 64)                                           \
    TARGET static void findBins32(const float *values, int64_t count,          \
                                  float scale, int32_t center, bool isSigned,  \
                                  int32_t skipped, int32_t *bins) {            \
      findBinsBody<float, uint32_t, 0x7F800000u>(values, count, scale, center, \
                                                 isSigned, skipped, bins);     \
    }                                                                          \
    TARGET static void findBins64(const double *values, int64_t count,         \
                                  double scale, int32_t center, bool isSigned, \
                                  int32_t skipped, int32_t *bins) {            \
      findBinsBody<double, uint64_t, 0x7FF0000000000000u>(                     \
          values, count, scale, center, isSigned, skipped, bins);              \
    }                                                                          \
    static constexpr StatisticsKernels getTable() {                            \
      return {keyRange16,   keyRange32,   keyRange64, updateKeys16,            \
              updateKeys32, updateKeys64, findBins32, findBins64};             \
    }                                                                          \
  };                                                                           \
  }

COMPRESS_STATISTICS_KERNELS(PortableKernels, )
#if COMPRESS_HAS_X86_KERNELS
COMPRESS_STATISTICS_KERNELS(AVX2Kernels, COMPRESS_TARGET_AVX2)
COMPRESS_STATISTICS_KERNELS(AVX512Kernels, COMPRESS_TARGET_AVX512)
#endif

const StatisticsKernels &getStatisticsKernels() {
#if COMPRESS_HAS_X86_KERNELS
  return selectKernelTable<StatisticsKernels, PortableKernels, AVX2Kernels,
                           AVX512Kernels>();
#else
  return selectKernelTable<StatisticsKernels, PortableKernels>();
#endif
}

} // namespace compress::numerics
