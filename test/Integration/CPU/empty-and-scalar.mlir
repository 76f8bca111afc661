// Tensors without elements and tensors of rank 0 through every pass: nothing
// divides by their size, no NaN or infinity is made of an empty minimum.

// RUN: split-file %s %t

// Ops, at run time and on constants.
// RUN: compress-run %t/ops.mlir
// RUN: compress-run %t/ops.mlir --jit-opt-level=0
// RUN: compress-run %t/ops.mlir --pipeline='builtin.module(compress-lower-checks)'
// RUN: compress-run %t/ops.mlir --pipeline='builtin.module(compress-lower-checks,compress-integrate-qdq,canonicalize,cse,compress-fold-encode,compress-select-strategy,compress-lower-contractions,compress-expand-encodings,canonicalize,cse)'
// RUN: compress-opt %t/ops.mlir --compress-lower-checks --compress-integrate-qdq --compress-fold-encode=report 2> %t/report \
// RUN:   | grep compress.constant | FileCheck %s --check-prefix=FINITE
// RUN: FileCheck %s --check-prefix=FINITE < %t/report
// FINITE-NOT: {{[^a-z](nan|inf)[^a-z]|0x7F[8-9A-F]|0xFF[8-9A-F]}}

// Recipes: observed on samples, one of them empty; then static and dynamic.
// RUN: compress-opt %t/net.mlir --compress-insert-observers=recipe=%t/static.json -o %t/observed.mlir
// RUN: compress-run %t/observed.mlir --input=fill=1.5:2x4 --input=fill=-2 --calibrate=%t/stats.json --print | FileCheck %s --check-prefix=RUN2
// RUN: compress-run %t/observed.mlir --input=fill=1.5:0x4 --input=fill=-2 --calibrate=%t/none.json --print | FileCheck %s --check-prefix=RUN0
// RUN: compress-opt %t/net.mlir --compress-annotate=recipe=%t/static.json \
// RUN:   --compress-apply-calibration=calibration=%t/none.json,%t/stats.json --compress-fold-encode -o %t/static.mlir
// RUN: FileCheck %s --check-prefix=FINITE < %t/static.mlir
// RUN: compress-run %t/static.mlir --input=fill=1.5:2x4 --input=fill=-2 --print | FileCheck %s --check-prefix=RUN2
// RUN: compress-run %t/static.mlir --input=fill=1.5:0x4 --input=fill=-2 --print | FileCheck %s --check-prefix=RUN0
// RUN: compress-opt %t/net.mlir --compress-annotate=recipe=%t/dynamic.json --compress-fold-encode -o %t/dynamic.mlir
// RUN: compress-run %t/dynamic.mlir --input=fill=1.5:2x4 --input=fill=-2 --print | FileCheck %s --check-prefix=RUN2
// RUN: compress-run %t/dynamic.mlir --input=fill=1.5:0x4 --input=fill=-2 --print | FileCheck %s --check-prefix=RUN0
// RUN2: result #0: 2x3xf32 = {{\[\[}}1.5{{.*}}, 6{{.*}}], [1.5{{.*}}, 6{{.*}}]]
// RUN2: result #1: f32 = -6{{$}}
// RUN0: result #0: 0x3xf32 = []
// RUN0: result #1: f32 = -6{{$}}

// Nothing was seen of the one activation: an error, no invented range.
// RUN: not compress-opt %t/net.mlir --compress-annotate=recipe=%t/static.json \
// RUN:   --compress-apply-calibration=calibration=%t/none.json 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: net.mlir:8:{{.*}}error: 'compress.encode' op operand #0, {{.*}}, has no calibrated range: of 0 elements none is finite

//--- net.mlir
func.func @main(%x: tensor<?x4xf32>, %s: tensor<f32>) -> (tensor<?x3xf32>, tensor<f32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %w = arith.constant dense<[[1.0, -1.0, 1.0], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]> : tensor<4x3xf32>
  %e = tensor.empty(%n) : tensor<?x3xf32>
  %f0 = arith.constant 0.0 : f32
  %z = linalg.fill ins(%f0 : f32) outs(%e : tensor<?x3xf32>) -> tensor<?x3xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x4xf32>, tensor<4x3xf32>) outs(%z : tensor<?x3xf32>) -> tensor<?x3xf32>
  %three = arith.constant dense<3.0> : tensor<f32>
  %o = tensor.empty() : tensor<f32>
  %p = linalg.mul ins(%s, %three : tensor<f32>, tensor<f32>) outs(%o : tensor<f32>) -> tensor<f32>
  return %y, %p : tensor<?x3xf32>, tensor<f32>
}
//--- static.json
{"rules": [
  {"op": "linalg.mul", "operand": 0, "mode": "static", "encoding": "#compress.affine<ui8, asymmetric>"},
  {"op": "linalg.mul", "operand": 1, "encoding": "#compress.affine<i4>"},
  {"operand": "weights", "per": "channel", "encoding": "#compress.affine<i8>"},
  {"operand": "activations", "per": "tensor", "mode": "static", "encoding": "#compress.affine<ui8, asymmetric>"}
]}
//--- dynamic.json
{"rules": [
  {"op": "linalg.mul", "operand": 0, "encoding": "#compress.affine<i8>"},
  {"op": "linalg.mul", "operand": 1, "encoding": "#compress.affine<i4>"},
  {"operand": "weights", "block": 32, "encoding": "#compress.affine<i4>"},
  {"operand": "activations", "per": "row", "encoding": "#compress.affine<ui8, asymmetric>"}
]}
//--- ops.mlir
#i8 = #compress.affine<i8>
#u8 = #compress.affine<ui8, asymmetric>
#rows = #compress.affine<i8, block = [1, *]>
#blocks = #compress.affine<i4, block = [1, 32]>
#two = #compress.affine<i4, block = [1, 2], scale = ui6, super_scale = f16, super_block = [1, *]>
#nm = #compress.nm<2:4, dim = 1, values = #compress.affine<i8, block = [1, *]>>
!q = !quant.uniform<i8:f32, 0.5>

func.func @main() {
  call @empty() : () -> ()
  call @empty_columns() : () -> ()
  call @dynamic() : () -> ()
  call @scalar() : () -> ()
  call @contractions() : () -> ()
  return
}

func.func private @empty() {
  %c = arith.constant dense<> : tensor<0x4xf32>
  %x = compress_check.hide %c : tensor<0x4xf32>
  %q = quant.qcast %x : tensor<0x4xf32> to tensor<0x4x!q>
  %s = quant.scast %q : tensor<0x4x!q> to tensor<0x4xi8>
  %codes = arith.constant dense<> : tensor<0x4xi8>
  compress_check.expect_eq %s, %codes : tensor<0x4xi8>

  // One scale for nothing: that of the range [0, 0].
  %one = arith.constant dense<1.0> : tensor<f32>
  %zero = arith.constant dense<0> : tensor<i8>
  %e0 = compress.encode %x : tensor<0x4xf32> to tensor<0x4xf32, #u8>
  %s0 = compress.component %e0["scales"] : tensor<0x4xf32, #u8> -> tensor<f32>
  %z0 = compress.component %e0["zero_points"] : tensor<0x4xf32, #u8> -> tensor<i8>
  %d0 = compress.decode %e0 : tensor<0x4xf32, #u8> -> tensor<0x4xf32>
  compress_check.expect_eq %s0, %one : tensor<f32>
  compress_check.expect_eq %z0, %zero : tensor<i8>
  compress_check.expect_eq %d0, %c : tensor<0x4xf32>

  %e1 = compress.encode %x : tensor<0x4xf32> to tensor<0x4xf32, #rows>
  %d1 = compress.decode %e1 : tensor<0x4xf32, #rows> -> tensor<0x4xf32>
  compress_check.expect_eq %d1, %c : tensor<0x4xf32>
  %e2 = compress.encode %x : tensor<0x4xf32> to tensor<0x4xf32, #blocks>
  %d2 = compress.decode %e2 : tensor<0x4xf32, #blocks> -> tensor<0x4xf32>
  compress_check.expect_eq %d2, %c : tensor<0x4xf32>
  %e3 = compress.encode %x : tensor<0x4xf32> to tensor<0x4xf32, #two>
  %d3 = compress.decode %e3 : tensor<0x4xf32, #two> -> tensor<0x4xf32>
  compress_check.expect_eq %d3, %c : tensor<0x4xf32>
  %e4 = compress.encode %c : tensor<0x4xf32> to tensor<0x4xf32, #nm>
  %d4 = compress.decode %e4 : tensor<0x4xf32, #nm> -> tensor<0x4xf32>
  compress_check.expect_eq %d4, %c : tensor<0x4xf32>
  %f = compress.fake_quant %x as tensor<0x4xf32, #i8> : tensor<0x4xf32>
  compress_check.expect_eq %f, %c : tensor<0x4xf32>
  return
}

// Rows that have no elements still have scales, of the range [0, 0].
func.func private @empty_columns() {
  %c = arith.constant dense<> : tensor<3x0xf32>
  %x = compress_check.hide %c : tensor<3x0xf32>
  %e = compress.encode %x : tensor<3x0xf32> to tensor<3x0xf32, #rows>
  %s = compress.component %e["scales"] : tensor<3x0xf32, #rows> -> tensor<3xf32>
  %ones = arith.constant dense<1.0> : tensor<3xf32>
  compress_check.expect_eq %s, %ones : tensor<3xf32>
  %d = compress.decode %e : tensor<3x0xf32, #rows> -> tensor<3x0xf32>
  compress_check.expect_eq %d, %c : tensor<3x0xf32>
  %n = compress.encode %c : tensor<3x0xf32> to tensor<3x0xf32, #nm>
  %nd = compress.decode %n : tensor<3x0xf32, #nm> -> tensor<3x0xf32>
  compress_check.expect_eq %nd, %c : tensor<3x0xf32>
  return
}

func.func private @dynamic() {
  %c = arith.constant dense<> : tensor<0x0xf32>
  %x = compress_check.hide %c : tensor<0x0xf32>
  %u = tensor.cast %x : tensor<0x0xf32> to tensor<?x?xf32>
  %e0 = compress.encode %u : tensor<?x?xf32> to tensor<?x?xf32, #blocks>
  %d0 = compress.decode %e0 : tensor<?x?xf32, #blocks> -> tensor<?x?xf32>
  compress_check.expect_eq %d0, %u : tensor<?x?xf32>
  %e1 = compress.encode %u : tensor<?x?xf32> to tensor<?x?xf32, #u8>
  %d1 = compress.decode %e1 : tensor<?x?xf32, #u8> -> tensor<?x?xf32>
  compress_check.expect_eq %d1, %u : tensor<?x?xf32>

  // Known sizes behind a cast, in blocks that do not divide them.
  %k = arith.constant dense<[[7.0, -3.0, 1.0], [-7.0, 5.0, 0.0]]> : tensor<2x3xf32>
  %kh = compress_check.hide %k : tensor<2x3xf32>
  %ku = tensor.cast %kh : tensor<2x3xf32> to tensor<?x?xf32>
  %e2 = compress.encode %ku : tensor<?x?xf32> to tensor<?x?xf32, #blocks>
  %d2 = compress.decode %e2 : tensor<?x?xf32, #blocks> -> tensor<?x?xf32>
  compress_check.expect_eq %d2, %ku : tensor<?x?xf32>
  return
}

// One element.
func.func private @scalar() {
  %c = arith.constant dense<-2.0> : tensor<f32>
  %x = compress_check.hide %c : tensor<f32>
  %q = quant.qcast %x : tensor<f32> to tensor<!q>
  %s = quant.scast %q : tensor<!q> to tensor<i8>
  %code = arith.constant dense<-4> : tensor<i8>
  compress_check.expect_eq %s, %code : tensor<i8>
  %e0 = compress.encode %x : tensor<f32> to tensor<f32, #i8>
  %v0 = compress.component %e0["values"] : tensor<f32, #i8> -> tensor<i8>
  %low = arith.constant dense<-127> : tensor<i8>
  compress_check.expect_eq %v0, %low : tensor<i8>
  %e1 = compress.encode %x : tensor<f32> to tensor<f32, #compress.affine<i4>>
  %d1 = compress.decode %e1 : tensor<f32, #compress.affine<i4>> -> tensor<f32>
  compress_check.expect_close %d1, %c {ulps = 1} : tensor<f32>
  %e2 = compress.encode %x : tensor<f32> to tensor<f32, #u8>
  %d2 = compress.decode %e2 : tensor<f32, #u8> -> tensor<f32>
  compress_check.expect_close %d2, %c {ulps = 1} : tensor<f32>
  %f = compress.fake_quant %x as tensor<f32, #i8> : tensor<f32>
  compress_check.expect_close %f, %c {ulps = 1} : tensor<f32>
  return
}

// No rows, no columns, and a sum of nothing, which is the initial value.
func.func private @contractions() {
  %c = arith.constant dense<> : tensor<0x4xf32>
  %x = compress_check.hide %c : tensor<0x4xf32>
  %xe = compress.encode %x : tensor<0x4xf32> to tensor<0x4xf32, #rows>
  %w = arith.constant dense<1.0> : tensor<4x3xf32>
  %we = compress.encode %w : tensor<4x3xf32> to tensor<4x3xf32, #i8>
  %init = arith.constant dense<> : tensor<0x3xf32>
  %y = linalg.matmul ins(%xe, %we : tensor<0x4xf32, #rows>, tensor<4x3xf32, #i8>) outs(%init : tensor<0x3xf32>) -> tensor<0x3xf32>
  compress_check.expect_eq %y, %init : tensor<0x3xf32>

  %k = arith.constant dense<> : tensor<3x0xf32>
  %kx = compress_check.hide %k : tensor<3x0xf32>
  %ke = compress.encode %kx : tensor<3x0xf32> to tensor<3x0xf32, #u8>
  %v = arith.constant dense<> : tensor<0x2xf32>
  %ve = compress.encode %v : tensor<0x2xf32> to tensor<0x2xf32, #blocks>
  %seven = arith.constant dense<7.0> : tensor<3x2xf32>
  %z = linalg.matmul ins(%ke, %ve : tensor<3x0xf32, #u8>, tensor<0x2xf32, #blocks>) outs(%seven : tensor<3x2xf32>) -> tensor<3x2xf32>
  compress_check.expect_eq %z, %seven : tensor<3x2xf32>
  %kn = compress.encode %k : tensor<3x0xf32> to tensor<3x0xf32, #nm>
  %zn = linalg.matmul ins(%kn, %v : tensor<3x0xf32, #nm>, tensor<0x2xf32>) outs(%seven : tensor<3x2xf32>) -> tensor<3x2xf32>
  compress_check.expect_eq %zn, %seven : tensor<3x2xf32>
  return
}
