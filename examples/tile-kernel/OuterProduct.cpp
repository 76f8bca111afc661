//===- OuterProduct.cpp - A tile kernel of another dialect ----------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `#example.outer_product` multiplies f32 by f32 with vector ops that LLVM has
// for every CPU. docs/AddingATileKernel.md explains it.
//
//===----------------------------------------------------------------------===//

#include "compress/IR/TileKernel.h"
#include "mlir/Config/mlir-config.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "OuterProductDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "OuterProductAttrs.h.inc"

#include "OuterProductDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "OuterProductAttrs.cpp.inc"

using namespace mlir;
using namespace mlir::compress;
using namespace example;

/// Elements of a vector.
static constexpr int64_t kLanes = 8;

void ExampleDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "OuterProductAttrs.cpp.inc"
      >();
}

LogicalResult
OuterProductAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                         int64_t m, int64_t n) {
  if (m < 1 || m > 14 || n < kLanes || n > 4 * kLanes || n % kLanes != 0)
    return emitError() << "m must be from 1 to 14 and n a multiple of "
                       << kLanes << " up to " << 4 * kLanes << ", but they are "
                       << m << " and " << n;
  return success();
}

//===----------------------------------------------------------------------===//
// What the kernel is
//===----------------------------------------------------------------------===//

TileShape OuterProductAttr::getTile() const { return {getM(), getN(), 1}; }

TileKernelAttrInterface OuterProductAttr::withTile(int64_t m, int64_t n) const {
  return getChecked([] { return InFlightDiagnostic(); }, getContext(), m, n);
}

TileLhs OuterProductAttr::getLhs() const {
  TileLhs lhs;
  lhs.element = Float32Type::get(getContext());
  return lhs;
}

Type OuterProductAttr::getPanelElementType() const {
  return Float32Type::get(getContext());
}

std::pair<int64_t, int64_t> OuterProductAttr::getPanelSizes() const {
  return {0, getN()};
}

Type OuterProductAttr::getAccumulatorType() const {
  return Float32Type::get(getContext());
}

int64_t OuterProductAttr::getLanes() const { return kLanes; }

//===----------------------------------------------------------------------===//
// When it is used
//===----------------------------------------------------------------------===//

bool OuterProductAttr::isSupported(
    function_ref<bool(StringRef)> hasFeature) const {
  // Elsewhere llvm.fma is a call for each element.
  return hasFeature("fma");
}

double OuterProductAttr::getCost(int64_t rows, int64_t columns,
                                 int64_t depth) const {
  // Two fused products or two loads a cycle, four cycles for one.
  double groups = static_cast<double>(getN()) / kLanes;
  double step = std::max(4.0, (getM() * groups + getM() + groups) / 2);
  return step * llvm::divideCeil(rows, getM()) *
         llvm::divideCeil(columns, getN()) * depth;
}

//===----------------------------------------------------------------------===//
// What it computes
//===----------------------------------------------------------------------===//

std::vector<char> OuterProductAttr::packConstant(
    const ::compress::numerics::PanelMatrix &matrix) const {
  int64_t panels = llvm::divideCeil(matrix.columns, getN());
  int64_t steps = matrix.taps * matrix.depth;
  std::vector<char> packed(panels * steps * getN() * sizeof(float));
  for (int64_t column = 0; column < matrix.columns; ++column)
    for (int64_t step = 0; step < steps; ++step) {
      int64_t from =
          matrix.offset(column, step / matrix.depth, step % matrix.depth);
      int64_t to = (column / getN() * steps + step) * getN() + column % getN();
      std::memcpy(packed.data() + to * sizeof(float),
                  matrix.data + from * sizeof(float), sizeof(float));
    }
  return packed;
}

SmallVector<Value> OuterProductAttr::emitInit(OpBuilder &b, Location loc,
                                              const TileContext &tile) const {
  auto type = VectorType::get(kLanes, b.getF32Type());
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  return SmallVector<Value>(tile.rows.size() * getN() / kLanes, zero);
}

SmallVector<Value> OuterProductAttr::emit(OpBuilder &b, Location loc,
                                          const TileContext &tile,
                                          ValueRange accumulators) const {
  auto type = VectorType::get(kLanes, b.getF32Type());
  int64_t groups = getN() / kLanes;
  SmallVector<Value> columns, result(accumulators);
  for (int64_t group = 0; group < groups; ++group) {
    Value distance = arith::ConstantIndexOp::create(b, loc, group * kLanes);
    Value offset = arith::AddIOp::create(b, loc, tile.panelOffset, distance);
    columns.push_back(vector::LoadOp::create(b, loc, type, tile.panels,
                                             ValueRange{tile.panel, offset}));
  }
  for (size_t row = 0; row < tile.rows.size(); ++row) {
    if (!tile.isActive(row))
      continue;
    SmallVector<Value> indices(tile.rows[row]);
    indices.push_back(tile.lhsOffset);
    Value element = memref::LoadOp::create(b, loc, tile.lhs, indices);
    Value left = vector::BroadcastOp::create(b, loc, type, element);
    for (int64_t group = 0; group < groups; ++group) {
      Value &acc = result[row * groups + group];
      acc = vector::FMAOp::create(b, loc, left, columns[group], acc);
    }
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Plugin
//===----------------------------------------------------------------------===//

/// Called by `--load-dialect-plugin`.
extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {
      MLIR_PLUGIN_API_VERSION, "ExampleTileKernel", LLVM_VERSION_STRING,
      [](DialectRegistry *registry) { registry->insert<ExampleDialect>(); }};
}
