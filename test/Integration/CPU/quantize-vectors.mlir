// Rounding, saturation, zero points and NaN of affine quantization, executed:
// as run-time values, and as constants that the compiler encodes. Lowering the
// check ops first makes constants of the hidden values.

// RUN: compress-run %s
// RUN: compress-run %s --pipeline='builtin.module(compress-lower-checks)'
// RUN: compress-run %s --pipeline='builtin.module(compress-integrate-qdq,compress-expand-encodings)'
// RUN: compress-run %s --pipeline='builtin.module(inline,canonicalize,cse,sccp,compress-integrate-qdq,canonicalize,cse,sccp)'
// RUN: compress-run %s --jit-opt-level=0

// The second run tests the constant encoder: it leaves no lossy op.
// RUN: compress-opt %s --compress-lower-checks --compress-integrate-qdq --compress-fold-encode | FileCheck %s --check-prefix=FOLDED
// FOLDED-NOT: compress.{{quantize|encode}} %

// The other runs test generated code, where every conversion to an integer
// follows a clamp: it would be poison out of range.
// RUN: compress-opt %s --compress-to-linalg | %python %S/Inputs/check-clamped.py | FileCheck %s --check-prefix=CLAMPED
// RUN: compress-opt %s --compress-to-llvm | %python %S/Inputs/check-clamped.py | FileCheck %s --check-prefix=CLAMPED
// CLAMPED: {{^[1-9][0-9]*}} clamped conversions

!half = !quant.uniform<i8:f32, 0.5:0>
!one = !quant.uniform<i8:f32, 1.0>
!unsigned = !quant.uniform<u8:f32, 1.0>
#narrow = #compress.affine<i8>
#u8 = #compress.affine<ui8, asymmetric>
#i8a = #compress.affine<i8, asymmetric>

func.func @main() {
  call @ties_to_even() : () -> ()
  call @saturation_signed() : () -> ()
  call @saturation_unsigned() : () -> ()
  call @saturation_fraction() : () -> ()
  call @symmetric_vector() : () -> ()
  call @asymmetric_vector() : () -> ()
  call @zero_point_after_rounding() : () -> ()
  call @narrow_codes() : () -> ()
  call @pairs_keep_their_loss() : () -> ()
  return
}

// x / 0.5 is +-0.5, +-1.5, +-2.5, +-3.5: halves go to the even neighbour.
func.func private @ties_to_even() {
  %c = arith.constant dense<[0.25, 0.75, 1.25, 1.75, -0.25, -0.75, -1.25, -1.75]> : tensor<8xf32>
  %x = compress_check.hide %c : tensor<8xf32>
  %q = quant.qcast %x : tensor<8xf32> to tensor<8x!half>
  %s = quant.scast %q : tensor<8x!half> to tensor<8xi8>
  %e = arith.constant dense<[0, 2, 2, 4, 0, -2, -2, -4]> : tensor<8xi8>
  compress_check.expect_eq %s, %e : tensor<8xi8>
  return
}

// Beyond the range, also by far and infinitely: the ends of the range. NaN is
// the code of zero.
func.func private @saturation_signed() {
  %c = arith.constant dense<[-129.0, -128.0, -127.0, -126.5, 126.5, 127.0, 128.0, 1.0e10, -1.0e10, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<12xf32>
  %x = compress_check.hide %c : tensor<12xf32>
  %q = quant.qcast %x : tensor<12xf32> to tensor<12x!one>
  %s = quant.scast %q : tensor<12x!one> to tensor<12xi8>
  %e = arith.constant dense<[-128, -128, -127, -126, 126, 127, 127, 127, -128, 127, -128, 0]> : tensor<12xi8>
  compress_check.expect_eq %s, %e : tensor<12xi8>
  return
}

func.func private @saturation_unsigned() {
  %c = arith.constant dense<[-129.0, -0.5, 0.0, 254.5, 255.0, 256.0, 1.0e10, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<10xf32>
  %x = compress_check.hide %c : tensor<10xf32>
  %q = quant.qcast %x : tensor<10xf32> to tensor<10x!unsigned>
  %s = quant.scast %q : tensor<10x!unsigned> to tensor<10xi8>
  %e = arith.constant dense<[0, 0, 0, 254, 255, 255, 255, 255, 0, 0]> : tensor<10xi8>
  compress_check.expect_eq %s, %e : tensor<10xi8>
  return
}

func.func private @saturation_fraction() {
  %c = arith.constant dense<[0.75, 1.25, -0.75, 100.0, -100.0]> : tensor<5xf32>
  %x = compress_check.hide %c : tensor<5xf32>
  %q = quant.qcast %x : tensor<5xf32> to tensor<5x!half>
  %s = quant.scast %q : tensor<5x!half> to tensor<5xi8>
  %e = arith.constant dense<[2, 2, -2, 127, -128]> : tensor<5xi8>
  compress_check.expect_eq %s, %e : tensor<5xi8>
  return
}

// Symmetric: the lowest code is -127, without full_range.
func.func private @symmetric_vector() {
  %c = arith.constant dense<[0.5, 1.5, 2.5, -2.5, 127.5, 1.0e9, -1.0e9, 0x7FC00000]> : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %x = compress_check.hide %c : tensor<8xf32>
  %q = compress.quantize %x, %one : tensor<8xf32>, tensor<f32> to tensor<8xf32, #narrow>
  %s = compress.component %q["values"] : tensor<8xf32, #narrow> -> tensor<8xi8>
  %e = arith.constant dense<[0, 2, 2, -2, 127, 127, -127, 0]> : tensor<8xi8>
  compress_check.expect_eq %s, %e : tensor<8xi8>
  return
}

// Scale 2, zero point 10: -10.5 and -10 give 0, 1.5 gives 12, NaN 10.
func.func private @asymmetric_vector() {
  %c = arith.constant dense<[-21.0, -20.0, 3.0, 600.0, 0x7FC00000]> : tensor<5xf32>
  %two = arith.constant dense<2.0> : tensor<f32>
  %ten = arith.constant dense<10> : tensor<i8>
  %x = compress_check.hide %c : tensor<5xf32>
  %q = compress.quantize %x, %two, %ten : tensor<5xf32>, tensor<f32>, tensor<i8> to tensor<5xf32, #u8>
  %s = compress.component %q["values"] : tensor<5xf32, #u8> -> tensor<5xi8>
  %e = arith.constant dense<[0, 0, 12, 255, 10]> : tensor<5xi8>
  compress_check.expect_eq %s, %e : tensor<5xi8>
  return
}

// 0.5 rounds to 0, then the zero point is added: 1. Adding first would give
// 1.5, which rounds to 2.
func.func private @zero_point_after_rounding() {
  %c = arith.constant dense<[0.5, 1.5, -0.5]> : tensor<3xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %zp = arith.constant dense<1> : tensor<i8>
  %x = compress_check.hide %c : tensor<3xf32>
  %q = compress.quantize %x, %one, %zp : tensor<3xf32>, tensor<f32>, tensor<i8> to tensor<3xf32, #i8a>
  %s = compress.component %q["values"] : tensor<3xf32, #i8a> -> tensor<3xi8>
  %e = arith.constant dense<[1, 3, 1]> : tensor<3xi8>
  compress_check.expect_eq %s, %e : tensor<3xi8>
  return
}

// The same rules in two bits with rounding ties, in three, and in sixteen.
func.func private @narrow_codes() {
  %c = arith.constant dense<[0.5, 1.5, -0.5, -1.5, 9.0, -9.0, 0x7FC00000]> : tensor<7xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %x = compress_check.hide %c : tensor<7xf32>
  %q2 = compress.quantize %x, %one : tensor<7xf32>, tensor<f32> to tensor<7xf32, #compress.affine<i2, full_range>>
  %s2 = compress.component %q2["values"] : tensor<7xf32, #compress.affine<i2, full_range>> -> tensor<7xi2>
  %e2 = arith.constant dense<[0, 1, 0, -2, 1, -2, 0]> : tensor<7xi2>
  compress_check.expect_eq %s2, %e2 : tensor<7xi2>
  %q3 = compress.quantize %x, %one : tensor<7xf32>, tensor<f32> to tensor<7xf32, #compress.affine<i3>>
  %s3 = compress.component %q3["values"] : tensor<7xf32, #compress.affine<i3>> -> tensor<7xi3>
  %e3 = arith.constant dense<[0, 2, 0, -2, 3, -3, 0]> : tensor<7xi3>
  compress_check.expect_eq %s3, %e3 : tensor<7xi3>
  %c16 = arith.constant dense<[32767.5, 32766.5, -1.0e9, 0.5, 0x7F800000, 1.5, 0x7FC00000]> : tensor<7xf32>
  %x16 = compress_check.hide %c16 : tensor<7xf32>
  %q16 = compress.quantize %x16, %one : tensor<7xf32>, tensor<f32> to tensor<7xf32, #compress.affine<i16>>
  %s16 = compress.component %q16["values"] : tensor<7xf32, #compress.affine<i16>> -> tensor<7xi16>
  %e16 = arith.constant dense<[32767, 32766, -32767, 0, 32767, 2, 0]> : tensor<7xi16>
  compress_check.expect_eq %s16, %e16 : tensor<7xi16>
  return
}

// No fold, of ours or of canonicalize, CSE and SCCP, removes the rounding of a
// pair; with the same parameters, a second pair changes nothing.
func.func private @pairs_keep_their_loss() {
  %c = arith.constant dense<[0.3, -0.9, 200.0, 0x7FC00000]> : tensor<4xf32>
  %half = arith.constant dense<0.5> : tensor<f32>
  %x = compress_check.hide %c : tensor<4xf32>
  %q0 = compress.quantize %x, %half : tensor<4xf32>, tensor<f32> to tensor<4xf32, #narrow>
  %d0 = compress.decode %q0 : tensor<4xf32, #narrow> -> tensor<4xf32>
  %e = arith.constant dense<[0.5, -1.0, 63.5, 0.0]> : tensor<4xf32>
  compress_check.expect_eq %d0, %e : tensor<4xf32>
  %q1 = compress.quantize %d0, %half : tensor<4xf32>, tensor<f32> to tensor<4xf32, #narrow>
  %d1 = compress.decode %q1 : tensor<4xf32, #narrow> -> tensor<4xf32>
  compress_check.expect_eq %d1, %e : tensor<4xf32>
  %f = compress.fake_quant %x, %half as tensor<4xf32, #narrow> : tensor<4xf32>, tensor<f32>
  compress_check.expect_eq %f, %e : tensor<4xf32>
  return
}
