// Weights of 1e-7: input scale times weight scale is 4e-10, so a bias of 5 in
// that unit has 1e10 steps, more than 32 bits. The bias stays a float here, and
// 5 comes out as 5.

// RUN: compress-run %s
// RUN: compress-run %s --pipeline='builtin.module(compress-lower-checks,inline,canonicalize)'
// RUN: compress-opt %s --compress-lower-checks --compress-integrate-qdq --compress-fold-encode | FileCheck %s
// CHECK: dense<7.87401{{[0-9]*}}E-10> : tensor<f32>

func.func @main() {
  %x = arith.constant dense<0.0> : tensor<1x4xf32>
  %xh = compress_check.hide %x : tensor<1x4xf32>
  %half = arith.constant dense<0.5> : tensor<f32>
  %xq = compress.quantize %xh, %half : tensor<1x4xf32>, tensor<f32> to tensor<1x4xf32, #compress.affine<i8>>
  %w = arith.constant dense<[[1.0e-7, -1.0e-7], [5.0e-8, 2.0e-8], [-1.0e-7, 1.0e-7], [3.0e-8, -7.0e-8]]> : tensor<4x2xf32>
  %we = compress.encode %w : tensor<4x2xf32> to tensor<4x2xf32, #compress.affine<i8>>
  %bias = arith.constant dense<[[5.0, -4.5]]> : tensor<1x2xf32>
  %y = linalg.matmul ins(%xq, %we : tensor<1x4xf32, #compress.affine<i8>>, tensor<4x2xf32, #compress.affine<i8>>)
      outs(%bias : tensor<1x2xf32>) -> tensor<1x2xf32>
  compress_check.expect_eq %y, %bias : tensor<1x2xf32>

  // The same with the bias added behind.
  %zero = arith.constant dense<0.0> : tensor<1x2xf32>
  %p = linalg.matmul ins(%xq, %we : tensor<1x4xf32, #compress.affine<i8>>, tensor<4x2xf32, #compress.affine<i8>>)
      outs(%zero : tensor<1x2xf32>) -> tensor<1x2xf32>
  %sum = arith.addf %p, %bias : tensor<1x2xf32>
  compress_check.expect_eq %sum, %bias : tensor<1x2xf32>

  // And an input that is not zero: 64 * 1e-7 beside 5.
  %c = arith.constant dense<[[63.5, 0.0, 0.0, 0.0]]> : tensor<1x4xf32>
  %ch = compress_check.hide %c : tensor<1x4xf32>
  %cq = compress.quantize %ch, %half : tensor<1x4xf32>, tensor<f32> to tensor<1x4xf32, #compress.affine<i8>>
  %r = linalg.matmul ins(%cq, %we : tensor<1x4xf32, #compress.affine<i8>>, tensor<4x2xf32, #compress.affine<i8>>)
      outs(%zero : tensor<1x2xf32>) -> tensor<1x2xf32>
  %e = arith.constant dense<[[6.35e-6, -6.35e-6]]> : tensor<1x2xf32>
  compress_check.expect_close %r, %e {rtol = 1.0e-6} : tensor<1x2xf32>
  return
}
