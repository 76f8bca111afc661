//===- SplitMix64.h - A fast sequential random generator ---------*- C++
//-*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the library. Start vectors and sketches need many numbers, in
// order: SplitMix64 (Steele, Lea and Flood 2014), the same on every platform,
// which the distributions of <random> are not.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_LIB_NUMERICS_SPLITMIX64_H
#define COMPRESS_LIB_NUMERICS_SPLITMIX64_H

#include <cstdint>

namespace compress::numerics::detail {

class SplitMix64 {
public:
  explicit SplitMix64(uint64_t seed) : state(seed) {}

  uint64_t next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// Uniform in [0, 1), a multiple of 2^-53.
  double nextUnit() { return double(next() >> 11) * 0x1p-53; }
  /// Uniform in [-1, 1).
  double nextSymmetric() { return 2 * nextUnit() - 1; }

private:
  uint64_t state;
};

} // namespace compress::numerics::detail

#endif // COMPRESS_LIB_NUMERICS_SPLITMIX64_H
