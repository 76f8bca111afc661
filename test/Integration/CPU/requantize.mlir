// The same program with float and with integer requantization: codes agree
// within one, and exactly with powers of two as scales.
// RUN: compress-run %s --print | FileCheck %s
// RUN: compress-run %s --print --pipeline='builtin.module(compress-requantize)' | FileCheck %s
// RUN: compress-run %s --print --pipeline='builtin.module(compress-requantize{rounding=double})' | FileCheck %s

#i8 = #compress.affine<i8>
#channels = #compress.affine<i8, block = [*, 1]>
#u8 = #compress.affine<ui8, asymmetric>
#row = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>

// Sums of a row: 10, -6, 127 * 4 = 508. Channel 0: (sum * 0.125 + 1) / 2 + 3:
// 10 -> 4.125, -6 -> 3.125, 508 -> 35.25. Channel 1 with weights of 2 and scale
// 1/16: (2 * sum / 16 - 1) / 2 + 3: 3.125, ReLU of -1.75 gives 3, 34.25.
// CHECK: {{\[\[}}4, 3], [3, 3], [35, 34]]
func.func @main() -> tensor<3x2xi8> {
  %x = arith.constant dense<[[1, 2, 3, 4], [-1, -2, -3, 0], [127, 127, 127, 127]]> : tensor<3x4xi8>
  %sx = arith.constant dense<0.5> : tensor<f32>
  %sy = arith.constant dense<2.0> : tensor<f32>
  %zy = arith.constant dense<3> : tensor<i8>
  %bias = arith.constant dense<[1.0, -1.0]> : tensor<2xf32>
  %zero = arith.constant 0.0 : f32
  %c = tensor.empty() : tensor<3x2xf32>
  %xe = compress.assemble %x, %sx : (tensor<3x4xi8>, tensor<f32>) -> tensor<3x4xf32, #i8>
  %w = compress.constant #compress.encoded<[dense<[[1, 2], [1, 2], [1, 2], [1, 2]]> : tensor<4x2xi8>, dense<[0.25, 0.125]> : tensor<2xf32>]> : tensor<4x2xf32, #channels>
  %f = linalg.fill ins(%zero : f32) outs(%c : tensor<3x2xf32>) -> tensor<3x2xf32>
  %y = linalg.matmul ins(%xe, %w : tensor<3x4xf32, #i8>, tensor<4x2xf32, #channels>) outs(%f : tensor<3x2xf32>) -> tensor<3x2xf32>
  %r = linalg.generic {indexing_maps = [#row, #column, #row], iterator_types = ["parallel", "parallel"]} ins(%y, %bias : tensor<3x2xf32>, tensor<2xf32>) outs(%c : tensor<3x2xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    %1 = arith.maximumf %0, %zero : f32
    linalg.yield %1 : f32
  } -> tensor<3x2xf32>
  %q = compress.quantize %r, %sy, %zy : tensor<3x2xf32>, tensor<f32>, tensor<i8> to tensor<3x2xf32, #u8>
  %v = compress.component %q["values"] : tensor<3x2xf32, #u8> -> tensor<3x2xi8>
  return %v : tensor<3x2xi8>
}
