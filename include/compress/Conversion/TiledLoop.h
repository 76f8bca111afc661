//===- TiledLoop.h - Loops over tiles that carry a tensor -------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_CONVERSION_TILEDLOOP_H
#define COMPRESS_CONVERSION_TILEDLOOP_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Value.h"

namespace mlir::compress {

/// Computes the part [offset, offset + size) of a loop from `carry`, and
/// returns the next carry.
using TileBody =
    function_ref<Value(OpFoldResult offset, OpFoldResult size, Value carry)>;

/// An `scf.for` over [0, size) in steps of `step` (> 0) that carries a value:
/// whole steps first, with a static size, then the rest if there may be one.
/// Offsets are multiples of `step` by their affine map.
Value buildTiledLoop(OpBuilder &b, Location loc, OpFoldResult size,
                     int64_t step, Value carry, TileBody body);

} // namespace mlir::compress

#endif // COMPRESS_CONVERSION_TILEDLOOP_H
