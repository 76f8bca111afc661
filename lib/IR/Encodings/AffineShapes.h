//===- AffineShapes.h - Shapes and small pieces of affine IR ----*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the builders of the affine encoding share.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_LIB_IR_ENCODINGS_AFFINESHAPES_H
#define COMPRESS_LIB_IR_ENCODINGS_AFFINESHAPES_H

#include "compress/IR/Compress.h"
#include "mlir/IR/Builders.h"

namespace mlir::compress {

/// The shapes of the pieces of an affine tensor, for given logical sizes.
///
/// Quantize and decode work on the *split view*: each dimension with a block
/// size above 1 becomes two, [blocks, block size]. There scales are indexed by
/// dimensions alone, without floordiv, which is what vectorizes.
struct AffineShapes {
  AffineShapes(OpBuilder &b, Location loc, AffineAttr encoding,
               ArrayRef<OpFoldResult> logicalSizes);

  SmallVector<OpFoldResult> sizes, padded, grid, split;
  /// The block size of each dimension, 1 for `*`.
  SmallVector<int64_t> blocks;
  /// Dimensions of the split view over which a scale is shared.
  SmallVector<int64_t> reducedDims;
  /// Split view to grid, and to itself.
  AffineMap gridMap, identityMap;
};
/// How a two-level grid is split into super blocks.
struct SuperShapes {
  SuperShapes(OpBuilder &b, Location loc, AffineAttr encoding, int64_t rank,
              ArrayRef<OpFoldResult> grid);
  /// Blocks in a super block along each grid dimension, or kWholeDim.
  SmallVector<int64_t> ratios;
  SmallVector<OpFoldResult> gridSizes, superSizes;

  /// Position in the super grid of the current grid position of a generic.
  SmallVector<Value> buildSuperIndex(OpBuilder &b, Location loc) const;
};

/// The type in which one code is held unpacked: i8, or i16 above 8 bits.
Type getCodeType(OpBuilder &b, ::compress::numerics::IntegerFormat format);

/// max, min and clamp of values that are known not to be NaN.
Value buildMax(OpBuilder &b, Location loc, Value lhs, Value rhs);
Value buildMin(OpBuilder &b, Location loc, Value lhs, Value rhs);
Value buildClamp(OpBuilder &b, Location loc, Value value, double low,
                 double high);

/// The f32 scales of the whole grid as they count: converted from f16 or bf16,
/// or the product of both levels. `scales` and `superScales` are in storage
/// form.
Value buildEffectiveScales(OpBuilder &b, Location loc, AffineAttr encoding,
                           int64_t rank, ArrayRef<OpFoldResult> grid,
                           Value scales, Value superScales);

/// The zero points of the whole grid, one in an i8 or i16.
Value buildUnpackZeroPoints(OpBuilder &b, Location loc, AffineAttr encoding,
                            ArrayRef<OpFoldResult> grid, Value points);

} // namespace mlir::compress

#endif // COMPRESS_LIB_IR_ENCODINGS_AFFINESHAPES_H
