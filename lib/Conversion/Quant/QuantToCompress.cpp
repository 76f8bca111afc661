//===- QuantToCompress.cpp - From the quant dialect -----------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Conversion/Passes.h"
#include "compress/Conversion/Quant.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/DialectConversion.h"

namespace mlir::compress {
#define GEN_PASS_DEF_CONVERTQUANTTOCOMPRESS
#include "compress/Conversion/Passes.h.inc"
} // namespace mlir::compress

using namespace mlir;
using namespace mlir::compress;

/// The quantized element type of `type` or of the type inside it.
static quant::QuantizedType getQuantized(Type type) {
  return dyn_cast<quant::QuantizedType>(getElementTypeOrSelf(type));
}

static bool mentionsQuantized(Type type) {
  return type.walk([](quant::QuantizedType) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

namespace {

/// Tensors of quantized elements become tensors of storage integers.
struct StorageTypeConverter : TypeConverter {
  StorageTypeConverter() {
    addConversion([](Type type) { return type; });
    addConversion([](RankedTensorType type) -> Type {
      if (quant::QuantizedType element = getQuantized(type))
        return type.clone(element.getStorageType());
      return type;
    });
  }
};

struct ConvertQCast : OpConversionPattern<quant::QuantizeCastOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(quant::QuantizeCastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto quantized = cast<RankedTensorType>(op.getType());
    FailureOr<RankedTensorType> affine =
        getAffineType(quantized, [&] { return op.emitOpError(); });
    if (failed(affine))
      return failure();
    SmallVector<Value> params =
        buildQuantParams(rewriter, op.getLoc(), quantized, *affine);
    Value encoded = QuantizeOp::create(rewriter, op.getLoc(), *affine,
                                       adaptor.getInput(), params);
    rewriter.replaceOpWithNewOp<ComponentOp>(
        op, getTypeConverter()->convertType(quantized), encoded,
        rewriter.getStringAttr("values"));
    return success();
  }
};

struct ConvertDCast : OpConversionPattern<quant::DequantizeCastOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(quant::DequantizeCastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto quantized = cast<RankedTensorType>(op.getInput().getType());
    FailureOr<RankedTensorType> affine =
        getAffineType(quantized, [&] { return op.emitOpError(); });
    if (failed(affine))
      return failure();
    Location loc = op.getLoc();
    auto encoding = cast<AffineAttr>(affine->getEncoding());
    SmallVector<Value> components = {adaptor.getInput()};
    llvm::append_range(components,
                       buildQuantParams(rewriter, loc, quantized, *affine));
    for (int64_t dim = 0; dim < affine->getRank(); ++dim)
      if (encoding.hasSizeComponent(*affine, dim))
        components.push_back(
            tensor::DimOp::create(rewriter, loc, adaptor.getInput(), dim));
    Value encoded = AssembleOp::create(rewriter, loc, *affine, components);
    rewriter.replaceOpWithNewOp<DecodeOp>(op, op.getType(), encoded);
    return success();
  }
};

struct ConvertSCast : OpConversionPattern<quant::StorageCastOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(quant::StorageCastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, adaptor.getInput());
    return success();
  }
};

/// Branches, and with them the blocks that they lead to.
struct ConvertBranch : OpInterfaceConversionPattern<BranchOpInterface> {
  using OpInterfaceConversionPattern::OpInterfaceConversionPattern;
  LogicalResult
  matchAndRewrite(BranchOpInterface op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    for (unsigned i = 0; i < op->getNumSuccessors(); ++i) {
      Block *block = op->getSuccessor(i);
      if (getTypeConverter()->isLegal(block->getArgumentTypes()))
        continue;
      std::optional<TypeConverter::SignatureConversion> signature =
          getTypeConverter()->convertBlockSignature(block);
      if (!signature)
        return failure();
      rewriter.applySignatureConversion(block, *signature, getTypeConverter());
    }
    rewriter.modifyOpInPlace(op, [&] { op->setOperands(operands); });
    return success();
  }
};

/// Ops that only move elements.
struct ConvertMover : ConversionPattern {
  ConvertMover(const TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), /*benefit=*/0,
                          context) {}
  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    bool moves = isa_and_nonnull<tensor::TensorDialect>(op->getDialect()) ||
                 isa<arith::SelectOp>(op);
    if (!moves || op->getNumRegions() != 0)
      return failure();
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertTypes(op->getResultTypes(), types)))
      return failure();
    OperationState state(op->getLoc(), op->getName(), operands, types,
                         op->getDiscardableAttrDictionary().getValue());
    state.propertiesAttr = op->getPropertiesAsAttribute();
    rewriter.replaceOp(op, rewriter.create(state));
    return success();
  }
};

} // namespace

/// What the conversion would refuse without a reason.
static LogicalResult verifyConvertible(Operation *root) {
  WalkResult result = root->walk([&](Operation *op) {
    bool any = llvm::any_of(op->getOperandTypes(), mentionsQuantized) ||
               llvm::any_of(op->getResultTypes(), mentionsQuantized);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        any |= llvm::any_of(block.getArgumentTypes(), mentionsQuantized);
    if (!any)
      return WalkResult::advance();
    auto verifyType = [&](Type type) {
      if (!mentionsQuantized(type) || isa<FunctionType>(type))
        return success();
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor)
        return LogicalResult(
            op->emitOpError()
            << "has a value of type " << type
            << ": only ranked tensors of quantized elements can be converted");
      return success(
          succeeded(getAffineType(tensor, [&] { return op->emitOpError(); })));
    };
    for (Type type : op->getOperandTypes())
      if (failed(verifyType(type)))
        return WalkResult::interrupt();
    for (Type type : op->getResultTypes())
      if (failed(verifyType(type)))
        return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Type type : block.getArgumentTypes())
          if (failed(verifyType(type)))
            return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult mlir::compress::convertQuantToCompress(Operation *root) {
  if (failed(verifyConvertible(root)))
    return failure();
  MLIRContext *context = root->getContext();
  StorageTypeConverter converter;
  ConversionTarget target(*context);
  RewritePatternSet patterns(context);
  patterns.add<ConvertQCast, ConvertDCast, ConvertSCast, ConvertBranch,
               ConvertMover>(converter, context);
  populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns,
                                                                 converter);
  populateReturnOpTypeConversionPattern(patterns, converter);
  populateCallOpTypeConversionPattern(patterns, converter);
  scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                       target);
  target.addIllegalDialect<quant::QuantDialect>();
  target.markUnknownOpDynamicallyLegal([&](Operation *op) {
    if (auto function = dyn_cast<FunctionOpInterface>(op))
      return converter.isSignatureLegal(
          cast<FunctionType>(function.getFunctionType()));
    return converter.isLegal(op);
  });
  // The quant dialect folds dcast(qcast(x)) to x, which would remove a loss.
  ConversionConfig config;
  config.foldingMode = DialectConversionFoldingMode::Never;
  return applyPartialConversion(root, target, std::move(patterns), config);
}

namespace {
struct ConvertQuantToCompress
    : mlir::compress::impl::ConvertQuantToCompressBase<ConvertQuantToCompress> {
  void runOnOperation() override {
    if (failed(convertQuantToCompress(getOperation())))
      signalPassFailure();
  }
};
} // namespace
