//===- NMConstants.cpp - The N:M sparsity encoding at compile time --------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/IR/Compress.h"
#include "compress/IR/ConstantData.h"
#include "compress/Numerics/NMSparsity.h"

using namespace mlir;
using namespace mlir::compress;
namespace num = ::compress::numerics;

static FailureOr<num::NMLayout>
getLayout(NMAttr encoding, ArrayRef<int64_t> shape,
          function_ref<InFlightDiagnostic()> emitError) {
  llvm::Expected<num::NMLayout> layout = num::NMLayout::get(
      encoding.getN(), encoding.getM(), shape, encoding.getDim());
  if (layout)
    return *layout;
  return reportError(layout.takeError(), emitError);
}

/// Sizes of the constant: those of the type, dynamic ones from components.
static FailureOr<SmallVector<int64_t>>
getConstantShape(NMAttr encoding, RankedTensorType type,
                 ArrayRef<Attribute> components) {
  // Metadata are integers, so their shape is in storage form at most in the
  // last dimension; values show that one.
  SmallVector<int64_t> shape(type.getShape());
  auto values = cast<ShapedType>(cast<TypedAttr>(components[0]).getType());
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (!type.isDynamicDim(d))
      continue;
    shape[d] =
        d == encoding.getDim()
            ? cast<IntegerAttr>(components[NMAttr::kMetadata + 1]).getInt()
            : values.getDimSize(d);
  }
  return shape;
}

/// The logical type of the metadata of a tensor of this shape.
static RankedTensorType getMetadataType(NMAttr encoding,
                                        ArrayRef<int64_t> shape) {
  SmallVector<int64_t> stored(shape);
  stored[encoding.getDim()] = encoding.getStoredSize(shape[encoding.getDim()]);
  return RankedTensorType::get(
      stored,
      IntegerType::get(encoding.getContext(), encoding.getMetadataBits()));
}

/// The positions of the stored values, one a byte.
static FailureOr<SmallVector<char, 0>>
readPositions(NMAttr encoding, ArrayRef<int64_t> shape, Attribute metadata,
              function_ref<InFlightDiagnostic()> emitError) {
  return getUnpackedIntegers(metadata, getMetadataType(encoding, shape),
                             /*isSigned=*/false, emitError);
}

/// The elements of a constant, a splat written out.
static ArrayRef<char> writeOut(RawConstant &raw, int64_t count) {
  if (!raw.splat)
    return raw.bytes;
  SmallVector<char, 0> all;
  all.reserve(raw.bytes.size() * count);
  for (int64_t i = 0; i < count; ++i)
    all.append(raw.bytes.begin(), raw.bytes.end());
  raw.owned = std::move(all);
  raw.bytes = raw.owned;
  raw.splat = false;
  return raw.bytes;
}

static ArrayRef<uint8_t> asBytes(ArrayRef<char> data) {
  return {reinterpret_cast<const uint8_t *>(data.data()), data.size()};
}

FailureOr<ElementsAttr>
NMAttr::decodeConstant(RankedTensorType type, ArrayRef<Attribute> components,
                       function_ref<InFlightDiagnostic()> emitError) const {
  FailureOr<SmallVector<int64_t>> shape =
      getConstantShape(*this, type, components);
  if (failed(shape))
    return failure();
  FailureOr<num::NMLayout> layout = getLayout(*this, *shape, emitError);
  if (failed(layout))
    return failure();
  Attribute values = components[kValues];
  auto nested = dyn_cast<EncodedAttr>(values);
  if (nested) {
    FailureOr<ElementsAttr> decoded =
        getEncoding(nested.getType())
            .decodeConstant(nested.getType(), nested.getComponents(),
                            emitError);
    if (failed(decoded))
      return failure();
    values = *decoded;
  }
  FailureOr<RawConstant> raw = getRawConstant(values, emitError);
  FailureOr<SmallVector<char, 0>> positions =
      readPositions(*this, *shape, components[kMetadata], emitError);
  if (failed(raw) || failed(positions))
    return failure();
  unsigned bytes = type.getElementTypeBitWidth() / 8;
  std::vector<char> data(layout->getNumElements() * bytes);
  if (failed(
          reportError(num::scatterNM(writeOut(*raw, layout->getNumStored()),
                                     *layout, bytes, asBytes(*positions), data),
                      emitError)))
    return failure();
  if (nested)
    releaseConstant(cast<ElementsAttr>(values));
  EncodeOptions options;
  options.resourceName = "decoded";
  return makeConstant(RankedTensorType::get(*shape, type.getElementType()),
                      std::move(data), options, "values");
}

/// Finds out whether positions are in range and ascend within each group.
static LogicalResult
verifyPositions(NMAttr encoding, ArrayRef<int64_t> shape, Attribute metadata,
                function_ref<InFlightDiagnostic()> emitError) {
  FailureOr<num::NMLayout> layout = getLayout(encoding, shape, emitError);
  if (failed(layout))
    return failure();
  FailureOr<SmallVector<char, 0>> positions = readPositions(
      encoding, shape, metadata, [] { return InFlightDiagnostic(); });
  // A blob that is not there yet is checked when it is used.
  if (failed(positions))
    return success();
  int64_t stored = layout->getStoredSize();
  for (int64_t index = 0, e = positions->size(); index < e; ++index) {
    int64_t k = index / layout->inner % stored;
    int position = (*positions)[index];
    if (position >= static_cast<int>(encoding.getM())) {
      emitError() << "metadata #" << index << " is " << position
                  << ", but positions must be below " << encoding.getM();
      return failure();
    }
    if (k % encoding.getN() != 0 &&
        (*positions)[index - layout->inner] >= position) {
      emitError() << "metadata #" << index << " is " << position
                  << ", but positions must ascend within a group";
      return failure();
    }
  }
  return success();
}

LogicalResult
NMAttr::verifyConstant(RankedTensorType type, ArrayRef<Attribute> components,
                       function_ref<InFlightDiagnostic()> emitError) const {
  FailureOr<SmallVector<int64_t>> shape =
      getConstantShape(*this, type, components);
  if (failed(shape))
    return failure();
  Attribute metadata = components[kMetadata];
  auto splat = dyn_cast<DenseElementsAttr>(metadata);
  if (splat && !isa<DenseStringElementsAttr>(splat) && splat.isSplat()) {
    // It may stand for more elements than there is memory, but repeats itself:
    // the positions of a splat byte every 8 fields of a row, the places in a
    // group every N. A corner that covers both shows all there is.
    for (auto [d, size] : llvm::enumerate(*shape))
      size = std::min<int64_t>(
          size, static_cast<int64_t>(d) == getDim() ? 8 * getM() : 8);
    auto logicalType = getMetadataType(*this, *shape);
    Type cornerType = splat.getElementType() == logicalType.getElementType()
                          ? Type(logicalType)
                          : getStorageType(logicalType);
    if (cast<ShapedType>(cornerType).getNumElements())
      metadata = splat.resizeSplat(cast<ShapedType>(cornerType));
  }
  return verifyPositions(*this, *shape, metadata, emitError);
}

/// The constant of the kept values, `stored`, in the encoding of the values.
static FailureOr<Attribute>
encodeValues(NMAttr encoding, RankedTensorType storedType,
             std::vector<char> stored, const EncodeOptions &options,
             function_ref<InFlightDiagnostic()> emitError) {
  if (!encoding.getValues())
    return Attribute(
        makeConstant(storedType, std::move(stored), options, "values"));
  auto valuesType = RankedTensorType::get(
      storedType.getShape(), storedType.getElementType(), encoding.getValues());
  CompressionEncodingAttrInterface inner = getEncoding(valuesType);
  if (!inner) {
    emitError() << "cannot encode values as " << encoding.getValues();
    return failure();
  }
  ElementsAttr kept =
      makeConstant(storedType, std::move(stored), options, "kept");
  EncodeOptions innerOptions = options;
  innerOptions.resourceName += ".values";
  FailureOr<SmallVector<Attribute>> components =
      inner.encodeConstant(valuesType, kept, innerOptions, emitError);
  releaseConstant(kept);
  if (failed(components))
    return failure();
  auto result =
      EncodedAttr::getChecked(emitError, encoding.getContext(),
                              ArrayRef<Attribute>(*components), valuesType);
  if (!result)
    return failure();
  return Attribute(result);
}

FailureOr<SmallVector<Attribute>>
NMAttr::encodeConstant(RankedTensorType type, ElementsAttr value,
                       const EncodeOptions &options,
                       function_ref<InFlightDiagnostic()> emitError) const {
  SmallVector<EncodingComponent> expected;
  if (failed(getComponents(type, expected))) {
    emitError() << "cannot encode a constant as the illegal type " << type;
    return failure();
  }
  if (value.getElementType() != type.getElementType()) {
    emitError() << "cannot encode a constant of " << value.getElementType()
                << " as " << type;
    return failure();
  }
  if (!options.parameters.empty()) {
    emitError() << "parameters cannot be given for " << type
                << ", which has none of its own";
    return failure();
  }
  ArrayRef<int64_t> shape = value.getShapedType().getShape();
  FailureOr<RawConstant> raw = getRawConstant(value, emitError);
  FailureOr<num::NMLayout> layout = getLayout(*this, shape, emitError);
  if (failed(raw) || failed(layout))
    return failure();
  ArrayRef<char> dense = writeOut(*raw, layout->getNumElements());
  num::FloatBuffer values(getFloatKind(type.getElementType()), dense.data(),
                          layout->getNumElements());
  unsigned bytes = type.getElementTypeBitWidth() / 8;
  int64_t numStored = layout->getNumStored();
  std::vector<char> positions(numStored), stored(numStored * bytes);
  MutableArrayRef indices(reinterpret_cast<uint8_t *>(positions.data()),
                          positions.size());
  if (failed(
          reportError(num::selectNM(values, *layout, indices, options.threads),
                      emitError)) ||
      failed(reportError(num::gatherNM(dense, *layout, bytes, indices, stored,
                                       options.threads),
                         emitError)))
    return failure();

  SmallVector<int64_t> storedShape(shape);
  storedShape[getDim()] = layout->getStoredSize();
  FailureOr<Attribute> encodedValues = encodeValues(
      *this, RankedTensorType::get(storedShape, type.getElementType()),
      std::move(stored), options, emitError);
  if (failed(encodedValues))
    return failure();
  auto metadataType = RankedTensorType::get(
      storedShape, IntegerType::get(getContext(), getMetadataBits()));
  SmallVector<Attribute> components = {
      *encodedValues, makePackedConstant(metadataType, std::move(positions),
                                         options, "metadata")};
  if (type.isDynamicDim(getDim()))
    components.push_back(
        IntegerAttr::get(IndexType::get(getContext()), shape[getDim()]));
  return components;
}
