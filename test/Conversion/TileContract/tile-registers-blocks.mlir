// Codes with block scales in tile registers: they are unpacked to bytes in
// memory, once for all rows where the sizes are known; the sums of a block pass
// through memory, and are scaled and added as everywhere.

// RUN: compress-opt %s --compress-lower-tile-contracts --canonicalize --cse | FileCheck %s
// RUN: compress-opt %s --compress-to-llvm=target-cpu=sapphirerapids | %stock_translate --mlir-to-llvmir | opt -O3 | %stock_llc -O3 -o %t.s
// RUN: FileCheck %s --check-prefix=ASM --input-file=%t.s

// A panel is unpacked to signed codes before the loop over its rows, behind f32
// scales. Nothing is left to be taken away, so that no row has sums.
// CHECK-LABEL: func.func @half_bytes(
// CHECK-DAG: %[[SCRATCH:.*]] = memref.alloc() {alignment = 64 : i64} : memref<512xf32>
// CHECK-DAG: %[[CODES:.*]] = memref.alloc() {alignment = 64 : i64} : memref<1728xi8>
// CHECK-NOT: memref.alloc
// CHECK: scf.for
// CHECK: arith.extf %{{.*}} : vector<16xf16> to vector<16xf32>
// CHECK: arith.subi %{{.*}} : vector<64xi8>
// CHECK: vector.store %{{.*}}, %[[CODES]]
// CHECK: scf.for
// CHECK-NOT: arith.shrui
// CHECK: "llvm.x86.tilezero.internal"
// CHECK: %[[RIGHT:.*]] = llvm.call_intrinsic "llvm.x86.tileloadd64.internal"(%c8_i16, %c64_i16,
// CHECK: %[[LEFT:.*]] = llvm.call_intrinsic "llvm.x86.tileloadd64.internal"(%c16_i16, %c32_i16,
// CHECK: "llvm.x86.tdpbssd.internal"(%c16_i16, %c64_i16, %c32_i16, %{{.*}}, %[[LEFT]], %[[RIGHT]])
// CHECK: "llvm.x86.tilestored64.internal"
// CHECK-COUNT-16: vector.load %[[SCRATCH]]
// CHECK: arith.sitofp %{{.*}} : vector<16xi32> to vector<16xf32>
// CHECK: vector.fma
// CHECK: return
// ASM-LABEL: compress_tile_contract:
// ASM: tdpbssd
// ASM: vcvtdq2ps {{.*}}(%{{.*}}), %zmm
func.func @half_bytes(%x: memref<48x96xi8>, %w: memref<2x864xi8>, %y: memref<48x32xf32>) {
  compress.tile_contract #compress.block_dot<m = 16, n = 16, lhsType = i8, bits = 4, block = 32, scale = f16, zeroPoints = false, isa = amx>
      lhs(%x : memref<48x96xi8>) panels(%w : memref<2x864xi8>) outs(%y : memref<48x32xf32>) {maps = []} epilogue {
  ^bb0(%p: f32):
    compress.yield %p : f32
  }
  return
}

// Zero points want unsigned codes, and meet the sums of the rows' blocks.
// CHECK-LABEL: func.func @zero_points(
// CHECK: memref<{{[0-9]+}}x2xi32>
// CHECK: "llvm.x86.tdpbsud.internal"
// CHECK: "llvm.x86.avx512.pmaddw.d.512"
// CHECK: arith.addi
// CHECK: arith.sitofp
// CHECK: return
// ASM-LABEL: compress_tile_contract_0:
// ASM: tdpbsud
func.func @zero_points(%x: memref<37x40xi8>, %w: memref<2x704xi8>, %y: memref<37x32xf32>) {
  compress.tile_contract #compress.block_dot<m = 16, n = 16, lhsType = i8, bits = 4, block = 32, scale = f16, zeroPoints = true, isa = amx>
      lhs(%x : memref<37x40xi8>) panels(%w : memref<2x704xi8>) outs(%y : memref<37x32xf32>) {maps = []} epilogue {
  ^bb0(%p: f32):
    compress.yield %p : f32
  }
  return
}

// Bytes behind f32 scales are read where they are.
// CHECK-LABEL: func.func @bytes(
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<256xf32>
// CHECK-NOT: memref.alloc
// CHECK: "llvm.x86.tdpbssd.internal"
// CHECK: return
func.func @bytes(%x: memref<32x64xi8>, %w: memref<2x1152xi8>, %y: memref<32x32xf32>) {
  compress.tile_contract #compress.block_dot<m = 16, n = 16, lhsType = i8, bits = 8, block = 32, scale = f32, zeroPoints = false, isa = amx>
      lhs(%x : memref<32x64xi8>) panels(%w : memref<2x1152xi8>) outs(%y : memref<32x32xf32>) {maps = []} epilogue {
  ^bb0(%p: f32):
    compress.yield %p : f32
  }
  return
}

// Of a depth that is not known, codes are unpacked for one tile, behind its
// results. 96 products are a whole register and a half.
// CHECK-LABEL: func.func @unknown_depth(
// CHECK: %[[SCRATCH:.*]] = memref.alloc() {alignment = 64 : i64} : memref<512xf32>
// CHECK: vector.store %{{.*}}, %[[SCRATCH]][%c256]
// CHECK: "llvm.x86.tileloadd64.internal"(%c16_i16, %c64_i16,
// CHECK: "llvm.x86.tdpbssd.internal"(%c16_i16, %c64_i16, %c64_i16,
// CHECK: "llvm.x86.tdpbssd.internal"(%c16_i16, %c64_i16, %c32_i16,
// CHECK: return
// ASM-LABEL: compress_tile_contract_2:
// ASM: tdpbssd
// ASM: tdpbssd
func.func @unknown_depth(%x: memref<?x?xi8>, %w: memref<2x?xi8>, %y: memref<?x32xf32>) {
  compress.tile_contract #compress.block_dot<m = 16, n = 16, lhsType = i8, bits = 4, block = 96, scale = f16, zeroPoints = false, isa = amx>
      lhs(%x : memref<?x?xi8>) panels(%w : memref<2x?xi8>) outs(%y : memref<?x32xf32>) {maps = []} epilogue {
  ^bb0(%p: f32):
    compress.yield %p : f32
  }
  return
}

// Long blocks are a loop over registers, four of which share four operands.
// CHECK-LABEL: func.func @long_blocks(
// CHECK: scf.for %{{.*}} iter_args({{.*}}) -> (!llvm.x86_amx, !llvm.x86_amx, !llvm.x86_amx, !llvm.x86_amx)
// CHECK-COUNT-4: "llvm.x86.tdpbssd.internal"
// CHECK: scf.yield
// CHECK-COUNT-4: "llvm.x86.tilestored64.internal"
// CHECK: return
func.func @long_blocks(%x: memref<32x512xi8>, %w: memref<1x8256xi8>, %y: memref<32x32xf32>) {
  compress.tile_contract #compress.block_dot<m = 32, n = 32, lhsType = i8, bits = 4, block = 512, scale = f16, zeroPoints = false, isa = amx>
      lhs(%x : memref<32x512xi8>) panels(%w : memref<1x8256xi8>) outs(%y : memref<32x32xf32>) {maps = []} epilogue {
  ^bb0(%p: f32):
    compress.yield %p : f32
  }
  return
}
