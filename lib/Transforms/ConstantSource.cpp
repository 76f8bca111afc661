//===- ConstantSource.cpp - The constant behind a value -------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConstantSource.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace mlir::compress;

std::optional<ConstantSource>
mlir::compress::findConstant(Value value, SymbolTableCollection &symbols) {
  while (auto cast = value.getDefiningOp<tensor::CastOp>())
    value = cast.getSource();
  ConstantSource source;
  if (auto constant = value.getDefiningOp<arith::ConstantOp>()) {
    source.value = dyn_cast<ElementsAttr>(constant.getValue());
    source.op = constant;
  } else if (auto load = value.getDefiningOp<ml_program::GlobalLoadConstOp>()) {
    ml_program::GlobalOp global = load.getGlobalOp(symbols);
    if (!global || global.getIsMutable())
      return std::nullopt;
    source.value =
        dyn_cast_or_null<ElementsAttr>(global.getValue().value_or(Attribute()));
    source.op = load;
    source.global = global;
  }
  if (!source.value || !isa<RankedTensorType>(source.value.getType()))
    return std::nullopt;
  return source;
}

SmallVector<StringRef> mlir::compress::getLocationNames(Location loc) {
  SmallVector<StringRef> names;
  loc->walk([&](Location inner) {
    if (auto name = dyn_cast<NameLoc>(inner))
      names.push_back(name.getName().getValue());
    return WalkResult::advance();
  });
  return names;
}

SmallVector<StringRef>
mlir::compress::getSourceNames(Value value, SymbolTableCollection &symbols) {
  std::optional<ConstantSource> constant = findConstant(value, symbols);
  SmallVector<StringRef> names =
      getLocationNames(constant ? constant->op->getLoc() : value.getLoc());
  if (!constant)
    return names;
  if (constant->global)
    names.push_back(SymbolTable::getSymbolName(constant->global).getValue());
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(constant->value))
    names.push_back(resource.getRawHandle().getKey());
  return names;
}
