// Contractions that differ in nothing but their operands are compiled once; those
// that use the same operands in other ways are not.
// RUN: compress-opt %s --compress-outline-tile-contracts | FileCheck %s

// CHECK-LABEL: func.func @main(
// CHECK: call @compress_tile_contract(%arg0, %arg1, %arg2, %arg3, %arg4)
// CHECK: call @compress_tile_contract(%arg0, %arg1, %arg3, %arg2, %arg4)
// The difference the other way round.
// CHECK: compress.tile_contract
// CHECK: arith.subf %{{.*}}, %[[PRODUCT:.*]] : f32
// CHECK: return
func.func @main(%x: memref<4x8xf32>, %w: memref<1x128xf32>, %a: memref<16xf32>, %b: memref<16xf32>, %y: memref<4x16xf32>) {
  %two = arith.constant 2.0 : f32
  compress.tile_contract #compress.float_dot<m = 4, n = 16, element = f32, isa = avx512>
      lhs(%x : memref<4x8xf32>) panels(%w : memref<1x128xf32>) extras(%a, %b : memref<16xf32>, memref<16xf32>) outs(%y : memref<4x16xf32>)
      {maps = [affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (n)>]} epilogue {
  ^bb0(%p: f32, %s: f32, %t: f32):
    %0 = arith.mulf %s, %two : f32
    %1 = arith.subf %p, %0 : f32
    compress.yield %1 : f32
  }
  compress.tile_contract #compress.float_dot<m = 4, n = 16, element = f32, isa = avx512>
      lhs(%x : memref<4x8xf32>) panels(%w : memref<1x128xf32>) extras(%b, %a : memref<16xf32>, memref<16xf32>) outs(%y : memref<4x16xf32>)
      {maps = [affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (n)>]} epilogue {
  ^bb0(%p: f32, %s: f32, %t: f32):
    %0 = arith.mulf %s, %two : f32
    %1 = arith.subf %p, %0 : f32
    compress.yield %1 : f32
  }
  compress.tile_contract #compress.float_dot<m = 4, n = 16, element = f32, isa = avx512>
      lhs(%x : memref<4x8xf32>) panels(%w : memref<1x128xf32>) extras(%a, %b : memref<16xf32>, memref<16xf32>) outs(%y : memref<4x16xf32>)
      {maps = [affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (n)>]} epilogue {
  ^bb0(%p: f32, %s: f32, %t: f32):
    %0 = arith.mulf %s, %two : f32
    %1 = arith.subf %0, %p : f32
    compress.yield %1 : f32
  }
  return
}

// A value from outside that is no constant: not a function.
// CHECK-LABEL: func.func @captured(
// CHECK-COUNT-2: compress.tile_contract
// CHECK: return
func.func @captured(%x: memref<4x8xf32>, %w: memref<1x128xf32>, %f: f32, %y: memref<4x16xf32>) {
  compress.tile_contract #compress.float_dot<m = 4, n = 16, element = f32, isa = avx512>
      lhs(%x : memref<4x8xf32>) panels(%w : memref<1x128xf32>) outs(%y : memref<4x16xf32>) {maps = []} epilogue {
  ^bb0(%p: f32):
    %1 = arith.mulf %p, %f : f32
    compress.yield %1 : f32
  }
  compress.tile_contract #compress.float_dot<m = 4, n = 16, element = f32, isa = avx512>
      lhs(%x : memref<4x8xf32>) panels(%w : memref<1x128xf32>) outs(%y : memref<4x16xf32>) {maps = []} epilogue {
  ^bb0(%p: f32):
    %1 = arith.mulf %p, %f : f32
    compress.yield %1 : f32
  }
  return
}

// Tile registers are configured for a function: none has those of two kernels.
// CHECK-LABEL: func.func @registers(
// CHECK: call @compress_tile_contract_0(
// CHECK: call @compress_tile_contract_1(
// CHECK: return
func.func @registers(%x: memref<32x64xi8>, %w: memref<1x2176xi8>, %y: memref<32x32xi32>, %v: memref<2x1152xi8>, %z: memref<32x32xf32>) {
  compress.tile_contract #compress.int_dot<m = 32, n = 32, lhsType = i8, isa = amx>
      lhs(%x : memref<32x64xi8>) panels(%w : memref<1x2176xi8>) outs(%y : memref<32x32xi32>) {maps = []} epilogue {
  ^bb0(%p: i32):
    compress.yield %p : i32
  }
  compress.tile_contract #compress.block_dot<m = 16, n = 16, lhsType = i8, bits = 8, block = 32, scale = f32, zeroPoints = false, isa = amx>
      lhs(%x : memref<32x64xi8>) panels(%v : memref<2x1152xi8>) outs(%z : memref<32x32xf32>) {maps = []} epilogue {
  ^bb0(%p: f32):
    compress.yield %p : f32
  }
  return
}

// CHECK-LABEL: func.func private @compress_tile_contract(
// CHECK-SAME: passthrough = ["noinline"]
// CHECK: arith.constant 2.000000e+00 : f32
// CHECK: arith.subf
// CHECK: return
// CHECK-LABEL: func.func private @compress_tile_contract_0(
// CHECK: #compress.int_dot
// CHECK-LABEL: func.func private @compress_tile_contract_1(
// CHECK: #compress.block_dot
