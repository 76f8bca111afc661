// Products of floats: fused where the CPU can, by pairs of bf16.

// RUN: sed -e 's/ISA/generic/' %s | compress-opt --compress-lower-tile-contracts --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,GENERIC
// RUN: sed -e 's/ISA/avx2/' %s | compress-opt --compress-lower-tile-contracts --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,AVX2
// RUN: sed -e 's/ISA/avx512/' %s | compress-opt --compress-lower-tile-contracts --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,AVX512

// Rows are read in place whatever their length is.
// CHECK-LABEL: func.func @floats(
// CHECK-NOT: memref.alloc
// CHECK: vector.load %arg0[%{{.*}}] : memref<5x9xf32>, vector<1xf32>
// GENERIC: arith.mulf %{{.*}} : vector<4xf32>
// GENERIC: arith.addf %{{.*}} : vector<4xf32>
// AVX2: vector.fma %{{.*}} : vector<8xf32>
// AVX512: vector.fma %{{.*}} : vector<16xf32>
// CHECK: vector.maskedstore
// CHECK: return
func.func @floats(%x: memref<5x9xf32>, %w: memref<2x144xf32>, %y: memref<5x20xf32>) {
  compress.tile_contract #compress.float_dot<m = 2, n = 16, element = f32, isa = ISA>
      lhs(%x : memref<5x9xf32>) panels(%w : memref<2x144xf32>) outs(%y : memref<5x20xf32>) {maps = []} epilogue {
  ^bb0(%p: f32):
    compress.yield %p : f32
  }
  return
}

// Odd depths are copied into pairs.
// CHECK-LABEL: func.func @pairs(
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<6x10xbf16>
// CHECK: "llvm.x86.avx512bf16.dpbf16ps.512"
// CHECK: return
func.func @pairs(%x: memref<5x9xbf16>, %w: memref<2x160xbf16>, %y: memref<5x20xf32>) {
  compress.tile_contract #compress.float_dot<m = 2, n = 16, element = bf16, isa = avx512_bf16>
      lhs(%x : memref<5x9xbf16>) panels(%w : memref<2x160xbf16>) outs(%y : memref<5x20xf32>) {maps = []} epilogue {
  ^bb0(%p: f32):
    compress.yield %p : f32
  }
  return
}
