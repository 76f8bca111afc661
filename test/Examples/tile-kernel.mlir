// The tile kernel of examples/tile-kernel, a dialect plugin, is chosen by hand,
// lowered, and computes what plain loops compute: weights known at compile time
// and at run time, tails of rows (5 by 2) and columns (10 and 9 by 8), a window.

// DEFINE: %{opt} = compress-opt --load-dialect-plugin=%obj_root/lib/ExampleTileKernel.so
// RUN: %{opt} %s --compress-lower-contractions | FileCheck %s --check-prefix=OP
// RUN: %{opt} %s --compress-to-llvm='target-cpu=x86-64-v3 stop-at-loops' | FileCheck %s --check-prefix=LOOPS

// RUN: %{opt} %s --compress-to-llvm=target-cpu=x86-64 | compress-run --no-lowering --print > %t.kernel
// RUN: sed -e 's/attrs = {compress.strategy.*>>} {/{/; s/ {compress.strategy = .*>>} ins/ ins/' %s | compress-run --target-cpu=x86-64 --print > %t.loops
// RUN: diff %t.kernel %t.loops
// RUN: FileCheck %s --check-prefix=NUMBERS --input-file=%t.kernel
// REQUIRES: x86_64
// UNSUPPORTED: sanitizer

// What the kernel cannot be is refused where it is read.
// RUN: sed -e 's/m = 2, n = 8/m = 2, n = 9/' %s | not %{opt} 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: error: m must be from 1 to 14 and n a multiple of 8 up to 32, but they are 2 and 9

// OP: compress.tile_contract #example.outer_product<m = 2, n = 8> lhs(%{{.*}} : tensor<5x3xf32>) panels(%{{.*}} : tensor<2x24xf32>)
// OP: compress.tile_contract #example.outer_product<m = 2, n = 8> lhs(%{{.*}} : tensor<5x10xf32>) panels(%{{.*}} : tensor<2x80xf32>)
// OP: compress.tile_contract #example.outer_product<m = 2, n = 8> lhs(%{{.*}} : tensor<1x7x2xf32>)
// LOOPS-LABEL: func.func @main
// LOOPS: vector.fma %{{.*}} : vector<8xf32>
// LOOPS: vector.maskedstore
// NUMBERS: result #0: 5x9xf32 = {{\[\[}}857, 244, 917, -857, -244, -917, 857,
// NUMBERS: result #1: 1x5x1xf32 = {{\[\[\[}}42], [7], [37], [20], [27]]]
func.func @main() -> (tensor<5x9xf32>, tensor<1x5x1xf32>) {
  %zero = arith.constant 0.0 : f32
  %x_known = arith.constant dense<[[1.0, -2.0, 3.0], [4.0, 5.0, -6.0], [7.0, 8.0, 9.0], [-1.0, 0.0, 2.0], [3.0, 1.0, 1.0]]> : tensor<5x3xf32>
  %x = compress_check.hide %x_known : tensor<5x3xf32>
  %w = arith.constant dense<[[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0],
                             [-3.0, 1.0, 4.0, 1.0, -5.0, 9.0, 2.0, 6.0, 5.0, 3.0],
                             [2.0, 7.0, 1.0, 8.0, 2.0, 8.0, 1.0, 8.0, 2.0, 8.0]]> : tensor<3x10xf32>
  %e0 = tensor.empty() : tensor<5x10xf32>
  %i0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<5x10xf32>) -> tensor<5x10xf32>
  %y = linalg.matmul {compress.strategy = #compress.strategy<exit = native, kernel = #example.outer_product<m = 2, n = 8>>} ins(%x, %w : tensor<5x3xf32>, tensor<3x10xf32>) outs(%i0 : tensor<5x10xf32>) -> tensor<5x10xf32>

  // Weights that only the running program has: a part of %w and its negatives.
  %minus = arith.negf %w : tensor<3x10xf32>
  %v0 = tensor.concat dim(0) %w, %minus, %w : (tensor<3x10xf32>, tensor<3x10xf32>, tensor<3x10xf32>) -> tensor<9x10xf32>
  %v = compress_check.hide %v0 : tensor<9x10xf32>
  %e1 = tensor.empty() : tensor<5x9xf32>
  %i1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<5x9xf32>) -> tensor<5x9xf32>
  %z = linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%y, %v : tensor<5x10xf32>, tensor<9x10xf32>) outs(%i1 : tensor<5x9xf32>)
      attrs = {compress.strategy = #compress.strategy<exit = native, kernel = #example.outer_product<m = 2, n = 8>>} {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<5x9xf32>

  // A window of three positions and two channels.
  %image_known = arith.constant dense<[[[1.0, 2.0], [3.0, -1.0], [0.0, 4.0], [2.0, 2.0], [5.0, 1.0], [-3.0, 3.0], [1.0, 6.0]]]> : tensor<1x7x2xf32>
  %image = compress_check.hide %image_known : tensor<1x7x2xf32>
  %filter = arith.constant dense<[[[1.0], [2.0]], [[3.0], [-4.0]], [[5.0], [6.0]]]> : tensor<3x2x1xf32>
  %e2 = tensor.empty() : tensor<1x5x1xf32>
  %i2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<1x5x1xf32>) -> tensor<1x5x1xf32>
  %c = linalg.conv_1d_nwc_wcf {compress.strategy = #compress.strategy<exit = native, kernel = #example.outer_product<m = 2, n = 8>>} ins(%image, %filter : tensor<1x7x2xf32>, tensor<3x2x1xf32>) outs(%i2 : tensor<1x5x1xf32>) -> tensor<1x5x1xf32>
  return %z, %c : tensor<5x9xf32>, tensor<1x5x1xf32>
}
