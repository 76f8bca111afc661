//===- LowerObserve.cpp - The pass compress-lower-observe -----------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/IR/Compress.h"
#include "compress/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::compress {
#define GEN_PASS_DEF_COMPRESSLOWEROBSERVE
#include "compress/Transforms/Passes.h.inc"
} // namespace mlir::compress

using namespace mlir;
using namespace mlir::compress;

namespace {
struct CompressLowerObserve
    : mlir::compress::impl::CompressLowerObserveBase<CompressLowerObserve> {
  using CompressLowerObserveBase::CompressLowerObserveBase;
  void runOnOperation() override;
};
} // namespace

/// The declaration of the runtime function for tensors of `elementType`; fails
/// if the module has something else of that name.
static FailureOr<func::FuncOp> getRuntimeFunction(ObserveOp op, ModuleOp module,
                                                  SymbolTable &symbols) {
  Builder builder(op.getContext());
  Type elementType = op.getInput().getType().getElementType();
  std::string name = "compress_observe_";
  llvm::raw_string_ostream(name) << elementType;
  FunctionType type =
      builder.getFunctionType({UnrankedMemRefType::get(builder.getI8Type(), 0),
                               UnrankedMemRefType::get(elementType, 0)},
                              {});
  if (Operation *existing = symbols.lookup(name)) {
    auto function = dyn_cast<func::FuncOp>(existing);
    if (function && function.isExternal() && function.getFunctionType() == type)
      return function;
    return op.emitOpError() << "needs the runtime function '" << name
                            << "', but the module defines something else of "
                               "that name; rename that";
  }
  auto function = func::FuncOp::create(module.getLoc(), name, type);
  function.setPrivate();
  function->setAttr("llvm.emit_c_interface", builder.getUnitAttr());
  symbols.insert(function, module.getBody()->begin());
  return function;
}

/// `value` as an unranked buffer that is only read.
static Value buildUnrankedBuffer(OpBuilder &b, Location loc, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  // Any layout: no copy is made for the sake of the call.
  auto buffer = bufferization::ToBufferOp::create(
      b, loc, bufferization::getMemRefTypeWithFullyDynamicLayout(type), value,
      /*read_only=*/true);
  return memref::CastOp::create(
      b, loc, UnrankedMemRefType::get(type.getElementType(), 0), buffer);
}

static LogicalResult recordAtRuntime(ObserveOp op, ModuleOp module,
                                     SymbolTable &symbols) {
  FailureOr<func::FuncOp> function = getRuntimeFunction(op, module, symbols);
  if (failed(function))
    return failure();
  OpBuilder b(op);
  Location loc = op.getLoc();
  StringRef text = op.getName();
  auto nameType =
      RankedTensorType::get(static_cast<int64_t>(text.size()), b.getI8Type());
  Value name = arith::ConstantOp::create(
      b, loc,
      DenseElementsAttr::getFromRawBuffer(
          nameType, ArrayRef<char>(text.data(), text.size())));
  func::CallOp::create(b, loc, *function,
                       ValueRange{buildUnrankedBuffer(b, loc, name),
                                  buildUnrankedBuffer(b, loc, op.getInput())});
  op.erase();
  return success();
}

void CompressLowerObserve::runOnOperation() {
  ModuleOp module = getOperation();
  SmallVector<ObserveOp> ops;
  module.walk([&](ObserveOp op) { ops.push_back(op); });
  if (mode == ObserveMode::Drop) {
    for (ObserveOp op : ops)
      op.erase();
    return;
  }
  SymbolTable symbols(module);
  bool ok = true;
  for (ObserveOp op : ops)
    ok &= succeeded(recordAtRuntime(op, module, symbols));
  if (!ok)
    signalPassFailure();
}
