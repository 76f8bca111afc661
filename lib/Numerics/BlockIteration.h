//===- BlockIteration.h - Walks over blocked tensors ------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the library: a BlockLayout with as few dimensions as possible, cut
// into runs of consecutive elements that kernels work on.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_LIB_NUMERICS_BLOCKITERATION_H
#define COMPRESS_LIB_NUMERICS_BLOCKITERATION_H

#include "compress/Numerics/BlockLayout.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace compress::numerics {

/// Adjacent dimensions are merged where that keeps all offsets: a whole one
/// into the one before it, and one of block 1 with one after it that divides
/// into whole blocks. So rows become long, and only dimension 0 can be whole.
struct MergedLayout {
  struct Dim {
    int64_t size;
    int64_t paddedSize;
    /// `size`, or 1 if that is 0, for a whole dimension.
    int64_t block;
    int64_t numBlocks;
    bool whole;
    /// Distance of neighbours, in elements, padded elements and groups (of
    /// neighbouring blocks; 0 for a whole dimension).
    int64_t stride, paddedStride, groupStride;
  };
  /// At least one.
  llvm::SmallVector<Dim, 4> dims;
  int64_t numGroups;

  /// The layout must be verified.
  explicit MergedLayout(const BlockLayout &layout);
};

/// A range of whole blocks along one dimension, and everything along the
/// others. `end` is in padded indices.
struct Box {
  unsigned dim;
  int64_t begin, end;
};

/// Consecutive elements along the last dimension.
struct Run {
  /// Of the first element of the run.
  int64_t element, paddedElement, group;
  /// Elements that exist, then padding behind them.
  int64_t count, padding;
};

/// Cuts a tensor into boxes for so many threads, none of which write to the
/// same codes. If `sharesGroups` is set, two boxes may have a group in common;
/// then dimension 0 is whole and cut between single indices.
struct Partition {
  llvm::SmallVector<Box> boxes;
  bool sharesGroups;
};
Partition partition(const MergedLayout &layout, unsigned threads);

/// Calls `body` for the runs of a box; with those that are all padding only if
/// `withPadding`.
void forEachRun(const MergedLayout &layout, const Box &box, bool withPadding,
                llvm::function_ref<void(const Run &)> body);

} // namespace compress::numerics

#endif // COMPRESS_LIB_NUMERICS_BLOCKITERATION_H
