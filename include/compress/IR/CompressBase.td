//===- CompressBase.td - The compress dialect --------------*- tablegen -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_IR_COMPRESSBASE_TD
#define COMPRESS_IR_COMPRESSBASE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"

def Compress_Dialect : Dialect {
  let name = "compress";
  let cppNamespace = "::mlir::compress";
  let summary = "Compressed tensors as first-class values";
  let description = [{
    A tensor's type says how the tensor is stored. Shape and element type are
    the logical tensor, what the model means; an encoding attribute on the
    builtin tensor type says how it is represented:

    ```mlir
    // int4 weights, one scale for each 32 of a row.
    tensor<4096x4096xf32, #compress.affine<i4, block = [1, 32]>>
    // 2:4 sparse, the kept values as int8 with one scale a row.
    tensor<64x64xf32, #compress.nm<2:4, dim = 1,
                        values = #compress.affine<i8, block = [1, *]>>>
    ```

    An encoding maps the logical type to an ordered list of named *components*
    (`values`, `scales`, ...). An encoded value denotes real numbers, given
    exactly by its components; `compress.decode` is their correctly rounded
    image in the logical element type.

    Five rules hold everywhere:

    1. A reader of an encoded tensor (a `linalg` input, a `tensor` reader, a
       `tosa` operand) means that op on the denoted values; its result is dense.
    2. Only ops documented as *lossy* may lose information.
    3. No fold removes a loss: `decode(encode(x))` is never `x`.
    4. Every lossy op states its rounding, saturation, NaN and zero-scale
       rules; constant encoders, generated code and the scalar definition in
       `compress/Numerics` agree bit for bit.
    5. Only ops of this dialect create encoded values; others forward or read
       them. The pass `compress-verify` and the attributes below enforce it.

    Discardable attributes:

    * `compress.strict` (unit) on a module or function: rule 5 is checked on
      everything inside whenever the verifier runs, in any tool that has the
      dialect loaded.
    * `compress.encoded` (unit) on a function argument: the argument must be of
      an encoded tensor type. It catches a pass that silently made a dense
      buffer of it.
    * `compress.component` (string) on a function argument or result that
      `compress-expand-encodings` made: which component of the original one it
      is, such as `"values.scales"`.
    * `compress.strategy` on an op with encoded operands: how to lower it.
    * `compress.signature` (type) on a function: its type before the lowering to
      LLVM, for `compress-run`.
    * `compress.recipe` on a module: what `compress-annotate` does.
    * `compress.target` on a module: the CPU that it is compiled for.
    * `compress.calibration` (string) on `compress.encode`: the name of the
      tensor whose calibrated range the op waits for.
    * `compress.threads` (`i64`) on `scf.forall`: the number of threads that
      `compress-lower-parallel-loops` gives it.

    Any other `compress.` attribute on an op is refused.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void addBytecodeInterface();

    static constexpr StringLiteral kStrictAttrName = "compress.strict";
    static constexpr StringLiteral kEncodedAttrName = "compress.encoded";
    static constexpr StringLiteral kComponentAttrName = "compress.component";
    static constexpr StringLiteral kStrategyAttrName = "compress.strategy";
    static constexpr StringLiteral kRecipeAttrName = "compress.recipe";
    static constexpr StringLiteral kSignatureAttrName = "compress.signature";
    static constexpr StringLiteral kTargetAttrName = "compress.target";
    static constexpr StringLiteral kThreadsAttrName = "compress.threads";
    static constexpr StringLiteral kCalibrationAttrName =
        "compress.calibration";
  }];
}

class Compress_Op<string mnemonic, list<Trait> traits = []>
    : Op<Compress_Dialect, mnemonic, traits>;

class Compress_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Compress_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

#endif // COMPRESS_IR_COMPRESSBASE_TD
