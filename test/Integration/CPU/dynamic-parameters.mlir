// Scales and zero points that are computed from data, at run time and (in the
// second run, where the check ops hide nothing) by the constant encoder: the
// same bits, and those of the definition.

// RUN: compress-run %s
// RUN: compress-run %s --pipeline='builtin.module(compress-lower-checks,inline,canonicalize)'
// RUN: compress-run %s --pipeline='builtin.module(inline,canonicalize,cse,sccp)'
// RUN: compress-run %s --jit-opt-level=0
// RUN: compress-opt %s --compress-lower-checks --inline --compress-fold-encode | FileCheck %s --check-prefix=FOLDED
// FOLDED-LABEL: func @main
// FOLDED-NOT: compress.encode %

#u8 = #compress.affine<ui8, asymmetric>
#i8a = #compress.affine<i8, asymmetric>
#i8 = #compress.affine<i8>
#i4 = #compress.affine<i4>
#i4a = #compress.affine<i4, asymmetric>
#blocks = #compress.affine<i8, block = [1, *]>

func.func @main() {
  // 126.5 rounds to the even zero point 126; 253 / 2 = 126.5 and 257 / 2 = 128.5
  // round to even before it is added.
  %x0 = arith.constant dense<[-253.0, 257.0, 0.0]> : tensor<3xf32>
  %s0 = arith.constant dense<2.0> : tensor<f32>
  %z0 = arith.constant dense<126> : tensor<i8>
  %q0 = arith.constant dense<[0, 254, 126]> : tensor<3xi8>
  call @u8(%x0, %s0, %z0, %q0) : (tensor<3xf32>, tensor<f32>, tensor<i8>, tensor<3xi8>) -> ()

  %x1 = arith.constant dense<[-127.0, 128.0, 0.5]> : tensor<3xf32>
  %s1 = arith.constant dense<1.0> : tensor<f32>
  %z1 = arith.constant dense<127> : tensor<i8>
  %q1 = arith.constant dense<[0, 255, 127]> : tensor<3xi8>
  call @u8(%x1, %s1, %z1, %q1) : (tensor<3xf32>, tensor<f32>, tensor<i8>, tensor<3xi8>) -> ()

  // 4 / 255 in f32; 1 / scale = 63.75 rounds to 64.
  %x2 = arith.constant dense<[-1.0, 0.0, 3.0]> : tensor<3xf32>
  %s2 = arith.constant dense<0.0156862754> : tensor<f32>
  %z2 = arith.constant dense<64> : tensor<i8>
  %q2 = arith.constant dense<[0, 64, 255]> : tensor<3xi8>
  call @u8(%x2, %s2, %z2, %q2) : (tensor<3xf32>, tensor<f32>, tensor<i8>, tensor<3xi8>) -> ()

  // Zeros have the scale 1 and the zero point 0.
  %x3 = arith.constant dense<0.0> : tensor<3xf32>
  %z3 = arith.constant dense<0> : tensor<i8>
  %q3 = arith.constant dense<0> : tensor<3xi8>
  call @u8(%x3, %s1, %z3, %q3) : (tensor<3xf32>, tensor<f32>, tensor<i8>, tensor<3xi8>) -> ()

  // One value: the range includes zero, so [2, 2, 2] is [0, 2], code 255.
  %x4 = arith.constant dense<2.0> : tensor<3xf32>
  %s4 = arith.constant dense<0.00784313772> : tensor<f32>
  %q4 = arith.constant dense<255> : tensor<3xi8>
  call @u8(%x4, %s4, %z3, %q4) : (tensor<3xf32>, tensor<f32>, tensor<i8>, tensor<3xi8>) -> ()

  call @all_zeros() : () -> ()
  call @constant_values() : () -> ()
  call @tiny_ranges() : () -> ()
  call @nan_stays_in_its_block() : () -> ()
  return
}

// encode, and choose_params followed by quantize.
func.func private @u8(%c: tensor<3xf32>, %scale: tensor<f32>, %zp: tensor<i8>, %codes: tensor<3xi8>) {
  %x = compress_check.hide %c : tensor<3xf32>
  %e = compress.encode %x : tensor<3xf32> to tensor<3xf32, #u8>
  %v = compress.component %e["values"] : tensor<3xf32, #u8> -> tensor<3xi8>
  %s = compress.component %e["scales"] : tensor<3xf32, #u8> -> tensor<f32>
  %z = compress.component %e["zero_points"] : tensor<3xf32, #u8> -> tensor<i8>
  compress_check.expect_eq %v, %codes : tensor<3xi8>
  compress_check.expect_eq %s, %scale : tensor<f32>
  compress_check.expect_eq %z, %zp : tensor<i8>
  %ps, %pz = compress.choose_params %x for tensor<3xf32, #u8> : tensor<3xf32> -> tensor<f32>, tensor<i8>
  compress_check.expect_eq %ps, %scale : tensor<f32>
  compress_check.expect_eq %pz, %zp : tensor<i8>
  %q = compress.quantize %x, %ps, %pz : tensor<3xf32>, tensor<f32>, tensor<i8> to tensor<3xf32, #u8>
  %pv = compress.component %q["values"] : tensor<3xf32, #u8> -> tensor<3xi8>
  compress_check.expect_eq %pv, %codes : tensor<3xi8>
  return
}

// An all-zero tensor: scale 1, the codes are the zero point, and it decodes to
// 0.0 exactly, in every format.
func.func private @all_zeros() {
  %c = arith.constant dense<[[0.0, -0.0, 0.0, 0.0]]> : tensor<1x4xf32>
  %x = compress_check.hide %c : tensor<1x4xf32>
  %zero = arith.constant dense<0.0> : tensor<1x4xf32>
  %one = arith.constant dense<1.0> : tensor<f32>

  %e0 = compress.encode %x : tensor<1x4xf32> to tensor<1x4xf32, #i8>
  %s0 = compress.component %e0["scales"] : tensor<1x4xf32, #i8> -> tensor<f32>
  %d0 = compress.decode %e0 : tensor<1x4xf32, #i8> -> tensor<1x4xf32>
  compress_check.expect_eq %s0, %one : tensor<f32>
  compress_check.expect_eq %d0, %zero : tensor<1x4xf32>

  %e1 = compress.encode %x : tensor<1x4xf32> to tensor<1x4xf32, #i8a>
  %s1 = compress.component %e1["scales"] : tensor<1x4xf32, #i8a> -> tensor<f32>
  %z1 = compress.component %e1["zero_points"] : tensor<1x4xf32, #i8a> -> tensor<i8>
  %v1 = compress.component %e1["values"] : tensor<1x4xf32, #i8a> -> tensor<1x4xi8>
  %d1 = compress.decode %e1 : tensor<1x4xf32, #i8a> -> tensor<1x4xf32>
  %lowest = arith.constant dense<-128> : tensor<i8>
  %codes = arith.constant dense<-128> : tensor<1x4xi8>
  compress_check.expect_eq %s1, %one : tensor<f32>
  compress_check.expect_eq %z1, %lowest : tensor<i8>
  compress_check.expect_eq %v1, %codes : tensor<1x4xi8>
  compress_check.expect_eq %d1, %zero : tensor<1x4xf32>

  %e2 = compress.encode %x : tensor<1x4xf32> to tensor<1x4xf32, #i4>
  %s2 = compress.component %e2["scales"] : tensor<1x4xf32, #i4> -> tensor<f32>
  %d2 = compress.decode %e2 : tensor<1x4xf32, #i4> -> tensor<1x4xf32>
  compress_check.expect_eq %s2, %one : tensor<f32>
  compress_check.expect_eq %d2, %zero : tensor<1x4xf32>

  %e3 = compress.encode %x : tensor<1x4xf32> to tensor<1x4xf32, #i4a>
  %d3 = compress.decode %e3 : tensor<1x4xf32, #i4a> -> tensor<1x4xf32>
  compress_check.expect_eq %d3, %zero : tensor<1x4xf32>
  return
}

func.func private @constant_values() {
  %c = arith.constant dense<[2.0, 2.0, 2.0]> : tensor<3xf32>
  %x = compress_check.hide %c : tensor<3xf32>
  %e0 = compress.encode %x : tensor<3xf32> to tensor<3xf32, #u8>
  %d0 = compress.decode %e0 : tensor<3xf32, #u8> -> tensor<3xf32>
  compress_check.expect_close %d0, %c {ulps = 1} : tensor<3xf32>
  %e1 = compress.encode %x : tensor<3xf32> to tensor<3xf32, #i8>
  %d1 = compress.decode %e1 : tensor<3xf32, #i8> -> tensor<3xf32>
  compress_check.expect_close %d1, %c {ulps = 1} : tensor<3xf32>
  return
}

// Rows whose largest magnitude is 1e-40, 2.8e-36, 1e-45: amax / 127 is
// subnormal or 0, 1 / scale infinite. A scale never falls below the smallest
// normal number, and the error never exceeds the largest magnitude.
func.func private @tiny_ranges() {
  %c = arith.constant dense<[[1.0e-40, -5.0e-41, 0.0], [2.8e-36, 1.4e-36, -2.8e-36], [1.4e-45, 0.0, -1.4e-45]]> : tensor<3x3xf32>
  %x = compress_check.hide %c : tensor<3x3xf32>
  %e = compress.encode %x : tensor<3x3xf32> to tensor<3x3xf32, #blocks>
  %s = compress.component %e["scales"] : tensor<3x3xf32, #blocks> -> tensor<3xf32>
  %normal = arith.constant dense<[0x00800000, 0x00F012BF, 0x00800000]> : tensor<3xf32>
  compress_check.expect_close %s, %normal {ulps = 1} : tensor<3xf32>
  %d = compress.decode %e : tensor<3x3xf32, #blocks> -> tensor<3x3xf32>
  %row0 = tensor.extract_slice %d[0, 0] [1, 3] [1, 1] : tensor<3x3xf32> to tensor<1x3xf32>
  %row1 = tensor.extract_slice %d[1, 0] [1, 3] [1, 1] : tensor<3x3xf32> to tensor<1x3xf32>
  %row2 = tensor.extract_slice %d[2, 0] [1, 3] [1, 1] : tensor<3x3xf32> to tensor<1x3xf32>
  %e0 = arith.constant dense<[[1.0e-40, -5.0e-41, 0.0]]> : tensor<1x3xf32>
  %e1 = arith.constant dense<[[2.8e-36, 1.4e-36, -2.8e-36]]> : tensor<1x3xf32>
  %e2 = arith.constant dense<[[1.4e-45, 0.0, -1.4e-45]]> : tensor<1x3xf32>
  compress_check.expect_close %row0, %e0 {atol = 1.0e-40} : tensor<1x3xf32>
  compress_check.expect_close %row1, %e1 {atol = 2.0e-38} : tensor<1x3xf32>
  compress_check.expect_close %row2, %e2 {atol = 1.5e-45} : tensor<1x3xf32>
  return
}

// A NaN gets the code of zero and does not touch its neighbours: the range is
// that of the finite values.
func.func private @nan_stays_in_its_block() {
  %c = arith.constant dense<[[1.27, 0x7FC00000, -0.64], [2.54, 1.27, -2.54]]> : tensor<2x3xf32>
  %x = compress_check.hide %c : tensor<2x3xf32>
  %e = compress.encode %x : tensor<2x3xf32> to tensor<2x3xf32, #blocks>
  %s = compress.component %e["scales"] : tensor<2x3xf32, #blocks> -> tensor<2xf32>
  %v = compress.component %e["values"] : tensor<2x3xf32, #blocks> -> tensor<2x3xi8>
  %scales = arith.constant dense<[0.01, 0.02]> : tensor<2xf32>
  compress_check.expect_close %s, %scales {ulps = 1} : tensor<2xf32>
  %codes = arith.constant dense<[[127, 0, -64], [127, 64, -127]]> : tensor<2x3xi8>
  compress_check.expect_eq %v, %codes : tensor<2x3xi8>
  return
}
