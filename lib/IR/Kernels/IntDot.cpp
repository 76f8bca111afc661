//===- IntDot.cpp - Products of 8-bit integers, summed in i32 -------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DotProducts.h"
#include "TileCost.h"
#include "TileRegisters.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::compress;
namespace num = ::compress::numerics;

LogicalResult IntDotAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t m, int64_t n, IntegerType lhs,
                                 TileIsa isa) {
  if (lhs.getWidth() != 8)
    return emitError() << "the left operand must be of 8 bits, but is " << lhs;
  if (isa == TileIsa::Amx && (m > 32 || n > 32))
    return emitError() << "m and n must be at most 32 with isa = amx, but are "
                       << m << " and " << n;
  return verifyTile(emitError, m, n, getIsaLanes(isa));
}

/// Products that a tile register has in each row.
static constexpr int64_t kTileProducts = 64;

static bool isAmx(IntDotAttr kernel) { return kernel.getIsa() == TileIsa::Amx; }

TileShape IntDotAttr::getTile() const {
  return {getM(), getN(), isAmx(*this) ? kTileProducts : 4};
}

TileKernelAttrInterface IntDotAttr::withTile(int64_t m, int64_t n) const {
  return getChecked([&] { return emitDiscarded(getContext()); }, getContext(),
                    m, n, getLhsType(), getIsa());
}

TileLhs IntDotAttr::getLhs() const {
  TileLhs lhs;
  lhs.element = IntegerType::get(getContext(), 8);
  lhs.isSigned = !getLhsType().isUnsigned();
  lhs.shift = lhs.isSigned && isVnni(getIsa()) ? 128 : 0;
  return lhs;
}

Type IntDotAttr::getPanelElementType() const {
  return IntegerType::get(getContext(), 8);
}

std::pair<int64_t, int64_t> IntDotAttr::getPanelSizes() const {
  return {4 * getN(), getTile().k * getN()};
}

Type IntDotAttr::getAccumulatorType() const {
  return IntegerType::get(getContext(), 32);
}

int64_t IntDotAttr::getLanes() const { return getIsaLanes(getIsa()); }

bool IntDotAttr::isSupported(function_ref<bool(StringRef)> hasFeature) const {
  return supportsIsa(hasFeature, getIsa());
}

double IntDotAttr::getCost(int64_t rows, int64_t columns, int64_t depth) const {
  TileCost cost;
  if (isAmx(*this)) {
    // A multiplication of tiles takes a cycle a row on its one unit, a load of
    // one 8; reading results back from memory counts little.
    cost.perProduct = 2;
    cost.rowLoads = 1;
    cost.columnLoads = 16;
    cost.columnBytes = 1024;
    cost.latency = 16;
    return getTileCost(cost, getTile(), getLanes(), rows, columns, depth);
  }
  // Instructions for each product of vectors, and for each left or right one.
  cost.perProduct = isVnni(getIsa()) ? 1 : getIsa() == TileIsa::Generic ? 8 : 4;
  cost.perRow = isVnni(getIsa()) ? 0 : 2;
  cost.perColumn = cost.perRow;
  return getTileCost(cost, getTile(), getLanes(), rows, columns, depth);
}

std::vector<char>
IntDotAttr::packConstant(const num::PanelMatrix &matrix) const {
  return num::packIntPanels(matrix, getN(), -getLhs().shift, getTile().k);
}

SmallVector<Value> IntDotAttr::emitInit(OpBuilder &b, Location loc,
                                        const TileContext &tile) const {
  if (isAmx(*this))
    return emitTileZeros(b, loc, tile.rows.size(), getN());
  auto type = VectorType::get(getLanes(), getAccumulatorType());
  SmallVector<Value> accumulators;
  for (size_t row = 0; row < tile.rows.size(); ++row)
    for (int64_t group = 0; group < getN() / getLanes(); ++group)
      accumulators.push_back(
          row ? accumulators[group]
              : loadPanel(b, loc, tile, 4 * getLanes() * group, type));
  return accumulators;
}

SmallVector<Value> IntDotAttr::emit(OpBuilder &b, Location loc,
                                    const TileContext &tile,
                                    ValueRange accumulators) const {
  if (isAmx(*this)) {
    TileProducts step;
    step.columns = getN();
    step.products = kTileProducts;
    step.lhsSigned = getLhs().isSigned;
    step.right = tile.panels;
    step.rightIndices = {tile.panel, tile.panelOffset};
    return emitTileProducts(b, loc, tile, step, accumulators);
  }
  int64_t lanes = getLanes(), groups = getN() / lanes;
  auto type = VectorType::get(lanes, getAccumulatorType());
  SmallVector<Value> columns, result(accumulators);
  for (int64_t group = 0; group < groups; ++group)
    columns.push_back(loadPanel(b, loc, tile, 4 * lanes * group, type));
  for (size_t row = 0; row < tile.rows.size(); ++row) {
    if (!tile.isActive(row))
      continue;
    Value left = broadcastRow(b, loc, tile, row, 0, 4, lanes);
    for (int64_t group = 0; group < groups; ++group) {
      Value &acc = result[row * groups + group];
      acc = isVnni(getIsa())
                ? emitUnsignedDot(b, loc, getIsa(), acc, left, columns[group],
                                  /*unsignedBits=*/8)
                : emitWideDot(b, loc, getIsa(), acc, left, getLhs().isSigned,
                              columns[group], /*rhsSigned=*/true);
    }
  }
  return result;
}

SmallVector<Value> IntDotAttr::emitResult(OpBuilder &b, Location loc,
                                          const TileContext &tile,
                                          ValueRange accumulators) const {
  if (isAmx(*this))
    return emitTileResults(b, loc, tile, getN(), accumulators);
  return SmallVector<Value>(accumulators);
}

int64_t IntDotAttr::getScratchElements() const {
  return isAmx(*this) ? llvm::alignTo(getM(), 16) * getN() : 0;
}

TileKernelAttrInterface IntDotAttr::getExpanded() const { return {}; }

void IntDotAttr::emitExpansion(OpBuilder &, Location, const TileContext &,
                               Value, Value) const {}
