// RUN: compress-opt %s --pass-pipeline='builtin.module(compress-fuse-contraction-chains{rows=16})' \
// RUN:   --split-input-file | FileCheck %s
// RUN: compress-opt %s --pass-pipeline='builtin.module(compress-fuse-contraction-chains{rows=16})' \
// RUN:   --remarks-filter=compress-fuse-contraction-chains --split-input-file -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK
// RUN: compress-opt %s --compress-fuse-contraction-chains=rows=-1 --split-input-file \
// RUN:   | FileCheck %s --check-prefix=NONE
// RUN: not compress-opt %s --compress-fuse-contraction-chains=rows=-2 --split-input-file 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OPTION
// NONE-NOT: scf.for
// OPTION: error: option 'rows' is -2, it must be the rows of a block, 0 or -1

#kernel = #compress.float_dot<m = 4, n = 16, element = f32, isa = avx512>
#mn = affine_map<(m, n) -> (m, n)>

// REMARK: .mlir:[[# @LINE + 14]]:8: remark: {{.*}}[Missed] {{.*}}Function=between{{.*}}not fused with the contraction before it: 'linalg.generic' between them reads a result
// CHECK-LABEL: func @between
// CHECK-NOT: scf.for
func.func @between(%x: tensor<64x16xf32>, %w: tensor<1x256xf32>) -> tensor<64x16xf32> {
  %e = tensor.empty() : tensor<64x16xf32>
  %a = compress.tile_contract #kernel lhs(%x : tensor<64x16xf32>) panels(%w : tensor<1x256xf32>) outs(%e : tensor<64x16xf32>) {maps = []} epilogue {
  ^bb0(%sum: f32):
    compress.yield %sum : f32
  } -> tensor<64x16xf32>
  %b = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<64x16xf32>) outs(%e : tensor<64x16xf32>) {
  ^bb0(%i: f32, %o: f32):
    %0 = math.tanh %i : f32
    linalg.yield %0 : f32
  } -> tensor<64x16xf32>
  %c = compress.tile_contract #kernel lhs(%a : tensor<64x16xf32>) panels(%w : tensor<1x256xf32>) extras(%b : tensor<64x16xf32>) outs(%e : tensor<64x16xf32>) {maps = [#mn]} epilogue {
  ^bb0(%sum: f32, %p: f32):
    %0 = arith.addf %sum, %p : f32
    compress.yield %0 : f32
  } -> tensor<64x16xf32>
  return %c : tensor<64x16xf32>
}

// -----

#kernel = #compress.float_dot<m = 4, n = 16, element = f32, isa = avx512>

// REMARK: remark: {{.*}}[Missed] {{.*}}not fused with the contraction before it: its epilogue reads other rows than its own
// REMARK: remark: {{.*}}[Passed] {{.*}}2 contractions are fused over blocks of 16 rows
// CHECK-LABEL: func @transposed
// CHECK: scf.for
// CHECK: scf.yield
// CHECK: %[[C:.*]] = compress.tile_contract
// CHECK: return %[[C]]
func.func @transposed(%x: tensor<64x16xf32>, %w: tensor<1x256xf32>, %v: tensor<4x256xf32>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x16xf32>
  %f = tensor.empty() : tensor<64x64xf32>
  %a = compress.tile_contract #kernel lhs(%x : tensor<64x16xf32>) panels(%w : tensor<1x256xf32>) outs(%e : tensor<64x16xf32>) {maps = []} epilogue {
  ^bb0(%sum: f32):
    compress.yield %sum : f32
  } -> tensor<64x16xf32>
  %b = compress.tile_contract #kernel lhs(%a : tensor<64x16xf32>) panels(%v : tensor<4x256xf32>) outs(%f : tensor<64x64xf32>) {maps = []} epilogue {
  ^bb0(%sum: f32):
    compress.yield %sum : f32
  } -> tensor<64x64xf32>
  %c = compress.tile_contract #kernel lhs(%x : tensor<64x16xf32>) panels(%v : tensor<4x256xf32>) extras(%b : tensor<64x64xf32>) outs(%f : tensor<64x64xf32>) {maps = [affine_map<(m, n) -> (n, m)>]} epilogue {
  ^bb0(%sum: f32, %p: f32):
    %0 = arith.addf %sum, %p : f32
    compress.yield %0 : f32
  } -> tensor<64x64xf32>
  return %c : tensor<64x64xf32>
}

// -----

#kernel = #compress.float_dot<m = 4, n = 16, element = f32, isa = avx512>

// The first two are a chain; the result of the second is the right operand of
// the third.
// REMARK: remark: {{.*}}[Missed] {{.*}}not fused with the contraction before it: it reads a result not by rows
// REMARK: remark: {{.*}}[Passed] {{.*}}2 contractions are fused over blocks of 16 rows
// CHECK-LABEL: func @right_operand
// CHECK: scf.for
// CHECK: scf.yield
// CHECK: %[[C:.*]] = compress.tile_contract
// CHECK: return %[[C]]
func.func @right_operand(%x: tensor<32x16xf32>, %w: tensor<1x256xf32>, %v: tensor<4x256xf32>) -> tensor<32x512xf32> {
  %e = tensor.empty() : tensor<32x16xf32>
  %f = tensor.empty() : tensor<32x64xf32>
  %g = tensor.empty() : tensor<32x512xf32>
  %y = tensor.empty() : tensor<32x4xf32>
  %a = compress.tile_contract #kernel lhs(%x : tensor<32x16xf32>) panels(%w : tensor<1x256xf32>) outs(%e : tensor<32x16xf32>) {maps = []} epilogue {
  ^bb0(%sum: f32):
    compress.yield %sum : f32
  } -> tensor<32x16xf32>
  %b = compress.tile_contract #kernel lhs(%a : tensor<32x16xf32>) panels(%v : tensor<4x256xf32>) outs(%f : tensor<32x64xf32>) {maps = []} epilogue {
  ^bb0(%sum: f32):
    compress.yield %sum : f32
  } -> tensor<32x64xf32>
  %s = tensor.empty() : tensor<32x4xf32>
  %c = compress.tile_contract #kernel lhs(%s : tensor<32x4xf32>) panels(%b : tensor<32x64xf32>) outs(%g : tensor<32x512xf32>) {maps = []} epilogue {
  ^bb0(%sum: f32):
    compress.yield %sum : f32
  } -> tensor<32x512xf32>
  return %c : tensor<32x512xf32>
}

// -----

#kernel = #compress.float_dot<m = 4, n = 16, element = f32, isa = avx512>

// Batches, windows, and operands that vary along one of two row dimensions.
// REMARK: remark: {{.*}}[Missed] {{.*}}not fused with the contraction before it: its right operand has batches
// REMARK: remark: {{.*}}[Missed] {{.*}}not fused with the contraction before it: its rows are windows of one image
// REMARK: remark: {{.*}}[Missed] {{.*}}not fused with the contraction before it: an operand of its epilogue varies along some of its row dimensions only
// CHECK-LABEL: func @members
// CHECK-NOT: scf.for
func.func @members(%x: tensor<4x8x16xf32>, %w: tensor<1x256xf32>, %b: tensor<4x256xf32>, %r: tensor<8xf32>) -> (tensor<4x8x16xf32>, tensor<4x8x16xf32>, tensor<4x8x16xf32>) {
  %e = tensor.empty() : tensor<4x8x16xf32>
  %a = compress.tile_contract #kernel lhs(%x : tensor<4x8x16xf32>) panels(%w : tensor<1x256xf32>) outs(%e : tensor<4x8x16xf32>) {maps = []} epilogue {
  ^bb0(%sum: f32):
    compress.yield %sum : f32
  } -> tensor<4x8x16xf32>
  %1 = compress.tile_contract #kernel lhs(%a : tensor<4x8x16xf32>) panels(%b : tensor<4x256xf32>) outs(%e : tensor<4x8x16xf32>) {maps = [], batches = 1} epilogue {
  ^bb0(%sum: f32):
    compress.yield %sum : f32
  } -> tensor<4x8x16xf32>
  %2 = compress.tile_contract #kernel lhs(%a : tensor<4x8x16xf32>) panels(%w : tensor<1x256xf32>) outs(%e : tensor<4x8x16xf32>) {maps = [], window = #compress.window<sizes = [1, 1], strides = [1, 1], dilations = [1, 1], pads = [0, 0]>} epilogue {
  ^bb0(%sum: f32):
    compress.yield %sum : f32
  } -> tensor<4x8x16xf32>
  %3 = compress.tile_contract #kernel lhs(%a : tensor<4x8x16xf32>) panels(%w : tensor<1x256xf32>) extras(%r : tensor<8xf32>) outs(%e : tensor<4x8x16xf32>) {maps = [affine_map<(a, b, c) -> (b)>]} epilogue {
  ^bb0(%sum: f32, %p: f32):
    %0 = arith.addf %sum, %p : f32
    compress.yield %0 : f32
  } -> tensor<4x8x16xf32>
  return %1, %2, %3 : tensor<4x8x16xf32>, tensor<4x8x16xf32>, tensor<4x8x16xf32>
}

// -----

#kernel = #compress.float_dot<m = 4, n = 16, element = f32, isa = avx512>

// REMARK: remark: {{.*}}[Missed] {{.*}}not fused with the contraction before it: its rows are one block
// CHECK-LABEL: func @one_block
// CHECK-NOT: scf.for
func.func @one_block(%x: tensor<16x16xf32>, %w: tensor<1x256xf32>) -> tensor<16x16xf32> {
  %e = tensor.empty() : tensor<16x16xf32>
  %a = compress.tile_contract #kernel lhs(%x : tensor<16x16xf32>) panels(%w : tensor<1x256xf32>) outs(%e : tensor<16x16xf32>) {maps = []} epilogue {
  ^bb0(%sum: f32):
    compress.yield %sum : f32
  } -> tensor<16x16xf32>
  %b = compress.tile_contract #kernel lhs(%a : tensor<16x16xf32>) panels(%w : tensor<1x256xf32>) outs(%e : tensor<16x16xf32>) {maps = []} epilogue {
  ^bb0(%sum: f32):
    compress.yield %sum : f32
  } -> tensor<16x16xf32>
  return %b : tensor<16x16xf32>
}

// -----

// Reshapes that mix rows with columns: the second contraction does not read
// rows of the first one's result.
#kernel = #compress.float_dot<m = 4, n = 16, element = f32, isa = avx512>

// REMARK-NOT: Function=mixed
// CHECK-LABEL: func @mixed
// CHECK-NOT: scf.for
func.func @mixed(%x: tensor<64x16xf32>, %w: tensor<1x256xf32>, %v: tensor<1x512xf32>) -> tensor<32x16xf32> {
  %e = tensor.empty() : tensor<64x16xf32>
  %f = tensor.empty() : tensor<32x16xf32>
  %a = compress.tile_contract #kernel lhs(%x : tensor<64x16xf32>) panels(%w : tensor<1x256xf32>) outs(%e : tensor<64x16xf32>) {maps = []} epilogue {
  ^bb0(%sum: f32):
    compress.yield %sum : f32
  } -> tensor<64x16xf32>
  %line = tensor.collapse_shape %a [[0, 1]] : tensor<64x16xf32> into tensor<1024xf32>
  %wide = tensor.expand_shape %line [[0, 1]] output_shape [32, 32] : tensor<1024xf32> into tensor<32x32xf32>
  %b = compress.tile_contract #kernel lhs(%wide : tensor<32x32xf32>) panels(%v : tensor<1x512xf32>) outs(%f : tensor<32x16xf32>) {maps = []} epilogue {
  ^bb0(%sum: f32):
    compress.yield %sum : f32
  } -> tensor<32x16xf32>
  return %b : tensor<32x16xf32>
}

// -----

// Lines of one image need their neighbours.
#kernel = #compress.float_dot<m = 4, n = 16, element = f32, isa = avx512>

// REMARK: remark: {{.*}}[Missed] {{.*}}Function=one_image{{.*}}not fused with the contraction before it: its rows are windows of one image
// CHECK-LABEL: func @one_image
// CHECK-NOT: scf.for
func.func @one_image(%x: tensor<64x16xf32>, %w: tensor<1x256xf32>, %v: tensor<1x768xf32>) -> tensor<62x16xf32> {
  %e = tensor.empty() : tensor<64x16xf32>
  %f = tensor.empty() : tensor<62x16xf32>
  %a = compress.tile_contract #kernel lhs(%x : tensor<64x16xf32>) panels(%w : tensor<1x256xf32>) outs(%e : tensor<64x16xf32>) {maps = []} epilogue {
  ^bb0(%sum: f32):
    compress.yield %sum : f32
  } -> tensor<64x16xf32>
  %b = compress.tile_contract #kernel lhs(%a : tensor<64x16xf32>) panels(%v : tensor<1x768xf32>) outs(%f : tensor<62x16xf32>)
      {maps = [], window = #compress.window<sizes = [3], strides = [1], dilations = [1], pads = [0]>} epilogue {
  ^bb0(%sum: f32):
    compress.yield %sum : f32
  } -> tensor<62x16xf32>
  return %b : tensor<62x16xf32>
}
