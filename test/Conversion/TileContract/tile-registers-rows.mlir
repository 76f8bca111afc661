// Products of tile registers with every number of rows, known and unknown: a
// function has one configuration of its registers, so that all have all rows.
// Rows in a buffer, where nothing behind the last one is read from elsewhere.

// RUN: compress-opt %s --compress-lower-tile-contracts --canonicalize --cse | FileCheck %s
// RUN: compress-opt %s --compress-to-llvm=target-cpu=sapphirerapids | %stock_translate --mlir-to-llvmir | opt -O3 | %stock_llc -O3 -o %t.s
// RUN: FileCheck %s --check-prefix=ASM --input-file=%t.s

// CHECK-LABEL: func.func @dynamic(
// CHECK: memref.alloc() {{.*}} : memref<{{[0-9]+}}x128xi8>
// CHECK-DAG: "llvm.x86.tileloadd64.internal"
// CHECK-DAG: "llvm.x86.tdpbssd.internal"
// CHECK: return
// ASM-LABEL: compress_tile_contract:
// ASM: tdpbssd
func.func @dynamic(%x: memref<?x100xi8>, %w: memref<2x4224xi8>, %y: memref<?x40xi32>) {
  compress.tile_contract #compress.int_dot<m = 32, n = 32, lhsType = i8, isa = amx>
      lhs(%x : memref<?x100xi8>) panels(%w : memref<2x4224xi8>) outs(%y : memref<?x40xi32>) {maps = []} epilogue {
  ^bb0(%sum: i32):
    compress.yield %sum : i32
  }
  return
}

// Unsigned codes in whole steps: in place if all registers are full.
// CHECK-LABEL: func.func @rows_37(
// CHECK: memref.alloc() {{.*}} : memref<{{[0-9]+}}x128xi8>
// CHECK: "llvm.x86.tdpbusd.internal"
// CHECK-LABEL: func.func @rows_48(
// CHECK-NOT: memref.alloc() {{.*}} : memref<{{[0-9]+}}x128xi8>
// CHECK: "llvm.x86.tdpbusd.internal"
// ASM-LABEL: compress_tile_contract_0:
// ASM: tdpbusd
// ASM-LABEL: compress_tile_contract_1:
// ASM: tdpbusd
func.func @rows_37(%x: memref<37x128xi8>, %w: memref<2x4224xi8>, %y: memref<37x64xi32>) {
  compress.tile_contract #compress.int_dot<m = 32, n = 32, lhsType = ui8, isa = amx>
      lhs(%x : memref<37x128xi8>) panels(%w : memref<2x4224xi8>) outs(%y : memref<37x64xi32>) {maps = []} epilogue {
  ^bb0(%sum: i32):
    compress.yield %sum : i32
  }
  return
}
func.func @rows_48(%x: memref<48x128xi8>, %w: memref<2x4224xi8>, %y: memref<48x64xi32>) {
  compress.tile_contract #compress.int_dot<m = 32, n = 32, lhsType = ui8, isa = amx>
      lhs(%x : memref<48x128xi8>) panels(%w : memref<2x4224xi8>) outs(%y : memref<48x64xi32>) {maps = []} epilogue {
  ^bb0(%sum: i32):
    compress.yield %sum : i32
  }
  return
}
