//===- ScanKernels.cpp - One pass over a row of input ---------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Magnitudes are compared as integers: without the sign, the bits of IEEE
// numbers are ordered like their values, with infinity and NaN above all.
//
//===----------------------------------------------------------------------===//

#include "ScanKernels.h"
#include "Targets.h"

#include <cstring>
#include <limits>
#include <type_traits>

namespace compress::numerics::detail {

template <typename T>
static COMPRESS_KERNEL Scan scan(const T *data, int64_t count) {
  using Bits = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  using Values = typename VectorOf<T, 8>::Type;
  using Integers = typename VectorOf<Bits, 8>::Type;
  using Doubles = typename VectorOf<double, 8>::Type;
  constexpr Bits magnitude = std::numeric_limits<Bits>::max();
  constexpr int unroll = 4;
  Doubles squares[unroll];
  Integers largest[unroll];
  for (int u = 0; u < unroll; ++u) {
    squares[u] = Doubles{};
    largest[u] = Integers{};
  }
  int64_t i = 0;
  for (; i + 8 * unroll <= count; i += 8 * unroll)
    for (int u = 0; u < unroll; ++u) {
      const T *from = data + i + 8 * u;
      const Doubles wide = __builtin_convertvector(
          *reinterpret_cast<const Values *>(from), Doubles);
      squares[u] += wide * wide;
      const Integers bits =
          *reinterpret_cast<const Integers *>(from) & magnitude;
      largest[u] = bits > largest[u] ? bits : largest[u];
    }
  Scan result;
  Bits top = 0;
  for (int u = 0; u < unroll; ++u)
    for (int lane = 0; lane < 8; ++lane) {
      result.squares += squares[u][lane];
      top = largest[u][lane] > top ? largest[u][lane] : top;
    }
  for (; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, data + i, sizeof(T));
    bits &= magnitude;
    top = bits > top ? bits : top;
    result.squares += double(data[i]) * double(data[i]);
  }
  T value;
  std::memcpy(&value, &top, sizeof(T));
  result.largest = value;
  return result;
}

#if COMPRESS_HAS_X86_KERNELS
template <typename T>
static COMPRESS_TARGET_FMA512 Scan scan512(const T *data, int64_t count) {
  return scan(data, count);
}
template <typename T>
static COMPRESS_TARGET_FMA256 Scan scan256(const T *data, int64_t count) {
  return scan(data, count);
}
#endif

template <typename T>
static Scan dispatch(const T *data, int64_t count) {
#if COMPRESS_HAS_X86_KERNELS
  switch (getFusedInstructionSet()) {
  case InstructionSet::AVX512:
    return scan512(data, count);
  case InstructionSet::AVX2:
    return scan256(data, count);
  case InstructionSet::Portable:
    break;
  }
#endif
  return scan(data, count);
}

Scan scanRow(const float *data, int64_t count) { return dispatch(data, count); }
Scan scanRow(const double *data, int64_t count) {
  return dispatch(data, count);
}

} // namespace compress::numerics::detail
