// RUN: compress-opt %s -compress-fold-encode -compress-verify | FileCheck %s

// CHECK-LABEL: func @matrix
// CHECK-NEXT: %[[E:.*]] = compress.constant
// CHECK-SAME: dense<-111> : tensor<1x1xi8>, dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: return %[[E]]
func.func @matrix() -> tensor<1x2xf32, #compress.affine<i4>> {
  %w = arith.constant dense<[[1.0, -7.0]]> : tensor<1x2xf32>
  %e = compress.encode %w
    : tensor<1x2xf32> to tensor<1x2xf32, #compress.affine<i4>>
  return %e : tensor<1x2xf32, #compress.affine<i4>>
}

// A constant has a static shape; a cast gives the wanted type back.
// CHECK-LABEL: func @through_cast
// CHECK-NEXT: %[[E:.*]] = compress.constant
// CHECK-SAME: dense<[-127, 127]> : tensor<2xi8>, dense<2.500000e-01> : tensor<f32>
// CHECK-SAME: : tensor<2xf32, #[[I8:.*]]>
// CHECK-NEXT: %[[C:.*]] = tensor.cast %[[E]]
// CHECK-SAME: tensor<2xf32, #[[I8]]> to tensor<?xf32, #[[I8]]>
// CHECK-NEXT: return %[[C]]
func.func @through_cast() -> tensor<?xf32, #compress.affine<i8>> {
  %w = arith.constant dense<[-31.75, 31.75]> : tensor<2xf32>
  %c = tensor.cast %w : tensor<2xf32> to tensor<?xf32>
  %e = compress.encode %c
    : tensor<?xf32> to tensor<?xf32, #compress.affine<i8>>
  return %e : tensor<?xf32, #compress.affine<i8>>
}

// Given parameters are used as they are: 3 / 0.5 + 1 = 7.
// CHECK-LABEL: func @quantize
// CHECK-NEXT: compress.constant
// CHECK-SAME: dense<[7, -1, 0]> : tensor<3xi8>, dense<5.000000e-01> : tensor<f32>, dense<1> : tensor<i8>
// CHECK-NEXT: return
func.func @quantize() -> tensor<3xf32, #compress.affine<ui8, asymmetric>> {
  %w = arith.constant dense<[3.0, 1000.0, -1000.0]> : tensor<3xf32>
  %s = arith.constant dense<0.5> : tensor<f32>
  %zp = arith.constant dense<1> : tensor<i8>
  %e = compress.quantize %w, %s, %zp : tensor<3xf32>, tensor<f32>, tensor<i8>
    to tensor<3xf32, #compress.affine<ui8, asymmetric>>
  return %e : tensor<3xf32, #compress.affine<ui8, asymmetric>>
}

// Values known at run time only, or parameters, stay.
// CHECK-LABEL: func @runtime
// CHECK: compress.encode
// CHECK: arith.constant
// CHECK: compress.quantize
func.func @runtime(%x: tensor<2xf32>, %s: tensor<f32>)
    -> (tensor<2xf32, #compress.affine<i8>>, tensor<2xf32, #compress.affine<i8>>) {
  %d = compress.encode %x
    : tensor<2xf32> to tensor<2xf32, #compress.affine<i8>>
  %w = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %q = compress.quantize %w, %s : tensor<2xf32>, tensor<f32>
    to tensor<2xf32, #compress.affine<i8>>
  return %d, %q : tensor<2xf32, #compress.affine<i8>>,
                  tensor<2xf32, #compress.affine<i8>>
}

// Immutable globals are constants; private ones vanish with their last use,
// mutable ones are none.
// CHECK-NOT: @private_weight
// CHECK: ml_program.global public @public_weight
// CHECK: ml_program.global private mutable @state
ml_program.global private @private_weight(dense<[1.0, -1.0]> : tensor<2xf32>) : tensor<2xf32>
ml_program.global public @public_weight(dense<[2.0, -2.0]> : tensor<2xf32>) : tensor<2xf32>
ml_program.global private mutable @state(dense<[2.0, -2.0]> : tensor<2xf32>) : tensor<2xf32>
// CHECK-LABEL: func @globals
// CHECK-NEXT: compress.constant {{.*}}dense<[127, -127]> : tensor<2xi8>, dense<0.00787401571>
// CHECK-NEXT: compress.constant {{.*}}dense<[127, -127]> : tensor<2xi8>, dense<0.0157480314>
// CHECK-NEXT: ml_program.global_load @state
// CHECK-NEXT: compress.encode
func.func @globals() -> (tensor<2xf32, #compress.affine<i8>>,
    tensor<2xf32, #compress.affine<i8>>, tensor<2xf32, #compress.affine<i8>>) {
  %0 = ml_program.global_load_const @private_weight : tensor<2xf32>
  %e0 = compress.encode %0
    : tensor<2xf32> to tensor<2xf32, #compress.affine<i8>>
  %1 = ml_program.global_load_const @public_weight : tensor<2xf32>
  %e1 = compress.encode %1
    : tensor<2xf32> to tensor<2xf32, #compress.affine<i8>>
  %2 = ml_program.global_load @state : tensor<2xf32>
  %e2 = compress.encode %2
    : tensor<2xf32> to tensor<2xf32, #compress.affine<i8>>
  return %e0, %e1, %e2 : tensor<2xf32, #compress.affine<i8>>,
    tensor<2xf32, #compress.affine<i8>>, tensor<2xf32, #compress.affine<i8>>
}

// A source with another use stays.
// CHECK-LABEL: func @shared
// CHECK-DAG: %[[W:.*]] = arith.constant dense<[1.000000e+00, -1.000000e+00]>
// CHECK-DAG: %[[E:.*]] = compress.constant
// CHECK: return %[[W]], %[[E]]
func.func @shared() -> (tensor<2xf32>, tensor<2xf32, #compress.affine<i8>>) {
  %w = arith.constant dense<[1.0, -1.0]> : tensor<2xf32>
  %e = compress.encode %w
    : tensor<2xf32> to tensor<2xf32, #compress.affine<i8>>
  return %w, %e : tensor<2xf32>, tensor<2xf32, #compress.affine<i8>>
}

// Pruned zeros stay zero with a zero point: codes of zero are the zero point.
// CHECK-LABEL: func @pruned
// CHECK: compress.constant
// CHECK-SAME: dense<[85, 85, 85, -1, 85, 85, 85, 0]> : tensor<8xi8>
// CHECK-SAME: dense<0.00588235306> : tensor<f32>, dense<85> : tensor<i8>
func.func @pruned() -> tensor<8xf32, #compress.affine<ui8, asymmetric>> {
  %w = arith.constant dense<[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, -0.5]> : tensor<8xf32>
  %e = compress.encode %w
    : tensor<8xf32> to tensor<8xf32, #compress.affine<ui8, asymmetric>>
  return %e : tensor<8xf32, #compress.affine<ui8, asymmetric>>
}

// Nothing to encode: documented parameters, no NaN or infinity.
// CHECK-LABEL: func @empty
// CHECK-NEXT: compress.constant {{.*}}dense<> : tensor<0x4xi8>, dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: compress.constant {{.*}}dense<> : tensor<0x16xi8>, dense<> : tensor<0x1xf32>
// CHECK-NEXT: compress.constant {{.*}}dense<127> : tensor<i8>, dense<0.0157480314> : tensor<f32>
// CHECK-NEXT: compress.constant {{.*}}dense<0> : tensor<4xi8>, dense<1.000000e+00> : tensor<f32>
func.func @empty() -> (tensor<0x4xf32, #compress.affine<i8>>,
    tensor<0x4xf32, #compress.affine<i4, block = [1, 32]>>,
    tensor<f32, #compress.affine<i8>>, tensor<4xf32, #compress.affine<i8>>) {
  %0 = arith.constant dense<> : tensor<0x4xf32>
  %e0 = compress.encode %0
    : tensor<0x4xf32> to tensor<0x4xf32, #compress.affine<i8>>
  %e1 = compress.encode %0
    : tensor<0x4xf32> to tensor<0x4xf32, #compress.affine<i4, block = [1, 32]>>
  %1 = arith.constant dense<2.0> : tensor<f32>
  %e2 = compress.encode %1 : tensor<f32> to tensor<f32, #compress.affine<i8>>
  %2 = arith.constant dense<0.0> : tensor<4xf32>
  %e3 = compress.encode %2
    : tensor<4xf32> to tensor<4xf32, #compress.affine<i8>>
  return %e0, %e1, %e2, %e3 : tensor<0x4xf32, #compress.affine<i8>>,
    tensor<0x4xf32, #compress.affine<i4, block = [1, 32]>>,
    tensor<f32, #compress.affine<i8>>, tensor<4xf32, #compress.affine<i8>>
}

// One code of four bits, and codes of 12 bits in two bytes each.
// CHECK-LABEL: func @widths
// CHECK-NEXT: compress.constant {{.*}}dense<7> : tensor<i8>, dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: compress.constant {{.*}}dense<[2047, -1024]> : tensor<2xi16>
func.func @widths() -> (tensor<f32, #compress.affine<i4>>, tensor<2xf32, #compress.affine<i12>>) {
  %0 = arith.constant dense<7.0> : tensor<f32>
  %e0 = compress.encode %0 : tensor<f32> to tensor<f32, #compress.affine<i4>>
  %1 = arith.constant dense<[2.0, -1.0]> : tensor<2xf32>
  %e1 = compress.encode %1 : tensor<2xf32> to tensor<2xf32, #compress.affine<i12>>
  return %e0, %e1 : tensor<f32, #compress.affine<i4>>, tensor<2xf32, #compress.affine<i12>>
}

// Rows without elements, and one packed row that is cut into whole bytes.
// CHECK-LABEL: func @rows
// CHECK-NEXT: compress.constant {{.*}}dense<> : tensor<4x0xi8>, dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT: compress.constant {{.*}}dense<[31, -57, 7]> : tensor<3xi8>, dense<1.000000e+00> : tensor<2xf32>
func.func @rows() -> (tensor<4x0xf32, #compress.affine<i4, block = [1, *]>>,
    tensor<5xf32, #compress.affine<i4, block = [3]>>) {
  %0 = arith.constant dense<> : tensor<4x0xf32>
  %e0 = compress.encode %0
    : tensor<4x0xf32> to tensor<4x0xf32, #compress.affine<i4, block = [1, *]>>
  // Codes -1, 1, 7 | -4, 7, padding 0: nibbles f 1 7 c 7 0 from the low end.
  %1 = arith.constant dense<[-1.0, 1.0, 7.0, -4.0, 7.0]> : tensor<5xf32>
  %e1 = compress.encode %1
    : tensor<5xf32> to tensor<5xf32, #compress.affine<i4, block = [3]>>
  return %e0, %e1 : tensor<4x0xf32, #compress.affine<i4, block = [1, *]>>,
    tensor<5xf32, #compress.affine<i4, block = [3]>>
}

// A splat stays one, and other float types are read as they lie: 8640 = 67.5
// blocks of 128, the last one ragged and padded with the code of zero.
// CHECK-LABEL: func @splats
// CHECK-NEXT: compress.constant {{.*}}dense<127> : tensor<1024x1024xi8>, dense<0.00393700786> : tensor<f32>
// CHECK-NEXT: compress.constant {{.*}}tensor<2x4352xi8>, dense<0.285714298> : tensor<2x68xf32>
// CHECK-NEXT: compress.constant {{.*}}dense<[127, -64]> : tensor<2xi8>, dense<1.574710e-02> : tensor<f16>
// CHECK-NEXT: compress.constant {{.*}}dense<[127, -64]> : tensor<2xi8>
func.func @splats() -> (tensor<1024x1024xf32, #compress.affine<i8>>,
    tensor<2x8640xbf16, #compress.affine<i4, block = [1, 128]>>,
    tensor<2xf16, #compress.affine<i8, scale = f16>>,
    tensor<2xf64, #compress.affine<i8>>) {
  %0 = arith.constant dense<0.5> : tensor<1024x1024xf32>
  %e0 = compress.encode %0 : tensor<1024x1024xf32>
    to tensor<1024x1024xf32, #compress.affine<i8>>
  %1 = arith.constant dense<2.0> : tensor<2x8640xbf16>
  %e1 = compress.encode %1 : tensor<2x8640xbf16>
    to tensor<2x8640xbf16, #compress.affine<i4, block = [1, 128]>>
  %2 = arith.constant dense<[2.0, -1.0]> : tensor<2xf16>
  %e2 = compress.encode %2
    : tensor<2xf16> to tensor<2xf16, #compress.affine<i8, scale = f16>>
  %3 = arith.constant dense<[2.0, -1.0]> : tensor<2xf64>
  %e3 = compress.encode %3
    : tensor<2xf64> to tensor<2xf64, #compress.affine<i8>>
  return %e0, %e1, %e2, %e3 : tensor<1024x1024xf32, #compress.affine<i8>>,
    tensor<2x8640xbf16, #compress.affine<i4, block = [1, 128]>>,
    tensor<2xf16, #compress.affine<i8, scale = f16>>,
    tensor<2xf64, #compress.affine<i8>>
}
