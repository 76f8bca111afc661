//===- EncodingRules.cpp - Where encoded values may occur -----------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/IR/EncodingRules.h"

#include "compress/IR/Compress.h"
#include "compress/IR/ConstantData.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::compress;

/// Whether `type` has an encoded tensor type inside (function types, tuples,
/// memrefs of ...).
static bool mentionsEncoded(Type type) {
  return type
      .walk([](Type inner) {
        return isEncoded(inner) ? WalkResult::interrupt()
                                : WalkResult::advance();
      })
      .wasInterrupted();
}

/// A cast that changes only how much of the shape is known.
static bool isRefiningCast(tensor::CastOp cast) {
  auto from = dyn_cast<RankedTensorType>(cast.getSource().getType());
  auto to = dyn_cast<RankedTensorType>(cast.getType());
  return from && to && from.getEncoding() == to.getEncoding() &&
         from.getElementType() == to.getElementType();
}

bool mlir::compress::isEncodingForwarder(Operation *op) {
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return select.getCondition().getType().isInteger(1);
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return isRefiningCast(cast);
  if (isa<func::CallIndirectOp>(op))
    return false;
  return isa<RegionBranchOpInterface, BranchOpInterface, CallOpInterface,
             FunctionOpInterface, ml_program::GlobalLoadOp,
             ml_program::GlobalLoadConstOp, ml_program::GlobalStoreOp,
             ml_program::GlobalOp>(op) ||
         op->hasTrait<OpTrait::ReturnLike>() ||
         isa<RegionBranchTerminatorOpInterface>(op);
}

/// Whether `operand` of a foreign op is read as a dense tensor (rule 1).
static bool isEncodedReader(OpOperand &operand) {
  Operation *op = operand.getOwner();
  unsigned number = operand.getOperandNumber();
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return linalgOp.isDpsInput(&operand);
  if (isa<linalg::PackOp, tensor::InsertSliceOp>(op))
    return number == 0;
  if (isa<tensor::ExtractOp, tensor::ExtractSliceOp, tensor::ExpandShapeOp,
          tensor::CollapseShapeOp, tensor::PadOp>(op))
    return number == 0;
  if (isa<tensor::ConcatOp, tensor::DimOp, tensor::RankOp, tensor::CastOp>(op))
    return true;
  return op->getName().getDialectNamespace() == "tosa";
}

static bool isIdentity(ArrayRef<int64_t> permutation) {
  return llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size()));
}

/// Whether no value is outside of the range: then a clamp goes away.
static bool isWholeRange(Attribute min, Attribute max) {
  auto low = dyn_cast_or_null<FloatAttr>(min);
  auto high = dyn_cast_or_null<FloatAttr>(max);
  auto isExtreme = [](const APFloat &value) {
    return value.isInfinity() || value.isLargest();
  };
  return low && high && low.getValue().isNegative() &&
         !high.getValue().isNegative() && isExtreme(low.getValue()) &&
         isExtreme(high.getValue());
}

/// Whether the folder of a foreign reader replaces its result by its operand
/// without a look at the types: of an encoded operand that is an invalid
/// program.
static bool foldsToOperand(Operation *op) {
  if (auto transpose = dyn_cast<linalg::TransposeOp>(op))
    return isIdentity(transpose.getPermutation());
  if (auto transpose = dyn_cast<tosa::TransposeOp>(op))
    return isIdentity(llvm::to_vector_of<int64_t>(transpose.getPerms()));
  if (auto clamp = dyn_cast<tosa::ClampOp>(op))
    return isWholeRange(clamp.getMinValAttr(), clamp.getMaxValAttr());
  if (auto reverse = dyn_cast<tosa::ReverseOp>(op)) {
    auto type = dyn_cast<RankedTensorType>(reverse.getInput1().getType());
    int64_t axis = reverse.getAxis();
    return type && axis >= 0 && axis < type.getRank() &&
           type.getDimSize(axis) == 1;
  }
  return false;
}

static LogicalResult verifyTypes(Operation *op) {
  auto check = [&](Type type, const Twine &what) -> LogicalResult {
    LogicalResult result = success();
    type.walk([&](Type inner) {
      auto tensor = dyn_cast<RankedTensorType>(inner);
      if (!tensor || !isEncoded(tensor))
        return WalkResult::advance();
      if (succeeded(verifyEncodedType(tensor, [&] {
            return op->emitOpError() << what << " has an illegal type: ";
          })))
        return WalkResult::advance();
      result = failure();
      return WalkResult::interrupt();
    });
    return result;
  };
  for (auto [i, type] : llvm::enumerate(op->getOperandTypes()))
    if (failed(check(type, "operand #" + Twine(i))))
      return failure();
  for (auto [i, type] : llvm::enumerate(op->getResultTypes()))
    if (failed(check(type, "result #" + Twine(i))))
      return failure();
  // Those of functions without a body, of globals, of constants.
  for (NamedAttribute named : op->getAttrs()) {
    auto checkType = [&](RankedTensorType type) {
      return WalkResult(
          check(type, "attribute '" + named.getName().strref() + "'"));
    };
    if (named.getValue().walk(checkType).wasInterrupted())
      return failure();
  }
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (BlockArgument argument : block.getArguments())
        if (failed(check(argument.getType(), "a block argument")))
          return failure();
  return success();
}

/// Whether one of our encodings is hidden inside some other type, such as a
/// memref, a vector or a tuple, where nothing could expand it.
static LogicalResult verifyNotHidden(Operation *op) {
  auto hidden = [](Type type) {
    return !isEncoded(type) && !isa<FunctionType>(type) &&
           mentionsEncoded(type);
  };
  if (llvm::none_of(op->getOperandTypes(), hidden) &&
      llvm::none_of(op->getResultTypes(), hidden))
    return success();
  return op->emitOpError()
         << "has an encoded tensor inside another type; only plain values of "
            "encoded tensor type are supported";
}

static LogicalResult verifyResults(Operation *op) {
  if (isEncodingForwarder(op))
    return success();
  for (OpResult result : op->getResults()) {
    if (!isEncoded(result.getType()))
      continue;
    InFlightDiagnostic diagnostic =
        op->emitOpError() << "must not create a value of encoded type "
                          << result.getType()
                          << ": only compress ops do (rule 5); ";
    if (isa<linalg::LinalgOp>(op))
      diagnostic << "give it a dense result and encode that with "
                    "compress.quantize or compress.encode";
    else if (isa<arith::ConstantOp>(op))
      diagnostic << "use compress.constant";
    else if (isa<tensor::CastOp>(op))
      diagnostic << "use compress.encode, compress.decode or compress.convert";
    else if (isa<func::CallIndirectOp>(op))
      diagnostic << "indirect calls are not supported: call the function "
                    "directly";
    else
      diagnostic << "give it a dense result";
    return failure();
  }
  return success();
}

static LogicalResult verifyOperands(Operation *op) {
  if (isEncodingForwarder(op))
    return success();
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isEncoded(operand.get().getType()))
      continue;
    if (foldsToOperand(op))
      return op->emitOpError()
             << "does nothing to operand #" << operand.getOperandNumber()
             << " of encoded type " << operand.get().getType()
             << " and could be folded to it: use compress.decode instead";
    if (isEncodedReader(operand))
      continue;
    InFlightDiagnostic diagnostic =
        op->emitOpError() << "cannot read operand #"
                          << operand.getOperandNumber() << " of encoded type "
                          << operand.get().getType() << ": ";
    if (isa<linalg::LinalgOp>(op))
      diagnostic << "outs operands must be dense (rule 5)";
    else if (isa<func::CallIndirectOp>(op))
      diagnostic << "indirect calls are not supported: call the function "
                    "directly";
    else
      diagnostic << "decode it with compress.decode first";
    return failure();
  }
  return success();
}

/// Constants are verified when they are made, but their blobs may come later:
/// then they must be there and of the right size.
static LogicalResult verifyConstants(Operation *op) {
  auto emitError = [&] { return op->emitOpError(); };
  auto verifyEncoded = [&](EncodedAttr encoded) {
    for (Attribute component : encoded.getComponents())
      if (isa<DenseResourceElementsAttr>(component) &&
          failed(getRawConstant(component, emitError)))
        return WalkResult::interrupt();
    return WalkResult(EncodedAttr::verify(emitError, encoded.getComponents(),
                                          encoded.getType()));
  };
  for (NamedAttribute named : op->getAttrs())
    if (named.getValue().walk(verifyEncoded).wasInterrupted())
      return failure();
  auto global = dyn_cast<ml_program::GlobalOp>(op);
  if (!global || !isEncoded(global.getType()) || !global.getValueAttr() ||
      isa<ml_program::ExternAttr>(global.getValueAttr()))
    return success();
  auto value = dyn_cast<EncodedAttr>(global.getValueAttr());
  if (value && value.getType() == global.getType())
    return success();
  return global.emitOpError()
         << "has the encoded type " << global.getType()
         << ", so its value must be #compress.encoded of that type, or "
            "#ml_program.extern";
}

/// Whether `op` has an operand or a result of encoded type.
static bool touchesEncoded(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), isEncoded) ||
         llvm::any_of(op->getResultTypes(), isEncoded);
}

static LogicalResult verifyOp(Operation *op) {
  if (failed(verifyTypes(op)) || failed(verifyNotHidden(op)) ||
      failed(verifyConstants(op)))
    return failure();
  if (isa_and_nonnull<CompressDialect>(op->getDialect()) ||
      op->getName().getDialectNamespace() == "compress_check")
    return success();
  if (!touchesEncoded(op))
    return success();
  // In a strict op this runs before the verifier has seen the ops inside;
  // accessors of an op with too few operands would read past their end.
  if (failed(op->getName().verifyInvariants(op)) || failed(verifyResults(op)))
    return failure();
  return verifyOperands(op);
}

LogicalResult mlir::compress::verifyEncodingRules(Operation *root) {
  bool failedAny = false;
  root->walk([&](Operation *op) { failedAny |= failed(verifyOp(op)); });
  return failure(failedAny);
}
