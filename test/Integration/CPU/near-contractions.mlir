// Ops that are nearly sums of products: each computes what its body says, also
// where a matcher that skips unary ops would see a matmul.

// RUN: compress-run %s 2>&1 | FileCheck %s --allow-empty --implicit-check-not=error
// RUN: compress-run %s --pipeline='builtin.module(compress-lower-checks)' 2>&1 | FileCheck %s --allow-empty --implicit-check-not=error
// RUN: compress-opt %s --compress-lower-checks --compress-select-strategy | FileCheck %s --check-prefix=STRATEGY

// STRATEGY-COUNT-5: exit = decode
// STRATEGY: exit = portable
// STRATEGY-COUNT-2: exit = decode

#both = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#scalar = affine_map<(i, j) -> ()>
!e = tensor<2x8xf32, #compress.affine<i8, block = [1, *]>>
!dense = tensor<2x8xf32>

func.func @main() {
  %scales = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %c = arith.constant dense<[[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0],
                             [2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 4.0]]> : !dense
  %x = compress_check.hide %c : !dense
  %e = compress.quantize %x, %scales : !dense, tensor<2xf32> to !e
  %w = arith.constant dense<-1.0> : !dense
  %o = arith.constant dense<0.0> : tensor<2xf32>

  // The exponential of an input; only its zeros are exact.
  %zeros = arith.constant dense<0.0> : !dense
  %ez = compress.quantize %zeros, %scales : !dense, tensor<2xf32> to !e
  %0 = linalg.generic
      {indexing_maps = [#both, #both, #row], iterator_types = ["parallel", "reduction"]}
      ins(%ez, %w : !e, !dense) outs(%o : tensor<2xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %f = math.exp %a : f32
    %m = arith.mulf %f, %b : f32
    %n = arith.addf %out, %m : f32
    linalg.yield %n : f32
  } -> tensor<2xf32>
  %expected0 = arith.constant dense<-8.0> : tensor<2xf32>
  compress_check.expect_eq %0, %expected0 : tensor<2xf32>

  // The product negated.
  %1 = linalg.generic
      {indexing_maps = [#both, #both, #row], iterator_types = ["parallel", "reduction"]}
      ins(%e, %w : !e, !dense) outs(%o : tensor<2xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    %f = arith.negf %m : f32
    %n = arith.addf %out, %f : f32
    linalg.yield %n : f32
  } -> tensor<2xf32>
  %expected1 = arith.constant dense<[0.0, 6.0]> : tensor<2xf32>
  compress_check.expect_eq %1, %expected1 : tensor<2xf32>

  // The magnitude of the sum.
  %2 = linalg.generic
      {indexing_maps = [#both, #both, #row], iterator_types = ["parallel", "reduction"]}
      ins(%e, %w : !e, !dense) outs(%o : tensor<2xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %out, %m : f32
    %f = math.absf %n : f32
    linalg.yield %f : f32
  } -> tensor<2xf32>
  // 1 * -1, then 1 + 1; 2 * -1, then 2 - 4.
  %expected2 = arith.constant dense<2.0> : tensor<2xf32>
  compress_check.expect_eq %2, %expected2 : tensor<2xf32>

  // A narrowing cast of an input: 4098 is no f16.
  %big = arith.constant dense<[2049.0, 4098.0]> : tensor<2xf32>
  %3 = linalg.generic
      {indexing_maps = [#both, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%e, %big : !e, tensor<2xf32>) outs(%o : tensor<2xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %narrow = arith.truncf %b : f32 to f16
    %wide = arith.extf %narrow : f16 to f32
    %m = arith.mulf %a, %wide : f32
    %n = arith.addf %out, %m : f32
    linalg.yield %n : f32
  } -> tensor<2xf32>
  %expected3 = arith.constant dense<[0.0, 24576.0]> : tensor<2xf32>
  compress_check.expect_eq %3, %expected3 : tensor<2xf32>

  // A scalar input.
  %half = arith.constant 0.5 : f32
  %4 = linalg.generic
      {indexing_maps = [#both, #scalar, #row], iterator_types = ["parallel", "reduction"]}
      ins(%e, %half : !e, f32) outs(%o : tensor<2xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %out, %m : f32
    linalg.yield %n : f32
  } -> tensor<2xf32>
  %expected4 = arith.constant dense<[0.0, 3.0]> : tensor<2xf32>
  compress_check.expect_eq %4, %expected4 : tensor<2xf32>

  // This one is a sum of products, of a widened input.
  %w16 = arith.constant dense<-1.0> : tensor<2x8xf16>
  %5 = linalg.generic
      {indexing_maps = [#both, #both, #row], iterator_types = ["parallel", "reduction"]}
      ins(%w16, %e : tensor<2x8xf16>, !e) outs(%o : tensor<2xf32>) {
  ^bb0(%a: f16, %b: f32, %out: f32):
    %f = arith.extf %a : f16 to f32
    %m = arith.mulf %b, %f : f32
    %n = arith.addf %m, %out : f32
    linalg.yield %n : f32
  } -> tensor<2xf32>
  %expected5 = arith.constant dense<[0.0, -6.0]> : tensor<2xf32>
  compress_check.expect_eq %5, %expected5 : tensor<2xf32>

  // Integers that are converted.
  %ints = arith.constant dense<2> : tensor<8x1xi8>
  %init = arith.constant dense<0.0> : tensor<2x1xf32>
  %6 = linalg.matmul ins(%e, %ints : !e, tensor<8x1xi8>)
                     outs(%init : tensor<2x1xf32>) -> tensor<2x1xf32>
  %expected6 = arith.constant dense<[[0.0], [12.0]]> : tensor<2x1xf32>
  compress_check.expect_eq %6, %expected6 : tensor<2x1xf32>
  return
}

// A result of 8 bits: its conversion is not in the lowering to LLVM.
func.func @eight_bits(%e: !e, %w: tensor<8x1xf8E5M2>, %init: tensor<2x1xf8E5M2>)
    -> tensor<2x1xf8E5M2> {
  %0 = linalg.matmul ins(%e, %w : !e, tensor<8x1xf8E5M2>)
                     outs(%init : tensor<2x1xf8E5M2>) -> tensor<2x1xf8E5M2>
  return %0 : tensor<2x1xf8E5M2>
}
