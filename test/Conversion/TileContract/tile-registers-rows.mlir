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

// Windows: an image with its padding, in which all pixels of a line are at one
// distance; four lines more, for the rows of a register behind the last pixel.
// Zeros are around it once for all images. A stride is a distance of two pixels.
// CHECK-LABEL: func.func @windows(
// CHECK-DAG: %[[DISTANCE:.*]] = arith.constant 128 : i64
// CHECK-DAG: %[[IMAGE:.*]] = memref.alloc() {{.*}} : memref<13x9x64xi8>
// CHECK-DAG: %[[LINE:.*]] = memref.collapse_shape %[[IMAGE]] {{.*}} into memref<7488xi8>
// CHECK-DAG: vector.store %{{.*}}, %[[LINE]]
// CHECK: scf.for
// CHECK: vector.store %{{.*}}, %[[LINE]]
// CHECK: %[[LEFT:.*]] = llvm.call_intrinsic "llvm.x86.tileloadd64.internal"(%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %[[DISTANCE]])
// CHECK: "llvm.x86.tdpbusd.internal"
// CHECK: return
func.func @windows(%x: memref<3x7x7x64xi8>, %w: memref<1x18560xi8>, %y: memref<3x4x4x32xi32>) {
  compress.tile_contract #compress.int_dot<m = 16, n = 32, lhsType = ui8, isa = amx>
      lhs(%x : memref<3x7x7x64xi8>) panels(%w : memref<1x18560xi8>) outs(%y : memref<3x4x4x32xi32>)
      {maps = [], window = #compress.window<sizes = [3, 3], strides = [2, 2], dilations = [1, 1], pads = [1, 1]>} epilogue {
  ^bb0(%sum: i32):
    compress.yield %sum : i32
  }
  return
}
