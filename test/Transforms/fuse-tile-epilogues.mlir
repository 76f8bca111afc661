// RUN: compress-opt %s --compress-fuse-tile-epilogues --canonicalize --cse | FileCheck %s

#kernel = #compress.int_dot<m = 4, n = 32, lhsType = i8, isa = avx512_vnni>
#row = affine_map<(m, n) -> (m, n)>
#rows = affine_map<(m, n) -> (m)>
#column = affine_map<(m, n) -> (n)>
#one = affine_map<(m, n) -> (0, n)>

// CHECK-DAG: #[[$N:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[$M:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[$MN:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$COLUMN:.*]] = affine_map<(d0, d1, d2, d3) -> (d3)>
// CHECK-DAG: #[[$OUTER:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>

// Bias, ReLU and quantization are one epilogue, and only codes are stored. The
// bias stands behind the contraction and is moved.
// CHECK-LABEL: func @chain
// CHECK-SAME: (%[[X:.*]]: tensor<8x64xi8>, %[[W:.*]]: tensor<2x2176xi8>, %[[BIAS:.*]]: tensor<1x40xf16>)
// CHECK: %[[WIDE:.*]] = arith.extf %[[BIAS]]
// CHECK: %[[B:.*]] = tensor.extract_slice %[[WIDE]][0, 0] [1, 40] [1, 1] : tensor<1x40xf32> to tensor<40xf32>
// CHECK: %[[Q:.*]] = compress.tile_contract {{.*}} extras(%[[B]] : tensor<40xf32>) outs({{.*}} : tensor<8x40xi8>) {maps = [#[[$N]]]} epilogue {
// CHECK: ^bb0(%[[SUM:.*]]: i32, %[[E:.*]]: f32):
// CHECK: %[[F:.*]] = arith.sitofp %[[SUM]]
// CHECK: %[[A:.*]] = arith.addf %[[F]], %[[E]]
// CHECK: %[[R:.*]] = arith.maximumf %[[A]]
// CHECK: %[[D:.*]] = math.roundeven %[[R]]
// CHECK: %[[I:.*]] = arith.fptosi %[[D]] : f32 to i8
// CHECK: compress.yield %[[I]] : i8
// CHECK: -> tensor<8x40xi8>
// CHECK-NOT: linalg.generic
// CHECK: return %[[Q]]
func.func @chain(%x: tensor<8x64xi8>, %w: tensor<2x2176xi8>, %bias: tensor<1x40xf16>) -> tensor<8x40xi8> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x40xf32>
  %y = compress.tile_contract #kernel lhs(%x : tensor<8x64xi8>) panels(%w : tensor<2x2176xi8>) outs(%e : tensor<8x40xf32>) {maps = []} epilogue {
  ^bb0(%sum: i32):
    %f = arith.sitofp %sum : i32 to f32
    compress.yield %f : f32
  } -> tensor<8x40xf32>
  %wide = arith.extf %bias : tensor<1x40xf16> to tensor<1x40xf32>
  %b = linalg.generic {indexing_maps = [#row, #one, #row], iterator_types = ["parallel", "parallel"]} ins(%y, %wide : tensor<8x40xf32>, tensor<1x40xf32>) outs(%e : tensor<8x40xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %0 = arith.addf %a, %c : f32
    %1 = arith.maximumf %0, %zero : f32
    linalg.yield %1 : f32
  } -> tensor<8x40xf32>
  %eq = tensor.empty() : tensor<8x40xi8>
  %q = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<8x40xf32>) outs(%eq : tensor<8x40xi8>) {
  ^bb0(%a: f32, %o: i8):
    %0 = math.roundeven %a : f32
    %1 = arith.fptosi %0 : f32 to i8
    linalg.yield %1 : i8
  } -> tensor<8x40xi8>
  return %q : tensor<8x40xi8>
}

// The sum is used twice: two outs. The loops of the consumer are in another
// order than the dimensions, and it adds to its destination.
// CHECK-LABEL: func @two
// CHECK-SAME: (%[[X:.*]]: tensor<8x64xi8>, %[[W:.*]]: tensor<2x2176xi8>, %[[S:.*]]: tensor<8xf32>, %[[R:.*]]: tensor<8x40xf32>)
// CHECK: %[[Y:.*]]:2 = compress.tile_contract {{.*}} extras(%[[S]], %[[R]] : tensor<8xf32>, tensor<8x40xf32>) outs({{.*}} : tensor<8x40xf32>, tensor<8x40xf32>) {maps = [#[[$M]], #[[$MN]]]}
// CHECK: ^bb0(%[[SUM:.*]]: i32, %[[E:.*]]: f32, %[[O:.*]]: f32):
// CHECK: %[[F:.*]] = arith.sitofp
// CHECK: %[[M:.*]] = arith.mulf %[[F]], %[[E]]
// CHECK: %[[A:.*]] = arith.addf %[[M]], %[[O]]
// CHECK: compress.yield %[[F]], %[[A]] : f32, f32
// CHECK: return %[[Y]]#0, %[[Y]]#1
func.func @two(%x: tensor<8x64xi8>, %w: tensor<2x2176xi8>, %s: tensor<8xf32>, %r: tensor<8x40xf32>) -> (tensor<8x40xf32>, tensor<8x40xf32>) {
  %e = tensor.empty() : tensor<8x40xf32>
  %y = compress.tile_contract #kernel lhs(%x : tensor<8x64xi8>) panels(%w : tensor<2x2176xi8>) outs(%e : tensor<8x40xf32>) {maps = []} epilogue {
  ^bb0(%sum: i32):
    %f = arith.sitofp %sum : i32 to f32
    compress.yield %f : f32
  } -> tensor<8x40xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(n, m) -> (m, n)>, affine_map<(n, m) -> (m)>, affine_map<(n, m) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%y, %s : tensor<8x40xf32>, tensor<8xf32>) outs(%r : tensor<8x40xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %0, %o : f32
    linalg.yield %1 : f32
  } -> tensor<8x40xf32>
  return %y, %z : tensor<8x40xf32>, tensor<8x40xf32>
}

// Behind an expansion with a dynamic dimension: operands are joined.
// CHECK-LABEL: func @expanded
// CHECK-SAME: %[[BIAS:arg2]]: tensor<5x8xf32>, %[[T:arg3]]: tensor<?x4xf32>
// CHECK: %[[B:.*]] = tensor.collapse_shape %[[BIAS]] {{\[\[}}0, 1]]
// CHECK: %[[C:.*]] = tensor.collapse_shape %[[T]] {{\[\[}}0, 1]]
// CHECK: %[[Y:.*]] = compress.tile_contract {{.*}} extras(%[[B]], %[[C]] : tensor<40xf32>, tensor<?xf32>) outs({{.*}} : tensor<?x40xf16>) {maps = [#[[$N]], #[[$M]]]}
// CHECK: %[[R:.*]] = tensor.expand_shape %[[Y]] {{\[\[}}0, 1], [2, 3]] output_shape [%{{.*}}, 4, 5, 8] : tensor<?x40xf16>
// CHECK: return %[[R]]
func.func @expanded(%x: tensor<?x64xi8>, %w: tensor<2x2176xi8>, %bias: tensor<5x8xf32>, %t: tensor<?x4xf32>, %batches: index, %rows: index) -> tensor<?x4x5x8xf16> {
  %e = tensor.empty(%rows) : tensor<?x40xf32>
  %y = compress.tile_contract #kernel lhs(%x : tensor<?x64xi8>) panels(%w : tensor<2x2176xi8>) outs(%e : tensor<?x40xf32>) {maps = []} epilogue {
  ^bb0(%sum: i32):
    %f = arith.sitofp %sum : i32 to f32
    compress.yield %f : f32
  } -> tensor<?x40xf32>
  %h = tensor.expand_shape %y [[0, 1], [2, 3]] output_shape [%batches, 4, 5, 8] : tensor<?x40xf32> into tensor<?x4x5x8xf32>
  %eh = tensor.empty(%batches) : tensor<?x4x5x8xf16>
  %z = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (c, d)>, affine_map<(a, b, c, d) -> (a, b)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%h, %bias, %t : tensor<?x4x5x8xf32>, tensor<5x8xf32>, tensor<?x4xf32>) outs(%eh : tensor<?x4x5x8xf16>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f16):
    %0 = arith.addf %a, %b : f32
    %1 = arith.mulf %0, %c : f32
    %2 = arith.truncf %1 : f32 to f16
    linalg.yield %2 : f16
  } -> tensor<?x4x5x8xf16>
  return %z : tensor<?x4x5x8xf16>
}

// Behind a collapse: dimensions are split, but not for a unit dimension.
// CHECK-LABEL: func @collapsed
// CHECK-SAME: %[[BIAS:arg2]]: tensor<40xf32>, %[[R:arg3]]: tensor<6x40xf32>
// CHECK: %[[S:.*]] = tensor.expand_shape %[[R]] {{\[\[}}0, 1], [2]] output_shape [2, 3, 40]
// CHECK: %[[Y:.*]] = compress.tile_contract {{.*}} extras(%[[BIAS]], %[[S]] : tensor<40xf32>, tensor<2x3x40xf32>) outs({{.*}} : tensor<2x3x1x40xf32>) {maps = [#[[$COLUMN]], #[[$OUTER]]]}
// CHECK: %[[Z:.*]] = tensor.collapse_shape %[[Y]] {{\[\[}}0, 1], [2, 3]]
// CHECK: return %[[Z]]
func.func @collapsed(%x: tensor<2x3x1x64xi8>, %w: tensor<2x2176xi8>, %bias: tensor<40xf32>, %r: tensor<6x40xf32>) -> tensor<6x40xf32> {
  %e = tensor.empty() : tensor<2x3x1x40xf32>
  %y = compress.tile_contract #kernel lhs(%x : tensor<2x3x1x64xi8>) panels(%w : tensor<2x2176xi8>) outs(%e : tensor<2x3x1x40xf32>) {maps = []} epilogue {
  ^bb0(%sum: i32):
    %f = arith.sitofp %sum : i32 to f32
    compress.yield %f : f32
  } -> tensor<2x3x1x40xf32>
  %h = tensor.collapse_shape %y [[0, 1], [2, 3]] : tensor<2x3x1x40xf32> into tensor<6x40xf32>
  %eh = tensor.empty() : tensor<6x40xf32>
  %z = linalg.generic {indexing_maps = [#row, #column, #row, #row], iterator_types = ["parallel", "parallel"]} ins(%h, %bias, %r : tensor<6x40xf32>, tensor<40xf32>, tensor<6x40xf32>) outs(%eh : tensor<6x40xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    %1 = arith.addf %0, %c : f32
    linalg.yield %1 : f32
  } -> tensor<6x40xf32>
  return %z : tensor<6x40xf32>
}

// What reads two contractions is part of the second.
// CHECK-LABEL: func @residual
// CHECK: %[[Y:.*]] = compress.tile_contract
// CHECK-NOT: extras
// CHECK: compress.tile_contract {{.*}} extras(%[[Y]] : tensor<8x40xf32>)
// CHECK: arith.addf
// CHECK-NOT: linalg.generic
func.func @residual(%x: tensor<8x64xi8>, %w: tensor<2x2176xi8>, %v: tensor<2x2176xi8>) -> tensor<8x40xf32> {
  %e = tensor.empty() : tensor<8x40xf32>
  %y = compress.tile_contract #kernel lhs(%x : tensor<8x64xi8>) panels(%w : tensor<2x2176xi8>) outs(%e : tensor<8x40xf32>) {maps = []} epilogue {
  ^bb0(%sum: i32):
    %f = arith.sitofp %sum : i32 to f32
    compress.yield %f : f32
  } -> tensor<8x40xf32>
  %y2 = compress.tile_contract #kernel lhs(%x : tensor<8x64xi8>) panels(%v : tensor<2x2176xi8>) outs(%e : tensor<8x40xf32>) {maps = []} epilogue {
  ^bb0(%sum: i32):
    %f = arith.sitofp %sum : i32 to f32
    compress.yield %f : f32
  } -> tensor<8x40xf32>
  %z = linalg.generic {indexing_maps = [#row, #row, #row], iterator_types = ["parallel", "parallel"]} ins(%y, %y2 : tensor<8x40xf32>, tensor<8x40xf32>) outs(%e : tensor<8x40xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<8x40xf32>
  return %z : tensor<8x40xf32>
}
