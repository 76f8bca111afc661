//===- ExpandEncodings.h - Steps of compress-expand-encodings ---*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The expansion works in local steps that need no type conversion driver:
//
// 1. Ops with a meaning of their own (decode, quantize, readers, constants,
//    ...) become plain IR over `compress.component`, and `compress.assemble`
//    where they make an encoded value.
// 2. Every op and block that forwards an encoded value is rebuilt to forward
//    its leaves: an encoded operand is taken apart by `component` in front of
//    the op, an encoded result or block argument is put together again by
//    `assemble` behind it.
// 3. Now each encoded value is made by an `assemble` and read by `component`
//    only; they cancel.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_LIB_TRANSFORMS_EXPANDENCODINGS_H
#define COMPRESS_LIB_TRANSFORMS_EXPANDENCODINGS_H

#include "compress/IR/Compress.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::compress::expand {

/// The components of an encoded type that was verified before.
SmallVector<EncodingComponent> getComponentsOf(RankedTensorType type);

/// The leaves of an encoded type that was verified before.
SmallVector<EncodingComponent> getLeavesOf(RankedTensorType type);

/// Whether values of `given` are in the logical form of a component whose
/// storage form is another.
bool isUnpackedForm(Type given, Type logicalType);

/// `value`, a component of logical type `logicalType` in logical or storage
/// form, in storage form and exactly of the storage type.
Value buildStorageForm(OpBuilder &builder, Location loc, Value value,
                       Type logicalType);

/// A tensor of the narrow integers of `logicalType` from its storage form; the
/// tensor has the given sizes.
Value buildLogicalForm(OpBuilder &builder, Location loc, Value storage,
                       RankedTensorType logicalType,
                       ArrayRef<OpFoldResult> sizes);

/// Appends the leaves of `encoded`, in storage form.
void buildLeaves(OpBuilder &builder, Location loc, Value encoded,
                 SmallVectorImpl<Value> &leaves);

/// The value of encoded type `type` with these leaves.
Value buildFromLeaves(OpBuilder &builder, Location loc, RankedTensorType type,
                      ValueRange leaves);

/// The constants of the components of `constant`, those of tensors in storage
/// form, those of encoded components as they are. Only sub-byte data in logical
/// form is copied.
FailureOr<SmallVector<TypedAttr>>
getStorageConstants(EncodedAttr constant,
                    function_ref<InFlightDiagnostic()> emitError);

/// Step 1. Reports what cannot be lowered at the op.
LogicalResult lowerOps(IRRewriter &rewriter, Operation *root);

/// Step 2 for `ml_program` globals, their loads and stores.
LogicalResult expandGlobals(IRRewriter &rewriter, Operation *root);

/// Reports ops that pass encoded values on in a way that step 2 cannot do.
LogicalResult checkForwarders(Operation *root);

/// Step 2 for all other ops, block arguments and function signatures.
void expandForwarders(IRRewriter &rewriter, Operation *root);

} // namespace mlir::compress::expand

#endif // COMPRESS_LIB_TRANSFORMS_EXPANDENCODINGS_H
