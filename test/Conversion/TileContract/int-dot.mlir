// Products of 8-bit integers: the instructions of every instruction set, never
// the saturating product of bytes; rows copied and shifted where the kernel
// wants them so, tails of rows and columns.

// DEFINE: %{isa} = generic
// DEFINE: %{lower} = sed -e 's/ISA/%{isa}/' %s | compress-opt --compress-lower-tile-contracts --canonicalize --cse
// RUN: %{lower} | FileCheck %s --check-prefixes=CHECK,PLAIN,GENERIC
// REDEFINE: %{isa} = avx2
// RUN: %{lower} | FileCheck %s --check-prefixes=CHECK,PLAIN,AVX2
// REDEFINE: %{isa} = avx_vnni
// RUN: %{lower} | FileCheck %s --check-prefixes=CHECK,SHIFTED,AVXVNNI
// REDEFINE: %{isa} = avx512
// RUN: %{lower} | FileCheck %s --check-prefixes=CHECK,PLAIN,AVX512
// REDEFINE: %{isa} = avx512_vnni
// RUN: %{lower} | FileCheck %s --check-prefixes=CHECK,SHIFTED,AVX512VNNI
// REDEFINE: %{isa} = avx512_vnni_gfni
// RUN: %{lower} | FileCheck %s --check-prefixes=CHECK,SHIFTED,AVX512VNNI
// RUN: sed -e 's/ISA/avx2/' %s | compress-opt --compress-lower-tile-contracts | FileCheck %s --check-prefix=NEVER
// RUN: sed -e 's/ISA/avx512/' %s | compress-opt --compress-lower-tile-contracts | FileCheck %s --check-prefix=NEVER
// RUN: sed -e 's/ISA/avx512_vnni/' %s | compress-opt --compress-lower-tile-contracts | FileCheck %s --check-prefix=NEVER
// NEVER-NOT: pmadd.ub.sw
// NEVER-NOT: pmaddubs
// NEVER-NOT: vpdpbusds

// Five rows of nine codes in a buffer of whole tiles and steps; zeros behind
// them, and 128 more where the instruction takes unsigned bytes.
// CHECK-LABEL: func.func @rows(
// SHIFTED: arith.constant dense<-128> : vector<1xi8>
// CHECK: %[[STAGE:.*]] = memref.alloc() {alignment = 64 : i64} : memref<6x12xi8>
// CHECK: memref.load %{{.*}} : memref<5x9xi8>
// SHIFTED: arith.addi %{{.*}} : vector<1xi8>
// PLAIN-NOT: arith.addi %{{.*}} : vector<1xi8>
// CHECK: vector.store %{{.*}}, %[[STAGE]]
// CHECK: memref.store %{{.*}}, %[[STAGE]]
// Two panels; tiles of two rows, then the last row.
// CHECK: scf.for %{{.*}} = %c0 to %c2 step %c1
// CHECK: scf.for %{{.*}} = %c0 to %c4 step %c2
// The sums of the columns come first.
// CHECK: vector.load %{{.*}} : memref<2x256xi8>
// CHECK: scf.for %{{.*}} = %c0 to %c3 step %c1 iter_args
// GENERIC-COUNT-32: arith.muli %{{.*}} : vector<4xi32>
// AVX2-COUNT-8: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
// AVXVNNI-COUNT-4: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.256"(%{{.*}}) : (vector<8xi32>, vector<32xi8>, vector<32xi8>) -> vector<8xi32>
// AVX512-COUNT-4: llvm.call_intrinsic "llvm.x86.avx512.pmaddw.d.512"
// AVX512VNNI-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%{{.*}}) : (vector<16xi32>, vector<64xi8>, vector<64xi8>) -> vector<16xi32>
// CHECK: scf.yield
// Twenty columns: a mask for the second panel.
// CHECK: vector.create_mask
// CHECK: vector.maskedload %{{.*}} : memref<20xf32>
// CHECK: arith.sitofp
// CHECK: vector.maskedstore
// CHECK: memref.dealloc %[[STAGE]]
func.func @rows(%x: memref<5x9xi8>, %w: memref<2x256xi8>, %s: memref<20xf32>, %y: memref<5x20xf32>) {
  compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = i8, isa = ISA>
      lhs(%x : memref<5x9xi8>) panels(%w : memref<2x256xi8>) extras(%s : memref<20xf32>) outs(%y : memref<5x20xf32>)
      {maps = [affine_map<(m, n) -> (n)>]} epilogue {
  ^bb0(%sum: i32, %scale: f32):
    %0 = arith.sitofp %sum : i32 to f32
    %1 = arith.mulf %0, %scale : f32
    compress.yield %1 : f32
  }
  return
}

// Unsigned codes in whole steps and tiles: no copy, no mask, no shift.
// CHECK-LABEL: func.func @whole(
// CHECK-NOT: memref.alloc
// CHECK-NOT: mask
// CHECK: vector.load %arg0[{{.*}}] : memref<4x8xi8>, vector<4xi8>
// PLAIN: vector.store %{{.*}} : memref<4x32xf32>
// SHIFTED: vector.store %{{.*}} : memref<4x32xf32>
// CHECK-NOT: mask
// CHECK: return
func.func @whole(%x: memref<4x8xi8>, %w: memref<2x192xi8>, %y: memref<4x32xf32>) {
  compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = ui8, isa = ISA>
      lhs(%x : memref<4x8xi8>) panels(%w : memref<2x192xi8>) outs(%y : memref<4x32xf32>) {maps = []} epilogue {
  ^bb0(%sum: i32):
    %0 = arith.sitofp %sum : i32 to f32
    compress.yield %0 : f32
  }
  return
}

// Sizes of run time: parts of a tile of 7 rows by the bits of what is left.
// CHECK-LABEL: func.func @dynamic(
// CHECK: scf.for %{{.*}} step %c7
// CHECK: arith.andi %{{.*}}, %c4
// CHECK: scf.if
// CHECK: arith.andi %{{.*}}, %c2
// CHECK: scf.if
// CHECK: arith.andi %{{.*}}, %c1
// CHECK: scf.if
func.func @dynamic(%x: memref<?x?xi8, strided<[?, ?]>>, %w: memref<?x?xi8>, %y: memref<?x?xi32, strided<[1, ?]>>) {
  compress.tile_contract #compress.int_dot<m = 7, n = 16, lhsType = i8, isa = ISA>
      lhs(%x : memref<?x?xi8, strided<[?, ?]>>) panels(%w : memref<?x?xi8>) outs(%y : memref<?x?xi32, strided<[1, ?]>>) {maps = []} epilogue {
  ^bb0(%sum: i32):
    compress.yield %sum : i32
  }
  return
}

// Threads: pieces of the rows; of the panels where there are few rows; of the
// batches. The buffers are those of a task.
// CHECK-LABEL: func.func @threads(
// CHECK: scf.forall (%{{.*}}) in (3) {
// CHECK: memref.alloc
// CHECK: memref.dealloc
// CHECK: } {compress.threads = 3 : i64}
// CHECK: scf.forall (%{{.*}}) in (2) {
// CHECK: memref.alloc
// CHECK: memref.dealloc
// CHECK: } {compress.threads = 2 : i64}
// CHECK: scf.forall (%{{.*}}) in (2) {
// CHECK: } {compress.threads = 2 : i64}
func.func @threads(%x: memref<14x9xi8>, %w: memref<3x256xi8>, %y: memref<14x40xi32>,
                   %v: memref<2x9xi8>, %z: memref<2x40xi32>,
                   %b: memref<3x4x8xi8>, %wb: memref<3x192xi8>, %yb: memref<3x4x16xi32>) {
  compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = i8, isa = ISA>
      lhs(%x : memref<14x9xi8>) panels(%w : memref<3x256xi8>) outs(%y : memref<14x40xi32>) {maps = [], threads = 3 : i64} epilogue {
  ^bb0(%sum: i32):
    compress.yield %sum : i32
  }
  compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = i8, isa = ISA>
      lhs(%v : memref<2x9xi8>) panels(%w : memref<3x256xi8>) outs(%z : memref<2x40xi32>) {maps = [], threads = 2 : i64} epilogue {
  ^bb0(%sum: i32):
    compress.yield %sum : i32
  }
  compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = ui8, isa = ISA>
      lhs(%b : memref<3x4x8xi8>) panels(%wb : memref<3x192xi8>) outs(%yb : memref<3x4x16xi32>) {maps = [], batches = 1 : i64, threads = 2 : i64} epilogue {
  ^bb0(%sum: i32):
    compress.yield %sum : i32
  }
  return
}

// An image with strides between its channels, and six of them: copied by who
// uses it, in whole steps. One that can be read in place is.
// CHECK-LABEL: func.func @windows(
// CHECK: %[[IMAGE:.*]] = memref.alloc() {alignment = 64 : i64} : memref<6x6x8xi8>
// CHECK: vector.load %[[IMAGE]]
// CHECK: memref.dealloc %[[IMAGE]]
// CHECK: vector.load %{{.*}} : memref<1x6x6x8xi8>, vector<4xi8>
// CHECK: return
func.func @windows(%x: memref<1x6x6x6xi8, strided<[432, 72, 12, 2]>>, %v: memref<1x6x6x8xi8>, %w: memref<1x1216xi8>, %y: memref<1x4x4x16xi32>) {
  compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = ui8, isa = ISA>
      lhs(%x : memref<1x6x6x6xi8, strided<[432, 72, 12, 2]>>) panels(%w : memref<1x1216xi8>) outs(%y : memref<1x4x4x16xi32>)
      {maps = [], window = #compress.window<sizes = [3, 3], strides = [1, 1], dilations = [1, 1], pads = [0, 0]>} epilogue {
  ^bb0(%sum: i32):
    compress.yield %sum : i32
  }
  compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = ui8, isa = ISA>
      lhs(%v : memref<1x6x6x8xi8>) panels(%w : memref<1x1216xi8>) outs(%y : memref<1x4x4x16xi32>)
      {maps = [], window = #compress.window<sizes = [3, 3], strides = [1, 1], dilations = [1, 1], pads = [0, 0]>} epilogue {
  ^bb0(%sum: i32):
    compress.yield %sum : i32
  }
  return
}

// Images that are quantized: a copy of one of them, as codes, for all panels and
// lines of it; five channels become eight. A tap outside adds its sum times the
// zero point.
// CHECK-LABEL: func.func @quantized_windows(
// CHECK-SAME: %[[X:.*]]: memref<3x5x5xf32>
// CHECK-DAG: %[[IMAGE:.*]] = memref.alloc() {{.*}} : memref<5x8xi8>
// CHECK-DAG: %[[CODES:.*]] = memref.alloc() {{.*}} : memref<25xi8>
// CHECK-DAG: %[[LINE:.*]] = memref.collapse_shape %[[X]] {{.*}} into memref<3x25xf32>
// CHECK-DAG: %[[POINT:.*]] = memref.alloc() {{.*}} : memref<1xi32>
// CHECK: scf.for
// CHECK: vector.load %[[LINE]]
// CHECK: memref.store %{{.*}}, %[[POINT]]
// CHECK: vector.store %{{.*}}, %[[CODES]]
// CHECK: vector.load %[[CODES]]
// CHECK: memref.load %[[POINT]]
// CHECK: arith.muli {{.*}} : vector<{{.*}}xi32>
func.func @quantized_windows(%x: memref<3x5x5xf32>, %w: memref<1x640xi8>, %y: memref<3x5x16xf32>) {
  compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = ui8, isa = ISA>
      lhs(%x : memref<3x5x5xf32>) panels(%w : memref<1x640xi8>) outs(%y : memref<3x5x16xf32>)
      {maps = [], quantize = #compress.affine<ui8, asymmetric>, window = #compress.window<sizes = [3], strides = [1], dilations = [1], pads = [1]>} epilogue {
  ^bb0(%sum: i32, %s: f32, %z: i32):
    %f = arith.sitofp %sum : i32 to f32
    compress.yield %f : f32
  }
  return
}
