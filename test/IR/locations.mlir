// Errors stand at the op of the user, whatever kind of location it has, also
// after a trip through bytecode; they name the op.
// RUN: split-file %s %t
// RUN: not compress-opt %t/rule.mlir -compress-verify 2>&1 | FileCheck %s --check-prefix=RULE
// RULE: {{^.*}}rule.mlir:3:8: error: 'tensor.empty' op must not create a value of encoded type
// RUN: compress-opt %t/rule.mlir -mlir-print-debuginfo -emit-bytecode -o %t/rule.mlirbc
// RUN: not compress-opt %t/rule.mlirbc -compress-verify 2>&1 | FileCheck %s --check-prefix=RULE
// RUN: not compress-opt %t/named.mlir -compress-verify 2>&1 | FileCheck %s --check-prefix=NAMED
// NAMED: error: loc("conv1/Quantize"): 'tensor.empty' op must not create
// NAMED: error: loc(fused["a", "b"]): 'arith.constant' op must not create
// NAMED: {{^.*}}callee.mlir:7:9: error: 'tensor.empty' op must not create
// RUN: not compress-opt %t/type.mlir 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: {{^.*}}type.mlir:1:{{[0-9]+}}: error: 'block' has 2 entries, but the tensor has rank 1
// RUN: not compress-opt %t/split.mlir -split-input-file 2>&1 | FileCheck %s --check-prefix=SPLIT
// SPLIT: {{^.*}}split.mlir:4:{{[0-9]+}}: error: code type 'i1' is out of range
// Nothing has lost its location.
// RUN: compress-opt %t/folds.mlir -canonicalize -cse -mlir-print-debuginfo | FileCheck %s --check-prefix=FOLDS
// FOLDS-NOT: loc(unknown)
// FOLDS: arith.constant dense<[1, -7]>
// FOLDS-NOT: loc(unknown)

//--- rule.mlir
func.func @f() {
  // The op is on the next line.
  %0 = tensor.empty() : tensor<4xf32, #compress.affine<i8>>
  return
}
//--- named.mlir
func.func @f() {
  %0 = tensor.empty() : tensor<4xf32, #compress.affine<i8>> loc("conv1/Quantize")
  %1 = arith.constant dense<0.0> : tensor<4xf32, #compress.affine<i8>> loc(fused["a", "b"])
  %2 = tensor.empty() : tensor<4xf32, #compress.affine<i8>> loc(callsite("callee.mlir":7:9 at "caller.mlir":3:2))
  return
}
//--- type.mlir
func.func private @f(tensor<4xf32, #compress.affine<i8, block = [1, 1]>>)
//--- split.mlir
func.func private @f(tensor<4xf32, #compress.affine<i8>>)

// -----
func.func private @g(tensor<4xf32, #compress.affine<i1>>)
//--- folds.mlir
func.func @f() -> tensor<2xi4> {
  %e = compress.constant #compress.encoded<[
    dense<[1, -7]> : tensor<2xi4>, dense<0.5> : tensor<f32>]>
    : tensor<2xf32, #compress.affine<i4>>
  %v = compress.component %e["values"] : tensor<2xf32, #compress.affine<i4>> -> tensor<2xi4>
  return %v : tensor<2xi4>
}
