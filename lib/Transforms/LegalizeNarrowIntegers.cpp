//===- LegalizeNarrowIntegers.cpp - No tensors of partial bytes -----------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass compress-legalize-narrow-integers. Every op with a narrow tensor is
// looked at before anything is changed. Then each value gets its wide type in
// place: ops that only move elements need nothing else, and those that touch
// elements get a truncation where they read and an extension where they write.
//
//===----------------------------------------------------------------------===//

#include "compress/IR/BuilderUtils.h"
#include "compress/IR/Compress.h"
#include "compress/IR/ConstantData.h"
#include "compress/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::compress {
#define GEN_PASS_DEF_COMPRESSLEGALIZENARROWINTEGERS
#include "compress/Transforms/Passes.h.inc"
} // namespace mlir::compress

using namespace mlir;
using namespace mlir::compress;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// The integer type of whole bytes that holds a narrow one; null if `type` is
/// not narrow. i1 is a truth value and has a layout of its own.
static IntegerType getWideInteger(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.getWidth() <= 1 || integer.getWidth() > 64)
    return {};
  unsigned width = std::max<unsigned>(
      8, static_cast<unsigned>(llvm::PowerOf2Ceil(integer.getWidth())));
  if (width == integer.getWidth())
    return {};
  return IntegerType::get(type.getContext(), width, integer.getSignedness());
}

static bool isNarrow(Type type) {
  auto tensor = dyn_cast<TensorType>(type);
  return tensor && getWideInteger(tensor.getElementType());
}

/// `type` with whole bytes as elements; `type` itself if it has them.
static Type getWideType(Type type) {
  if (!isNarrow(type))
    return type;
  auto tensor = cast<TensorType>(type);
  return tensor.cloneWith(std::nullopt,
                          getWideInteger(tensor.getElementType()));
}

static SmallVector<Type> getWideTypes(TypeRange types) {
  return llvm::map_to_vector(types, getWideType);
}

static bool hasNarrowArgument(Operation *op) {
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (llvm::any_of(block.getArgumentTypes(), isNarrow))
        return true;
  return false;
}

static bool hasNarrow(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), isNarrow) ||
         llvm::any_of(op->getResultTypes(), isNarrow) || hasNarrowArgument(op);
}

//===----------------------------------------------------------------------===//
// Before: ops in terms of linalg.generic
//===----------------------------------------------------------------------===//

/// An op of one result on whole tensors as a linalg.generic on their elements.
static LogicalResult scalarize(IRRewriter &b, Operation *op) {
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type)
    return op->emitOpError() << "has an unranked tensor of narrow integers: "
                                "give it a rank";
  Location loc = op->getLoc();
  b.setInsertionPoint(op);
  AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<Value> inputs;
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      inputs.push_back(operand);
  SmallVector<AffineMap> maps(inputs.size(), identity);
  Value generic = buildElementwise(
      b, loc, inputs, maps, tensor::getMixedSizes(b, loc, inputs.front()),
      type.getElementType(),
      [&](OpBuilder &nb, Location nl, ValueRange args) -> Value {
        SmallVector<Value> scalars;
        unsigned next = 0;
        for (Value operand : op->getOperands())
          scalars.push_back(isa<RankedTensorType>(operand.getType())
                                ? args[next++]
                                : operand);
        Operation *scalar = Operation::create(
            nl, op->getName(), {type.getElementType()}, scalars,
            op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
            BlockRange(), /*numRegions=*/0);
        return nb.insert(scalar)->getResult(0);
      });
  if (generic.getType() != type)
    generic = tensor::CastOp::create(b, loc, type, generic);
  b.replaceOp(op, generic);
  return success();
}

/// Whether `op` computes on whole tensors element by element.
static bool isElementwise(Operation *op) {
  return !isa<arith::SelectOp>(op) &&
         OpTrait::hasElementwiseMappableTraits(op) &&
         op->getNumResults() == 1 && op->getNumOperands() > 0;
}

/// A select by one condition moves whole tensors; one by a tensor of conditions
/// computes on elements.
static bool isElementwiseSelect(Operation *op) {
  auto select = dyn_cast<arith::SelectOp>(op);
  return select && isa<TensorType>(select.getCondition().getType());
}

static LogicalResult generalize(IRRewriter &b, Operation *root) {
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (hasNarrow(op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    if (isElementwise(op) || isElementwiseSelect(op)) {
      if (failed(scalarize(b, op)))
        return failure();
      continue;
    }
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (!linalgOp || isa<linalg::GenericOp>(op))
      continue;
    b.setInsertionPoint(op);
    if (failed(linalg::generalizeNamedOp(b, linalgOp)))
      return op->emitOpError() << "on narrow integers has no form as "
                                  "linalg.generic; widen its operands";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The check
//===----------------------------------------------------------------------===//

/// Ops that hand whole tensors on.
static bool movesTensors(Operation *op) {
  if (isa<func::CallIndirectOp>(op))
    return false;
  return isa<RegionBranchOpInterface, RegionBranchTerminatorOpInterface,
             BranchOpInterface, CallOpInterface, FunctionOpInterface,
             arith::SelectOp, ml_program::GlobalLoadOp,
             ml_program::GlobalLoadConstOp, ml_program::GlobalStoreOp>(op) ||
         op->hasTrait<OpTrait::ReturnLike>() ||
         isa<tensor::CastOp, tensor::EmptyOp, tensor::ExtractSliceOp,
             tensor::InsertSliceOp, tensor::ParallelInsertSliceOp,
             tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ConcatOp,
             tensor::DimOp, tensor::RankOp, tensor::ReshapeOp>(op);
}

/// Ops that touch elements in a way that `widenElements` knows.
static bool touchesElements(Operation *op) {
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return generic.hasPureTensorSemantics();
  return isa<tensor::ExtractOp, tensor::InsertOp, tensor::FromElementsOp,
             tensor::SplatOp, tensor::PadOp, tensor::GenerateOp>(op);
}

static bool isFunctionOfNarrow(Type type) {
  auto function = dyn_cast<FunctionType>(type);
  return function && (llvm::any_of(function.getInputs(), isNarrow) ||
                      llvm::any_of(function.getResults(), isNarrow));
}

static LogicalResult check(Operation *op) {
  if (llvm::any_of(op->getOperandTypes(), isFunctionOfNarrow) ||
      llvm::any_of(op->getResultTypes(), isFunctionOfNarrow))
    return op->emitOpError()
           << "has a function of narrow integer tensors as a value: indirect "
              "calls are not supported; call the function directly";
  if (!hasNarrow(op) || movesTensors(op) || touchesElements(op))
    return success();
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    if (isa<DenseIntElementsAttr, DenseResourceElementsAttr>(
            constant.getValue()))
      return success();
  InFlightDiagnostic diagnostic =
      op->emitOpError() << "has a tensor of integers that do not fill bytes, "
                           "which cannot be widened for this op: ";
  if (isa_and_nonnull<CompressDialect>(op->getDialect()))
    return diagnostic << "run compress-expand-encodings before";
  return diagnostic << "use i8, or convert with arith.extsi in front of it";
}

//===----------------------------------------------------------------------===//
// The change
//===----------------------------------------------------------------------===//

static Value extend(OpBuilder &b, Location loc, Value value) {
  IntegerType wide = getWideInteger(value.getType());
  return wide ? arith::ExtSIOp::create(b, loc, wide, value).getResult() : value;
}

/// Gives `value`, an element that an op reads from a tensor, its wide type, and
/// its users the narrow number.
static void truncateAtUses(OpBuilder &b, Location loc, Value value) {
  Type narrow = value.getType();
  value.setType(getWideInteger(narrow));
  auto truncated = arith::TruncIOp::create(b, loc, narrow, value);
  value.replaceAllUsesExcept(truncated, truncated);
}

static void extendOperand(OpBuilder &b, OpOperand &operand) {
  operand.set(extend(b, operand.getOwner()->getLoc(), operand.get()));
}

/// Elements that `op` reads or writes. Its tensors still have narrow types.
static void widenElements(OpBuilder &b, Operation *op) {
  b.setInsertionPoint(op);
  if (isa<tensor::ExtractOp>(op)) {
    b.setInsertionPointAfter(op);
    truncateAtUses(b, op->getLoc(), op->getResult(0));
  } else if (isa<tensor::FromElementsOp>(op)) {
    for (OpOperand &operand : op->getOpOperands())
      extendOperand(b, operand);
  } else if (isa<tensor::InsertOp, tensor::SplatOp>(op)) {
    // The scalar comes first; sizes and indices behind it are of type index.
    extendOperand(b, op->getOpOperand(0));
  } else if (isa<tensor::PadOp, tensor::GenerateOp>(op)) {
    Operation *yield = op->getRegion(0).front().getTerminator();
    b.setInsertionPoint(yield);
    extendOperand(b, yield->getOpOperand(0));
  } else if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
    Block *body = generic.getBody();
    b.setInsertionPointToStart(body);
    for (OpOperand &operand : op->getOpOperands())
      if (isNarrow(operand.get().getType()))
        truncateAtUses(b, op->getLoc(),
                       body->getArgument(operand.getOperandNumber()));
    Operation *yield = body->getTerminator();
    b.setInsertionPoint(yield);
    for (auto [i, type] : llvm::enumerate(op->getResultTypes()))
      if (isNarrow(type))
        extendOperand(b, yield->getOpOperand(i));
  }
}

/// A constant of narrow integers, sign-extended; a blob stays a blob.
static FailureOr<TypedAttr> widenConstant(Operation *op, Attribute value) {
  auto type = cast<ShapedType>(cast<TypedAttr>(value).getType());
  IntegerType wide = getWideInteger(type.getElementType());
  if (auto dense = dyn_cast<DenseIntElementsAttr>(value))
    return cast<TypedAttr>(
        dense.mapValues(wide, [&](const APInt &element) -> APInt {
          return element.sext(wide.getWidth());
        }));
  if (wide.getWidth() > 16 || !isa<RankedTensorType>(type)) {
    op->emitOpError() << "has a blob of " << type
                      << ", which cannot be widened: store it as " << wide;
    return failure();
  }
  FailureOr<SmallVector<char, 0>> data =
      getUnpackedIntegers(value, cast<RankedTensorType>(type),
                          /*isSigned=*/true, [&] { return op->emitOpError(); });
  if (failed(data))
    return failure();
  EncodeOptions options;
  options.resourceThreshold = 0;
  options.resourceName =
      cast<DenseResourceElementsAttr>(value).getRawHandle().getKey().str();
  return cast<TypedAttr>(makeConstant(
      cast<RankedTensorType>(getWideType(type)),
      std::vector<char>(data->begin(), data->end()), options, "wide"));
}

static LogicalResult widenAttributes(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (!isNarrow(constant.getType()))
      return success();
    FailureOr<TypedAttr> value = widenConstant(op, constant.getValue());
    if (failed(value))
      return failure();
    constant.setValueAttr(*value);
  } else if (auto global = dyn_cast<ml_program::GlobalOp>(op)) {
    if (!isNarrow(global.getType()))
      return success();
    Type wide = getWideType(global.getType());
    Attribute initial = global.getValueAttr();
    if (isa_and_nonnull<ml_program::ExternAttr>(initial)) {
      global.setValueAttr(ml_program::ExternAttr::get(op->getContext(), wide));
    } else if (isa_and_nonnull<DenseIntElementsAttr, DenseResourceElementsAttr>(
                   initial)) {
      FailureOr<TypedAttr> value = widenConstant(op, initial);
      if (failed(value))
        return failure();
      global.setValueAttr(*value);
    } else if (initial) {
      return op->emitOpError() << "has an initial value of narrow integers "
                                  "that is neither dense nor a blob";
    }
    global.setTypeAttr(TypeAttr::get(wide));
  } else if (auto function = dyn_cast<FunctionOpInterface>(op)) {
    // Not every function type can be made anew from these lists: those of the
    // LLVM dialect have a type for no result.
    if (!llvm::any_of(function.getArgumentTypes(), isNarrow) &&
        !llvm::any_of(function.getResultTypes(), isNarrow))
      return success();
    function.setFunctionTypeAttr(TypeAttr::get(
        function.cloneTypeWith(getWideTypes(function.getArgumentTypes()),
                               getWideTypes(function.getResultTypes()))));
  }
  return success();
}

namespace {
struct CompressLegalizeNarrowIntegers
    : mlir::compress::impl::CompressLegalizeNarrowIntegersBase<
          CompressLegalizeNarrowIntegers> {
  void runOnOperation() override {
    Operation *root = getOperation();
    IRRewriter rewriter(&getContext());
    if (failed(generalize(rewriter, root)))
      return signalPassFailure();
    bool failedAny = false;
    SmallVector<Operation *> ops;
    root->walk([&](Operation *op) {
      ops.push_back(op);
      failedAny |= failed(check(op));
    });
    if (failedAny)
      return signalPassFailure();
    for (Operation *op : ops)
      if (touchesElements(op) && hasNarrow(op))
        widenElements(rewriter, op);
    for (Operation *op : ops) {
      if (failed(widenAttributes(op)))
        return signalPassFailure();
      for (OpResult result : op->getResults())
        result.setType(getWideType(result.getType()));
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (BlockArgument argument : block.getArguments())
            argument.setType(getWideType(argument.getType()));
    }
  }
};
} // namespace
