// Results of f16 and bf16 by tile kernels: the sum in f32, rounded once, with an
// initial value of that type.

// RUN: compress-run %s
// RUN: compress-run %s --target-cpu=x86-64
// RUN: %if avx2 %{ compress-run %s --target-cpu=x86-64-v3 %}
// RUN: %if avx512f %{ compress-run %s --target-cpu=x86-64-v4 %}

#i8 = #compress.affine<i8>
#column = #compress.affine<i8, block = [*, 1]>
#blocks = #compress.affine<i4, block = [8, 1]>

// Sixteen times 100 * 3 and 3 * 3, times 1/8, plus 1: 601 and 19. Neighbours of
// 601 in bf16 are 600 and 604.
func.func @main() {
  %c = arith.constant dense<100> : tensor<1x16xi8>
  %d = arith.constant dense<3> : tensor<1x16xi8>
  %rows = tensor.concat dim(0) %c, %d, %d : (tensor<1x16xi8>, tensor<1x16xi8>, tensor<1x16xi8>) -> tensor<3x16xi8>
  %h = compress_check.hide %rows : tensor<3x16xi8>
  %one = arith.constant dense<1.0> : tensor<f32>

  %x_f16 = compress.assemble %h, %one : (tensor<3x16xi8>, tensor<f32>) -> tensor<3x16xf16, #i8>
  %w_f16 = compress.constant #compress.encoded<[dense<3> : tensor<16x5xi8>, dense<0.125> : tensor<5xf32>]> : tensor<16x5xf16, #column>
  %b_f16 = compress.constant #compress.encoded<[dense<3> : tensor<16x5xi4>, dense<0.125> : tensor<2x5xf32>]> : tensor<16x5xf16, #blocks>
  %i_f16 = arith.constant dense<1.0> : tensor<3x5xf16>
  %e_f16 = arith.constant dense<[[601.0, 601.0, 601.0, 601.0, 601.0], [19.0, 19.0, 19.0, 19.0, 19.0], [19.0, 19.0, 19.0, 19.0, 19.0]]> : tensor<3x5xf16>
  %r_f16 = linalg.matmul ins(%x_f16, %w_f16 : tensor<3x16xf16, #i8>, tensor<16x5xf16, #column>) outs(%i_f16 : tensor<3x5xf16>) -> tensor<3x5xf16>
  compress_check.expect_eq %r_f16, %e_f16 : tensor<3x5xf16>
  %s_f16 = linalg.matmul ins(%x_f16, %b_f16 : tensor<3x16xf16, #i8>, tensor<16x5xf16, #blocks>) outs(%i_f16 : tensor<3x5xf16>) -> tensor<3x5xf16>
  compress_check.expect_eq %s_f16, %e_f16 : tensor<3x5xf16>

  %x_bf16 = compress.assemble %h, %one : (tensor<3x16xi8>, tensor<f32>) -> tensor<3x16xbf16, #i8>
  %w_bf16 = compress.constant #compress.encoded<[dense<3> : tensor<16x5xi8>, dense<0.125> : tensor<5xf32>]> : tensor<16x5xbf16, #column>
  %b_bf16 = compress.constant #compress.encoded<[dense<3> : tensor<16x5xi4>, dense<0.125> : tensor<2x5xf32>]> : tensor<16x5xbf16, #blocks>
  %i_bf16 = arith.constant dense<1.0> : tensor<3x5xbf16>
  %e_bf16 = arith.constant dense<[[600.0, 600.0, 600.0, 600.0, 600.0], [19.0, 19.0, 19.0, 19.0, 19.0], [19.0, 19.0, 19.0, 19.0, 19.0]]> : tensor<3x5xbf16>
  %r_bf16 = linalg.matmul ins(%x_bf16, %w_bf16 : tensor<3x16xbf16, #i8>, tensor<16x5xbf16, #column>) outs(%i_bf16 : tensor<3x5xbf16>) -> tensor<3x5xbf16>
  compress_check.expect_eq %r_bf16, %e_bf16 : tensor<3x5xbf16>
  %s_bf16 = linalg.matmul ins(%x_bf16, %b_bf16 : tensor<3x16xbf16, #i8>, tensor<16x5xbf16, #blocks>) outs(%i_bf16 : tensor<3x5xbf16>) -> tensor<3x5xbf16>
  compress_check.expect_eq %s_bf16, %e_bf16 : tensor<3x5xbf16>
  return
}
