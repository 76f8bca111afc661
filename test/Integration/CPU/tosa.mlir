// tosa goes through the plain lowering too.

// RUN: compress-run %s --input=fill=1 --input=fill=2 --input=fill=0.5 --print | FileCheck %s
// CHECK: result #0: 1x2x2x1xf32 = {{\[\[\[\[}}4.5], [4.5]], {{\[\[}}4.5], [4.5]]]]
// CHECK: result #1: 1x1x1x2xf32 = {{\[\[\[\[}}1, 1]]]]
// CHECK: result #2: 1x1xf32 = {{\[\[}}1.5]]
func.func @main(%x: tensor<1x2x2x2xf32>, %w: tensor<1x1x1x2xf32>, %b: tensor<1xf32>)
    -> (tensor<1x2x2x1xf32>, tensor<1x1x1x2xf32>, tensor<1x1xf32>) {
  %zero = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %conv = tosa.conv2d %x, %w, %b, %zero, %zero {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>}
      : (tensor<1x2x2x2xf32>, tensor<1x1x1x2xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x2x2x1xf32>
  %pool = tosa.max_pool2d %x {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>}
      : (tensor<1x2x2x2xf32>) -> tensor<1x1x1x2xf32>
  %one = "tosa.const"() <{values = dense<1.0> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
  %shape = "tosa.const_shape"() {values = dense<[1, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %reshaped = tosa.reshape %b, %shape : (tensor<1xf32>, !tosa.shape<2>) -> tensor<1x1xf32>
  %sum = tosa.add %reshaped, %one : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
  return %conv, %pool, %sum : tensor<1x2x2x1xf32>, tensor<1x1x1x2xf32>, tensor<1x1xf32>
}
