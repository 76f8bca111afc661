//===- QuantizationOps.td - Lossy ops and observation ------*- tablegen -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_IR_OPS_QUANTIZATIONOPS_TD
#define COMPRESS_IR_OPS_QUANTIZATIONOPS_TD

include "compress/IR/Ops/EncodingOps.td"

def Compress_EncodeOp : Compress_Op<"encode", [Pure]> {
  let summary = "Encodes a dense tensor (lossy)";
  let description = [{
    Chooses the parameters of the result encoding from the operand and encodes
    it. On a constant it is folded by `compress-fold-encode`, and only there; on
    a run-time value it is dynamic quantization: `compress.choose_params`
    followed by `compress.quantize`.

    `range` is the rule for the range of values to cover (default
    `#compress.min_max`).

    Lossy: rounding, saturation, NaN and zero-scale rules are those of the
    encoding.

    ```mlir
    %e = compress.encode %x range(#compress.min_max)
      : tensor<?x64xf32> to tensor<?x64xf32, #compress.affine<i8, block = [1, *]>>
    ```

    Constraints:
    * (C1) the operand type is the result type without the encoding.
  }];
  let arguments = (ins Compress_DenseTensor:$input,
                       OptionalAttr<CalibratorAttrInterface>:$range);
  let results = (outs Compress_EncodedTensor:$result);
  let assemblyFormat = [{
    $input (`range` `(` $range^ `)`)? attr-dict `:` type($input) `to` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The given calibrator, or min-max.
    ::mlir::compress::CalibratorAttrInterface getCalibrator();
  }];
}

def Compress_ChooseParamsOp : Compress_Op<"choose_params", [Pure]> {
  let summary = "Quantization parameters from data";
  let description = [{
    Computes the parameters (scales, zero points, ...) with which `input` would
    be encoded as `encoded_type`; results are its parameter components in order.

    ```mlir
    %s, %zp = compress.choose_params %x range(#compress.min_max)
      for tensor<?x64xf32, #compress.affine<ui8, asymmetric, block = [1, *]>>
      : tensor<?x64xf32> -> tensor<?xf32>, tensor<?xi8>
    ```

    Constraints:
    * (C1) `encoded_type` without its encoding is the operand type.
    * (C2) the encoding can encode run-time values.
    * (C3) results are its parameter components, in logical or storage type.
  }];
  let arguments = (ins Compress_DenseTensor:$input,
                       OptionalAttr<CalibratorAttrInterface>:$range,
                       TypeAttrOf<Compress_EncodedTensor>:$encodedType);
  let results = (outs Variadic<Compress_ComponentType>:$params);
  let assemblyFormat = [{
    $input (`range` `(` $range^ `)`)? `for` $encodedType attr-dict
    `:` type($input) `->` type($params)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::compress::CalibratorAttrInterface getCalibrator();
  }];
}

def Compress_QuantizeOp : Compress_Op<"quantize", [Pure]> {
  let summary = "Encodes a dense tensor with given parameters (lossy)";
  let description = [{
    Static quantization: the parameters come from calibration or training.
    `affine`: `saturate(round_half_even(x / scale) + zero_point)`; NaN gives the
    code of zero, infinities saturate. The only fold is
    `quantize(decode(e), parameters of e)` to `e`, for an f32 or f64 tensor.

    ```mlir
    %e = compress.quantize %x, %s, %zp
      : tensor<?x64xf32>, tensor<f32>, tensor<i8>
      to tensor<?x64xf32, #compress.affine<ui8, asymmetric>>
    ```

    Constraints:
    * (C1) the type of `input` is the result type without the encoding.
    * (C2) the encoding can encode run-time values.
    * (C3) `params` are its parameter components in order, in logical or storage
      type.
  }];
  let arguments = (ins Compress_DenseTensor:$input,
                       Variadic<Compress_ComponentType>:$params);
  let results = (outs Compress_EncodedTensor:$result);
  let assemblyFormat = [{
    $input (`,` $params^)? attr-dict `:` type($input) (`,` type($params)^)?
    `to` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Compress_FakeQuantOp : Compress_Op<"fake_quant",
    [Pure, AllTypesMatch<["input", "result"]>]> {
  let summary = "Quantizes and decodes (lossy)";
  let description = [{
    `decode(quantize(input, params))` as one op on dense tensors: what training
    sees of a quantizer. Without parameters they are chosen from the input by
    `range` (default min-max). Never folded away.

    ```mlir
    %y = compress.fake_quant %x, %s as tensor<8x8xf32, #compress.affine<i8>>
      : tensor<8x8xf32>, tensor<f32>
    ```

    Constraints:
    * (C1) `encoded_type` without its encoding is the operand and result type.
    * (C2) the encoding can encode run-time values.
    * (C3) `params` is empty or lists its parameter components in order.
  }];
  let arguments = (ins Compress_DenseTensor:$input,
                       Variadic<Compress_ComponentType>:$params,
                       OptionalAttr<CalibratorAttrInterface>:$range,
                       TypeAttrOf<Compress_EncodedTensor>:$encodedType);
  let results = (outs Compress_DenseTensor:$result);
  let assemblyFormat = [{
    $input (`,` $params^)? (`range` `(` $range^ `)`)? `as` $encodedType attr-dict
    `:` type($input) (`,` type($params)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::compress::CalibratorAttrInterface getCalibrator();
  }];
}

def Compress_ObserveOp : Compress_Op<"observe",
    [MemoryEffects<[MemWrite]>]> {
  let summary = "Records statistics of a value for calibration";
  let description = [{
    Adds the values of `input` to the statistics called `name`: count, NaN and
    infinity counts, smallest and largest finite value, largest magnitude. They
    merge in any order, across runs and machines. `compress-run --calibrate`
    writes them; without a recorder the op does nothing.

    ```mlir
    compress.observe %x {name = "fc1.input"} : tensor<?x64xf32>
    ```
  }];
  let arguments = (ins Compress_DenseTensor:$input, StrAttr:$name);
  let assemblyFormat = "$input attr-dict `:` type($input)";
  let hasVerifier = 1;
}

#endif // COMPRESS_IR_OPS_QUANTIZATIONOPS_TD
