// RUN: compress-opt %s --compress-requantize --split-input-file --verify-diagnostics | FileCheck %s
// RUN: compress-opt %s --compress-requantize=rounding=double --split-input-file --verify-diagnostics | FileCheck %s --check-prefix=DOUBLE

#i8 = #compress.affine<i8>
#channels = #compress.affine<i8, block = [*, 1]>
#u8 = #compress.affine<ui8, asymmetric>
#row = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>

// Bias and ReLU on codes, a multiplier for each channel: 0.5 * 0.25 / 2 and
// 0.5 * 0.125 / 2 are 2^-4 and 2^-5, Q31 mantissas 2^30 with shifts 34 and 35.
// CHECK-LABEL: func @fused
// CHECK: %[[SUMS:.*]] = linalg.generic {{.*}} outs({{.*}} : tensor<4x2xi32>)
// CHECK-DAG: %[[BIAS:.*]] = arith.constant dense<[8, -16]> : tensor<2xi64>
// CHECK-DAG: %[[MULTIPLIER:.*]] = arith.constant dense<1073741824> : tensor<2xi64>
// CHECK-DAG: %[[SHIFT:.*]] = arith.constant dense<[34, 35]> : tensor<2xi64>
// CHECK: linalg.generic {{.*}} ins(%[[SUMS]], %[[BIAS]], %[[MULTIPLIER]], %[[SHIFT]]
// CHECK-NOT: f32
// CHECK: arith.shrsi
// CHECK: arith.maxsi
// CHECK: arith.minsi
// CHECK: arith.maxsi
// CHECK: arith.trunci {{.*}} : i64 to i8
// CHECK: compress.assemble
// CHECK-NOT: compress.quantize
// DOUBLE-LABEL: func @fused
// DOUBLE: arith.cmpi sgt
// DOUBLE: arith.select
func.func @fused(%x: tensor<4x8xi8>, %c: tensor<4x2xf32>) -> tensor<4x2xf32, #u8> {
  %sx = arith.constant dense<0.5> : tensor<f32>
  %sy = arith.constant dense<2.0> : tensor<f32>
  %zy = arith.constant dense<3> : tensor<i8>
  %bias = arith.constant dense<[1.0, -1.0]> : tensor<2xf32>
  %zero = arith.constant 0.0 : f32
  %xe = compress.assemble %x, %sx : (tensor<4x8xi8>, tensor<f32>) -> tensor<4x8xf32, #i8>
  %w = compress.constant #compress.encoded<[dense<1> : tensor<8x2xi8>, dense<[0.25, 0.125]> : tensor<2xf32>]> : tensor<8x2xf32, #channels>
  %f = linalg.fill ins(%zero : f32) outs(%c : tensor<4x2xf32>) -> tensor<4x2xf32>
  %y = linalg.matmul ins(%xe, %w : tensor<4x8xf32, #i8>, tensor<8x2xf32, #channels>) outs(%f : tensor<4x2xf32>) -> tensor<4x2xf32>
  %r = linalg.generic {indexing_maps = [#row, #column, #row], iterator_types = ["parallel", "parallel"]} ins(%y, %bias : tensor<4x2xf32>, tensor<2xf32>) outs(%c : tensor<4x2xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    %1 = arith.maximumf %0, %zero : f32
    linalg.yield %1 : f32
  } -> tensor<4x2xf32>
  %q = compress.quantize %r, %sy, %zy : tensor<4x2xf32>, tensor<f32>, tensor<i8> to tensor<4x2xf32, #u8>
  return %q : tensor<4x2xf32, #u8>
}

// -----

#i8 = #compress.affine<i8>

// Tiny scales: the bias would overflow i32, so it stays in floating point.
// CHECK-LABEL: func @bias_overflow
// CHECK: compress.quantize
func.func @bias_overflow(%x: tensor<1x4xi8>, %c: tensor<1x2xf32>) -> tensor<1x2xf32, #i8> {
  %sx = arith.constant dense<0.5> : tensor<f32>
  %sy = arith.constant dense<0.05> : tensor<f32>
  %zero = arith.constant 0.0 : f32
  %bias = arith.constant dense<[5.0, -4.5]> : tensor<2xf32>
  %xe = compress.assemble %x, %sx : (tensor<1x4xi8>, tensor<f32>) -> tensor<1x4xf32, #i8>
  %w = compress.constant #compress.encoded<[dense<1> : tensor<4x2xi8>, dense<7.874e-10> : tensor<f32>]> : tensor<4x2xf32, #i8>
  %f = linalg.fill ins(%zero : f32) outs(%c : tensor<1x2xf32>) -> tensor<1x2xf32>
  // expected-remark @+1 {{its result is requantized in floating point: the bias of channel 0 does not fit i32}}
  %y = linalg.matmul ins(%xe, %w : tensor<1x4xf32, #i8>, tensor<4x2xf32, #i8>) outs(%f : tensor<1x2xf32>) -> tensor<1x2xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (b)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]} ins(%y, %bias : tensor<1x2xf32>, tensor<2xf32>) outs(%c : tensor<1x2xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<1x2xf32>
  %q = compress.quantize %r, %sy : tensor<1x2xf32>, tensor<f32> to tensor<1x2xf32, #i8>
  return %q : tensor<1x2xf32, #i8>
}

// -----

#i8 = #compress.affine<i8>

// Dynamic scales cannot become a multiplier.
// CHECK-LABEL: func @dynamic
// CHECK: compress.quantize
func.func @dynamic(%x: tensor<1x4xf32, #i8>, %w: tensor<4x2xf32, #i8>, %sy: tensor<f32>, %c: tensor<1x2xf32>) -> tensor<1x2xf32, #i8> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%c : tensor<1x2xf32>) -> tensor<1x2xf32>
  // expected-remark @+1 {{a scale is not constant, or is neither one for all elements nor one for each channel}}
  %y = linalg.matmul ins(%x, %w : tensor<1x4xf32, #i8>, tensor<4x2xf32, #i8>) outs(%f : tensor<1x2xf32>) -> tensor<1x2xf32>
  %q = compress.quantize %y, %sy : tensor<1x2xf32>, tensor<f32> to tensor<1x2xf32, #i8>
  return %q : tensor<1x2xf32, #i8>
}

// -----

#i8 = #compress.affine<i8>

// A constant of zeros is as good an initial value as a fill.
// CHECK-LABEL: func @constant_zeros
// CHECK-NOT: compress.quantize
func.func @constant_zeros(%x: tensor<1x4xi8>) -> tensor<1x2xf32, #i8> {
  %s = arith.constant dense<0.5> : tensor<f32>
  %zeros = arith.constant dense<0.0> : tensor<1x2xf32>
  %xe = compress.assemble %x, %s : (tensor<1x4xi8>, tensor<f32>) -> tensor<1x4xf32, #i8>
  %w = compress.constant #compress.encoded<[dense<1> : tensor<4x2xi8>, dense<0.25> : tensor<f32>]> : tensor<4x2xf32, #i8>
  %y = linalg.matmul ins(%xe, %w : tensor<1x4xf32, #i8>, tensor<4x2xf32, #i8>) outs(%zeros : tensor<1x2xf32>) -> tensor<1x2xf32>
  %q = compress.quantize %y, %s : tensor<1x2xf32>, tensor<f32> to tensor<1x2xf32, #i8>
  return %q : tensor<1x2xf32, #i8>
}
