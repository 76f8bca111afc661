// RUN: compress-opt %s --compress-integrate-qdq --canonicalize --cse | FileCheck %s

#map = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>

// decode in front of a contraction goes; elementwise ops keep it.
// CHECK-LABEL: func @decode
// CHECK: %[[E:.*]] = compress.quantize
// CHECK: %[[D:.*]] = compress.decode %[[E]]
// CHECK: linalg.matmul ins(%[[E]], %arg2 : tensor<4x8xf32, #{{.*}}>, tensor<8x2xf32>)
// CHECK: linalg.exp ins(%[[D]]
func.func @decode(%x: tensor<4x8xf32>, %s: tensor<f32>, %w: tensor<8x2xf32>, %c: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4x8xf32>) {
  %e = compress.quantize %x, %s : tensor<4x8xf32>, tensor<f32> to tensor<4x8xf32, #compress.affine<i8>>
  %d = compress.decode %e : tensor<4x8xf32, #compress.affine<i8>> -> tensor<4x8xf32>
  %r = linalg.matmul ins(%d, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%c : tensor<4x2xf32>) -> tensor<4x2xf32>
  %y = linalg.exp ins(%d : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r, %y : tensor<4x2xf32>, tensor<4x8xf32>
}

// A fake quantizer stays lossy, and the contraction reads its codes.
// CHECK-LABEL: func @fake_quant
// CHECK: %[[E:.*]] = compress.encode %arg0
// CHECK: linalg.matmul ins(%[[E]], %arg1
func.func @fake_quant(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %c: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %q = compress.fake_quant %x as tensor<4x8xf32, #compress.affine<i8, block = [1, *]>> : tensor<4x8xf32>
  %r = linalg.matmul ins(%q, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%c : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %r : tensor<4x2xf32>
}

// The quant dialect's own fold would delete this pair.
// CHECK-LABEL: func @quant_pair
// CHECK: %[[S:.*]] = arith.constant dense<5.000000e-01> : tensor<f32>
// CHECK: %[[Q:.*]] = compress.quantize %arg0, %[[S]]
// CHECK: compress.decode %[[Q]]
func.func @quant_pair(%x: tensor<8xf32>) -> tensor<8xf32> {
  %q = quant.qcast %x : tensor<8xf32> to tensor<8x!quant.uniform<i8:f32, 0.5>>
  %d = quant.dcast %q : tensor<8x!quant.uniform<i8:f32, 0.5>> to tensor<8xf32>
  return %d : tensor<8xf32>
}

// Per-channel weights as integers with explicit dequantization; the channel
// axis is permuted with the transpose.
// CHECK-LABEL: func @explicit_weights
// CHECK-DAG: %[[SCALES:.*]] = arith.constant dense<[5.000000e-01, 2.500000e-01]> : tensor<2xf32>
// CHECK: %[[W:.*]] = compress.assemble %{{.*}}, %[[SCALES]] : (tensor<8x2xi8>, tensor<2xf32>) -> tensor<8x2xf32, #[[ENC:.*]]>
// CHECK: linalg.matmul ins(%arg0, %[[W]] : tensor<4x8xf32>, tensor<8x2xf32, #[[ENC]]>)
func.func @explicit_weights(%x: tensor<4x8xf32>, %w: tensor<2x8xi8>, %c: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %s = arith.constant dense<[0.5, 0.25]> : tensor<2xf32>
  %e = tensor.empty() : tensor<2x8xf32>
  %d = linalg.generic {indexing_maps = [#map, affine_map<(d0, d1) -> (d0)>, #map], iterator_types = ["parallel", "parallel"]} ins(%w, %s : tensor<2x8xi8>, tensor<2xf32>) outs(%e : tensor<2x8xf32>) {
  ^bb0(%q: i8, %scale: f32, %out: f32):
    %f = arith.sitofp %q : i8 to f32
    %p = arith.mulf %f, %scale : f32
    linalg.yield %p : f32
  } -> tensor<2x8xf32>
  %te = tensor.empty() : tensor<8x2xf32>
  %t = linalg.transpose ins(%d : tensor<2x8xf32>) outs(%te : tensor<8x2xf32>) permutation = [1, 0]
  %r = linalg.matmul ins(%x, %t : tensor<4x8xf32>, tensor<8x2xf32>) outs(%c : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %r : tensor<4x2xf32>
}

// Explicit asymmetric activations, u8, and padding with the code of zero.
// CHECK-LABEL: func @explicit_activations
// CHECK-DAG: %[[ZP:.*]] = arith.constant dense<-128> : tensor<i8>
// CHECK-DAG: %[[CODE:.*]] = arith.constant -128 : i8
// CHECK: compress.quantize %arg0, %{{.*}}, %[[ZP]] : tensor<1x6x6x2xf32>, tensor<f32>, tensor<i8> to tensor<1x6x6x2xf32, #[[U8:.*]]>
// CHECK: tensor.pad
// CHECK: tensor.yield %[[CODE]] : i8
// CHECK: %[[E:.*]] = compress.assemble {{.*}} -> tensor<1x8x8x2xf32, #[[U8]]>
// CHECK: linalg.conv_2d_nhwc_hwcf {{.*}}ins(%[[E]], %arg1
func.func @explicit_activations(%x: tensor<1x6x6x2xf32>, %w: tensor<3x3x2x4xf32>, %c: tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32> {
  %scale = arith.constant 0.5 : f32
  %zp = arith.constant 128.0 : f32
  %low = arith.constant 0.0 : f32
  %high = arith.constant 255.0 : f32
  %ei = tensor.empty() : tensor<1x6x6x2xi8>
  %ef = tensor.empty() : tensor<1x6x6x2xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x : tensor<1x6x6x2xf32>) outs(%ei : tensor<1x6x6x2xi8>) {
  ^bb0(%in: f32, %out: i8):
    %0 = arith.divf %in, %scale : f32
    %1 = math.roundeven %0 : f32
    %2 = arith.addf %1, %zp : f32
    %3 = arith.maximumf %2, %low : f32
    %4 = arith.minimumf %3, %high : f32
    %5 = arith.fptoui %4 : f32 to i8
    linalg.yield %5 : i8
  } -> tensor<1x6x6x2xi8>
  %d = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%q : tensor<1x6x6x2xi8>) outs(%ef : tensor<1x6x6x2xf32>) {
  ^bb0(%in: i8, %out: f32):
    %0 = arith.uitofp %in : i8 to f32
    %1 = arith.subf %0, %zp : f32
    %2 = arith.mulf %1, %scale : f32
    linalg.yield %2 : f32
  } -> tensor<1x6x6x2xf32>
  %p = tensor.pad %d low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %low : f32
  } : tensor<1x6x6x2xf32> to tensor<1x8x8x2xf32>
  %r = linalg.conv_2d_nhwc_hwcf ins(%p, %w : tensor<1x8x8x2xf32>, tensor<3x3x2x4xf32>) outs(%c : tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32>
  return %r : tensor<1x6x6x4xf32>
}

// Not ours: maxnumf gives NaN the lowest code, truncation is not rounding.
// CHECK-LABEL: func @not_quantize
// CHECK-NOT: compress.quantize
// CHECK: return
func.func @not_quantize(%x: tensor<4x8xf32>) -> (tensor<4x8xi8>, tensor<4x8xi8>) {
  %scale = arith.constant 0.5 : f32
  %low = arith.constant -128.0 : f32
  %high = arith.constant 127.0 : f32
  %e = tensor.empty() : tensor<4x8xi8>
  %q = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xi8>) {
  ^bb0(%in: f32, %out: i8):
    %0 = arith.divf %in, %scale : f32
    %1 = math.roundeven %0 : f32
    %3 = arith.maxnumf %1, %low : f32
    %4 = arith.minnumf %3, %high : f32
    %5 = arith.fptosi %4 : f32 to i8
    linalg.yield %5 : i8
  } -> tensor<4x8xi8>
  %t = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xi8>) {
  ^bb0(%in: f32, %out: i8):
    %0 = arith.divf %in, %scale : f32
    %3 = arith.maximumf %0, %low : f32
    %4 = arith.minimumf %3, %high : f32
    %5 = arith.fptosi %4 : f32 to i8
    linalg.yield %5 : i8
  } -> tensor<4x8xi8>
  return %q, %t : tensor<4x8xi8>, tensor<4x8xi8>
}
