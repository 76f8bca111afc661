// scf.forall loops with compress.threads become functions of ranges of tasks.

// RUN: compress-opt %s --split-input-file --compress-lower-parallel-loops | FileCheck %s
// RUN: compress-opt %s --split-input-file --compress-lower-parallel-loops=threading=none | FileCheck %s --check-prefix=NONE
// RUN: compress-opt %s --split-input-file --compress-lower-parallel-loops=threading=openmp | FileCheck %s --check-prefix=OMP
// RUN: compress-opt %s --split-input-file --compress-lower-parallel-loops=keep-marked=true | FileCheck %s --check-prefix=KEEP

// Memrefs of any layout, scalars and vectors are passed; constants and globals
// are made anew.

// NONE-NOT: compress_parallel_for
// NONE-NOT: omp.parallel
// NONE-NOT: scf.forall

// CHECK: func.func private @compress_parallel_for(!llvm.ptr, !llvm.ptr, i64, i64)
memref.global "private" constant @table : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>

// CHECK-LABEL: func.func @captures(
// CHECK-SAME: %[[X:.*]]: memref<?x8xf32, strided<[?, 1], offset: ?>>, %[[Y:.*]]: memref<?x8xbf16>, %[[N:.*]]: index, %[[S:.*]]: bf16, %{{.*}}: vector<8xf32>
// CHECK: %[[CTX:.*]] = llvm.alloca %{{.*}} x !llvm.struct<([[D:struct<\(ptr, ptr, i64, array<2 x i64>, array<2 x i64>\)>]], vector<8xf32>, bf16, [[D]])>
// CHECK: %[[XD:.*]] = builtin.unrealized_conversion_cast %[[X]] : {{.*}} to !llvm.[[D]]
// CHECK: %[[F0:.*]] = llvm.getelementptr %[[CTX]][0, 0]
// CHECK: llvm.store %[[XD]], %[[F0]]
// CHECK: llvm.getelementptr %[[CTX]][0, 2]
// CHECK: llvm.store %[[S]],
// CHECK: %[[F:.*]] = constant @captures_parallel : (!llvm.ptr, i64, i64) -> ()
// CHECK: %[[P:.*]] = builtin.unrealized_conversion_cast %[[F]] : (!llvm.ptr, i64, i64) -> () to !llvm.ptr
// CHECK: %[[COUNT:.*]] = arith.index_cast %{{.*}} : index to i64
// CHECK: %[[T:.*]] = arith.constant 3 : i64
// CHECK: call @compress_parallel_for(%[[P]], %[[CTX]], %[[COUNT]], %[[T]])
// CHECK-NEXT: return

// CHECK: func.func private @captures_parallel(%[[C:.*]]: !llvm.ptr, %[[BEGIN:.*]]: i64, %[[END:.*]]: i64) attributes {llvm.linkage = #llvm.linkage<internal>}
// CHECK-DAG: arith.constant 0 : index
// CHECK-DAG: memref.get_global @table
// CHECK: %[[XF:.*]] = llvm.getelementptr %[[C]][0, 0]
// CHECK: %[[XL:.*]] = llvm.load %[[XF]] : !llvm.ptr -> !llvm.[[D]]
// CHECK: builtin.unrealized_conversion_cast %[[XL]] : {{.*}} to memref<?x8xf32, strided<[?, 1], offset: ?>>
// CHECK: %[[B:.*]] = arith.index_cast %[[BEGIN]] : i64 to index
// CHECK: %[[E:.*]] = arith.index_cast %[[END]] : i64 to index
// CHECK: scf.for %{{.*}} = %[[B]] to %[[E]]
// CHECK: vector.load

// OMP-LABEL: func.func @captures(
// OMP: %[[T:.*]] = arith.constant 3 : i32
// OMP: omp.parallel num_threads(%[[T]] : i32) {
// OMP: omp.wsloop {
// OMP: omp.loop_nest (%{{.*}}) : i64 = (%{{.*}}) to (%{{.*}}) step (%{{.*}}) {
// OMP: call @captures_parallel(%{{.*}}, %{{.*}}, %{{.*}}) : (!llvm.ptr, i64, i64) -> ()

// NONE-LABEL: func.func @captures(
// NONE: scf.for
func.func @captures(%x: memref<?x8xf32, strided<[?, 1], offset: ?>>,
                    %y: memref<?x8xbf16>, %n: index, %s: bf16, %v: vector<8xf32>) {
  %c0 = arith.constant 0 : index
  %t = memref.get_global @table : memref<4xf32>
  scf.forall (%i) in (%n) {
    %row = vector.load %x[%i, %c0] : memref<?x8xf32, strided<[?, 1], offset: ?>>, vector<8xf32>
    %e = memref.load %t[%c0] : memref<4xf32>
    %b = vector.broadcast %e : f32 to vector<8xf32>
    %sum = arith.addf %row, %v : vector<8xf32>
    %sum2 = arith.addf %sum, %b : vector<8xf32>
    %half = arith.truncf %sum2 : vector<8xf32> to vector<8xbf16>
    %bs = vector.broadcast %s : bf16 to vector<8xbf16>
    %r = arith.addf %half, %bs : vector<8xbf16>
    vector.store %r, %y[%i, %c0] : memref<?x8xbf16>, vector<8xbf16>
  } {compress.threads = 3 : i64}
  return
}

// -----

// Several dimensions, bounds and steps; a buffer of the body is one buffer of
// the range.

// CHECK-LABEL: func.func @dimensions(
// CHECK: arith.ceildivsi
// CHECK: arith.maxsi
// CHECK: arith.muli
// CHECK: call @compress_parallel_for
// CHECK: func.func private @dimensions_parallel(
// CHECK: memref.alloca() : memref<16xf32>
// CHECK: scf.for %[[TASK:.*]] =
// CHECK: arith.remui %[[TASK]]
// CHECK: %[[OUTER:.*]] = arith.divui %[[TASK]]
// CHECK: arith.addi
// CHECK-NOT: memref.alloca()
// CHECK: scf.for
func.func @dimensions(%m: memref<?x?xf32>, %a: index, %b: index, %step: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.forall (%i, %j) = (%a, 2) to (%b, 40) step (%step, 3) {
    %buffer = memref.alloca() : memref<16xf32>
    scf.for %k = %c0 to %c16 step %c1 {
      %x = memref.load %m[%i, %j] : memref<?x?xf32>
      memref.store %x, %buffer[%k] : memref<16xf32>
    }
    %y = memref.load %buffer[%c1] : memref<16xf32>
    memref.store %y, %m[%i, %j] : memref<?x?xf32>
  } {compress.threads = 2 : i64}
  return
}

// -----

// One thread or no mark at all: loops. So are the inner ones of a marked loop,
// and a marked one inside of them is still a call.

// CHECK-LABEL: func.func @sequential(
// CHECK-NOT: call
// CHECK: scf.for
// CHECK: scf.for
// CHECK: scf.for
// CHECK: call @compress_parallel_for
// CHECK: return
// CHECK: func.func private @sequential_parallel(
// CHECK-NOT: call
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NOT: call
// CHECK: return
func.func @sequential(%m: memref<?xf32>, %x: f32, %n: index) {
  scf.forall (%i) in (%n) {
    memref.store %x, %m[%i] : memref<?xf32>
  } {compress.threads = 1 : i64}
  scf.forall (%i) in (%n) {
    memref.store %x, %m[%i] : memref<?xf32>
  }
  scf.forall (%i) in (%n) {
    scf.forall (%j) in (%n) {
      scf.forall (%k) in (%n) {
        memref.store %x, %m[%k] : memref<?xf32>
      } {compress.threads = 2 : i64}
    } {compress.threads = 4 : i64}
  }
  return
}

// -----

// Nothing is passed to a body that uses nothing; names do not clash.

// CHECK-LABEL: func.func private @empty_parallel()
// CHECK-LABEL: func.func @empty(
// CHECK: %[[CTX:.*]] = llvm.mlir.zero : !llvm.ptr
// CHECK: call @compress_parallel_for(%{{.*}}, %[[CTX]],
// CHECK: func.func private @empty_parallel_0(
func.func private @empty_parallel()
func.func @empty() {
  scf.forall (%i) in (0) {
    func.call @empty_parallel() : () -> ()
  } {compress.threads = 2 : i64}
  return
}

// -----

// One task.

// CHECK-LABEL: func.func @scalar(
// CHECK-NEXT: memref.store
// CHECK-NEXT: memref.store
// CHECK-NEXT: return
func.func @scalar(%m: memref<f32>, %x: f32) {
  scf.forall () in () {
    memref.store %x, %m[] : memref<f32>
  } {compress.threads = 2 : i64}
  scf.forall () in () {
    memref.store %x, %m[] : memref<f32>
  }
  return
}

// -----

// Before the passes on loops: those that are marked stay.

// KEEP-LABEL: func.func @keep(
// KEEP: scf.for
// KEEP: scf.forall
// KEEP-NOT: scf.forall
// KEEP: scf.for
// KEEP: } {compress.threads = 2 : i64}
func.func @keep(%m: memref<?xf32>, %x: f32, %n: index) {
  scf.forall (%i) in (%n) {
    memref.store %x, %m[%i] : memref<?xf32>
  }
  scf.forall (%i) in (%n) {
    scf.forall (%j) in (%n) {
      memref.store %x, %m[%j] : memref<?xf32>
    } {compress.threads = 2 : i64}
  } {compress.threads = 2 : i64}
  return
}
