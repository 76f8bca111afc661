// RUN: compress-opt %s --compress-lower-checks --canonicalize --cse | FileCheck %s
// A second run has nothing to do.
// RUN: compress-opt %s --compress-lower-checks -o %t.mlir
// RUN: compress-opt %t.mlir --compress-lower-checks | diff %t.mlir -

// CHECK-LABEL: func @integers
// CHECK-SAME: (%[[A:.*]]: tensor<2x?xi8>, %[[E:.*]]: tensor<2x?xi8>)
// Sizes first: nothing is read outside.
// CHECK: %[[SA:.*]] = tensor.dim %[[A]], %c1
// CHECK: %[[SE:.*]] = tensor.dim %[[E]], %c1
// CHECK: %[[SAME:.*]] = arith.cmpi eq, %[[SA]], %[[SE]]
// CHECK: cf.assert %[[SAME]], "{{.*}}lower-checks.mlir:[[#@LINE+9]]:3: expect_eq: sizes of dimension 1 differ"
// CHECK: %[[N:.*]] = linalg.generic {{.*}} iterator_types = ["reduction", "reduction"]} ins(%[[A]], %[[E]]
// CHECK:   %[[EQ:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : i8
// CHECK:   %[[MORE:.*]] = arith.addi %[[COUNT:.*]], %{{.*}} : i64
// CHECK:   arith.select %[[EQ]], %[[COUNT]], %[[MORE]]
// CHECK: %[[X:.*]] = tensor.extract %[[N]][]
// CHECK: %[[NONE:.*]] = arith.cmpi eq, %[[X]], %c0_i64
// CHECK: cf.assert %[[NONE]], "{{.*}}lower-checks.mlir:[[#@LINE+2]]:3: expect_eq: elements differ"
func.func @integers(%a: tensor<2x?xi8>, %e: tensor<2x?xi8>) {
  compress_check.expect_eq %a, %e : tensor<2x?xi8>
  return
}

// Floats are compared by their bits, or both are NaN.
// CHECK-LABEL: func @floats
// CHECK-NOT: arith.cmpf
// CHECK: arith.bitcast %{{.*}} : f8E4M3FN to i8
// CHECK: cf.assert {{.*}} "fc1: expect_eq: elements differ"
func.func @floats(%a: tensor<f8E4M3FN>, %e: tensor<f8E4M3FN>) {
  compress_check.expect_eq %a, %e : tensor<f8E4M3FN> loc("fc1")
  return
}

// The place is found inside call sites and fused locations.
// CHECK-LABEL: func @places
// CHECK: cf.assert {{.*}} "a.mlir:7:9: expect_close: elements are not close"
// CHECK: cf.assert {{.*}} "b.mlir:8:1: expect_close: elements are not close"
func.func @places(%a: tensor<4xf32>, %e: tensor<4xf32>) {
  compress_check.expect_close %a, %e {rtol = 0.5} : tensor<4xf32> loc(callsite("f" at "a.mlir":7:9))
  compress_check.expect_close %a, %e {rtol = 0.5} : tensor<4xf32> loc(fused["x", "b.mlir":8:1])
  return
}

// CHECK-LABEL: func @hidden
// CHECK-NEXT: %[[C:.*]] = arith.constant 3 : i32
// CHECK-NEXT: return %[[C]]
func.func @hidden() -> i32 {
  %c = arith.constant 1 : i32
  %d = arith.constant 2 : i32
  %x = compress_check.hide %c : i32
  %z = arith.addi %x, %d : i32
  return %z : i32
}
