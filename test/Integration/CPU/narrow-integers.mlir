// Tensors of integers that do not fill bytes, executed: every element is where
// it was put, whatever mix of scalar and vector code reads it.

// RUN: compress-run %s --entry=main --print | FileCheck %s
// RUN: compress-run %s --entry=main --print --jit-opt-level=0 | FileCheck %s

// CHECK:      result #0: 4xi32 = [1, -2, 3, -4]
// CHECK-NEXT: result #1: 4xi32 = [1, 14, 3, 12]
// CHECK-NEXT: result #2: 2x2xi32 = {{\[}}[-33, 3], [64, -62]]
// CHECK-NEXT: result #3: 4xi32 = [-7, -2, 3, -4]
// CHECK-NEXT: result #4: 3xi32 = [-2048, 2047, -1]

ml_program.global private @w(dense<[1, -2, 3, -4]> : tensor<4xi4>) : tensor<4xi4>

func.func private @through(%w: tensor<4xi4>, %n: index) -> tensor<4xi4> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %w) -> tensor<4xi4> {
    // 1 + 8 wraps to -7, and so for every round but the even ones.
    %e = tensor.extract %x[%c0] : tensor<4xi4>
    %eight = arith.constant -8 : i4
    %s = arith.addi %e, %eight : i4
    %y = tensor.insert %s into %x[%c0] : tensor<4xi4>
    scf.yield %y : tensor<4xi4>
  }
  return %r : tensor<4xi4>
}

func.func @main() -> (tensor<4xi32>, tensor<4xi32>, tensor<2x2xi32>, tensor<4xi32>, tensor<3xi32>) {
  %w = ml_program.global_load @w : tensor<4xi4>
  %0 = arith.extsi %w : tensor<4xi4> to tensor<4xi32>
  %1 = arith.extui %w : tensor<4xi4> to tensor<4xi32>
  %a = arith.constant dense<[[1, -8, 7], [-8, 7, 0]]> : tensor<2x3xi4>
  %b = arith.constant dense<[[-1, 6], [4, -2], [0, -3]]> : tensor<3x2xi4>
  %z = arith.constant dense<[[0, 2], [28, 0]]> : tensor<2x2xi32>
  %2 = linalg.matmul ins(%a, %b : tensor<2x3xi4>, tensor<3x2xi4>) outs(%z : tensor<2x2xi32>) -> tensor<2x2xi32>
  %c3 = arith.constant 3 : index
  %t = call @through(%w, %c3) : (tensor<4xi4>, index) -> tensor<4xi4>
  %3 = arith.extsi %t : tensor<4xi4> to tensor<4xi32>
  %c = arith.constant dense<[-2048, 2047, -1]> : tensor<3xi12>
  %4 = arith.extsi %c : tensor<3xi12> to tensor<3xi32>
  return %0, %1, %2, %3, %4 : tensor<4xi32>, tensor<4xi32>, tensor<2x2xi32>, tensor<4xi32>, tensor<3xi32>
}
