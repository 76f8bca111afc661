// RUN: compress-opt %s --linalg-generalize-named-ops --compress-fuse-elementwise | FileCheck %s --check-prefixes=CHECK,FOUR
// RUN: compress-opt %s --linalg-generalize-named-ops --compress-fuse-elementwise="max-recompute=16" | FileCheck %s --check-prefixes=CHECK,SIXTEEN
// RUN: not compress-opt %s --compress-fuse-elementwise="max-recompute=0" 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: error: compress-fuse-elementwise: option 'max-recompute' is 0, it must be 1 or more

#id = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func.func @chain(
// CHECK: linalg.generic
// CHECK: arith.sitofp
// CHECK: arith.mulf
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @chain(%q: tensor<?x8xi8>, %s: tensor<?x8xf32>, %e: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%q : tensor<?x8xi8>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%a: i8, %o: f32):
    %f = arith.sitofp %a : i8 to f32
    linalg.yield %f : f32
  } -> tensor<?x8xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %s : tensor<?x8xf32>, tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}

// Each weight is read by 4 rows: fused by either limit.
// CHECK-LABEL: func.func @few_rows(
// CHECK: linalg.generic
// CHECK: arith.sitofp
// CHECK: arith.mulf
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @few_rows(%x: tensor<4x8xf32>, %q: tensor<8x6xi8>, %e: tensor<8x6xf32>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%q : tensor<8x6xi8>) outs(%e : tensor<8x6xf32>) {
  ^bb0(%a: i8, %o: f32):
    %f = arith.sitofp %a : i8 to f32
    linalg.yield %f : f32
  } -> tensor<8x6xf32>
  %r = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x6xf32>) outs(%c : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

// By 16 rows: the default limit of 4 keeps the weights apart.
// CHECK-LABEL: func.func @more_rows(
// FOUR: linalg.generic
// FOUR: arith.sitofp
// FOUR: linalg.generic
// SIXTEEN: linalg.generic
// SIXTEEN: arith.sitofp
// SIXTEEN-NOT: linalg.generic
// CHECK: return
func.func @more_rows(%x: tensor<16x8xf32>, %q: tensor<8x6xi8>, %e: tensor<8x6xf32>, %c: tensor<16x6xf32>) -> tensor<16x6xf32> {
  %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%q : tensor<8x6xi8>) outs(%e : tensor<8x6xf32>) {
  ^bb0(%a: i8, %o: f32):
    %f = arith.sitofp %a : i8 to f32
    linalg.yield %f : f32
  } -> tensor<8x6xf32>
  %r = linalg.matmul ins(%x, %w : tensor<16x8xf32>, tensor<8x6xf32>) outs(%c : tensor<16x6xf32>) -> tensor<16x6xf32>
  return %r : tensor<16x6xf32>
}

// By nobody knows how many.
// CHECK-LABEL: func.func @dynamic_rows(
// CHECK: linalg.generic
// CHECK: arith.sitofp
// CHECK: linalg.generic
// CHECK: arith.mulf
func.func @dynamic_rows(%x: tensor<?x8xf32>, %q: tensor<8x6xi8>, %e: tensor<8x6xf32>, %c: tensor<?x6xf32>) -> tensor<?x6xf32> {
  %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%q : tensor<8x6xi8>) outs(%e : tensor<8x6xf32>) {
  ^bb0(%a: i8, %o: f32):
    %f = arith.sitofp %a : i8 to f32
    linalg.yield %f : f32
  } -> tensor<8x6xf32>
  %r = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x6xf32>) outs(%c : tensor<?x6xf32>) -> tensor<?x6xf32>
  return %r : tensor<?x6xf32>
}
