// Unsigned codes and zero points of 128 and more in integer matmuls: neither is
// sign-extended. All routes give (A - 128)(B + 3) exactly.

// RUN: compress-run %s
// RUN: compress-run %s --jit-opt-level=0
// RUN: sed 's/exit = portable/exit = decode/' %s | compress-run
// RUN: compress-run %s --pipeline='builtin.module(compress-integrate-qdq,compress-expand-encodings)'

#a = #compress.affine<ui8, asymmetric>
#b = #compress.affine<i8, asymmetric>
#rows = #compress.affine<ui8, asymmetric, block = [1, *]>
#columns = #compress.affine<i8, asymmetric, block = [*, 1]>
#portable = #compress.strategy<exit = portable>

func.func @main() {
  // u8: 200, 3, 128, 255.
  %c = arith.constant dense<[[-56, 3], [-128, -1]]> : tensor<2x2xi8>
  %w = arith.constant dense<[[1, -128], [127, 5]]> : tensor<2x2xi8>
  %av = compress_check.hide %c : tensor<2x2xi8>
  %bv = compress_check.hide %w : tensor<2x2xi8>
  %one = arith.constant dense<1.0> : tensor<f32>
  %az = arith.constant dense<128> : tensor<i8>
  %bz = arith.constant dense<-3> : tensor<i8>
  %a = compress.assemble %av, %one, %az : (tensor<2x2xi8>, tensor<f32>, tensor<i8>) -> tensor<2x2xf32, #a>
  %b = compress.assemble %bv, %one, %bz : (tensor<2x2xi8>, tensor<f32>, tensor<i8>) -> tensor<2x2xf32, #b>
  %zero = arith.constant dense<0.0> : tensor<2x2xf32>
  %expected = arith.constant dense<[[-15962.0, -10000.0], [16510.0, 1016.0]]> : tensor<2x2xf32>

  // Both at run time.
  %r0 = linalg.matmul {compress.strategy = #portable} ins(%a, %b : tensor<2x2xf32, #a>, tensor<2x2xf32, #b>)
      outs(%zero : tensor<2x2xf32>) -> tensor<2x2xf32>
  compress_check.expect_eq %r0, %expected : tensor<2x2xf32>

  // A constant weight: its sums are constants.
  %k = compress.constant #compress.encoded<[dense<[[1, -128], [127, 5]]> : tensor<2x2xi8>, dense<1.0> : tensor<f32>, dense<-3> : tensor<i8>]> : tensor<2x2xf32, #b>
  %r1 = linalg.matmul {compress.strategy = #portable} ins(%a, %k : tensor<2x2xf32, #a>, tensor<2x2xf32, #b>)
      outs(%zero : tensor<2x2xf32>) -> tensor<2x2xf32>
  compress_check.expect_eq %r1, %expected : tensor<2x2xf32>

  // A zero point for each row of A and each column of B.
  %ones = arith.constant dense<1.0> : tensor<2xf32>
  %azs = arith.constant dense<[128, 255]> : tensor<2xi8>
  %bzs = arith.constant dense<[-3, 127]> : tensor<2xi8>
  %ar = compress.assemble %av, %ones, %azs : (tensor<2x2xi8>, tensor<2xf32>, tensor<2xi8>) -> tensor<2x2xf32, #rows>
  %bc = compress.assemble %bv, %ones, %bzs : (tensor<2x2xi8>, tensor<2xf32>, tensor<2xi8>) -> tensor<2x2xf32, #columns>
  %r2 = linalg.matmul {compress.strategy = #portable} ins(%ar, %bc : tensor<2x2xf32, #rows>, tensor<2x2xf32, #columns>)
      outs(%zero : tensor<2x2xf32>) -> tensor<2x2xf32>
  // [72, -125; -127, 0] [4, -255; 130, -122]
  %e2 = arith.constant dense<[[-15962.0, -3110.0], [-508.0, 32385.0]]> : tensor<2x2xf32>
  compress_check.expect_eq %r2, %e2 : tensor<2x2xf32>

  // A float activation times the unsigned codes.
  %x = arith.constant dense<[[1.0, -2.0], [0.5, 4.0]]> : tensor<2x2xf32>
  %xh = compress_check.hide %x : tensor<2x2xf32>
  %r3 = linalg.matmul {compress.strategy = #portable} ins(%xh, %a : tensor<2x2xf32>, tensor<2x2xf32, #a>)
      outs(%zero : tensor<2x2xf32>) -> tensor<2x2xf32>
  %e3 = arith.constant dense<[[72.0, -379.0], [36.0, 445.5]]> : tensor<2x2xf32>
  compress_check.expect_eq %r3, %e3 : tensor<2x2xf32>
  return
}
