//===- BlockLayout.h - Elements that share parameters -----------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a tensor is cut into groups of elements that share a scale: a box of
// block[d] elements along each dimension d. The last box along a dimension may
// be ragged. Codes are stored padded to whole boxes, so that the view
// [..., size/B, B] of a dimension exists for every size.
//
// Example: shape [4, 70] with block [1, 32] has the padded shape [4, 96] and
// the grid [4, 3], that is 12 groups. Shape [4, 70] with block [1, *] has the
// padded shape [4, 70] and the grid [4].
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_BLOCKLAYOUT_H
#define COMPRESS_NUMERICS_BLOCKLAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <cstdint>

namespace compress::numerics {

/// A block size: all elements along the dimension share a scale.
constexpr int64_t kWholeDim = -1;

struct RowSlab;

struct BlockLayout {
  /// Sizes of the tensor, each >= 0.
  llvm::SmallVector<int64_t> shape;
  /// For each dimension the number of elements that share a scale (>= 1), or
  /// kWholeDim. A finite block larger than its dimension is one ragged block.
  llvm::SmallVector<int64_t> block;

  /// A verified layout. An empty `block` means kWholeDim everywhere.
  static llvm::Expected<BlockLayout> get(llvm::ArrayRef<int64_t> shape,
                                         llvm::ArrayRef<int64_t> block);

  /// Fails if the ranks differ, if a size is negative or a block size neither
  /// positive nor kWholeDim, or if a number of elements exceeds 2^62.
  llvm::Error verify() const;

  /// `shape` with the dimensions of finite blocks rounded up to whole blocks.
  llvm::SmallVector<int64_t> getPaddedShape() const;

  /// Number of blocks along each dimension of finite blocks; whole dimensions
  /// have no entry. The parameters of a group lie at its row-major position.
  llvm::SmallVector<int64_t> getGridShape() const;

  int64_t getNumElements() const;
  int64_t getNumPaddedElements() const;
  int64_t getNumGroups() const;

  /// The part of the tensor with the indices [begin, end) of dimension 0, to
  /// work on a large tensor piece by piece. Fails if there is no dimension 0,
  /// or if `begin` or `end` is not on a border of blocks (`end` may also be
  /// shape[0]). If dimension 0 is whole, every slab has all groups: params can
  /// then be applied to slabs, but ranges must be accumulated over all.
  llvm::Expected<RowSlab> getRowSlab(int64_t begin, int64_t end) const;
};

/// A part of a tensor that is again a tensor, and where its elements, codes and
/// groups start in those of the whole.
struct RowSlab {
  BlockLayout layout;
  int64_t firstElement = 0;
  int64_t firstPaddedElement = 0;
  int64_t firstGroup = 0;
};

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_BLOCKLAYOUT_H
