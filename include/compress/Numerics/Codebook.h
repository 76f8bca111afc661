//===- Codebook.h - Nearest entries of tables of values ---------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A codebook is a table of 1 to 256 finite values; a value is stored as the
// index of the entry nearest to it. Nearest is meant exactly, without rounding
// of the distance; of two equally near entries the smaller one wins, and of
// equal entries the one with the lower index.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_CODEBOOK_H
#define COMPRESS_NUMERICS_CODEBOOK_H

#include "compress/Numerics/StridedSpan.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace llvm {
class ThreadPoolInterface;
} // namespace llvm

namespace compress::numerics {

/// The largest codebook: indices are bytes.
constexpr unsigned kMaxCodebookEntries = 256;

/// Codebooks with a name.
enum class NamedCodebook {
  /// 4-bit NormalFloat: quantiles of the normal distribution scaled to [-1, 1],
  /// seven negative ones, zero and eight positive ones, in ascending order
  /// (Dettmers, Pagnoni, Holtzman, Zettlemoyer: QLoRA, NeurIPS 2023).
  NF4,
  /// E2M1 floating point: entry i is the value of code i, from 0 to 6 and then
  /// from -0 to -6. Index 8 (-0) is never chosen.
  FP4
};

/// The 16 entries of a named codebook. Data is divided by its scale (for NF4
/// the largest magnitude of a block) before entries are looked up.
llvm::ArrayRef<float> getNamedCodebook(NamedCodebook name);

/// The codebook called "nf4" or "fp4"; nothing for other names.
std::optional<NamedCodebook> parseNamedCodebook(llvm::StringRef name);

/// What assignment does with zeros.
enum class ZeroAssignment {
  /// Zero is a value like others.
  Nearest,
  /// The first entry that is 0 is kept for exact zeros (of either sign): all
  /// other values get the nearest of the other entries, so that the number of
  /// zeros stays what it was. Needs an entry of 0 and, unless all values are
  /// zero, another one.
  Reserved
};

/// Finds nearest entries in one codebook. Immutable. T is float or double.
template <typename T>
class NearestEntry {
public:
  /// Fails if there are no entries or more than 256, if one is not finite, or
  /// if zero is reserved and there is no other entry than zero, or no zero.
  static llvm::Expected<NearestEntry>
  create(llvm::ArrayRef<T> entries,
         ZeroAssignment zero = ZeroAssignment::Nearest);

  /// The index of the entry for `value`. Infinities get the largest or smallest
  /// entry, NaN the entry for 0. Cost: O(log entries).
  unsigned find(T value) const;

  /// `indices[i] = find(values[i])`. Fails if the sizes differ. `pool` may be
  /// null; the result does not depend on it. Cost: up to 32 entries about one
  /// vector comparison an entry, else a binary search a value.
  llvm::Error assign(StridedSpan<const T> values,
                     llvm::MutableArrayRef<uint8_t> indices,
                     llvm::ThreadPoolInterface *pool = nullptr) const;

private:
  NearestEntry() = default;

  /// The distinct entries (without zero if that is reserved) in ascending order
  /// by position p: values above thresholds[p - 1], but not above
  /// thresholds[p], belong to entry indexOf[p].
  std::vector<T> thresholds;
  std::vector<uint8_t> indexOf;
  std::optional<uint8_t> reservedZero;
  uint8_t indexOfNaN = 0;
};

/// `values[i] = entries[indices[i]]`. Fails if the sizes differ or if an index
/// is not below entries.size(); the message names the first such.
template <typename T>
llvm::Error lookUpEntries(llvm::ArrayRef<uint8_t> indices,
                          llvm::ArrayRef<T> entries, StridedSpan<T> values);

/// The largest T that is not above the exact midpoint of `low` and `high`
/// (finite, low <= high): values up to it are at least as near to `low`.
float getLowerMidpoint(float low, float high);
double getLowerMidpoint(double low, double high);

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_CODEBOOK_H
