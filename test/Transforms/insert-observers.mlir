// RUN: compress-opt %s -compress-insert-observers -split-input-file | FileCheck %s
// Observers have the names that annotated ops carry.
// RUN: compress-opt %s -compress-insert-observers -split-input-file | grep -o 'name = "[^"]*' | grep -o '[^"]*$' | sort > %t.observed
// RUN: compress-opt %s -compress-annotate -split-input-file | grep -o 'calibration = "[^"]*' | grep -o '[^"]*$' | sort > %t.annotated
// RUN: diff %t.observed %t.annotated

// RUN: echo '{"rules": [{"operand": "lhs", "mode": "static", "encoding": "#compress.affine<i8>"}]}' > %t.json
// RUN: compress-opt %s -compress-insert-observers=recipe=%t.json | FileCheck %s --check-prefix=FILE
// FILE: compress.observe %{{.*}} {name = "fc1.lhs"}
// FILE: compress.observe %{{.*}} {name = "fc2.lhs"}
// FILE: compress.observe %{{.*}} {name = "dynamic.lhs"}
// FILE-NOT: compress.observe

// RUN: echo '{"rules": [{"operand": "lhs", "encoding": 3}]}' > %t.bad.json
// RUN: not compress-opt %s -compress-insert-observers=recipe=%t.bad.json 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: bad.json:1:31: error: recipe rule #0: 'encoding' must be an encoding such as #compress.affine<i8>, but is 3

// Weights and dynamic activations need no observer, a value only one.
// CHECK: module attributes {compress.recipe
module attributes {compress.recipe = [
  {encoding = #compress.affine<i8>},
  {operand = "activations", location = "dynamic", encoding = #compress.affine<i8>},
  {operand = "activations", mode = "static", encoding = #compress.affine<i8>}
]} {
// CHECK-LABEL: func @f
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<?x4xf32>
// CHECK-NEXT: compress.observe %[[X]] {name = "fc1.lhs"} : tensor<?x4xf32>
// CHECK-NOT: compress.observe
// CHECK: %[[A:.*]] = linalg.matmul
// CHECK-NEXT: compress.observe %[[A]] {name = "fc2.lhs"} : tensor<?x4xf32>
// CHECK-NOT: compress.observe
// CHECK: return
func.func @f(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %w = arith.constant dense<1.0> : tensor<4x4xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<?x4xf32>, tensor<4x4xf32>) outs(%x : tensor<?x4xf32>) -> tensor<?x4xf32> loc("fc1")
  %1 = linalg.matmul ins(%0, %w : tensor<?x4xf32>, tensor<4x4xf32>) outs(%x : tensor<?x4xf32>) -> tensor<?x4xf32> loc("fc2")
  %2 = linalg.matmul ins(%0, %w : tensor<?x4xf32>, tensor<4x4xf32>) outs(%1 : tensor<?x4xf32>) -> tensor<?x4xf32> loc("fc3")
  %3 = linalg.matmul ins(%2, %w : tensor<?x4xf32>, tensor<4x4xf32>) outs(%x : tensor<?x4xf32>) -> tensor<?x4xf32> loc("dynamic")
  return %3 : tensor<?x4xf32>
}
}
