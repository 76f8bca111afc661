// Convolutions as tile contractions: padding becomes part of the window.

// RUN: compress-opt %s --pass-pipeline="builtin.module(compress-set-target{cpu=sapphirerapids}, \
// RUN:   compress-integrate-qdq, canonicalize, compress-select-strategy{native=true}, \
// RUN:   compress-lower-contractions, compress-expand-encodings, canonicalize, cse)" \
// RUN:   -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @floats(
// CHECK-SAME: %[[X:.*]]: tensor<1x14x14x8xf32>
// CHECK-NOT: tensor.pad
// CHECK: compress.tile_contract #compress.float_dot<m = 14, n = 32, element = f32, isa = avx512>
// CHECK-SAME: lhs(%[[X]] :
// CHECK-SAME: window = #compress.window<sizes = [3, 3], strides = [1, 1], dilations = [1, 1], pads = [1, 1]>
func.func @floats(%x: tensor<1x14x14x8xf32>, %w: tensor<3x3x8x32xf32>, %y: tensor<1x14x14x32xf32>) -> tensor<1x14x14x32xf32> {
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x14x14x8xf32> to tensor<1x16x16x8xf32>
  %r = linalg.conv_2d_nhwc_hwcf ins(%padded, %w : tensor<1x16x16x8xf32>, tensor<3x3x8x32xf32>)
      outs(%y : tensor<1x14x14x32xf32>) -> tensor<1x14x14x32xf32>
  return %r : tensor<1x14x14x32xf32>
}

// A padding with anything else than zeros stays.
// CHECK-LABEL: func @padded_with_ones(
// CHECK: %[[P:.*]] = tensor.pad
// CHECK: compress.tile_contract
// CHECK-SAME: lhs(%[[P]] :
// CHECK-SAME: pads = [0]
func.func @padded_with_ones(%x: tensor<1x14x8xf32>, %w: tensor<3x8x32xf32>, %y: tensor<1x14x32xf32>) -> tensor<1x14x32xf32> {
  %one = arith.constant 1.0 : f32
  %padded = tensor.pad %x low[0, 1, 0] high[0, 1, 0] {
  ^bb0(%i: index, %j: index, %l: index):
    tensor.yield %one : f32
  } : tensor<1x14x8xf32> to tensor<1x16x8xf32>
  %r = linalg.conv_1d_nwc_wcf ins(%padded, %w : tensor<1x16x8xf32>, tensor<3x8x32xf32>)
      outs(%y : tensor<1x14x32xf32>) -> tensor<1x14x32xf32>
  return %r : tensor<1x14x32xf32>
}

// Where sizes are not known, so does any.
// CHECK-LABEL: func @dynamic(
// CHECK: %[[P:.*]] = tensor.pad
// CHECK: compress.tile_contract
// CHECK-SAME: lhs(%[[P]] :
func.func @dynamic(%x: tensor<1x?x8xf32>, %w: tensor<3x8x32xf32>, %y: tensor<1x?x32xf32>) -> tensor<1x?x32xf32> {
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %x low[0, 1, 0] high[0, 1, 0] {
  ^bb0(%i: index, %j: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x?x8xf32> to tensor<1x?x8xf32>
  %r = linalg.conv_1d_nwc_wcf ins(%padded, %w : tensor<1x?x8xf32>, tensor<3x8x32xf32>)
      outs(%y : tensor<1x?x32xf32>) -> tensor<1x?x32xf32>
  return %r : tensor<1x?x32xf32>
}

// Unsigned codes without zero point: taps outside contribute nothing, and the
// image is read in place. Panels: 32 sums, then 3 taps of 4 x 32 codes.
// CHECK-LABEL: func @unsigned(
// CHECK-SAME: %[[X:.*]]: tensor<1x14x4xi8>
// CHECK: compress.tile_contract #compress.int_dot<m = {{.*}}, n = 32, lhsType = ui8, isa = avx512_vnni>
// CHECK-SAME: lhs(%[[X]] :
// CHECK-SAME: panels(%{{.*}} : tensor<1x512xi8>)
// CHECK-SAME: pads = [2]
func.func @unsigned(%x: tensor<1x14x4xi8>, %y: tensor<1x14x32xf32>) -> tensor<1x14x32xf32> {
  %code = arith.constant 0 : i8
  %scale = arith.constant dense<0.5> : tensor<f32>
  %padded = tensor.pad %x low[0, 2, 0] high[0, 2, 0] {
  ^bb0(%i: index, %j: index, %l: index):
    tensor.yield %code : i8
  } : tensor<1x14x4xi8> to tensor<1x18x4xi8>
  %e = compress.assemble %padded, %scale : (tensor<1x18x4xi8>, tensor<f32>) -> tensor<1x18x4xf32, #compress.affine<ui8>>
  %w = compress.constant #compress.encoded<[dense<3> : tensor<3x4x32xi8>, dense<0.5> : tensor<f32>]> : tensor<3x4x32xf32, #compress.affine<i8>>
  %r = linalg.conv_1d_nwc_wcf {dilations = dense<2> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>}
      ins(%e, %w : tensor<1x18x4xf32, #compress.affine<ui8>>, tensor<3x4x32xf32, #compress.affine<i8>>)
      outs(%y : tensor<1x14x32xf32>) -> tensor<1x14x32xf32>
  return %r : tensor<1x14x32xf32>
}

// Signed codes are stored plus 128, so that a zero outside contributes 128 times
// the sum of the tap: 3 x 32 numbers behind each panel. The float image is
// padded with zeros, its codes would be with the zero point.
// CHECK-LABEL: func @signed(
// CHECK-NOT: tensor.pad
// CHECK: compress.tile_contract #compress.int_dot<m = {{.*}}, n = 32, lhsType = i8, isa = avx512_vnni>
// CHECK-SAME: panels(%{{.*}} : tensor<1x896xi8>)
// CHECK-SAME: pads = [1]
func.func @signed(%x: tensor<1x14x4xf32>, %y: tensor<1x14x32xf32>) -> tensor<1x14x32xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant dense<0.5> : tensor<f32>
  %point = arith.constant dense<-7> : tensor<i8>
  %padded = tensor.pad %x low[0, 1, 0] high[0, 1, 0] {
  ^bb0(%i: index, %j: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x14x4xf32> to tensor<1x16x4xf32>
  %e = compress.quantize %padded, %scale, %point : tensor<1x16x4xf32>, tensor<f32>, tensor<i8> to tensor<1x16x4xf32, #compress.affine<i8, asymmetric>>
  %w = compress.constant #compress.encoded<[dense<3> : tensor<3x4x32xi8>, dense<0.5> : tensor<f32>]> : tensor<3x4x32xf32, #compress.affine<i8>>
  %r = linalg.conv_1d_nwc_wcf ins(%e, %w : tensor<1x16x4xf32, #compress.affine<i8, asymmetric>>, tensor<3x4x32xf32, #compress.affine<i8>>)
      outs(%y : tensor<1x14x32xf32>) -> tensor<1x14x32xf32>
  return %r : tensor<1x14x32xf32>
}

// Images that are quantized dynamically: the op does it, each with a scale and a
// zero point. What a tap outside adds is the zero point times the sum of the tap.
// Channels are padded by the thread that uses them.
// CHECK-LABEL: func @dynamic_ranges(
// CHECK-SAME: %[[X:.*]]: tensor<?x14x3xf32>
// CHECK-NOT: tensor.pad
// CHECK: compress.tile_contract #compress.int_dot<m = {{.*}}, n = 32, lhsType = ui8, isa = avx512_vnni>
// CHECK-SAME: lhs(%[[X]] :
// CHECK-SAME: panels(%{{.*}} : tensor<1x896xi8>)
// CHECK-SAME: quantize = #{{[a-z0-9_]*}}, window =
// CHECK-SAME: pads = [1]
// CHECK: ^bb0(%[[SUM:[^:]*]]: i32, %{{[^:]*}}: f32, %[[POINT:[^:]*]]: i32, %[[SUMS:[^:]*]]: i32,
// CHECK: arith.muli %[[POINT]], %[[SUMS]]
func.func @dynamic_ranges(%x: tensor<?x14x3xf32>, %y: tensor<?x14x32xf32>) -> tensor<?x14x32xf32> {
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %x low[0, 1, 0] high[0, 1, 0] {
  ^bb0(%i: index, %j: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<?x14x3xf32> to tensor<?x16x3xf32>
  %e = compress.encode %padded : tensor<?x16x3xf32> to tensor<?x16x3xf32, #compress.affine<ui8, asymmetric, block = [1, *, *]>>
  %w = compress.constant #compress.encoded<[dense<3> : tensor<3x3x32xi8>, dense<0.5> : tensor<f32>]> : tensor<3x3x32xf32, #compress.affine<i8>>
  %r = linalg.conv_1d_nwc_wcf ins(%e, %w : tensor<?x16x3xf32, #compress.affine<ui8, asymmetric, block = [1, *, *]>>, tensor<3x3x32xf32, #compress.affine<i8>>)
      outs(%y : tensor<?x14x32xf32>) -> tensor<?x14x32xf32>
  return %r : tensor<?x14x32xf32>
}

// Lines that have a scale each are not images: the codes are made before.
// CHECK-LABEL: func @scales_of_lines(
// CHECK: compress.tile_contract
// CHECK-NOT: quantize =
// CHECK: return
func.func @scales_of_lines(%x: tensor<2x9x14x4xf32>, %y: tensor<2x9x12x32xf32>) -> tensor<2x9x12x32xf32> {
  %e = compress.encode %x : tensor<2x9x14x4xf32> to tensor<2x9x14x4xf32, #compress.affine<i8, block = [1, *, *, *]>>
  %w = compress.constant #compress.encoded<[dense<3> : tensor<3x4x32xi8>, dense<0.5> : tensor<f32>]> : tensor<3x4x32xf32, #compress.affine<i8>>
  %r = linalg.generic {
      indexing_maps = [affine_map<(n, h, w, f, s, c) -> (n, h, w + s, c)>,
                       affine_map<(n, h, w, f, s, c) -> (s, c, f)>,
                       affine_map<(n, h, w, f, s, c) -> (n, h, w, f)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%e, %w : tensor<2x9x14x4xf32, #compress.affine<i8, block = [1, *, *, *]>>, tensor<3x4x32xf32, #compress.affine<i8>>)
      outs(%y : tensor<2x9x12x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.addf %c, %p : f32
    linalg.yield %q : f32
  } -> tensor<2x9x12x32xf32>
  return %r : tensor<2x9x12x32xf32>
}

// Channels move behind the pixels and back; the transposes between two
// convolutions cancel.
// CHECK-LABEL: func @channels_first(
// CHECK: linalg.transpose {{.*}} permutation = [0, 2, 3, 1]
// CHECK-NOT: linalg.transpose
// CHECK: %[[FIRST:.*]] = compress.tile_contract
// CHECK-NOT: linalg.transpose
// CHECK: compress.tile_contract
// CHECK-SAME: lhs(%[[FIRST]] :
// CHECK: linalg.transpose {{.*}} permutation = [0, 3, 1, 2]
func.func @channels_first(%x: tensor<1x8x9x9xf32>, %w: tensor<8x8x3x3xf32>, %v: tensor<8x8x1x1xf32>) -> tensor<1x8x7x7xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x8x7x7xf32>
  %y = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x7x7xf32>) -> tensor<1x8x7x7xf32>
  %r = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x8x9x9xf32>, tensor<8x8x3x3xf32>)
      outs(%y : tensor<1x8x7x7xf32>) -> tensor<1x8x7x7xf32>
  %s = linalg.conv_2d_nchw_fchw ins(%r, %v : tensor<1x8x7x7xf32>, tensor<8x8x1x1xf32>)
      outs(%y : tensor<1x8x7x7xf32>) -> tensor<1x8x7x7xf32>
  return %s : tensor<1x8x7x7xf32>
}

// One tap at every pixel is a product of matrices.
// CHECK-LABEL: func @one_tap(
// CHECK: compress.tile_contract
// CHECK-NOT: window
// CHECK: return
func.func @one_tap(%x: tensor<1x7x7x8xf32>, %w: tensor<1x1x8x32xf32>, %y: tensor<1x7x7x32xf32>) -> tensor<1x7x7x32xf32> {
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x7x7x8xf32>, tensor<1x1x8x32xf32>)
      outs(%y : tensor<1x7x7x32xf32>) -> tensor<1x7x7x32xf32>
  return %r : tensor<1x7x7x32xf32>
}

// CHECK-LABEL: func @depthwise(
// CHECK-NOT: compress.tile_contract
// CHECK: return
func.func @depthwise(%x: tensor<1x9x9x8xi8>, %y: tensor<1x7x7x8xf32>) -> tensor<1x7x7x8xf32> {
  %scale = arith.constant dense<0.5> : tensor<f32>
  %e = compress.assemble %x, %scale : (tensor<1x9x9x8xi8>, tensor<f32>) -> tensor<1x9x9x8xf32, #compress.affine<i8>>
  %w = compress.constant #compress.encoded<[dense<3> : tensor<3x3x8xi8>, dense<0.5> : tensor<f32>]> : tensor<3x3x8xf32, #compress.affine<i8>>
  // expected-remark @below {{no tile kernel computes this: it is a depthwise or grouped convolution}}
  %r = linalg.depthwise_conv_2d_nhwc_hwc ins(%e, %w : tensor<1x9x9x8xf32, #compress.affine<i8>>, tensor<3x3x8xf32, #compress.affine<i8>>)
      outs(%y : tensor<1x7x7x8xf32>) -> tensor<1x7x7x8xf32>
  return %r : tensor<1x7x7x8xf32>
}
