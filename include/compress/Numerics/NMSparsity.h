//===- NMSparsity.h - N:M structured sparsity -------------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of every M consecutive elements along one dimension N are kept: the largest
// magnitudes, equal ones from the lowest index on. NaN counts as larger than
// infinity, -0 as zero. The last group may be ragged; what lies past the end
// counts as zero.
//
// Exactly N positions a group are stored, in ascending order. If fewer than N
// elements are not zero, the smallest free positions from M - N on fill up. For
// 2:4 this gives the positions (2, 3) for a group of zeros and (0, 2), (1, 2),
// (2, 3), (2, 3) for a single non-zero at 0, 1, 2, 3, as sparse matrix
// instructions want them.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_NMSPARSITY_H
#define COMPRESS_NUMERICS_NMSPARSITY_H

#include "compress/Numerics/FloatBuffer.h"
#include "compress/Numerics/Threads.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace compress::numerics {

/// The pattern and where its groups lie: a tensor seen as [outer, size, inner],
/// with groups along the middle dimension.
struct NMLayout {
  unsigned n = 2, m = 4;
  /// So many consecutive elements are kept or dropped together, by the sum of
  /// their magnitudes (in f64). It divides n and m; 2 is the form that 4-bit
  /// sparse matrix instructions have for 4:8.
  unsigned unit = 1;
  int64_t outer = 1, size = 0, inner = 1;

  /// The groups of `n`:`m` along dimension `dim` of `shape`. Fails unless
  /// 1 <= n < m <= 16, unit divides both, the dimension exists, and there are
  /// at most 2^62 elements.
  static llvm::Expected<NMLayout> get(unsigned n, unsigned m,
                                      llvm::ArrayRef<int64_t> shape,
                                      int64_t dim, unsigned unit = 1);

  llvm::Error verify() const;

  /// Groups along the dimension, the ragged one included.
  int64_t getNumGroups() const { return (size + m - 1) / m; }
  /// Stored values along the dimension.
  int64_t getStoredSize() const { return getNumGroups() * n; }
  int64_t getNumElements() const { return outer * size * inner; }
  int64_t getNumStored() const { return outer * getStoredSize() * inner; }
};

/// Chooses the elements to keep. `indices` receives the position within the
/// group of every stored value, in [0, m), as [outer, getStoredSize(), inner].
/// O(elements * m) with vector instructions. The result does not depend on
/// `threads`. Fails if a buffer has the wrong size.
llvm::Error selectNM(FloatBuffer values, const NMLayout &layout,
                     llvm::MutableArrayRef<uint8_t> indices,
                     Threads threads = {});

/// Copies the kept elements of `dense`, [outer, size, inner] elements of
/// `elementBytes` (1, 2, 4 or 8) bytes, to `stored`, [outer, getStoredSize(),
/// inner]. Positions past the end give zero bytes. Fails if a buffer has the
/// wrong size, or if the positions of a group are not ascending and below m.
llvm::Error gatherNM(llvm::ArrayRef<char> dense, const NMLayout &layout,
                     unsigned elementBytes, llvm::ArrayRef<uint8_t> indices,
                     llvm::MutableArrayRef<char> stored, Threads threads = {});

/// The inverse: the elements that were dropped become zero bytes. What is
/// stored for positions past the end is ignored. Fails as gatherNM does.
llvm::Error scatterNM(llvm::ArrayRef<char> stored, const NMLayout &layout,
                      unsigned elementBytes, llvm::ArrayRef<uint8_t> indices,
                      llvm::MutableArrayRef<char> dense, Threads threads = {});

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_NMSPARSITY_H
