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

#endif // COMPRESS_LIB_NUMERICS_KERNELTARGET_H
