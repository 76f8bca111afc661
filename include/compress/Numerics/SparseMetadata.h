//===- SparseMetadata.h - Metadata of sparse MMA instructions ---*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the PTX instructions mma.sp name the positions of stored values: four
// bits a group, which are the indices of two values out of four in two bits
// each, the first one in the low bits. Groups of a row follow one another from
// the low bits on, so that little-endian words of 32 bits hold eight groups.
// Only ascending pairs are defined: 4 (0, 1), 8 (0, 2), 9 (1, 2), C (0, 3),
// D (1, 3) and E (2, 3).
//
// Source: PTX ISA, "Warp-level matrix instructions: mma.sp", sparse matrix
// storage.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_SPARSEMETADATA_H
#define COMPRESS_NUMERICS_SPARSEMETADATA_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>

namespace compress::numerics {

/// The patterns that sparse MMA instructions have.
enum class SparseForm {
  /// f16, bf16, 8-bit elements.
  TwoOfFour,
  /// tf32: the codes 4 (element 0) and E (element 1).
  OneOfTwo,
  /// 4-bit elements: adjacent pairs are kept together, and the code names pairs
  /// (NMLayout with n = 4, m = 8, unit = 2).
  FourOfEightPairs,
};

/// Stored values a group: 2, 1 or 4.
constexpr int64_t getStoredPerGroup(SparseForm form) {
  return form == SparseForm::TwoOfFour  ? 2
         : form == SparseForm::OneOfTwo ? 1
                                        : 4;
}

/// Bytes of a row: two groups a byte.
constexpr int64_t getMetadataRowBytes(int64_t groups) {
  return (groups + 1) / 2;
}

/// Metadata of `rows` rows of `groups` groups. `indices` holds the positions of
/// the stored values within their groups, row-major; every row of metadata
/// starts on a byte, and a half byte left over at its end is E. Fails if a size
/// does not match or if the form has no code for the positions of a group.
llvm::Error packSparseMetadata(SparseForm form, int64_t rows, int64_t groups,
                               llvm::ArrayRef<uint8_t> indices,
                               llvm::MutableArrayRef<uint8_t> metadata);

/// The inverse. Fails if a size does not match or if a code is undefined.
llvm::Error unpackSparseMetadata(SparseForm form, int64_t rows, int64_t groups,
                                 llvm::ArrayRef<uint8_t> metadata,
                                 llvm::MutableArrayRef<uint8_t> indices);

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_SPARSEMETADATA_H
