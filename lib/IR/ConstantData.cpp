//===- ConstantData.cpp - Raw data of constants ---------------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/IR/ConstantData.h"

#include "compress/IR/Compress.h"

#include "compress/Numerics/BitPacking.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace mlir;
using namespace mlir::compress;

/// Bytes that one element takes in a raw buffer.
static int64_t getElementBytes(Type elementType) {
  if (auto complex = dyn_cast<ComplexType>(elementType))
    return 2 * getElementBytes(complex.getElementType());
  if (elementType.isIndex())
    return sizeof(int64_t);
  return llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8);
}

static FailureOr<RawConstant>
getRawResource(DenseResourceElementsAttr resource,
               function_ref<InFlightDiagnostic()> emitError) {
  StringRef key = resource.getRawHandle().getKey();
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  if (!blob) {
    emitError() << "no blob for resource '" << key
                << "': the file that holds the data must define it under "
                   "dialect_resources";
    return failure();
  }
  ShapedType type = resource.getType();
  int64_t expected;
  if (llvm::MulOverflow(type.getNumElements(),
                        getElementBytes(type.getElementType()), expected) ||
      blob->getData().size() != static_cast<size_t>(expected)) {
    emitError() << "resource '" << key << "' has " << blob->getData().size()
                << " bytes, needs " << expected << " for " << type;
    return failure();
  }
  RawConstant raw;
  raw.bytes = blob->getData();
  return raw;
}

FailureOr<RawConstant>
mlir::compress::getRawConstant(Attribute value,
                               function_ref<InFlightDiagnostic()> emitError) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value))
    return getRawResource(resource, emitError);
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense || isa<DenseStringElementsAttr>(value)) {
    emitError() << "cannot read the elements of this kind of constant; use "
                   "dense or dense_resource";
    return failure();
  }
  RawConstant raw;
  raw.splat = dense.isSplat();
  if (!dense.getElementType().isInteger(1)) {
    raw.bytes = dense.getRawData();
    return raw;
  }
  // i1 elements are packed in the attribute.
  if (raw.splat)
    raw.owned.push_back(dense.getSplatValue<bool>());
  else
    for (bool bit : dense.getValues<bool>())
      raw.owned.push_back(bit);
  raw.bytes = raw.owned;
  return raw;
}

/// Whether `data` is one element of `elementBytes` bytes over and over.
static bool isRepeated(ArrayRef<char> data, int64_t elementBytes) {
  return data.size() > static_cast<size_t>(elementBytes) &&
         std::equal(data.begin(), data.end() - elementBytes,
                    data.begin() + elementBytes);
}

ElementsAttr mlir::compress::makeConstant(RankedTensorType type,
                                          std::vector<char> data,
                                          const EncodeOptions &options,
                                          StringRef suffix) {
  int64_t elementBytes = getElementBytes(type.getElementType());
  if (data.empty())
    return DenseElementsAttr::get(type, ArrayRef<Attribute>());
  if (isRepeated(data, elementBytes))
    data.resize(elementBytes);
  if (static_cast<int64_t>(data.size()) < options.resourceThreshold)
    return DenseElementsAttr::getFromRawBuffer(type, data);
  // The blob takes the vector over, without a copy.
  auto *owner = new std::vector<char>(std::move(data));
  AsmResourceBlob blob(
      *owner, alignof(std::max_align_t),
      [owner](void *, size_t, size_t) { delete owner; },
      /*dataIsMutable=*/false);
  return DenseResourceElementsAttr::get(
      type, (options.resourceName + "." + suffix).str(), std::move(blob));
}

void mlir::compress::releaseConstant(ElementsAttr value) {
  auto resource = dyn_cast<DenseResourceElementsAttr>(value);
  if (!resource)
    return;
  DenseResourceElementsHandle handle = resource.getRawHandle();
  DenseResourceElementsHandle::getManagerInterface(resource.getContext())
      .getBlobManager()
      .update(handle.getKey(), AsmResourceBlob());
}

FailureOr<SmallVector<char, 0>> mlir::compress::getUnpackedIntegers(
    Attribute component, RankedTensorType logicalType, bool isSigned,
    function_ref<InFlightDiagnostic()> emitError) {
  FailureOr<RawConstant> raw = getRawConstant(component, emitError);
  if (failed(raw))
    return failure();
  auto type = cast<ShapedType>(cast<TypedAttr>(component).getType());
  unsigned bits = logicalType.getElementTypeBitWidth();
  int64_t elementBytes = llvm::divideCeil(bits, 8);
  int64_t storedElements = type.getNumElements();
  SmallVector<char, 0> stored;
  stored.reserve(storedElements * elementBytes);
  for (int64_t i = 0, e = raw->splat ? storedElements : 1; i < e; ++i)
    stored.append(raw->bytes.begin(), raw->bytes.end());
  if (bits > 8 && bits < 16)
    // The low bits of two bytes; the upper ones are unspecified.
    for (size_t i = 0; i + 1 < stored.size(); i += 2) {
      uint16_t code;
      std::memcpy(&code, stored.data() + i, sizeof(code));
      uint16_t sign = isSigned ? 1u << (bits - 1) : 0;
      code = ((code & ((1u << bits) - 1)) ^ sign) - sign;
      std::memcpy(stored.data() + i, &code, sizeof(code));
    }
  if (bits >= 8)
    return stored;
  if (type == logicalType) {
    // One element a byte; the upper bits of the attribute are unspecified.
    uint8_t sign = isSigned ? 1u << (bits - 1) : 0;
    for (char &byte : stored)
      byte = static_cast<char>(
          ((static_cast<uint8_t>(byte) & ((1u << bits) - 1)) ^ sign) - sign);
    return stored;
  }
  int64_t columns = logicalType.getRank() ? logicalType.getShape().back() : 1;
  int64_t count = logicalType.getNumElements();
  SmallVector<char, 0> fields(count);
  int64_t rows = columns ? count / columns : 0;
  if (llvm::Error error = ::compress::numerics::unpackBits(
          ArrayRef(reinterpret_cast<const uint8_t *>(stored.data()),
                   stored.size()),
          rows, columns, bits, isSigned,
          MutableArrayRef(reinterpret_cast<uint8_t *>(fields.data()),
                          fields.size()))) {
    emitError() << llvm::toString(std::move(error));
    return failure();
  }
  return fields;
}

ElementsAttr mlir::compress::makePackedConstant(RankedTensorType logicalType,
                                                std::vector<char> codes,
                                                const EncodeOptions &options,
                                                StringRef suffix) {
  unsigned bits = logicalType.getElementTypeBitWidth();
  auto storageType = cast<RankedTensorType>(getStorageType(logicalType));
  if (bits >= 8)
    return makeConstant(storageType, std::move(codes), options, suffix);
  int64_t columns = logicalType.getRank() ? logicalType.getShape().back() : 1;
  int64_t rows = columns ? logicalType.getNumElements() / columns : 0;
  // In place: a packed row never overtakes the unpacked rows before it.
  int64_t rowBytes = ::compress::numerics::getPackedRowBytes(columns, bits);
  auto *bytes = reinterpret_cast<uint8_t *>(codes.data());
  SmallVector<uint8_t, 0> row(rowBytes);
  for (int64_t i = 0; i < rows; ++i) {
    llvm::cantFail(::compress::numerics::packBits(
        ArrayRef(bytes + i * columns, columns), 1, columns, bits, row));
    std::copy(row.begin(), row.end(), bytes + i * rowBytes);
  }
  codes.resize(rows * rowBytes);
  codes.shrink_to_fit();
  return makeConstant(storageType, std::move(codes), options, suffix);
}

Attribute mlir::compress::getConstantComponent(Value encoded, unsigned index) {
  auto type = cast<RankedTensorType>(encoded.getType());
  Attribute value;
  if (auto constant = encoded.getDefiningOp<ConstantOp>())
    return cast<EncodedAttr>(constant.getValue()).getComponents()[index];
  if (auto assemble = encoded.getDefiningOp<AssembleOp>())
    return matchPattern(assemble.getComponents()[index], m_Constant(&value))
               ? value
               : Attribute();
  auto quantize = encoded.getDefiningOp<QuantizeOp>();
  if (!quantize)
    return {};
  SmallVector<unsigned> params = getEncoding(type).getParameterComponents(type);
  for (auto [param, operand] : llvm::zip_equal(params, quantize.getParams()))
    if (param == index && matchPattern(operand, m_Constant(&value)))
      return value;
  return {};
}

LogicalResult
mlir::compress::reportError(llvm::Error error,
                            function_ref<InFlightDiagnostic()> emitError) {
  if (!error)
    return success();
  emitError() << llvm::toString(std::move(error));
  return failure();
}

::compress::numerics::FloatBuffer::Kind
mlir::compress::getFloatKind(Type type) {
  using ::compress::numerics::FloatBuffer;
  if (type.isF16())
    return FloatBuffer::F16;
  if (type.isBF16())
    return FloatBuffer::BF16;
  return type.isF64() ? FloatBuffer::F64 : FloatBuffer::F32;
}
