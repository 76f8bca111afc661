//===- Passes.td - The Conversion passes -------------------*- tablegen -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_CONVERSION_PASSES_TD
#define COMPRESS_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def CompressLowerContractions : Pass<"compress-lower-contractions"> {
  let summary = "Lower linalg ops with encoded operands";
  let description = [{
    Every `linalg` op with encoded inputs becomes `linalg` ops over their
    components, as its `compress.strategy` says; without one, as
    `compress-select-strategy` would decide.

    * `portable`: a sum of products on integer codes, for matmuls, batched ones,
      matvecs, convolutions (any layout, depthwise, grouped) and generics of
      that form. Integer by integer is exact, in i32 where the bound of the sum
      is proved, else in i64 by chunks; zero points enter by sums of the other
      operand; scales are applied once to the sum, as one f64 product rounded to
      the result: within 1 ulp of the exact value. Where scales vary along a
      reduction, each block is summed exactly, scaled and added in f32: within
      gamma_n * sum |block term|. Integer by float multiplies the codes less
      their zero point in f32 (f64 for f64 operands or results).
    * `decode`: operands are decoded by tiles of `tile` elements of one loop,
      and the op is applied to the decoded numbers. A remark at the op says so
      and why.

    ```mlir
    %r = linalg.matmul ins(%x, %w : tensor<4x8xf32, #compress.affine<i8>>,
                                    tensor<8x16xf32, #compress.affine<i8>>)
                       outs(%zero : tensor<4x16xf32>) -> tensor<4x16xf32>
    ```

    becomes

    ```mlir
    %xv = compress.component %x["values"] : ... -> tensor<4x8xi8>
    %wv = compress.component %w["values"] : ... -> tensor<8x16xi8>
    %sums = linalg.generic ... ins(%xv, %wv) outs(%zeros : tensor<4x16xi32>)
    %r = linalg.generic ... ins(%sums, %x_scale, %w_scale)  // f64 product
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

def CompressFuseTileEpilogues : Pass<"compress-fuse-tile-epilogues"> {
  let summary = "Fuse elementwise consumers into compress.tile_contract";
  let description = [{
    An elementwise `linalg.generic` that reads a result of
    `compress.tile_contract` becomes part of its epilogue: bias, activation,
    residual, scaling, casts and the quantization of the next layer are computed
    in registers, and only what something else reads is stored. The consumer's
    other operands become extras, its results further outs; outs that nothing
    uses any more are dropped.

    A consumer behind `tensor.expand_shape`, `tensor.collapse_shape` or
    `tensor.cast` is moved in front of them: its operands are reshaped to the
    contraction's form, and its results back. Consumers are visited in order, so
    that chains fuse whole. One that reads several contractions is fused into the
    last.

    In epilogues, a quantization's division by a constant scale becomes products
    with the inverse (three instructions), where that is proved to give the same
    codes for every number (`compress/Numerics/InverseScale.h`) and the target
    has fused products. Scales that are known at run time only, or one for each
    channel, are divided by.

    Not fused:
    * a consumer of another iteration space: a broadcast of the result, a
      transposition, an operand that varies along a part of the dimensions that a
      reshape joins;
    * a consumer whose other operands depend on the contraction, or whose
      definitions have side effects and stand behind it;
    * bodies with `linalg.index`, with functions that are calls (`math.exp`,
      `math.tanh`, `math.erf`), which would be made for each element in the
      middle of the kernel, with integer divisions, which would trap in the
      lanes behind the last column, or with an fma that the target lacks;
    * results of types other than f16, bf16, f32, f64, i8, i16, i32 and i64.

    ```mlir
    %y = compress.tile_contract #kernel lhs(%x) panels(%w)
        extras(%scale) outs(%e : tensor<128x768xf32>) {...} epilogue {
    ^bb0(%sum: i32, %s: f32):
      %f = arith.sitofp %sum : i32 to f32
      %r = arith.mulf %f, %s : f32
      compress.yield %r : f32
    } -> tensor<128x768xf32>
    %q = linalg.generic ... ins(%y, %bias) outs(%qe : tensor<128x768xi8>) {
    ^bb0(%in: f32, %b: f32, %out: i8):
      %0 = arith.addf %in, %b : f32
      ...
      linalg.yield %code : i8
    }
    ```

    becomes

    ```mlir
    %q = compress.tile_contract #kernel lhs(%x) panels(%w)
        extras(%scale, %bias) outs(%qe : tensor<128x768xi8>) {...} epilogue {
    ^bb0(%sum: i32, %s: f32, %b: f32):
      %f = arith.sitofp %sum : i32 to f32
      %r = arith.mulf %f, %s : f32
      %0 = arith.addf %r, %b : f32
      ...
      compress.yield %code : i8
    } -> tensor<128x768xi8>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::compress::CompressDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def CompressFuseContractionChains
    : Pass<"compress-fuse-contraction-chains"> {
  let summary = "Compute chains of contractions block by block of rows";
  let description = [{
    Contractions (`compress.tile_contract` on tensors) of which one reads the
    rows of another's result, as those of an MLP, of a low-rank pair or of a
    bottleneck do, become a loop over blocks of rows that computes all of them
    for a block. What is between them then is a buffer of one block, which stays
    in the cache, instead of a tensor of all rows that is written to memory and
    read back. Results do not change in any bit.

    A chain may have more than two contractions, and need not be one line: a
    contraction joins it if it reads a result as its left operand or, by the same
    rows and columns, in its epilogue. Results that something else uses as well
    are results of the loop. A left operand that is quantized dynamically (by
    rows) is, block by block. Several row dimensions are collapsed to one. Rows
    that are no whole block follow behind the loop; if the number of rows is
    known at run time only, all rows are computed there if they are few.

    With `threads`, each thread has its blocks, in an `scf.forall` with
    `compress.threads`.

    Chains are fused if that pays on the module's target:

    * the sizes of all but the rows are known;
    * the panels of all contractions and a block of 32 rows or more (64 at most;
      128 if a kernel expands its panels; a multiple of the kernels' tiles) fit
      three quarters of the second cache: a contraction with which they do not
      begins the next chain;
    * operands and results of all rows of a thread take more than that cache
      (else they stay there anyway), and at least one result is not used
      elsewhere;
    * each of several threads has 8 blocks or more.

    In chains with windows, as those of convolutional networks, blocks are of
    images: of as many that each contraction has 32 positions of windows.
    The result may be reshaped behind the dimensions of images, as in front of a
    fully connected layer.

    Not in a chain: windows over one image, right operands with batches,
    epilogues with operands that vary along a part of the row dimensions. Other
    ops that read a result
    and stand between two contractions end the chain. Remarks
    (`--remarks-filter=compress-fuse-contraction-chains`) tell what was fused and
    what is in the way.

    ```mlir
    %h = compress.tile_contract #kernel lhs(%x : tensor<4096x256xf32>)
        panels(%u) outs(%e0) {maps = []} epilogue {...} -> tensor<4096x64xf32>
    %y = compress.tile_contract #kernel lhs(%h : tensor<4096x64xf32>)
        panels(%v) outs(%e1) {maps = []} epilogue {...} -> tensor<4096x256xf32>
    ```

    becomes

    ```mlir
    %b = bufferization.alloc_tensor() : tensor<64x64xf32>
    %y = scf.for %i = %c0 to %c4096 step %c64 iter_args(%o = %e1) {
      %xi = tensor.extract_slice %x[%i, 0] [64, 256] [1, 1]
      %h = compress.tile_contract #kernel lhs(%xi : tensor<64x256xf32>)
          panels(%u) outs(%b) {maps = []} epilogue {...} -> tensor<64x64xf32>
      %oi = tensor.extract_slice %o[%i, 0] [64, 256] [1, 1]
      %yi = compress.tile_contract #kernel lhs(%h : tensor<64x64xf32>)
          panels(%v) outs(%oi) {maps = []} epilogue {...} -> tensor<64x256xf32>
      %r = tensor.insert_slice %yi into %o[%i, 0] [64, 256] [1, 1]
      scf.yield %r
    }
    ```
  }];
  let options = [
    Option<"rows", "rows", "int64_t", /*default=*/"0",
           "Rows of a block, for every chain that can be fused; 0: chosen, for "
           "chains where it pays; -1: no chain is fused">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::compress::CompressDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def CompressOutlineTileContracts
    : Pass<"compress-outline-tile-contracts", "::mlir::ModuleOp"> {
  let summary = "Compile equal contractions once";
  let description = [{
    Contractions on memrefs that differ in nothing but their operands, as those
    of a network's layers do, become calls of one private function, so that
    their code is generated, optimized and held in memory once.

    ```mlir
    compress.tile_contract ... lhs(%x0) panels(%w0) outs(%y0) ...
    compress.tile_contract ... lhs(%x1) panels(%w1) outs(%y1) ...
    ```

    becomes

    ```mlir
    call @compress_tile_contract(%x0, %w0, %y0) : ...
    call @compress_tile_contract(%x1, %w1, %y1) : ...
    ```

    A contraction whose kernel uses tile registers gets a function in any case:
    a function has one configuration of these, and kernels need different ones.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

def CompressLowerTileContracts : Pass<"compress-lower-tile-contracts"> {
  let summary = "Lower compress.tile_contract on memrefs to loops and vectors";
  let description = [{
    Makes the loops around a tile kernel: tasks for threads (an `scf.forall` with
    the attribute `compress.threads`), cache blocks of rows, panels of columns,
    row tiles, steps; the kernel's vector code in the middle; the epilogue on
    the accumulators while they are in registers. Rows that the kernel cannot
    read in place (a dynamic quantization, a shift to unsigned codes, a number of
    products that is not a multiple of the kernel's step) are first copied to a
    buffer of the thread, block by block.

    Rows that are left over by whole tiles are done by smaller tiles of the same
    kernel, columns by masks.

    ```mlir
    scf.for %m = %c0 to %c128 step %c8 {
      %acc:16 = scf.for %k = %c0 to %c192 step %c1 iter_args(...) {
        %w0 = vector.load %panels[%p, %o0] : memref<24x24704xi8>, vector<64xi8>
        ...
        %a = llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%acc0, %x0, %w0)
      }
      ...
      vector.store %y, %out[%m, %n] : memref<128x768xf32>, vector<16xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def CompressRequantize : Pass<"compress-requantize"> {
  let summary = "Requantize results by integer arithmetic only";
  let description = [{
    Without this pass, a contraction whose result is quantized again scales its
    sums in floating point, adds the bias, clamps and quantizes: one fused
    elementwise op. This pass does the same with integers only, for targets
    without fast floating point, or to agree with an integer-only reference: in

    ```mlir
    %y = linalg.matmul ins(%x, %w) outs(%zero)   // both affine, known scales
    %b = linalg.generic ...                      // + bias, max, min
    %q = compress.quantize %b, %s : ... to tensor<4x8xf32, #compress.affine<i8>>
    ```

    the code becomes `saturate(round((sum + bias_q) * multiplier / 2^shift) + zp)`
    with `bias_q = round_half_even(bias / (s_x * s_w))` and a Q31 multiplier and
    shift nearest to `s_x * s_w / s_y` for each channel (see
    `compress/Numerics/FixedPoint.h`). Maxima and minima behind the bias are
    taken on codes.

    It applies where scales are constants and do not vary along a reduction (one
    for each operand or for each channel), the result has one scale and at most
    16 bits, the sum is proved to fit i32 with the bias, and nothing else uses
    the values between; what does not fit stays in floating point, with a remark
    that says why. Lossy beyond the float form by at most one code, since the
    multiplier has 31 bits and the bias is rounded.
  }];
  let options = [
    Option<"rounding", "rounding", "::mlir::compress::RequantizeRounding",
           "::mlir::compress::RequantizeRounding::Single",
           "How the product is rounded",
           [{::llvm::cl::values(
             clEnumValN(::mlir::compress::RequantizeRounding::Single, "single",
                        "once, half up"),
             clEnumValN(::mlir::compress::RequantizeRounding::Double, "double",
                        "twice, as TFLite's reference kernels and TOSA do"))}]>
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def ConvertQuantToCompress : Pass<"convert-quant-to-compress"> {
  let summary = "Convert the quant dialect to compress";
  let description = [{
    A tensor of quantized elements becomes the tensor of its storage integers,
    through functions, calls, `scf`, `cf` and ops that move elements;
    `quant.qcast` becomes `compress.quantize`, which rounds half to even and
    saturates, `quant.dcast` becomes `compress.decode` of the assembled integers,
    `quant.scast` nothing. Per-tensor, per-axis and sub-channel types; scales
    become f32. Nothing of the quant dialect is left.

    Refused with a location: scalars and unranked tensors, calibrated types,
    storage ranges other than the full one (or, for zero points of 0, the full
    one without its lowest value), zero points outside the storage range, blocks
    that do not divide their dimension.

    ```mlir
    %q = quant.qcast %x : tensor<8xf32> to tensor<8x!quant.uniform<i8:f32, 0.5>>
    %y = quant.dcast %q : tensor<8x!quant.uniform<i8:f32, 0.5>> to tensor<8xf32>
    ```

    becomes (after canonicalization)

    ```mlir
    %s = arith.constant dense<5.000000e-01> : tensor<f32>
    %q = compress.quantize %x, %s : tensor<8xf32>, tensor<f32>
      to tensor<8xf32, #compress.affine<i8, full_range>>
    %y = compress.decode %q : ... -> tensor<8xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::compress::CompressDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def ConvertCompressToQuant : Pass<"convert-compress-to-quant"> {
  let summary = "Convert decoded affine values to the quant dialect";
  let description = [{
    Each `compress.decode` of an affine value with constant parameters becomes
    `quant.dcast` of a `quant.qcast` (of what `compress.quantize` encodes) or of
    a `quant.scast` of its integers. Types of the quant dialect hold their
    parameters, so that values whose parameters are computed, arguments, and
    other encodings are refused with a location.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::quant::QuantDialect"
  ];
}

#endif // COMPRESS_CONVERSION_PASSES_TD
