// Constants whose attributes are stored in a way of their own: splats, one bit
// an element, hexadecimal text, half floats. Encoders and the lowering read
// elements, not raw bytes.

// RUN: compress-run %s
// RUN: compress-run %s --jit-opt-level=0
// RUN: compress-opt %s --compress-fold-encode -o %t.mlir
// RUN: compress-run %t.mlir

// A splat of a million elements stays one.
// RUN: compress-opt %s --compress-fold-encode --symbol-privatize=exclude=splat --symbol-dce | FileCheck %s --check-prefix=SPLAT
// SPLAT: compress.constant {{.*}}dense<127> : tensor<1024x1024xi8>
// RUN: compress-opt %s --compress-fold-encode --symbol-privatize=exclude=splat --symbol-dce | wc -c | FileCheck %s --check-prefix=SMALL
// SMALL: {{^[1-3]?[0-9]?[0-9]?[0-9]$}}

#i8 = #compress.affine<i8>
#i4 = #compress.affine<i4>

func.func @main() {
  call @splat() : () -> ()
  call @bits() : () -> ()
  call @hexadecimal() : () -> ()
  call @half_floats() : () -> ()
  call @one_element() : () -> ()
  return
}

func.func @splat() {
  %c = arith.constant dense<0.5> : tensor<1024x1024xf32>
  %e = compress.encode %c : tensor<1024x1024xf32> to tensor<1024x1024xf32, #i8>
  %d = compress.decode %e : tensor<1024x1024xf32, #i8> -> tensor<1024x1024xf32>
  compress_check.expect_close %d, %c {ulps = 1} : tensor<1024x1024xf32>
  return
}

// 17 bits are three bytes in the attribute and 17 in memory.
func.func @bits() {
  %b = arith.constant dense<[true, false, false, true, true, true, false, true, false, false, true, true, false, true, false, false, true]> : tensor<17xi1>
  %h = compress_check.hide %b : tensor<17xi1>
  %x = arith.uitofp %h : tensor<17xi1> to tensor<17xf32>
  %e = arith.constant dense<[1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0]> : tensor<17xf32>
  compress_check.expect_eq %x, %e : tensor<17xf32>
  %s = arith.constant dense<true> : tensor<17xi1>
  %sh = compress_check.hide %s : tensor<17xi1>
  %y = arith.uitofp %sh : tensor<17xi1> to tensor<17xf32>
  %ones = arith.constant dense<1.0> : tensor<17xf32>
  compress_check.expect_eq %y, %ones : tensor<17xf32>
  // As numbers of an encoding: one-bit codes of a constant.
  %q = compress.constant #compress.encoded<[dense<[1, 0, 0, 1, 1, 1, 0, 1, 0, 0, 1, 1, 0, 1, 0, 0, 1]> : tensor<17xi1>, dense<1.0> : tensor<f32>]> : tensor<17xf32, #compress.affine<ui1>>
  %d = compress.decode %q : tensor<17xf32, #compress.affine<ui1>> -> tensor<17xf32>
  compress_check.expect_eq %d, %e : tensor<17xf32>
  return
}

// Four-bit codes in hexadecimal form have a byte each: 1, -2, 3, -4, 7.
func.func @hexadecimal() {
  %q = compress.constant #compress.encoded<[dense<"0x01FE03FC07"> : tensor<5xi4>, dense<0.5> : tensor<f32>]> : tensor<5xf32, #i4>
  %d = compress.decode %q : tensor<5xf32, #i4> -> tensor<5xf32>
  %e = arith.constant dense<[0.5, -1.0, 1.5, -2.0, 3.5]> : tensor<5xf32>
  compress_check.expect_eq %d, %e : tensor<5xf32>
  // 1.27, -0.01, 0.0
  %c = arith.constant dense<"0x5C8FA23F0AD723BC00000000"> : tensor<3xf32>
  %n = compress.encode %c : tensor<3xf32> to tensor<3xf32, #i8>
  %v = compress.component %n["values"] : tensor<3xf32, #i8> -> tensor<3xi8>
  %codes = arith.constant dense<[127, -1, 0]> : tensor<3xi8>
  compress_check.expect_eq %v, %codes : tensor<3xi8>
  return
}

func.func @half_floats() {
  %codes = arith.constant dense<[127, -64, 0]> : tensor<3xi8>
  %b = arith.constant dense<[127.0, -63.5, -0.0]> : tensor<3xbf16>
  %eb = compress.encode %b : tensor<3xbf16> to tensor<3xbf16, #i8>
  %vb = compress.component %eb["values"] : tensor<3xbf16, #i8> -> tensor<3xi8>
  compress_check.expect_eq %vb, %codes : tensor<3xi8>
  %h = arith.constant dense<[127.0, -63.5, -0.0]> : tensor<3xf16>
  %eh = compress.encode %h : tensor<3xf16> to tensor<3xf16, #i8>
  %vh = compress.component %eh["values"] : tensor<3xf16, #i8> -> tensor<3xi8>
  compress_check.expect_eq %vh, %codes : tensor<3xi8>
  %d = arith.constant dense<[127.0, -63.5, -0.0]> : tensor<3xf64>
  %ed = compress.encode %d : tensor<3xf64> to tensor<3xf64, #i8>
  %vd = compress.component %ed["values"] : tensor<3xf64, #i8> -> tensor<3xi8>
  compress_check.expect_eq %vd, %codes : tensor<3xi8>
  return
}

// One element is a splat, too.
func.func @one_element() {
  %c = arith.constant dense<-3.0> : tensor<1x1xf32>
  %e = compress.encode %c : tensor<1x1xf32> to tensor<1x1xf32, #compress.affine<i4, block = [1, 32]>>
  %v = compress.component %e["values"] : tensor<1x1xf32, #compress.affine<i4, block = [1, 32]>> -> tensor<1x32xi4>
  %d = compress.decode %e : tensor<1x1xf32, #compress.affine<i4, block = [1, 32]>> -> tensor<1x1xf32>
  compress_check.expect_close %d, %c {ulps = 1} : tensor<1x1xf32>
  return
}
