// Tile kernels, windows, native strategies and tile contractions go through the
// custom form, the generic form and bytecode and come out the same. No pass
// leaves them in files for long, so that bytecode has them as text.
// RUN: compress-opt %s --verify-roundtrip -o %t.once
// RUN: compress-opt %t.once -o %t.twice
// RUN: diff %t.once %t.twice
// RUN: compress-opt %t.once -mlir-print-op-generic | compress-opt | diff %t.once -
// RUN: compress-opt %t.once -emit-bytecode -o %t.bc
// RUN: compress-opt %t.bc | diff %t.once -
// RUN: grep -c "compress.int_dot<m = 8" %t.bc
// RUN: FileCheck %s --input-file=%t.once

//===----------------------------------------------------------------------===//
// Kernels: every instruction set, every kind of operand
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func private @kernels()
// CHECK-SAME: int0 = #compress.int_dot<m = 1, n = 4, lhsType = i8, isa = generic>
// CHECK-SAME: int1 = #compress.int_dot<m = 3, n = 16, lhsType = ui8, isa = avx2>
// CHECK-SAME: int5 = #compress.int_dot<m = 8, n = 48, lhsType = i8, isa = avx512_vnni_gfni>
func.func private @kernels() attributes {
  block0 = #compress.block_dot<m = 1, n = 4, lhsType = f32, bits = 4, block = 8, scale = f32, zeroPoints = false, isa = generic>,
  block1 = #compress.block_dot<m = 2, n = 8, lhsType = i8, bits = 8, block = 248, scale = f16, zeroPoints = true, isa = avx_vnni>,
  block2 = #compress.block_dot<m = 64, n = 256, lhsType = i8, bits = 4, block = 65536, scale = f32, zeroPoints = false, isa = avx512_vnni>,
  block3 = #compress.block_dot<m = 6, n = 32, lhsType = f32, bits = 8, block = 512, scale = f32, zeroPoints = true, isa = avx512>,
  float0 = #compress.float_dot<m = 8, n = 32, element = f32, isa = avx512>,
  float1 = #compress.float_dot<m = 8, n = 32, element = bf16, isa = avx512_bf16>,
  int0 = #compress.int_dot<m = 1, n = 4, lhsType = i8, isa = generic>,
  int1 = #compress.int_dot<m = 3, n = 16, lhsType = ui8, isa = avx2>,
  int2 = #compress.int_dot<m = 3, n = 16, lhsType = ui8, isa = avx_vnni>,
  int3 = #compress.int_dot<m = 8, n = 48, lhsType = i8, isa = avx512>,
  int4 = #compress.int_dot<m = 8, n = 48, lhsType = i8, isa = avx512_vnni>,
  int5 = #compress.int_dot<m = 8, n = 48, lhsType = i8, isa = avx512_vnni_gfni>,
  strategy = #compress.strategy<exit = native, kernel = #compress.int_dot<m = 1, n = 16, lhsType = i8, isa = avx512>>,
  threads = #compress.strategy<exit = native, kernel = #compress.float_dot<m = 1, n = 16, element = f32, isa = avx512>, threads = 3>,
  window = #compress.window<sizes = [3], strides = [2], dilations = [1], pads = [0]>
}

// CHECK-LABEL: func.func @strategies(
// CHECK: compress.strategy<exit = native, kernel = #compress.int_dot<m = 2, n = 16, lhsType = i8, isa = avx512_vnni>>
// CHECK: compress.strategy<exit = native, kernel = #compress.block_dot<{{.*}}>, threads = 4>
func.func @strategies(%x: tensor<4x8xf32>, %w: tensor<8x8xf32, #compress.affine<i8>>, %o: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.matmul {compress.strategy = #compress.strategy<exit = native, kernel = #compress.int_dot<m = 2, n = 16, lhsType = i8, isa = avx512_vnni>>}
    ins(%x, %w : tensor<4x8xf32>, tensor<8x8xf32, #compress.affine<i8>>) outs(%o : tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = linalg.matmul {compress.strategy = #compress.strategy<exit = native, threads = 4, kernel = #compress.block_dot<m = 1, n = 16, lhsType = f32, bits = 4, block = 8, scale = f16, zeroPoints = true, isa = avx2>>}
    ins(%0, %w : tensor<4x8xf32>, tensor<8x8xf32, #compress.affine<i8>>) outs(%o : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

// 24 panels of 32 columns: 4 * 32 bytes in front, 192 steps of 4 * 32 behind.
// CHECK-LABEL: func.func @extras(
// CHECK: compress.tile_contract #compress.int_dot<m = 8, n = 32, lhsType = i8, isa = avx512_vnni> lhs(%{{.*}} : tensor<128x768xi8>) panels(%{{.*}} : tensor<24x24704xi8>) extras(%{{.*}}, %{{.*}}, %{{.*}} : tensor<768xf32>, tensor<f32>, tensor<768x128xf32>) outs(%{{.*}}, %{{.*}} : tensor<128x768xf32>, tensor<128x768xi32>)
// CHECK-SAME: threads = 4 : i64
// CHECK: compress.yield %{{.*}}, %{{.*}} : f32, i32
// CHECK: -> tensor<128x768xf32>, tensor<128x768xi32>
func.func @extras(%x: tensor<128x768xi8>, %w: tensor<24x24704xi8>, %s: tensor<768xf32>, %t: tensor<f32>,
                  %r: tensor<768x128xf32>, %e: tensor<128x768xf32>, %f: tensor<128x768xi32>)
    -> (tensor<128x768xf32>, tensor<128x768xi32>) {
  %y:2 = compress.tile_contract #compress.int_dot<m = 8, n = 32, lhsType = i8, isa = avx512_vnni>
      lhs(%x : tensor<128x768xi8>) panels(%w : tensor<24x24704xi8>)
      extras(%s, %t, %r : tensor<768xf32>, tensor<f32>, tensor<768x128xf32>)
      outs(%e, %f : tensor<128x768xf32>, tensor<128x768xi32>)
      {maps = [affine_map<(m, n) -> (n)>, affine_map<(m, n) -> ()>, affine_map<(m, n) -> (n, m)>], threads = 4 : i64} epilogue {
  ^bb0(%sum: i32, %a: f32, %b: f32, %c: f32):
    %0 = arith.sitofp %sum : i32 to f32
    %1 = arith.mulf %0, %a : f32
    %2 = math.fma %1, %b, %c : f32
    compress.yield %2, %sum : f32, i32
  } -> tensor<128x768xf32>, tensor<128x768xi32>
  return %y#0, %y#1 : tensor<128x768xf32>, tensor<128x768xi32>
}

// Rows quantized with a scale and a zero point, batches, sizes of run time.
// CHECK-LABEL: func.func @quantized(
// CHECK: {batches = 1 : i64, maps = [], quantize = #{{.*}}} epilogue {
// CHECK-NEXT: ^bb0(%{{.*}}: i32, %{{.*}}: f32, %{{.*}}: i32):
func.func @quantized(%x: tensor<2x?x5xf32>, %w: tensor<?x?xi8>, %e: tensor<2x?x?xf16>) -> tensor<2x?x?xf16> {
  %y = compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = ui8, isa = avx2>
      lhs(%x : tensor<2x?x5xf32>) panels(%w : tensor<?x?xi8>) outs(%e : tensor<2x?x?xf16>)
      {maps = [], batches = 1 : i64, quantize = #compress.affine<ui8, asymmetric, block = [1, 1, *]>} epilogue {
  ^bb0(%sum: i32, %s: f32, %z: i32):
    %0 = arith.subi %sum, %z : i32
    %1 = arith.sitofp %0 : i32 to f32
    %2 = arith.mulf %1, %s : f32
    %3 = arith.truncf %2 : f32 to f16
    compress.yield %3 : f16
  } -> tensor<2x?x?xf16>
  return %y : tensor<2x?x?xf16>
}

// Buffers: a convolution of 3 x 2 taps with padding; no results.
// CHECK-LABEL: func.func @window(
// CHECK: window = #compress.window<sizes = [3, 2], strides = [1, 2], dilations = [2, 1], pads = [2, 1]>} epilogue
// CHECK: compress.yield %{{.*}} : f32
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @window(%x: memref<1x8x9x4xi8, strided<[?, ?, ?, 1], offset: ?>>, %w: memref<1x448xi8>, %y: memref<1x8x5x16xf32>) {
  compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = ui8, isa = avx512>
      lhs(%x : memref<1x8x9x4xi8, strided<[?, ?, ?, 1], offset: ?>>) panels(%w : memref<1x448xi8>)
      outs(%y : memref<1x8x5x16xf32>)
      {maps = [], window = #compress.window<sizes = [3, 2], strides = [1, 2], dilations = [2, 1], pads = [2, 1]>} epilogue {
  ^bb0(%sum: i32):
    %0 = arith.sitofp %sum : i32 to f32
    compress.yield %0 : f32
  }
  return
}
