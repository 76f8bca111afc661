// The check ops, executed: what must pass passes, and each function that must
// fail stops with the line of its check.

// RUN: compress-run %s --entry=pass
// RUN: for entry in zeros nan_number ulp far infinity integer_tolerance sizes scalar f8 narrow; do \
// RUN:   echo "== $entry"; not compress-run %s --entry=$entry 2>&1 || exit 1; \
// RUN: done | FileCheck %s

func.func private @same_sizes(%a: tensor<?xi32>, %b: tensor<?xi32>) {
  compress_check.expect_eq %a, %b : tensor<?xi32>
  return
}

func.func @pass() {
  // NaNs of any sign and payload, both infinities, both zeros.
  %a = arith.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, 0.0, -0.0, 1.5]> : tensor<6xf32>
  %b = arith.constant dense<[0xFFC00123, 0x7F800000, 0xFF800000, 0.0, -0.0, 1.5]> : tensor<6xf32>
  %x = compress_check.hide %a : tensor<6xf32>
  compress_check.expect_eq %x, %b : tensor<6xf32>
  compress_check.expect_close %x, %b {ulps = 0} : tensor<6xf32>

  // Steps across zero count the zeros once: from -2^-149 to 2^-149 it is two.
  %c = arith.constant dense<[0x80000001, 0x3F800000, 0xBF800000]> : tensor<3xf32>
  %d = arith.constant dense<[0x00000001, 0x3F800002, 0xBF7FFFFE]> : tensor<3xf32>
  %y = compress_check.hide %c : tensor<3xf32>
  compress_check.expect_close %y, %d {ulps = 2} : tensor<3xf32>

  // Either tolerance is enough: atol + rtol * |expected|, or ulps.
  %e = arith.constant dense<[100.0, 1.0e-3]> : tensor<2xf64>
  %f = arith.constant dense<[101.0, 2.0e-3]> : tensor<2xf64>
  %z = compress_check.hide %e : tensor<2xf64>
  compress_check.expect_close %z, %f {atol = 1.0e-3, rtol = 0.01} : tensor<2xf64>

  // The distance of far numbers does not wrap around.
  %g = arith.constant dense<[-1.0e300, 3.0]> : tensor<2xf64>
  %h = arith.constant dense<[-1.0e300, 3.0]> : tensor<2xf64>
  %w = compress_check.hide %g : tensor<2xf64>
  compress_check.expect_close %w, %h {ulps = 0} : tensor<2xf64>

  // NaNs of formats without infinities and without -0.0.
  %i = arith.constant dense<[0x7F, 0xFF, 0x00]> : tensor<3xf8E4M3FN>
  %j = arith.constant dense<[0xFF, 0x7F, 0x00]> : tensor<3xf8E4M3FN>
  compress_check.expect_eq %i, %j : tensor<3xf8E4M3FN>
  %k = arith.constant dense<[0x80, 0x7F]> : tensor<2xf8E4M3FNUZ>
  compress_check.expect_eq %k, %k : tensor<2xf8E4M3FNUZ>

  // Other types, empty tensors, scalars.
  %h0 = arith.constant dense<[1.0, 2.0]> : tensor<2xf16>
  %h1 = arith.constant dense<[1.0, 2.01]> : tensor<2xf16>
  compress_check.expect_close %h0, %h1 {atol = 0.02} : tensor<2xf16>
  %n = arith.constant dense<[1, -8, 7]> : tensor<3xi4>
  compress_check.expect_eq %n, %n : tensor<3xi4>
  %o = arith.constant dense<[true, false]> : tensor<2xi1>
  compress_check.expect_eq %o, %o : tensor<2xi1>
  %q = arith.constant dense<[-1, 5]> : tensor<2xindex>
  compress_check.expect_eq %q, %q : tensor<2xindex>
  %empty = arith.constant dense<0> : tensor<0x4xi64>
  compress_check.expect_eq %empty, %empty : tensor<0x4xi64>
  %s = arith.constant dense<2> : tensor<i32>
  %t = arith.constant dense<-1> : tensor<i32>
  compress_check.expect_close %s, %t {atol = 3.0} : tensor<i32>
  return
}

// CHECK-LABEL: == zeros
// CHECK: checks.mlir:[[#@LINE+6]]:3: expect_eq: elements differ
// CHECK-NEXT: compress-run: error: an assertion of the program failed
func.func @zeros() {
  %a = arith.constant dense<[1.0, 0.0]> : tensor<2xf32>
  %b = arith.constant dense<[1.0, -0.0]> : tensor<2xf32>
  %x = compress_check.hide %a : tensor<2xf32>
  compress_check.expect_eq %x, %b : tensor<2xf32>
  return
}

// CHECK-LABEL: == nan_number
// CHECK: checks.mlir:[[#@LINE+4]]:3: expect_close: elements are not close
func.func @nan_number() {
  %a = arith.constant dense<[0x7FC00000]> : tensor<1xf32>
  %b = arith.constant dense<[1.0]> : tensor<1xf32>
  compress_check.expect_close %a, %b {ulps = 0x7FFFFFFFFFFFFFFF, atol = 1.0e300, rtol = 1.0} : tensor<1xf32>
  return
}

// CHECK-LABEL: == ulp
// CHECK: checks.mlir:[[#@LINE+4]]:3: expect_close: elements are not close
func.func @ulp() {
  %a = arith.constant dense<[0x80000001]> : tensor<1xf32>
  %b = arith.constant dense<[0x00000002]> : tensor<1xf32>
  compress_check.expect_close %a, %b {ulps = 2} : tensor<1xf32>
  return
}

// CHECK-LABEL: == far
// CHECK: checks.mlir:[[#@LINE+4]]:3: expect_close: elements are not close
func.func @far() {
  %a = arith.constant dense<[-1.0e300, 1.0]> : tensor<2xf64>
  %b = arith.constant dense<[1.0e300, 1.0]> : tensor<2xf64>
  compress_check.expect_close %a, %b {ulps = 1000000} : tensor<2xf64>
  return
}

// CHECK-LABEL: == infinity
// CHECK: checks.mlir:[[#@LINE+4]]:3: expect_close: elements are not close
func.func @infinity() {
  %a = arith.constant dense<[0x7F7FFFFF]> : tensor<1xf32>
  %b = arith.constant dense<[0x7F800000]> : tensor<1xf32>
  compress_check.expect_close %a, %b {ulps = 10, rtol = 1.0} : tensor<1xf32>
  return
}

// CHECK-LABEL: == integer_tolerance
// CHECK: checks.mlir:[[#@LINE+4]]:3: expect_close: elements are not close
func.func @integer_tolerance() {
  %a = arith.constant dense<[-2147483648, 0]> : tensor<2xi32>
  %b = arith.constant dense<[2147483647, 0]> : tensor<2xi32>
  compress_check.expect_close %a, %b {atol = 2.0} : tensor<2xi32>
  return
}

// CHECK-LABEL: == sizes
// CHECK: checks.mlir:10:3: expect_eq: sizes of dimension 0 differ
func.func @sizes() {
  %a = arith.constant dense<[1, 2]> : tensor<2xi32>
  %b = arith.constant dense<[1, 2, 3]> : tensor<3xi32>
  %x = tensor.cast %a : tensor<2xi32> to tensor<?xi32>
  %y = tensor.cast %b : tensor<3xi32> to tensor<?xi32>
  call @same_sizes(%x, %y) : (tensor<?xi32>, tensor<?xi32>) -> ()
  return
}

// CHECK-LABEL: == scalar
// CHECK: checks.mlir:[[#@LINE+4]]:3: expect_eq: elements differ
func.func @scalar() {
  %a = arith.constant dense<1> : tensor<index>
  %b = arith.constant dense<2> : tensor<index>
  compress_check.expect_eq %a, %b : tensor<index>
  return
}

// The lowest code of a format without -0.0 is its NaN, in others a zero.
// CHECK-LABEL: == f8
// CHECK: checks.mlir:[[#@LINE+4]]:3: expect_eq: elements differ
func.func @f8() {
  %a = arith.constant dense<[0x80]> : tensor<1xf8E5M2>
  %b = arith.constant dense<[0x7F]> : tensor<1xf8E5M2>
  compress_check.expect_eq %a, %b : tensor<1xf8E5M2>
  return
}

// CHECK-LABEL: == narrow
// CHECK: checks.mlir:[[#@LINE+4]]:3: expect_eq: elements differ
func.func @narrow() {
  %a = arith.constant dense<[1, -8, 7]> : tensor<3xi4>
  %b = arith.constant dense<[1, -8, 6]> : tensor<3xi4>
  compress_check.expect_eq %a, %b : tensor<3xi4>
  return
}
