//===- ExpandEncodingsOps.cpp - Lowering ops on encoded values ------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Step 1 of compress-expand-encodings: the compress ops, and the foreign ops
// that read an encoded value as a dense tensor.
//
//===----------------------------------------------------------------------===//

#include "ExpandEncodings.h"

#include "compress/IR/ConstantData.h"
#include "compress/IR/EncodingRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::compress;
using namespace mlir::compress::expand;

namespace {
/// Lowers one op at a time; the insertion point is in front of it.
class OpLowering {
public:
  explicit OpLowering(IRRewriter &rewriter) : b(rewriter) {}

  LogicalResult lower(Operation *op);

private:
  LogicalResult lower(DecodeOp op);
  LogicalResult lower(EncodeOp op);
  LogicalResult lower(ChooseParamsOp op);
  LogicalResult lower(QuantizeOp op);
  LogicalResult lower(FakeQuantOp op);
  LogicalResult lower(ConvertOp op);
  LogicalResult lower(ConstantOp op);
  LogicalResult lower(ComponentOp op);
  LogicalResult lower(AssembleOp op);
  LogicalResult lower(tensor::DimOp op);
  LogicalResult lower(tensor::RankOp op);
  LogicalResult decodeOperands(Operation *op);

  FailureOr<SmallVector<Value>> chooseParams(Operation *op,
                                             RankedTensorType type, Value value,
                                             CalibratorAttrInterface range);
  FailureOr<Value> quantize(Operation *op, RankedTensorType type, Value value,
                            ValueRange params);
  FailureOr<Value> decode(Operation *op, Value encoded);
  FailureOr<Value> materialize(Operation *op, EncodedAttr constant);
  void replace(Operation *op, Value value);

  IRRewriter &b;
};
} // namespace

/// Replaces `op` by `value`, whose type may say less or more of the shape.
void OpLowering::replace(Operation *op, Value value) {
  Type type = op->getResult(0).getType();
  if (value.getType() != type)
    value = tensor::CastOp::create(b, op->getLoc(), type, value);
  b.replaceOp(op, value);
}

//===----------------------------------------------------------------------===//
// Encode, quantize, decode
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<Value>>
OpLowering::chooseParams(Operation *op, RankedTensorType type, Value value,
                         CalibratorAttrInterface range) {
  FailureOr<SmallVector<Value>> params =
      getEncoding(type).buildChooseParams(b, op->getLoc(), type, value, range);
  if (failed(params))
    return op->emitOpError()
           << "cannot be expanded: no code computes the parameters of " << type
           << " by " << range << "; give them to compress.quantize";
  return params;
}

/// `params` may be in logical or storage form.
FailureOr<Value> OpLowering::quantize(Operation *op, RankedTensorType type,
                                      Value value, ValueRange params) {
  CompressionEncodingAttrInterface encoding = getEncoding(type);
  SmallVector<EncodingComponent> components = getComponentsOf(type);
  SmallVector<Value> stored;
  for (auto [index, param] :
       llvm::zip_equal(encoding.getParameterComponents(type), params))
    stored.push_back(
        buildStorageForm(b, op->getLoc(), param, components[index].type));
  FailureOr<Value> encoded =
      encoding.buildQuantize(b, op->getLoc(), type, value, stored);
  if (failed(encoded))
    return op->emitOpError()
           << "cannot be expanded: values cannot be encoded at run time as "
           << type;
  return encoded;
}

FailureOr<Value> OpLowering::decode(Operation *op, Value encoded) {
  FailureOr<Value> decoded = buildDecode(b, op->getLoc(), encoded);
  if (failed(decoded))
    return op->emitOpError()
           << "cannot be expanded: no code decodes " << encoded.getType();
  auto type = getDecodedType(cast<RankedTensorType>(encoded.getType()));
  if (decoded->getType() == type)
    return decoded;
  return tensor::CastOp::create(b, op->getLoc(), type, *decoded).getResult();
}

LogicalResult OpLowering::lower(DecodeOp op) {
  FailureOr<Value> decoded = decode(op, op.getEncoded());
  if (failed(decoded))
    return failure();
  replace(op, *decoded);
  return success();
}

LogicalResult OpLowering::lower(EncodeOp op) {
  RankedTensorType type = op.getType();
  if (!getEncoding(type).canEncodeAtRuntime())
    return op.emitOpError()
           << "values cannot be encoded at run time as " << type
           << ": make the operand a constant and run compress-fold-encode, or "
              "give the components to compress.assemble";
  FailureOr<SmallVector<Value>> params =
      chooseParams(op, type, op.getInput(), op.getCalibrator());
  if (failed(params))
    return failure();
  FailureOr<Value> encoded = quantize(op, type, op.getInput(), *params);
  if (failed(encoded))
    return failure();
  replace(op, *encoded);
  return success();
}

LogicalResult OpLowering::lower(ChooseParamsOp op) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getEncodedType());
  FailureOr<SmallVector<Value>> params =
      chooseParams(op, type, op.getInput(), op.getCalibrator());
  if (failed(params))
    return failure();
  SmallVector<EncodingComponent> components = getComponentsOf(type);
  SmallVector<unsigned> indices =
      getEncoding(type).getParameterComponents(type);
  Value sample;
  SmallVector<Value> results;
  for (auto [index, param, result] :
       llvm::zip_equal(indices, *params, op.getParams())) {
    auto wanted = dyn_cast<RankedTensorType>(result.getType());
    if (!wanted || !isUnpackedForm(wanted, components[index].type)) {
      results.push_back(
          buildStorageForm(b, loc, param, components[index].type));
      if (results.back().getType() != result.getType())
        results.back() =
            tensor::CastOp::create(b, loc, result.getType(), results.back());
      continue;
    }
    // The sizes in logical form are those of a value encoded so.
    if (!sample) {
      FailureOr<Value> encoded = quantize(op, type, op.getInput(), *params);
      if (failed(encoded))
        return failure();
      sample = *encoded;
    }
    FailureOr<SmallVector<OpFoldResult>> sizes =
        getEncoding(type).getComponentSizes(b, loc, sample, index);
    if (failed(sizes))
      return op.emitOpError()
             << "cannot be expanded: the sizes of '" << components[index].name
             << "' are unknown; take it in storage form";
    results.push_back(buildLogicalForm(b, loc, param, wanted, *sizes));
  }
  b.replaceOp(op, results);
  return success();
}

LogicalResult OpLowering::lower(QuantizeOp op) {
  FailureOr<Value> encoded =
      quantize(op, op.getType(), op.getInput(), op.getParams());
  if (failed(encoded))
    return failure();
  replace(op, *encoded);
  return success();
}

LogicalResult OpLowering::lower(FakeQuantOp op) {
  auto type = cast<RankedTensorType>(op.getEncodedType());
  SmallVector<Value> params(op.getParams());
  if (params.empty() &&
      !getEncoding(type).getParameterComponents(type).empty()) {
    FailureOr<SmallVector<Value>> chosen =
        chooseParams(op, type, op.getInput(), op.getCalibrator());
    if (failed(chosen))
      return failure();
    params = *chosen;
  }
  FailureOr<Value> encoded = quantize(op, type, op.getInput(), params);
  if (failed(encoded))
    return failure();
  FailureOr<Value> decoded = decode(op, *encoded);
  if (failed(decoded))
    return failure();
  replace(op, *decoded);
  return success();
}

LogicalResult OpLowering::lower(ConvertOp op) {
  if (op.getEncoded().getType() == op.getType()) {
    b.replaceOp(op, op.getEncoded());
    return success();
  }
  FailureOr<Value> converted =
      getEncoding(op.getType())
          .buildConvert(b, op.getLoc(), op.getType(), op.getEncoded());
  if (failed(converted))
    return op.emitOpError()
           << "cannot be expanded: no code converts "
           << op.getEncoded().getType() << " to " << op.getType();
  replace(op, *converted);
  return success();
}

//===----------------------------------------------------------------------===//
// Components and constants
//===----------------------------------------------------------------------===//

FailureOr<Value> OpLowering::materialize(Operation *op, EncodedAttr constant) {
  FailureOr<SmallVector<TypedAttr>> parts =
      getStorageConstants(constant, [&] { return op->emitOpError(); });
  if (failed(parts))
    return failure();
  SmallVector<Value> components;
  for (TypedAttr part : *parts) {
    if (auto nested = dyn_cast<EncodedAttr>(part)) {
      FailureOr<Value> value = materialize(op, nested);
      if (failed(value))
        return failure();
      components.push_back(*value);
    } else {
      components.push_back(arith::ConstantOp::create(b, op->getLoc(), part));
    }
  }
  return AssembleOp::create(b, op->getLoc(), constant.getType(), components)
      .getResult();
}

LogicalResult OpLowering::lower(ConstantOp op) {
  FailureOr<Value> value = materialize(op, op.getValue());
  if (failed(value))
    return failure();
  b.replaceOp(op, *value);
  return success();
}

LogicalResult OpLowering::lower(ComponentOp op) {
  int64_t index = op.getComponentIndex();
  EncodingComponent component =
      getComponentsOf(op.getEncoded().getType())[index];
  if (!isUnpackedForm(op.getType(), component.type))
    return success();
  CompressionEncodingAttrInterface encoding =
      getEncoding(op.getEncoded().getType());
  FailureOr<SmallVector<OpFoldResult>> sizes =
      encoding.getComponentSizes(b, op.getLoc(), op.getEncoded(), index);
  if (failed(sizes))
    return op.emitOpError()
           << "cannot be expanded: the sizes of '" << component.name
           << "' are unknown; take it in storage form, "
           << getStorageType(component.type);
  Value storage = getStorageComponent(b, op.getLoc(), op.getEncoded(), index);
  b.replaceOp(op,
              buildLogicalForm(b, op.getLoc(), storage,
                               cast<RankedTensorType>(op.getType()), *sizes));
  return success();
}

LogicalResult OpLowering::lower(AssembleOp op) {
  SmallVector<Value> stored;
  for (auto [component, value] :
       llvm::zip_equal(getComponentsOf(op.getType()), op.getComponents()))
    stored.push_back(buildStorageForm(b, op.getLoc(), value, component.type));
  b.modifyOpInPlace(op, [&] { op.getComponentsMutable().assign(stored); });
  return success();
}

//===----------------------------------------------------------------------===//
// Readers
//===----------------------------------------------------------------------===//

LogicalResult OpLowering::lower(tensor::DimOp op) {
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> sizes =
      getEncoding(op.getSource().getType())
          .getLogicalSizes(b, loc, op.getSource());
  auto getSize = [&](int64_t d) {
    return getValueOrCreateConstantIndexOp(b, loc, sizes[d]);
  };
  if (std::optional<int64_t> dim = op.getConstantIndex()) {
    if (*dim < 0 || *dim >= static_cast<int64_t>(sizes.size()))
      return op.emitOpError() << "dimension " << *dim << " is out of range";
    b.replaceOp(op, getSize(*dim));
    return success();
  }
  if (sizes.empty())
    return op.emitOpError() << "has no dimension to read";
  Value size = getSize(0);
  for (int64_t d = 1, rank = sizes.size(); d < rank; ++d) {
    Value isDim =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, op.getIndex(),
                              arith::ConstantIndexOp::create(b, loc, d));
    size = arith::SelectOp::create(b, loc, isDim, getSize(d), size);
  }
  b.replaceOp(op, size);
  return success();
}

LogicalResult OpLowering::lower(tensor::RankOp op) {
  auto type = cast<RankedTensorType>(op.getTensor().getType());
  b.replaceOpWithNewOp<arith::ConstantIndexOp>(op, type.getRank());
  return success();
}

LogicalResult OpLowering::decodeOperands(Operation *op) {
  llvm::SmallDenseMap<Value, Value> decoded;
  for (OpOperand &operand : op->getOpOperands()) {
    Value encoded = operand.get();
    if (!isEncoded(encoded.getType()))
      continue;
    Value &dense = decoded[encoded];
    if (!dense) {
      FailureOr<Value> result = decode(op, encoded);
      if (failed(result))
        return failure();
      dense = *result;
      op->emitRemark() << "operand #" << operand.getOperandNumber()
                       << " is decoded whole in front of '" << op->getName()
                       << "': no pass lowered the op on " << encoded.getType();
    }
    b.modifyOpInPlace(op, [&] { operand.set(dense); });
  }
  return success();
}

LogicalResult OpLowering::lower(Operation *op) {
  b.setInsertionPoint(op);
  bool readsEncoded = llvm::any_of(op->getOperandTypes(),
                                   [](Type type) { return isEncoded(type); });
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case<DecodeOp, EncodeOp, ChooseParamsOp, QuantizeOp, FakeQuantOp,
            ConvertOp, ConstantOp, ComponentOp, AssembleOp>(
          [&](auto compressOp) { return lower(compressOp); })
      .Case<tensor::DimOp, tensor::RankOp>([&](auto reader) -> LogicalResult {
        return readsEncoded ? lower(reader) : success();
      })
      .Default([&](Operation *other) -> LogicalResult {
        if (!readsEncoded || isEncodingForwarder(other))
          return success();
        return decodeOperands(other);
      });
}

LogicalResult mlir::compress::expand::lowerOps(IRRewriter &rewriter,
                                               Operation *root) {
  OpLowering lowering(rewriter);
  bool failedAny = false;
  auto lowerIf = [&](function_ref<bool(Operation *)> filter) {
    SmallVector<Operation *> ops;
    root->walk([&](Operation *op) {
      if (filter(op))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      failedAny |= failed(lowering.lower(op));
    return success(!failedAny);
  };
  // Components first, so that others see through their logical form; last the
  // assembles that the others made.
  if (failed(lowerIf([](Operation *op) { return isa<ComponentOp>(op); })) ||
      failed(lowerIf(
          [](Operation *op) { return !isa<ComponentOp, AssembleOp>(op); })))
    return failure();
  return lowerIf([](Operation *op) { return isa<AssembleOp>(op); });
}
