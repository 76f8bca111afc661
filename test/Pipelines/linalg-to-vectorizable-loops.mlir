// RUN: compress-opt %s --compress-linalg-to-vectorizable-loops --cse --canonicalize | FileCheck %s --check-prefixes=CHECK,RELAXED
// RUN: compress-opt %s --compress-linalg-to-vectorizable-loops="relax-reductions=false" --cse --canonicalize | FileCheck %s --check-prefixes=CHECK,STRICT
// RUN: not compress-opt %s --compress-linalg-to-vectorizable-loops="relax-reductions=maybe" 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: relax-reductions

// Innermost runs along rows of B and C; four rows of A and of B at once.
// CHECK-LABEL: func.func @matmul(
// CHECK-SAME: %[[A:.*]]: memref<4x4xf32>, %[[B:.*]]: memref<4x16xf32>, %[[C:.*]]: memref<4x16xf32>)
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[C16:.*]] = arith.constant 16 : index
// CHECK: scf.for %[[N:.*]] = %[[C0]] to %[[C16]]
// CHECK: memref.load %[[C]][%[[C0]], %[[N]]]
// CHECK: memref.load %[[C]][%[[C3]], %[[N]]]
// CHECK-COUNT-4: memref.load %[[B]][%{{.*}}, %[[N]]]
// CHECK-NOT: memref.load %[[B]]
// CHECK-COUNT-4: memref.store %{{.*}}, %[[C]][%{{.*}}, %[[N]]]
// CHECK-NOT: memref.store
// CHECK: return
func.func @matmul(%a: memref<4x4xf32>, %b: memref<4x16xf32>, %c: memref<4x16xf32>) {
  linalg.matmul ins(%a, %b : memref<4x4xf32>, memref<4x16xf32>) outs(%c : memref<4x16xf32>)
  return
}

// Only along the reduction do both operands have unit stride: sums are values.
// CHECK-LABEL: func.func @dot(
// CHECK-SAME: %[[A:.*]]: memref<32xf32>, %[[B:.*]]: memref<32xf32>, %[[C:.*]]: memref<f32>)
// CHECK: %[[INIT:.*]] = memref.load %[[C]][]
// CHECK: %[[SUM:.*]] = scf.for %[[K:.*]] = {{.*}} iter_args(%[[ACC:.*]] = %[[INIT]])
// CHECK: %[[X:.*]] = memref.load %[[A]][%[[K]]]
// CHECK: %[[Y:.*]] = memref.load %[[B]][%[[K]]]
// RELAXED: %[[P:.*]] = arith.mulf %[[X]], %[[Y]] fastmath<contract>
// RELAXED: arith.addf %[[ACC]], %[[P]] fastmath<reassoc,contract>
// STRICT: %[[P:.*]] = arith.mulf %[[X]], %[[Y]] : f32
// STRICT: arith.addf %[[ACC]], %[[P]] : f32
// CHECK: memref.store %[[SUM]], %[[C]][]
func.func @dot(%a: memref<32xf32>, %b: memref<32xf32>, %c: memref<f32>) {
  linalg.dot ins(%a, %b : memref<32xf32>, memref<32xf32>) outs(%c : memref<f32>)
  return
}

// Sums that are not accumulations keep their order: fast-math flags would let
// them change.
// CHECK-LABEL: func.func @no_reduction(
// CHECK: arith.addf %{{.*}}, %{{.*}} : f32
func.func @no_reduction(%a: memref<8xf32>, %b: memref<8xf32>) {
  linalg.add ins(%a, %b : memref<8xf32>, memref<8xf32>) outs(%a : memref<8xf32>)
  return
}

// An output that is not read is not loaded.
// CHECK-LABEL: func.func @fill(
// CHECK-NOT: memref.load
// CHECK: memref.store
func.func @fill(%v: f32, %a: memref<8xf32>) {
  linalg.fill ins(%v : f32) outs(%a : memref<8xf32>)
  return
}

// The remainder of a dynamic size has a loop of its own.
// CHECK-LABEL: func.func @remainder(
// CHECK-SAME: memref<?x1xi32>
// CHECK: %[[M:.*]] = memref.dim
// CHECK: %[[WHOLE:.*]] = affine.apply #{{.*}}(){{\[}}%[[M]]]
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[WHOLE]] step %{{.*}}4
// CHECK: scf.for %{{.*}} = %[[WHOLE]] to %[[M]] step %{{.*}}1
func.func @remainder(%a: memref<?x1xi32>, %b: memref<1x16xi32>, %c: memref<?x16xi32>) {
  linalg.matmul ins(%a, %b : memref<?x1xi32>, memref<1x16xi32>) outs(%c : memref<?x16xi32>)
  return
}

// NCHW: innermost along the rows of the image, not over the window,
// whose three columns are handled at once.
// CHECK-LABEL: func.func @conv(
// CHECK: scf.for %{{.*}} = %{{.*}} to %c2 step
// CHECK-NEXT: scf.for %[[OW:.*]] = %{{.*}} to %c16 step
// CHECK-NEXT: memref.load %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %[[OW]]] : memref<1x1x1x16xf32>
// CHECK-COUNT-3: arith.mulf
// CHECK-NOT: arith.mulf
// CHECK: memref.store %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %[[OW]]] : memref<1x1x1x16xf32>
func.func @conv(%x: memref<1x2x1x18xf32>, %w: memref<1x2x1x3xf32>, %o: memref<1x1x1x16xf32>) {
  linalg.conv_2d_nchw_fchw ins(%x, %w : memref<1x2x1x18xf32>, memref<1x2x1x3xf32>)
                           outs(%o : memref<1x1x1x16xf32>)
  return
}

// A strided copy becomes loops, a contiguous one stays a memcpy.
// CHECK-LABEL: func.func @copies(
// CHECK: scf.for
// CHECK: memref.copy %{{.*}}, %{{.*}} : memref<8xf32> to memref<8xf32>
// CHECK-NOT: memref.copy
// CHECK: return
func.func @copies(%a: memref<8xf32, strided<[2]>>, %b: memref<8xf32>, %c: memref<8xf32>) {
  memref.copy %a, %b : memref<8xf32, strided<[2]>> to memref<8xf32>
  memref.copy %b, %c : memref<8xf32> to memref<8xf32>
  return
}
