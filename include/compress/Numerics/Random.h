//===- Random.h - Counter-based random numbers ------------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy
// as 1, 2, 3; SC 2011). The number that an element gets is a function of the
// seed and of the element's index alone: no state, so threads, chunks and
// restarts do not change it.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_RANDOM_H
#define COMPRESS_NUMERICS_RANDOM_H

#include <array>
#include <cstdint>

namespace compress::numerics {

/// One block: four 32-bit numbers from a 128-bit counter and a 64-bit key, each
/// given as 32-bit words, lowest first. Ten rounds.
inline std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> counter,
                                          std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    uint64_t product0 = static_cast<uint64_t>(0xD2511F53u) * counter[0];
    uint64_t product1 = static_cast<uint64_t>(0xCD9E8D57u) * counter[2];
    counter = {static_cast<uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
               static_cast<uint32_t>(product1),
               static_cast<uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
               static_cast<uint32_t>(product0)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return counter;
}

/// The random word of element `index` under `seed`: word index % 4 of the block
/// with counter index / 4 and key `seed`.
inline uint32_t getRandomWord(uint64_t seed, uint64_t index) {
  uint64_t block = index / 4;
  return philox4x32(
      {static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32), 0, 0},
      {static_cast<uint32_t>(seed),
       static_cast<uint32_t>(seed >> 32)})[index % 4];
}

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_RANDOM_H
