// RUN: compress-translate --compress-storage-report %s | FileCheck %s

// A global: a byte of codes, a scale.
// CHECK: "dense_bytes": 8
// CHECK: "stored_bytes": 5
// Every component counts, padding too: 2 rows of 3 bytes of codes, 2 scales.
// CHECK: "dense_bytes": 40
// CHECK-NEXT: "location": "fc1.weight"
// CHECK-NEXT: "stored_bytes": 14
// CHECK: "dense_bytes": 16
// CHECK-NEXT: "location": "fc1.bias"
// CHECK-NEXT: "stored_bytes": 16
// 8 stored values of i8, a scale, and 8 positions of 2 bits.
// CHECK: "dense_bytes": 64
// CHECK-NEXT: "location": "{{.*}}storage-report.mlir:28"
// CHECK-NEXT: "stored_bytes": 14
// CHECK: "dense_bytes": 128
// CHECK-NEXT: "stored_bytes": 49
#rows = #compress.affine<i4, block = [1, *]>
#sparse = #compress.nm<2:4, dim = 0, values = #compress.affine<i8>>

ml_program.global private @w(#compress.encoded<[dense<[1, -7]> : tensor<2xi4>, dense<0.5> : tensor<f32>]> : tensor<2xf32, #compress.affine<i4>>) : tensor<2xf32, #compress.affine<i4>>

func.func @f() {
  %w = compress.constant #compress.encoded<[dense<1> : tensor<2x5xi4>, dense<0.5> : tensor<2xf32>]> : tensor<2x5xf32, #rows> loc("fc1.weight")
  %b = arith.constant dense<0.0> : tensor<4xf32> loc("fc1.bias")
  %i = arith.constant 3 : index
  %s = compress.constant #compress.encoded<[#compress.encoded<[dense<1> : tensor<8xi8>, dense<0.5> : tensor<f32>]> : tensor<8xf32, #compress.affine<i8>>, dense<[0, 1, 0, 1, 2, 3, 1, 2]> : tensor<8xi2>]> : tensor<16xf32, #sparse>
  return
}
