// Splats stand for all elements and stay splats; one-bit components are packed
// in the attribute or in bytes; empty ones hold nothing.
// RUN: compress-opt %s -compress-verify -compress-fold-encode -canonicalize -compress-verify -o %t
// RUN: FileCheck %s --input-file=%t
// The file does not grow with the tensor.
// RUN: %python -c "import os, sys; sys.exit(os.path.getsize('%t') > 4096)"

// CHECK-LABEL: func.func @splat
// CHECK: compress.constant #compress.encoded<[dense<127> : tensor<1024x1024xi8>, dense<{{.*}}> : tensor<f32>]>
func.func @splat() -> tensor<1024x1024xf32, #compress.affine<i8>> {
  %x = arith.constant dense<0.5> : tensor<1024x1024xf32>
  %0 = compress.encode %x : tensor<1024x1024xf32> to tensor<1024x1024xf32, #compress.affine<i8>>
  return %0 : tensor<1024x1024xf32, #compress.affine<i8>>
}

// Two fields of 7 in each byte.
// CHECK-LABEL: func.func @splat_blocks
// CHECK: compress.constant #compress.encoded<[dense<119> : tensor<64x32xi8>, dense<{{.*}}> : tensor<64x2xf16>]>
func.func @splat_blocks() -> tensor<64x64xf32, #compress.affine<i4, block = [1, 32], scale = f16>> {
  %x = arith.constant dense<0.5> : tensor<64x64xf32>
  %0 = compress.encode %x : tensor<64x64xf32> to tensor<64x64xf32, #compress.affine<i4, block = [1, 32], scale = f16>>
  return %0 : tensor<64x64xf32, #compress.affine<i4, block = [1, 32], scale = f16>>
}

// 17 bits: as i1, as bytes, as a splat; the positions of 1:2.
// CHECK-LABEL: func.func @bits
func.func @bits() {
  %0 = compress.constant #compress.encoded<[dense<1.0> : tensor<17xf32>,
    dense<[1,0,1,0,1,0,1,0,1,1,1,0,0,0,1,1,1]> : tensor<17xi1>]>
    : tensor<34xf32, #compress.nm<1:2, dim = 0>>
  %1 = compress.constant #compress.encoded<[dense<1.0> : tensor<17xf32>,
    dense<[85, -57, 1]> : tensor<3xi8>]> : tensor<34xf32, #compress.nm<1:2, dim = 0>>
  %2 = compress.constant #compress.encoded<[dense<1.0> : tensor<17xf32>,
    dense<true> : tensor<17xi1>]> : tensor<34xf32, #compress.nm<1:2, dim = 0>>
  return
}

// The four values 1..4 at odd, even, odd, even places.
// CHECK-LABEL: func.func @encoded_bits
// CHECK: dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tensor<4xf32>, dense<5> : tensor<1xi8>
func.func @encoded_bits() -> tensor<8xf32, #compress.nm<1:2, dim = 0>> {
  %x = arith.constant dense<[0.0, 1.0, 2.0, 0.0, 0.0, 3.0, 4.0, 0.0]> : tensor<8xf32>
  %0 = compress.encode %x : tensor<8xf32> to tensor<8xf32, #compress.nm<1:2, dim = 0>>
  return %0 : tensor<8xf32, #compress.nm<1:2, dim = 0>>
}

// No elements: the scale of the range [0, 0]. A scalar is a tensor of one.
// CHECK-LABEL: func.func @empty_and_scalar
// CHECK-DAG: compress.constant #compress.encoded<[dense<> : tensor<0x4xi8>, dense<1.000000e+00> : tensor<f32>, dense<{{.*}}> : tensor<i8>]>
// CHECK-DAG: compress.constant #compress.encoded<[dense<> : tensor<0x2xi8>, dense<> : tensor<0xf32>]>
// CHECK-DAG: compress.constant #compress.encoded<[dense<127> : tensor<i8>, dense<{{.*}}> : tensor<f32>]>
// CHECK-DAG: compress.constant #compress.encoded<[dense<> : tensor<0x2xf32>, dense<> : tensor<0x1xi8>]>
func.func @empty_and_scalar() -> (tensor<0x4xf32, #compress.affine<ui8, asymmetric>>,
    tensor<0x4xf32, #compress.affine<i4, block = [1, *]>>, tensor<f32, #compress.affine<i8>>,
    tensor<0x4xf32, #compress.nm<2:4, dim = 1>>) {
  %x = arith.constant dense<> : tensor<0x4xf32>
  %s = arith.constant dense<3.0> : tensor<f32>
  %0 = compress.encode %x : tensor<0x4xf32> to tensor<0x4xf32, #compress.affine<ui8, asymmetric>>
  %1 = compress.encode %x : tensor<0x4xf32> to tensor<0x4xf32, #compress.affine<i4, block = [1, *]>>
  %2 = compress.encode %s : tensor<f32> to tensor<f32, #compress.affine<i8>>
  %3 = compress.encode %x : tensor<0x4xf32> to tensor<0x4xf32, #compress.nm<2:4, dim = 1>>
  return %0, %1, %2, %3 : tensor<0x4xf32, #compress.affine<ui8, asymmetric>>,
    tensor<0x4xf32, #compress.affine<i4, block = [1, *]>>, tensor<f32, #compress.affine<i8>>,
    tensor<0x4xf32, #compress.nm<2:4, dim = 1>>
}
