//===- ExpandEncodingsComponents.cpp - Forms of components ----------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Components between their logical and storage forms, and encoded values
// between their leaves.
//
//===----------------------------------------------------------------------===//

#include "ExpandEncodings.h"

#include "compress/IR/ConstantData.h"
#include "compress/IR/PackedIntegers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <limits>

using namespace mlir;
using namespace mlir::compress;

SmallVector<EncodingComponent>
mlir::compress::expand::getComponentsOf(RankedTensorType type) {
  SmallVector<EncodingComponent> components;
  // Cannot fail: the rules were verified in front of every step.
  [[maybe_unused]] LogicalResult result =
      getEncoding(type).getComponents(type, components);
  return components;
}

SmallVector<EncodingComponent>
mlir::compress::expand::getLeavesOf(RankedTensorType type) {
  SmallVector<EncodingComponent> leaves;
  [[maybe_unused]] LogicalResult result = getLeafComponents(type, leaves);
  return leaves;
}

bool mlir::compress::expand::isUnpackedForm(Type given, Type logicalType) {
  auto tensor = dyn_cast<RankedTensorType>(given);
  auto logical = dyn_cast<RankedTensorType>(logicalType);
  return tensor && logical && getStorageType(logical) != logical &&
         tensor.getElementType() == logical.getElementType();
}

/// The element type of the storage form.
static Type getStorageElement(Type logicalType) {
  return cast<RankedTensorType>(getStorageType(logicalType)).getElementType();
}

static Value buildCast(OpBuilder &b, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return tensor::CastOp::create(b, loc, type, value);
}

Value mlir::compress::expand::buildStorageForm(OpBuilder &b, Location loc,
                                               Value value, Type logicalType) {
  if (isUnpackedForm(value.getType(), logicalType)) {
    auto narrow = cast<RankedTensorType>(value.getType());
    unsigned bits = narrow.getElementTypeBitWidth();
    auto wide = RankedTensorType::get(narrow.getShape(),
                                      getStorageElement(logicalType));
    // Only low bits count in storage, so what a truncation dropped does not
    // matter.
    auto truncation = value.getDefiningOp<arith::TruncIOp>();
    value = truncation && truncation.getIn().getType() == wide
                ? truncation.getIn()
                : arith::ExtUIOp::create(b, loc, wide, value).getResult();
    value = buildPack(b, loc, value, bits);
  }
  return buildCast(b, loc, value, getStorageType(logicalType));
}

Value mlir::compress::expand::buildLogicalForm(OpBuilder &b, Location loc,
                                               Value storage,
                                               RankedTensorType logicalType,
                                               ArrayRef<OpFoldResult> sizes) {
  if (storage.getType() == logicalType)
    return storage;
  if (getStorageType(logicalType) == logicalType)
    return buildCast(b, loc, storage, logicalType);
  SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0));
  Value wide = buildUnpackTile(b, loc, storage, logicalType,
                               /*isSigned=*/false, offsets, sizes);
  wide = buildCast(b, loc, wide,
                   RankedTensorType::get(logicalType.getShape(),
                                         getStorageElement(logicalType)));
  return arith::TruncIOp::create(b, loc, logicalType, wide);
}

void mlir::compress::expand::buildLeaves(OpBuilder &b, Location loc,
                                         Value encoded,
                                         SmallVectorImpl<Value> &leaves) {
  for (Value component : getStorageComponents(b, loc, encoded)) {
    if (isEncoded(component.getType()))
      buildLeaves(b, loc, component, leaves);
    else
      leaves.push_back(component);
  }
}

static Value buildFrom(OpBuilder &b, Location loc, RankedTensorType type,
                       ValueRange &leaves) {
  SmallVector<Value> components;
  for (const EncodingComponent &component : expand::getComponentsOf(type)) {
    if (isEncoded(component.type)) {
      components.push_back(
          buildFrom(b, loc, cast<RankedTensorType>(component.type), leaves));
      continue;
    }
    components.push_back(leaves.front());
    leaves = leaves.drop_front();
  }
  return AssembleOp::create(b, loc, type, components);
}

Value mlir::compress::expand::buildFromLeaves(OpBuilder &b, Location loc,
                                              RankedTensorType type,
                                              ValueRange leaves) {
  return buildFrom(b, loc, type, leaves);
}

/// A constant in logical form, packed. A blob stays a blob.
static FailureOr<TypedAttr>
packConstant(Attribute constant, RankedTensorType logicalType,
             function_ref<InFlightDiagnostic()> emitError) {
  // Packing reads the low bits only, so the signedness does not matter.
  FailureOr<SmallVector<char, 0>> codes =
      getUnpackedIntegers(constant, logicalType, /*isSigned=*/false, emitError);
  if (failed(codes))
    return failure();
  EncodeOptions options;
  options.resourceThreshold = std::numeric_limits<int64_t>::max();
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(constant)) {
    options.resourceThreshold = 0;
    options.resourceName = resource.getRawHandle().getKey().str();
  }
  return cast<TypedAttr>(makePackedConstant(
      logicalType, std::vector<char>(codes->begin(), codes->end()), options,
      "packed"));
}

FailureOr<SmallVector<TypedAttr>> mlir::compress::expand::getStorageConstants(
    EncodedAttr constant, function_ref<InFlightDiagnostic()> emitError) {
  SmallVector<TypedAttr> constants;
  for (auto [component, value] : llvm::zip_equal(
           getComponentsOf(constant.getType()), constant.getComponents())) {
    auto typed = cast<TypedAttr>(value);
    if (!isUnpackedForm(typed.getType(), component.type)) {
      constants.push_back(typed);
      continue;
    }
    FailureOr<TypedAttr> packed =
        packConstant(value, cast<RankedTensorType>(component.type), emitError);
    if (failed(packed))
      return failure();
    constants.push_back(*packed);
  }
  return constants;
}
