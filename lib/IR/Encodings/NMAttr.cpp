//===- NMAttr.cpp - The N:M sparsity encoding -----------------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeLimits.h"

#include "compress/IR/BuilderUtils.h"
#include "compress/IR/Compress.h"
#include "compress/IR/PackedIntegers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::compress;

//===----------------------------------------------------------------------===//
// Syntax and verification
//===----------------------------------------------------------------------===//

Attribute NMAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t n = 0, m = 0, dim = 0;
  Attribute values;
  if (parser.parseLess() || parser.parseInteger(n) || parser.parseColon() ||
      parser.parseInteger(m) || parser.parseComma() ||
      parser.parseKeyword("dim") || parser.parseEqual() ||
      parser.parseInteger(dim))
    return {};
  if (succeeded(parser.parseOptionalComma()) &&
      (parser.parseKeyword("values") || parser.parseEqual() ||
       parser.parseAttribute(values)))
    return {};
  if (parser.parseGreater())
    return {};
  if (n < 1 || m > 16 || n >= m) {
    parser.emitError(loc) << "expected N:M with 1 <= N < M <= 16, but got " << n
                          << ":" << m;
    return {};
  }
  auto emitError = [&] { return parser.emitError(loc); };
  return NMAttr::getChecked(function_ref<InFlightDiagnostic()>(emitError),
                            parser.getContext(), static_cast<unsigned>(n),
                            static_cast<unsigned>(m), dim, values);
}

void NMAttr::print(AsmPrinter &printer) const {
  printer << '<' << getN() << ':' << getM() << ", dim = " << getDim();
  if (getValues())
    printer << ", values = " << getValues();
  printer << '>';
}

LogicalResult NMAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                             unsigned n, unsigned m, int64_t dim,
                             Attribute values) {
  if (n < 1 || m > 16 || n >= m) {
    emitError() << "expected N:M with 1 <= N < M <= 16, but got " << n << ":"
                << m;
    return failure();
  }
  if (dim < 0) {
    emitError() << "'dim' must not be negative, but is " << dim;
    return failure();
  }
  if (values && !isa<CompressionEncodingAttrInterface>(values)) {
    emitError() << "'values' must be an encoding such as #compress.affine<i8>, "
                   "but is "
                << values;
    return failure();
  }
  return success();
}

LogicalResult
NMAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType,
                       function_ref<InFlightDiagnostic()> emitError) const {
  if (!isSupportedFloat(elementType)) {
    emitError() << "an N:M encoding needs a logical element type of f16, bf16, "
                   "f32 or f64, but got "
                << elementType;
    return failure();
  }
  if (getDim() >= static_cast<int64_t>(shape.size())) {
    emitError() << "'dim' is " << getDim() << ", but the tensor has rank "
                << shape.size();
    return failure();
  }
  if (failed(verifyEncodableShape(shape, "the tensor", emitError)))
    return failure();
  if (!getValues())
    return success();
  SmallVector<int64_t> stored(shape);
  stored[getDim()] = getStoredSize(stored[getDim()]);
  return cast<CompressionEncodingAttrInterface>(getValues())
      .verifyEncoding(stored, elementType, emitError);
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

int64_t NMAttr::getStoredSize(int64_t size) const {
  return ShapedType::isDynamic(size)
             ? size
             : static_cast<int64_t>(llvm::divideCeil(size, getM())) * getN();
}

LogicalResult
NMAttr::getComponents(RankedTensorType type,
                      SmallVectorImpl<EncodingComponent> &components) const {
  if (failed(verifyEncoding(type.getShape(), type.getElementType(),
                            [] { return InFlightDiagnostic(); })))
    return failure();
  SmallVector<int64_t> stored(type.getShape());
  stored[getDim()] = getStoredSize(stored[getDim()]);
  components.push_back(
      {"values",
       RankedTensorType::get(stored, type.getElementType(), getValues())});
  components.push_back(
      {"metadata",
       RankedTensorType::get(
           stored, IntegerType::get(getContext(), getMetadataBits()))});
  if (type.isDynamicDim(getDim()))
    components.push_back(
        {"size" + std::to_string(getDim()), IndexType::get(getContext())});
  return success();
}

/// The sizes of the values component.
static SmallVector<OpFoldResult> getValueSizes(OpBuilder &b, Location loc,
                                               Value values) {
  if (CompressionEncodingAttrInterface nested = getEncoding(values.getType()))
    return nested.getLogicalSizes(b, loc, values);
  return tensor::getMixedSizes(b, loc, values);
}

SmallVector<OpFoldResult> NMAttr::getLogicalSizes(OpBuilder &b, Location loc,
                                                  Value encoded) const {
  auto type = cast<RankedTensorType>(encoded.getType());
  SmallVector<OpFoldResult> sizes;
  if (!type.hasStaticShape())
    sizes =
        getValueSizes(b, loc, getStorageComponent(b, loc, encoded, kValues));
  else
    sizes.resize(type.getRank());
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (!type.isDynamicDim(d))
      sizes[d] = b.getIndexAttr(type.getDimSize(d));
    else if (d == getDim())
      sizes[d] = getStorageComponent(b, loc, encoded, kMetadata + 1);
  return sizes;
}

FailureOr<SmallVector<OpFoldResult>>
NMAttr::getComponentSizes(OpBuilder &b, Location loc, Value encoded,
                          unsigned index) const {
  if (index != kValues && index != kMetadata)
    return failure();
  // Metadata has the shape of the values.
  return getValueSizes(b, loc, getStorageComponent(b, loc, encoded, kValues));
}

int64_t NMAttr::getTileAlignment(RankedTensorType type, int64_t dim) const {
  int64_t inner = 1;
  if (auto nested =
          dyn_cast_or_null<CompressionEncodingAttrInterface>(getValues())) {
    SmallVector<EncodingComponent> components;
    if (failed(getComponents(type, components)))
      return 0;
    inner = nested.getTileAlignment(
        cast<RankedTensorType>(components[kValues].type), dim);
  }
  if (dim != getDim() || inner == 0)
    return inner;
  // Whole groups whose values begin at a multiple of `inner`.
  return getM() * (inner / std::gcd<int64_t>(inner, getN()));
}

//===----------------------------------------------------------------------===//
// Decode
//===----------------------------------------------------------------------===//

FailureOr<Value> NMAttr::buildDecodeTile(OpBuilder &b, Location loc,
                                         Value encoded,
                                         ArrayRef<OpFoldResult> offsets,
                                         ArrayRef<OpFoldResult> sizes) const {
  auto type = cast<RankedTensorType>(encoded.getType());
  int64_t rank = type.getRank(), dim = getDim();
  SmallVector<EncodingComponent> components;
  if (failed(getComponents(type, components)))
    return failure();

  // The tile of stored values, and their positions.
  OpFoldResult groups = buildCeilDiv(b, loc, sizes[dim], getM());
  SmallVector<OpFoldResult> storedOffsets(offsets), storedSizes(sizes);
  storedOffsets[dim] =
      buildMul(b, loc, buildFloorDiv(b, loc, offsets[dim], getM()), getN());
  storedSizes[dim] = buildMul(b, loc, groups, getN());
  Value values = getStorageComponent(b, loc, encoded, kValues);
  if (CompressionEncodingAttrInterface nested = getEncoding(values.getType())) {
    FailureOr<Value> decoded =
        nested.buildDecodeTile(b, loc, values, storedOffsets, storedSizes);
    if (failed(decoded))
      return failure();
    values = *decoded;
  } else if (!isEqualConstantIntOrValueArray(
                 tensor::getMixedSizes(b, loc, values), storedSizes)) {
    values = buildSlice(b, loc, values, storedOffsets, storedSizes);
  }
  Value positions =
      buildUnpackTile(b, loc, getStorageComponent(b, loc, encoded, kMetadata),
                      cast<RankedTensorType>(components[kMetadata].type),
                      /*isSigned=*/false, storedOffsets, storedSizes);

  // out[.., g, m, ..] = the value whose position is m, if there is one. The
  // iteration space is the split view of the result with n behind it.
  SmallVector<int64_t> groupBlocks(rank, 1), valueBlocks(rank, 1);
  groupBlocks[dim] = getM();
  valueBlocks[dim] = getN();
  SmallVector<OpFoldResult> split;
  for (int64_t d = 0; d < rank; ++d) {
    split.push_back(d == dim ? groups : sizes[d]);
    if (d == dim)
      split.push_back(b.getIndexAttr(getM()));
  }
  SmallVector<AffineExpr> outExprs, valueExprs;
  for (int64_t d = 0; d < rank + 1; ++d) {
    outExprs.push_back(b.getAffineDimExpr(d));
    if (d != dim + 1)
      valueExprs.push_back(b.getAffineDimExpr(d));
    else if (getN() > 1)
      valueExprs.push_back(b.getAffineDimExpr(rank + 1));
  }
  int64_t loops = rank + 2;
  AffineMap valueMap = AffineMap::get(loops, 0, valueExprs, b.getContext());
  AffineMap outMap = AffineMap::get(loops, 0, outExprs, b.getContext());
  SmallVector<utils::IteratorType> iterators(loops,
                                             utils::IteratorType::parallel);
  iterators.back() = utils::IteratorType::reduction;
  Type elementType = type.getElementType();
  Value empty = tensor::EmptyOp::create(b, loc, split, elementType);
  Value zeros =
      linalg::FillOp::create(b, loc, buildFloat(b, loc, elementType, 0), empty)
          .getResult(0);
  SmallVector<Value> inputs = {
      buildSplitBlocks(b, loc, values, valueBlocks),
      buildSplitBlocks(b, loc, positions, valueBlocks)};
  if (getN() == 1) {
    // Without a dimension for n no operand would define its extent.
    iterators.pop_back();
    valueMap = AffineMap::get(loops - 1, 0, valueExprs, b.getContext());
    outMap = AffineMap::get(loops - 1, 0, outExprs, b.getContext());
  }
  Value decoded = buildGeneric(
      b, loc, inputs, zeros, {valueMap, valueMap, outMap}, iterators,
      [&](OpBuilder &nb, Location nl, ValueRange args) -> Value {
        Value m = arith::IndexCastOp::create(
            nb, nl, nb.getI8Type(), linalg::IndexOp::create(nb, nl, dim + 1));
        Value here =
            arith::CmpIOp::create(nb, nl, arith::CmpIPredicate::eq, args[1], m);
        return arith::SelectOp::create(nb, nl, here, args[0], args[2]);
      });
  decoded = buildMergeBlocks(b, loc, decoded, groupBlocks);
  return buildSliceTo(b, loc, decoded, sizes);
}

FailureOr<Attribute> NMAttr::withBlock(ArrayRef<int64_t> block,
                                       ArrayRef<int64_t> superBlock) const {
  auto values = dyn_cast_or_null<CompressionEncodingAttrInterface>(getValues());
  if (!values)
    return failure();
  FailureOr<Attribute> inner = values.withBlock(block, superBlock);
  if (failed(inner))
    return failure();
  return Attribute(NMAttr::get(getContext(), getN(), getM(), getDim(), *inner));
}
