// Which chains are fused by themselves, and by how many rows: on a core with a
// second cache of 512 KiB.

// RUN: compress-opt %s --compress-fuse-contraction-chains \
// RUN:   --remarks-filter=compress-fuse-contraction-chains --split-input-file -o /dev/null 2>&1 | FileCheck %s

#kernel = #compress.float_dot<m = 6, n = 64, element = f32, isa = avx512>

// 60 rows are whole tiles of 6, and not more than 64.
// CHECK: remark: {{.*}}[Passed] {{.*}}Function=pays{{.*}}2 contractions are fused over blocks of 60 rows
func.func @pays(%x: tensor<4096x256xf32>, %w: tensor<1x16384xf32>, %v: tensor<4x4096xf32>) -> tensor<4096x256xf32> {
  %eh = tensor.empty() : tensor<4096x64xf32>
  %h = compress.tile_contract #kernel lhs(%x : tensor<4096x256xf32>) panels(%w : tensor<1x16384xf32>) outs(%eh : tensor<4096x64xf32>) {maps = []} epilogue {
  ^bb0(%sum: f32):
    compress.yield %sum : f32
  } -> tensor<4096x64xf32>
  %ey = tensor.empty() : tensor<4096x256xf32>
  %y = compress.tile_contract #kernel lhs(%h : tensor<4096x64xf32>) panels(%v : tensor<4x4096xf32>) outs(%ey : tensor<4096x256xf32>) {maps = []} epilogue {
  ^bb0(%sum: f32):
    compress.yield %sum : f32
  } -> tensor<4096x256xf32>
  return %y : tensor<4096x256xf32>
}

// -----

#kernel = #compress.float_dot<m = 4, n = 16, element = f32, isa = avx512>

// A divisor of the rows is better than more rows.
// CHECK: remark: {{.*}}[Passed] {{.*}}Function=divisor{{.*}}2 contractions are fused over blocks of 40 rows
func.func @divisor(%x: tensor<10000x16xf32>, %w: tensor<1x256xf32>) -> tensor<10000x16xf32> {
  %e = tensor.empty() : tensor<10000x16xf32>
  %a = compress.tile_contract #kernel lhs(%x : tensor<10000x16xf32>) panels(%w : tensor<1x256xf32>) outs(%e : tensor<10000x16xf32>) {maps = []} epilogue {
  ^bb0(%sum: f32):
    compress.yield %sum : f32
  } -> tensor<10000x16xf32>
  %b = compress.tile_contract #kernel lhs(%a : tensor<10000x16xf32>) panels(%w : tensor<1x256xf32>) outs(%e : tensor<10000x16xf32>) {maps = []} epilogue {
  ^bb0(%sum: f32):
    compress.yield %sum : f32
  } -> tensor<10000x16xf32>
  return %b : tensor<10000x16xf32>
}

// -----

#kernel = #compress.float_dot<m = 4, n = 16, element = f32, isa = avx512>

// CHECK: remark: {{.*}}[Missed] {{.*}}Function=stays{{.*}}: the 2048 rows of a thread stay in its cache between them
func.func @stays(%x: tensor<2048x16xf32>, %w: tensor<1x256xf32>) -> tensor<2048x16xf32> {
  %e = tensor.empty() : tensor<2048x16xf32>
  %a = compress.tile_contract #kernel lhs(%x : tensor<2048x16xf32>) panels(%w : tensor<1x256xf32>) outs(%e : tensor<2048x16xf32>) {maps = []} epilogue {
  ^bb0(%sum: f32):
    compress.yield %sum : f32
  } -> tensor<2048x16xf32>
  %b = compress.tile_contract #kernel lhs(%a : tensor<2048x16xf32>) panels(%w : tensor<1x256xf32>) outs(%e : tensor<2048x16xf32>) {maps = []} epilogue {
  ^bb0(%sum: f32):
    compress.yield %sum : f32
  } -> tensor<2048x16xf32>
  return %b : tensor<2048x16xf32>
}

// -----

#kernel = #compress.float_dot<m = 4, n = 16, element = f32, isa = avx512>

// CHECK: remark: {{.*}}[Missed] {{.*}}Function=threads{{.*}}: there are too few rows for 16 threads
func.func @threads(%x: tensor<2048x512xf32>, %w: tensor<1x8192xf32>, %v: tensor<32x256xf32>) -> tensor<2048x512xf32> {
  %eh = tensor.empty() : tensor<2048x16xf32>
  %h = compress.tile_contract #kernel lhs(%x : tensor<2048x512xf32>) panels(%w : tensor<1x8192xf32>) outs(%eh : tensor<2048x16xf32>) {maps = []} epilogue {
  ^bb0(%sum: f32):
    compress.yield %sum : f32
  } -> tensor<2048x16xf32>
  %ey = tensor.empty() : tensor<2048x512xf32>
  %y = compress.tile_contract #kernel lhs(%h : tensor<2048x16xf32>) panels(%v : tensor<32x256xf32>) outs(%ey : tensor<2048x512xf32>) {maps = [], threads = 16} epilogue {
  ^bb0(%sum: f32):
    compress.yield %sum : f32
  } -> tensor<2048x512xf32>
  return %y : tensor<2048x512xf32>
}

// -----

#kernel = #compress.float_dot<m = 4, n = 16, element = f32, isa = avx512>

// 256 KiB each, of which two are too much: the second begins another chain.
// CHECK: remark: {{.*}}[Missed] {{.*}}Function=large{{.*}}: the right operands and 32 rows of all take 622592 bytes, which is more than the 393216 of a core's second cache that a block may take
// CHECK: remark: {{.*}}[Passed] {{.*}}Function=large{{.*}}2 contractions are fused over blocks of 52 rows
func.func @large(%x: tensor<?x256xf32>, %w: tensor<16x4096xf32>, %u: tensor<1x4096xf32>, %v: tensor<1x256xf32>) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x256xf32>
  %e = tensor.empty(%d) : tensor<?x256xf32>
  %f = tensor.empty(%d) : tensor<?x16xf32>
  %a = compress.tile_contract #kernel lhs(%x : tensor<?x256xf32>) panels(%w : tensor<16x4096xf32>) outs(%e : tensor<?x256xf32>) {maps = []} epilogue {
  ^bb0(%sum: f32):
    compress.yield %sum : f32
  } -> tensor<?x256xf32>
  %b = compress.tile_contract #kernel lhs(%a : tensor<?x256xf32>) panels(%w : tensor<16x4096xf32>) outs(%e : tensor<?x256xf32>) {maps = []} epilogue {
  ^bb0(%sum: f32):
    compress.yield %sum : f32
  } -> tensor<?x256xf32>
  %c = compress.tile_contract #kernel lhs(%b : tensor<?x256xf32>) panels(%u : tensor<1x4096xf32>) outs(%f : tensor<?x16xf32>) {maps = []} epilogue {
  ^bb0(%sum: f32):
    compress.yield %sum : f32
  } -> tensor<?x16xf32>
  return %c : tensor<?x16xf32>
}

// -----

#kernel = #compress.float_dot<m = 4, n = 16, element = f32, isa = avx512>

// CHECK: remark: {{.*}}[Missed] {{.*}}Function=elsewhere{{.*}}: all of their results are used elsewhere too
func.func @elsewhere(%x: tensor<10000x16xf32>, %w: tensor<1x256xf32>) -> (tensor<10000x16xf32>, tensor<10000x16xf32>) {
  %e = tensor.empty() : tensor<10000x16xf32>
  %a = compress.tile_contract #kernel lhs(%x : tensor<10000x16xf32>) panels(%w : tensor<1x256xf32>) outs(%e : tensor<10000x16xf32>) {maps = []} epilogue {
  ^bb0(%sum: f32):
    compress.yield %sum : f32
  } -> tensor<10000x16xf32>
  %b = compress.tile_contract #kernel lhs(%a : tensor<10000x16xf32>) panels(%w : tensor<1x256xf32>) outs(%e : tensor<10000x16xf32>) {maps = []} epilogue {
  ^bb0(%sum: f32):
    compress.yield %sum : f32
  } -> tensor<10000x16xf32>
  return %a, %b : tensor<10000x16xf32>, tensor<10000x16xf32>
}

// -----

#kernel = #compress.float_dot<m = 4, n = 16, element = f32, isa = avx512>

// CHECK: remark: {{.*}}[Missed] {{.*}}Function=unknown{{.*}}: the size of a row or of the right operands is not known
func.func @unknown(%x: tensor<10000x?xf32>, %w: tensor<1x?xf32>, %v: tensor<1x256xf32>) -> tensor<10000x16xf32> {
  %e = tensor.empty() : tensor<10000x16xf32>
  %a = compress.tile_contract #kernel lhs(%x : tensor<10000x?xf32>) panels(%w : tensor<1x?xf32>) outs(%e : tensor<10000x16xf32>) {maps = []} epilogue {
  ^bb0(%sum: f32):
    compress.yield %sum : f32
  } -> tensor<10000x16xf32>
  %b = compress.tile_contract #kernel lhs(%a : tensor<10000x16xf32>) panels(%v : tensor<1x256xf32>) outs(%e : tensor<10000x16xf32>) {maps = []} epilogue {
  ^bb0(%sum: f32):
    compress.yield %sum : f32
  } -> tensor<10000x16xf32>
  return %b : tensor<10000x16xf32>
}
