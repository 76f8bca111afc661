// RUN: compress-opt %s -compress-annotate -split-input-file -mlir-print-local-scope | FileCheck %s
// RUN: compress-opt %s -compress-annotate -split-input-file -compress-verify -o /dev/null

// One rule finds the output channels of weights in any layout.
// CHECK: module {
// CHECK-NOT: compress.recipe
module attributes {compress.recipe = [
  {operand = "weights", per = "channel", encoding = #compress.affine<i8>}
]} {
// CHECK-LABEL: func @layouts
func.func @layouts(%x: tensor<?x8xf32>, %r: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // CHECK: %[[W:.*]] = arith.constant
  // CHECK-NEXT: %[[E:.*]] = compress.encode %[[W]] : tensor<8x4xf32> to tensor<8x4xf32, #compress.affine<i8, block = [*, 1]>>
  // CHECK: linalg.matmul ins(%{{.*}}, %[[E]] : tensor<?x8xf32>, tensor<8x4xf32,
  %w = arith.constant dense<1.0> : tensor<8x4xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x4xf32>) outs(%r : tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: tensor<4x8xf32> to tensor<4x8xf32, #compress.affine<i8, block = [1, *]>>
  %wt = arith.constant dense<2.0> : tensor<4x8xf32>
  %1 = linalg.matmul indexing_maps = [
      affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%x, %wt : tensor<?x8xf32>, tensor<4x8xf32>) outs(%0 : tensor<?x4xf32>) -> tensor<?x4xf32>
  // A weight on the left: the rows of its product are the channels.
  // CHECK: tensor<?x?xf32> to tensor<?x?xf32, #compress.affine<i8, block = [1, *]>>
  %wl = arith.constant dense<3.0> : tensor<3x2xf32>
  %wc = tensor.cast %wl : tensor<3x2xf32> to tensor<?x?xf32>
  %2 = linalg.matmul ins(%wc, %1 : tensor<?x?xf32>, tensor<?x4xf32>) outs(%r : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %2 : tensor<?x4xf32>
}
// CHECK-LABEL: func @batched
func.func @batched(%x: tensor<2x?x8xf32>, %r: tensor<2x?x4xf32>) -> tensor<2x?x4xf32> {
  // CHECK: tensor<2x8x4xf32> to tensor<2x8x4xf32, #compress.affine<i8, block = [1, *, 1]>>
  %w = arith.constant dense<1.0> : tensor<2x8x4xf32>
  %0 = linalg.batch_matmul ins(%x, %w : tensor<2x?x8xf32>, tensor<2x8x4xf32>) outs(%r : tensor<2x?x4xf32>) -> tensor<2x?x4xf32>
  return %0 : tensor<2x?x4xf32>
}
// CHECK-LABEL: func @convolutions
func.func @convolutions(%nhwc: tensor<?x8x8x4xf32>, %nchw: tensor<?x4x8x8xf32>, %r0: tensor<?x6x6x5xf32>,
    %r1: tensor<?x5x6x6xf32>, %r2: tensor<?x6x6x4xf32>) -> (tensor<?x6x6x5xf32>, tensor<?x5x6x6xf32>, tensor<?x6x6x4xf32>) {
  // CHECK: tensor<3x3x4x5xf32, #compress.affine<i8, block = [*, *, *, 1]>>
  %w0 = arith.constant dense<1.0> : tensor<3x3x4x5xf32>
  %0 = linalg.conv_2d_nhwc_hwcf ins(%nhwc, %w0 : tensor<?x8x8x4xf32>, tensor<3x3x4x5xf32>) outs(%r0 : tensor<?x6x6x5xf32>) -> tensor<?x6x6x5xf32>
  // CHECK: tensor<5x4x3x3xf32, #compress.affine<i8, block = [1, *, *, *]>>
  %w1 = arith.constant dense<1.0> : tensor<5x4x3x3xf32>
  %1 = linalg.conv_2d_nchw_fchw ins(%nchw, %w1 : tensor<?x4x8x8xf32>, tensor<5x4x3x3xf32>) outs(%r1 : tensor<?x5x6x6xf32>) -> tensor<?x5x6x6xf32>
  // CHECK: tensor<3x3x4xf32, #compress.affine<i8, block = [*, *, 1]>>
  %w2 = arith.constant dense<1.0> : tensor<3x3x4xf32>
  %2 = linalg.depthwise_conv_2d_nhwc_hwc ins(%nhwc, %w2 : tensor<?x8x8x4xf32>, tensor<3x3x4xf32>) outs(%r2 : tensor<?x6x6x4xf32>) -> tensor<?x6x6x4xf32>
  return %0, %1, %2 : tensor<?x6x6x5xf32>, tensor<?x5x6x6xf32>, tensor<?x6x6x4xf32>
}
// Elementwise ops are neither kind, and pooling does not multiply.
// CHECK-LABEL: func @others
// CHECK-NOT: compress
// CHECK: return
func.func @others(%x: tensor<1x8x8x4xf32>, %r: tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32> {
  %w = arith.constant dense<0.0> : tensor<3x3xf32>
  %0 = linalg.pooling_nhwc_max ins(%x, %w : tensor<1x8x8x4xf32>, tensor<3x3xf32>) outs(%r : tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32>
  %b = arith.constant dense<0.5> : tensor<1x6x6x4xf32>
  %1 = linalg.add ins(%0, %b : tensor<1x6x6x4xf32>, tensor<1x6x6x4xf32>) outs(%r : tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32>
  return %1 : tensor<1x6x6x4xf32>
}
}

// -----

// Blocks along the reduction: the input channel first, then whole filter
// dimensions; ragged only there.
// CHECK: module {
module attributes {compress.recipe = [
  {operand = "weights", block = 32 : index, encoding = #compress.affine<i4>}
]} {
// CHECK-LABEL: func @blocks
func.func @blocks(%x: tensor<?x72xf32>, %r: tensor<?x4xf32>, %i0: tensor<1x8x8x1xf32>, %i1: tensor<1x8x8x16xf32>,
    %i2: tensor<1x40x8x8xf32>, %o: tensor<1x6x6x4xf32>, %o2: tensor<1x4x6x6xf32>)
    -> (tensor<?x4xf32>, tensor<1x6x6x4xf32>, tensor<1x6x6x4xf32>, tensor<1x4x6x6xf32>) {
  // CHECK: tensor<72x4xf32, #compress.affine<i4, block = [32, 1]>>
  %w = arith.constant dense<1.0> : tensor<72x4xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<?x72xf32>, tensor<72x4xf32>) outs(%r : tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: tensor<3x3x1x4xf32, #compress.affine<i4, block = [*, *, *, 1]>>
  %w0 = arith.constant dense<1.0> : tensor<3x3x1x4xf32>
  %1 = linalg.conv_2d_nhwc_hwcf ins(%i0, %w0 : tensor<1x8x8x1xf32>, tensor<3x3x1x4xf32>) outs(%o : tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32>
  // CHECK: tensor<3x3x16x4xf32, #compress.affine<i4, block = [1, 1, *, 1]>>
  %w1 = arith.constant dense<1.0> : tensor<3x3x16x4xf32>
  %2 = linalg.conv_2d_nhwc_hwcf ins(%i1, %w1 : tensor<1x8x8x16xf32>, tensor<3x3x16x4xf32>) outs(%o : tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32>
  // CHECK: tensor<4x40x3x3xf32, #compress.affine<i4, block = [1, 32, 1, 1]>>
  %w2 = arith.constant dense<1.0> : tensor<4x40x3x3xf32>
  %3 = linalg.conv_2d_nchw_fchw ins(%i2, %w2 : tensor<1x40x8x8xf32>, tensor<4x40x3x3xf32>) outs(%o2 : tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  return %0, %1, %2, %3 : tensor<?x4xf32>, tensor<1x6x6x4xf32>, tensor<1x6x6x4xf32>, tensor<1x4x6x6xf32>
}
}

// -----

// Two levels, nesting, and an encoding taken as it is.
// CHECK: module {
module attributes {compress.recipe = [
  {operand = "weights", location = "two", block = 32, super_block = 256,
   encoding = #compress.affine<i4, scale = ui6, super_scale = f16>},
  {operand = "weights", location = "nested", per = "channel",
   encoding = #compress.nm<2:4, dim = 0, values = #compress.affine<i8>>},
  {operand = 1, op = "linalg.m*", encoding = #compress.affine<i8, block = [8, 1], scale = f16>}
]} {
// CHECK-LABEL: func @encodings
func.func @encodings(%x: tensor<?x512xf32>, %r: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) {
  %w = arith.constant dense<1.0> : tensor<512x4xf32>
  // CHECK-DAG: tensor<512x4xf32, #compress.affine<i4, block = [32, 1], scale = ui6, super_scale = f16, super_block = [256, 1]>>
  %0 = linalg.matmul ins(%x, %w : tensor<?x512xf32>, tensor<512x4xf32>) outs(%r : tensor<?x4xf32>) -> tensor<?x4xf32> loc("two")
  // CHECK-DAG: tensor<512x4xf32, #compress.nm<2:4, dim = 0, values = #compress.affine<i8, block = [*, 1]>>>
  %1 = linalg.matmul ins(%x, %w : tensor<?x512xf32>, tensor<512x4xf32>) outs(%r : tensor<?x4xf32>) -> tensor<?x4xf32> loc("nested")
  // CHECK-DAG: tensor<512x4xf32, #compress.affine<i8, block = [8, 1], scale = f16>>
  %2 = linalg.matmul ins(%x, %w : tensor<?x512xf32>, tensor<512x4xf32>) outs(%r : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0, %1, %2 : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}
}

// -----

// Names: of the location, of the function, of the source; first rule wins.
// CHECK: module {
module attributes {compress.recipe = [
  {location = "fc[12]", encoding = #compress.affine<i4>},
  {function = "other", encoding = #compress.affine<i5>},
  {source = "embed*", encoding = #compress.affine<i6>},
  {op = ["contraction"], operand = "rhs", encoding = #compress.affine<i8>}
]} {
ml_program.global private @embedding(dense<1.0> : tensor<2x2xf32>) : tensor<2x2xf32>
// CHECK-LABEL: func @patterns
func.func @patterns(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  // CHECK-COUNT-1: #compress.affine<i4>
  %w = arith.constant dense<1.0> : tensor<2x2xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<2x2xf32>, tensor<2x2xf32>) outs(%x : tensor<2x2xf32>) -> tensor<2x2xf32> loc("fc1")
  // CHECK: compress.encode {{.*}}#compress.affine<i6>>
  %e = ml_program.global_load_const @embedding : tensor<2x2xf32>
  %1 = linalg.matmul ins(%0, %e : tensor<2x2xf32>, tensor<2x2xf32>) outs(%x : tensor<2x2xf32>) -> tensor<2x2xf32> loc(fused["call", "fc3"])
  // CHECK: compress.encode {{.*}}#compress.affine<i8>>
  %2 = linalg.matmul ins(%0, %1 : tensor<2x2xf32>, tensor<2x2xf32>) outs(%x : tensor<2x2xf32>) -> tensor<2x2xf32> loc("fc4")
  return %2 : tensor<2x2xf32>
}
// CHECK-LABEL: func @other
func.func @other(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  // CHECK: compress.encode {{.*}}#compress.affine<i5>>
  %w = arith.constant dense<3.0> : tensor<2x2xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<2x2xf32>, tensor<2x2xf32>) outs(%x : tensor<2x2xf32>) -> tensor<2x2xf32> loc("fc3")
  return %0 : tensor<2x2xf32>
}
}

// -----

// Activations: one encode for a value with two readers, static ones named.
// CHECK: module {
module attributes {compress.recipe = [
  {operand = "activations", function = "rows", per = "row", encoding = #compress.affine<ui8, asymmetric>,
   range = #compress.min_max},
  {operand = "activations", per = "tensor", mode = "static", encoding = #compress.affine<i8>}
]} {
// CHECK-LABEL: func @rows
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<?x8xf32>
func.func @rows(%x: tensor<?x8xf32>, %b: tensor<2x?x8xf32>, %i: tensor<?x8x8x4xf32>, %r: tensor<?x4xf32>, %r1: tensor<2x?x4xf32>, %r2: tensor<?x6x6x5xf32>)
    -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<2x?x4xf32>, tensor<?x6x6x5xf32>) {
  // CHECK-DAG: %[[E:.*]] = compress.encode %[[X]] range(#compress.min_max) : tensor<?x8xf32> to tensor<?x8xf32, #compress.affine<ui8, asymmetric, block = [1, *]>>
  // CHECK-DAG: tensor<2x?x8xf32, #compress.affine<ui8, asymmetric, block = [1, 1, *]>>
  // CHECK-DAG: tensor<?x8x8x4xf32, #compress.affine<ui8, asymmetric, block = [1, *, *, *]>>
  // CHECK-COUNT-2: linalg.matmul ins(%[[E]], %{{.*}} : tensor
  // CHECK-NOT: linalg.matmul
  %w = arith.constant dense<1.0> : tensor<8x4xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x4xf32>) outs(%r : tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x4xf32>) outs(%0 : tensor<?x4xf32>) -> tensor<?x4xf32>
  %w2 = arith.constant dense<1.0> : tensor<2x8x4xf32>
  %2 = linalg.batch_matmul ins(%b, %w2 : tensor<2x?x8xf32>, tensor<2x8x4xf32>) outs(%r1 : tensor<2x?x4xf32>) -> tensor<2x?x4xf32>
  %w3 = arith.constant dense<1.0> : tensor<3x3x4x5xf32>
  %3 = linalg.conv_2d_nhwc_hwcf ins(%i, %w3 : tensor<?x8x8x4xf32>, tensor<3x3x4x5xf32>) outs(%r2 : tensor<?x6x6x5xf32>) -> tensor<?x6x6x5xf32>
  return %0, %1, %2, %3 : tensor<?x4xf32>, tensor<?x4xf32>, tensor<2x?x4xf32>, tensor<?x6x6x5xf32>
}
// CHECK-LABEL: func @names
// CHECK-DAG: {compress.calibration = "fc.lhs"}
// CHECK-DAG: {compress.calibration = "fc.rhs"}
// CHECK-DAG: {compress.calibration = "fc.lhs_1"}
// CHECK-DAG: {compress.calibration = "names.matmul.rhs"}
// CHECK: return
func.func @names(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<2x2xf32>, tensor<2x2xf32>) outs(%a : tensor<2x2xf32>) -> tensor<2x2xf32> loc("fc")
  %1 = linalg.matmul ins(%0, %b : tensor<2x2xf32>, tensor<2x2xf32>) outs(%a : tensor<2x2xf32>) -> tensor<2x2xf32> loc("fc")
  %2 = linalg.matmul ins(%0, %1 : tensor<2x2xf32>, tensor<2x2xf32>) outs(%a : tensor<2x2xf32>) -> tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
}
}

// -----

// No recipe, no change.
// CHECK-LABEL: func @nothing
// CHECK-NOT: compress
func.func @nothing(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = linalg.matmul ins(%x, %x : tensor<2x2xf32>, tensor<2x2xf32>) outs(%x : tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
