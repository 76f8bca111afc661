// Loops are emitted by what the addresses of outputs depend on, whatever the
// iterator types say: a reduction may address an output, and a parallel loop
// none.

// RUN: compress-run %s
// RUN: compress-run %s --jit-opt-level=0

#both = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

func.func @main() {
  %c = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0],
    [10.0, 11.0, 12.0], [13.0, 14.0, 15.0]]> : tensor<5x3xf32>
  %x = compress_check.hide %c : tensor<5x3xf32>
  %zeros = arith.constant dense<0.0> : tensor<5xf32>
  %ints = arith.constant dense<0> : tensor<5xindex>

  // A reduction that addresses the output, innermost and outermost.
  %0 = linalg.generic
      {indexing_maps = [#both, #both], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<5x3xf32>) outs(%x : tensor<5x3xf32>) {
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<5x3xf32>
  %1 = linalg.generic
      {indexing_maps = [#both, #both], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<5x3xf32>) outs(%x : tensor<5x3xf32>) {
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<5x3xf32>
  %doubled = arith.constant dense<[[2.0, 4.0, 6.0], [8.0, 10.0, 12.0],
    [14.0, 16.0, 18.0], [20.0, 22.0, 24.0], [26.0, 28.0, 30.0]]> : tensor<5x3xf32>
  compress_check.expect_eq %0, %doubled : tensor<5x3xf32>
  compress_check.expect_eq %1, %doubled : tensor<5x3xf32>

  // The same with a second output that is a sum.
  %2:2 = linalg.generic
      {indexing_maps = [#both, #both, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<5x3xf32>) outs(%x, %ints : tensor<5x3xf32>, tensor<5xindex>) {
  ^bb0(%a: f32, %b: f32, %n: index):
    %j = linalg.index 1 : index
    %s = arith.addi %n, %j : index
    %t = arith.addf %a, %b : f32
    linalg.yield %t, %s : f32, index
  } -> (tensor<5x3xf32>, tensor<5xindex>)
  %threes = arith.constant dense<3> : tensor<5xindex>
  compress_check.expect_eq %2#0, %doubled : tensor<5x3xf32>
  compress_check.expect_eq %2#1, %threes : tensor<5xindex>

  // A parallel loop that addresses no output.
  %3 = linalg.generic
      {indexing_maps = [#both, #row], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<5x3xf32>) outs(%zeros : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<5xf32>
  %sums = arith.constant dense<[6.0, 15.0, 24.0, 33.0, 42.0]> : tensor<5xf32>
  compress_check.expect_eq %3, %sums : tensor<5xf32>
  return
}
