//===- TilePrefetch.cpp - What tiles ask memory for ahead -----------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A panel comes from the third cache or from memory for the first tile of a
// block of rows. While the tiles of one panel are computed, each asks for a
// part of the next one, and for the lines that it will write. Asking for what
// is not there does nothing, so none of this depends on where operands end.
//
//===----------------------------------------------------------------------===//

#include "TileLowering.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::compress;

/// A panel that few rows use is a stream from memory; it is asked for this many
/// bytes ahead, what a core of today needs in flight to fill the path to its
/// outer caches.
static constexpr int64_t kStreamBytes = 4096, kStreamRows = 2;

static constexpr int64_t kLineBytes = 64;

/// Steps that a tile must have to hide the time that its results take to come.
static constexpr int64_t kStepsOfResults = 32;

/// How far ahead of its use a tile of `rows` asks for a panel, in bytes; 0 if
/// others have brought it.
int64_t TileLowering::getStreamBytes(int64_t rows) {
  std::optional<int64_t> all = getConstantIntValue(rowCount);
  bool isFirst = all ? *all <= kStreamRows : rows <= kStreamRows;
  return isFirst && !op.getWindow() && !expandedKernel ? kStreamBytes : 0;
}

/// Decides what the tile at `tileFirst` asks of the next panel in its loop of
/// `unroll` steps a trip.
void TileLowering::prepareNextPanel(int64_t rows, int64_t unroll) {
  nextLines = 0;
  std::optional<int64_t> known = getConstantIntValue(steps);
  if (!known || expandedKernel || rows <= kStreamRows)
    return;
  auto [head, stepSize] = kernel.getPanelSizes();
  int64_t bytes =
      cast<MemRefType>(op.getPanels().getType()).getElementTypeBitWidth() / 8;
  int64_t pieceSteps = blockSteps ? blockSteps : *known;
  int64_t total = pieceSteps * stepSize * bytes;
  // Two panels and the rows of the block share the second cache, unless all
  // panels stay there from one call to the next.
  int64_t cache = getTarget(op).getL2();
  std::optional<int64_t> count = getConstantIntValue(panelCount);
  if (total > cache / 4 || (count && *count * total <= cache / 2))
    return;
  int64_t tiles = 1;
  if (getConstantIntValue(rowCount))
    tiles = std::max<int64_t>(blockRows / shape.m, 1);
  // As many bytes a trip as give the tiles of a block all of it; a line is the
  // least, and lines may overlap.
  int64_t trip = std::max<int64_t>(
      llvm::divideCeil(stepSize * bytes, tiles) * unroll, kLineBytes);
  nextLines = llvm::divideCeil(trip, kLineBytes);
  nextStride = std::max<int64_t>(trip / unroll / bytes, 1);
  // Tiles behind the end ask for the last part again.
  int64_t part = nextStride * pieceSteps;
  OpFoldResult place = at.mul(
      at.floorDiv(at.sub(tileFirst, stageFirst), shape.m), at.constant(part));
  place =
      at.min(place, at.constant(std::max<int64_t>(total / bytes - part, 0)));
  OpFoldResult start =
      at.add(at.mul(firstStep, at.constant(stepSize)), at.constant(head));
  nextOffset = at.add(start, place);
}

void TileLowering::buildNextPanelPrefetch(OpFoldResult step) {
  if (!nextLines)
    return;
  int64_t bytes =
      cast<MemRefType>(op.getPanels().getType()).getElementTypeBitWidth() / 8;
  Value panel = at.value(at.add(panelBase, nextPanel));
  OpFoldResult first =
      at.add(nextOffset, at.mul(step, at.constant(nextStride)));
  for (int64_t line = 0; line < nextLines; ++line)
    memref::PrefetchOp::create(
        b, loc, op.getPanels(),
        ValueRange{panel, at.value(at.add(
                              first, at.constant(line * kLineBytes / bytes)))},
        /*isWrite=*/false, /*localityHint=*/2, /*isDataCache=*/true);
}

/// Asks for the lines of the results of a tile.
void TileLowering::buildOutPrefetch(int64_t rows, OpFoldResult firstRow,
                                    Value panel) {
  std::optional<int64_t> known = getConstantIntValue(steps);
  if (!known || *known < kStepsOfResults || partials)
    return;
  OpFoldResult column = at.mul(panel, at.constant(shape.n));
  for (Value out : op.getOuts()) {
    auto type = cast<MemRefType>(out.getType());
    if (!type.isLastDimUnitStride())
      continue;
    int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t byte = 0; byte < shape.n * bytes; byte += kLineBytes) {
        SmallVector<Value> indices(outer);
        indices.push_back(at.value(at.add(firstRow, at.constant(row))));
        indices.push_back(at.value(at.add(column, at.constant(byte / bytes))));
        memref::PrefetchOp::create(b, loc, out, indices, /*isWrite=*/true,
                                   /*localityHint=*/3, /*isDataCache=*/true);
      }
  }
}
