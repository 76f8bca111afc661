//===- AffineComponents.h - IR for the parts of an affine value --*- C++
//-*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_IR_AFFINECOMPONENTS_H
#define COMPRESS_IR_AFFINECOMPONENTS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace mlir::compress {

class AffineAttr;

/// The scales of an affine value as they count, in f32: one element for each
/// block, shaped as the component `scales`; both levels multiplied.
Value buildAffineScales(OpBuilder &builder, Location loc, Value encoded);

/// The zero points of an affine value, one in an i8 (i16 above 8 bits), shaped
/// as `scales`; null if the encoding is symmetric.
Value buildAffineZeroPoints(OpBuilder &builder, Location loc, Value encoded);

/// Extends a code held in i8 or i16 to i32.
Value buildExtendCode(OpBuilder &builder, Location loc, Value code,
                      bool isSigned);

/// Converts between float types, in either direction; `value` itself if it has
/// the type.
Value buildCastFloat(OpBuilder &builder, Location loc, Value value, Type type);

/// The scale (f32) that `encoding`, which has one level of parameters, chooses
/// for finite scalars `low` <= 0 and `high` >= 0, as num::chooseParams does.
Value buildAffineScale(OpBuilder &builder, Location loc, AffineAttr encoding,
                       Value low, Value high);

/// The zero point (i32) for `low` and the scale.
Value buildAffineZeroPoint(OpBuilder &builder, Location loc,
                           AffineAttr encoding, Value low, Value scale);

} // namespace mlir::compress

#endif // COMPRESS_IR_AFFINECOMPONENTS_H
