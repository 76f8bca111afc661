// RUN: compress-opt %s --split-input-file --verify-diagnostics --compress-prepare-entry-points | FileCheck %s

// CHECK-LABEL: func.func @public(
// CHECK-SAME: tensor<4xf32> {bufferization.writable = false}, %{{.*}}: memref<4xf32>, %{{.*}}: index)
// CHECK-SAME: attributes {compress.signature = (tensor<4xf32>, memref<4xf32>, index) -> tensor<4xf32>}
func.func @public(%a: tensor<4xf32>, %b: memref<4xf32>, %c: index) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}

// What a user or an earlier run said stays.
// CHECK-LABEL: func.func @kept(
// CHECK-SAME: tensor<4xf32> {bufferization.writable = true})
// CHECK-SAME: attributes {compress.signature = (tensor<2x2xf32>) -> ()}
func.func @kept(%a: tensor<4xf32> {bufferization.writable = true})
    attributes {compress.signature = (tensor<2x2xf32>) -> ()} {
  return
}

// Callers inside the module may let the callee overwrite.
// CHECK-LABEL: func.func private @private(
// CHECK-NOT: writable
// CHECK-NOT: signature
// CHECK: func.func private @declared(tensor<4xf32>)
func.func private @private(%a: tensor<4xf32>) {
  return
}
func.func private @declared(tensor<4xf32>)

// -----

// expected-error@+1 {{argument #1 still has the encoding of 'tensor<4xf32, "x">'; lower it first}}
func.func @argument(%a: index, %b: tensor<4xf32, "x">) {
  return
}

// -----

// expected-error@+1 {{result #0 still has the encoding}}
func.func private @result() -> tensor<4xf32, "x">
