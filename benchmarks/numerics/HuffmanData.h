//===- HuffmanData.h - Symbols that entropy coders compete on ---*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The distributions of quantized weights: 8-bit weights with a standard
// deviation of 20 and of 8 steps, and 16 codebook indices.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_BENCHMARKS_NUMERICS_HUFFMANDATA_H
#define COMPRESS_BENCHMARKS_NUMERICS_HUFFMANDATA_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace compress::bench {

struct SymbolKind {
  /// About the bits a symbol.
  const char *name;
  double sigma;
  int low, high;
};

constexpr SymbolKind symbolKinds[] = {{"6.4bits", 20, -128, 127},
                                      {"5.1bits", 8, -128, 127},
                                      {"3.4bits", 2.5, -8, 7}};
constexpr int64_t numSymbols = 16 << 20;

/// Rounded normal numbers, clamped to the range and shifted to start at 0.
/// Drawn from a table of quantiles; no part of the sequence is repeated.
inline std::vector<uint8_t> makeSymbols(const SymbolKind &kind) {
  std::vector<uint8_t> quantiles(1 << 16);
  double below = 0;
  size_t filled = 0;
  for (int value = kind.low; value <= kind.high; ++value) {
    below = std::erfc(-(value + 0.5) / (kind.sigma * std::sqrt(2.0))) / 2;
    size_t end = value == kind.high ? quantiles.size()
                                    : std::llround(below * quantiles.size());
    for (; filled < end; ++filled)
      quantiles[filled] = static_cast<uint8_t>(value - kind.low);
  }
  std::mt19937_64 random(7);
  std::vector<uint8_t> symbols(numSymbols);
  for (int64_t i = 0; i < numSymbols; i += 4) {
    uint64_t word = random();
    for (int64_t j = 0; j < 4; ++j)
      symbols[i + j] = quantiles[word >> (16 * j) & 0xFFFF];
  }
  return symbols;
}

} // namespace compress::bench

#endif // COMPRESS_BENCHMARKS_NUMERICS_HUFFMANDATA_H
