//===- BuilderUtils.h - Small helpers for building linalg on tensors --*- C++
//-*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_IR_BUILDERUTILS_H
#define COMPRESS_IR_BUILDERUTILS_H

#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace mlir::compress {

/// ceil(size / by) * by and its friends, folded where `size` is static.
OpFoldResult buildCeilDiv(OpBuilder &b, Location loc, OpFoldResult size,
                          int64_t by);
OpFoldResult buildMul(OpBuilder &b, Location loc, OpFoldResult value,
                      int64_t by);
OpFoldResult buildMul(OpBuilder &b, Location loc, OpFoldResult lhs,
                      OpFoldResult rhs);
OpFoldResult buildAdd(OpBuilder &b, Location loc, OpFoldResult lhs,
                      OpFoldResult rhs);
OpFoldResult buildSub(OpBuilder &b, Location loc, OpFoldResult lhs,
                      OpFoldResult rhs);
OpFoldResult buildFloorDiv(OpBuilder &b, Location loc, OpFoldResult value,
                           int64_t by);

/// Pads the high end of each dimension of `source` with `value` up to `sizes`;
/// `source` itself if they are its sizes.
Value buildPadTo(OpBuilder &b, Location loc, Value source,
                 ArrayRef<OpFoldResult> sizes, Value value);

/// The leading part of `source` of the given sizes; `source` itself if those
/// are statically its sizes.
Value buildSliceTo(OpBuilder &b, Location loc, Value source,
                   ArrayRef<OpFoldResult> sizes);

/// The part [offsets, offsets + sizes) of `source`: `source` itself if that is
/// statically all of it, and a new empty tensor if it statically has no
/// elements (a slice at 0 of nothing is refused by the verifier of slices).
Value buildSlice(OpBuilder &b, Location loc, Value source,
                 ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes);

/// A dimension split into blocks: `source` with each dimension d for which
/// blocks[d] > 1 replaced by two, [size/blocks[d], blocks[d]]. Sizes must be
/// multiples. `source` itself if nothing is split.
Value buildSplitBlocks(OpBuilder &b, Location loc, Value source,
                       ArrayRef<int64_t> blocks);

/// The inverse of buildSplitBlocks.
Value buildMergeBlocks(OpBuilder &b, Location loc, Value source,
                       ArrayRef<int64_t> blocks);

/// linalg.generic with one result; `init` is the outs operand.
Value buildGeneric(OpBuilder &b, Location loc, ValueRange inputs, Value init,
                   ArrayRef<AffineMap> maps,
                   ArrayRef<utils::IteratorType> iterators,
                   function_ref<Value(OpBuilder &, Location, ValueRange)> body);

/// An elementwise linalg.generic into a new tensor of the given sizes and
/// element type; `maps` has one map for each input.
Value buildElementwise(
    OpBuilder &b, Location loc, ValueRange inputs, ArrayRef<AffineMap> maps,
    ArrayRef<OpFoldResult> sizes, Type elementType,
    function_ref<Value(OpBuilder &, Location, ValueRange)> body);

/// A float constant of `type` (f16, bf16, f32 or f64), exactly.
Value buildFloat(OpBuilder &b, Location loc, Type type, double value);
/// An integer constant.
Value buildInt(OpBuilder &b, Location loc, Type type, int64_t value);

} // namespace mlir::compress

#endif // COMPRESS_IR_BUILDERUTILS_H
