// RUN: compress-opt %s --compress-lower-contractions --split-input-file --verify-diagnostics | FileCheck %s

#sparse = #compress.nm<2:4, dim = 0, values = #compress.affine<i8, block = [*, 1]>>

// Tiles of the output channels; no decoded copy of the whole weight.
// CHECK-LABEL: func @tiles
// CHECK-NOT: tensor<4096x4096xf32>
// CHECK: scf.for
// CHECK: linalg.matmul {{.*}} tensor<4096x16xf32>
// CHECK: tensor.insert_slice
func.func @tiles(%a: tensor<4x4096xf32>, %w: tensor<4096x4096xf32, #sparse>, %c: tensor<4x4096xf32>) -> tensor<4x4096xf32> {
  // expected-remark @+1 {{encoded operands are decoded by tiles and the op is computed in floating point: operand #1 has an encoding that is not of integer codes}}
  %r = linalg.matmul ins(%a, %w : tensor<4x4096xf32>, tensor<4096x4096xf32, #sparse>) outs(%c : tensor<4x4096xf32>) -> tensor<4x4096xf32>
  return %r : tensor<4x4096xf32>
}

// -----

// Any op with encoded inputs works.
// CHECK-LABEL: func @elementwise
// CHECK: %[[D:.*]] = compress.decode %arg0
// CHECK: linalg.exp ins(%[[D]] : tensor<4xf32>)
func.func @elementwise(%a: tensor<4xf32, #compress.affine<i8>>, %c: tensor<4xf32>) -> tensor<4xf32> {
  // expected-remark @+1 {{encoded operands are decoded whole and the op is computed in floating point: it is not a sum of products of two operands}}
  %r = linalg.exp ins(%a : tensor<4xf32, #compress.affine<i8>>) outs(%c : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// A strategy that cannot work is refused.
func.func @wrong_strategy(%a: tensor<4xf32, #compress.affine<i8>>, %c: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{cannot take the portable exit: it is not a sum of products of two operands; use exit = decode}}
  %r = linalg.exp {compress.strategy = #compress.strategy<exit = portable>} ins(%a : tensor<4xf32, #compress.affine<i8>>) outs(%c : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
