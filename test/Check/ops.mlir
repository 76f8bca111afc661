// The ops round trip and survive the passes that fold and erase.

// RUN: compress-opt %s | compress-opt | FileCheck %s
// RUN: compress-opt %s --mlir-print-op-generic | compress-opt | FileCheck %s
// RUN: compress-opt %s --emit-bytecode | compress-opt | FileCheck %s
// RUN: compress-opt %s --canonicalize --cse --sccp --loop-invariant-code-motion --inline | FileCheck %s --check-prefixes=CHECK,KEPT

// CHECK-LABEL: func @checks
// CHECK: compress_check.expect_eq %{{.*}}, %{{.*}} : tensor<?x4xi4>
// CHECK: compress_check.expect_close %{{.*}}, %{{.*}} {atol = 1.000000e-03 : f64, ulps = 2 : i64} : tensor<f32>
func.func @checks(%a: tensor<?x4xi4>, %b: tensor<?x4xi4>, %c: tensor<f32>) {
  compress_check.expect_eq %a, %b : tensor<?x4xi4>
  compress_check.expect_close %c, %c {ulps = 2, atol = 1.0e-3} : tensor<f32>
  return
}

// A constant behind hide is not folded, and two hidden values stay two.
// CHECK-LABEL: func @hide
// KEPT: compress_check.hide
// KEPT: compress_check.hide
// KEPT: arith.addi
func.func @hide() -> i32 {
  %c = arith.constant 1 : i32
  %x = compress_check.hide %c : i32
  %y = compress_check.hide %c : i32
  %z = arith.addi %x, %y : i32
  return %z : i32
}

// Encoding a hidden constant is left to the run time.
// RUN: compress-opt %s --compress-fold-encode | FileCheck %s --check-prefix=FOLD
// FOLD-LABEL: func @encode
// FOLD: compress.encode %{{.*}} : tensor<2xf32> to
func.func @encode() -> tensor<2xf32, #compress.affine<i8>> {
  %c = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %x = compress_check.hide %c : tensor<2xf32>
  %e = compress.encode %x : tensor<2xf32> to tensor<2xf32, #compress.affine<i8>>
  return %e : tensor<2xf32, #compress.affine<i8>>
}
