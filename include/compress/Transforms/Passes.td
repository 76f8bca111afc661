//===- Passes.td - The Transforms passes -------------------*- tablegen -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_TRANSFORMS_PASSES_TD
#define COMPRESS_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def CompressExpandEncodings
    : Pass<"compress-expand-encodings", "::mlir::ModuleOp"> {
  let summary = "Replace every encoded tensor by its components";
  let description = [{
    Turns each value of encoded type into its leaf components in storage form
    (integers below 8 bits packed into bytes), through functions, calls, `scf`,
    `cf`, `arith.select` and `ml_program` globals. Afterwards the module has no
    encoded type and no op of this dialect except `compress.observe`.

    * Ops with a meaning of their own become `linalg`, `tensor` and `arith` ops:
      `decode`, `quantize`, `choose_params`, `encode` and `fake_quant` of
      run-time values, `convert`, `constant`, `component`, `assemble`. They
      compute the same bits as the constant encoder.
    * An op that reads an encoded value (a `linalg` input, a `tensor` reader, a
      `tosa` operand) gets it decoded whole, with a remark. Passes that know
      better must run before.
    * A function argument becomes one argument a leaf, in the order of the
      components, each with the attribute `compress.component` (`"values"`,
      `"values.scales"`); results likewise. Other attributes of the argument
      stay on its first leaf. A global `@w` becomes `@w.values`, `@w.scales`,
      and so on.

    What cannot be expanded is an error at the op: the rules of
    `compress-verify`, indirect calls, encoded values as reductions or shared
    outputs of parallel loops, and `compress.encode` of a run-time value into an
    encoding for constants only.

    A component that is read or given as a tensor of narrow integers (`i4`) is
    converted by `arith.trunci` and `arith.extui`;
    `compress-legalize-narrow-integers` removes such tensors.

    Example:

    ```mlir
    func.func @f(%w: tensor<4x6xf32, #compress.affine<i4, block = [1, *]>>)
        -> tensor<4x6xf32> {
      %d = compress.decode %w : tensor<4x6xf32, #compress.affine<i4, block = [1, *]>>
        -> tensor<4x6xf32>
      return %d : tensor<4x6xf32>
    }
    ```

    becomes

    ```mlir
    func.func @f(%values: tensor<4x3xi8> {compress.component = "values"},
                 %scales: tensor<4xf32> {compress.component = "scales"})
        -> tensor<4x6xf32> {
      // linalg.generic ops that unpack, convert and scale.
    }
    ```
  }];
}

def CompressAnnotate : Pass<"compress-annotate", "ModuleOp"> {
  let summary = "Put encode ops where a recipe says so";
  let description = [{
    A recipe is a list of rules; each matches operands of ops and gives an
    encoding. The pass puts a `compress.encode` behind the definition of every
    value that a matched operand reads, and makes the operand read that; equal
    encodings of a value are shared. It takes the recipe from the JSON file
    `recipe` or, without that option, from the module attribute
    `compress.recipe`, which it removes. Without either nothing changes.

    A rule has the keys `op`, `location`, `function`, `source` and `operand`,
    which say what it matches; `encoding`, `per`, `block` and `super_block`,
    which say how that is stored; `range`, `mode`, and a `name` for messages.
    docs/Recipes.md describes them. The first rule that matches an operand
    counts. `per` and `block` find the dimensions from the indexing maps of the
    op, so one rule serves matmuls and convolutions of any layout.

    With `mode = "static"`, the encode op of a value that is no constant carries
    the attribute `compress.calibration`, the name under which
    `compress-apply-calibration` looks up its range.

    Errors, with the line of the file or the location of the module: unknown
    keys and values, misspelt encodings, and a rule that encodes nothing; at the
    op: an encoding that does not fit the operand.

    Example: with the recipe

    ```mlir
    compress.recipe = [{operand = "weights", per = "channel",
                        encoding = #compress.affine<i8>} ]
    ```

    the op

    ```mlir
    %r = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x32xf32>) ...
    ```

    on a constant `%w` becomes

    ```mlir
    %e = compress.encode %w : tensor<64x32xf32>
      to tensor<64x32xf32, #compress.affine<i8, block = [*, 1]>>
    %r = linalg.matmul ins(%x, %e : tensor<?x64xf32>,
      tensor<64x32xf32, #compress.affine<i8, block = [*, 1]>>) ...
    ```
  }];
  let options = [
    Option<"recipe", "recipe", "std::string", "\"\"",
           "JSON file with the recipe; empty: the module attribute "
           "compress.recipe">
  ];
  let dependentDialects = ["::mlir::compress::CompressDialect"];
}

def CompressApplyCalibration
    : Pass<"compress-apply-calibration", "::mlir::ModuleOp"> {
  let summary = "Give static activations their calibrated parameters";
  let description = [{
    Replaces every `compress.encode` with the attribute `compress.calibration`
    by a `compress.quantize` with constant parameters, and removes all
    `compress.observe` ops. The range is that of the tensor of this name in the
    calibration tables, chosen by the calibrator of the op; the parameters are
    those of the encoding for that range. docs/Calibration.md describes the
    file; several are merged, in any order to the same result.

    A tensor that calibration never saw, or of which no element was finite, is
    an error that names it: nothing is invented for it.

    Elements of magnitude 2^96 and above are most likely masking constants, such
    as the most negative f32 number. They make a warning that names the tensor
    and the value; the scale is finite, but useless. `ignore-masks` leaves them
    out of the range.

    Example: with the range [-1, 3] for `fc.lhs`

    ```mlir
    %e = compress.encode %x {compress.calibration = "fc.lhs"}
      : tensor<?x64xf32> to tensor<?x64xf32, #compress.affine<ui8, asymmetric>>
    ```

    becomes

    ```mlir
    %s = arith.constant dense<0.0156862754> : tensor<f32>
    %z = arith.constant dense<64> : tensor<i8>
    %e = compress.quantize %x, %s, %z : tensor<?x64xf32>, tensor<f32>, tensor<i8>
      to tensor<?x64xf32, #compress.affine<ui8, asymmetric>>
    ```
  }];
  let options = [
    ListOption<"calibration", "calibration", "std::string",
               "JSON files with calibration tables, which are merged">,
    Option<"ignoreMasks", "ignore-masks", "bool", "false",
           "Leave out values of magnitude 2^96 and above">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::compress::CompressDialect"];
}

def CompressInsertObservers
    : Pass<"compress-insert-observers", "::mlir::ModuleOp"> {
  let summary = "Observe the values that a recipe quantizes statically";
  let description = [{
    Puts a `compress.observe` behind the definition of each value that
    `compress-annotate` would give a static encoding (`mode = "static"`) with
    the same recipe. It is observed under the name that the encode op would
    carry: the location of the op that reads it and the operand, such as
    `fc1.lhs`, with a number if that is not unique. Names depend on the module
    and the recipe only.

    The recipe is taken as by `compress-annotate`, but stays on the module.

    Example:

    ```mlir
    %r = linalg.matmul ins(%x, %w : tensor<?x64xf32>, ...) ... loc("fc1")
    ```

    becomes

    ```mlir
    compress.observe %x {name = "fc1.lhs"} : tensor<?x64xf32>
    %r = linalg.matmul ins(%x, %w : tensor<?x64xf32>, ...) ... loc("fc1")
    ```
  }];
  let options = [
    Option<"recipe", "recipe", "std::string", "\"\"",
           "JSON file with the recipe; empty: the module attribute "
           "compress.recipe">
  ];
  let dependentDialects = ["::mlir::compress::CompressDialect"];
}

def CompressLegalizeNarrowIntegers
    : Pass<"compress-legalize-narrow-integers", "::mlir::ModuleOp"> {
  let summary = "Hold tensors of integers that do not fill bytes in whole bytes";
  let description = [{
    MLIR has two layouts for a buffer of `i4`: scalar code takes one byte an
    element, vector code packs two. So no tensor of integers of 2 to 7, 9 to 15
    bits and so on may reach bufferization. This pass gives each such tensor the
    next integer type of whole bytes (`i4` to `i8`, `i12` to `i16`), in function
    signatures, calls, structured and unstructured control flow, `tensor` ops,
    `linalg` ops, `ml_program` globals and constants.

    Only the low bits of an element count: what reads an element truncates it
    first. What this pass writes is sign-extended. Scalars (`i4` in registers)
    stay as they are; so do tensors of `i1`.

    `linalg` ops and elementwise ops on such tensors become `linalg.generic`.
    Other ops are an error that names the op.

    Packed data is a matter of encodings: `compress-expand-encodings` must run
    before.

    Example:

    ```mlir
    %w = arith.constant dense<[1, -2]> : tensor<2xi4>
    %e = arith.extsi %w : tensor<2xi4> to tensor<2xi32>
    ```

    becomes

    ```mlir
    %w = arith.constant dense<[1, -2]> : tensor<2xi8>
    %0 = tensor.empty() : tensor<2xi32>
    %e = linalg.generic {...} ins(%w : tensor<2xi8>) outs(%0 : tensor<2xi32>) {
    ^bb0(%in: i8, %out: i32):
      %1 = arith.trunci %in : i8 to i4
      %2 = arith.extsi %1 : i4 to i32
      linalg.yield %2 : i32
    } -> tensor<2xi32>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def CompressLowerObserve : Pass<"compress-lower-observe", "::mlir::ModuleOp"> {
  let summary = "Turn observers into calls, or drop them";
  let description = [{
    In the mode `record`, every `compress.observe` becomes a call of
    `compress_observe_<type>` with the bytes of its name and the tensor, both as
    unranked buffers; `compress-run --calibrate` implements it. In the mode `drop`,
    observers are erased.

    Example: `compress.observe %x {name = "x"} : tensor<?xf32>` becomes

    ```mlir
    %name = arith.constant dense<120> : tensor<1xi8>
    %0 = bufferization.to_buffer %name read_only
      : tensor<1xi8> to memref<1xi8, strided<[?], offset: ?>>
    %1 = memref.cast %0
      : memref<1xi8, strided<[?], offset: ?>> to memref<*xi8>
    %2 = bufferization.to_buffer %x read_only
      : tensor<?xf32> to memref<?xf32, strided<[?], offset: ?>>
    %3 = memref.cast %2
      : memref<?xf32, strided<[?], offset: ?>> to memref<*xf32>
    func.call @compress_observe_f32(%1, %3)
      : (memref<*xi8>, memref<*xf32>) -> ()
    ```
  }];
  let options = [
    Option<"mode", "mode", "::mlir::compress::ObserveMode",
           "::mlir::compress::ObserveMode::Drop", "What observers become",
           [{::llvm::cl::values(
             clEnumValN(::mlir::compress::ObserveMode::Record, "record",
                        "calls of runtime functions"),
             clEnumValN(::mlir::compress::ObserveMode::Drop, "drop",
                        "nothing"))}]>
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::func::FuncDialect", "::mlir::memref::MemRefDialect"
  ];
}

def CompressFoldEncode : Pass<"compress-fold-encode", "ModuleOp"> {
  let summary = "Encode constants at compile time";
  let description = [{
    Replaces `compress.encode` of a constant, and `compress.quantize` of a
    constant with constant parameters, by `compress.constant`. This is lossy as
    the op says; canonicalization never does it.

    Constants are `arith.constant` of `dense` or `dense_resource`, and
    `ml_program.global_load_const` of an immutable global with a value; also
    through `tensor.cast`. Encoded data of some size are `dense_resource` blobs,
    named after the source (its resource key, its global, or its location).
    Equal constants that are encoded alike are encoded once. Source constants
    and private globals that are left without a use are erased, and with them
    their blobs vanish from the output.

    Constants are encoded in parallel on the context's thread pool, each piece
    by piece: beside the source and the result no copy of the tensor exists.
    The result does not depend on the number of threads.

    Errors stand at the encode op: a resource without a blob or with one of the
    wrong size, a type that the encoding does not take, and an activation that
    `compress-annotate` marked static but no calibration has seen.

    With `report`, a remark at each op says how many bytes the constant had and
    has, and the largest and mean absolute error of the elements. This decodes
    the constant, so it takes the memory of one more copy.

    Example:

    ```mlir
    %w = arith.constant dense<[[1.0, -7.0]]> : tensor<1x2xf32>
    %e = compress.encode %w
      : tensor<1x2xf32> to tensor<1x2xf32, #compress.affine<i4>>
    ```

    becomes

    ```mlir
    %e = compress.constant #compress.encoded<[
      dense<-111> : tensor<1x1xi8>, dense<1.0> : tensor<f32>]>
      : tensor<1x2xf32, #compress.affine<i4>>
    ```
  }];
  let options = [
    Option<"report", "report", "bool", "false",
           "Emit a remark for each constant with its sizes and errors">
  ];
  let dependentDialects = ["::mlir::compress::CompressDialect",
                           "::mlir::tensor::TensorDialect"];
}

def CompressVerify : Pass<"compress-verify"> {
  let summary = "Verify that encoded tensors occur only where they may";
  let description = [{
    Checks rule 5 of the dialect on everything inside the op that it runs on:
    only `compress` ops create values of encoded type; other ops forward them
    (region and branch ops, calls, `arith.select` on an `i1`, `ml_program` global
    loads, `tensor.cast` within the same encoding) or read them (`linalg`
    inputs, the `linalg.pack` source, `tensor` readers with a dense result,
    `tosa` operands). Encoded types must be legal and encoded constants
    readable: blobs present, of the right size, scales positive and finite.

    Every error stands at the offending op and says what to do instead. The
    same check runs in every verifier call below an op with the attribute
    `compress.strict`.

    Example: this is refused, since a stock pass could invent codes for `%init`.

    ```mlir
    %init = tensor.empty() : tensor<4x4xf32, #compress.affine<i8>>
    // error: 'tensor.empty' op must not create a value of encoded type ...
    ```
  }];
}

def CompressSetTarget : Pass<"compress-set-target", "::mlir::ModuleOp"> {
  let summary = "Say which CPU the module is compiled for";
  let description = [{
    Sets the module attribute `compress.target`, a `#compress.target`, which is
    all that later passes know of the machine.

    It starts from the CPU `cpu`: `host` is the machine that compiles, with the
    features, caches and cores that it has; another name is an x86-64 CPU of
    LLVM, with the features of its model, typical caches, and one core. Without
    `cpu` it starts from the attribute that is there, completed by the features
    that its features imply, or from `host` if there is none. The other options
    change what it started from. So without options the pass does not change a
    complete target, and running it twice is running it once.

    An unknown CPU or feature, in an option or the attribute, and a negative
    size are errors.

    With `cpu=x86-64-v2 features=+avx cores=4`

    ```mlir
    module {}
    ```

    becomes

    ```mlir
    module attributes {compress.target = #compress.target<cpu = "x86-64-v2",
      features = "avx,cmov,crc32,cx16,cx8,fxsr,mmx,popcnt,sahf,sse,sse2,sse3,sse4.1,sse4.2,ssse3,x87",
      cores = 4>} {}
    ```
  }];
  let options = [
    Option<"cpu", "cpu", "std::string", /*default=*/"",
           "LLVM's name of the CPU, or 'host'">,
    Option<"features", "features", "std::string", /*default=*/"",
           "Features to add or remove, e.g. +avx2,-fma">,
    Option<"l1d", "l1d", "int64_t", /*default=*/"0",
           "Bytes of the first data cache of a core (0: not changed)">,
    Option<"l2", "l2", "int64_t", /*default=*/"0",
           "Bytes of the second cache of a core (0: not changed)">,
    Option<"l3", "l3", "int64_t", /*default=*/"0",
           "Bytes of the third cache (0: not changed)">,
    Option<"cores", "cores", "int64_t", /*default=*/"0",
           "Cores to use (1: no threads; 0: not changed)">
  ];
  let dependentDialects = ["::mlir::compress::CompressDialect"];
}

def CompressSelectStrategy : Pass<"compress-select-strategy"> {
  let summary = "Decide how each op with encoded operands is lowered";
  let description = [{
    Sets `compress.strategy` on every `linalg` op with encoded inputs that has
    none; nothing else decides, and an attribute given by hand stays.

    The choice is `portable` where the op is a sum of products of two operands
    and each encoded one is affine with scales that do not vary within a sliding
    window, in blocks of at least 8 elements along a reduction, and `decode`
    otherwise. `tile` is set where an encoded operand is
    larger than 64 Ki elements, so that no whole unpacked or decoded copy of it
    is ever made.

    ```mlir
    %r = linalg.matmul {compress.strategy = #compress.strategy<exit = portable>}
      ins(%x, %w : tensor<4x8xf32>, tensor<8x16xf32, #compress.affine<i8>>)
      outs(%zero : tensor<4x16xf32>) -> tensor<4x16xf32>
    ```

    With `native` every sum of products, also of dense floats, first gets
    `native` with the tile kernel and the tile that an estimate of cycles finds
    fastest on the module's `compress.target`, and as many threads as its cores
    unless the work is too little; a remark says why where no kernel fits.
  }];
  let options = [
    Option<"native", "native", "bool", /*default=*/"false",
           "Use the tile kernels of the module's compress.target">
  ];
}

def CompressIntegrateQDQ : Pass<"compress-integrate-qdq"> {
  let summary = "Turn quantize/dequantize chains into encoded operands";
  let description = [{
    Finds quantization however it is written and lets contractions read encoded
    values:

    * ops and types of the quant dialect, as `convert-quant-to-compress` does;
    * quantize and dequantize spelled out as elementwise `linalg.generic`
      (`convert(clamp(roundeven(x / s) + zp))`, `(float(q) - zp) * s`), per tensor
      or per axis, with constant f32 scales;
    * `compress.fake_quant`, which becomes quantize (or encode) and decode;
    * `compress.decode` in front of a sum of products (a matmul, convolution, or
      generic of that form), whose operand becomes the encoded value, also
      through a transpose, a reshape or padding with zeros (8-bit codes and
      wider, if the decode has no other use).

    Run it before elementwise fusion, which would hide these forms. Nothing here
    removes a loss: quantize and decode stay in pairs.

    ```mlir
    %e = compress.quantize %x, %s : tensor<4x8xf32>, tensor<f32>
      to tensor<4x8xf32, #compress.affine<i8>>
    %d = compress.decode %e : ... -> tensor<4x8xf32>
    %r = linalg.matmul ins(%d, %w : tensor<4x8xf32>, tensor<8x2xf32>) ...
    ```

    becomes

    ```mlir
    %r = linalg.matmul ins(%e, %w : tensor<4x8xf32, #compress.affine<i8>>,
                                    tensor<8x2xf32>) ...
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::compress::CompressDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

#endif // COMPRESS_TRANSFORMS_PASSES_TD
