//===- BlockScalingKernels.h - Inner loops of block scaling -----*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops over contiguous arrays of whole blocks, one table of functions per
// instruction set.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_LIB_NUMERICS_BLOCKSCALINGKERNELS_H
#define COMPRESS_LIB_NUMERICS_BLOCKSCALINGKERNELS_H

#include <cstdint>

namespace compress::numerics {

struct BlockScalingKernels {
  /// The bits of the largest magnitude of each block: more than those of
  /// infinity if there is a NaN.
  void (*absMax)(const float *values, int64_t numBlocks, int64_t blockSize,
                 uint32_t *magnitudes);
  /// out = values * factor or values / factor of their block, and 0 for a whole
  /// block whose factor is 0.
  void (*multiply)(const float *values, int64_t numBlocks, int64_t blockSize,
                   const float *factors, float *out);
  void (*divide)(const float *values, int64_t numBlocks, int64_t blockSize,
                 const float *factors, float *out);
  /// codes = values * 64, rounded half to even and clamped to [-127, 127].
  void (*encodeInt8)(const float *values, int64_t count, uint8_t *codes);
  /// values = codes / 64.
  void (*decodeInt8)(const uint8_t *codes, int64_t count, float *values);
};

/// The kernels for getInstructionSet().
const BlockScalingKernels &getBlockScalingKernels();

} // namespace compress::numerics

#endif // COMPRESS_LIB_NUMERICS_BLOCKSCALINGKERNELS_H
