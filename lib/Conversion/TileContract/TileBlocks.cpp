//===- TileBlocks.cpp - Blocks of rows and products for the caches --------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every panel is read once for each block of rows. Where rows are so long that
// few of them fit the second cache, they are cut into pieces: a block then has
// more rows, and the sums of its tiles wait in memory between the pieces. The
// order of the products is the same, and so is every result.
//
//===----------------------------------------------------------------------===//

#include "TileLowering.h"
#include "compress/Analysis/NativeContraction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::compress;

/// Panels that are expanded must stay in the first cache, those for tile
/// registers in the second.
static constexpr int64_t kExpandedBytes = 40 * 1024;

/// Rows of a block at most.
static constexpr int64_t kMaxBlockRows = 1024;

/// Columns whose sums wait in memory between pieces of rows.
static constexpr int64_t kPartialColumns = 4096;

/// Pieces of rows are a multiple of this many steps, which trips of most
/// lengths divide.
static constexpr int64_t kPieceSteps = 8;

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// The bytes of `type`.
static int64_t getBytes(Type type) {
  return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

/// Rows of a block whose pieces of `bytes` fill half of the second cache.
static int64_t getBlockRows(int64_t cache, int64_t bytes) {
  return std::clamp<int64_t>(cache / 2 / std::max<int64_t>(bytes, 1), 1,
                             kMaxBlockRows);
}

/// Sets `blockSteps` to those of a piece if less memory is moved then, counting
/// the panels, the sums between pieces and the copy of the rows.
void TileLowering::choosePieces(int64_t rows, int64_t cache) {
  std::optional<int64_t> depthKnown = getConstantIntValue(depth),
                         panelsKnown = getConstantIntValue(panelCount);
  TileLhs lhs = kernel.getLhs();
  // Quantization needs whole rows; sums of tile registers pass through memory
  // anyway.
  if (!depthKnown || !panelsKnown || op.getQuantize() || lhs.sumBlock != 0 ||
      kernel.getScratchElements() || expandedKernel)
    return;
  int64_t allSteps = llvm::divideCeil(*depthKnown, shape.k);
  int64_t stepBytes =
      kernel.getPanelSizes().second * getBytes(kernel.getPanelElementType());
  int64_t rowBytes = *depthKnown * getBytes(lhs.element);
  // A piece of a panel takes an eighth of the cache at most: it is used while
  // the next one comes.
  int64_t most = std::max<int64_t>(
      llvm::alignDown(cache / 8 / stepBytes, kPieceSteps), kPieceSteps);
  int64_t pieces = llvm::divideCeil(allSteps, most);
  double panelBytes = static_cast<double>(*panelsKnown) * allSteps * stepBytes;
  if (pieces <= 1 || panelBytes <= cache / 2.0)
    return;
  int64_t pieceSteps =
      llvm::alignTo(llvm::divideCeil(allSteps, pieces), kPieceSteps);
  int64_t pieceBytes = pieceSteps * shape.k * getBytes(lhs.element);
  double whole =
      panelBytes * llvm::divideCeil(rows, getBlockRows(cache, rowBytes));
  double sums = 2.0 * rows * *panelsKnown * shape.n * 4 * (pieces - 1);
  double inPieces =
      panelBytes * llvm::divideCeil(rows, getBlockRows(cache, pieceBytes)) +
      sums + 2.0 * rows * rowBytes;
  // Not for a little: the copy takes instructions too.
  if (inPieces > 0.8 * whole)
    return;
  blockSteps = pieceSteps;
  staged = true;
}

/// Blocks of the rows of a task.
void TileLowering::chooseBlocks(OpFoldResult taskRows) {
  std::optional<int64_t> rowsKnown = getConstantIntValue(taskRows),
                         allRows = getConstantIntValue(rowCount),
                         stepsKnown = getConstantIntValue(steps);
  firstStep = at.constant(0);
  stepCount = steps;
  if (op.getWindow())
    return;
  int64_t cache = getTarget(op).getL2();
  // Tile registers read memory alone, and of many columns little.
  bool fromMemory = kernel.getScratchElements() != 0;
  TileKernelAttrInterface wide = kernel.getExpanded();
  if (wide && (fromMemory || (allRows && *allRows >= kExpandedRows)) &&
      stepsKnown &&
      *stepsKnown * wide.getPanelSizes().second <=
          (fromMemory ? cache / 4 : kExpandedBytes))
    expandedKernel = wide;
  if (rowsKnown)
    choosePieces(*rowsKnown, cache);
  int64_t bytes = getBytes(kernel.getLhs().element) *
                  (blockSteps ? blockSteps * shape.k
                              : getConstantIntValue(depth).value_or(4096));
  blockRows = getBlockRows(cache, bytes);
  if (!rowsKnown) {
    blockRows = std::max<int64_t>(blockRows / shape.m, 1) * shape.m;
    return;
  }
  // Blocks of the same size: a small last one would need all panels again.
  int64_t rows = std::max<int64_t>(*rowsKnown, 1);
  int64_t blocks = llvm::divideCeil(rows, blockRows);
  blockRows = llvm::alignTo(llvm::divideCeil(rows, blocks), shape.m);
}

/// Memory for the sums between pieces of rows: of each panel, the rows of its
/// tiles one after the other.
void TileLowering::allocatePartials() {
  if (!blockSteps)
    return;
  groupPanels = std::min<int64_t>(
      std::max<int64_t>(kPartialColumns / shape.n, 1),
      getConstantIntValue(panelCount).value_or(ShapedType::kDynamic));
  partials =
      allocate({at.constant(groupPanels), at.constant(blockRows * shape.n)},
               kernel.getAccumulatorType());
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// All tiles of the rows [firstRow, firstRow + rows) and a panel.
void TileLowering::buildRowTiles(OpFoldResult firstRow, OpFoldResult rows,
                                 Value panel) {
  OpFoldResult whole = at.mul(at.floorDiv(rows, shape.m), at.constant(shape.m));
  buildFor(whole, at.constant(shape.m), [&](Value row) {
    buildTile(shape.m, at.add(firstRow, row), panel);
  });
  // Blocks start at multiples of the tile, so that a static size shows what is
  // left over.
  std::optional<int64_t> all = getConstantIntValue(rowCount);
  if (all && *all % shape.m == 0)
    return;
  OpFoldResult done = at.add(firstRow, whole);
  Value rest = at.value(at.sub(rows, whole));
  auto buildIf = [&](Value condition, function_ref<void()> body) {
    auto branch = scf::IfOp::create(b, loc, condition, /*withElse=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&branch.getThenRegion().front());
    body();
  };
  auto isConstant = getConstantIntValue(at.sub(rows, whole));
  if (all) {
    int64_t left = *all % shape.m;
    if (isConstant && *isConstant == left)
      return buildTile(left, done, panel);
    Value some = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, rest,
                                       at.value(at.constant(0)));
    return buildIf(some, [&] { buildTile(left, done, panel); });
  }
  for (int64_t part = llvm::bit_floor(static_cast<uint64_t>(shape.m - 1));
       part > 0; part /= 2) {
    Value bit =
        arith::AndIOp::create(b, loc, rest, at.value(at.constant(part)));
    Value has = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, bit,
                                      at.value(at.constant(0)));
    buildIf(has, [&] { buildTile(part, done, panel); });
    // The next part starts behind this one, if there was one.
    done = OpFoldResult(
        arith::AddIOp::create(b, loc, at.value(done), bit).getResult());
  }
}

/// The panels [firstPanel, firstPanel + panels) for the rows of a block and the
/// products of a piece.
void TileLowering::buildPanels(OpFoldResult firstRow, OpFoldResult rows,
                               OpFoldResult firstPanel, OpFoldResult panels) {
  buildFor(panels, at.constant(1), [&](Value panel) {
    Value index = at.value(at.add(firstPanel, panel));
    // The last one asks for itself, which is there.
    nextPanel = at.min(at.add(index, at.constant(1)),
                       at.sub(at.add(firstPanel, panels), at.constant(1)));
    if (expandedKernel)
      buildExpansion(index);
    buildRowTiles(firstRow, rows, index);
  });
}

/// The same piece by piece.
void TileLowering::buildPieces(OpFoldResult firstRow, OpFoldResult rows,
                               OpFoldResult firstPanel, OpFoldResult panels) {
  buildFor(panels, at.constant(groupPanels), [&](Value group) {
    groupFirst = at.add(firstPanel, group);
    OpFoldResult count =
        at.min(at.sub(panels, group), at.constant(groupPanels));
    // Pieces are chosen for known sizes only.
    int64_t all = *getConstantIntValue(steps);
    auto loop =
        scf::ForOp::create(b, loc, at.value(at.constant(0)), at.value(steps),
                           at.value(at.constant(blockSteps)));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    firstStep = loop.getInductionVar();
    stepCount = at.constant(blockSteps);
    if (all % blockSteps != 0)
      stepCount = at.min(at.sub(steps, firstStep), stepCount);
    Value first = at.value(firstStep);
    isFirstPiece = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                         first, at.value(at.constant(0)));
    isLastPiece =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, first,
                              at.value(at.constant(all - blockSteps)));
    buildRows(firstRow, rows);
    buildPanels(firstRow, rows, groupFirst, count);
  });
}

void TileLowering::buildOuter(OpFoldResult position, OpFoldResult firstRow,
                              OpFoldResult rows, OpFoldResult firstPanel,
                              OpFoldResult panels) {
  setOuter(position);
  buildFor(rows, at.constant(blockRows), [&](Value offset) {
    OpFoldResult first = at.add(firstRow, offset);
    OpFoldResult count = at.min(at.sub(rows, offset), at.constant(blockRows));
    if (std::optional<int64_t> all = getConstantIntValue(rows))
      if (*all % blockRows == 0)
        count = at.constant(blockRows);
    stageFirst = first;
    if (blockSteps)
      return buildPieces(first, count, firstPanel, panels);
    if (staged)
      buildRows(first, count);
    buildPanels(first, count, firstPanel, panels);
  });
}

/// Unpacks a panel for all rows of a block.
void TileLowering::buildExpansion(Value panel) {
  TileContext tile;
  tile.panels = op.getPanels();
  tile.panel = at.value(at.add(panelBase, panel));
  int64_t from = kernel.getPanelSizes().second;
  int64_t to = expandedKernel.getPanelSizes().second;
  buildFor(steps, at.constant(1), [&](Value step) {
    tile.panelOffset = at.value(at.mul(step, at.constant(from)));
    kernel.emitExpansion(b, loc, tile, expandedRow,
                         at.value(at.mul(step, at.constant(to))));
  });
}
