// RUN: compress-opt %s --convert-quant-to-compress --split-input-file --verify-diagnostics

// expected-error @+1 {{'func.func' op dimension 1 of size 5 is not a multiple of its block size 2, which the quant dialect requires}}
func.func @ragged(%x: tensor<3x5x!quant.uniform<i8:f32:{0:1, 1:2}, {{1.0,2.0},{3.0,4.0},{5.0,6.0}}>>) { return }

// -----

func.func @zero_point(%x: tensor<4xf32>) -> tensor<4xi8> {
  // expected-error @+1 {{zero point 300 is outside the storage range [-128, 127]}}
  %q = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<i8:f32, 1.0:300>>
  %s = quant.scast %q : tensor<4x!quant.uniform<i8:f32, 1.0:300>> to tensor<4xi8>
  return %s : tensor<4xi8>
}

// -----

func.func @range(%x: tensor<4xf32>) -> tensor<4xi8> {
  // expected-error @+1 {{storage range [-10, 20] is not supported: expected [-128, 127], or without its lowest value if all zero points are 0}}
  %q = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<i8<-10:20>:f32, 1.0>>
  %s = quant.scast %q : tensor<4x!quant.uniform<i8<-10:20>:f32, 1.0>> to tensor<4xi8>
  return %s : tensor<4xi8>
}

// -----

func.func @scalar(%x: f32) -> i8 {
  // expected-error @+1 {{only ranked tensors of quantized elements can be converted}}
  %q = quant.qcast %x : f32 to !quant.uniform<i8:f32, 1.0>
  %s = quant.scast %q : !quant.uniform<i8:f32, 1.0> to i8
  return %s : i8
}

// -----

// expected-error @+1 {{has no scales: only uniform types can be converted}}
func.func @calibrated(%x: tensor<4x!quant.calibrated<f32<-1.0:1.0>>>) { return }
