// Every bit of a constant survives text -> text -> bytecode -> text: subnormal
// and extreme scales of all types, negative zeros, NaN payloads, codes at both
// ends of their range, sizes.
// RUN: compress-opt %s -o %t.once
// RUN: compress-opt %t.once | diff %t.once -
// RUN: compress-opt %t.once -mlir-print-op-generic | compress-opt | diff %t.once -
// RUN: compress-opt %t.once -emit-bytecode -o %t.mlirbc
// RUN: compress-opt %t.mlirbc | diff %t.once -
// RUN: compress-opt %t.mlirbc -emit-bytecode | compress-opt | diff %t.once -
// RUN: FileCheck %s --input-file=%t.once
// A constant whose data were left out of the text is refused, not made up.
// RUN: compress-opt %s -mlir-elide-elementsattrs-if-larger=2 -o %t.elided
// RUN: not compress-opt %t.elided -compress-verify 2>&1 | FileCheck %s --check-prefix=ELIDED
// ELIDED: elided:{{[0-9]+}}:{{[0-9]+}}: error: 'compress.constant' op no blob for resource '__elided__'

// CHECK-LABEL: func.func @scales
func.func @scales() {
  // The least subnormal, the least normal, the largest, 0.1 rounded, the
  // neighbour of 1.
  // CHECK: dense<[1.401300e-45, 1.17549435E-38, 3.40282347E+38, 1.000000e-01, 1.00000012]> : tensor<5xf32>
  %0 = compress.constant #compress.encoded<[dense<0> : tensor<5xi8>,
    dense<"0x0100000000008000FFFF7F7FCDCCCC3D0100803F"> : tensor<5xf32>]>
    : tensor<5xf32, #compress.affine<i8, block = [1]>>
  // CHECK: dense<[5.960460e-08, 6.103520e-05, 6.550400e+04]> : tensor<3xf16>
  %1 = compress.constant #compress.encoded<[dense<0> : tensor<3xi8>,
    dense<"0x01000004FF7B"> : tensor<3xf16>]>
    : tensor<3xf32, #compress.affine<i8, block = [1], scale = f16>>
  // CHECK: dense<[9.183550e-41, 1.175490e-38, 3.389530e+38]> : tensor<3xbf16>
  %2 = compress.constant #compress.encoded<[dense<0> : tensor<3xi8>,
    dense<"0x010080007F7F"> : tensor<3xbf16>]>
    : tensor<3xf32, #compress.affine<i8, block = [1], scale = bf16>>
  return
}

// CHECK-LABEL: func.func @codes
func.func @codes() {
  // CHECK: dense<[-8, 7, -1]> : tensor<3xi4>, dense<{{.*}}> : tensor<f32>, dense<-8> : tensor<i4>
  %0 = compress.constant #compress.encoded<[dense<[-8, 7, -1]> : tensor<3xi4>,
    dense<0.1> : tensor<f32>, dense<-8> : tensor<i4>]>
    : tensor<3xf32, #compress.affine<i4, asymmetric>>
  // CHECK: dense<[-32768, 32767]> : tensor<2xi16>
  %1 = compress.constant #compress.encoded<[dense<[-32768, 32767]> : tensor<2xi16>,
    dense<0.1> : tensor<f32>]> : tensor<2xf32, #compress.affine<i16>>
  // CHECK: dense<[true, false, true]> : tensor<3xi1>
  %2 = compress.constant #compress.encoded<[dense<[1, 0, 1]> : tensor<3xi1>,
    dense<0.1> : tensor<f32>]> : tensor<3xf32, #compress.affine<ui1>>
  return
}

// The kept values of N:M are floats as they were.
// CHECK-LABEL: func.func @floats
func.func @floats() {
  // CHECK: dense<[-0.000000e+00, 0x7FC00001, 0xFF800000, 1.401300e-45]> : tensor<4xf32>
  %0 = compress.constant #compress.encoded<[
    dense<"0x000000800100C07F000080FF01000000"> : tensor<4xf32>,
    dense<[0, 1, 2, 3]> : tensor<4xi2>]>
    : tensor<16xf32, #compress.nm<1:4, dim = 0>>
  return
}
