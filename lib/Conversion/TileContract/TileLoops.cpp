//===- TileLoops.cpp - Tasks, cache blocks and row tiles ------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileLowering.h"
#include "compress/Analysis/NativeContraction.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::compress;

//===----------------------------------------------------------------------===//
// Index arithmetic
//===----------------------------------------------------------------------===//

Value IndexBuilder::value(OpFoldResult index) {
  return getValueOrCreateConstantIndexOp(b, loc, index);
}

// On dimensions of affine maps, not on symbols as in BuilderUtils.h: whether a
// value may be a symbol depends on the regions around it, which loops and
// branches do not have yet while their bodies are built.

OpFoldResult IndexBuilder::add(OpFoldResult lhs, OpFoldResult rhs) {
  AffineExpr x = b.getAffineDimExpr(0), y = b.getAffineDimExpr(1);
  return affine::makeComposedFoldedAffineApply(b, loc, x + y, {lhs, rhs});
}

OpFoldResult IndexBuilder::sub(OpFoldResult lhs, OpFoldResult rhs) {
  AffineExpr x = b.getAffineDimExpr(0), y = b.getAffineDimExpr(1);
  return affine::makeComposedFoldedAffineApply(b, loc, x - y, {lhs, rhs});
}

OpFoldResult IndexBuilder::mul(OpFoldResult lhs, OpFoldResult rhs) {
  if (std::optional<int64_t> constant = getConstantIntValue(rhs))
    return affine::makeComposedFoldedAffineApply(
        b, loc, b.getAffineDimExpr(0) * *constant, {lhs});
  if (getConstantIntValue(lhs))
    return mul(rhs, lhs);
  return b.createOrFold<arith::MulIOp>(loc, value(lhs), value(rhs));
}

OpFoldResult IndexBuilder::min(OpFoldResult lhs, OpFoldResult rhs) {
  return affine::makeComposedFoldedAffineMin(
      b, loc, b.getMultiDimIdentityMap(2), {lhs, rhs});
}

OpFoldResult IndexBuilder::max(OpFoldResult lhs, OpFoldResult rhs) {
  return affine::makeComposedFoldedAffineMax(
      b, loc, b.getMultiDimIdentityMap(2), {lhs, rhs});
}

OpFoldResult IndexBuilder::floorDiv(OpFoldResult lhs, int64_t rhs) {
  return affine::makeComposedFoldedAffineApply(
      b, loc, b.getAffineDimExpr(0).floorDiv(rhs), {lhs});
}

OpFoldResult IndexBuilder::ceilDiv(OpFoldResult lhs, int64_t rhs) {
  return affine::makeComposedFoldedAffineApply(
      b, loc, b.getAffineDimExpr(0).ceilDiv(rhs), {lhs});
}

OpFoldResult IndexBuilder::mod(OpFoldResult lhs, int64_t rhs) {
  return affine::makeComposedFoldedAffineApply(
      b, loc, b.getAffineDimExpr(0) % rhs, {lhs});
}

//===----------------------------------------------------------------------===//
// Collapsing rows
//===----------------------------------------------------------------------===//

SmallVector<ReassociationIndices>
mlir::compress::joinDims(int64_t first, int64_t last, int64_t rank) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (dim > first && dim < last)
      groups.back().push_back(dim);
    else
      groups.push_back({dim});
  }
  return groups;
}

std::optional<std::pair<int64_t, int64_t>>
mlir::compress::findRows(AffineMap map, int64_t first, int64_t last) {
  int64_t begin = -1, count = 0;
  for (auto [position, expr] : llvm::enumerate(map.getResults())) {
    int64_t dim = cast<AffineDimExpr>(expr).getPosition();
    if (dim < first || dim >= last)
      continue;
    if (dim != first + count)
      return std::nullopt;
    if (count == 0)
      begin = position;
    else if (static_cast<int64_t>(position) != begin + count)
      return std::nullopt;
    ++count;
  }
  if (count == 0)
    return std::make_pair(int64_t(0), int64_t(0));
  if (count != last - first)
    return std::nullopt;
  return std::make_pair(begin, begin + count);
}

AffineMap mlir::compress::joinRows(AffineMap map, int64_t first, int64_t last) {
  // Dimensions behind the joined ones move up.
  int64_t removed = last - first - 1;
  MLIRContext *context = map.getContext();
  SmallVector<AffineExpr> exprs;
  for (AffineExpr expr : map.getResults()) {
    int64_t dim = cast<AffineDimExpr>(expr).getPosition();
    if (dim > first && dim < last)
      continue;
    exprs.push_back(
        getAffineDimExpr(dim < last ? dim : dim - removed, context));
  }
  return AffineMap::get(map.getNumDims() - removed, 0, exprs, context);
}

static bool canJoin(Value memref, int64_t first, int64_t last) {
  auto type = cast<MemRefType>(memref.getType());
  return memref::CollapseShapeOp::isGuaranteedCollapsible(
      type, joinDims(first, last, type.getRank()));
}

TileContractOp mlir::compress::collapseRows(RewriterBase &b,
                                            TileContractOp op) {
  int64_t first = op.getBatches(), last = op.getOutRank() - 1;
  if (last - first < 2 || op.getWindow())
    return op;
  bool all = canJoin(op.getLhs(), first, last);
  for (Value out : op.getOuts())
    all &= canJoin(out, first, last);
  SmallVector<std::pair<int64_t, int64_t>> ranges;
  for (auto [extra, map] : llvm::zip(
           op.getExtras(), op.getMaps().getAsValueRange<AffineMapAttr>())) {
    auto range = findRows(map, first, last);
    if (!range)
      return op;
    if (range->second > range->first)
      all &= canJoin(extra, range->first, range->second);
    ranges.push_back(*range);
  }
  if (!all)
    return op;
  Location loc = op.getLoc();
  auto collapse = [&](Value memref, int64_t begin, int64_t end) -> Value {
    int64_t rank = cast<MemRefType>(memref.getType()).getRank();
    return memref::CollapseShapeOp::create(b, loc, memref,
                                           joinDims(begin, end, rank));
  };
  SmallVector<Attribute> maps;
  SmallVector<Value> extras;
  for (auto [extra, map, range] :
       llvm::zip(op.getExtras(), op.getMaps().getAsValueRange<AffineMapAttr>(),
                 ranges)) {
    maps.push_back(AffineMapAttr::get(joinRows(map, first, last)));
    extras.push_back(range.second > range.first
                         ? collapse(extra, range.first, range.second)
                         : extra);
  }
  SmallVector<Value> outs;
  for (Value out : op.getOuts())
    outs.push_back(collapse(out, first, last));
  auto joined = TileContractOp::create(
      b, loc, TypeRange(), op.getKernel(), collapse(op.getLhs(), first, last),
      op.getPanels(), extras, outs, b.getArrayAttr(maps), op.getBatches(),
      op.getQuantizeAttr(), op.getWindowAttr(), op.getThreads());
  b.inlineRegionBefore(op.getEpilogue(), joined.getEpilogue(),
                       joined.getEpilogue().begin());
  b.eraseOp(op);
  return joined;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

void TileLowering::measure() {
  Value out = op.getOuts()[0];
  SmallVector<OpFoldResult> sizes = memref::getMixedSizes(b, loc, out);
  outerSizes.assign(sizes.begin(), sizes.end() - 2);
  outerCount = at.constant(1);
  for (OpFoldResult size : outerSizes)
    outerCount = at.mul(outerCount, size);
  rowCount = sizes[sizes.size() - 2];
  columnCount = sizes.back();
  depth = memref::getMixedSizes(b, loc, op.getLhs()).back();
  shape = kernel.getTile();
  steps = at.ceilDiv(depth, shape.k);
  panelCount = at.ceilDiv(columnCount, shape.n);
  std::optional<int64_t> columns = getConstantIntValue(columnCount);
  needsMask = !columns || *columns % shape.n != 0;

  if (std::optional<WindowAttr> window = op.getWindow()) {
    auto [head, stepSize] = kernel.getPanelSizes();
    std::optional<int64_t> tapSteps = getConstantIntValue(steps);
    hasTapSums = tapSteps &&
                 cast<MemRefType>(op.getPanels().getType()).getDimSize(1) ==
                     head + window->getNumTaps() * (*tapSteps + 1) * stepSize;
  }

  TileLhs lhs = kernel.getLhs();
  std::optional<int64_t> products = getConstantIntValue(depth);
  auto type = cast<MemRefType>(op.getLhs().getType());
  bool inPlace = type.isLastDimUnitStride() &&
                 (shape.k == 1 || (products && *products % shape.k == 0));
  if (op.getWindow()) {
    imagePadded = kernel.getScratchElements() != 0;
    imageStaged = op.getQuantize() || !inPlace || imagePadded;
    return;
  }
  staged = op.getQuantize() || lhs.sumBlock != 0 || lhs.shift != 0 || !inPlace;
  // Tile registers read whole groups of rows, behind the last one too.
  std::optional<int64_t> allRows = getConstantIntValue(rowCount);
  if (kernel.getScratchElements() &&
      (!allRows || *allRows % kRowsOfRegister != 0 ||
       shape.m % kRowsOfRegister != 0))
    staged = true;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void TileLowering::buildFor(OpFoldResult count, OpFoldResult step,
                            function_ref<void(Value)> body) {
  std::optional<int64_t> constant = getConstantIntValue(count);
  std::optional<int64_t> by = getConstantIntValue(step);
  if (constant && *constant <= 0)
    return;
  if (constant && by && *constant <= *by) {
    body(at.value(at.constant(0)));
    return;
  }
  auto loop = scf::ForOp::create(b, loc, at.value(at.constant(0)),
                                 at.value(count), at.value(step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

/// Splits the position `position` in all dimensions in front of the rows.
void TileLowering::setOuter(OpFoldResult position) {
  outer.assign(outerSizes.size(), Value());
  OpFoldResult batch = at.constant(0);
  for (int64_t dim = outerSizes.size() - 1; dim >= 0; --dim) {
    OpFoldResult index = position;
    if (dim > 0) {
      std::optional<int64_t> size = getConstantIntValue(outerSizes[dim]);
      if (size) {
        index = at.mod(position, *size);
        position = at.floorDiv(position, *size);
      } else {
        Value all = at.value(position), by = at.value(outerSizes[dim]);
        index = b.createOrFold<arith::RemUIOp>(loc, all, by);
        position = OpFoldResult(b.createOrFold<arith::DivUIOp>(loc, all, by));
      }
    }
    outer[dim] = at.value(index);
  }
  for (uint64_t dim = 0; dim < op.getBatches(); ++dim)
    batch = at.add(at.mul(batch, outerSizes[dim]), outer[dim]);
  panelBase = at.mul(batch, panelCount);
}

/// Panels outside, so that each stays in a cache for all windows.
void TileLowering::buildWindowTask(OpFoldResult firstOuter, OpFoldResult outers,
                                   OpFoldResult firstPanel,
                                   OpFoldResult panels) {
  buildFor(panels, at.constant(1), [&](Value panel) {
    Value index = at.value(at.add(firstPanel, panel));
    buildFor(outers, at.constant(1), [&](Value position) {
      setOuter(at.add(firstOuter, position));
      buildWindowTiles(index);
    });
  });
}

/// The tiles of one line of windows: those at the borders one by one, since
/// some of their rows skip taps, the others in a loop.
void TileLowering::buildWindowTiles(Value panel) {
  WindowAttr window = *op.getWindow();
  std::optional<int64_t> rows = getConstantIntValue(rowCount);
  if (!rows || imagePadded || !op.canLeaveImage(window.getRank() - 1))
    return buildRowTiles(at.constant(0), rowCount, panel);
  int64_t taps = window.getSizes().back();
  auto isInner = [&](int64_t position) {
    for (int64_t row = 0; row < shape.m; ++row)
      for (int64_t tap = 0; tap < taps; ++tap)
        if (!isInside(position, row, tap))
          return false;
    return position + shape.m <= *rows;
  };
  for (int64_t position = 0; position < *rows;) {
    int64_t end = position;
    while (end < *rows && isInner(end))
      end += shape.m;
    if (end - position > shape.m) {
      buildFor(at.constant(end - position), at.constant(shape.m),
               [&](Value row) {
                 buildTile(shape.m, at.add(at.constant(position), row), panel);
               });
      position = end;
      continue;
    }
    int64_t count = std::min(shape.m, *rows - position);
    buildTile(count, at.constant(position), panel, position);
    position += count;
  }
}

/// Pieces of whole images if there are as many as threads, so that no image is
/// staged twice; else `step`.
OpFoldResult TileLowering::alignToImages(OpFoldResult step, int64_t threads) {
  OpFoldResult images = at.constant(1), lines = getLinesOfImage();
  for (OpFoldResult size : ArrayRef(outerSizes).take_front(getNumImageDims()))
    images = at.mul(images, size);
  OpFoldResult whole =
      at.max(at.mul(at.ceilDiv(images, threads), lines), at.constant(1));
  if (std::optional<int64_t> count = getConstantIntValue(images))
    return *count >= threads ? whole : step;
  Value enough =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, at.value(images),
                            at.value(at.constant(threads)));
  return OpFoldResult(
      arith::SelectOp::create(b, loc, enough, at.value(whole), at.value(step))
          .getResult());
}

LogicalResult TileLowering::run() {
  measure();
  // A task is a piece of the positions in front of the rows, else of the rows,
  // else of the panels: pieces of rows share no work on the left operand,
  // pieces of panels none on the right one.
  int64_t threads = std::max<int64_t>(op.getThreads(), 1);
  OpFoldResult one = at.constant(1);
  OpFoldResult outerStep = outerCount, rowStep = rowCount,
               panelStep = panelCount;
  std::optional<int64_t> outers = getConstantIntValue(outerCount);
  std::optional<int64_t> rows = getConstantIntValue(rowCount);
  if (threads > 1) {
    if ((!outers || *outers >= threads) && !outerSizes.empty()) {
      outerStep = at.max(at.ceilDiv(outerCount, threads), one);
      if (imageStaged)
        outerStep = alignToImages(outerStep, threads);
    } else if (op.getWindow() || (rows && *rows < 2 * threads * shape.m)) {
      panelStep = at.max(at.ceilDiv(panelCount, threads), one);
    } else {
      OpFoldResult part =
          at.mul(at.ceilDiv(rowCount, threads * shape.m), at.constant(shape.m));
      rowStep = at.max(part, at.constant(shape.m));
      if (!rows) {
        // Few rows: panels, known at run time only.
        Value few = arith::CmpIOp::create(
            b, loc, arith::CmpIPredicate::slt, at.value(rowCount),
            at.value(at.constant(2 * threads * shape.m)));
        Value all = at.value(at.max(rowCount, one));
        rowStep = OpFoldResult(
            arith::SelectOp::create(b, loc, few, all, at.value(rowStep))
                .getResult());
        Value piece = at.value(at.max(at.ceilDiv(panelCount, threads), one));
        panelStep = OpFoldResult(
            arith::SelectOp::create(b, loc, few, piece,
                                    at.value(at.max(panelCount, one)))
                .getResult());
      }
    }
  }
  auto count = [&](OpFoldResult size, OpFoldResult step) -> OpFoldResult {
    if (size == step)
      return one;
    if (std::optional<int64_t> constant = getConstantIntValue(step))
      return at.ceilDiv(size, *constant);
    return OpFoldResult(b.createOrFold<arith::CeilDivUIOp>(loc, at.value(size),
                                                           at.value(step)));
  };
  OpFoldResult outerTasks = count(outerCount, outerStep);
  OpFoldResult rowTasks = count(rowCount, rowStep);
  OpFoldResult panelTasks = count(panelCount, panelStep);
  OpFoldResult tasks = at.mul(at.mul(outerTasks, rowTasks), panelTasks);

  chooseBlocks(rowStep);

  auto buildBody = [&](OpFoldResult task) {
    auto split =
        [&](OpFoldResult tasks, OpFoldResult step,
            OpFoldResult size) -> std::pair<OpFoldResult, OpFoldResult> {
      if (getConstantIntValue(tasks) == 1)
        return {at.constant(0), size};
      OpFoldResult index = task;
      if (std::optional<int64_t> constant = getConstantIntValue(tasks)) {
        index = at.mod(task, *constant);
        task = at.floorDiv(task, *constant);
      } else {
        Value all = at.value(task), by = at.value(tasks);
        index = b.createOrFold<arith::RemUIOp>(loc, all, by);
        task = OpFoldResult(b.createOrFold<arith::DivUIOp>(loc, all, by));
      }
      OpFoldResult first = at.mul(index, step);
      return {first, at.min(step, at.sub(size, first))};
    };
    auto [firstPanel, panels] = split(panelTasks, panelStep, panelCount);
    auto [firstRow, rowsOfTask] = split(rowTasks, rowStep, rowCount);
    auto [firstOuter, outersOfTask] = split(outerTasks, outerStep, outerCount);
    if (int64_t elements = kernel.getScratchElements())
      scratch = allocate({at.constant(elements)}, kernel.getAccumulatorType());
    if (imageStaged) {
      allocateImage();
      buildImageTask(firstOuter, outersOfTask, firstPanel, panels);
      for (Value buffer : {image, imageCodes, imageElements, stageScales,
                           stagePoints, scratch})
        if (buffer)
          memref::DeallocOp::create(b, loc, buffer);
      return;
    }
    if (op.getWindow())
      return buildWindowTask(firstOuter, outersOfTask, firstPanel, panels);
    if (staged)
      allocateRows();
    allocatePartials();
    if (expandedKernel) {
      // Selected for known sizes only.
      int64_t length =
          *getConstantIntValue(steps) * expandedKernel.getPanelSizes().second;
      Type element = kernel.getPanelElementType();
      expandedRow = allocate({at.constant(length)}, element);
      expanded = memref::ExpandShapeOp::create(
          b, loc, MemRefType::get({1, length}, element), expandedRow,
          SmallVector<ReassociationIndices>{{0, 1}});
    }
    buildFor(outersOfTask, one,
             [&, firstOuter = firstOuter, firstRow = firstRow,
              rowsOfTask = rowsOfTask, firstPanel = firstPanel,
              panels = panels](Value position) {
               buildOuter(at.add(firstOuter, position), firstRow, rowsOfTask,
                          firstPanel, panels);
             });
    for (Value buffer : {stage, stageSums, stageScales, stagePoints, partials,
                         expandedRow, scratch})
      if (buffer)
        memref::DeallocOp::create(b, loc, buffer);
  };
  if (getConstantIntValue(tasks) == 1) {
    buildBody(at.constant(0));
  } else {
    auto forall = scf::ForallOp::create(b, loc, ArrayRef<OpFoldResult>{tasks},
                                        ValueRange(), std::nullopt);
    forall->setAttr("compress.threads", b.getI64IntegerAttr(threads));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(forall.getTerminator());
    buildBody(forall.getInductionVar(0));
  }
  return success();
}
