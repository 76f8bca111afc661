// RUN: compress-opt %s -compress-fold-encode=report -verify-diagnostics | FileCheck %s

// The report does not change the result, and leaves no decoded copy behind.
// CHECK-NOT: decoded

func.func @f() -> (tensor<4xf32, #compress.affine<i8>>, tensor<2x64xf16, #compress.affine<i4, block = [1, 32]>>) {
  // 1/3 is code 42 of scale 1/127: off by 1/3 - 42/127, in f32, and so
  // is its opposite; the mean over the three numbers is two thirds of that.
  %w = arith.constant dense<[1.0, 0.333333343, -0.333333343, 0x7F800000]> : tensor<4xf32> loc("head")
  // expected-remark @+1 {{encoded 'head' as #compress.affine<i8>: 16 bytes to 8, error max 2.624691e-03 mean 1.749794e-03 (1 NaN or infinite values left out)}}
  %e = compress.encode %w : tensor<4xf32> to tensor<4xf32, #compress.affine<i8>>
  %w1 = arith.constant dense<3.5> : tensor<2x64xf16>
  // 64 bytes of codes, 4 scales of 4 bytes.
  // expected-remark @+1 {{encoded 'encoded' as #compress.affine<i4, block = [1, 32]>: 256 bytes to 80, error max 0.000000e+00 mean 0.000000e+00}}
  %e1 = compress.encode %w1 : tensor<2x64xf16> to tensor<2x64xf16, #compress.affine<i4, block = [1, 32]>>
  return %e, %e1 : tensor<4xf32, #compress.affine<i8>>, tensor<2x64xf16, #compress.affine<i4, block = [1, 32]>>
}
