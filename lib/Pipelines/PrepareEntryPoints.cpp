//===- PrepareEntryPoints.cpp - Calling convention of public functions ----===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements compress-prepare-entry-points, see Passes.td.
//
//===----------------------------------------------------------------------===//

#include "compress/Pipelines/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::compress {
#define GEN_PASS_DEF_PREPAREENTRYPOINTSPASS
#include "compress/Pipelines/Passes.h.inc"
} // namespace mlir::compress

using namespace mlir;
using namespace mlir::compress;

/// Emits an error if `type` is a tensor with an encoding.
static LogicalResult refuseEncoding(func::FuncOp func, Type type,
                                    StringRef role, unsigned index) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.getEncoding())
    return success();
  return func.emitOpError()
         << role << " #" << index << " still has the encoding of " << type
         << "; lower it first, compressed tensors with "
            "'compress-expand-encodings'";
}

static LogicalResult refuseEncodings(func::FuncOp func) {
  for (auto [i, type] : llvm::enumerate(func.getArgumentTypes()))
    if (failed(refuseEncoding(func, type, "argument", i)))
      return failure();
  for (auto [i, type] : llvm::enumerate(func.getResultTypes()))
    if (failed(refuseEncoding(func, type, "result", i)))
      return failure();
  return success();
}

namespace {
struct PrepareEntryPointsPass
    : compress::impl::PrepareEntryPointsPassBase<PrepareEntryPointsPass> {
  void runOnOperation() override {
    StringRef writable = bufferization::BufferizationDialect::kWritableAttrName;
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (failed(refuseEncodings(func)))
        return signalPassFailure();
      if (func.isExternal() || !func.isPublic())
        continue;
      // Kept when it is there: IR that was lowered by half has been here, and
      // its type then may already be one of memrefs.
      if (!func->hasAttr(signatureAttrName))
        func->setAttr(signatureAttrName, TypeAttr::get(func.getFunctionType()));
      for (unsigned i = 0; i < func.getNumArguments(); ++i)
        if (isa<TensorType>(func.getArgumentTypes()[i]) &&
            !func.getArgAttr(i, writable))
          func.setArgAttr(i, writable, BoolAttr::get(&getContext(), false));
    }
  }
};
} // namespace
