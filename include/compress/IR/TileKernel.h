//===- TileKernel.h - What tile kernels are made from -----------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The structs that the methods of TileKernelAttrInterface take and give. See
// there for what a tile and a panel are.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_IR_TILEKERNEL_H
#define COMPRESS_IR_TILEKERNEL_H

#include "compress/Numerics/Panels.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

#include <vector>

namespace mlir::compress {

/// Rows, columns and products of one emission of a kernel.
struct TileShape {
  int64_t m = 0, n = 0, k = 0;
};

/// How the left operand's rows lie in memory.
struct TileLhs {
  /// i8, i16, f32 or bf16. Integers carry the signedness of the codes they
  /// stand for in `isSigned`.
  Type element;
  bool isSigned = true;
  /// A stored element is the code plus this.
  int64_t shift = 0;
  /// If not 0: beside the rows stand i32 sums of the codes of each `sumBlock`
  /// products, times `sumFactor`.
  int64_t sumBlock = 0, sumFactor = 1;
};

/// Where one emission finds its operands. All indices are values of type index.
struct TileContext {
  /// The left operand: a memref whose last dimension is k.
  Value lhs;
  /// For each row of the tile, the indices in all dimensions but the last.
  SmallVector<SmallVector<Value>> rows;
  /// Positions in the dimension in front of the last one from a row to the next,
  /// for kernels that read whole groups of rows from the index of the first.
  int64_t rowStride = 1;
  /// The first product of the step in the last dimension of `lhs`.
  Value lhsOffset;
  /// The sums beside the left operand: a memref of rows x blocks of i32, the
  /// row of each row of the tile, and the block. Null without sums.
  Value sums;
  SmallVector<Value> sumRows;
  Value block;
  /// The panels, the panel of this tile, and the first element of the step in
  /// it (for emitInit: of the panel).
  Value panels;
  Value panel;
  Value panelOffset;
  /// Memory of the thread for `getScratchElements` elements; null for none.
  Value scratch;
  /// If not 0, the panel is a stream from memory: its lines are best asked for
  /// so many bytes ahead of their loads.
  int64_t prefetchBytes = 0;
  /// Rows that take part in this step; all if empty.
  SmallVector<bool> active;

  bool isActive(int64_t row) const { return active.empty() || active[row]; }
};

} // namespace mlir::compress

#include "compress/IR/TileKernelInterfaces.h.inc"

#endif // COMPRESS_IR_TILEKERNEL_H
