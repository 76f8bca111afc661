//===- ConstantData.h - Raw data of constants -------------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_IR_CONSTANTDATA_H
#define COMPRESS_IR_CONSTANTDATA_H

#include "compress/IR/Encoding.h"
#include "compress/Numerics/FloatBuffer.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace mlir::compress {

/// The elements of a constant as they lie in memory: row-major,
/// little-endian, integers below 8 bits one a byte, i1 one a byte.
struct RawConstant {
  /// Valid as long as the attribute's context and `owned` live.
  ArrayRef<char> bytes;
  /// One element stands for all.
  bool splat = false;
  /// Backing store where the attribute packs its elements (i1).
  SmallVector<char, 0> owned;
};

/// Reads `dense` and `dense_resource` constants without copying. Fails with a
/// message if a resource has no blob or one of the wrong size, or if the kind
/// of attribute is not supported.
FailureOr<RawConstant>
getRawConstant(Attribute value, function_ref<InFlightDiagnostic()> emitError);

/// Makes a constant of `type` from raw data: `dense` if it is smaller than the
/// threshold of `options`, else `dense_resource` under the name
/// `<options.resourceName>.<suffix>`. A buffer of one repeated element becomes
/// a splat.
ElementsAttr makeConstant(RankedTensorType type, std::vector<char> data,
                          const EncodeOptions &options, StringRef suffix);

/// Frees the blob of a `dense_resource` that makeConstant has made and that
/// nothing refers to any more; else it lives as long as the context.
void releaseConstant(ElementsAttr value);

/// A component's values, one a byte for integers of up to 8 bits, two bytes for
/// those above (sign- or zero-extended), whether `component` is in logical or
/// in storage form.
FailureOr<SmallVector<char, 0>>
getUnpackedIntegers(Attribute component, RankedTensorType logicalType,
                    bool isSigned,
                    function_ref<InFlightDiagnostic()> emitError);

/// The constant of storage type from codes, one a byte for formats of up to 8
/// bits, two bytes above.
ElementsAttr makePackedConstant(RankedTensorType logicalType,
                                std::vector<char> codes,
                                const EncodeOptions &options, StringRef suffix);

/// Reports an llvm::Error through `emitError`, if there is one.
LogicalResult reportError(llvm::Error error,
                          function_ref<InFlightDiagnostic()> emitError);

/// The kind of buffer for f16, bf16, f32 or f64 elements.
::compress::numerics::FloatBuffer::Kind getFloatKind(Type type);

/// The constant of component `index` of an encoded value, if the op that made
/// the value shows it; else null.
Attribute getConstantComponent(Value encoded, unsigned index);

/// A constant of an affine encoding of up to 8 bits, taken apart.
struct AffineConstant {
  /// Of the logical tensor, and of the codes, which fill whole blocks.
  SmallVector<int64_t> shape, paddedShape;
  /// One byte a code, row-major in `paddedShape`.
  SmallVector<char, 0> codes;
  /// For each dimension of the tensor, the step between the scales of
  /// neighbouring blocks (0 where one block is the whole dimension).
  SmallVector<int64_t> gridStrides;
  /// Scales as they count; empty zero points if the encoding has none.
  SmallVector<float, 0> scales;
  SmallVector<int32_t, 0> zeroPoints;
};

/// Reads a constant; its type must have an affine encoding of up to 8 bits.
FailureOr<AffineConstant>
readAffineConstant(Attribute encoded,
                   function_ref<InFlightDiagnostic()> emitError);

} // namespace mlir::compress

#endif // COMPRESS_IR_CONSTANTDATA_H
