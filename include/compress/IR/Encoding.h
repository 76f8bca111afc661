//===- Encoding.h - What an encoding is, and queries on encoded types --*- C++
//-*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_IR_ENCODING_H
#define COMPRESS_IR_ENCODING_H

#include "compress/IR/Calibrator.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/TensorEncoding.h"

#include <string>

namespace llvm {
class ThreadPoolInterface;
} // namespace llvm

namespace mlir::compress {

/// One component of an encoded type: its name and its logical type, a
/// RankedTensorType (perhaps encoded itself) or IndexType.
struct EncodingComponent {
  std::string name;
  Type type;
};

/// How a constant is encoded.
struct EncodeOptions {
  /// Prefix of the names of `dense_resource` blobs that hold components. The
  /// caller makes it unique, so that names do not depend on thread timing.
  std::string resourceName = "encoded";
  /// Components of at least this many bytes become blobs.
  int64_t resourceThreshold = 256;
  /// Threads that one encoding may start for work that a pool cannot share.
  unsigned threads = 1;
  /// A pool that runs parts of the work; the calling thread may be one of its
  /// own.
  llvm::ThreadPoolInterface *pool = nullptr;
  /// The rule for value ranges; min-max if null.
  Attribute calibrator;
  /// Constants for the components in `getParameterComponents`, in order, each
  /// in logical or storage form. If there are none, the encoding chooses them
  /// from the value. An encoding that has no parameters refuses them.
  SmallVector<Attribute> parameters;
};

/// The sizes of the dense component `index` of `encoded` in its logical form
/// as far as its type and its storage form show them: fails for a dynamic last
/// dimension of packed integers, where bytes do not tell how many there are.
FailureOr<SmallVector<OpFoldResult>> getStoredComponentSizes(OpBuilder &builder,
                                                             Location loc,
                                                             Value encoded,
                                                             unsigned index);

} // namespace mlir::compress

#include "compress/IR/EncodingInterfaces.h.inc"

namespace mlir::compress {

/// The encoding of a ranked tensor type if it is one of this dialect's, else
/// null. Total on any type.
CompressionEncodingAttrInterface getEncoding(Type type);

/// Whether `type` is a ranked tensor of one of this dialect's encodings.
bool isEncoded(Type type);

/// `type` without its encoding.
RankedTensorType getDecodedType(RankedTensorType type);

/// The type in which a component of logical type `type` is stored: integers
/// below 8 bits are packed along the last dimension into i8, ceil(n*bits/8)
/// for n of them (one byte for a tensor of rank 0); integers of 9 to 15 bits
/// are the low bits of one i16 each; other types are unchanged.
Type getStorageType(Type type);

/// The leaves of an encoded type: components of components with dotted names
/// ("values.scales") and storage types. Fails if the type is illegal.
LogicalResult getLeafComponents(RankedTensorType type,
                                SmallVectorImpl<EncodingComponent> &leaves);

/// The exact number of stored bits: all leaves, padding and metadata counted.
/// Fails for types with dynamic sizes and illegal types.
FailureOr<int64_t> getStorageBits(RankedTensorType type);

/// Verifies the encoding of `type` and of its components, transitively.
LogicalResult verifyEncodedType(RankedTensorType type,
                                function_ref<InFlightDiagnostic()> emitError);

/// `compress.component` of `encoded` at `index`, in storage form (encoded
/// components as values of their encoded type).
Value getStorageComponent(OpBuilder &builder, Location loc, Value encoded,
                          unsigned index);

/// All of them, in order.
SmallVector<Value> getStorageComponents(OpBuilder &builder, Location loc,
                                        Value encoded);

/// Decodes the whole of `encoded`.
FailureOr<Value> buildDecode(OpBuilder &builder, Location loc, Value encoded);

/// Whether f16, bf16, f32 or f64: the logical types that numeric encodings
/// take.
bool isSupportedFloat(Type type);

} // namespace mlir::compress

#endif // COMPRESS_IR_ENCODING_H
