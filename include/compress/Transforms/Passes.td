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

def CompressSelectStrategy : Pass<"compress-select-strategy"> {
  let summary = "Decide how each op with encoded operands is lowered";
  let description = [{
    Sets `compress.strategy` on every `linalg` op with encoded inputs that has
    none; nothing else decides, and an attribute given by hand stays.

    The choice is `portable` where the op is a sum of products of two operands
    and each encoded one is affine with scales that do not vary within a sliding
    window, and `decode` otherwise. `tile` is set where an encoded operand is
    larger than 64 Ki elements, so that no whole unpacked or decoded copy of it
    is ever made.

    ```mlir
    %r = linalg.matmul {compress.strategy = #compress.strategy<exit = portable>}
      ins(%x, %w : tensor<4x8xf32>, tensor<8x16xf32, #compress.affine<i8>>)
      outs(%zero : tensor<4x16xf32>) -> tensor<4x16xf32>
    ```
  }];
}

#endif // COMPRESS_TRANSFORMS_PASSES_TD
