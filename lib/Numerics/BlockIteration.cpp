//===- BlockIteration.cpp - Walks over blocked tensors --------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockIteration.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace llvm;

namespace compress::numerics {

namespace {
struct SizeAndBlock {
  int64_t size;
  int64_t block;
};
} // namespace

/// Whether `inner` can become part of `outer`, which comes just before it.
static bool mergeInto(SizeAndBlock &outer, SizeAndBlock inner) {
  if (inner.block == kWholeDim) {
    int64_t block = kWholeDim;
    if (outer.block != kWholeDim &&
        MulOverflow(outer.block, std::max<int64_t>(inner.size, 1), block))
      return false;
    outer.block = block;
    outer.size *= inner.size;
    return true;
  }
  if (outer.block == 1 && inner.size % inner.block == 0) {
    outer = {outer.size * inner.size, inner.block};
    return true;
  }
  return false;
}

MergedLayout::MergedLayout(const BlockLayout &layout) {
  SmallVector<SizeAndBlock> merged;
  for (auto [size, block] : zip(layout.shape, layout.block)) {
    SizeAndBlock next = {size, block};
    // A single row of whole size has no index to speak of.
    if (size == 1 && (block == 1 || block == kWholeDim) &&
        (block == 1 || !merged.empty()))
      continue;
    if (!merged.empty() && merged.back().size == 1 &&
        merged.back().block == kWholeDim)
      merged.back() = next;
    else if (merged.empty() || !mergeInto(merged.back(), next))
      merged.push_back(next);
  }
  if (merged.empty())
    merged.push_back({1, kWholeDim});
  numGroups = 1;
  int64_t stride = 1, paddedStride = 1;
  dims.resize(merged.size());
  for (size_t i = merged.size(); i-- > 0;) {
    Dim &dim = dims[i];
    dim.size = merged[i].size;
    dim.whole = merged[i].block == kWholeDim;
    dim.block = dim.whole ? std::max<int64_t>(dim.size, 1) : merged[i].block;
    dim.numBlocks = dim.whole ? 1 : divideCeilSigned(dim.size, dim.block);
    dim.paddedSize = dim.whole ? dim.size : dim.numBlocks * dim.block;
    dim.stride = stride;
    dim.paddedStride = paddedStride;
    dim.groupStride = dim.whole ? 0 : numGroups;
    stride *= dim.size;
    paddedStride *= dim.paddedSize;
    numGroups *= dim.numBlocks;
  }
}

/// Pieces of at least so many elements are worth a thread.
static constexpr int64_t kMinimalPiece = 1 << 14;

Partition partition(const MergedLayout &layout, unsigned threads) {
  unsigned best = 0;
  int64_t elements = 1;
  for (auto [i, dim] : enumerate(layout.dims)) {
    elements *= dim.paddedSize;
    if (dim.numBlocks > layout.dims[best].numBlocks)
      best = i;
  }
  Partition result;
  int64_t pieces = std::clamp<int64_t>(elements / kMinimalPiece, 1,
                                       std::max<int64_t>(threads, 1));
  const MergedLayout::Dim &first = layout.dims.front();
  result.sharesGroups =
      layout.dims[best].numBlocks < pieces && first.whole && pieces > 1;
  if (result.sharesGroups)
    best = 0;
  const MergedLayout::Dim &dim = layout.dims[best];
  const int64_t unit = result.sharesGroups ? 1 : dim.block;
  const int64_t units =
      result.sharesGroups ? dim.size : std::max<int64_t>(dim.numBlocks, 1);
  pieces = std::min(pieces, std::max<int64_t>(units, 1));
  for (int64_t piece = 0; piece < pieces; ++piece) {
    // Without the product units * piece, which could overflow.
    int64_t begin = units / pieces * piece + std::min(piece, units % pieces);
    int64_t end = begin + units / pieces + (piece < units % pieces ? 1 : 0);
    result.boxes.push_back(
        {best, begin * unit, std::min(end * unit, dim.paddedSize)});
  }
  return result;
}

void forEachRun(const MergedLayout &layout, const Box &box, bool withPadding,
                function_ref<void(const Run &)> body) {
  const unsigned last = layout.dims.size() - 1;
  SmallVector<int64_t, 4> begins, ends, index;
  for (auto [i, dim] : enumerate(layout.dims)) {
    int64_t limit = withPadding ? dim.paddedSize : dim.size;
    begins.push_back(i == box.dim ? box.begin : 0);
    ends.push_back(i == box.dim ? std::min(box.end, limit) : limit);
    if (begins.back() >= ends.back())
      return;
  }
  index = begins;
  const MergedLayout::Dim &row = layout.dims[last];
  const int64_t realEnd = std::clamp(row.size, begins[last], ends[last]);
  while (true) {
    Run run = {begins[last], begins[last],
               begins[last] / row.block * row.groupStride,
               realEnd - begins[last], ends[last] - realEnd};
    bool isPadding = false;
    for (unsigned i = 0; i < last; ++i) {
      const MergedLayout::Dim &dim = layout.dims[i];
      run.element += index[i] * dim.stride;
      run.paddedElement += index[i] * dim.paddedStride;
      run.group += index[i] / dim.block * dim.groupStride;
      isPadding |= index[i] >= dim.size;
    }
    if (isPadding) {
      run.padding += run.count;
      run.count = 0;
    }
    body(run);
    unsigned dim = last;
    while (true) {
      if (dim == 0)
        return;
      --dim;
      if (++index[dim] < ends[dim])
        break;
      index[dim] = begins[dim];
    }
  }
}

} // namespace compress::numerics
