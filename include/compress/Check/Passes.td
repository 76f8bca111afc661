//===- Passes.td - Passes of the compress_check dialect ----*- tablegen -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_CHECK_PASSES_TD
#define COMPRESS_CHECK_PASSES_TD

include "mlir/Pass/PassBase.td"

def CompressLowerChecks : Pass<"compress-lower-checks"> {
  let summary = "Turn expectations of test programs into assertions";
  let description = [{
    Every `compress_check.expect_eq` and `compress_check.expect_close` becomes a
    `linalg` reduction that counts the elements that differ, and a `cf.assert`
    that there are none. Dynamic sizes are compared first. The message of the
    assertion names the place of the op in the source file.
    `compress_check.hide` becomes its operand.

    A program without such ops is left as it is. Run it after the compress passes
    and before bufferization.

    Example:

    ```mlir
    compress_check.expect_eq %y, %e : tensor<4xi8> loc("test.mlir":7:3)
    ```

    becomes

    ```mlir
    %zero = arith.constant dense<0> : tensor<i64>
    %0 = linalg.generic {...} ins(%y, %e : tensor<4xi8>, tensor<4xi8>)
        outs(%zero : tensor<i64>) {
    ^bb0(%a: i8, %b: i8, %count: i64):
      %equal = arith.cmpi eq, %a, %b : i8
      %one_more = arith.addi %count, %c1 : i64
      %next = arith.select %equal, %count, %one_more : i64
      linalg.yield %next : i64
    } -> tensor<i64>
    %count = tensor.extract %0[] : tensor<i64>
    %none = arith.cmpi eq, %count, %c0 : i64
    cf.assert %none, "test.mlir:7:3: expect_eq: elements differ"
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

#endif // COMPRESS_CHECK_PASSES_TD
