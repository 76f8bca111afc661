// RUN: compress-opt %s --compress-lower-contractions --canonicalize --cse | FileCheck %s

#row_u8 = #compress.affine<ui8, asymmetric, block = [1, *]>
#col_i8 = #compress.affine<i8, block = [*, 1]>
#block32 = #compress.affine<i4, block = [32, 1]>

// Integer by integer: unsigned codes are zero-extended, sums are i32, the zero
// point enters by column sums of the weight, scales once in f64.
// CHECK-LABEL: func @integer
// CHECK-DAG: %[[SA:.*]] = compress.component %arg0["scales"]
// CHECK-DAG: %[[ZP:.*]] = compress.component %arg0["zero_points"]
// CHECK-DAG: %[[A:.*]] = compress.component %arg0["values"]
// CHECK-DAG: %[[SW:.*]] = compress.component %arg1["scales"]
// CHECK-DAG: %[[W:.*]] = compress.component %arg1["values"]
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[A]], %[[W]] : tensor<5x64xi8>, tensor<64x16xi8>) outs({{.*}} : tensor<5x16xi32>)
// CHECK: arith.extui {{.*}} : i8 to i32
// CHECK: arith.extsi {{.*}} : i8 to i32
// CHECK: arith.muli
// CHECK: arith.addi
// CHECK: %[[COLUMNS:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%[[W]] : tensor<64x16xi8>) outs({{.*}} : tensor<16xi32>)
// CHECK: linalg.generic {{.*}} ins(%[[SUM]], %[[ZP]], %[[COLUMNS]]
// CHECK: arith.extui
// CHECK: arith.subi
// CHECK: linalg.generic {{.*}} ins({{.*}}, %[[SA]], %[[SW]] : tensor<5x16xi32>, tensor<5xf32>, tensor<16xf32>)
// CHECK: arith.sitofp {{.*}} : i32 to f64
// CHECK: arith.truncf {{.*}} : f64 to f32
func.func @integer(%a: tensor<5x64xf32, #row_u8>, %w: tensor<64x16xf32, #col_i8>) -> tensor<5x16xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x16xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<5x16xf32>) -> tensor<5x16xf32>
  %r = linalg.matmul ins(%a, %w : tensor<5x64xf32, #row_u8>, tensor<64x16xf32, #col_i8>) outs(%f : tensor<5x16xf32>) -> tensor<5x16xf32>
  return %r : tensor<5x16xf32>
}

// Scales that vary along the reduction: a loop over blocks, the ragged rest
// behind it; packed weights are unpacked block by block.
// CHECK-LABEL: func @blocks
// CHECK: %[[LOOP:.*]] = scf.for {{.*}} iter_args({{.*}} = %arg2) -> (tensor<5x16xf32>)
// CHECK: tensor.extract_slice {{.*}} : tensor<96x8xi8> to tensor<32x8xi8>
// CHECK: arith.addf
// CHECK: scf.yield
// CHECK: tensor.extract_slice {{.*}}[64, 0] [6, 8] [1, 1] : tensor<96x8xi8> to tensor<6x8xi8>
func.func @blocks(%a: tensor<5x70xf32, #row_u8>, %w: tensor<70x16xf32, #block32>, %c: tensor<5x16xf32>) -> tensor<5x16xf32> {
  %r = linalg.matmul ins(%a, %w : tensor<5x70xf32, #row_u8>, tensor<70x16xf32, #block32>) outs(%c : tensor<5x16xf32>) -> tensor<5x16xf32>
  return %r : tensor<5x16xf32>
}

// A float activation: codes less their zero point in f32, no f64.
// CHECK-LABEL: func @mixed
// CHECK: linalg.generic {{.*}} ins(%arg0, {{.*}} : tensor<5x64xf32>, tensor<64x16xi8>
// CHECK: arith.sitofp {{.*}} : i32 to f32
// CHECK: arith.mulf {{.*}} : f32
// CHECK-NOT: f64
func.func @mixed(%a: tensor<5x64xf32>, %w: tensor<64x16xf32, #col_i8>, %c: tensor<5x16xf32>) -> tensor<5x16xf32> {
  %r = linalg.matmul ins(%a, %w : tensor<5x64xf32>, tensor<64x16xf32, #col_i8>) outs(%c : tensor<5x16xf32>) -> tensor<5x16xf32>
  return %r : tensor<5x16xf32>
}

// Unknown length of the sum: i32 chunks of proved length, added in i64.
// CHECK-LABEL: func @dynamic
// CHECK: scf.for {{.*}} -> (tensor<?x16xi64>)
// CHECK: linalg.generic {{.*}} outs({{.*}} : tensor<?x16xi32>)
// CHECK: arith.extsi {{.*}} : i32 to i64
func.func @dynamic(%a: tensor<?x?xf32, #compress.affine<i8>>, %w: tensor<?x16xf32, #compress.affine<i8>>, %c: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %r = linalg.matmul ins(%a, %w : tensor<?x?xf32, #compress.affine<i8>>, tensor<?x16xf32, #compress.affine<i8>>) outs(%c : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}

// Row sums over windows need the extent of the window.
// CHECK-LABEL: func @convolution
// CHECK: linalg.generic {{.*}} ins({{.*}} : tensor<1x8x8x4xi8>, tensor<3x3x4x16xi8>) outs({{.*}} : tensor<1x6x6x16xi32>)
// CHECK: linalg.generic {{.*}} ins({{.*}} : tensor<1x8x8x4xi8>, tensor<3x3xi8>) outs({{.*}} : tensor<1x6x6xi32>)
func.func @convolution(%a: tensor<1x8x8x4xf32, #compress.affine<i8>>, %w: tensor<3x3x4x16xf32, #compress.affine<i8, asymmetric, block = [*, *, *, 1]>>, %c: tensor<1x6x6x16xf32>) -> tensor<1x6x6x16xf32> {
  %r = linalg.conv_2d_nhwc_hwcf ins(%a, %w : tensor<1x8x8x4xf32, #compress.affine<i8>>, tensor<3x3x4x16xf32, #compress.affine<i8, asymmetric, block = [*, *, *, 1]>>) outs(%c : tensor<1x6x6x16xf32>) -> tensor<1x6x6x16xf32>
  return %r : tensor<1x6x6x16xf32>
}
