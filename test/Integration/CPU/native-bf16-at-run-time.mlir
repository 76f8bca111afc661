// Right operands of bf16 that only the running program has are packed by pairs,
// as constants are: odd depths, columns that fill no panel, batches, a window.
// All sums are exact, so that they are those of plain loops.

// RUN: compress-opt %s --pass-pipeline='builtin.module(compress-set-target{cpu=znver5},compress-select-strategy{native},compress-lower-contractions)' | FileCheck %s
// CHECK-COUNT-3: compress.tile_contract #compress.float_dot<{{.*}}, element = bf16, isa = avx512_bf16>

// RUN: compress-run %s --target-cpu=x86-64-v3 --print > %t.loops
// RUN: %if avx512_bf16 %{ compress-run %s --target-cpu=x86-64-v4 --target-features=+avx512bf16 --print | diff - %t.loops %}
// RUN: FileCheck %s --check-prefix=NUMBERS --input-file=%t.loops
// NUMBERS: result #0: 1x2xf32 = {{\[\[}}230, 2048
// REQUIRES: x86_64
func.func @main() -> (tensor<1x2xf32>, tensor<2x3x5xf32>, tensor<1x3x2xf32>) {
  %a_known = arith.constant dense<[[1.0, 2.0, 3.0, 4.0, -1.0]]> : tensor<1x5xbf16>
  %b_known = arith.constant dense<[[1.0, 10.0], [100.0, 1000.0], [0.5, 0.25], [7.0, 9.0], [0.5, -1.25]]> : tensor<5x2xbf16>
  %a = compress_check.hide %a_known : tensor<1x5xbf16>
  %b = compress_check.hide %b_known : tensor<5x2xbf16>
  %c0 = arith.constant dense<0.0> : tensor<1x2xf32>
  %y0 = linalg.matmul ins(%a, %b : tensor<1x5xbf16>, tensor<5x2xbf16>) outs(%c0 : tensor<1x2xf32>) -> tensor<1x2xf32>

  %p_known = arith.constant dense<[[[1.0, 2.0, 3.0], [-4.0, 5.0, 6.0], [7.0, -8.0, 9.0]], [[2.0, 2.0, 1.0], [0.0, 1.0, 3.0], [5.0, 5.0, -5.0]]]> : tensor<2x3x3xbf16>
  %q_known = arith.constant dense<[[[1.0, 2.0, 3.0, 4.0, 5.0], [6.0, 7.0, 8.0, 9.0, 10.0], [-1.0, -2.0, -3.0, -4.0, -5.0]], [[11.0, 12.0, 13.0, 14.0, 15.0], [1.0, 0.0, 1.0, 0.0, 1.0], [2.0, 4.0, 8.0, 16.0, 32.0]]]> : tensor<2x3x5xbf16>
  %p = compress_check.hide %p_known : tensor<2x3x3xbf16>
  %q = compress_check.hide %q_known : tensor<2x3x5xbf16>
  %c1 = arith.constant dense<0.0> : tensor<2x3x5xf32>
  %y1 = linalg.batch_matmul ins(%p, %q : tensor<2x3x3xbf16>, tensor<2x3x5xbf16>) outs(%c1 : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>

  %image_known = arith.constant dense<[[[1.0, 2.0, 3.0], [-1.0, 4.0, 0.0], [5.0, 6.0, -7.0], [8.0, 1.0, 2.0]]]> : tensor<1x4x3xbf16>
  %filter_known = arith.constant dense<[[[1.0, 2.0], [3.0, -4.0], [5.0, 6.0]], [[7.0, 8.0], [-9.0, 10.0], [11.0, 12.0]]]> : tensor<2x3x2xbf16>
  %image = compress_check.hide %image_known : tensor<1x4x3xbf16>
  %filter = compress_check.hide %filter_known : tensor<2x3x2xbf16>
  %c2 = arith.constant dense<0.0> : tensor<1x3x2xf32>
  %y2 = linalg.conv_1d_nwc_wcf ins(%image, %filter : tensor<1x4x3xbf16>, tensor<2x3x2xbf16>) outs(%c2 : tensor<1x3x2xf32>) -> tensor<1x3x2xf32>
  return %y0, %y1, %y2 : tensor<1x2xf32>, tensor<2x3x5xf32>, tensor<1x3x2xf32>
}
