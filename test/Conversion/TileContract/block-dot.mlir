// Codes with block scales: the instructions of every instruction set. Half bytes
// are unpacked by a mask and a shift, or one product of bit matrices; sums are
// integers within a block, and one conversion and one multiplication follow it.

// DEFINE: %{isa} = generic
// DEFINE: %{lower} = sed -e 's/ISA/%{isa}/' %s | compress-opt --compress-set-target="cpu=x86-64-v4" --compress-lower-tile-contracts --canonicalize --cse
// RUN: %{lower} | FileCheck %s --check-prefixes=CHECK,GENERIC
// REDEFINE: %{isa} = avx2
// RUN: %{lower} | FileCheck %s --check-prefixes=CHECK,AVX2
// REDEFINE: %{isa} = avx_vnni
// RUN: %{lower} | FileCheck %s --check-prefixes=CHECK,AVXVNNI
// REDEFINE: %{isa} = avx512
// RUN: %{lower} | FileCheck %s --check-prefixes=CHECK,AVX512
// REDEFINE: %{isa} = avx512_vnni
// RUN: %{lower} | FileCheck %s --check-prefixes=CHECK,VNNI,SHIFT
// REDEFINE: %{isa} = avx512_vnni_gfni
// RUN: %{lower} | FileCheck %s --check-prefixes=CHECK,VNNI,GFNI

// Four bits, unsigned in the panel: 15 * 128 * 2 fits 16 bits, so that the
// product of bytes cannot saturate. Sums of the rows' blocks, times -8, are
// where the sums start.
// CHECK-LABEL: func.func @half_bytes(
// CHECK-DAG: %[[STAGE:.*]] = memref.alloc() {alignment = 64 : i64} : memref<3x64xi8>
// CHECK-DAG: %[[SUMS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<3x2xi32>
// CHECK: vector.reduction <add>
// CHECK: memref.store %{{.*}}, %[[SUMS]]
// CHECK: scf.for %{{.*}} = %c0 to %c2 step %c1 iter_args(%{{.*}}f32>)
// CHECK: memref.load %[[SUMS]]
// CHECK: vector.load %{{.*}} : memref<2x576xi8>
// CHECK: arith.andi
// GENERIC: arith.shrui %{{.*}} : vector<4xi32>
// GENERIC: arith.muli %{{.*}} : vector<4xi32>
// GENERIC-NOT: call_intrinsic
// AVX2: arith.shrui %{{.*}} : vector<8xi32>
// AVX2: "llvm.x86.avx2.pmadd.ub.sw"
// AVX2: "llvm.x86.avx2.pmadd.wd"
// AVXVNNI: "llvm.x86.avx512.vpdpbusd.256"
// AVX512: "llvm.x86.avx512.pmaddubs.w.512"
// AVX512: "llvm.x86.avx512.pmaddw.d.512"
// SHIFT: arith.shrui %{{.*}} : vector<16xi32>
// GFNI: "llvm.x86.vgf2p8affineqb.512"
// VNNI: "llvm.x86.avx512.vpdpbusd.512"
// The block ends.
// CHECK: arith.extf %{{.*}}xf16> to vector
// CHECK: arith.sitofp
// CHECK: scf.yield
// CHECK-NOT: arith.extf
// CHECK: return
func.func @half_bytes(%x: memref<3x40xi8>, %w: memref<2x576xi8>, %y: memref<3x32xf32>) {
  compress.tile_contract #compress.block_dot<m = 3, n = 16, lhsType = i8, bits = 4, block = 32, scale = f16, zeroPoints = false, isa = ISA>
      lhs(%x : memref<3x40xi8>) panels(%w : memref<2x576xi8>) outs(%y : memref<3x32xf32>) {maps = []} epilogue {
  ^bb0(%p: f32):
    compress.yield %p : f32
  }
  return
}

// A byte each, of the full range: never the saturating product.
// CHECK-LABEL: func.func @bytes(
// CHECK-NOT: pmadd.ub.sw
// CHECK-NOT: pmaddubs
// AVX2: "llvm.x86.avx2.pmadd.wd"
// AVX512: "llvm.x86.avx512.pmaddw.d.512"
// AVXVNNI: "llvm.x86.avx512.vpdpbusd.256"
// VNNI: "llvm.x86.avx512.vpdpbusd.512"
// CHECK-NOT: pmadd.ub.sw
// CHECK-NOT: pmaddubs
// CHECK: return
func.func @bytes(%x: memref<3x40xi8>, %w: memref<2x1152xi8>, %y: memref<3x32xf32>) {
  compress.tile_contract #compress.block_dot<m = 3, n = 16, lhsType = i8, bits = 8, block = 32, scale = f32, zeroPoints = false, isa = ISA>
      lhs(%x : memref<3x40xi8>) panels(%w : memref<2x1152xi8>) outs(%y : memref<3x32xf32>) {maps = []} epilogue {
  ^bb0(%p: f32):
    compress.yield %p : f32
  }
  return
}

// A zero point for each column and block meets the sum of the row's block.
// CHECK-LABEL: func.func @zero_points(
// GENERIC: arith.muli
// AVX2: "llvm.x86.avx2.pmadd.wd"
// AVXVNNI: "llvm.x86.avx512.vpdpwssd.256"
// AVX512: "llvm.x86.avx512.pmaddw.d.512"
// VNNI: "llvm.x86.avx512.vpdpwssd.512"
// CHECK: return
func.func @zero_points(%x: memref<3x40xi8>, %w: memref<2x704xi8>, %y: memref<3x32xf32>) {
  compress.tile_contract #compress.block_dot<m = 3, n = 16, lhsType = i8, bits = 4, block = 32, scale = f16, zeroPoints = true, isa = ISA>
      lhs(%x : memref<3x40xi8>) panels(%w : memref<2x704xi8>) outs(%y : memref<3x32xf32>) {maps = []} epilogue {
  ^bb0(%p: f32):
    compress.yield %p : f32
  }
  return
}

// Float rows: codes become floats, fused products; no sums of rows.
// CHECK-LABEL: func.func @floats(
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<3x64xf32>
// CHECK-NOT: memref.alloc
// CHECK: arith.sitofp
// AVX2: vector.fma %{{.*}} : vector<8xf32>
// VNNI: vector.fma %{{.*}} : vector<16xf32>
// CHECK-NOT: call_intrinsic
// CHECK: return
func.func @floats(%x: memref<3x40xf32>, %w: memref<2x576xi8>, %y: memref<3x32xf32>) {
  compress.tile_contract #compress.block_dot<m = 3, n = 16, lhsType = f32, bits = 4, block = 32, scale = f16, zeroPoints = false, isa = ISA>
      lhs(%x : memref<3x40xf32>) panels(%w : memref<2x576xi8>) outs(%y : memref<3x32xf32>) {maps = []} epilogue {
  ^bb0(%p: f32):
    compress.yield %p : f32
  }
  return
}

// Rows quantized on the way: their scale and zero point are arguments of the
// epilogue. Blocks of more than 64 products are loops.
// CHECK-LABEL: func.func @quantized(
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<3x128xi8>
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<3xf32>
// CHECK: vector.reduction <maxsi>
// CHECK: vector.reduction <maxui>
// CHECK: arith.divf %{{.*}} : f32
// CHECK: math.roundeven
// CHECK: scf.for %{{.*}} = %c0 to %c2 step %c1 iter_args
// CHECK: return
func.func @quantized(%x: memref<3x100xf32>, %w: memref<2x1056xi8>, %y: memref<3x32xbf16>) {
  compress.tile_contract #compress.block_dot<m = 3, n = 16, lhsType = i8, bits = 4, block = 128, scale = f16, zeroPoints = false, isa = ISA>
      lhs(%x : memref<3x100xf32>) panels(%w : memref<2x1056xi8>) outs(%y : memref<3x32xbf16>)
      {maps = [], quantize = #compress.affine<i8, block = [1, *]>} epilogue {
  ^bb0(%p: f32, %s: f32):
    %0 = arith.mulf %p, %s : f32
    %1 = arith.truncf %0 : f32 to bf16
    compress.yield %1 : bf16
  }
  return
}
