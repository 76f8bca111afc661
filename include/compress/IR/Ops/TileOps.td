//===- TileOps.td - Contractions by tile kernels -----------*- tablegen -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_IR_OPS_TILEOPS_TD
#define COMPRESS_IR_OPS_TILEOPS_TD

include "compress/IR/CompressAttrs.td"
include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Compress_TileOperand : Type<
    Or<[CPred<"::llvm::isa<::mlir::MemRefType>($_self)">,
        And<[CPred<"::llvm::isa<::mlir::RankedTensorType>($_self)">,
             CPred<"!::llvm::cast<::mlir::RankedTensorType>($_self).getEncoding()">]>]>,
    "memref or ranked tensor without an encoding", "::mlir::ShapedType">;

def Compress_TileContractOp : Compress_Op<"tile_contract",
    [AttrSizedOperandSegments, DestinationStyleOpInterface,
     DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
     DeclareOpInterfaceMethods<BufferizableOpInterface,
      ["bufferizesToMemoryRead", "bufferizesToMemoryWrite",
       "getAliasingValues", "bufferize"]>,
     SingleBlock]> {
  let summary = "A contraction by a tile kernel, with what surrounds it";
  let description = [{
    Computes for all batches, rows and columns

    ```
    outs[b, m, n] = epilogue(sum over k of lhs[b, m, k] * rhs[b, n, k], extras)
    ```

    where the product is that of the kernel, the right operand is packed in the
    kernel's panels, and the epilogue is the op's region: scalar elementwise code
    that scales, corrects by zero points, adds a bias or residual, clamps and
    quantizes the element while it is in a register. The lowering adds loops,
    cache blocks, tails and threads; it reads no operand twice where a register
    or a cache can hold it and stores nothing but `outs`.

    Operands:
    * `lhs`: `[batch..., rows..., k]`, elements as the kernel's left operand says
      but without its shift. With a `window`: `[images..., heights...,
      channels]`, of codes with the shift.
    * `panels`: `[batch * panels, length]`. Each tap of a window is padded to
      whole steps. Behind the steps of a window there may be one row of `n` i32
      for each tap: what a tap outside the image adds, where the stored padding
      is not zero. With an asymmetric `quantize` this is times the stored zero
      point of the image.
      Kernels of tile registers have none: they get images with their padding.
    * `extras`: tensors that the epilogue reads, by `maps` from the dimensions of
      `outs`, which are projected permutations.
    * `outs`: `[batch..., rows..., columns]`, all of the same shape; their
      contents are not read.

    Attributes:
    * `kernel`: the tile kernel.
    * `batches`: the leading dimensions that are batches.
    * `quantize`: the left operand is float and is quantized dynamically, row by
      row, by the thread that uses the rows, as `compress.encode` with min-max
      ranges does it. Then the epilogue's arguments have the row's scale (f32)
      behind the product, and its zero point (i32) if the encoding is asymmetric.
      With a `window`, images are quantized instead, each with one scale; padding
      is the code of zero.
    * `window`: `lhs` is an image; row `[image, y, x]` of the product has one
      element for each tap and channel, `lhs[image, y * stride + tap * dilation -
      pad, ...]`, zero outside the image. Taps outside are not computed.
    * `threads`: how many threads share the work.

    The region's arguments are the product (of the kernel's accumulator type), the
    row's parameters if `quantize`, and one element of each of `extras`.

    ```mlir
    %y = compress.tile_contract #compress.int_dot<m = 8, n = 32, lhsType = i8,
                                                 isa = avx512_vnni>
        lhs(%x : tensor<128x768xi8>) panels(%w : tensor<24x24704xi8>)
        extras(%scale : tensor<768xf32>) outs(%e : tensor<128x768xf32>)
        {maps = [affine_map<(m, n) -> (n)>]} epilogue {
    ^bb0(%sum: i32, %s: f32):
      %f = arith.sitofp %sum : i32 to f32
      %r = arith.mulf %f, %s : f32
      compress.yield %r : f32
    } -> tensor<128x768xf32>
    ```
  }];
  let arguments = (ins
    TileKernelAttrInterface:$kernel,
    Compress_TileOperand:$lhs,
    Compress_TileOperand:$panels,
    Variadic<Compress_TileOperand>:$extras,
    Variadic<Compress_TileOperand>:$outs,
    AffineMapArrayAttr:$maps,
    DefaultValuedAttr<I64Attr, "0">:$batches,
    OptionalAttr<Compress_AffineAttr>:$quantize,
    OptionalAttr<Compress_WindowAttr>:$window,
    DefaultValuedAttr<I64Attr, "1">:$threads);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$epilogue);
  let assemblyFormat = [{
    $kernel `lhs` `(` $lhs `:` type($lhs) `)`
    `panels` `(` $panels `:` type($panels) `)`
    (`extras` `(` $extras^ `:` type($extras) `)`)?
    `outs` `(` $outs `:` type($outs) `)`
    attr-dict `epilogue` $epilogue (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutsMutable(); }
    bool isMemrefForm() { return getNumResults() == 0; }
    /// Whether a tap of dimension `dim` of the window may be outside the image.
    bool canLeaveImage(unsigned dim);
    /// Arguments of the epilogue before those of the extras.
    unsigned getNumLeadingArguments();
    /// Rank of the outs.
    int64_t getOutRank() {
      return ::llvm::cast<::mlir::ShapedType>(getOuts()[0].getType()).getRank();
    }
  }];
}

def Compress_YieldOp : Compress_Op<"yield",
    [Pure, Terminator, ReturnLike, HasParent<"TileContractOp">]> {
  let summary = "The elements that an epilogue makes";
  let description = [{
    One value for each of the `outs` of `compress.tile_contract`, of its element
    type.
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

#endif // COMPRESS_IR_OPS_TILEOPS_TD
