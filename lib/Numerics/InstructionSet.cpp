//===- InstructionSet.cpp - Which kernel variants run ---------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/InstructionSet.h"

#include "KernelTarget.h"

#include <algorithm>
#include <atomic>

namespace compress::numerics {

static InstructionSet detectInstructionSet() {
#if COMPRESS_HAS_X86_KERNELS
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return InstructionSet::AVX512;
  if (__builtin_cpu_supports("avx2"))
    return InstructionSet::AVX2;
#endif
  return InstructionSet::Portable;
}

static std::atomic<InstructionSet> currentLimit{InstructionSet::AVX512};

InstructionSet getInstructionSet() {
  static const InstructionSet best = detectInstructionSet();
  return std::min(best, currentLimit.load(std::memory_order_relaxed));
}

void limitInstructionSet(InstructionSet limit) { currentLimit = limit; }

} // namespace compress::numerics
