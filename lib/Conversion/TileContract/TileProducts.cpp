//===- TileProducts.cpp - The loops over products of a tile ---------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileLowering.h"
#include "compress/IR/BuilderUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::compress;

/// Multiplications that one trip of a loop over steps should have at least, so
/// that the loop itself costs little.
static constexpr int64_t kProductsPerTrip = 48;

/// One tile: the loops over its products, then the epilogue. `staticPosition`
/// is the first row where it decides which taps of a window are inside.
void TileLowering::buildTile(int64_t rows, OpFoldResult firstRow, Value panel,
                             std::optional<int64_t> staticPosition) {
  if (rows == 0)
    return;
  TileContext tile;
  tile.panels = op.getPanels();
  tile.panel = at.value(at.add(panelBase, panel));
  tile.panelOffset = at.value(at.constant(0));
  if (expandedKernel) {
    tile.panels = expanded;
    tile.panel = at.value(at.constant(0));
  }
  tile.scratch = scratch;
  if (imagePadded)
    tile.rowStride = op.getWindow()->getStrides().back();
  tile.lhs = staged ? stage : imageStaged ? image : op.getLhs();
  tile.sums = stageSums;
  for (int64_t row = 0; row < rows; ++row) {
    OpFoldResult index = at.add(firstRow, at.constant(row));
    if (staged) {
      Value inBlock = at.value(at.sub(index, stageFirst));
      tile.rows.push_back({inBlock});
      tile.sumRows.push_back(inBlock);
    } else if (!op.getWindow()) {
      SmallVector<Value> indices(outer);
      indices.push_back(at.value(index));
      tile.rows.push_back(std::move(indices));
    } else {
      tile.rows.emplace_back();
    }
  }
  if (op.getWindow()) {
    SmallVector<Value> acc = kernel.emitInit(b, loc, tile);
    acc = buildWindowSteps(tile, std::move(acc), firstRow, staticPosition);
    return buildResult(tile, acc, firstRow, panel);
  }
  SmallVector<Value> acc = buildInit(tile, firstRow, panel);
  buildOutPrefetch(rows, firstRow, panel);
  tileFirst = firstRow;
  acc = buildSteps(tile, std::move(acc));
  buildResult(tile, acc, firstRow, panel);
}

/// Where vector `index` of a tile's sums is between pieces of rows.
SmallVector<Value> TileLowering::getPartialIndices(int64_t index,
                                                   OpFoldResult firstRow,
                                                   Value panel) {
  OpFoldResult first =
      at.mul(at.sub(firstRow, stageFirst), at.constant(shape.n));
  return {at.value(at.sub(panel, groupFirst)),
          at.value(at.add(first, at.constant(index * kernel.getLanes())))};
}

/// The sums that a tile begins with.
SmallVector<Value> TileLowering::buildInit(const TileContext &tile,
                                           OpFoldResult firstRow, Value panel) {
  if (!partials)
    return kernel.emitInit(b, loc, tile);
  auto type = VectorType::get(kernel.getLanes(), kernel.getAccumulatorType());
  auto branch = scf::IfOp::create(
      b, loc, isFirstPiece,
      [&](OpBuilder &, Location) {
        scf::YieldOp::create(b, loc, kernel.emitInit(b, loc, tile));
      },
      [&](OpBuilder &, Location) {
        SmallVector<Value> sums;
        int64_t count = tile.rows.size() * shape.n / kernel.getLanes();
        for (int64_t index = 0; index < count; ++index)
          sums.push_back(vector::LoadOp::create(
              b, loc, type, partials,
              getPartialIndices(index, firstRow, panel)));
        scf::YieldOp::create(b, loc, sums);
      });
  return SmallVector<Value>(branch.getResults());
}

/// What becomes of the sums that a tile ends with.
void TileLowering::buildResult(const TileContext &tile, ArrayRef<Value> acc,
                               OpFoldResult firstRow, Value panel) {
  auto finish = [&] {
    SmallVector<Value> results = kernel.emitResult(b, loc, tile, acc);
    buildEpilogue(results, tile.rows.size(), firstRow, panel);
  };
  if (!partials)
    return finish();
  scf::IfOp::create(
      b, loc, isLastPiece,
      [&](OpBuilder &, Location) {
        finish();
        scf::YieldOp::create(b, loc);
      },
      [&](OpBuilder &, Location) {
        for (auto [index, value] : llvm::enumerate(acc))
          vector::StoreOp::create(b, loc, value, partials,
                                  getPartialIndices(index, firstRow, panel));
        scf::YieldOp::create(b, loc);
      });
}

/// The steps of one tap, from `tile.panelOffset` (a multiple of steps behind
/// the head of the panel) and `tile.lhsOffset` on.
SmallVector<Value> TileLowering::buildSteps(TileContext &tile,
                                            SmallVector<Value> acc) {
  TileKernelAttrInterface reader = expandedKernel ? expandedKernel : kernel;
  auto [head, stepSize] = reader.getPanelSizes();
  OpFoldResult base = at.add(tile.panelOffset, at.constant(head));
  auto emitStep = [&, stepSize = stepSize](OpFoldResult step,
                                           ValueRange values) {
    TileContext here = tile;
    here.lhsOffset = at.value(at.mul(step, at.constant(shape.k)));
    here.panelOffset = at.value(
        at.add(base, at.mul(at.add(firstStep, step), at.constant(stepSize))));
    here.block = at.value(step);
    here.prefetchBytes = getStreamBytes(tile.rows.size());
    return reader.emit(b, loc, here, values);
  };
  int64_t products = tile.rows.size() * shape.n / kernel.getLanes();
  int64_t unroll =
      shape.k > 8 ? 1 : std::clamp<int64_t>(kProductsPerTrip / products, 1, 8);
  if (!op.getWindow())
    prepareNextPanel(tile.rows.size(), unroll);
  auto buildLoop = [&](OpFoldResult from, OpFoldResult to, int64_t by,
                       SmallVector<Value> init) -> SmallVector<Value> {
    std::optional<int64_t> first = getConstantIntValue(from),
                           last = getConstantIntValue(to);
    if (first && last) {
      if (*last <= *first)
        return init;
      if (*last - *first <= by) {
        for (int64_t step = *first; step < *last; ++step)
          init = emitStep(at.constant(step), init);
        return init;
      }
    }
    auto loop = scf::ForOp::create(b, loc, at.value(from), at.value(to),
                                   at.value(at.constant(by)), init);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> values(loop.getRegionIterArgs());
    if (by == unroll)
      buildNextPanelPrefetch(loop.getInductionVar());
    for (int64_t i = 0; i < by; ++i)
      values = emitStep(at.add(loop.getInductionVar(), at.constant(i)), values);
    scf::YieldOp::create(b, loc, values);
    return SmallVector<Value>(loop.getResults());
  };
  OpFoldResult whole =
      at.mul(at.floorDiv(stepCount, unroll), at.constant(unroll));
  acc = buildLoop(at.constant(0), whole, unroll, std::move(acc));
  return buildLoop(whole, stepCount, 1, std::move(acc));
}

/// Whether tap `tap` of the last dimension is inside the image for row `row` of
/// the tile that starts at `position`.
bool TileLowering::isInside(int64_t position, int64_t row, int64_t tap) {
  WindowAttr window = *op.getWindow();
  auto type = cast<MemRefType>(op.getLhs().getType());
  int64_t size = type.getDimSize(type.getRank() - 2);
  int64_t index = (position + row) * window.getStrides().back() -
                  window.getPads().back() + tap * window.getDilations().back();
  return index >= 0 && index < size;
}

/// Adds what tap `tap` of the window contributes to the rows that it is outside
/// of the image for: those not in `tile.active`, or all if that is empty.
void TileLowering::addTapSums(TileContext &tile, OpFoldResult tap,
                              SmallVector<Value> &acc) {
  auto [head, stepSize] = kernel.getPanelSizes();
  int64_t lanes = kernel.getLanes(), groups = shape.n / lanes;
  int64_t taps = op.getWindow()->getNumTaps();
  OpFoldResult first =
      at.add(at.mul(at.add(at.mul(steps, at.constant(taps)), tap),
                    at.constant(stepSize)),
             at.constant(head));
  auto type = VectorType::get(lanes, kernel.getAccumulatorType());
  int64_t elements = stepSize / groups;
  // The code of zero in an image that is quantized here; else it is part of the
  // sums.
  Value point;
  if (stagePoints) {
    point =
        memref::LoadOp::create(b, loc, stagePoints, at.value(at.constant(0)));
    if (int64_t shift = kernel.getLhs().shift)
      point = arith::AddIOp::create(b, loc, point,
                                    buildInt(b, loc, b.getI32Type(), shift));
  }
  for (int64_t group = 0; group < groups; ++group) {
    Value raw = vector::LoadOp::create(
        b, loc, VectorType::get(elements, kernel.getPanelElementType()),
        tile.panels,
        ValueRange{tile.panel,
                   at.value(at.add(first, at.constant(group * elements)))});
    Value sums = vector::BitCastOp::create(b, loc, type, raw);
    if (point)
      sums = arith::MulIOp::create(
          b, loc, sums, vector::BroadcastOp::create(b, loc, type, point));
    for (size_t row = 0; row < tile.rows.size(); ++row) {
      Value &value = acc[row * groups + group];
      if (tile.active.empty() || !tile.active[row])
        value = arith::AddIOp::create(b, loc, value, sums);
    }
  }
}

SmallVector<Value>
TileLowering::buildWindowSteps(TileContext &tile, SmallVector<Value> acc,
                               OpFoldResult firstRow,
                               std::optional<int64_t> staticPosition) {
  return buildTaps(0, tile, std::move(acc), {}, firstRow, staticPosition);
}

/// The taps of dimension `dim` of the window and of those behind it.
SmallVector<Value>
TileLowering::buildTaps(unsigned dim, TileContext &tile, SmallVector<Value> acc,
                        SmallVector<OpFoldResult> taps, OpFoldResult firstRow,
                        std::optional<int64_t> staticPosition) {
  WindowAttr window = *op.getWindow();
  unsigned rank = window.getRank();
  int64_t lhsRank = cast<MemRefType>(op.getLhs().getType()).getRank();
  int64_t firstSpatial = lhsRank - 1 - rank;
  if (dim == rank) {
    // The indices of the rows, and the tap's place in the panel.
    OpFoldResult tap = at.constant(0);
    for (unsigned d = 0; d < rank; ++d)
      tap = at.add(at.mul(tap, at.constant(window.getSizes()[d])), taps[d]);
    auto stepSize = kernel.getPanelSizes().second;
    TileContext here = tile;
    here.panelOffset =
        at.value(at.mul(tap, at.mul(steps, at.constant(stepSize))));
    for (auto [row, indices] : llvm::enumerate(here.rows)) {
      indices.clear();
      if (!imageStaged)
        indices.append(outer.begin(), outer.begin() + firstSpatial);
      for (unsigned d = 0; d < rank; ++d) {
        OpFoldResult position =
            OpFoldResult(at.add(firstRow, at.constant(row)));
        if (d + 1 != rank)
          position = outer[firstSpatial + d];
        OpFoldResult start =
            at.sub(at.mul(position, at.constant(window.getStrides()[d])),
                   at.constant(imagePadded ? 0 : window.getPads()[d]));
        // A row outside is not read, but its index is made.
        indices.push_back(at.value(at.add(
            start, at.mul(taps[d], at.constant(window.getDilations()[d])))));
      }
    }
    return buildSteps(here, std::move(acc));
  }
  int64_t size = window.getSizes()[dim];
  if (dim + 1 == rank && staticPosition) {
    for (int64_t tap = 0; tap < size; ++tap) {
      TileContext here = tile;
      here.active.clear();
      for (size_t row = 0; row < tile.rows.size(); ++row)
        here.active.push_back(isInside(*staticPosition, row, tap));
      if (hasTapSums && llvm::is_contained(here.active, false)) {
        OpFoldResult index = at.constant(0);
        for (unsigned d = 0; d < dim; ++d)
          index = at.mul(at.add(index, taps[d]),
                         at.constant(window.getSizes()[d + 1]));
        addTapSums(here, at.add(index, at.constant(tap)), acc);
      }
      if (!llvm::is_contained(here.active, true))
        continue;
      SmallVector<OpFoldResult> inner(taps);
      inner.push_back(at.constant(tap));
      acc = buildTaps(dim + 1, here, std::move(acc), inner, firstRow,
                      staticPosition);
    }
    return acc;
  }
  // Taps [from, to) are inside the image.
  OpFoldResult from = at.constant(0), to = at.constant(size);
  if (dim + 1 != rank && !imagePadded && op.canLeaveImage(dim)) {
    int64_t dilation = window.getDilations()[dim];
    OpFoldResult start = at.sub(at.mul(outer[firstSpatial + dim],
                                       at.constant(window.getStrides()[dim])),
                                at.constant(window.getPads()[dim]));
    OpFoldResult image =
        memref::getMixedSizes(b, loc, op.getLhs())[firstSpatial + dim];
    OpFoldResult none = from, all = to;
    from = at.min(at.max(at.ceilDiv(at.sub(none, start), dilation), none), all);
    to = at.max(at.min(at.ceilDiv(at.sub(image, start), dilation), all), from);
    if (hasTapSums) {
      // All taps of the dimensions behind this one are outside too.
      int64_t behind = 1;
      for (unsigned d = dim + 1; d < rank; ++d)
        behind *= window.getSizes()[d];
      OpFoldResult base = at.constant(0);
      for (unsigned d = 0; d < dim; ++d)
        base = at.mul(at.add(base, taps[d]),
                      at.constant(window.getSizes()[d + 1]));
      base = at.mul(base, at.constant(behind));
      for (auto [first, last] : {std::pair(none, from), std::pair(to, all)}) {
        auto loop = scf::ForOp::create(
            b, loc, at.value(at.mul(first, at.constant(behind))),
            at.value(at.mul(last, at.constant(behind))),
            at.value(at.constant(1)), acc);
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(loop.getBody());
        SmallVector<Value> sums(loop.getRegionIterArgs());
        TileContext outside = tile;
        outside.active.clear();
        addTapSums(outside, at.add(base, loop.getInductionVar()), sums);
        scf::YieldOp::create(b, loc, sums);
        acc = SmallVector<Value>(loop.getResults());
      }
    }
  }
  auto loop = scf::ForOp::create(b, loc, at.value(from), at.value(to),
                                 at.value(at.constant(1)), acc);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<OpFoldResult> inner(taps);
  inner.push_back(loop.getInductionVar());
  SmallVector<Value> values =
      buildTaps(dim + 1, tile, SmallVector<Value>(loop.getRegionIterArgs()),
                inner, firstRow, staticPosition);
  scf::YieldOp::create(b, loc, values);
  return SmallVector<Value>(loop.getResults());
}
