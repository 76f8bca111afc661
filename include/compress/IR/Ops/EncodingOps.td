//===- EncodingOps.td - Ops that make and take apart encoded values --*- tablegen -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_IR_OPS_ENCODINGOPS_TD
#define COMPRESS_IR_OPS_ENCODINGOPS_TD

include "compress/IR/CompressAttrs.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Compress_EncodedTensor : Type<
    CPred<"::mlir::compress::isEncoded($_self)">, "encoded tensor",
    "::mlir::RankedTensorType">;

def Compress_DenseTensor : Type<
    And<[CPred<"::llvm::isa<::mlir::RankedTensorType>($_self)">,
         CPred<"!::llvm::cast<::mlir::RankedTensorType>($_self).getEncoding()">]>,
    "ranked tensor without an encoding", "::mlir::RankedTensorType">;

def Compress_ComponentType : Type<
    Or<[CPred<"::llvm::isa<::mlir::RankedTensorType>($_self)">,
        CPred<"::llvm::isa<::mlir::IndexType>($_self)">]>,
    "ranked tensor or index", "::mlir::Type">;

def Compress_DecodeOp : Compress_Op<"decode",
    [Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "The dense tensor that an encoded value denotes";
  let description = [{
    The denoted real numbers, correctly rounded (half to even, once) to the
    logical element type. Numbers beyond its range give infinities.

    It is not folded with the encode or quantize op that made its operand, nor
    with a constant: the first would remove a loss, the second would bring the
    uncompressed tensor back.

    ```mlir
    %d = compress.decode %e
      : tensor<4x8xf32, #compress.affine<i4, block = [1, *]>> -> tensor<4x8xf32>
    ```

    Constraints:
    * (C1) the result type is the operand type without the encoding.
  }];
  let arguments = (ins Compress_EncodedTensor:$encoded);
  let results = (outs Compress_DenseTensor:$result);
  let assemblyFormat = "$encoded attr-dict `:` type($encoded) `->` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    static bool isCompatibleReturnTypes(::mlir::TypeRange inferred,
                                        ::mlir::TypeRange given);
  }];
}

def Compress_AssembleOp : Compress_Op<"assemble", [Pure]> {
  let summary = "An encoded value from its components";
  let description = [{
    Operands are the components in order, each in its logical or its storage
    type. Nothing is checked at run time: components that no encoder would make
    (a scale of zero, a metadata position out of order) denote what the formula
    of the encoding gives for them.

    ```mlir
    %e = compress.assemble %values, %scales : (tensor<4x8xi4>, tensor<4xf32>)
      -> tensor<4x8xf32, #compress.affine<i4, block = [1, *]>>
    ```

    Constraints:
    * (C1) one operand for each component of the result type.
    * (C2) each operand has the logical or the storage type of its component;
      sizes that are dynamic in one of the two agree at run time.
  }];
  let arguments = (ins Variadic<Compress_ComponentType>:$components);
  let results = (outs Compress_EncodedTensor:$result);
  let assemblyFormat = [{
    $components attr-dict `:` functional-type($components, $result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Compress_ComponentOp : Compress_Op<"component", [Pure]> {
  let summary = "One component of an encoded value";
  let description = [{
    The result is the component in its logical type or, for integers below 8
    bits, in its storage type: bytes, each row of the last dimension a
    little-endian bit stream padded to a whole byte.

    ```mlir
    %v = compress.component %e["values"]
      : tensor<4x5xf32, #compress.affine<i4>> -> tensor<4x5xi4>
    %b = compress.component %e["values"]
      : tensor<4x5xf32, #compress.affine<i4>> -> tensor<4x3xi8>
    ```

    Constraints:
    * (C1) the encoding has a component of that name.
    * (C2) the result type is its logical or its storage type.
  }];
  let arguments = (ins Compress_EncodedTensor:$encoded, StrAttr:$name);
  let results = (outs Compress_ComponentType:$result);
  let assemblyFormat = [{
    $encoded `[` $name `]` attr-dict `:` type($encoded) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let extraClassDeclaration = [{
    /// The position of the component in the component list; -1 if the encoding
    /// has none of that name.
    int64_t getComponentIndex();
  }];
}

def Compress_ConstantOp : Compress_Op<"constant",
    [Pure, ConstantLike, AllTypesMatch<["value", "result"]>,
     DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "A constant of an encoded type";
  let description = [{
    ```mlir
    %w = compress.constant #compress.encoded<[
      dense<[1, -7]> : tensor<2xi4>, dense<0.5> : tensor<f32>]>
      : tensor<2xf32, #compress.affine<i4>>
    ```
  }];
  let arguments = (ins Compress_EncodedAttr:$value);
  let results = (outs Compress_EncodedTensor:$result);
  let assemblyFormat = "attr-dict qualified($value)";
  let hasFolder = 1;
}

def Compress_ConvertOp : Compress_Op<"convert", [Pure]> {
  let summary = "A lossless change of encoding";
  let description = [{
    The same denoted numbers in another encoding: a `*` against a written-out
    block size, finer blocks, a wider code or scale type. Refused if some value
    of the operand type could not be represented exactly.

    ```mlir
    %r = compress.convert %e : tensor<4x8xf32, #compress.affine<i4>>
      to tensor<4x8xf32, #compress.affine<i8, block = [1, *]>>
    ```

    Constraints:
    * (C1) operand and result have the same shape and logical element type.
    * (C2) the result encoding can represent every value of the operand type.
  }];
  let arguments = (ins Compress_EncodedTensor:$encoded);
  let results = (outs Compress_EncodedTensor:$result);
  let assemblyFormat = "$encoded attr-dict `:` type($encoded) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // COMPRESS_IR_OPS_ENCODINGOPS_TD
