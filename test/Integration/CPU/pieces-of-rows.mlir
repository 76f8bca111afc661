// Products in pieces of rows, which small caches make, give what whole rows
// give, bit for bit, on any number of threads, with several results, a residual
// and codes of the next layer in the epilogue.

// RUN: rm -rf %t && mkdir %t
// DEFINE: %{l2} = 1048576
// DEFINE: %{threads} = 1
// DEFINE: %{name} = whole
// DEFINE: %{run} = compress-run %s --no-lowering \
// DEFINE:   --pipeline='builtin.module(compress-set-target{l2=%{l2}},compress-to-llvm{threads=%{threads}})' \
// DEFINE:   --input=random:149x331 --input=random:331x197 --input=random:149x197 \
// DEFINE:   --output=%t/y-%{name}.npy --output=%t/q-%{name}.npy
// RUN: %{run}
// REDEFINE: %{l2} = 4096
// REDEFINE: %{name} = pieces
// RUN: %{run}
// RUN: cmp %t/y-whole.npy %t/y-pieces.npy && cmp %t/q-whole.npy %t/q-pieces.npy
// REDEFINE: %{l2} = 256
// REDEFINE: %{threads} = 3
// RUN: %{run}
// RUN: cmp %t/y-whole.npy %t/y-pieces.npy && cmp %t/q-whole.npy %t/q-pieces.npy

// There are pieces, with sums of floats between them, and one loop for both
// results.
// RUN: compress-opt %s --pass-pipeline='builtin.module(compress-set-target{cpu=x86-64-v4 l2=4096},compress-select-strategy{native},compress-lower-contractions,compress-linalg-to-llvm{stop-at-loops})' \
// RUN:   | FileCheck %s
// CHECK-LABEL: func.func @main(
// CHECK: %[[SUMS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<7x{{[0-9]+}}xf32>
// CHECK: vector.store %{{.*}}, %[[SUMS]]

func.func @main(%x: tensor<149x331xf32>, %w: tensor<331x197xf32>,
                %residual: tensor<149x197xf32>)
    -> (tensor<149x197xf32>, tensor<149x197xi8>) {
  %zero = arith.constant 0.0 : f32
  %inverse = arith.constant 3.0 : f32
  %low = arith.constant -128.0 : f32
  %high = arith.constant 127.0 : f32
  %empty = tensor.empty() : tensor<149x197xf32>
  %codes = tensor.empty() : tensor<149x197xi8>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<149x197xf32>) -> tensor<149x197xf32>
  %y = linalg.matmul ins(%x, %w : tensor<149x331xf32>, tensor<331x197xf32>)
      outs(%init : tensor<149x197xf32>) -> tensor<149x197xf32>
  %r:2 = linalg.generic {
      indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>,
                       affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%y, %residual : tensor<149x197xf32>, tensor<149x197xf32>)
      outs(%empty, %codes : tensor<149x197xf32>, tensor<149x197xi8>) {
  ^bb0(%a: f32, %b: f32, %o: f32, %c: i8):
    %sum = arith.addf %a, %b : f32
    %scaled = arith.mulf %sum, %inverse : f32
    %round = math.roundeven %scaled : f32
    %above = arith.maximumf %round, %low : f32
    %below = arith.minimumf %above, %high : f32
    %code = arith.fptosi %below : f32 to i8
    linalg.yield %sum, %code : f32, i8
  } -> (tensor<149x197xf32>, tensor<149x197xi8>)
  return %r#0, %r#1 : tensor<149x197xf32>, tensor<149x197xi8>
}
