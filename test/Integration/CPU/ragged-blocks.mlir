// A row of 40 codes in blocks of 32: the last block is padded to 32, so the
// second row starts after 64 codes, not after 40. x[k] = (k mod 7) - 3; all
// numbers are multiples of 1/8, the result is exact.

// RUN: compress-run %s
// RUN: compress-run %s --jit-opt-level=0
// RUN: sed 's/exit = portable/exit = decode/' %s | compress-run
// RUN: sed 's/exit = portable/exit = decode, tile = 1/' %s | compress-run
// RUN: compress-run %s --pipeline='builtin.module(compress-expand-encodings)'

#w = #compress.affine<ui4, asymmetric, block = [1, 32]>
#portable = #compress.strategy<exit = portable>

func.func @main() {
  %x = arith.constant dense<[[-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0,
      -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0,
      -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, -3.0, -2.0, -1.0, 0.0, 1.0]]> : tensor<1x40xf32>
  %codes = arith.constant dense<[
    [12, 15, 5, 0, 3, 11, 3, 7, 9, 3, 5, 2, 4, 7, 6, 8, 8, 12, 10, 1, 6, 7, 7, 14, 8, 1, 5, 9, 13, 8, 9, 4,
     3, 0, 3, 5, 14, 15, 15, 0, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8],
    [7, 12, 2, 0, 0, 4, 5, 5, 6, 8, 4, 1, 15, 4, 9, 10, 10, 15, 8, 1, 1, 7, 9, 9, 3, 6, 7, 11, 14, 2, 11, 0,
     14, 3, 5, 12, 9, 10, 4, 11, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8]]> : tensor<2x64xi4>
  %points = arith.constant dense<[[8, 3], [5, 12]]> : tensor<2x2xi4>
  %scales = arith.constant dense<[[0.5, 0.25], [0.125, 1.0]]> : tensor<2x2xf32>
  %v = compress_check.hide %codes : tensor<2x64xi4>
  %z = compress_check.hide %points : tensor<2x2xi4>
  %s = compress_check.hide %scales : tensor<2x2xf32>
  %xh = compress_check.hide %x : tensor<1x40xf32>
  %w = compress.assemble %v, %s, %z : (tensor<2x64xi4>, tensor<2x2xf32>, tensor<2x2xi4>) -> tensor<2x40xf32, #w>
  %zero = arith.constant dense<0.0> : tensor<1x2xf32>
  %y = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      {compress.strategy = #portable}
      ins(%xh, %w : tensor<1x40xf32>, tensor<2x40xf32, #w>) outs(%zero : tensor<1x2xf32>) -> tensor<1x2xf32>
  %expected = arith.constant dense<[[-55.75, -40.25]]> : tensor<1x2xf32>
  compress_check.expect_eq %y, %expected : tensor<1x2xf32>

  // Integers on both sides: x is its own code.
  %xe = compress.encode %xh range(#compress.min_max) : tensor<1x40xf32> to tensor<1x40xf32, #compress.affine<i3>>
  %y3 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      {compress.strategy = #portable}
      ins(%xe, %w : tensor<1x40xf32, #compress.affine<i3>>, tensor<2x40xf32, #w>) outs(%zero : tensor<1x2xf32>) -> tensor<1x2xf32>
  compress_check.expect_eq %y3, %expected : tensor<1x2xf32>
  return
}
