// RUN: compress-opt %s --pass-pipeline='builtin.module(compress-fuse-contraction-chains{rows=16}, canonicalize, cse)' | FileCheck %s

#kernel = #compress.float_dot<m = 4, n = 16, element = f32, isa = avx512>
#bytes = #compress.int_dot<m = 4, n = 16, lhsType = i8, isa = avx512_vnni>
#n = affine_map<(m, n) -> (n)>
#m = affine_map<(m, n) -> (m)>
#mn = affine_map<(m, n) -> (m, n)>

// Whole blocks: what is between is a buffer of one block. Operands of epilogues
// are sliced where they have rows.
// CHECK-LABEL: func @pair
// CHECK-SAME: (%[[X:.*]]: tensor<64x32xf32>, %[[U:.*]]: tensor<1x512xf32>, %[[V:.*]]: tensor<2x256xf32>, %[[BIAS:.*]]: tensor<16xf32>, %[[ROW:.*]]: tensor<64xf32>, %[[R:.*]]: tensor<64x32xf32>)
// CHECK-DAG: %[[C16:.*]] = arith.constant 16 : index
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
// CHECK-DAG: %[[OUT:.*]] = tensor.empty() : tensor<64x32xf32>
// CHECK: %[[B:.*]] = bufferization.alloc_tensor() : tensor<16x16xf32>
// CHECK: %[[Y:.*]] = scf.for %[[I:.*]] = %{{.*}} to %[[C64]] step %[[C16]] iter_args(%[[O:.*]] = %[[OUT]])
// CHECK: %[[XI:.*]] = tensor.extract_slice %[[X]][%[[I]], 0] [16, 32] [1, 1]
// CHECK: %[[ROWI:.*]] = tensor.extract_slice %[[ROW]][%[[I]]] [16] [1]
// CHECK: %[[H:.*]] = compress.tile_contract {{.*}} lhs(%[[XI]] : tensor<16x32xf32>) panels(%[[U]] : {{.*}}) extras(%[[BIAS]], %[[ROWI]] : tensor<16xf32>, tensor<16xf32>) outs(%[[B]] : tensor<16x16xf32>)
// CHECK: arith.addf
// CHECK: arith.mulf
// CHECK-DAG: %[[OI:.*]] = tensor.extract_slice %[[O]][%[[I]], 0] [16, 32] [1, 1]
// CHECK-DAG: %[[RI:.*]] = tensor.extract_slice %[[R]][%[[I]], 0] [16, 32] [1, 1]
// CHECK: %[[YI:.*]] = compress.tile_contract {{.*}} lhs(%[[H]] : tensor<16x16xf32>) panels(%[[V]] : {{.*}}) extras(%[[RI]] : tensor<16x32xf32>) outs(%[[OI]] : tensor<16x32xf32>)
// CHECK: %[[N:.*]] = tensor.insert_slice %[[YI]] into %[[O]][%[[I]], 0] [16, 32] [1, 1]
// CHECK: scf.yield %[[N]]
// CHECK-NOT: compress.tile_contract
// CHECK: return %[[Y]]
func.func @pair(%x: tensor<64x32xf32>, %u: tensor<1x512xf32>, %v: tensor<2x256xf32>, %bias: tensor<16xf32>, %row: tensor<64xf32>, %r: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %eh = tensor.empty() : tensor<64x16xf32>
  %h = compress.tile_contract #kernel lhs(%x : tensor<64x32xf32>) panels(%u : tensor<1x512xf32>) extras(%bias, %row : tensor<16xf32>, tensor<64xf32>) outs(%eh : tensor<64x16xf32>) {maps = [#n, #m]} epilogue {
  ^bb0(%sum: f32, %b: f32, %s: f32):
    %0 = arith.addf %sum, %b : f32
    %1 = arith.mulf %0, %s : f32
    compress.yield %1 : f32
  } -> tensor<64x16xf32>
  %ey = tensor.empty() : tensor<64x32xf32>
  %y = compress.tile_contract #kernel lhs(%h : tensor<64x16xf32>) panels(%v : tensor<2x256xf32>) extras(%r : tensor<64x32xf32>) outs(%ey : tensor<64x32xf32>) {maps = [#mn]} epilogue {
  ^bb0(%sum: f32, %b: f32):
    %0 = arith.addf %sum, %b : f32
    compress.yield %0 : f32
  } -> tensor<64x32xf32>
  return %y : tensor<64x32xf32>
}

// Rows that are no whole block follow behind the loop. Three contractions on
// codes, of which the second one's rows are quantized dynamically.
// CHECK-LABEL: func @rest
// CHECK: %[[Y:.*]] = scf.for %{{.*}} = %{{.*}} to %c32 step %c16
// CHECK: compress.tile_contract {{.*}} outs(%{{.*}} : tensor<16x64xf32>)
// CHECK: compress.tile_contract {{.*}} lhs(%{{.*}} : tensor<16x64xf32>) {{.*}} outs(%{{.*}} : tensor<16x64xi8>) {maps = [], quantize = #{{.*}}}
// CHECK: compress.tile_contract {{.*}} lhs(%{{.*}} : tensor<16x64xi8>)
// CHECK: scf.yield
// CHECK: compress.tile_contract {{.*}} lhs(%{{.*}} : tensor<5x64xi8>) {{.*}} outs(%{{.*}} : tensor<5x64xf32>)
// CHECK: compress.tile_contract {{.*}} lhs(%{{.*}} : tensor<5x64xf32>) {{.*}} outs(%{{.*}} : tensor<5x64xi8>)
// CHECK: %[[T:.*]] = compress.tile_contract {{.*}} lhs(%{{.*}} : tensor<5x64xi8>)
// CHECK: %[[ALL:.*]] = tensor.insert_slice %[[T]] into %[[Y]][32, 0] [5, 64] [1, 1]
// CHECK: return %[[ALL]]
func.func @rest(%x: tensor<37x64xi8>, %w: tensor<4x1088xi8>) -> tensor<37x64xf32> {
  %e = tensor.empty() : tensor<37x64xf32>
  %eb = tensor.empty() : tensor<37x64xi8>
  %a = compress.tile_contract #bytes lhs(%x : tensor<37x64xi8>) panels(%w : tensor<4x1088xi8>) outs(%e : tensor<37x64xf32>) {maps = []} epilogue {
  ^bb0(%sum: i32):
    %f = arith.sitofp %sum : i32 to f32
    compress.yield %f : f32
  } -> tensor<37x64xf32>
  %b = compress.tile_contract #bytes lhs(%a : tensor<37x64xf32>) panels(%w : tensor<4x1088xi8>) outs(%eb : tensor<37x64xi8>) {maps = [], quantize = #compress.affine<i8, block = [1, *]>} epilogue {
  ^bb0(%sum: i32, %scale: f32):
    %f = arith.trunci %sum : i32 to i8
    compress.yield %f : i8
  } -> tensor<37x64xi8>
  %c = compress.tile_contract #bytes lhs(%b : tensor<37x64xi8>) panels(%w : tensor<4x1088xi8>) outs(%e : tensor<37x64xf32>) {maps = []} epilogue {
  ^bb0(%sum: i32):
    %f = arith.sitofp %sum : i32 to f32
    compress.yield %f : f32
  } -> tensor<37x64xf32>
  return %c : tensor<37x64xf32>
}

// Several row dimensions of unknown sizes are one. The first result is used
// elsewhere too, and is a result of the loop; of two outs of the second one, one
// is. The third reads both results in its epilogue.
// CHECK-LABEL: func @several
// CHECK-SAME: (%[[X:.*]]: tensor<?x?x16xf32>
// CHECK: %[[XC:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1], [2]]
// CHECK: %[[ROWS:.*]] = tensor.dim %[[XC]], %c0
// CHECK: %[[S:.*]] = tensor.collapse_shape %{{.*}} {{\[\[}}0, 1]] : tensor<?x?xf32> into tensor<?xf32>
// CHECK: %[[WHOLE:.*]] = affine.apply #{{.*}}()[%[[ROWS]]]
// CHECK: %[[L:.*]]:3 = scf.for %[[I:.*]] = %c0 to %[[WHOLE]] step %c16 iter_args(%[[O0:.*]] = %{{.*}}, %[[O1:.*]] = %{{.*}}, %[[O2:.*]] = %{{.*}})
// CHECK: %[[A:.*]] = compress.tile_contract {{.*}} outs(%{{.*}} : tensor<16x16xf32>)
// CHECK: %[[BI:.*]]:2 = compress.tile_contract {{.*}} lhs(%[[A]] : tensor<16x16xf32>)
// CHECK: %[[CI:.*]] = compress.tile_contract {{.*}} lhs(%[[BI]]#0 : tensor<16x16xf32>) {{.*}} extras(%[[A]], %{{.*}} : tensor<16x16xf32>, tensor<16xf32>)
// CHECK: tensor.insert_slice %[[A]] into %[[O0]]
// CHECK: tensor.insert_slice %[[BI]]#1 into %[[O1]]
// CHECK: tensor.insert_slice %[[CI]] into %[[O2]]
// CHECK: %[[REST:.*]] = affine.apply #{{.*}}()[%[[ROWS]]]
// CHECK: compress.tile_contract {{.*}} outs(%{{.*}} : tensor<?x16xf32>)
// CHECK-COUNT-3: tensor.expand_shape {{.*}} {{\[\[}}0, 1], [2]] {{.*}} : tensor<?x16xf32> into tensor<?x?x16xf32>
// CHECK: return
func.func @several(%x: tensor<?x?x16xf32>, %w: tensor<1x256xf32>, %s: tensor<?x?xf32>) -> (tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d0 = tensor.dim %x, %c0 : tensor<?x?x16xf32>
  %d1 = tensor.dim %x, %c1 : tensor<?x?x16xf32>
  %e = tensor.empty(%d0, %d1) : tensor<?x?x16xf32>
  %a = compress.tile_contract #kernel lhs(%x : tensor<?x?x16xf32>) panels(%w : tensor<1x256xf32>) outs(%e : tensor<?x?x16xf32>) {maps = []} epilogue {
  ^bb0(%sum: f32):
    compress.yield %sum : f32
  } -> tensor<?x?x16xf32>
  %b:2 = compress.tile_contract #kernel lhs(%a : tensor<?x?x16xf32>) panels(%w : tensor<1x256xf32>) outs(%e, %e : tensor<?x?x16xf32>, tensor<?x?x16xf32>) {maps = []} epilogue {
  ^bb0(%sum: f32):
    %0 = arith.negf %sum : f32
    compress.yield %sum, %0 : f32, f32
  } -> tensor<?x?x16xf32>, tensor<?x?x16xf32>
  %c = compress.tile_contract #kernel lhs(%b#0 : tensor<?x?x16xf32>) panels(%w : tensor<1x256xf32>) extras(%a, %s : tensor<?x?x16xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?x16xf32>) {maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>]} epilogue {
  ^bb0(%sum: f32, %p: f32, %q: f32):
    %0 = arith.addf %sum, %p : f32
    %1 = arith.mulf %0, %q : f32
    compress.yield %1 : f32
  } -> tensor<?x?x16xf32>
  return %a, %b#1, %c : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>
}

// The most threads of the contractions share the blocks; what follows behind
// them keeps its own.
// CHECK-LABEL: func @threads
// CHECK: %[[Y:.*]] = scf.forall (%[[T:.*]]) in (3) shared_outs(%[[O:.*]] = %{{.*}}) -> (tensor<?x16xf32>)
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[O]][%[[FIRST:.*]], 0] [%[[COUNT:.*]], 16] [1, 1]
// CHECK: bufferization.alloc_tensor() : tensor<16x16xf32>
// CHECK: %[[R:.*]] = scf.for %{{.*}} = %c0 to %[[COUNT]] step %c16 iter_args(%{{.*}} = %[[PART]])
// CHECK-COUNT-2: {maps = []} epilogue
// CHECK: scf.forall.in_parallel
// CHECK: tensor.parallel_insert_slice %[[R]] into %[[O]][%[[FIRST]], 0] [%[[COUNT]], 16] [1, 1]
// CHECK: {compress.threads = 3 : i64}
// CHECK: compress.tile_contract {{.*}} {maps = []}
// CHECK: compress.tile_contract {{.*}} {maps = [], threads = 3 : i64}
func.func @threads(%x: tensor<?x16xf32>, %w: tensor<1x256xf32>) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %d0 = tensor.dim %x, %c0 : tensor<?x16xf32>
  %e = tensor.empty(%d0) : tensor<?x16xf32>
  %a = compress.tile_contract #kernel lhs(%x : tensor<?x16xf32>) panels(%w : tensor<1x256xf32>) outs(%e : tensor<?x16xf32>) {maps = []} epilogue {
  ^bb0(%sum: f32):
    compress.yield %sum : f32
  } -> tensor<?x16xf32>
  %b = compress.tile_contract #kernel lhs(%a : tensor<?x16xf32>) panels(%w : tensor<1x256xf32>) outs(%e : tensor<?x16xf32>) {maps = [], threads = 3} epilogue {
  ^bb0(%sum: f32):
    compress.yield %sum : f32
  } -> tensor<?x16xf32>
  return %b : tensor<?x16xf32>
}

// Windows: blocks are of images, and what follows may have the pixels of one in
// one dimension. Two dimensions of images become one.
// CHECK-LABEL: func @images
// CHECK-SAME: (%[[X:.*]]: tensor<3x12x6x8xi8>
// CHECK-DAG: %[[IMAGES:.*]] = tensor.collapse_shape %[[X]] {{\[}}[0, 1], [2], [3]] : tensor<3x12x6x8xi8> into tensor<36x6x8xi8>
// CHECK-DAG: %[[B0:.*]] = bufferization.alloc_tensor() : tensor<16x4x16xf32>
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %c32 step %c16
// CHECK: %[[XI:.*]] = tensor.extract_slice %[[IMAGES]][%[[I]], 0, 0] [16, 6, 8] [1, 1, 1]
// CHECK: %[[A:.*]] = compress.tile_contract {{.*}} lhs(%[[XI]] : {{.*}} outs(%[[B0]] : {{.*}} window = #compress.window<sizes = [3]
// CHECK: %[[B:.*]] = compress.tile_contract {{.*}} lhs(%[[A]] : {{.*}} outs(%{{.*}} : tensor<16x4x16xi8>) {{.*}} quantize = #{{.*}}, window = #compress.window<sizes = [3]
// CHECK: %[[FLAT:.*]] = tensor.collapse_shape %[[B]] {{\[}}[0], [1, 2]] : tensor<16x4x16xi8> into tensor<16x64xi8>
// CHECK: compress.tile_contract {{.*}} lhs(%[[FLAT]] : {{.*}} outs(%{{.*}} : tensor<16x16xf32>)
// CHECK: scf.yield
// CHECK: compress.tile_contract {{.*}} outs(%{{.*}} : tensor<4x4x16xf32>)
// CHECK: tensor.expand_shape {{.*}} {{\[}}[0, 1], [2]] {{.*}} : tensor<36x16xf32> into tensor<3x12x16xf32>
func.func @images(%x: tensor<3x12x6x8xi8>, %w: tensor<1x448xi8>, %v: tensor<1x1024xi8>, %u: tensor<1x1088xi8>) -> tensor<3x12x16xf32> {
  %e0 = tensor.empty() : tensor<3x12x4x16xf32>
  %a = compress.tile_contract #compress.int_dot<m = 4, n = 16, lhsType = ui8, isa = avx512_vnni>
      lhs(%x : tensor<3x12x6x8xi8>) panels(%w : tensor<1x448xi8>) outs(%e0 : tensor<3x12x4x16xf32>)
      {maps = [], window = #compress.window<sizes = [3], strides = [1], dilations = [1], pads = [0]>} epilogue {
  ^bb0(%sum: i32):
    %0 = arith.sitofp %sum : i32 to f32
    compress.yield %0 : f32
  } -> tensor<3x12x4x16xf32>
  %e1 = tensor.empty() : tensor<3x12x4x16xi8>
  %b = compress.tile_contract #bytes
      lhs(%a : tensor<3x12x4x16xf32>) panels(%v : tensor<1x1024xi8>) outs(%e1 : tensor<3x12x4x16xi8>)
      {maps = [], quantize = #compress.affine<i8, block = [1, 1, *, *]>, window = #compress.window<sizes = [3], strides = [1], dilations = [1], pads = [1]>} epilogue {
  ^bb0(%sum: i32, %s: f32):
    %0 = arith.trunci %sum : i32 to i8
    compress.yield %0 : i8
  } -> tensor<3x12x4x16xi8>
  %flat = tensor.collapse_shape %b [[0], [1], [2, 3]] : tensor<3x12x4x16xi8> into tensor<3x12x64xi8>
  %e2 = tensor.empty() : tensor<3x12x16xf32>
  %c = compress.tile_contract #bytes
      lhs(%flat : tensor<3x12x64xi8>) panels(%u : tensor<1x1088xi8>) outs(%e2 : tensor<3x12x16xf32>) {maps = []} epilogue {
  ^bb0(%sum: i32):
    %0 = arith.sitofp %sum : i32 to f32
    compress.yield %0 : f32
  } -> tensor<3x12x16xf32>
  return %c : tensor<3x12x16xf32>
}
