// RUN: compress-opt %s --compress-decompose-tensor-ops | FileCheck %s

// No op is left that bufferization refuses or copies badly.
// CHECK-NOT: linalg.pack
// CHECK-NOT: linalg.unpack
// CHECK-NOT: linalg.softmax
// CHECK-NOT: tensor.concat
// CHECK-NOT: tensor.pad
// CHECK-NOT: tensor.gather
// CHECK-NOT: tensor.scatter

// CHECK-LABEL: func.func @concat(
// CHECK-SAME: %[[A:.*]]: tensor<2xf32>, %[[B:.*]]: tensor<3xf32>)
// CHECK: %[[E:.*]] = tensor.empty() : tensor<5xf32>
// CHECK: %[[I:.*]] = tensor.insert_slice %[[A]] into %[[E]][0] [2] [1]
// CHECK: tensor.insert_slice %[[B]] into %[[I]][2] [3] [1]
func.func @concat(%a: tensor<2xf32>, %b: tensor<3xf32>) -> tensor<5xf32> {
  %0 = tensor.concat dim(0) %a, %b : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// A static pack is a reshape and a transpose, a dynamic one a gather with the
// padding chosen where the source ends.
// CHECK-LABEL: func.func @pack_static(
// CHECK: tensor.expand_shape
// CHECK: linalg.transpose
func.func @pack_static(%x: tensor<6x4xf32>, %o: tensor<3x2x2x2xf32>) -> tensor<3x2x2x2xf32> {
  %0 = linalg.pack %x inner_dims_pos = [0, 1] inner_tiles = [2, 2] into %o
      : tensor<6x4xf32> -> tensor<3x2x2x2xf32>
  return %0 : tensor<3x2x2x2xf32>
}

// CHECK-LABEL: func.func @pack_dynamic(
// CHECK-SAME: %[[X:.*]]: tensor<?xf32>, %[[O:.*]]: tensor<?x8xf32>, %[[P:.*]]: f32)
// CHECK: linalg.generic
// CHECK: %[[IN:.*]] = arith.cmpi slt
// CHECK: scf.if
// CHECK-NEXT: tensor.extract %[[X]]
// CHECK: else
// CHECK-NEXT: scf.yield %[[P]]
func.func @pack_dynamic(%x: tensor<?xf32>, %o: tensor<?x8xf32>, %p: f32) -> tensor<?x8xf32> {
  %0 = linalg.pack %x padding_value(%p : f32) inner_dims_pos = [0] inner_tiles = [8] into %o
      : tensor<?xf32> -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// CHECK-LABEL: func.func @unpack_dynamic(
// CHECK-SAME: %[[X:.*]]: tensor<?x8xf32>
// CHECK: %[[Q:.*]] = arith.divui
// CHECK: %[[R:.*]] = arith.remui
// CHECK: tensor.extract %[[X]][%[[Q]], %[[R]]]
func.func @unpack_dynamic(%x: tensor<?x8xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.unpack %x inner_dims_pos = [0] inner_tiles = [8] into %o
      : tensor<?x8xf32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @softmax(
// CHECK: arith.maxnumf
// CHECK: math.exp
// CHECK: arith.divf
func.func @softmax(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %e = tensor.empty() : tensor<2x4xf32>
  %0 = linalg.softmax dimension(1) ins(%x : tensor<2x4xf32>) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @gather(
// CHECK-SAME: %[[X:.*]]: tensor<4x3xf32>, %[[I:.*]]: tensor<2x1xi32>)
// CHECK: %[[B:.*]] = linalg.index 0
// CHECK: %[[J:.*]] = linalg.index 1
// CHECK: %[[C:.*]] = tensor.extract %[[I]][%[[B]], %{{.*}}]
// CHECK: %[[D:.*]] = arith.index_cast %[[C]]
// CHECK: tensor.extract %[[X]][%[[D]], %[[J]]]
func.func @gather(%x: tensor<4x3xf32>, %i: tensor<2x1xi32>) -> tensor<2x3xf32> {
  %0 = tensor.gather %x[%i] gather_dims([0]) : (tensor<4x3xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @scatter(
// CHECK: scf.for
// CHECK: tensor.insert
func.func @scatter(%s: tensor<2x3xf32>, %d: tensor<4x3xf32>, %i: tensor<2x1xindex>) -> tensor<4x3xf32> {
  %0 = tensor.scatter %s into %d[%i] scatter_dims([0]) unique
      : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<2x1xindex>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// CHECK-LABEL: func.func @pad(
// CHECK: linalg.fill
// CHECK: tensor.insert_slice
func.func @pad(%x: tensor<2xf32>, %p: f32) -> tensor<4xf32> {
  %0 = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %p : f32
  } : tensor<2xf32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @constant_global(
// CHECK: ml_program.global_load @weights : tensor<2xf32>
// CHECK-NOT: global_load_const
ml_program.global private @weights(dense<1.0> : tensor<2xf32>) : tensor<2xf32>
func.func @constant_global() -> tensor<2xf32> {
  %0 = ml_program.global_load_const @weights : tensor<2xf32>
  return %0 : tensor<2xf32>
}
