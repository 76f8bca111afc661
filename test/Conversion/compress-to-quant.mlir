// RUN: compress-opt %s --convert-compress-to-quant --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @quantize
// CHECK: %[[Q:.*]] = quant.qcast %arg0 : tensor<8xf32> to tensor<8x!quant.uniform<u8:f32, 5.000000e-01:200>>
// CHECK: quant.dcast %[[Q]]
func.func @quantize(%x: tensor<8xf32>) -> tensor<8xf32> {
  %s = arith.constant dense<0.5> : tensor<f32>
  %z = arith.constant dense<200> : tensor<i8>
  %e = compress.quantize %x, %s, %z : tensor<8xf32>, tensor<f32>, tensor<i8> to tensor<8xf32, #compress.affine<ui8, asymmetric>>
  %d = compress.decode %e : tensor<8xf32, #compress.affine<ui8, asymmetric>> -> tensor<8xf32>
  return %d : tensor<8xf32>
}

// CHECK-LABEL: func @constant
// CHECK: %[[C:.*]] = arith.constant dense<{{\[}}[1, -2], [3, -4]]> : tensor<2x2xi4>
// CHECK: %[[Q:.*]] = quant.scast %[[C]] : tensor<2x2xi4> to tensor<2x2x!quant.uniform<i4<-7:7>:f32:0, {5.000000e-01,2.500000e-01}>>
// CHECK: quant.dcast %[[Q]]
func.func @constant() -> tensor<2x2xf32> {
  %e = compress.constant #compress.encoded<[dense<[[1, -2], [3, -4]]> : tensor<2x2xi4>, dense<[0.5, 0.25]> : tensor<2xf32>]> : tensor<2x2xf32, #compress.affine<i4, block = [1, *]>>
  %d = compress.decode %e : tensor<2x2xf32, #compress.affine<i4, block = [1, *]>> -> tensor<2x2xf32>
  return %d : tensor<2x2xf32>
}

// -----

func.func @dynamic_scale(%x: tensor<8xf32>, %s: tensor<f32>) -> tensor<8xf32> {
  // expected-error @+1 {{has scales that are not one level of constants, but types of the quant dialect hold their parameters}}
  %e = compress.quantize %x, %s : tensor<8xf32>, tensor<f32> to tensor<8xf32, #compress.affine<i8>>
  %d = compress.decode %e : tensor<8xf32, #compress.affine<i8>> -> tensor<8xf32>
  return %d : tensor<8xf32>
}

// -----

// expected-error @+1 {{types of the quant dialect hold their parameters, which are unknown here}}
func.func @argument(%e: tensor<8xf32, #compress.affine<i8>>) -> tensor<8xf32> {
  %d = compress.decode %e : tensor<8xf32, #compress.affine<i8>> -> tensor<8xf32>
  return %d : tensor<8xf32>
}
