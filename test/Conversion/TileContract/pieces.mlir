// Rows too long for the second cache are cut into pieces: each piece of a block
// of rows is copied and meets all panels, while the sums of the tiles wait in
// memory; the epilogue follows the last piece.

// RUN: compress-opt %s --compress-lower-tile-contracts --canonicalize --cse | FileCheck %s

module attributes {compress.target = #compress.target<cpu = "x86-64-v4", l2 = 1024>} {

// 8 steps in each piece but the last, which has one. Rows of 32 bytes: blocks of
// 16 rows fill half of the cache; 40 rows are three blocks of 16.
// CHECK-LABEL: func.func @floats(
// CHECK-SAME: %[[X:[^:]*]]: memref<40x65xf32>, %[[W:[^:]*]]: memref<5x1040xf32>
// CHECK-DAG: %[[STAGE:.*]] = memref.alloc() {alignment = 64 : i64} : memref<16x8xf32>
// CHECK-DAG: %[[SUMS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<5x256xf32>
// CHECK: scf.for %[[ROW:.*]] = %c0 to %c40 step %c16
// CHECK: scf.for %[[PIECE:.*]] = %c0 to %c65 step %c8
// CHECK: affine.min {{.*}}(%[[PIECE]])
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[PIECE]], %c0
// CHECK: %[[LAST:.*]] = arith.cmpi sge, %[[PIECE]], %c57
// CHECK: vector.store %{{.*}}, %[[STAGE]]
// CHECK: scf.for %{{.*}} = %c0 to %c5 step %c1
// CHECK: scf.for %{{.*}} = %c0 to %{{.*}} step %c4
// CHECK: scf.if %[[FIRST]] -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK: } else {
// CHECK-COUNT-4: vector.load %[[SUMS]]
// CHECK-NOT: vector.load %[[SUMS]]
// CHECK: scf.for
// CHECK: vector.fma
// CHECK: scf.if %[[LAST]] {
// CHECK: arith.maximumf
// CHECK: vector.maskedstore
// CHECK: } else {
// CHECK-NOT: arith.maximumf
// CHECK-COUNT-4: vector.store %{{.*}}, %[[SUMS]]
// CHECK-NOT: vector.store
// CHECK: memref.dealloc %[[SUMS]]
func.func @floats(%x: memref<40x65xf32>, %w: memref<5x1040xf32>, %y: memref<40x70xf32>) {
  %zero = arith.constant 0.0 : f32
  compress.tile_contract #compress.float_dot<m = 4, n = 16, element = f32, isa = avx512>
      lhs(%x : memref<40x65xf32>) panels(%w : memref<5x1040xf32>) outs(%y : memref<40x70xf32>) {maps = []} epilogue {
  ^bb0(%p: f32):
    %r = arith.maximumf %p, %zero : f32
    compress.yield %r : f32
  }
  return
}

// Integer sums begin with the head of the panel, and wait as integers. Pieces
// may end within a step.
// CHECK-LABEL: func.func @integers(
// CHECK-DAG: memref.alloc() {alignment = 64 : i64} : memref<{{[0-9]+}}x32xi8>
// CHECK-DAG: %[[SUMS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<5x{{[0-9]+}}xi32>
// CHECK: scf.for %{{.*}} = %c0 to %c130 step %c8
// CHECK: vector.load %[[SUMS]]{{.*}} vector<16xi32>
func.func @integers(%x: memref<400x518xi8>, %w: memref<5x8384xi8>, %y: memref<400x70xi32>) {
  compress.tile_contract #compress.int_dot<m = 4, n = 16, lhsType = i8, isa = avx512_vnni>
      lhs(%x : memref<400x518xi8>) panels(%w : memref<5x8384xi8>) outs(%y : memref<400x70xi32>) {maps = []} epilogue {
  ^bb0(%p: i32):
    compress.yield %p : i32
  }
  return
}

// One row reads every panel once as it is; quantization needs whole rows.
// CHECK-LABEL: func.func @few(
// CHECK-NOT: memref.alloc
// CHECK: return
func.func @few(%x: memref<1x65xf32>, %w: memref<5x1040xf32>, %y: memref<1x70xf32>) {
  compress.tile_contract #compress.float_dot<m = 4, n = 16, element = f32, isa = avx512>
      lhs(%x : memref<1x65xf32>) panels(%w : memref<5x1040xf32>) outs(%y : memref<1x70xf32>) {maps = []} epilogue {
  ^bb0(%p: f32):
    compress.yield %p : f32
  }
  return
}

// CHECK-LABEL: func.func @quantized(
// CHECK-NOT: memref<{{.*}}xi32>
// CHECK: return
func.func @quantized(%x: memref<400x518xf32>, %w: memref<5x8384xi8>, %y: memref<400x70xf32>) {
  compress.tile_contract #compress.int_dot<m = 4, n = 16, lhsType = i8, isa = avx512_vnni>
      lhs(%x : memref<400x518xf32>) panels(%w : memref<5x8384xi8>) outs(%y : memref<400x70xf32>)
      {maps = [], quantize = #compress.affine<i8, block = [1, *]>} epilogue {
  ^bb0(%p: i32, %s: f32):
    %f = arith.sitofp %p : i32 to f32
    %r = arith.mulf %f, %s : f32
    compress.yield %r : f32
  }
  return
}
}
