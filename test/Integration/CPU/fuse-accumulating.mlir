// A producer that adds to its output must not be computed again for each
// element of a consumer that reads it several times.

// RUN: compress-run %s
// RUN: compress-run %s --jit-opt-level=0

#row = affine_map<(i) -> (i)>

func.func @main() {
  %c = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %d = arith.constant dense<[10.0, 20.0, 30.0]> : tensor<3xf32>
  %x = compress_check.hide %c : tensor<3xf32>
  %y = compress_check.hide %d : tensor<3xf32>
  %sum = linalg.generic
      {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
      ins(%x : tensor<3xf32>) outs(%y : tensor<3xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %b, %a : f32
    linalg.yield %s : f32
  } -> tensor<3xf32>
  %empty = tensor.empty() : tensor<2x3xf32>
  %rows = linalg.broadcast ins(%sum : tensor<3xf32>) outs(%empty : tensor<2x3xf32>)
    dimensions = [0]
  %expected = arith.constant dense<[[11.0, 22.0, 33.0], [11.0, 22.0, 33.0]]> : tensor<2x3xf32>
  compress_check.expect_eq %rows, %expected : tensor<2x3xf32>
  return
}
