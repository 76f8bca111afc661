//===- HuffmanCode.cpp - Optimal length-limited prefix codes --------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/HuffmanCode.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <vector>

using namespace llvm;

namespace compress::numerics {

//===----------------------------------------------------------------------===//
// Package-merge
//===----------------------------------------------------------------------===//

namespace {
/// One level of package-merge: the items in ascending order of weight. An item
/// is a symbol or a package of two neighbours of the level below.
struct Level {
  std::vector<uint64_t> weights;
  std::vector<bool> isSymbol;
};
} // namespace

/// Merges the symbols' weights (ascending) with the packages of `below`. Equal
/// weights: symbols first, which makes the result unique.
static Level mergeLevel(ArrayRef<uint64_t> symbolWeights, const Level &below) {
  size_t numPackages = below.weights.size() / 2;
  Level level;
  level.weights.reserve(symbolWeights.size() + numPackages);
  level.isSymbol.reserve(symbolWeights.size() + numPackages);
  size_t symbol = 0, package = 0;
  while (symbol < symbolWeights.size() || package < numPackages) {
    uint64_t packageWeight = 0;
    if (package < numPackages)
      packageWeight =
          below.weights[2 * package] + below.weights[2 * package + 1];
    bool takeSymbol =
        package == numPackages || (symbol < symbolWeights.size() &&
                                   symbolWeights[symbol] <= packageWeight);
    level.weights.push_back(takeSymbol ? symbolWeights[symbol] : packageWeight);
    level.isSymbol.push_back(takeSymbol);
    ++(takeSymbol ? symbol : package);
  }
  return level;
}

/// The lengths of the symbols in ascending order of weight (at least two).
static SmallVector<uint8_t> packageMerge(ArrayRef<uint64_t> weights,
                                         unsigned maxLength) {
  std::vector<Level> levels;
  for (unsigned i = 0; i < maxLength; ++i)
    levels.push_back(mergeLevel(weights, i ? levels.back() : Level()));
  // The solution is the 2n-2 lightest items of the last level. Each symbol in
  // it, or within its packages on the levels below, lengthens its word by one.
  SmallVector<uint8_t> lengths(weights.size(), 0);
  size_t numTaken = 2 * weights.size() - 2;
  for (const Level &level : reverse(levels)) {
    size_t numSymbols = 0;
    for (size_t i = 0; i < numTaken; ++i)
      numSymbols += level.isSymbol[i];
    for (size_t i = 0; i < numSymbols; ++i)
      ++lengths[i];
    numTaken = 2 * (numTaken - numSymbols);
  }
  return lengths;
}

static Error checkCounts(ArrayRef<uint64_t> counts, unsigned maxLength,
                         size_t numLengths) {
  if (maxLength < 1 || maxLength > kMaxHuffmanLength)
    return createStringError("the code length limit must be in [1, %u], but is "
                             "%u",
                             kMaxHuffmanLength, maxLength);
  if (counts.empty() || counts.size() > kMaxHuffmanSymbols)
    return createStringError("an alphabet has 1 to %u symbols, but %zu counts "
                             "are given",
                             kMaxHuffmanSymbols, counts.size());
  if (numLengths != counts.size())
    return createStringError("%zu counts, but room for %zu lengths",
                             counts.size(), numLengths);
  // Package weights are sums of at most maxLength times all counts.
  constexpr uint64_t limit = uint64_t(1) << 58;
  uint64_t total = 0;
  for (uint64_t count : counts) {
    if (count >= limit - total)
      return createStringError("symbol counts must add up to less than 2^58");
    total += count;
  }
  return Error::success();
}

Error computeHuffmanLengths(ArrayRef<uint64_t> counts, unsigned maxLength,
                            MutableArrayRef<uint8_t> lengths) {
  if (Error error = checkCounts(counts, maxLength, lengths.size()))
    return error;
  SmallVector<uint16_t> symbols;
  for (size_t symbol = 0; symbol < counts.size(); ++symbol)
    if (counts[symbol])
      symbols.push_back(symbol);
  if (symbols.size() > (size_t(1) << maxLength))
    return createStringError("%zu symbols do not fit in code words of at most "
                             "%u bits; raise the limit",
                             symbols.size(), maxLength);
  std::fill(lengths.begin(), lengths.end(), 0);
  if (symbols.size() <= 1) {
    lengths[symbols.empty() ? 0 : symbols.front()] = 1;
    return Error::success();
  }
  sort(symbols, [&](uint16_t left, uint16_t right) {
    return std::pair(counts[left], left) < std::pair(counts[right], right);
  });
  SmallVector<uint64_t> weights;
  for (uint16_t symbol : symbols)
    weights.push_back(counts[symbol]);
  for (auto [symbol, length] :
       zip_equal(symbols, packageMerge(weights, maxLength)))
    lengths[symbol] = length;
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Statistics
//===----------------------------------------------------------------------===//

Error countSymbols(ArrayRef<uint8_t> symbols,
                   MutableArrayRef<uint64_t> counts) {
  // Four tables: runs of one symbol would wait for the store before the next.
  std::vector<std::array<uint64_t, 4>> tables(kMaxHuffmanSymbols);
  size_t i = 0;
  for (; i + 4 <= symbols.size(); i += 4)
    for (size_t j = 0; j < 4; ++j)
      ++tables[symbols[i + j]][j];
  for (; i < symbols.size(); ++i)
    ++tables[symbols[i]][0];
  auto sum = [&](size_t symbol) {
    const auto &table = tables[symbol];
    return table[0] + table[1] + table[2] + table[3];
  };
  for (size_t symbol = counts.size(); symbol < tables.size(); ++symbol)
    if (sum(symbol))
      return createStringError("symbol %zu is outside an alphabet of %zu",
                               symbol, counts.size());
  for (size_t symbol = 0; symbol < std::min(counts.size(), tables.size());
       ++symbol)
    counts[symbol] += sum(symbol);
  return Error::success();
}

double computeEntropy(ArrayRef<uint64_t> counts) {
  double total = 0.0;
  for (uint64_t count : counts)
    total += static_cast<double>(count);
  double entropy = 0.0;
  for (uint64_t count : counts)
    if (count)
      entropy += count / total * std::log2(total / count);
  return entropy;
}

//===----------------------------------------------------------------------===//
// HuffmanCode
//===----------------------------------------------------------------------===//

Error verifyHuffmanLengths(ArrayRef<uint8_t> lengths) {
  if (lengths.empty() || lengths.size() > kMaxHuffmanSymbols)
    return createStringError("a Huffman code has 1 to %u code lengths, but "
                             "there are %zu",
                             kMaxHuffmanSymbols, lengths.size());
  unsigned numCoded = 0, space = 0;
  for (size_t symbol = 0; symbol < lengths.size(); ++symbol) {
    unsigned length = lengths[symbol];
    if (length > kMaxHuffmanLength)
      return createStringError("the code length of symbol %zu is %u, more than "
                               "%u",
                               symbol, length, kMaxHuffmanLength);
    if (!length)
      continue;
    ++numCoded;
    space += 1u << (kMaxHuffmanLength - length);
  }
  constexpr unsigned whole = 1u << kMaxHuffmanLength;
  if (numCoded == 0)
    return createStringError("no symbol has a code: all code lengths are 0");
  if (numCoded == 1) {
    if (space == whole / 2)
      return Error::success();
    return createStringError("a single symbol must have code length 1");
  }
  if (space != whole)
    return createStringError(
        "the code lengths describe %s code: the Kraft sum "
        "is %u/%u, but must be 1",
        space > whole ? "an over-subscribed" : "an incomplete", space, whole);
  return Error::success();
}

Expected<HuffmanCode> HuffmanCode::create(ArrayRef<uint8_t> lengths) {
  if (Error error = verifyHuffmanLengths(lengths))
    return std::move(error);
  HuffmanCode code;
  std::copy(lengths.begin(), lengths.end(), code.lengths.begin());
  unsigned word = 0;
  for (unsigned length = 1; length <= kMaxHuffmanLength; ++length) {
    word <<= 1;
    code.firstWord[length] = word;
    code.firstRank[length] = code.numCoded;
    for (size_t symbol = 0; symbol < lengths.size(); ++symbol)
      if (lengths[symbol] == length) {
        code.words[symbol] = word++;
        code.symbolsByRank[code.numCoded++] = symbol;
      }
    if (code.numCoded == code.firstRank[length])
      continue;
    code.maxLength = length;
    if (!code.minLength)
      code.minLength = length;
  }
  code.firstRank[kMaxHuffmanLength + 1] = code.numCoded;
  return code;
}

} // namespace compress::numerics
