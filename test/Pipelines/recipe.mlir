// A recipe on the module is followed by the pipeline, and observers that nobody
// lowered do nothing.
// RUN: compress-opt %s -compress-to-linalg | FileCheck %s
// RUN: sed 's/mode = "dynamic"/mode = "static"/' %s | not compress-opt - -compress-to-linalg 2>&1 | FileCheck %s --check-prefix=STATIC
// STATIC: error: {{.*}}'compress.encode' op has no calibrated range for 'fc.lhs' yet: run compress-apply-calibration

// CHECK-NOT: compress.
// CHECK-LABEL: func.func @main
// CHECK-DAG: arith.constant dense<{{.*}}> : tensor<4x2xi8>
// CHECK-NOT: compress.
// CHECK: return
module attributes {compress.recipe = [
  {per = "channel", encoding = #compress.affine<i8>},
  {operand = "activations", per = "row", mode = "dynamic", encoding = #compress.affine<i8>}
]} {
  func.func @main(%x: tensor<?x4xf32>, %out: tensor<?x2xf32>) -> tensor<?x2xf32> {
    compress.observe %x {name = "x"} : tensor<?x4xf32>
    %w = arith.constant dense<[[1.0, -2.0], [0.5, 3.0], [-0.25, 1.0], [2.0, 0.0]]> : tensor<4x2xf32>
    %0 = linalg.matmul ins(%x, %w : tensor<?x4xf32>, tensor<4x2xf32>) outs(%out : tensor<?x2xf32>) -> tensor<?x2xf32> loc("fc")
    return %0 : tensor<?x2xf32>
  }
}
