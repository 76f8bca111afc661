// The named pipeline: its options, what is left at each end, what it refuses.

// RUN: compress-opt %s --split-input-file --compress-linalg-to-llvm --verify-diagnostics | FileCheck %s --check-prefix=LLVM
// RUN: compress-opt %s --split-input-file --compress-linalg-to-llvm="stop-at-loops=true" | FileCheck %s --check-prefix=LOOPS
// RUN: compress-opt %s --split-input-file --compress-linalg-to-llvm="threading=none" --verify-diagnostics | FileCheck %s --check-prefix=NONE
// RUN: not compress-opt %s --compress-linalg-to-llvm="no-such-option=1" 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: no-such-option

// LLVM-LABEL: llvm.func @main(
// LLVM-SAME: compress.signature = (tensor<?x8xf32>) -> tensor<?x8xf32>
// LLVM-NOT: unrealized_conversion_cast
// LLVM: llvm.return
// LOOPS-LABEL: func.func @main(
// LOOPS: memref.alloc
// LOOPS: scf.for
// LOOPS: math.roundeven
// LOOPS: return
func.func @main(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = math.roundeven %x : tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// -----

// Tensors of nibbles are held in bytes.

// LLVM-LABEL: llvm.func @nibbles(
// LLVM: llvm.load {{.*}} -> i8
// LLVM: llvm.trunc {{.*}} : i8 to i4
func.func @nibbles(%x: tensor<8xi4>) -> i4 {
  %c0 = arith.constant 0 : index
  %0 = tensor.extract %x[%c0] : tensor<8xi4>
  return %0 : i4
}

// -----

// Buffers of nibbles have two layouts and are refused.

// expected-error@+1 {{memref<8xi4>}}
func.func @nibbleBuffer(%x: memref<8xi4>) -> i4 {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{accesses memory of type 'memref<8xi4>' whose elements are not whole bytes}}
  %0 = memref.load %x[%c0] : memref<8xi4>
  return %0 : i4
}

// -----

// A loop marked for threads keeps its mark to the end of the loops; one that is
// not is sequential.

// LLVM-LABEL: llvm.func @threads(
// LLVM: llvm.call @compress_parallel_for(
// LLVM-NOT: llvm.call @compress_parallel_for(
// LLVM: llvm.func internal @threads_parallel(
// LOOPS-LABEL: func.func @threads(
// LOOPS: scf.forall
// LOOPS: } {compress.threads = 2 : i64}
// LOOPS-NOT: scf.forall
// LOOPS: scf.for
// NONE-LABEL: llvm.func @threads(
// NONE-NOT: @compress_parallel_for
func.func @threads(%x: tensor<8xf32>, %m: memref<?xf32>, %n: index, %v: f32) -> tensor<8xf32> {
  %y = scf.forall (%i) = (0) to (8) step (2) shared_outs(%o = %x) -> tensor<8xf32> {
    %a = tensor.extract_slice %x[%i] [2] [1] : tensor<8xf32> to tensor<2xf32>
    %b = math.exp %a : tensor<2xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %b into %o[%i] [2] [1] : tensor<2xf32> into tensor<8xf32>
    }
  } {compress.threads = 2 : i64}
  scf.forall (%i) in (%n) {
    memref.store %v, %m[%i] : memref<?xf32>
  }
  return %y : tensor<8xf32>
}
