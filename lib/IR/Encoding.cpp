//===- Encoding.cpp - Queries on encoded types ----------------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/IR/Encoding.h"

#include "compress/IR/Compress.h"
#include "compress/Numerics/BitPacking.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::compress;

#include "compress/IR/CalibratorInterfaces.cpp.inc"
#include "compress/IR/EncodingInterfaces.cpp.inc"

/// For queries that want no diagnostic. An inactive diagnostic converts to
/// success, so nobody may return one as the result.
static InFlightDiagnostic emitNothing() { return InFlightDiagnostic(); }

CompressionEncodingAttrInterface mlir::compress::getEncoding(Type type) {
  auto tensor = dyn_cast_or_null<RankedTensorType>(type);
  if (!tensor)
    return {};
  return dyn_cast_or_null<CompressionEncodingAttrInterface>(
      tensor.getEncoding());
}

bool mlir::compress::isEncoded(Type type) {
  return static_cast<bool>(getEncoding(type));
}

RankedTensorType mlir::compress::getDecodedType(RankedTensorType type) {
  return RankedTensorType::get(type.getShape(), type.getElementType());
}

Type mlir::compress::getStorageType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getEncoding())
    return type;
  auto integer = dyn_cast<IntegerType>(tensor.getElementType());
  if (!integer || integer.getWidth() == 8 || integer.getWidth() >= 16)
    return type;
  if (integer.getWidth() > 8)
    return RankedTensorType::get(tensor.getShape(),
                                 IntegerType::get(type.getContext(), 16));
  SmallVector<int64_t> shape(tensor.getShape());
  if (!shape.empty() && !ShapedType::isDynamic(shape.back()))
    shape.back() = ::compress::numerics::getPackedRowBytes(shape.back(),
                                                           integer.getWidth());
  return RankedTensorType::get(shape, IntegerType::get(type.getContext(), 8));
}

LogicalResult mlir::compress::verifyEncodedType(
    RankedTensorType type, function_ref<InFlightDiagnostic()> emitError) {
  CompressionEncodingAttrInterface encoding = getEncoding(type);
  if (!encoding)
    return success();
  if (failed(encoding.verifyEncoding(type.getShape(), type.getElementType(),
                                     emitError)))
    return failure();
  SmallVector<EncodingComponent> components;
  if (failed(encoding.getComponents(type, components))) {
    emitError() << "the components of " << type << " cannot be computed";
    return failure();
  }
  for (const EncodingComponent &component : components)
    if (auto nested = dyn_cast<RankedTensorType>(component.type))
      if (failed(verifyEncodedType(nested, emitError)))
        return failure();
  return success();
}

static LogicalResult appendLeaves(RankedTensorType type, const Twine &prefix,
                                  SmallVectorImpl<EncodingComponent> &leaves) {
  SmallVector<EncodingComponent> components;
  if (failed(getEncoding(type).getComponents(type, components)))
    return failure();
  for (EncodingComponent &component : components) {
    std::string name = (prefix + component.name).str();
    if (isEncoded(component.type)) {
      if (failed(appendLeaves(cast<RankedTensorType>(component.type),
                              name + ".", leaves)))
        return failure();
      continue;
    }
    leaves.push_back({std::move(name), getStorageType(component.type)});
  }
  return success();
}

LogicalResult
mlir::compress::getLeafComponents(RankedTensorType type,
                                  SmallVectorImpl<EncodingComponent> &leaves) {
  if (!isEncoded(type) || failed(verifyEncodedType(type, emitNothing)))
    return failure();
  return appendLeaves(type, "", leaves);
}

FailureOr<int64_t> mlir::compress::getStorageBits(RankedTensorType type) {
  SmallVector<EncodingComponent> leaves;
  if (failed(getLeafComponents(type, leaves)))
    return failure();
  int64_t bits = 0;
  for (const EncodingComponent &leaf : leaves) {
    auto tensor = dyn_cast<RankedTensorType>(leaf.type);
    if (!tensor || !tensor.hasStaticShape())
      return failure();
    int64_t leafBits;
    if (llvm::MulOverflow<int64_t>(tensor.getNumElements(),
                                   tensor.getElementTypeBitWidth(), leafBits) ||
        llvm::AddOverflow<int64_t>(bits, leafBits, bits))
      return failure();
  }
  return bits;
}

Value mlir::compress::getStorageComponent(OpBuilder &builder, Location loc,
                                          Value encoded, unsigned index) {
  auto type = cast<RankedTensorType>(encoded.getType());
  SmallVector<EncodingComponent> components;
  [[maybe_unused]] LogicalResult result =
      getEncoding(type).getComponents(type, components);
  const EncodingComponent &component = components[index];
  return ComponentOp::create(builder, loc, getStorageType(component.type),
                             encoded, builder.getStringAttr(component.name));
}

SmallVector<Value> mlir::compress::getStorageComponents(OpBuilder &builder,
                                                        Location loc,
                                                        Value encoded) {
  auto type = cast<RankedTensorType>(encoded.getType());
  SmallVector<EncodingComponent> components;
  [[maybe_unused]] LogicalResult result =
      getEncoding(type).getComponents(type, components);
  SmallVector<Value> values;
  for (unsigned i = 0; i < components.size(); ++i)
    values.push_back(getStorageComponent(builder, loc, encoded, i));
  return values;
}

FailureOr<SmallVector<OpFoldResult>>
mlir::compress::getStoredComponentSizes(OpBuilder &builder, Location loc,
                                        Value encoded, unsigned index) {
  auto type = cast<RankedTensorType>(encoded.getType());
  SmallVector<EncodingComponent> components;
  if (failed(getEncoding(type).getComponents(type, components)))
    return failure();
  auto logical = dyn_cast<RankedTensorType>(components[index].type);
  if (!logical || isEncoded(logical))
    return failure();
  bool packed = getStorageType(logical) != logical;
  int64_t rank = logical.getRank();
  if (packed && rank > 0 && logical.isDynamicDim(rank - 1))
    return failure();
  SmallVector<OpFoldResult> sizes;
  Value storage;
  for (int64_t d = 0; d < rank; ++d) {
    if (!logical.isDynamicDim(d)) {
      sizes.push_back(builder.getIndexAttr(logical.getDimSize(d)));
      continue;
    }
    if (!storage)
      storage = getStorageComponent(builder, loc, encoded, index);
    sizes.push_back(tensor::getMixedSize(builder, loc, storage, d));
  }
  return sizes;
}

FailureOr<Value> mlir::compress::buildDecode(OpBuilder &builder, Location loc,
                                             Value encoded) {
  CompressionEncodingAttrInterface encoding = getEncoding(encoded.getType());
  if (!encoding)
    return failure();
  SmallVector<OpFoldResult> sizes =
      encoding.getLogicalSizes(builder, loc, encoded);
  SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0));
  return encoding.buildDecodeTile(builder, loc, encoded, offsets, sizes);
}

bool mlir::compress::isSupportedFloat(Type type) {
  return type &&
         (type.isF16() || type.isBF16() || type.isF32() || type.isF64());
}
