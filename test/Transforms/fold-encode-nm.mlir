// RUN: compress-opt %s -compress-fold-encode -compress-verify | FileCheck %s

// Ties keep the lowest positions; a group with one non-zero keeps a zero at
// the lowest free position from M - N on; the last group is ragged.
// CHECK-LABEL: func @select
// CHECK-NEXT: compress.constant
// CHECK-SAME: dense<{{\[\[}}-4.000000e+00, 3.000000e+00, 5.000000e+00, 0.000000e+00, 7.000000e+00, 0.000000e+00]]> : tensor<1x6xf32>
// Positions 1, 2; 0, 2; 0, 2 in two bits each: 0b10001001, 0b1000.
// CHECK-SAME: dense<{{\[\[}}-119, 8]]> : tensor<1x2xi8>
func.func @select() -> tensor<1x9xf32, #compress.nm<2:4, dim = 1>> {
  %w = arith.constant dense<[[1.0, -4.0, 3.0, -3.0, 5.0, 0.0, 0.0, 0.0, 7.0]]> : tensor<1x9xf32>
  %e = compress.encode %w
    : tensor<1x9xf32> to tensor<1x9xf32, #compress.nm<2:4, dim = 1>>
  return %e : tensor<1x9xf32, #compress.nm<2:4, dim = 1>>
}

// The kept values are encoded by the encoding inside; pruned by columns here.
// CHECK-LABEL: func @nested
// CHECK-NEXT: compress.constant
// CHECK-SAME: #compress.encoded<[#compress.encoded<[dense<{{\[\[}}127, -127], [64, 0]]> : tensor<2x2xi8>, dense<[0.0157480314, 0.00787401571]> : tensor<2xf32>]>
// CHECK-SAME: dense<{{\[\[}}4], [10]]> : tensor<2x1xi8>
func.func @nested() -> tensor<4x2xf32, #compress.nm<2:4, dim = 0, values = #compress.affine<i8, block = [*, 1]>>> {
  %w = arith.constant dense<[[2.0, 0.0], [0.5, -1.0], [1.0, 0.0], [0.0, 0.0]]> : tensor<4x2xf32>
  %e = compress.encode %w : tensor<4x2xf32>
    to tensor<4x2xf32, #compress.nm<2:4, dim = 0, values = #compress.affine<i8, block = [*, 1]>>>
  return %e : tensor<4x2xf32, #compress.nm<2:4, dim = 0, values = #compress.affine<i8, block = [*, 1]>>>
}

// A constant of dynamic type is one of static type, cast.
// CHECK-LABEL: func @dynamic
// CHECK-NEXT: %[[E:.*]] = compress.constant
// CHECK-NEXT: tensor.cast %[[E]]
func.func @dynamic() -> tensor<?x64xf32, #compress.nm<1:4, dim = 0>> {
  %w = arith.constant dense<1.5> : tensor<6x64xf32>
  %c = tensor.cast %w : tensor<6x64xf32> to tensor<?x64xf32>
  %e = compress.encode %c
    : tensor<?x64xf32> to tensor<?x64xf32, #compress.nm<1:4, dim = 0>>
  return %e : tensor<?x64xf32, #compress.nm<1:4, dim = 0>>
}
