//===- FloatDot.cpp - Products of floats ----------------------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DotProducts.h"
#include "TileCost.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::compress;
namespace num = ::compress::numerics;

LogicalResult FloatDotAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   int64_t m, int64_t n, Type element,
                                   TileIsa isa) {
  bool pairs = isa == TileIsa::Avx512Bf16;
  if (pairs ? !element.isBF16() : !element.isF32())
    return emitError() << "elements must be " << (pairs ? "bf16" : "f32")
                       << " with isa = " << stringifyTileIsa(isa)
                       << ", but are " << element;
  return verifyTile(emitError, m, n, getIsaLanes(isa));
}

/// Products that one multiplication takes from a row.
static int64_t getGroup(FloatDotAttr kernel) {
  return kernel.getElement().isBF16() ? 2 : 1;
}

TileShape FloatDotAttr::getTile() const {
  return {getM(), getN(), getGroup(*this)};
}

TileKernelAttrInterface FloatDotAttr::withTile(int64_t m, int64_t n) const {
  return getChecked([&] { return emitDiscarded(getContext()); }, getContext(),
                    m, n, getElement(), getIsa());
}

TileLhs FloatDotAttr::getLhs() const {
  TileLhs lhs;
  lhs.element = getElement();
  return lhs;
}

Type FloatDotAttr::getPanelElementType() const { return getElement(); }

std::pair<int64_t, int64_t> FloatDotAttr::getPanelSizes() const {
  return {0, getN() * getGroup(*this)};
}

Type FloatDotAttr::getAccumulatorType() const {
  return Float32Type::get(getContext());
}

int64_t FloatDotAttr::getLanes() const { return getIsaLanes(getIsa()); }

bool FloatDotAttr::isSupported(function_ref<bool(StringRef)> hasFeature) const {
  return supportsIsa(hasFeature, getIsa());
}

double FloatDotAttr::getCost(int64_t rows, int64_t columns,
                             int64_t depth) const {
  TileCost cost;
  cost.latency = 4;
  return getTileCost(cost, getTile(), getLanes(), rows, columns, depth);
}

std::vector<char>
FloatDotAttr::packConstant(const num::PanelMatrix &matrix) const {
  return num::packFloatPanels(matrix, getN(), getGroup(*this));
}

SmallVector<Value> FloatDotAttr::emitInit(OpBuilder &b, Location loc,
                                          const TileContext &tile) const {
  auto type = VectorType::get(getLanes(), getAccumulatorType());
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  return SmallVector<Value>(tile.rows.size() * getN() / getLanes(), zero);
}

SmallVector<Value> FloatDotAttr::emit(OpBuilder &b, Location loc,
                                      const TileContext &tile,
                                      ValueRange accumulators) const {
  int64_t lanes = getLanes(), groups = getN() / lanes, pair = getGroup(*this);
  auto type = VectorType::get(lanes * pair, getElement());
  SmallVector<Value> columns, result(accumulators);
  for (int64_t group = 0; group < groups; ++group)
    columns.push_back(loadPanel(b, loc, tile, lanes * pair * group, type));
  for (size_t row = 0; row < tile.rows.size(); ++row) {
    if (!tile.isActive(row))
      continue;
    Value left = broadcastRow(b, loc, tile, row, 0, pair, lanes);
    if (pair == 2)
      left = vector::BitCastOp::create(b, loc, type, left);
    for (int64_t group = 0; group < groups; ++group) {
      Value &acc = result[row * groups + group];
      if (pair == 2)
        acc = LLVM::CallIntrinsicOp::create(
                  b, loc, acc.getType(),
                  b.getStringAttr("llvm.x86.avx512bf16.dpbf16ps.512"),
                  ValueRange{acc, left, columns[group]})
                  .getResult(0);
      else
        acc = emitMultiplyAdd(b, loc, getIsa(), left, columns[group], acc);
    }
  }
  return result;
}

SmallVector<Value> FloatDotAttr::emitResult(OpBuilder &, Location,
                                            const TileContext &,
                                            ValueRange accumulators) const {
  return SmallVector<Value>(accumulators);
}

TileKernelAttrInterface FloatDotAttr::getExpanded() const { return {}; }

void FloatDotAttr::emitExpansion(OpBuilder &, Location, const TileContext &,
                                 Value, Value) const {}

int64_t FloatDotAttr::getScratchElements() const { return 0; }
