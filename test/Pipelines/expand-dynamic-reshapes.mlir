// RUN: compress-opt %s --compress-expand-dynamic-reshapes --canonicalize --split-input-file | FileCheck %s
// RUN: compress-opt %s --compress-linalg-to-llvm --split-input-file -o /dev/null

// CHECK-LABEL: func @identity
// CHECK-SAME: (%[[M:.*]]: memref<?x16xf32>, %[[A:.*]]: index, %[[B:.*]]: index)
// CHECK: %[[S:.*]] = affine.apply #{{.*}}()[%[[B]]]
// CHECK: %[[R:.*]] = memref.reinterpret_cast %[[M]] to offset: [0], sizes: [%[[A]], %[[B]], 16], strides: [%[[S]], 16, 1] : memref<?x16xf32> to memref<?x?x16xf32>
// CHECK: return %[[R]]
func.func @identity(%m: memref<?x16xf32>, %a: index, %b: index) -> memref<?x?x16xf32> {
  %r = memref.expand_shape %m [[0, 1], [2]] output_shape [%a, %b, 16] : memref<?x16xf32> into memref<?x?x16xf32>
  return %r : memref<?x?x16xf32>
}

// -----

// CHECK-LABEL: func @strided
// CHECK-SAME: (%[[M:.*]]: memref<?xf32, strided<[?], offset: ?>>, %[[A:.*]]: index, %[[B:.*]]: index)
// CHECK: %{{.*}}, %[[O:.*]], %{{.*}}, %[[T:.*]] = memref.extract_strided_metadata %[[M]]
// CHECK: memref.reinterpret_cast %[[M]] to offset: [%[[O]]], sizes: [%[[A]], 4, %[[B]]], strides: [%{{.*}}, %{{.*}}, %[[T]]]
func.func @strided(%m: memref<?xf32, strided<[?], offset: ?>>, %a: index, %b: index) -> memref<?x4x?xf32, strided<[?, ?, ?], offset: ?>> {
  %r = memref.expand_shape %m [[0, 1, 2]] output_shape [%a, 4, %b] : memref<?xf32, strided<[?], offset: ?>> into memref<?x4x?xf32, strided<[?, ?, ?], offset: ?>>
  return %r : memref<?x4x?xf32, strided<[?, ?, ?], offset: ?>>
}

// -----

// One unknown size stays with the pass behind this one.
// CHECK-LABEL: func @one
// CHECK: memref.expand_shape
func.func @one(%m: memref<?xf32>, %a: index) -> memref<?x4xf32> {
  %r = memref.expand_shape %m [[0, 1]] output_shape [%a, 4] : memref<?xf32> into memref<?x4xf32>
  return %r : memref<?x4xf32>
}
