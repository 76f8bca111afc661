// Zeros that pruning left stay exactly zero under a zero point, so that they
// can still be told from the other weights.

// RUN: compress-run %s
// RUN: compress-run %s --pipeline='builtin.module(compress-lower-checks,inline,canonicalize)'
// RUN: compress-run %s --pipeline='builtin.module(compress-fold-encode,compress-expand-encodings)'

#u8 = #compress.affine<ui8, asymmetric>
#i8 = #compress.affine<i8>
#sparse = #compress.nm<1:4, dim = 0, values = #compress.affine<ui8, asymmetric>>

// The number of elements that are not 0.0.
func.func private @nonzeros(%w: tensor<8xf32>) -> tensor<i64> {
  %zero = arith.constant dense<0> : tensor<i64>
  %n = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%w : tensor<8xf32>) outs(%zero : tensor<i64>) {
  ^bb0(%a: f32, %count: i64):
    %f0 = arith.constant 0.0 : f32
    %different = arith.cmpf une, %a, %f0 : f32
    %one = arith.extui %different : i1 to i64
    %sum = arith.addi %count, %one : i64
    linalg.yield %sum : i64
  } -> tensor<i64>
  return %n : tensor<i64>
}

func.func @main() {
  %c = arith.constant dense<[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, -0.5]> : tensor<8xf32>
  %w = compress_check.hide %c : tensor<8xf32>
  %two = arith.constant dense<2> : tensor<i64>
  %x = arith.constant dense<[[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]]> : tensor<1x8xf32>
  %zero = arith.constant dense<0.0> : tensor<1xf32>

  // Asymmetric, scale 1.5 / 255: 1 * 4 - 0.5 * 8 = 0 within 8 scales.
  %e0 = compress.encode %w : tensor<8xf32> to tensor<8xf32, #u8>
  %d0 = compress.decode %e0 : tensor<8xf32, #u8> -> tensor<8xf32>
  %n0 = call @nonzeros(%d0) : (tensor<8xf32>) -> tensor<i64>
  compress_check.expect_eq %n0, %two : tensor<i64>
  %y0 = linalg.matvec ins(%x, %e0 : tensor<1x8xf32>, tensor<8xf32, #u8>) outs(%zero : tensor<1xf32>) -> tensor<1xf32>
  compress_check.expect_close %y0, %zero {atol = 0.0471} : tensor<1xf32>

  // Symmetric.
  %e1 = compress.encode %w : tensor<8xf32> to tensor<8xf32, #i8>
  %d1 = compress.decode %e1 : tensor<8xf32, #i8> -> tensor<8xf32>
  %n1 = call @nonzeros(%d1) : (tensor<8xf32>) -> tensor<i64>
  compress_check.expect_eq %n1, %two : tensor<i64>
  %y1 = linalg.matvec ins(%x, %e1 : tensor<1x8xf32>, tensor<8xf32, #i8>) outs(%zero : tensor<1xf32>) -> tensor<1xf32>
  compress_check.expect_close %y1, %zero {atol = 0.063} : tensor<1xf32>

  // 1:4 sparse, and the kept values with a zero point.
  %e2 = compress.encode %c : tensor<8xf32> to tensor<8xf32, #sparse>
  %d2 = compress.decode %e2 : tensor<8xf32, #sparse> -> tensor<8xf32>
  %n2 = call @nonzeros(%d2) : (tensor<8xf32>) -> tensor<i64>
  compress_check.expect_eq %n2, %two : tensor<i64>
  %y2 = linalg.matvec ins(%x, %e2 : tensor<1x8xf32>, tensor<8xf32, #sparse>) outs(%zero : tensor<1xf32>) -> tensor<1xf32>
  compress_check.expect_close %y2, %zero {atol = 0.0471} : tensor<1xf32>
  return
}
