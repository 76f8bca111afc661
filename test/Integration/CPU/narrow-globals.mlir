// Weights of four bits in globals: three bytes for five of them in the compiled
// module, never a buffer of i4, and each element where it was put, whatever
// vectorizes.

// RUN: compress-run %s
// RUN: compress-run %s --jit-opt-level=0
// RUN: sed 's/exit = portable/exit = decode/' %s | compress-run
// RUN: compress-run %s --pipeline='builtin.module(inline,canonicalize,cse,compress-expand-encodings,canonicalize,cse)'

// RUN: compress-opt %s --compress-to-llvm | FileCheck %s --check-prefix=SIZE
// SIZE: llvm.mlir.global private {{.*}}@{{.*}}dense<[-31, -61, 7]> : tensor<3xi8>
// SIZE-SAME: !llvm.array<3 x i8>

// What goes to the LLVM conversions has no elements of four bits in memory.
// RUN: compress-opt %s --compress-to-llvm=stop-at-loops | FileCheck %s --check-prefix=LOOPS
// RUN: compress-opt %S/narrow-integers.mlir --compress-to-llvm=stop-at-loops | FileCheck %s --check-prefix=LOOPS
// RUN: compress-opt %S/ragged-blocks.mlir --compress-to-llvm=stop-at-loops | FileCheck %s --check-prefix=LOOPS
// LOOPS: memref<{{.*}}xi8
// LOOPS-NOT: memref<{{[^>]*}}xi4
// LOOPS-NOT: memref<i4
// LOOPS-NOT: tensor<{{[^>]*}}xi4

#i4 = #compress.affine<i4>
#portable = #compress.strategy<exit = portable>

ml_program.global private @w(#compress.encoded<[dense<[1, -2, 3, -4, 7]> : tensor<5xi4>, dense<1.0> : tensor<f32>]> : tensor<5xf32, #i4>) : tensor<5xf32, #i4>

func.func private @at(%i: index) -> f32 {
  %w = ml_program.global_load_const @w : tensor<5xf32, #i4>
  %v = tensor.extract %w[%i] : tensor<5xf32, #i4>
  return %v : f32
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %e = arith.constant dense<[1.0, -2.0, 3.0, -4.0, 7.0]> : tensor<5xf32>
  %empty = tensor.empty() : tensor<5xf32>
  %y = scf.for %i = %c0 to %c5 step %c1 iter_args(%t = %empty) -> tensor<5xf32> {
    %v = func.call @at(%i) : (index) -> f32
    %u = tensor.insert %v into %t[%i] : tensor<5xf32>
    scf.yield %u : tensor<5xf32>
  }
  compress_check.expect_eq %y, %e : tensor<5xf32>

  // Whole, as codes and decoded.
  %w = ml_program.global_load_const @w : tensor<5xf32, #i4>
  %codes = compress.component %w["values"] : tensor<5xf32, #i4> -> tensor<5xi4>
  %wide = arith.extsi %codes : tensor<5xi4> to tensor<5xi32>
  %ints = arith.constant dense<[1, -2, 3, -4, 7]> : tensor<5xi32>
  compress_check.expect_eq %wide, %ints : tensor<5xi32>
  %d = compress.decode %w : tensor<5xf32, #i4> -> tensor<5xf32>
  compress_check.expect_eq %d, %e : tensor<5xf32>

  // 1 - 4 + 9 - 16 + 35.
  %x = arith.constant dense<[[1.0, 2.0, 3.0, 4.0, 5.0]]> : tensor<1x5xf32>
  %xh = compress_check.hide %x : tensor<1x5xf32>
  %zero = arith.constant dense<0.0> : tensor<1xf32>
  %p = linalg.matvec {compress.strategy = #portable} ins(%xh, %w : tensor<1x5xf32>, tensor<5xf32, #i4>)
      outs(%zero : tensor<1xf32>) -> tensor<1xf32>
  %sum = arith.constant dense<25.0> : tensor<1xf32>
  compress_check.expect_eq %p, %sum : tensor<1xf32>
  return
}
