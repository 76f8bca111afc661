//===- AffineKernels.h - Inner loops of affine quantization -----*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the library: loops over runs of consecutive elements. A run has
// one group, or one group for every `block` elements, or one for each element.
// Nothing is checked here.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_LIB_NUMERICS_AFFINEKERNELS_H
#define COMPRESS_LIB_NUMERICS_AFFINEKERNELS_H

#include "compress/Numerics/Affine.h"
#include "compress/Numerics/FloatBuffer.h"

#include <cstdint>

namespace compress::numerics {

/// Parameters of consecutive groups; null zero points are 0.
struct GroupParams {
  const float *scales;
  const int32_t *zeroPoints;
};

/// Reads `count` elements at `in`, writes codes of 8 or 16 bits at `out`.
using QuantizeFn = void (*)(const char *in, int64_t count, int64_t block,
                            GroupParams params, int32_t qmin, int32_t qmax,
                            void *out);
/// Reads `count` codes, writes elements.
using DequantizeFn = void (*)(const void *in, int64_t count, int64_t block,
                              GroupParams params, char *out);
/// Widens lows[g] and highs[g] to the finite elements.
using RangeFn = void (*)(const char *in, int64_t count, int64_t block,
                         float *lows, float *highs);

/// The kernels for the current InstructionSet. `block` must be >= 1; the last
/// block of a run may be shorter.
QuantizeFn getQuantizeKernel(FloatBuffer::Kind kind, bool wide);
DequantizeFn getDequantizeKernel(FloatBuffer::Kind kind, bool wide,
                                 bool isSigned);
RangeFn getRangeKernel(FloatBuffer::Kind kind);

} // namespace compress::numerics

#endif // COMPRESS_LIB_NUMERICS_AFFINEKERNELS_H
