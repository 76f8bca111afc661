//===- HuffmanCode.h - Optimal length-limited prefix codes ------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prefix codes over alphabets of at most 256 symbols. A code is given by the
// length of each symbol's code word alone; the words are canonical: shorter
// words first, and in the order of the symbols among words of one length, so
// that the all-zero word belongs to the first symbol of the shortest length.
//
// Lengths are found by the package-merge algorithm (Larmore and Hirschberg: A
// fast algorithm for optimal length-limited Huffman codes, JACM 37(3), 1990),
// which gives the least total length among all codes that keep the limit.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_HUFFMANCODE_H
#define COMPRESS_NUMERICS_HUFFMANCODE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <array>
#include <cstdint>

namespace compress::numerics {

/// The longest code word that any code may have, in bits.
constexpr unsigned kMaxHuffmanLength = 15;

/// The limit to take without reasons for another one. On 8-bit weights it costs
/// about 0.02 bits a symbol over no limit; decoding tables stay in the first
/// level cache.
constexpr unsigned kDefaultHuffmanLength = 12;

/// The largest alphabet: symbols are bytes.
constexpr unsigned kMaxHuffmanSymbols = 256;

/// The lengths of an optimal code for symbols that occur `counts[symbol]`
/// times, none longer than `maxLength` bits. Symbols that do not occur get
/// length 0. If one symbol occurs, it gets length 1 (its stream has no bits
/// all the same, see HuffmanStream.h); if none does, symbol 0 stands in for it.
///
/// Fails if `maxLength` is not in [1, 15], if there are more than
/// 2^maxLength symbols that occur, if `counts` and `lengths` differ in size,
/// are empty or have more than 256 entries, or if the counts add up to 2^58 or
/// more. Cost: O(n log n + n * maxLength) time and memory.
llvm::Error computeHuffmanLengths(llvm::ArrayRef<uint64_t> counts,
                                  unsigned maxLength,
                                  llvm::MutableArrayRef<uint8_t> lengths);

/// Adds the number of occurrences of each symbol to `counts`. Fails, without
/// changing `counts`, if a symbol is not below counts.size().
llvm::Error countSymbols(llvm::ArrayRef<uint8_t> symbols,
                         llvm::MutableArrayRef<uint64_t> counts);

/// The Shannon entropy of the distribution in bits a symbol; 0 if all counts
/// are 0.
double computeEntropy(llvm::ArrayRef<uint64_t> counts);

/// Succeeds if `lengths` describe a code: 1 to 256 entries of at most 15, which
/// either fill the code space exactly (the Kraft sum is 1) or have one entry of
/// 1 and else 0. Everything else is refused: no code at all, over-subscribed
/// codes, and incomplete codes, for which some streams have no meaning.
llvm::Error verifyHuffmanLengths(llvm::ArrayRef<uint8_t> lengths);

/// A canonical code with the tables that coding needs. Immutable.
class HuffmanCode {
public:
  /// Fails as verifyHuffmanLengths does.
  static llvm::Expected<HuffmanCode> create(llvm::ArrayRef<uint8_t> lengths);

  /// The number of symbols that have a code word.
  unsigned getNumCoded() const { return numCoded; }
  unsigned getMinLength() const { return minLength; }
  unsigned getMaxLength() const { return maxLength; }
  /// Whether one symbol is all there is: it takes no bits.
  bool isConstant() const { return numCoded == 1; }

  /// The length of the code word of `symbol`; 0 if it has none.
  unsigned getLength(uint8_t symbol) const { return lengths[symbol]; }
  /// The code word of `symbol`, in the low bits.
  unsigned getWord(uint8_t symbol) const { return words[symbol]; }

  /// The symbols by length, then by value: entry r is the symbol of rank r.
  llvm::ArrayRef<uint8_t> getSymbolsByRank() const {
    return llvm::ArrayRef(symbolsByRank).take_front(numCoded);
  }
  /// The first code word of `length` bits; were there none, the one it would
  /// be.
  unsigned getFirstWord(unsigned length) const { return firstWord[length]; }
  /// The rank of the first symbol of `length` bits.
  unsigned getFirstRank(unsigned length) const { return firstRank[length]; }
  /// The number of symbols of `length` bits.
  unsigned getNumOfLength(unsigned length) const {
    return firstRank[length + 1] - firstRank[length];
  }

private:
  HuffmanCode() = default;

  unsigned numCoded = 0;
  unsigned minLength = 0;
  unsigned maxLength = 0;
  std::array<uint8_t, kMaxHuffmanSymbols> lengths{};
  std::array<uint16_t, kMaxHuffmanSymbols> words{};
  std::array<uint8_t, kMaxHuffmanSymbols> symbolsByRank{};
  std::array<uint16_t, kMaxHuffmanLength + 1> firstWord{};
  std::array<uint16_t, kMaxHuffmanLength + 2> firstRank{};
};

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_HUFFMANCODE_H
