// One row by many columns fits the 16 registers of AVX2: nothing of a step is
// in memory but its operands.

// RUN: compress-opt %s --compress-to-llvm=target-cpu=x86-64-v3 | %stock_translate --mlir-to-llvmir | opt -O3 | %stock_llc -O3 -o %t.s
// RUN: FileCheck %s --input-file=%t.s --implicit-check-not='ymm{{[0-9]+}}{{.*}}Spill' --implicit-check-not='Reload{{.*}}ymm'

// CHECK-LABEL: row:
// CHECK-DAG: vpmaddubsw
// CHECK-DAG: prefetcht0
// CHECK-DAG: vfmadd
func.func @row(%x: memref<1x4096xi8>, %w: memref<2x55296xi8>, %y: memref<1x48xf32>) {
  compress.tile_contract #compress.block_dot<m = 1, n = 24, lhsType = i8, bits = 4, block = 32, scale = f16, zeroPoints = false, isa = avx2>
      lhs(%x : memref<1x4096xi8>) panels(%w : memref<2x55296xi8>) outs(%y : memref<1x48xf32>) {maps = []} epilogue {
  ^bb0(%p: f32):
    compress.yield %p : f32
  }
  return
}
