// Why a contraction of encoded operands has no tile kernel.
// RUN: compress-opt %s --verify-diagnostics -o /dev/null \
// RUN:   --pass-pipeline='builtin.module(compress-set-target{cpu=znver5},compress-select-strategy{native})'

#rows = #compress.affine<i8, block = [1, *]>
#urows = #compress.affine<ui8, asymmetric, block = [1, *]>
#tensor = #compress.affine<i8>
#column = #compress.affine<i8, block = [*, 1]>
#i4 = #compress.affine<i4, block = [32, 1], scale = f16>
#b12 = #compress.affine<i4, block = [12, 1]>
#i16 = #compress.affine<i16>

func.func @wide(%x: tensor<8x8xf32, #i16>, %o: tensor<8x8xf32>) {
  %w = compress.constant #compress.encoded<[dense<1> : tensor<8x8xi8>, dense<1.0> : tensor<8xf32>]> : tensor<8x8xf32, #column>
  // expected-remark@+1 {{no tile kernel computes this: the codes of its left operand do not have 8 bits}}
  %0 = linalg.matmul ins(%x, %w : tensor<8x8xf32, #i16>, tensor<8x8xf32, #column>) outs(%o : tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}
func.func @varying(%x: tensor<8x8xf32, #column>, %o: tensor<8x8xf32>) {
  %w = compress.constant #compress.encoded<[dense<1> : tensor<8x8xi8>, dense<1.0> : tensor<8xf32>]> : tensor<8x8xf32, #column>
  // expected-remark@+1 {{no tile kernel computes this: the scales of its left operand vary along a reduction or within blocks of rows}}
  %0 = linalg.matmul ins(%x, %w : tensor<8x8xf32, #column>, tensor<8x8xf32, #column>) outs(%o : tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}
func.func @runtime(%x: tensor<8x8xf32, #rows>, %w: tensor<8x8xf32, #column>, %o: tensor<8x8xf32>) {
  // expected-remark@+1 {{no tile kernel computes this: its encoded right operand is not a constant}}
  %0 = linalg.matmul ins(%x, %w : tensor<8x8xf32, #rows>, tensor<8x8xf32, #column>) outs(%o : tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}
func.func @blocks_of_12(%x: tensor<8x24xf32>, %o: tensor<8x8xf32>) {
  %w = compress.constant #compress.encoded<[dense<1> : tensor<24x8xi4>, dense<1.0> : tensor<2x8xf32>]> : tensor<24x8xf32, #b12>
  // expected-remark@+1 {{no tile kernel computes this: its right operand has blocks along the reduction that are not a multiple of 8}}
  %0 = linalg.matmul ins(%x, %w : tensor<8x24xf32>, tensor<24x8xf32, #b12>) outs(%o : tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}
func.func @wide_weights(%x: tensor<8x8xf32>, %o: tensor<8x8xf32>) {
  %w = compress.constant #compress.encoded<[dense<1> : tensor<8x8xi16>, dense<1.0> : tensor<f32>]> : tensor<8x8xf32, #i16>
  // expected-remark@+1 {{no tile kernel computes this: the codes of its right operand do not have 2 to 8 bits}}
  %0 = linalg.matmul ins(%x, %w : tensor<8x8xf32>, tensor<8x8xf32, #i16>) outs(%o : tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}
func.func @unsigned_by_blocks(%x: tensor<8x64xf32, #urows>, %o: tensor<8x8xf32>) {
  %w = compress.constant #compress.encoded<[dense<1> : tensor<64x8xi4>, dense<1.0> : tensor<2x8xf16>]> : tensor<64x8xf32, #i4>
  // expected-remark@+1 {{no tile kernel computes this: its right operand has block scales, zero points or few bits, and its left one is not signed and symmetric}}
  %0 = linalg.matmul ins(%x, %w : tensor<8x64xf32, #urows>, tensor<64x8xf32, #i4>) outs(%o : tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}
func.func @codes_by_floats(%x: tensor<8x8xf32, #rows>, %w: tensor<8x8xf32>, %o: tensor<8x8xf32>) {
  // expected-remark@+1 {{no tile kernel computes this: its operands are not both of f32, both of bf16, or its right one of integer codes}}
  %0 = linalg.matmul ins(%x, %w : tensor<8x8xf32, #rows>, tensor<8x8xf32>) outs(%o : tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}
func.func @halves(%x: tensor<8x8xf16>, %o: tensor<8x8xf32>) {
  %w = compress.constant #compress.encoded<[dense<1> : tensor<8x8xi8>, dense<1.0> : tensor<8xf32>]> : tensor<8x8xf32, #column>
  // expected-remark@+1 {{no tile kernel computes this: its left operand is not of type f32 or bf16}}
  %0 = linalg.matmul ins(%x, %w : tensor<8x8xf16>, tensor<8x8xf32, #column>) outs(%o : tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}
func.func @depthwise(%x: tensor<1x8x8x4xf32, #tensor>, %o: tensor<1x6x6x4xf32>) {
  %w = compress.constant #compress.encoded<[dense<1> : tensor<3x3x4xi8>, dense<1.0> : tensor<f32>]> : tensor<3x3x4xf32, #tensor>
  // expected-remark@+1 {{no tile kernel computes this: it is a depthwise or grouped convolution}}
  %0 = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %w : tensor<1x8x8x4xf32, #tensor>, tensor<3x3x4xf32, #tensor>) outs(%o : tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32>
  return
}
func.func @float_image(%x: tensor<1x8x8x4xf32>, %o: tensor<1x6x6x4xf32>) {
  %w = compress.constant #compress.encoded<[dense<1> : tensor<3x3x4x4xi8>, dense<1.0> : tensor<f32>]> : tensor<3x3x4x4xf32, #tensor>
  // expected-remark@+1 {{no tile kernel computes this: it is a convolution whose weights have block scales, zero points or few bits, or whose image is of floats}}
  %0 = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x8x8x4xf32>, tensor<3x3x4x4xf32, #tensor>) outs(%o : tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32>
  return
}
func.func @long_sums(%x: tensor<1x65794xf32, #rows>, %o: tensor<1x1xf32>) {
  %w = compress.constant #compress.encoded<[dense<1> : tensor<65794x1xi8>, dense<1.0> : tensor<1xf32>]> : tensor<65794x1xf32, #column>
  // expected-remark@+1 {{no tile kernel computes this: its sums are not proved to fit 32 bits}}
  %0 = linalg.matmul ins(%x, %w : tensor<1x65794xf32, #rows>, tensor<65794x1xf32, #column>) outs(%o : tensor<1x1xf32>) -> tensor<1x1xf32>
  return
}
