//===- Targets.h - Vectors for several processors ---------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the library. Loops of dense linear algebra are written once over
// the vector width, with fused multiply-add where the processor has it.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_LIB_NUMERICS_TARGETS_H
#define COMPRESS_LIB_NUMERICS_TARGETS_H

#include "KernelTarget.h"
#include "compress/Numerics/InstructionSet.h"

#define COMPRESS_TARGET_FMA256 __attribute__((target("avx2,fma")))
#define COMPRESS_TARGET_FMA512 __attribute__((target("avx512f,avx512dq,fma")))

namespace compress::numerics::detail {

/// The instruction set to use for loops with fused multiply-add.
inline InstructionSet getFusedInstructionSet() {
#if COMPRESS_HAS_X86_KERNELS
  return __builtin_cpu_supports("fma") ? getInstructionSet()
                                       : InstructionSet::Portable;
#else
  return InstructionSet::Portable;
#endif
}

/// A vector of `lanes` elements that may lie at any element's address.
template <typename T, int lanes>
struct VectorOf {
  typedef T Type __attribute__((vector_size(lanes * sizeof(T)),
                                aligned(sizeof(T)), may_alias));
};

} // namespace compress::numerics::detail

#endif // COMPRESS_LIB_NUMERICS_TARGETS_H
