// What tiles ask memory for ahead: the next panel, a part each, and the lines of
// their results; a panel that one row uses, a little ahead of its use.

// RUN: compress-opt %s --compress-lower-tile-contracts --canonicalize --cse | FileCheck %s

module attributes {compress.target = #compress.target<cpu = "x86-64-v4", l2 = 45056>} {

// Eight tiles: one line in each trip of three steps.
// CHECK-DAG: #[[$NEXT:.*]] = affine_map<(d0) -> (2, d0 + 1)>
// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %{{.*}}: memref<64x66xf32>, %[[W:[^:]*]]: memref<3x2112xf32>, %[[Y:[^:]*]]: memref<64x96xf32>)
// CHECK: scf.for %[[PANEL:.*]] = %c0 to %c3 step %c1
// CHECK-NEXT: %[[AHEAD:.*]] = affine.min #[[$NEXT]](%[[PANEL]])
// CHECK: scf.for %{{.*}} = %c0 to %c64 step %c8
// CHECK-COUNT-16: memref.prefetch %[[Y]][{{.*}}], write, locality<3>, data
// CHECK-NOT: write
// CHECK: scf.for %{{.*}} = %c0 to %c66 step %c3
// CHECK: memref.prefetch %[[W]][%[[AHEAD]], %{{.*}}], read, locality<2>, data
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @rows(%x: memref<64x66xf32>, %w: memref<3x2112xf32>, %y: memref<64x96xf32>) {
  compress.tile_contract #compress.float_dot<m = 8, n = 32, element = f32, isa = avx512>
      lhs(%x : memref<64x66xf32>) panels(%w : memref<3x2112xf32>) outs(%y : memref<64x96xf32>) {maps = []} epilogue {
  ^bb0(%p: f32):
    compress.yield %p : f32
  }
  return
}

// A row's panel is a stream: 4096 bytes ahead in the same panel.
// CHECK-LABEL: func.func @row(
// CHECK-SAME: %{{.*}}: memref<1x66xf32>, %[[W:[^:]*]]: memref<3x2112xf32>
// CHECK-NOT: locality<2>
// CHECK: memref.prefetch %[[W]][%{{.*}}, %{{.*}}], read, locality<3>, data
// CHECK-NOT: locality<2>
// CHECK: return
func.func @row(%x: memref<1x66xf32>, %w: memref<3x2112xf32>, %y: memref<1x96xf32>) {
  compress.tile_contract #compress.float_dot<m = 1, n = 32, element = f32, isa = avx512>
      lhs(%x : memref<1x66xf32>) panels(%w : memref<3x2112xf32>) outs(%y : memref<1x96xf32>) {maps = []} epilogue {
  ^bb0(%p: f32):
    compress.yield %p : f32
  }
  return
}

// Two panels that stay in the second cache are not asked for.
// CHECK-LABEL: func.func @near(
// CHECK-NOT: read
// CHECK: return
func.func @near(%x: memref<64x66xf32>, %w: memref<2x2112xf32>, %y: memref<64x64xf32>) {
  compress.tile_contract #compress.float_dot<m = 8, n = 32, element = f32, isa = avx512>
      lhs(%x : memref<64x66xf32>) panels(%w : memref<2x2112xf32>) outs(%y : memref<64x64xf32>) {maps = []} epilogue {
  ^bb0(%p: f32):
    compress.yield %p : f32
  }
  return
}
}
