//===- VectorLanes.h - Portable 512-bit vectors -----------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vectors of one cache line for kernels that must fix which lane sums what: the
// compilers' vector types, which every target has and which become one
// register, two or four. To be used inside of COMPRESS_KERNEL functions only.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_LIB_NUMERICS_VECTORLANES_H
#define COMPRESS_LIB_NUMERICS_VECTORLANES_H

#include "KernelTarget.h"

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace compress::numerics {

template <typename T>
struct VectorLanes {
  static constexpr int64_t count = 64 / sizeof(T);

  using Integer = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  typedef T Vector __attribute__((vector_size(64)));
  /// What comparisons of Vector give: -1 for true, 0 for false.
  typedef Integer Integers __attribute__((vector_size(64)));
  typedef uint8_t Bytes __attribute__((vector_size(64 / sizeof(T))));

  static COMPRESS_KERNEL Vector splat(T value) { return value - Vector{}; }

  /// The first `left` (1 to count) elements at `from`, then `rest`.
  static COMPRESS_KERNEL Vector load(const T *from, int64_t left, T rest) {
    Vector result;
    if (left == count) {
      std::memcpy(&result, from, sizeof(result));
      return result;
    }
    T buffer[count];
    for (int64_t i = 0; i < count; ++i)
      buffer[i] = i < left ? from[i] : rest;
    std::memcpy(&result, buffer, sizeof(result));
    return result;
  }

  /// Stores the low bytes of the first `left` lanes.
  static COMPRESS_KERNEL void storeBytes(Integers values, uint8_t *to,
                                         int64_t left) {
    Bytes bytes = __builtin_convertvector(values, Bytes);
    std::memcpy(to, &bytes, left == count ? sizeof(bytes) : left);
  }
};

} // namespace compress::numerics

#endif // COMPRESS_LIB_NUMERICS_VECTORLANES_H
