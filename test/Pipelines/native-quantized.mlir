// A model in floats with a quantized constant weight and activations that are
// quantized on the way: no float copy of the weight, no pair of quantization and
// dequantization, and no integer matrix in memory between them.
// RUN: compress-opt %s --pass-pipeline='builtin.module(compress-set-target{cpu=x86-64-v4},compress-integrate-qdq,compress-select-strategy{native},compress-lower-contractions,canonicalize)' | FileCheck %s
// RUN: compress-opt %s --compress-to-llvm="stop-at-loops=true target-cpu=x86-64-v4" | FileCheck %s --check-prefix=LOOPS

#rows = #compress.affine<i8, block = [1, *]>
#column = #compress.affine<i8, block = [*, 1]>

// CHECK-LABEL: func.func @main(
// CHECK-NOT: compress.encode
// CHECK-NOT: compress.decode
// CHECK-NOT: linalg.matmul
// CHECK: compress.tile_contract #compress.int_dot<{{.*}}> lhs(%{{.*}} : tensor<512x512xf32>) panels(%{{.*}} : tensor<{{[0-9]+x[0-9]+}}xi8>)
// CHECK-SAME: quantize = #
// CHECK-NOT: compress.tile_contract
// CHECK: return
// LOOPS: memref.global {{.*}}xi8>
// LOOPS-NOT: memref.global {{.*}}512x512xf32>
// LOOPS-LABEL: func.func @main(
// LOOPS: memref.alloc() {{.*}} memref<512x512xf32>
// LOOPS-NOT: memref<512x512xi8>
// LOOPS-NOT: memref.alloc() {{.*}} memref<512x512xf32>
// LOOPS: return
func.func @main(%x: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %w = compress.constant #compress.encoded<[dense<3> : tensor<512x512xi8>, dense<0.5> : tensor<512xf32>]> : tensor<512x512xf32, #column>
  %d = compress.decode %w : tensor<512x512xf32, #column> -> tensor<512x512xf32>
  %e = compress.encode %x : tensor<512x512xf32> to tensor<512x512xf32, #rows>
  %f = compress.decode %e : tensor<512x512xf32, #rows> -> tensor<512x512xf32>
  %zero = arith.constant dense<0.0> : tensor<512x512xf32>
  %y = linalg.matmul ins(%f, %d : tensor<512x512xf32>, tensor<512x512xf32>) outs(%zero : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %y : tensor<512x512xf32>
}
