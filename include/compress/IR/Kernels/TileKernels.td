//===- TileKernels.td - The tile kernels of CPUs -----------*- tablegen -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_IR_KERNELS_TILEKERNELS_TD
#define COMPRESS_IR_KERNELS_TILEKERNELS_TD

include "compress/IR/CompressBase.td"
include "compress/IR/Kernels/TileKernelInterfaces.td"
include "mlir/IR/EnumAttr.td"

def Compress_TileIsaEnum : I32EnumAttr<"TileIsa",
    "the instructions that a tile kernel is made of", [
      I32EnumAttrCase<"Generic", 0, "generic">,
      I32EnumAttrCase<"Avx2", 1, "avx2">,
      I32EnumAttrCase<"AvxVnni", 2, "avx_vnni">,
      I32EnumAttrCase<"Avx512", 3, "avx512">,
      I32EnumAttrCase<"Avx512Vnni", 4, "avx512_vnni">,
      I32EnumAttrCase<"Avx512Bf16", 5, "avx512_bf16">,
      I32EnumAttrCase<"Avx512VnniGfni", 6, "avx512_vnni_gfni">,
      I32EnumAttrCase<"Amx", 7, "amx">
    ]> {
  let cppNamespace = "::mlir::compress";
  let genSpecializedAttr = 0;
}

class Compress_TileKernelAttr<string name, string attrMnemonic>
    : Compress_Attr<name, attrMnemonic,
        [DeclareAttrInterfaceMethods<TileKernelAttrInterface, ["emitResult", "getScratchElements",
                                      "getExpanded", "emitExpansion"]>]> {
  let genVerifyDecl = 1;
  let assemblyFormat = "`<` struct(params) `>`";
}

def Compress_IntDotAttr : Compress_TileKernelAttr<"IntDot", "int_dot"> {
  let summary = "Products of 8-bit integers, summed in i32";
  let description = [{
    `acc[m][n] += sum over k of lhs[m][k] * rhs[n][k]`, exact modulo 2^32: four
    products a step, the left operand of type `lhsType` (i8 or ui8), the right one
    signed.

    A panel holds first `n` initial accumulators (i32), then for every step
    `n x 4` bytes. With `vpdpbusd` (avx_vnni, avx512_vnni: unsigned by signed)
    signed left codes are stored plus 128, and the initial accumulator of a column
    is -128 times the sum of its codes. The other instruction sets widen both
    operands to 16 bits and use `vpmaddwd`, never the saturating `vpmaddubsw`.
    With `amx` a step has 64 products and an accumulator is a tile of 16 x 16;
    `m` is up to 32 and `n` 16 or 32, and there is no shift.

    ```
    #compress.int_dot<m = 8, n = 32, lhsType = i8, isa = avx512_vnni>
    ```
  }];
  let parameters = (ins "int64_t":$m, "int64_t":$n,
                        "::mlir::IntegerType":$lhsType,
                        EnumParameter<Compress_TileIsaEnum>:$isa);
}

def Compress_BlockDotAttr : Compress_TileKernelAttr<"BlockDot", "block_dot"> {
  let summary = "Products with integers of 2 to 8 bits that have block scales";
  let description = [{
    `acc[m][n] += f32(sum over a block of lhs[m][k] * (rhs[n][k] - zp[n])) * s[n]`
    for each block of `block` products: the sum is exact in i32, the product and
    the sum of blocks are fused in f32. With `lhsType = f32` the codes less their
    zero point are converted to f32 and multiplied there, summed in f32 within
    the block, then scaled.

    Right codes of up to 4 bits take half a byte in a panel (`bits = 4`), longer
    ones a byte (`bits = 8`), both shifted to unsigned ones. A panel holds for
    every block `n` scales (f16 or f32), then `n` pairs of i16 (zero point, 0) if
    `zeroPoints`, then the codes: for every 4 (8 with half bytes) products `n x
    4` bytes, where the high half of byte j is product j + 4. `vpand` and one
    `vgf2p8affineqb` then unpack two vectors.

    The left operand's sums over blocks stand beside its rows: they cancel the
    shift of the codes and enter the zero points.

    With `amx` (`lhsType = i8`; `m` and `n` at most 32) codes are unpacked to
    bytes in memory, best once for all rows, and without zero points to signed
    ones, which need no sums; those that a panel holds as bytes are not shifted.
    The sums of a block of 16 x 16 pass through memory to become vectors.

    ```
    #compress.block_dot<m = 6, n = 32, lhsType = i8, bits = 4, block = 32,
                        scale = f16, zeroPoints = false, isa = avx512_vnni>
    ```
  }];
  let parameters = (ins "int64_t":$m, "int64_t":$n, "::mlir::Type":$lhsType,
                        "unsigned":$bits, "int64_t":$block,
                        "::mlir::Type":$scale, "bool":$zeroPoints,
                        EnumParameter<Compress_TileIsaEnum>:$isa);
  let extraClassDeclaration = [{
    /// What is added to a signed code of the panel to make it unsigned; 0 if
    /// the panel holds signed ones.
    int64_t getShift() const;
    /// Bytes of a block of `n` columns in a panel: scales, points, codes.
    int64_t getScaleBytes() const;
    int64_t getPointBytes() const { return getZeroPoints() ? 4 * getN() : 0; }
    int64_t getBlockBytes() const;
  }];
}

def Compress_FloatDotAttr : Compress_TileKernelAttr<"FloatDot", "float_dot"> {
  let summary = "Products of floats";
  let description = [{
    `acc[m][n] += lhs[m][k] * rhs[n][k]` in f32, fused, for operands of type f32;
    in pairs by `vdpbf16ps` for bf16 operands (avx512_bf16: denormals are zero
    there, and a pair is added before it meets the accumulator). The order of the
    sum is that of k.

    A panel holds for every step `n` elements (`n x 2` for bf16).

    ```
    #compress.float_dot<m = 8, n = 32, element = f32, isa = avx512>
    ```
  }];
  let parameters = (ins "int64_t":$m, "int64_t":$n, "::mlir::Type":$element,
                        EnumParameter<Compress_TileIsaEnum>:$isa);
}

#endif // COMPRESS_IR_KERNELS_TILEKERNELS_TD
