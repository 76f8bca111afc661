// Observers write nothing without --calibrate.
// RUN: compress-run %s --input=fill=2:3x4 --print | FileCheck %s --check-prefix=RESULT
// RUN: compress-run %s --input=fill=2:3x4 --print --calibrate=%t.a.json | FileCheck %s --check-prefix=RESULT
// RESULT: result #0: 3x4xf32 = {{.*}}4{{.*}}4
// RUN: FileCheck %s < %t.a.json

// The branch that is not taken sees nothing; strides and empty tensors do.
// CHECK: "tensors": {
// CHECK-NEXT: "column": {
// CHECK-NEXT: "count": 3,
// CHECK-NEXT: "inf": 0,
// CHECK-NEXT: "max": 4,
// CHECK-NEXT: "min": 4,
// CHECK-NEXT: "nan": 0
// CHECK-NEXT: },
// CHECK-NEXT: "input": {
// CHECK-NEXT: "count": 12,
// CHECK-NEXT: "inf": 0,
// CHECK-NEXT: "max": 2,
// CHECK-NEXT: "min": 2,
// CHECK-NOT: "negative"

// RUN: compress-run %s --input=fill=-1:0x4 --calibrate=%t.empty.json
// RUN: FileCheck %s --check-prefix=EMPTY < %t.empty.json
// EMPTY: "input": {
// EMPTY-NEXT: "count": 0,
// EMPTY-NOT: "m

// RUN: not compress-run %s --input=fill=2:3x4 --calibrate=%t.json --repeat=3 2>&1 | FileCheck %s --check-prefix=REPEAT
// REPEAT: error: --calibrate and --repeat exclude each other
// RUN: not compress-run %s --input=fill=2:3x4 --calibrate=%t.absent/x.json 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: error: cannot open output file '{{.*}}x.json'

#id = affine_map<(i, j) -> (i, j)>
func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x4xf32>
  compress.observe %x {name = "input"} : tensor<?x4xf32>
  %some = arith.cmpi sgt, %rows, %c0 : index
  %empty = tensor.empty(%rows) : tensor<?x4xf32>
  %twice = linalg.add ins(%x, %x : tensor<?x4xf32>, tensor<?x4xf32>) outs(%empty : tensor<?x4xf32>) -> tensor<?x4xf32>
  scf.if %some {
    %column = tensor.extract_slice %twice[0, 1] [%rows, 1] [1, 1] : tensor<?x4xf32> to tensor<?x1xf32>
    compress.observe %column {name = "column"} : tensor<?x1xf32>
  } else {
    compress.observe %twice {name = "negative"} : tensor<?x4xf32>
  }
  return %twice : tensor<?x4xf32>
}
