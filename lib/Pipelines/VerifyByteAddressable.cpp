//===- VerifyByteAddressable.cpp - Refuse sub-byte memory -----------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements compress-verify-byte-addressable, see Passes.td.
//
//===----------------------------------------------------------------------===//

#include "compress/Pipelines/Passes.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::compress {
#define GEN_PASS_DEF_VERIFYBYTEADDRESSABLEPASS
#include "compress/Pipelines/Passes.h.inc"
} // namespace mlir::compress

using namespace mlir;

static bool isWholeBytes(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return isWholeBytes(complex.getElementType());
  if (auto vector = dyn_cast<VectorType>(type))
    return isWholeBytes(vector.getElementType());
  if (!type.isIntOrFloat())
    return true;
  unsigned width = type.getIntOrFloatBitWidth();
  return width >= 8 && llvm::isPowerOf2_32(width);
}

/// The first memref type among `types` that scalar (or, with `vectorAccess`,
/// vector) code may not touch; null if there is none.
static BaseMemRefType findBadMemRef(TypeRange types, bool vectorAccess) {
  for (Type type : types) {
    auto memref = dyn_cast<BaseMemRefType>(type);
    if (!memref || isWholeBytes(memref.getElementType()))
      continue;
    if (memref.getElementType().isInteger(1) && !vectorAccess)
      continue;
    return memref;
  }
  return {};
}

static LogicalResult verifyOp(Operation *op) {
  auto hasVector = [](TypeRange types) {
    return llvm::any_of(types, llvm::IsaPred<VectorType>);
  };
  bool vectorAccess =
      op->getName().getDialectNamespace() == "vector" &&
      (hasVector(op->getOperandTypes()) || hasVector(op->getResultTypes()));
  BaseMemRefType bad = findBadMemRef(op->getOperandTypes(), vectorAccess);
  if (!bad)
    bad = findBadMemRef(op->getResultTypes(), vectorAccess);
  if (auto func = dyn_cast<FunctionOpInterface>(op); func && !bad) {
    bad = findBadMemRef(func.getArgumentTypes(), /*vectorAccess=*/false);
    if (!bad)
      bad = findBadMemRef(func.getResultTypes(), /*vectorAccess=*/false);
  }
  // memref.global and its like name their type in an attribute.
  if (auto typeAttr = op->getAttrOfType<TypeAttr>("type"); typeAttr && !bad)
    bad = findBadMemRef(typeAttr.getValue(), /*vectorAccess=*/false);
  if (!bad)
    return success();
  return op->emitOpError()
         << "accesses memory of type " << bad
         << " whose elements are not whole bytes; scalar and vector code "
            "disagree on its layout, so pack the elements into i8 before "
            "bufferization";
}

namespace {
struct VerifyByteAddressablePass
    : compress::impl::VerifyByteAddressablePassBase<VerifyByteAddressablePass> {
  void runOnOperation() override {
    bool failedAny = false;
    getOperation()->walk(
        [&](Operation *op) { failedAny |= failed(verifyOp(op)); });
    if (failedAny)
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
