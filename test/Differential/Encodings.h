//===- Encodings.h - Random encoded operands and what they denote --*- C++
//-*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_TEST_DIFFERENTIAL_ENCODINGS_H
#define COMPRESS_TEST_DIFFERENTIAL_ENCODINGS_H

#include "compress/Numerics/Affine.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace differential {

using Random = std::mt19937_64;
using Shape = llvm::SmallVector<int64_t>;

/// A random integer in [low, high].
inline int64_t pick(Random &random, int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(random);
}
inline bool chance(Random &random, double probability) {
  return std::uniform_real_distribution<>()(random) < probability;
}
int64_t getNumElements(const Shape &shape);

/// An affine encoding as plain data.
struct Affine {
  compress::numerics::IntegerFormat format;
  bool asymmetric = false;
  /// -1 is the whole dimension; empty is all of them.
  Shape block;
  compress::numerics::ScaleType scaleType = compress::numerics::ScaleType::F32;

  static Affine random(Random &random, int64_t rank);
  std::string getText() const;
  int64_t getBlock(int64_t dim) const {
    return block.empty() ? -1 : block[dim];
  }
  /// Whether more than one scale may apply along `dim` of this size.
  bool variesAlong(int64_t dim, int64_t size) const {
    return getBlock(dim) != -1 && (size > getBlock(dim) || size == 0);
  }
};

/// An N:M encoding, of affine values if `values` is set.
struct NM {
  unsigned n = 2, m = 4;
  int64_t dim = 0;
  std::optional<Affine> values;

  static NM random(Random &random, int64_t rank, bool nested);
  std::string getText() const;
};

/// The numbers that the affine encoding of `values` denotes, element by element
/// from the scalar rules.
std::vector<double> encode(const Affine &affine, llvm::ArrayRef<float> values,
                           const Shape &shape);
/// The same for N:M: of each group, the N largest magnitudes stay.
std::vector<double> encode(const NM &nm, llvm::ArrayRef<float> values,
                           const Shape &shape);

/// Random codes with powers of two as scales: what they denote, and in `text`
/// the attribute that holds them.
std::vector<double> makeRandomCodes(Random &random, const Affine &affine,
                                    const Shape &shape, std::string &text);

} // namespace differential

#endif // COMPRESS_TEST_DIFFERENTIAL_ENCODINGS_H
