// What tile kernels, windows, native strategies and tile contractions refuse:
// each message gives the op, what was expected, and what there is.
// RUN: compress-opt %s -split-input-file -verify-diagnostics

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

// expected-error@+1 {{m must be from 1 to 64, but is 0}}
func.func private @f() attributes {a = #compress.int_dot<m = 0, n = 16, lhsType = i8, isa = avx512>}

// -----

// expected-error@+1 {{m and n must be at most 32 with isa = amx, but are 48 and 16}}
func.func private @f() attributes {a = #compress.block_dot<m = 48, n = 16, lhsType = i8, bits = 4, block = 32, scale = f32, zeroPoints = false, isa = amx>}

// -----

// expected-error@+1 {{the left operand must be i8 with isa = amx}}
func.func private @f() attributes {a = #compress.block_dot<m = 16, n = 16, lhsType = f32, bits = 4, block = 32, scale = f32, zeroPoints = false, isa = amx>}

// -----

// expected-error@+1 {{m must be from 1 to 64, but is 65}}
func.func private @f() attributes {a = #compress.int_dot<m = 65, n = 16, lhsType = i8, isa = avx512>}

// -----

// expected-error@+1 {{n must be a multiple of 16 up to 256, but is 8}}
func.func private @f() attributes {a = #compress.int_dot<m = 1, n = 8, lhsType = i8, isa = avx512>}

// -----

// expected-error@+1 {{n must be a multiple of 8 up to 256, but is 12}}
func.func private @f() attributes {a = #compress.int_dot<m = 1, n = 12, lhsType = i8, isa = avx2>}

// -----

// expected-error@+1 {{n must be a multiple of 4 up to 256, but is 260}}
func.func private @f() attributes {a = #compress.int_dot<m = 1, n = 260, lhsType = i8, isa = generic>}

// -----

// expected-error@+1 {{the left operand must be of 8 bits, but is 'i4'}}
func.func private @f() attributes {a = #compress.int_dot<m = 1, n = 16, lhsType = i4, isa = avx512>}

// -----

// expected-error@+2 {{invalid kind of type specified: expected builtin.integer, but found 'f32'}}
// expected-error@+1 {{failed to parse Compress_IntDotAttr parameter 'lhsType'}}
func.func private @f() attributes {a = #compress.int_dot<m = 1, n = 16, lhsType = f32, isa = avx512>}

// -----

// expected-error@+2 {{to be one of: generic, avx2, avx_vnni, avx512, avx512_vnni, avx512_bf16, avx512_vnni_gfni}}
// expected-error@+1 {{failed to parse Compress_IntDotAttr parameter 'isa'}}
func.func private @f() attributes {a = #compress.int_dot<m = 1, n = 16, lhsType = i8, isa = sse2>}

// -----

// expected-error@+1 {{elements must be f32 with isa = avx512, but are 'bf16'}}
func.func private @f() attributes {a = #compress.float_dot<m = 1, n = 16, element = bf16, isa = avx512>}

// -----

// expected-error@+1 {{elements must be bf16 with isa = avx512_bf16, but are 'f32'}}
func.func private @f() attributes {a = #compress.float_dot<m = 1, n = 16, element = f32, isa = avx512_bf16>}

// -----

// expected-error@+1 {{m must be from 1 to 64, but is -1}}
func.func private @f() attributes {a = #compress.float_dot<m = -1, n = 16, element = f32, isa = avx512>}

// -----

// expected-error@+1 {{the left operand must be i8 or f32, but is 'i16'}}
func.func private @f() attributes {a = #compress.block_dot<m = 1, n = 16, lhsType = i16, bits = 4, block = 32, scale = f32, zeroPoints = false, isa = avx512>}

// -----

// expected-error@+1 {{bits must be 4 or 8, but is 5}}
func.func private @f() attributes {a = #compress.block_dot<m = 1, n = 16, lhsType = i8, bits = 5, block = 32, scale = f32, zeroPoints = false, isa = avx512>}

// -----

// expected-error@+1 {{block must be a positive multiple of 8, but is 12}}
func.func private @f() attributes {a = #compress.block_dot<m = 1, n = 16, lhsType = i8, bits = 4, block = 12, scale = f32, zeroPoints = false, isa = avx512>}

// -----

// expected-error@+1 {{block must be a positive multiple of 8, but is 0}}
func.func private @f() attributes {a = #compress.block_dot<m = 1, n = 16, lhsType = i8, bits = 4, block = 0, scale = f32, zeroPoints = false, isa = avx512>}

// -----

// expected-error@+1 {{block must be at most 248 with zero points, but is 256}}
func.func private @f() attributes {a = #compress.block_dot<m = 1, n = 16, lhsType = i8, bits = 4, block = 256, scale = f32, zeroPoints = true, isa = avx512>}

// -----

// expected-error@+1 {{scale must be f16 or f32, but is 'bf16'}}
func.func private @f() attributes {a = #compress.block_dot<m = 1, n = 16, lhsType = i8, bits = 4, block = 32, scale = bf16, zeroPoints = false, isa = avx512>}

// -----

// expected-error@+1 {{n must be a multiple of 16 up to 256, but is 24}}
func.func private @f() attributes {a = #compress.block_dot<m = 1, n = 24, lhsType = i8, bits = 4, block = 32, scale = f32, zeroPoints = false, isa = avx512>}

// -----

// expected-error@+1 {{sizes, strides, dilations and pads must have the same number of entries, at least one}}
func.func private @f() attributes {a = #compress.window<sizes = [3], strides = [1, 1], dilations = [1], pads = [0]>}

// -----

// expected-error@+1 {{sizes, strides and dilations must be positive}}
func.func private @f() attributes {a = #compress.window<sizes = [0], strides = [1], dilations = [1], pads = [0]>}

// -----

// expected-error@+1 {{sizes, strides and dilations must be positive}}
func.func private @f() attributes {a = #compress.window<sizes = [3], strides = [-1], dilations = [1], pads = [0]>}

// -----

// expected-error@+1 {{pads must not be negative}}
func.func private @f() attributes {a = #compress.window<sizes = [3], strides = [1], dilations = [1], pads = [-1]>}

// -----

// expected-error@+1 {{'kernel' must be given for exit = native, and only for that}}
func.func private @f() attributes {a = #compress.strategy<exit = native>}

// -----

// expected-error@+1 {{'kernel' must be given for exit = native, and only for that}}
func.func private @f() attributes {a = #compress.strategy<exit = portable, kernel = #compress.float_dot<m = 1, n = 16, element = f32, isa = avx512>>}

// -----

// expected-error@+1 {{'threads' must be positive, but is 0}}
func.func private @f() attributes {a = #compress.strategy<exit = native, kernel = #compress.float_dot<m = 1, n = 16, element = f32, isa = avx512>, threads = 0>}

// -----

// expected-error@+2 {{invalid kind of attribute specified}}
// expected-error@+1 {{failed to parse Compress_StrategyAttr parameter 'kernel'}}
func.func private @f() attributes {a = #compress.strategy<exit = native, kernel = #compress.affine<i8>>}

// -----

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

func.func @f(%x: tensor<4x8xi16>, %w: tensor<2x192xi8>, %a: tensor<20xf32>, %o: tensor<4x20xf32>) {
  // expected-error@+1 {{has a left operand of 'i16', but its kernel takes 'i8'}}
  %y = compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = i8, isa = avx512>
      lhs(%x : tensor<4x8xi16>) panels(%w : tensor<2x192xi8>) extras(%a : tensor<20xf32>) outs(%o : tensor<4x20xf32>)
      {maps = [affine_map<(m, n) -> (n)>]} epilogue {
  ^bb0(%sum: i32, %s: f32):
    %0 = arith.sitofp %sum : i32 to f32
    compress.yield %0 : f32
  } -> tensor<4x20xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf16>, %w: tensor<2x192xi8>, %a: tensor<20xf32>, %o: tensor<4x20xf32>) {
  // expected-error@+1 {{can only quantize a left operand of f32, but it is of 'f16'}}
  %y = compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = i8, isa = avx512>
      lhs(%x : tensor<4x8xf16>) panels(%w : tensor<2x192xi8>) extras(%a : tensor<20xf32>) outs(%o : tensor<4x20xf32>)
      {maps = [affine_map<(m, n) -> (n)>], quantize = #compress.affine<i8, block = [1, *]>} epilogue {
  ^bb0(%sum: i32, %q: f32, %s: f32):
    %0 = arith.sitofp %sum : i32 to f32
    compress.yield %0 : f32
  } -> tensor<4x20xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w: tensor<2x192xi8>, %a: tensor<20xf32>, %o: tensor<4x20xf32>) {
  // expected-error@+1 {{cannot quantize the left operand to #compress.affine<ui8, block = [1, *]>: the kernel takes signed 'i8'}}
  %y = compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = i8, isa = avx512>
      lhs(%x : tensor<4x8xf32>) panels(%w : tensor<2x192xi8>) extras(%a : tensor<20xf32>) outs(%o : tensor<4x20xf32>)
      {maps = [affine_map<(m, n) -> (n)>], quantize = #compress.affine<ui8, block = [1, *]>} epilogue {
  ^bb0(%sum: i32, %s: f32):
    %0 = arith.sitofp %sum : i32 to f32
    compress.yield %0 : f32
  } -> tensor<4x20xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w: tensor<2x192xi8>, %a: tensor<20xf32>, %o: tensor<4x20xf32>) {
  // expected-error@+1 {{cannot quantize the left operand to #compress.affine<i4, block = [1, *]>: the kernel takes signed 'i8'}}
  %y = compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = i8, isa = avx512>
      lhs(%x : tensor<4x8xf32>) panels(%w : tensor<2x192xi8>) extras(%a : tensor<20xf32>) outs(%o : tensor<4x20xf32>)
      {maps = [affine_map<(m, n) -> (n)>], quantize = #compress.affine<i4, block = [1, *]>} epilogue {
  ^bb0(%sum: i32, %s: f32):
    %0 = arith.sitofp %sum : i32 to f32
    compress.yield %0 : f32
  } -> tensor<4x20xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w: tensor<2x192xi8>, %a: tensor<20xf32>, %o: tensor<4x20xf32>) {
  // expected-error@+1 {{has a window, but its kernel takes sums of rows}}
  %y = compress.tile_contract #compress.block_dot<m = 2, n = 16, lhsType = i8, bits = 4, block = 8, scale = f32, zeroPoints = false, isa = avx512>
      lhs(%x : tensor<4x8xf32>) panels(%w : tensor<2x192xi8>) extras(%a : tensor<20xf32>) outs(%o : tensor<4x20xf32>)
      {maps = [affine_map<(m, n) -> (n)>], quantize = #compress.affine<i8>, window = #compress.window<sizes = [1], strides = [1], dilations = [1], pads = [0]>} epilogue {
  ^bb0(%sum: f32, %s: f32, %b: f32):
    compress.yield %sum : f32
  } -> tensor<4x20xf32>
  return
}

// -----

// What a tap outside adds depends on the zero point of the image: sums of taps
// are needed.
func.func @f(%x: tensor<2x4x8xf32>, %w: tensor<1x448xi8>, %o: tensor<2x4x16xf32>) {
  // expected-error@+1 {{has padding in dimension 0 of its window, and zero points: its panels must have a static size and end in the sums of taps}}
  %y = compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = i8, isa = avx512>
      lhs(%x : tensor<2x4x8xf32>) panels(%w : tensor<1x448xi8>) outs(%o : tensor<2x4x16xf32>)
      {maps = [], quantize = #compress.affine<i8, asymmetric>, window = #compress.window<sizes = [3], strides = [1], dilations = [1], pads = [1]>} epilogue {
  ^bb0(%sum: i32, %s: f32, %z: i32):
    %0 = arith.sitofp %sum : i32 to f32
    compress.yield %0 : f32
  } -> tensor<2x4x16xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xi8>, %w: tensor<2x192xi8>, %a: tensor<20xf32>, %o: tensor<20xf32>) {
  // expected-error@+1 {{must have outs of rank 2 or more}}
  %y = compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = i8, isa = avx512>
      lhs(%x : tensor<4x8xi8>) panels(%w : tensor<2x192xi8>) extras(%a : tensor<20xf32>) outs(%o : tensor<20xf32>)
      {maps = [affine_map<(n) -> (n)>]} epilogue {
  ^bb0(%sum: i32, %s: f32):
    %0 = arith.sitofp %sum : i32 to f32
    compress.yield %0 : f32
  } -> tensor<20xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8xi8>, %w: tensor<2x192xi8>, %a: tensor<20xf32>, %o: tensor<4x20xf32>) {
  // expected-error@+1 {{has a left operand of rank 3, but outs of rank 2}}
  %y = compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = i8, isa = avx512>
      lhs(%x : tensor<1x4x8xi8>) panels(%w : tensor<2x192xi8>) extras(%a : tensor<20xf32>) outs(%o : tensor<4x20xf32>)
      {maps = [affine_map<(m, n) -> (n)>]} epilogue {
  ^bb0(%sum: i32, %s: f32):
    %0 = arith.sitofp %sum : i32 to f32
    compress.yield %0 : f32
  } -> tensor<4x20xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xi8>, %w: tensor<2x192xi8>, %a: tensor<20xf32>, %o: tensor<4x20xf32>) {
  // expected-error@+1 {{has 1 batches, but only 0 dimensions before rows and columns}}
  %y = compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = i8, isa = avx512>
      lhs(%x : tensor<4x8xi8>) panels(%w : tensor<2x192xi8>) extras(%a : tensor<20xf32>) outs(%o : tensor<4x20xf32>)
      {maps = [affine_map<(m, n) -> (n)>], batches = 1 : i64} epilogue {
  ^bb0(%sum: i32, %s: f32):
    %0 = arith.sitofp %sum : i32 to f32
    compress.yield %0 : f32
  } -> tensor<4x20xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xi8>, %w: tensor<2x192xi8>, %a: tensor<20xf32>, %o: tensor<4x20xf32>) {
  // expected-error@+1 {{has a window of more dimensions than its outs, or with batches}}
  %y = compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = i8, isa = avx512>
      lhs(%x : tensor<4x8xi8>) panels(%w : tensor<2x192xi8>) extras(%a : tensor<20xf32>) outs(%o : tensor<4x20xf32>)
      {maps = [affine_map<(m, n) -> (n)>], window = #compress.window<sizes = [1, 1], strides = [1, 1], dilations = [1, 1], pads = [0, 0]>} epilogue {
  ^bb0(%sum: i32, %s: f32):
    %0 = arith.sitofp %sum : i32 to f32
    compress.yield %0 : f32
  } -> tensor<4x20xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xi8>, %w: tensor<2x192xf32>, %a: tensor<20xf32>, %o: tensor<4x20xf32>) {
  // expected-error@+1 {{must have panels of rank 2 of 'i8'}}
  %y = compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = i8, isa = avx512>
      lhs(%x : tensor<4x8xi8>) panels(%w : tensor<2x192xf32>) extras(%a : tensor<20xf32>) outs(%o : tensor<4x20xf32>)
      {maps = [affine_map<(m, n) -> (n)>]} epilogue {
  ^bb0(%sum: i32, %s: f32):
    %0 = arith.sitofp %sum : i32 to f32
    compress.yield %0 : f32
  } -> tensor<4x20xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xi8>, %w: tensor<384xi8>, %a: tensor<20xf32>, %o: tensor<4x20xf32>) {
  // expected-error@+1 {{must have panels of rank 2 of 'i8'}}
  %y = compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = i8, isa = avx512>
      lhs(%x : tensor<4x8xi8>) panels(%w : tensor<384xi8>) extras(%a : tensor<20xf32>) outs(%o : tensor<4x20xf32>)
      {maps = [affine_map<(m, n) -> (n)>]} epilogue {
  ^bb0(%sum: i32, %s: f32):
    %0 = arith.sitofp %sum : i32 to f32
    compress.yield %0 : f32
  } -> tensor<4x20xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xi8>, %w: tensor<2x193xi8>, %a: tensor<20xf32>, %o: tensor<4x20xf32>) {
  // expected-error@+1 {{has panels of 193 elements, which is not 64 and whole steps of 64}}
  %y = compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = i8, isa = avx512>
      lhs(%x : tensor<4x8xi8>) panels(%w : tensor<2x193xi8>) extras(%a : tensor<20xf32>) outs(%o : tensor<4x20xf32>)
      {maps = [affine_map<(m, n) -> (n)>]} epilogue {
  ^bb0(%sum: i32, %s: f32):
    %0 = arith.sitofp %sum : i32 to f32
    compress.yield %0 : f32
  } -> tensor<4x20xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xi8>, %w: tensor<2x32xi8>, %a: tensor<20xf32>, %o: tensor<4x20xf32>) {
  // expected-error@+1 {{has panels of 32 elements, which is not 64 and whole steps of 64}}
  %y = compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = i8, isa = avx512>
      lhs(%x : tensor<4x8xi8>) panels(%w : tensor<2x32xi8>) extras(%a : tensor<20xf32>) outs(%o : tensor<4x20xf32>)
      {maps = [affine_map<(m, n) -> (n)>]} epilogue {
  ^bb0(%sum: i32, %s: f32):
    %0 = arith.sitofp %sum : i32 to f32
    compress.yield %0 : f32
  } -> tensor<4x20xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xi8>, %w: tensor<2x256xi8>, %a: tensor<20xf32>, %o: tensor<4x20xf32>) {
  // expected-error@+1 {{has panels of 256 elements, but its left operand has 2 steps, which take 192}}
  %y = compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = i8, isa = avx512>
      lhs(%x : tensor<4x8xi8>) panels(%w : tensor<2x256xi8>) extras(%a : tensor<20xf32>) outs(%o : tensor<4x20xf32>)
      {maps = [affine_map<(m, n) -> (n)>]} epilogue {
  ^bb0(%sum: i32, %s: f32):
    %0 = arith.sitofp %sum : i32 to f32
    compress.yield %0 : f32
  } -> tensor<4x20xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xi8>, %w: tensor<3x192xi8>, %a: tensor<20xf32>, %o: tensor<4x20xf32>) {
  // expected-error@+1 {{has 3 panels, but its outs have columns for 2}}
  %y = compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = i8, isa = avx512>
      lhs(%x : tensor<4x8xi8>) panels(%w : tensor<3x192xi8>) extras(%a : tensor<20xf32>) outs(%o : tensor<4x20xf32>)
      {maps = [affine_map<(m, n) -> (n)>]} epilogue {
  ^bb0(%sum: i32, %s: f32):
    %0 = arith.sitofp %sum : i32 to f32
    compress.yield %0 : f32
  } -> tensor<4x20xf32>
  return
}

// -----

func.func @f(%x: tensor<5x8xi8>, %w: tensor<2x192xi8>, %a: tensor<20xf32>, %o: tensor<4x20xf32>) {
  // expected-error@+1 {{has a left operand of size 5 in dimension 0, but outs of size 4}}
  %y = compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = i8, isa = avx512>
      lhs(%x : tensor<5x8xi8>) panels(%w : tensor<2x192xi8>) extras(%a : tensor<20xf32>) outs(%o : tensor<4x20xf32>)
      {maps = [affine_map<(m, n) -> (n)>]} epilogue {
  ^bb0(%sum: i32, %s: f32):
    %0 = arith.sitofp %sum : i32 to f32
    compress.yield %0 : f32
  } -> tensor<4x20xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xi8>, %w: tensor<2x192xi8>, %a: tensor<20xcomplex<f32>>, %o: tensor<4x20xf32>) {
  // expected-error@+1 {{must have extras and outs of integers, indices or floats, but has 'tensor<20xcomplex<f32>>'}}
  %y = compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = i8, isa = avx512>
      lhs(%x : tensor<4x8xi8>) panels(%w : tensor<2x192xi8>) extras(%a : tensor<20xcomplex<f32>>) outs(%o : tensor<4x20xf32>)
      {maps = [affine_map<(m, n) -> (n)>]} epilogue {
  ^bb0(%sum: i32, %s: complex<f32>):
    %0 = arith.sitofp %sum : i32 to f32
    compress.yield %0 : f32
  } -> tensor<4x20xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xi8>, %w: tensor<2x192xi8>, %a: tensor<20xf32>, %o: tensor<4x20xf32>) {
  // expected-error@+1 {{has 1 extras, but 2 maps}}
  %y = compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = i8, isa = avx512>
      lhs(%x : tensor<4x8xi8>) panels(%w : tensor<2x192xi8>) extras(%a : tensor<20xf32>) outs(%o : tensor<4x20xf32>)
      {maps = [affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (n)>]} epilogue {
  ^bb0(%sum: i32, %s: f32):
    %0 = arith.sitofp %sum : i32 to f32
    compress.yield %0 : f32
  } -> tensor<4x20xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xi8>, %w: tensor<2x192xi8>, %a: tensor<20xf32>, %o: tensor<4x20xf32>) {
  // expected-error@+1 {{map affine_map<(d0, d1) -> (d0, d1)> is not a projected permutation of the 2 dimensions of outs to those of its extra}}
  %y = compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = i8, isa = avx512>
      lhs(%x : tensor<4x8xi8>) panels(%w : tensor<2x192xi8>) extras(%a : tensor<20xf32>) outs(%o : tensor<4x20xf32>)
      {maps = [affine_map<(m, n) -> (m, n)>]} epilogue {
  ^bb0(%sum: i32, %s: f32):
    %0 = arith.sitofp %sum : i32 to f32
    compress.yield %0 : f32
  } -> tensor<4x20xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xi8>, %w: tensor<2x192xi8>, %a: tensor<20xf32>, %o: tensor<4x20xf32>) {
  // expected-error@+1 {{is not a projected permutation of the 2 dimensions of outs}}
  %y = compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = i8, isa = avx512>
      lhs(%x : tensor<4x8xi8>) panels(%w : tensor<2x192xi8>) extras(%a : tensor<20xf32>) outs(%o : tensor<4x20xf32>)
      {maps = [affine_map<(m, n) -> (n + 1)>]} epilogue {
  ^bb0(%sum: i32, %s: f32):
    %0 = arith.sitofp %sum : i32 to f32
    compress.yield %0 : f32
  } -> tensor<4x20xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xi8>, %w: tensor<2x192xi8>, %a: tensor<20xf32>, %o: tensor<4x20xf32>) {
  // expected-error@+1 {{is not a projected permutation of the 2 dimensions of outs}}
  %y = compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = i8, isa = avx512>
      lhs(%x : tensor<4x8xi8>) panels(%w : tensor<2x192xi8>) extras(%a : tensor<20xf32>) outs(%o : tensor<4x20xf32>)
      {maps = [affine_map<(n) -> (n)>]} epilogue {
  ^bb0(%sum: i32, %s: f32):
    %0 = arith.sitofp %sum : i32 to f32
    compress.yield %0 : f32
  } -> tensor<4x20xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xi8>, %w: tensor<2x192xi8>, %a: tensor<20xf32>, %o: tensor<4x20xf32>) {
  // expected-error@+1 {{is not a projected permutation of the 2 dimensions of outs}}
  %y = compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = i8, isa = avx512>
      lhs(%x : tensor<4x8xi8>) panels(%w : tensor<2x192xi8>) extras(%a : tensor<20xf32>) outs(%o : tensor<4x20xf32>)
      {maps = [affine_map<(m, n)[s] -> (n)>]} epilogue {
  ^bb0(%sum: i32, %s: f32):
    %0 = arith.sitofp %sum : i32 to f32
    compress.yield %0 : f32
  } -> tensor<4x20xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xi8>, %w: tensor<2x192xi8>, %a: tensor<20xf32>, %o: tensor<4x20xf32>) {
  // expected-error@+1 {{has an extra of size 20 in dimension 0, but outs of size 4 there}}
  %y = compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = i8, isa = avx512>
      lhs(%x : tensor<4x8xi8>) panels(%w : tensor<2x192xi8>) extras(%a : tensor<20xf32>) outs(%o : tensor<4x20xf32>)
      {maps = [affine_map<(m, n) -> (m)>]} epilogue {
  ^bb0(%sum: i32, %s: f32):
    %0 = arith.sitofp %sum : i32 to f32
    compress.yield %0 : f32
  } -> tensor<4x20xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xi8>, %w: tensor<2x192xi8>, %a: tensor<20xf32>, %o: tensor<4x20xf32>) {
  // expected-error@+1 {{must have an epilogue with arguments of types 'i32', 'f32'}}
  %y = compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = i8, isa = avx512>
      lhs(%x : tensor<4x8xi8>) panels(%w : tensor<2x192xi8>) extras(%a : tensor<20xf32>) outs(%o : tensor<4x20xf32>)
      {maps = [affine_map<(m, n) -> (n)>]} epilogue {
  ^bb0(%sum: i32):
    %0 = arith.sitofp %sum : i32 to f32
    compress.yield %0 : f32
  } -> tensor<4x20xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xi8>, %w: tensor<2x192xi8>, %a: tensor<20xf32>, %o: tensor<4x20xf32>) {
  // expected-error@+1 {{must have an epilogue with arguments of types 'i32', 'f32'}}
  %y = compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = i8, isa = avx512>
      lhs(%x : tensor<4x8xi8>) panels(%w : tensor<2x192xi8>) extras(%a : tensor<20xf32>) outs(%o : tensor<4x20xf32>)
      {maps = [affine_map<(m, n) -> (n)>]} epilogue {
  ^bb0(%s: f32, %sum: i32):
    %0 = arith.sitofp %sum : i32 to f32
    compress.yield %0 : f32
  } -> tensor<4x20xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xi8>, %w: tensor<2x192xi8>, %a: tensor<20xf32>, %o: tensor<4x20xf32>) {
  // expected-error@+1 {{must yield one value for each out}}
  %y = compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = i8, isa = avx512>
      lhs(%x : tensor<4x8xi8>) panels(%w : tensor<2x192xi8>) extras(%a : tensor<20xf32>) outs(%o : tensor<4x20xf32>)
      {maps = [affine_map<(m, n) -> (n)>]} epilogue {
  ^bb0(%sum: i32, %s: f32):
    compress.yield
  } -> tensor<4x20xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xi8>, %w: tensor<2x192xi8>, %a: tensor<20xf32>, %o: tensor<4x20xf32>) {
  // expected-error@+1 {{yields a value of 'i32' for an out of 'f32'}}
  %y = compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = i8, isa = avx512>
      lhs(%x : tensor<4x8xi8>) panels(%w : tensor<2x192xi8>) extras(%a : tensor<20xf32>) outs(%o : tensor<4x20xf32>)
      {maps = [affine_map<(m, n) -> (n)>]} epilogue {
  ^bb0(%sum: i32, %s: f32):
    compress.yield %sum : i32
  } -> tensor<4x20xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xi8>, %w: tensor<2x192xi8>, %a: tensor<20xf32>, %o: tensor<4x20xf32>) {
  // expected-error@+1 {{must have one result for each out if these are tensors, none if they are memrefs}}
  compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = i8, isa = avx512>
      lhs(%x : tensor<4x8xi8>) panels(%w : tensor<2x192xi8>) extras(%a : tensor<20xf32>) outs(%o : tensor<4x20xf32>)
      {maps = [affine_map<(m, n) -> (n)>]} epilogue {
  ^bb0(%sum: i32, %s: f32):
    %0 = arith.sitofp %sum : i32 to f32
    compress.yield %0 : f32
  }
  return
}

// -----

func.func @f(%x: tensor<4x8xi8>, %w: tensor<2x192xi8>, %a: tensor<20xf32>, %o: memref<4x20xf32>) {
  // expected-error@+1 {{must have one result for each out if these are tensors, none if they are memrefs}}
  %y = compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = i8, isa = avx512>
      lhs(%x : tensor<4x8xi8>) panels(%w : tensor<2x192xi8>) extras(%a : tensor<20xf32>) outs(%o : memref<4x20xf32>)
      {maps = [affine_map<(m, n) -> (n)>]} epilogue {
  ^bb0(%sum: i32, %s: f32):
    %0 = arith.sitofp %sum : i32 to f32
    compress.yield %0 : f32
  } -> tensor<4x20xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xi8>, %w: tensor<2x192xi8>, %a: tensor<20xf32>, %o: tensor<4x20xf32>) {
  // expected-error@+1 {{must have results of the types of its outs}}
  %y = compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = i8, isa = avx512>
      lhs(%x : tensor<4x8xi8>) panels(%w : tensor<2x192xi8>) extras(%a : tensor<20xf32>) outs(%o : tensor<4x20xf32>)
      {maps = [affine_map<(m, n) -> (n)>]} epilogue {
  ^bb0(%sum: i32, %s: f32):
    %0 = arith.sitofp %sum : i32 to f32
    compress.yield %0 : f32
  } -> tensor<4x?xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32, #compress.affine<i8>>, %w: tensor<2x192xi8>, %a: tensor<20xf32>, %o: tensor<4x20xf32>) {
  // expected-error@+1 {{must be memref or ranked tensor without an encoding, but got}}
  %y = compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = i8, isa = avx512>
      lhs(%x : tensor<4x8xf32, #compress.affine<i8>>) panels(%w : tensor<2x192xi8>) extras(%a : tensor<20xf32>) outs(%o : tensor<4x20xf32>)
      {maps = [affine_map<(m, n) -> (n)>]} epilogue {
  ^bb0(%sum: i32, %s: f32):
    %0 = arith.sitofp %sum : i32 to f32
    compress.yield %0 : f32
  } -> tensor<4x20xf32>
  return
}

// -----

func.func @f(%x: tensor<1x8x9x4xi8>, %w: tensor<1x448xi8>, %a: tensor<16xf32>, %o: tensor<1x4x?x16xf32>) {
  // expected-error@+1 {{has padding in dimension 2, whose size must then be static}}
  %y = compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = i8, isa = avx512>
      lhs(%x : tensor<1x8x9x4xi8>) panels(%w : tensor<1x448xi8>) extras(%a : tensor<16xf32>) outs(%o : tensor<1x4x?x16xf32>)
      {maps = [affine_map<(i, y, x, n) -> (n)>], window = #compress.window<sizes = [3, 2], strides = [1, 2], dilations = [2, 1], pads = [0, 1]>} epilogue {
  ^bb0(%sum: i32, %s: f32):
    %0 = arith.sitofp %sum : i32 to f32
    compress.yield %0 : f32
  } -> tensor<1x4x?x16xf32>
  return
}

// -----

func.func @f(%x: tensor<1x8x9x4xi8>, %w: tensor<1x448xi8>, %a: tensor<16xf32>, %o: tensor<2x4x4x16xf32>) {
  // expected-error@+1 {{has a left operand of size 1 in dimension 0, but outs of size 2}}
  %y = compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = i8, isa = avx512>
      lhs(%x : tensor<1x8x9x4xi8>) panels(%w : tensor<1x448xi8>) extras(%a : tensor<16xf32>) outs(%o : tensor<2x4x4x16xf32>)
      {maps = [affine_map<(i, y, x, n) -> (n)>], window = #compress.window<sizes = [3, 2], strides = [1, 2], dilations = [2, 1], pads = [0, 0]>} epilogue {
  ^bb0(%sum: i32, %s: f32):
    %0 = arith.sitofp %sum : i32 to f32
    compress.yield %0 : f32
  } -> tensor<2x4x4x16xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xi8>, %w: tensor<2x192xi8>, %a: tensor<20xf32>, %o: tensor<4x20xf32>) {
  %y = compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = i8, isa = avx512>
      lhs(%x : tensor<4x8xi8>) panels(%w : tensor<2x192xi8>) extras(%a : tensor<20xf32>) outs(%o : tensor<4x20xf32>)
      {maps = [affine_map<(m, n) -> (n)>]} epilogue {
  ^bb0(%sum: i32, %s: f32):
    // expected-error@+1 {{'vector.broadcast' op is not an elementwise op on scalars, as those of an epilogue must be}}
    %v = vector.broadcast %s : f32 to vector<4xf32>
    compress.yield %s : f32
  } -> tensor<4x20xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xi8>, %w: tensor<2x192xi8>, %a: tensor<20xf32>, %o: tensor<4x20xf32>) {
  %y = compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = i8, isa = avx512>
      lhs(%x : tensor<4x8xi8>) panels(%w : tensor<2x192xi8>) extras(%a : tensor<20xf32>) outs(%o : tensor<4x20xf32>)
      {maps = [affine_map<(m, n) -> (n)>]} epilogue {
  ^bb0(%sum: i32, %s: f32):
    // expected-error@+1 {{'arith.constant' op is not an elementwise op on scalars, as those of an epilogue must be}}
    %v = arith.constant dense<1.0> : vector<4xf32>
    compress.yield %s : f32
  } -> tensor<4x20xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xi8>, %w: tensor<2x192xi8>, %a: tensor<20xf32>, %o: tensor<4x20xf32>) {
  %y = compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = i8, isa = avx512>
      lhs(%x : tensor<4x8xi8>) panels(%w : tensor<2x192xi8>) extras(%a : tensor<20xf32>) outs(%o : tensor<4x20xf32>)
      {maps = [affine_map<(m, n) -> (n)>]} epilogue {
  ^bb0(%sum: i32, %s: f32):
    // expected-error@+1 {{'arith.addf' op is not an elementwise op on scalars, as those of an epilogue must be}}
    %v = arith.addf %a, %a : tensor<20xf32>
    compress.yield %s : f32
  } -> tensor<4x20xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xi8>, %w: tensor<2x192xi8>, %a: tensor<20xf32>, %o: tensor<4x20xf32>) {
  %y = compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = i8, isa = avx512>
      lhs(%x : tensor<4x8xi8>) panels(%w : tensor<2x192xi8>) extras(%a : tensor<20xf32>) outs(%o : tensor<4x20xf32>)
      {maps = [affine_map<(m, n) -> (n)>]} epilogue {
  ^bb0(%sum: i32, %s: f32):
    %c = arith.constant 0 : index
    // expected-error@+1 {{'tensor.extract' op is not an elementwise op on scalars, as those of an epilogue must be}}
    %v = tensor.extract %a[%c] : tensor<20xf32>
    compress.yield %v : f32
  } -> tensor<4x20xf32>
  return
}

// -----

func.func @f(%x: f32) {
  // expected-error@+1 {{'compress.yield' op expects parent op 'compress.tile_contract'}}
  compress.yield %x : f32
}

// -----

func.func @f(%x: tensor<4x8xi8>, %w: tensor<2x192xi8>, %o: tensor<4x20xf32>) {
  // expected-error@+1 {{must yield one value for each out}}
  %y = "compress.tile_contract"(%x, %w, %o) <{kernel = #compress.int_dot<m = 2, n = 16, lhsType = i8, isa = avx512>, maps = [], operandSegmentSizes = array<i32: 1, 1, 0, 1>}> ({
  ^bb0(%sum: i32):
    %0 = "arith.sitofp"(%sum) : (i32) -> f32
  }) : (tensor<4x8xi8>, tensor<2x192xi8>, tensor<4x20xf32>) -> tensor<4x20xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xi8>, %w: tensor<2x192xi8>) {
  // expected-error@+1 {{must have at least one out}}
  "compress.tile_contract"(%x, %w) <{kernel = #compress.int_dot<m = 2, n = 16, lhsType = i8, isa = avx512>, maps = [], operandSegmentSizes = array<i32: 1, 1, 0, 0>}> ({
  ^bb0(%sum: i32):
    compress.yield
  }) : (tensor<4x8xi8>, tensor<2x192xi8>) -> ()
  return
}

// -----

func.func @f(%x: tensor<4x8xi8>, %w: tensor<2x192xi8>, %o: tensor<4x20xf32>, %p: tensor<4x21xi32>) {
  // expected-error@+1 {{must have outs of one shape}}
  %y:2 = compress.tile_contract #compress.int_dot<m = 2, n = 16, lhsType = i8, isa = avx512>
      lhs(%x : tensor<4x8xi8>) panels(%w : tensor<2x192xi8>) outs(%o, %p : tensor<4x20xf32>, tensor<4x21xi32>)
      {maps = []} epilogue {
  ^bb0(%sum: i32):
    %0 = arith.sitofp %sum : i32 to f32
    compress.yield %0, %sum : f32, i32
  } -> tensor<4x20xf32>, tensor<4x21xi32>
  return
}

// -----

func.func @f(%x: tensor<1x8x9x32xi8>, %w: tensor<1x576xi8>, %o: tensor<1x8x9x16xf32>) {
  // expected-error@+1 {{has a window, but its kernel takes sums of rows}}
  %y = compress.tile_contract #compress.block_dot<m = 2, n = 16, lhsType = i8, bits = 8, block = 32, scale = f32, zeroPoints = false, isa = avx512>
      lhs(%x : tensor<1x8x9x32xi8>) panels(%w : tensor<1x576xi8>) outs(%o : tensor<1x8x9x16xf32>)
      {maps = [], window = #compress.window<sizes = [1, 1], strides = [1, 1], dilations = [1, 1], pads = [0, 0]>} epilogue {
  ^bb0(%sum: f32):
    compress.yield %sum : f32
  } -> tensor<1x8x9x16xf32>
  return
}
