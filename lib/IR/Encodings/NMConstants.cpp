//===- NMConstants.cpp - The N:M sparsity encoding at compile time --------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/IR/Compress.h"
#include "compress/IR/ConstantData.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace mlir;
using namespace mlir::compress;

namespace {
/// The tensor seen as [outer, size of dim, inner].
struct DimView {
  DimView(ArrayRef<int64_t> shape, int64_t dim) : size(shape[dim]) {
    for (int64_t d = 0; d < dim; ++d)
      outer *= shape[d];
    for (int64_t d = dim + 1, e = shape.size(); d < e; ++d)
      inner *= shape[d];
  }
  int64_t outer = 1, size, inner = 1;
};
} // namespace

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

/// The positions of the stored values, one a byte.
static FailureOr<SmallVector<char, 0>>
readPositions(NMAttr encoding, ArrayRef<int64_t> shape,
              ArrayRef<Attribute> components,
              function_ref<InFlightDiagnostic()> emitError) {
  SmallVector<int64_t> stored(shape);
  stored[encoding.getDim()] = encoding.getStoredSize(shape[encoding.getDim()]);
  auto type = RankedTensorType::get(
      stored,
      IntegerType::get(encoding.getContext(), encoding.getMetadataBits()));
  return getUnpackedIntegers(components[NMAttr::kMetadata], type,
                             /*isSigned=*/false, emitError);
}

FailureOr<ElementsAttr>
NMAttr::decodeConstant(RankedTensorType type, ArrayRef<Attribute> components,
                       function_ref<InFlightDiagnostic()> emitError) const {
  FailureOr<SmallVector<int64_t>> shape =
      getConstantShape(*this, type, components);
  if (failed(shape))
    return failure();
  Attribute values = components[kValues];
  if (auto nested = dyn_cast<EncodedAttr>(values)) {
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
      readPositions(*this, *shape, components, emitError);
  if (failed(raw) || failed(positions))
    return failure();

  DimView view(*shape, getDim());
  int64_t stored = getStoredSize(view.size), n = getN(), m = getM();
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  std::vector<char> data(view.outer * view.size * view.inner * bytes, 0);
  for (int64_t o = 0; o < view.outer; ++o)
    for (int64_t k = 0; k < stored; ++k)
      for (int64_t i = 0; i < view.inner; ++i) {
        int64_t from = (o * stored + k) * view.inner + i;
        int64_t to = k / n * m + (*positions)[from];
        if (to >= view.size)
          continue;
        std::memcpy(data.data() +
                        ((o * view.size + to) * view.inner + i) * bytes,
                    raw->bytes.data() + (raw->splat ? 0 : from * bytes), bytes);
      }
  EncodeOptions options;
  options.resourceName = "decoded";
  return makeConstant(RankedTensorType::get(*shape, type.getElementType()),
                      std::move(data), options, "values");
}

LogicalResult
NMAttr::verifyConstant(RankedTensorType type, ArrayRef<Attribute> components,
                       function_ref<InFlightDiagnostic()> emitError) const {
  FailureOr<SmallVector<int64_t>> shape =
      getConstantShape(*this, type, components);
  if (failed(shape))
    return failure();
  FailureOr<SmallVector<char, 0>> positions = readPositions(
      *this, *shape, components, [] { return InFlightDiagnostic(); });
  // A blob that is not there yet is checked when it is used.
  if (failed(positions))
    return success();
  DimView view(*shape, getDim());
  int64_t stored = getStoredSize(view.size);
  for (int64_t index = 0, e = positions->size(); index < e; ++index) {
    int64_t k = index / view.inner % stored;
    int position = (*positions)[index];
    if (position >= static_cast<int>(getM())) {
      emitError() << "metadata #" << index << " is " << position
                  << ", but positions must be below " << getM();
      return failure();
    }
    if (k % getN() != 0 && (*positions)[index - view.inner] >= position) {
      emitError() << "metadata #" << index << " is " << position
                  << ", but positions must ascend within a group";
      return failure();
    }
  }
  return success();
}

FailureOr<SmallVector<Attribute>>
NMAttr::encodeConstant(RankedTensorType type, ElementsAttr value,
                       const EncodeOptions &options,
                       function_ref<InFlightDiagnostic()> emitError) const {
  emitError() << "pending";
  return failure();
}
