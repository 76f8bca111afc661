//===- KernelTarget.h - Function attributes of kernel variants --*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel is written once, as an always-inline function in plain C++, and
// called from thin wrappers that carry the target attributes below: inlined
// there, the loop is vectorized for that instruction set.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_LIB_NUMERICS_KERNELTARGET_H
#define COMPRESS_LIB_NUMERICS_KERNELTARGET_H

#include "compress/Numerics/InstructionSet.h"

#if defined(__x86_64__) && (defined(__clang__) || defined(__GNUC__))
#define COMPRESS_HAS_X86_KERNELS 1
#define COMPRESS_TARGET_AVX2 __attribute__((target("avx2")))
#define COMPRESS_TARGET_AVX512                                                 \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#else
#define COMPRESS_HAS_X86_KERNELS 0
#endif

#if defined(__clang__) || defined(__GNUC__)
#define COMPRESS_KERNEL __attribute__((always_inline)) inline
#else
#define COMPRESS_KERNEL inline
#endif

namespace compress::numerics {

/// The table of kernels of the best usable variant, each a class with a static
/// constexpr getTable(). Where there are no x86 kernels only the portable one
/// is given.
template <typename Table, typename Portable, typename AVX2 = Portable,
          typename AVX512 = AVX2>
const Table &selectKernelTable() {
  static constexpr Table portable = Portable::getTable();
  static constexpr Table avx2 = AVX2::getTable();
  static constexpr Table avx512 = AVX512::getTable();
  switch (getInstructionSet()) {
  case InstructionSet::AVX512:
    return avx512;
  case InstructionSet::AVX2:
    return avx2;
  case InstructionSet::Portable:
    break;
  }
  return portable;
}

} // namespace compress::numerics

#endif // COMPRESS_LIB_NUMERICS_KERNELTARGET_H
