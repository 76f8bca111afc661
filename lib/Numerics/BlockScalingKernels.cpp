//===- BlockScalingKernels.cpp - Inner loops of block scaling -------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockScalingKernels.h"

#include "KernelTarget.h"

#include "compress/Numerics/FloatTypes.h"
#include "compress/Numerics/InstructionSet.h"

namespace compress::numerics {

//===----------------------------------------------------------------------===//
// Loop bodies
//===----------------------------------------------------------------------===//

static COMPRESS_KERNEL void absMaxOfBlocks(const float *__restrict values,
                                           int64_t numBlocks, int64_t blockSize,
                                           uint32_t *__restrict magnitudes) {
  for (int64_t b = 0; b < numBlocks; ++b) {
    uint32_t largest = 0;
    for (int64_t i = 0; i < blockSize; ++i) {
      uint32_t magnitude =
          detail::bitCast<uint32_t>(values[b * blockSize + i]) & 0x7FFFFFFF;
      largest = magnitude > largest ? magnitude : largest;
    }
    magnitudes[b] = largest;
  }
}

template <bool isDivision>
static COMPRESS_KERNEL void scaleBlocks(const float *__restrict values,
                                        int64_t numBlocks, int64_t blockSize,
                                        const float *__restrict factors,
                                        float *__restrict out) {
  for (int64_t b = 0; b < numBlocks; ++b) {
    const float factor = factors[b];
    const uint32_t keep = factor == 0.0f ? 0 : ~0u;
    for (int64_t i = 0; i < blockSize; ++i) {
      float value = values[b * blockSize + i];
      float scaled = isDivision ? value / factor : value * factor;
      out[b * blockSize + i] =
          detail::bitCast<float>(detail::bitCast<uint32_t>(scaled) & keep);
    }
  }
}

// The usual block sizes as constants, so that inner loops unroll.
#define COMPRESS_WITH_BLOCK_SIZE(CALL)                                         \
  switch (blockSize) {                                                         \
  case 32: {                                                                   \
    constexpr int64_t size = 32;                                               \
    return CALL;                                                               \
  }                                                                            \
  case 16: {                                                                   \
    constexpr int64_t size = 16;                                               \
    return CALL;                                                               \
  }                                                                            \
  default: {                                                                   \
    const int64_t size = blockSize;                                            \
    return CALL;                                                               \
  }                                                                            \
  }

static COMPRESS_KERNEL void absMaxBody(const float *values, int64_t numBlocks,
                                       int64_t blockSize,
                                       uint32_t *magnitudes) {
  COMPRESS_WITH_BLOCK_SIZE(absMaxOfBlocks(values, numBlocks, size, magnitudes))
}

template <bool isDivision>
static COMPRESS_KERNEL void scaleBody(const float *values, int64_t numBlocks,
                                      int64_t blockSize, const float *factors,
                                      float *out) {
  COMPRESS_WITH_BLOCK_SIZE(
      scaleBlocks<isDivision>(values, numBlocks, size, factors, out))
}

static COMPRESS_KERNEL void encodeInt8Body(const float *__restrict values,
                                           int64_t count,
                                           uint8_t *__restrict codes) {
  // Its unit in the last place is 1: the addition rounds half to even, and the
  // low bits of the sum are the two's complement integer.
  constexpr float anchor = 0x1.8p23f;
  for (int64_t i = 0; i < count; ++i) {
    float scaled = values[i] * 64.0f;
    scaled = scaled > 127.0f ? 127.0f : scaled;
    scaled = scaled < -127.0f ? -127.0f : scaled;
    codes[i] = static_cast<uint8_t>(detail::bitCast<uint32_t>(scaled + anchor));
  }
}

static COMPRESS_KERNEL void decodeInt8Body(const uint8_t *__restrict codes,
                                           int64_t count,
                                           float *__restrict values) {
  for (int64_t i = 0; i < count; ++i)
    values[i] = static_cast<float>(static_cast<int8_t>(codes[i])) * 0x1p-6f;
}

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

#define COMPRESS_BLOCK_SCALING_KERNELS(NAME, TARGET)                           \
  namespace {                                                                  \
  struct NAME {                                                                \
    TARGET static void absMax(const float *values, int64_t numBlocks,          \
                              int64_t blockSize, uint32_t *magnitudes) {       \
      absMaxBody(values, numBlocks, blockSize, magnitudes);                    \
    }                                                                          \
    TARGET static void multiply(const float *values, int64_t numBlocks,        \
                                int64_t blockSize, const float *factors,       \
                                float *out) {                                  \
      scaleBody<false>(values, numBlocks, blockSize, factors, out);            \
    }                                                                          \
    TARGET static void divide(const float *values, int64_t numBlocks,          \
                              int64_t blockSize, const float *factors,         \
                              float *out) {                                    \
      scaleBody<true>(values, numBlocks, blockSize, factors, out);             \
    }                                                                          \
    TARGET static void encodeInt8(const float *values, int64_t count,          \
                                  uint8_t *codes) {                            \
      encodeInt8Body(values, count, codes);                                    \
    }                                                                          \
    TARGET static void decodeInt8(const uint8_t *codes, int64_t count,         \
                                  float *values) {                             \
      decodeInt8Body(codes, count, values);                                    \
    }                                                                          \
    static constexpr BlockScalingKernels getTable() {                          \
      return {absMax, multiply, divide, encodeInt8, decodeInt8};               \
    }                                                                          \
  };                                                                           \
  }

COMPRESS_BLOCK_SCALING_KERNELS(PortableKernels, )
#if COMPRESS_HAS_X86_KERNELS
COMPRESS_BLOCK_SCALING_KERNELS(AVX2Kernels, COMPRESS_TARGET_AVX2)
COMPRESS_BLOCK_SCALING_KERNELS(AVX512Kernels, COMPRESS_TARGET_AVX512)
#endif

const BlockScalingKernels &getBlockScalingKernels() {
#if COMPRESS_HAS_X86_KERNELS
  return selectKernelTable<BlockScalingKernels, PortableKernels, AVX2Kernels,
                           AVX512Kernels>();
#else
  return selectKernelTable<BlockScalingKernels, PortableKernels>();
#endif
}

} // namespace compress::numerics
