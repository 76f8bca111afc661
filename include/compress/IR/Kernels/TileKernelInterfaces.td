//===- TileKernelInterfaces.td - What a tile kernel is -----*- tablegen -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_IR_KERNELS_TILEKERNELINTERFACES_TD
#define COMPRESS_IR_KERNELS_TILEKERNELINTERFACES_TD

include "mlir/IR/OpBase.td"

def TileKernelAttrInterface : AttrInterface<"TileKernelAttrInterface"> {
  let cppNamespace = "::mlir::compress";
  let description = [{
    The innermost computation of a contraction on one kind of machine: a register
    tile of `m` rows of the left operand by `n` columns of the right one, `k`
    products deep. What is fast on a machine is a handful of these; everything
    around them (loops, caches, threads, fused elementwise ops) is the same for
    all and belongs to `compress.tile_contract` and its lowering.

    A kernel sees

    * the *left operand* (activations) as rows in memory, unit stride along k,
      the last row element at a multiple of `k`;
    * the *right operand* (weights) as *panels*: for every `n` columns one
      contiguous row of a `tensor<panels x length x E>`, in which the elements of
      one step of `k` follow each other. Columns beyond the end and products
      beyond K are zero there, so that tails along n and k need no code;
    * *accumulators*: `m * n / lanes` vectors, row by row.

    Rows beyond the end are handled by the same kernel with a smaller `m`
    (`withTile`); a matrix by a vector is m = 1.

    All methods are total: an attribute read from text or bytecode that no
    selection would make gives a failure, never a crash.
  }];
  let methods = [
    InterfaceMethod<[{
        Rows, columns and products of one emission.
      }],
      "::mlir::compress::TileShape", "getTile", (ins)>,
    InterfaceMethod<[{
        The same kernel on a tile of `m` rows and `n` columns; null if it cannot.
      }],
      "::mlir::compress::TileKernelAttrInterface", "withTile",
      (ins "int64_t":$m, "int64_t":$n)>,
    InterfaceMethod<[{
        The element type of a left row in memory, and how the kernel wants it
        made from codes: an integer code is the row element less `lhsShift`.
        `vpdpbusd` takes one unsigned operand: signed codes are then stored
        plus 128, and `lhsShift` is 128.
      }],
      "::mlir::compress::TileLhs", "getLhs", (ins)>,
    InterfaceMethod<[{
        The element type of the right operand's panels.
      }],
      "::mlir::Type", "getPanelElementType", (ins)>,
    InterfaceMethod<[{
        Elements of a panel before its first step, and of each step.
      }],
      "std::pair<int64_t, int64_t>", "getPanelSizes", (ins)>,
    InterfaceMethod<[{
        The element type of an accumulator, and of what the kernel yields for
        an element of the product: i32 or f32.
      }],
      "::mlir::Type", "getAccumulatorType", (ins)>,
    InterfaceMethod<[{
        Elements of an accumulator vector.
      }],
      "int64_t", "getLanes", (ins)>,
    InterfaceMethod<[{
        Whether a machine has the instructions, given whether it has each of
        LLVM's features (see `TargetAttr::hasFeature`). The compiled program is
        only right on a machine that has them.
      }],
      "bool", "isSupported",
      (ins "::llvm::function_ref<bool(::llvm::StringRef)>":$hasFeature)>,
    InterfaceMethod<[{
        An estimate of the cycles for a product of `rows` x `columns` x `depth`
        on one core: what selection compares. Counts arithmetic and loads of
        whole tiles and of the tail, not caches.
      }],
      "double", "getCost",
      (ins "int64_t":$rows, "int64_t":$columns, "int64_t":$depth)>,
    InterfaceMethod<[{
        Packs a constant right operand, row-major raw bytes of
        panels x (head + steps) elements.
      }],
      "std::vector<char>", "packConstant",
      (ins "const ::compress::numerics::PanelMatrix &":$matrix)>,
    InterfaceMethod<[{
        The initial accumulators of a tile: zeros, or the correction that
        follows from the kernel's own signedness.
      }],
      "::llvm::SmallVector<::mlir::Value>", "emitInit",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "const ::mlir::compress::TileContext &":$tile)>,
    InterfaceMethod<[{
        Straight-line vector code for one step of `k` products; takes and returns
        the accumulators, which the caller carries through its loops. Rows not
        in `tile.active` stay as they are.
      }],
      "::llvm::SmallVector<::mlir::Value>", "emit",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "const ::mlir::compress::TileContext &":$tile,
           "::mlir::ValueRange":$accumulators)>,
    InterfaceMethod<[{
        The elements of the product from the accumulators after the last step:
        one vector of `getLanes` elements for each row and group of columns.
      }],
      "::llvm::SmallVector<::mlir::Value>", "emitResult",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "const ::mlir::compress::TileContext &":$tile,
           "::mlir::ValueRange":$accumulators),
      "", "return ::llvm::SmallVector<::mlir::Value>(accumulators);">,
    InterfaceMethod<[{
        Elements of the accumulator type that a tile needs in memory
        (`TileContext::scratch`) to give its results as vectors.
      }],
      "int64_t", "getScratchElements", (ins), "", "return 0;">,
    InterfaceMethod<[{
        The kernel that reads panels of this one after they have been expanded
        to what its inner loop needs, or null. For many rows a panel is then
        unpacked once and not once for every tile of rows. The element type of
        both panels is the same, and neither has a head.
      }],
      "::mlir::compress::TileKernelAttrInterface", "getExpanded", (ins), "",
      "return {};">,
    InterfaceMethod<[{
        Expands one step of a panel (`tile.panelOffset`) into element `offset`
        and those behind it of `target`, a memref of one dimension.
      }],
      "void", "emitExpansion",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "const ::mlir::compress::TileContext &":$tile,
           "::mlir::Value":$target, "::mlir::Value":$offset),
      "", "return;">,
  ];
}

#endif // COMPRESS_IR_KERNELS_TILEKERNELINTERFACES_TD
