// Whatever is wrong, the first line that a tool says is a place in the user's file
// and an error, also where the op has a name, a call site or several places.

// RUN: rm -rf %t && split-file %s %t
// RUN: for file in $(ls %t/*.mlir); do \
// RUN:   echo "== $(basename $file)"; \
// RUN:   not compress-opt $file --compress-to-llvm -o %t/out 2> %t/errors || exit 1; \
// RUN:   head -1 %t/errors; \
// RUN:   not compress-run $file --random-inputs 2> %t/errors || exit 1; \
// RUN:   head -1 %t/errors; \
// RUN: done > %t/first-lines
// RUN: FileCheck %s < %t/first-lines
// RUN: grep -v '^==' %t/first-lines | not grep -vE '^[^ ]+:[0-9]+:[0-9]+: error: '
// RUN: grep -c '^==' %t/first-lines | FileCheck %s --check-prefix=COUNT
// COUNT: {{^14$}}

// CHECK-LABEL: == 01-misspelt.mlir
// CHECK-COUNT-2: 01-misspelt.mlir:1:{{[0-9]+}}: error: unknown attribute `afine` in dialect `compress`
//--- 01-misspelt.mlir
func.func @main(%x: tensor<4xf32, #compress.afine<i8>>) { return }

// CHECK-LABEL: == 02-code-type.mlir
// CHECK-COUNT-2: 02-code-type.mlir:1:{{[0-9]+}}: error: the code type of an affine encoding must be an integer type
//--- 02-code-type.mlir
func.func @main(%x: tensor<4xf32, #compress.affine<f32>>) { return }

// CHECK-LABEL: == 03-invented.mlir
// CHECK-COUNT-2: 03-invented.mlir:2:8: error: 'tensor.empty' op must not create a value of encoded type
//--- 03-invented.mlir
func.func @main() -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32, #compress.affine<i8>>
  %d = compress.decode %e : tensor<4xf32, #compress.affine<i8>> -> tensor<4xf32>
  return %d : tensor<4xf32>
}

// CHECK-LABEL: == 04-missing-blob.mlir
// CHECK-COUNT-2: 04-missing-blob.mlir:3:8: error: 'compress.encode' op {{.*}}'w'
//--- 04-missing-blob.mlir
func.func @main() -> tensor<4xf32> {
  %w = arith.constant dense_resource<w> : tensor<4xf32>
  %e = compress.encode %w : tensor<4xf32> to tensor<4xf32, #compress.affine<i8>>
  %d = compress.decode %e : tensor<4xf32, #compress.affine<i8>> -> tensor<4xf32>
  return %d : tensor<4xf32>
}

// CHECK-LABEL: == 05-short-blob.mlir
// CHECK-COUNT-2: 05-short-blob.mlir:3:8: error: 'compress.encode' op
//--- 05-short-blob.mlir
func.func @main() -> tensor<4xf32> {
  %w = arith.constant dense_resource<w> : tensor<4xf32>
  %e = compress.encode %w : tensor<4xf32> to tensor<4xf32, #compress.affine<i8>>
  %d = compress.decode %e : tensor<4xf32, #compress.affine<i8>> -> tensor<4xf32>
  return %d : tensor<4xf32>
}
{-# dialect_resources: { builtin: { w: "0x040000000000803F" } } #-}

// CHECK-LABEL: == 06-run-time.mlir
// CHECK-COUNT-2: 06-run-time.mlir:2:8: error: 'compress.encode' op
//--- 06-run-time.mlir
func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %e = compress.encode %x : tensor<4x4xf32> to tensor<4x4xf32, #compress.nm<2:4, dim = 1>>
  %d = compress.decode %e : tensor<4x4xf32, #compress.nm<2:4, dim = 1>> -> tensor<4x4xf32>
  return %d : tensor<4x4xf32>
}

// CHECK-LABEL: == 07-uncalibrated.mlir
// CHECK-COUNT-2: 07-uncalibrated.mlir:2:8: error: 'compress.encode' op has no calibrated range for 'fc.lhs' yet
//--- 07-uncalibrated.mlir
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = compress.encode %x {compress.calibration = "fc.lhs"} : tensor<4xf32> to tensor<4xf32, #compress.affine<i8>>
  %d = compress.decode %e : tensor<4xf32, #compress.affine<i8>> -> tensor<4xf32>
  return %d : tensor<4xf32>
}

// CHECK-LABEL: == 08-recipe.mlir
// CHECK-COUNT-2: 08-recipe.mlir:1:1: error: recipe rule #0 'conv' encodes nothing
//--- 08-recipe.mlir
module attributes {compress.recipe = [{name = "conv", op = "convolution", encoding = #compress.affine<i8>}]} {
  func.func @main() { return }
}

// CHECK-LABEL: == 09-indirect.mlir
// CHECK-COUNT-2: 09-indirect.mlir:5:3: error: 'func.call_indirect' op cannot read operand #1 of encoded type
//--- 09-indirect.mlir
func.func private @f(tensor<4xf32, #compress.affine<i8>>)
func.func @main(%x: tensor<4xf32>) {
  %f = func.constant @f : (tensor<4xf32, #compress.affine<i8>>) -> ()
  %e = compress.encode %x : tensor<4xf32> to tensor<4xf32, #compress.affine<i8>>
  func.call_indirect %f(%e) : (tensor<4xf32, #compress.affine<i8>>) -> ()
  return
}

// CHECK-LABEL: == 10-quant.mlir
// CHECK-COUNT-2: 10-quant.mlir:2:8: error: 'quant.qcast' op {{.*}}zero point 300 is outside the storage range [-128, 127]
//--- 10-quant.mlir
func.func @main(%x: tensor<4xf32>) -> tensor<4xi8> {
  %q = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<i8:f32, 1.0:300>>
  %s = quant.scast %q : tensor<4x!quant.uniform<i8:f32, 1.0:300>> to tensor<4xi8>
  return %s : tensor<4xi8>
}

// CHECK-LABEL: == 11-narrow.mlir
// CHECK-COUNT-2: 11-narrow.mlir:2:8: error: {{.*}}xi4
//--- 11-narrow.mlir
func.func @main(%m: memref<4xi8>, %i: index) -> i8 {
  %a = memref.alloc() : memref<4xi4>
  %v = memref.load %a[%i] : memref<4xi4>
  %e = arith.extsi %v : i4 to i8
  return %e : i8
}

// A call site: the place is the innermost one.
// CHECK-LABEL: == 12-call-site.mlir
// CHECK-COUNT-2: model.py:7:3: error: 'tensor.empty' op must not create a value of encoded type
//--- 12-call-site.mlir
func.func @main() -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32, #compress.affine<i8>> loc(callsite("layer"("model.py":7:3) at "model.py":90:1))
  %d = compress.decode %e : tensor<4xf32, #compress.affine<i8>> -> tensor<4xf32>
  return %d : tensor<4xf32>
}

// CHECK-LABEL: == 13-fused.mlir
// CHECK-COUNT-2: model.py:8:5: error: 'tensor.empty' op must not create a value of encoded type
//--- 13-fused.mlir
func.func @main() -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32, #compress.affine<i8>> loc(fused["fc1"("model.py":8:5), "fc2"("model.py":9:5)])
  %d = compress.decode %e : tensor<4xf32, #compress.affine<i8>> -> tensor<4xf32>
  return %d : tensor<4xf32>
}

// CHECK-LABEL: == 14-truncated.mlir
// CHECK-COUNT-2: 14-truncated.mlir:3:{{[0-9]+}}: error:
//--- 14-truncated.mlir
func.func @main() -> tensor<4xf32> {
  %w = arith.constant dense<1.0> : tensor<4xf32>
  %e = compress.encode
