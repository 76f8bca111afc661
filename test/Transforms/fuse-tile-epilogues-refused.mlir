// What compress-fuse-tile-epilogues leaves alone.
// RUN: compress-opt %s --compress-fuse-tile-epilogues --canonicalize --cse | FileCheck %s

#kernel = #compress.int_dot<m = 4, n = 32, lhsType = i8, isa = avx512_vnni>
#row = affine_map<(m, n) -> (m, n)>
#flipped = affine_map<(m, n) -> (n, m)>
#column = affine_map<(m, n) -> (n)>

func.func private @bias() -> tensor<40xf32>

// A function without instructions would be called for each element.
// CHECK-LABEL: func @call
// CHECK: compress.tile_contract
// CHECK: linalg.generic
func.func @call(%x: tensor<8x64xi8>, %w: tensor<2x2176xi8>) -> tensor<8x40xf32> {
  %e = tensor.empty() : tensor<8x40xf32>
  %y = compress.tile_contract #kernel lhs(%x : tensor<8x64xi8>) panels(%w : tensor<2x2176xi8>) outs(%e : tensor<8x40xf32>) {maps = []} epilogue {
  ^bb0(%sum: i32):
    %f = arith.sitofp %sum : i32 to f32
    compress.yield %f : f32
  } -> tensor<8x40xf32>
  %z = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<8x40xf32>) outs(%e : tensor<8x40xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  } -> tensor<8x40xf32>
  return %z : tensor<8x40xf32>
}

// The index of the element is not known to an epilogue.
// CHECK-LABEL: func @index
// CHECK: compress.tile_contract
// CHECK: linalg.generic
func.func @index(%x: tensor<8x64xi8>, %w: tensor<2x2176xi8>) -> tensor<8x40xf32> {
  %e = tensor.empty() : tensor<8x40xf32>
  %y = compress.tile_contract #kernel lhs(%x : tensor<8x64xi8>) panels(%w : tensor<2x2176xi8>) outs(%e : tensor<8x40xf32>) {maps = []} epilogue {
  ^bb0(%sum: i32):
    %f = arith.sitofp %sum : i32 to f32
    compress.yield %f : f32
  } -> tensor<8x40xf32>
  %z = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<8x40xf32>) outs(%e : tensor<8x40xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    %g = arith.sitofp %j : i32 to f32
    %0 = arith.addf %a, %g : f32
    linalg.yield %0 : f32
  } -> tensor<8x40xf32>
  return %z : tensor<8x40xf32>
}

// Another order of the elements.
// CHECK-LABEL: func @transposed
// CHECK: compress.tile_contract
// CHECK: linalg.generic
func.func @transposed(%x: tensor<8x64xi8>, %w: tensor<2x2176xi8>) -> tensor<40x8xf32> {
  %e = tensor.empty() : tensor<8x40xf32>
  %y = compress.tile_contract #kernel lhs(%x : tensor<8x64xi8>) panels(%w : tensor<2x2176xi8>) outs(%e : tensor<8x40xf32>) {maps = []} epilogue {
  ^bb0(%sum: i32):
    %f = arith.sitofp %sum : i32 to f32
    compress.yield %f : f32
  } -> tensor<8x40xf32>
  %t = tensor.empty() : tensor<40x8xf32>
  %z = linalg.generic {indexing_maps = [#row, #flipped], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<8x40xf32>) outs(%t : tensor<40x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.negf %a : f32
    linalg.yield %0 : f32
  } -> tensor<40x8xf32>
  return %z : tensor<40x8xf32>
}

// Vectors of i1 do not lie in memory as elements do.
// CHECK-LABEL: func @bits
// CHECK: compress.tile_contract
// CHECK: linalg.generic
func.func @bits(%x: tensor<8x64xi8>, %w: tensor<2x2176xi8>) -> tensor<8x40xi1> {
  %e = tensor.empty() : tensor<8x40xf32>
  %y = compress.tile_contract #kernel lhs(%x : tensor<8x64xi8>) panels(%w : tensor<2x2176xi8>) outs(%e : tensor<8x40xf32>) {maps = []} epilogue {
  ^bb0(%sum: i32):
    %f = arith.sitofp %sum : i32 to f32
    compress.yield %f : f32
  } -> tensor<8x40xf32>
  %t = tensor.empty() : tensor<8x40xi1>
  %c = arith.constant 0.0 : f32
  %z = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<8x40xf32>) outs(%t : tensor<8x40xi1>) {
  ^bb0(%a: f32, %o: i1):
    %0 = arith.cmpf ogt, %a, %c : f32
    linalg.yield %0 : i1
  } -> tensor<8x40xi1>
  return %z : tensor<8x40xi1>
}

// The lanes behind the last column would divide by zero.
// CHECK-LABEL: func @division
// CHECK: compress.tile_contract
// CHECK: linalg.generic
func.func @division(%x: tensor<8x64xi8>, %w: tensor<2x2176xi8>, %d: tensor<40xi32>) -> tensor<8x40xi32> {
  %e = tensor.empty() : tensor<8x40xf32>
  %y = compress.tile_contract #kernel lhs(%x : tensor<8x64xi8>) panels(%w : tensor<2x2176xi8>) outs(%e : tensor<8x40xf32>) {maps = []} epilogue {
  ^bb0(%sum: i32):
    %f = arith.sitofp %sum : i32 to f32
    compress.yield %f : f32
  } -> tensor<8x40xf32>
  %t = tensor.empty() : tensor<8x40xi32>
  %z = linalg.generic {indexing_maps = [#row, #column, #row], iterator_types = ["parallel", "parallel"]} ins(%y, %d : tensor<8x40xf32>, tensor<40xi32>) outs(%t : tensor<8x40xi32>) {
  ^bb0(%a: f32, %b: i32, %o: i32):
    %0 = arith.fptosi %a : f32 to i32
    %1 = arith.divsi %0, %b : i32
    linalg.yield %1 : i32
  } -> tensor<8x40xi32>
  return %z : tensor<8x40xi32>
}

// The other operand is computed from the result.
// CHECK-LABEL: func @dependent
// CHECK: compress.tile_contract
// CHECK: linalg.generic
func.func @dependent(%x: tensor<8x64xi8>, %w: tensor<2x2176xi8>) -> tensor<8x40xf32> {
  %e = tensor.empty() : tensor<8x40xf32>
  %y = compress.tile_contract #kernel lhs(%x : tensor<8x64xi8>) panels(%w : tensor<2x2176xi8>) outs(%e : tensor<8x40xf32>) {maps = []} epilogue {
  ^bb0(%sum: i32):
    %f = arith.sitofp %sum : i32 to f32
    compress.yield %f : f32
  } -> tensor<8x40xf32>
  %zero = arith.constant 0.0 : f32
  %et = tensor.empty() : tensor<40xf32>
  %ft = linalg.fill ins(%zero : f32) outs(%et : tensor<40xf32>) -> tensor<40xf32>
  %sum = linalg.reduce ins(%y : tensor<8x40xf32>) outs(%ft : tensor<40xf32>) dimensions = [0]
    (%in: f32, %acc: f32) {
      %0 = arith.addf %in, %acc : f32
      linalg.yield %0 : f32
    }
  %z = linalg.generic {indexing_maps = [#row, #column, #row], iterator_types = ["parallel", "parallel"]} ins(%y, %sum : tensor<8x40xf32>, tensor<40xf32>) outs(%e : tensor<8x40xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<8x40xf32>
  return %z : tensor<8x40xf32>
}

// The other operand has an effect behind the contraction.
// CHECK-LABEL: func @effect
// CHECK: compress.tile_contract
// CHECK: linalg.generic
func.func @effect(%x: tensor<8x64xi8>, %w: tensor<2x2176xi8>) -> tensor<8x40xf32> {
  %e = tensor.empty() : tensor<8x40xf32>
  %y = compress.tile_contract #kernel lhs(%x : tensor<8x64xi8>) panels(%w : tensor<2x2176xi8>) outs(%e : tensor<8x40xf32>) {maps = []} epilogue {
  ^bb0(%sum: i32):
    %f = arith.sitofp %sum : i32 to f32
    compress.yield %f : f32
  } -> tensor<8x40xf32>
  %b = func.call @bias() : () -> tensor<40xf32>
  %z = linalg.generic {indexing_maps = [#row, #column, #row], iterator_types = ["parallel", "parallel"]} ins(%y, %b : tensor<8x40xf32>, tensor<40xf32>) outs(%e : tensor<8x40xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %0 = arith.addf %a, %c : f32
    linalg.yield %0 : f32
  } -> tensor<8x40xf32>
  return %z : tensor<8x40xf32>
}

// The operand varies along a part of the rows only.
// CHECK-LABEL: func @partial
// CHECK: compress.tile_contract
// CHECK: linalg.generic
func.func @partial(%x: tensor<8x64xi8>, %w: tensor<2x2176xi8>, %d: tensor<2xf32>) -> tensor<2x4x40xf32> {
  %e = tensor.empty() : tensor<8x40xf32>
  %y = compress.tile_contract #kernel lhs(%x : tensor<8x64xi8>) panels(%w : tensor<2x2176xi8>) outs(%e : tensor<8x40xf32>) {maps = []} epilogue {
  ^bb0(%sum: i32):
    %f = arith.sitofp %sum : i32 to f32
    compress.yield %f : f32
  } -> tensor<8x40xf32>
  %h = tensor.expand_shape %y [[0, 1], [2]] output_shape [2, 4, 40] : tensor<8x40xf32> into tensor<2x4x40xf32>
  %t = tensor.empty() : tensor<2x4x40xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%h, %d : tensor<2x4x40xf32>, tensor<2xf32>) outs(%t : tensor<2x4x40xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %0 = arith.addf %a, %c : f32
    linalg.yield %0 : f32
  } -> tensor<2x4x40xf32>
  return %z : tensor<2x4x40xf32>
}

// A reduction.
// CHECK-LABEL: func @reduction
// CHECK: compress.tile_contract
// CHECK: linalg.generic
func.func @reduction(%x: tensor<8x64xi8>, %w: tensor<2x2176xi8>) -> tensor<40xf32> {
  %e = tensor.empty() : tensor<8x40xf32>
  %y = compress.tile_contract #kernel lhs(%x : tensor<8x64xi8>) panels(%w : tensor<2x2176xi8>) outs(%e : tensor<8x40xf32>) {maps = []} epilogue {
  ^bb0(%sum: i32):
    %f = arith.sitofp %sum : i32 to f32
    compress.yield %f : f32
  } -> tensor<8x40xf32>
  %t = tensor.empty() : tensor<40xf32>
  %z = linalg.generic {indexing_maps = [#row, #column], iterator_types = ["reduction", "parallel"]} ins(%y : tensor<8x40xf32>) outs(%t : tensor<40xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  } -> tensor<40xf32>
  return %z : tensor<40xf32>
}
