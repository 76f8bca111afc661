//===- CheckOps.td - Expectations in test programs ---------*- tablegen -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dialect for test programs: what a computation must give stands beside it, in
// the IR, and is checked where the program runs. No product pass makes these
// ops.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_CHECK_CHECKOPS_TD
#define COMPRESS_CHECK_CHECKOPS_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def CompressCheck_Dialect : Dialect {
  let name = "compress_check";
  let cppNamespace = "::mlir::compress::check";
  let summary = "Expectations of test programs";
  let description = [{
    `expect_eq` and `expect_close` compare two tensors when the program runs and
    stop it with a message that names the op's place in the file. `hide` keeps
    constants from being folded, so that a test sees what the generated code does
    and not what the compiler computed.

    `compress-lower-checks` turns them into `linalg` and `cf.assert`; it is a part
    of `compress-to-llvm`, so `compress-run` runs programs that have them.
  }];
  let extraClassDeclaration = [{
    void addInterfaces();
  }];
}

class CompressCheck_Op<string mnemonic, list<Trait> traits = []>
    : Op<CompressCheck_Dialect, mnemonic, traits>;

def CompressCheck_Tensor : Type<
    CPred<"::mlir::compress::check::isComparableTensor($_self)">,
    "ranked tensor, without an encoding, of signless integers of up to 64 bits, "
    "index, or floats of 8, 16, 32 or 64 bits",
    "::mlir::RankedTensorType">;

def CompressCheck_ExpectEqOp : CompressCheck_Op<"expect_eq",
    [MemoryEffects<[MemWrite]>, AllTypesMatch<["actual", "expected"]>]> {
  let summary = "Stops the program unless two tensors are equal bit for bit";
  let description = [{
    Equal means equal shapes and equal bits: 0.0 is not -0.0. Any NaN equals any
    NaN, since no operation defines the payload of its result. Tensors without
    elements are equal.

    ```mlir
    compress_check.expect_eq %y, %expected : tensor<?x4xf32>
    ```
  }];
  let arguments = (ins CompressCheck_Tensor:$actual,
                       CompressCheck_Tensor:$expected);
  let assemblyFormat = "$actual `,` $expected attr-dict `:` type($actual)";
}

def CompressCheck_ExpectCloseOp : CompressCheck_Op<"expect_close",
    [MemoryEffects<[MemWrite]>, AllTypesMatch<["actual", "expected"]>]> {
  let summary = "Stops the program unless two tensors are about equal";
  let description = [{
    The shapes are equal, and each pair of elements is equal as numbers, both are
    NaN, or both are finite and one of the given tolerances holds:

    * `ulps`: at most that many steps from one number of the type to the next
      (-0.0 and 0.0 are one number);
    * `atol`, `rtol`: `|actual - expected| <= atol + rtol * |expected|`, in f64;
      the one that is not given is 0.

    An infinity is close to itself only.

    ```mlir
    compress_check.expect_close %y, %expected {ulps = 2, atol = 1.0e-6}
      : tensor<4xf32>
    ```

    Constraints:
    * (C1) the elements are f16, bf16, f32 or f64, or integers of up to 32 bits,
      which are taken as signed.
    * (C2) at least one tolerance is given; tolerances are finite and not
      negative.
    * (C3) integers have no `ulps`.
  }];
  let arguments = (ins CompressCheck_Tensor:$actual,
                       CompressCheck_Tensor:$expected,
                       OptionalAttr<I64Attr>:$ulps,
                       OptionalAttr<F64Attr>:$atol,
                       OptionalAttr<F64Attr>:$rtol);
  let assemblyFormat = "$actual `,` $expected attr-dict `:` type($actual)";
  let hasVerifier = 1;
}

def CompressCheck_HideOp : CompressCheck_Op<"hide",
    [MemoryEffects<[MemWrite]>, AllTypesMatch<["input", "result"]>]> {
  let summary = "The operand, but no pass knows its value";
  let description = [{
    A constant behind it is a run-time value for `compress-fold-encode`,
    canonicalization, CSE and recipes until `compress-lower-checks` replaces the
    op by its operand, after all compress passes. What LLVM makes of the constant
    is another matter; an argument of the function that is run hides a value from
    LLVM too.

    ```mlir
    %x = compress_check.hide %constant : tensor<4xf32>
    ```

    Constraints:
    * (C1) the type is no encoded tensor type: only ops of the compress dialect
      make values of these.
  }];
  let arguments = (ins AnyType:$input);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
  let hasVerifier = 1;
}

#endif // COMPRESS_CHECK_CHECKOPS_TD
