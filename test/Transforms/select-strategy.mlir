// RUN: compress-opt %s --compress-select-strategy | FileCheck %s

#per_row = #compress.affine<ui8, asymmetric, block = [1, *]>
#block32 = #compress.affine<i4, block = [32, 1]>
#sparse = #compress.nm<2:4, dim = 0>

// Small operands need no tiles.
// CHECK-LABEL: func @portable
// CHECK: linalg.matmul {compress.strategy = #compress.strategy<exit = portable>}
func.func @portable(%a: tensor<4x64xf32, #per_row>, %w: tensor<64x8xf32, #block32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = linalg.matmul ins(%a, %w : tensor<4x64xf32, #per_row>, tensor<64x8xf32, #block32>) outs(%c : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// A weight of 16 Mi elements is never unpacked whole.
// CHECK-LABEL: func @large
// CHECK: linalg.matvec {compress.strategy = #compress.strategy<exit = portable, tile = 16>}
func.func @large(%w: tensor<4096x4096xf32, #compress.affine<i4, block = [1, *]>>, %x: tensor<4096xf32>, %c: tensor<4096xf32>) -> tensor<4096xf32> {
  %r = linalg.matvec ins(%w, %x : tensor<4096x4096xf32, #compress.affine<i4, block = [1, *]>>, tensor<4096xf32>) outs(%c : tensor<4096xf32>) -> tensor<4096xf32>
  return %r : tensor<4096xf32>
}

// CHECK-LABEL: func @not_integer_codes
// CHECK: linalg.matmul {compress.strategy = #compress.strategy<exit = decode>}
func.func @not_integer_codes(%a: tensor<4x64xf32>, %w: tensor<64x8xf32, #sparse>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = linalg.matmul ins(%a, %w : tensor<4x64xf32>, tensor<64x8xf32, #sparse>) outs(%c : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// Scales of pixels, over which windows slide.
// CHECK-LABEL: func @window
// CHECK: linalg.conv_1d_nwc_wcf {{.*}}compress.strategy = #compress.strategy<exit = decode>
func.func @window(%a: tensor<1x8x4xf32, #compress.affine<i8, block = [*, 1, *]>>, %w: tensor<3x4x2xf32>, %c: tensor<1x6x2xf32>) -> tensor<1x6x2xf32> {
  %r = linalg.conv_1d_nwc_wcf ins(%a, %w : tensor<1x8x4xf32, #compress.affine<i8, block = [*, 1, *]>>, tensor<3x4x2xf32>) outs(%c : tensor<1x6x2xf32>) -> tensor<1x6x2xf32>
  return %r : tensor<1x6x2xf32>
}

// What was chosen by hand stays; dense ops get nothing.
// CHECK-LABEL: func @given
// CHECK: linalg.matmul {compress.strategy = #compress.strategy<exit = decode, tile = 8>}
// CHECK: linalg.add ins
func.func @given(%a: tensor<4x64xf32, #per_row>, %w: tensor<64x8xf32, #block32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = linalg.matmul {compress.strategy = #compress.strategy<exit = decode, tile = 8>} ins(%a, %w : tensor<4x64xf32, #per_row>, tensor<64x8xf32, #block32>) outs(%c : tensor<4x8xf32>) -> tensor<4x8xf32>
  %s = linalg.add ins(%r, %r : tensor<4x8xf32>, tensor<4x8xf32>) outs(%c : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %s : tensor<4x8xf32>
}
