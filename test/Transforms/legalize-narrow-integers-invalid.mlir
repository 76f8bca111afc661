// RUN: compress-opt %s --compress-legalize-narrow-integers --split-input-file --verify-diagnostics --allow-unregistered-dialect

func.func @unknown(%x: tensor<4xi4>) {
  // expected-error @+1 {{'foo.op' op has a tensor of integers that do not fill bytes, which cannot be widened for this op: use i8, or convert with arith.extsi in front of it}}
  "foo.op"(%x) : (tensor<4xi4>) -> ()
  return
}

// -----

func.func @buffers(%x: tensor<4xi4>) -> memref<4xi4> {
  // expected-error @+1 {{'bufferization.to_buffer' op has a tensor of integers that do not fill bytes}}
  %0 = bufferization.to_buffer %x : tensor<4xi4> to memref<4xi4>
  return %0 : memref<4xi4>
}

// -----

func.func @encoded(%x: tensor<4xi4>, %s: tensor<f32>) {
  // expected-error @+1 {{'compress.assemble' op has a tensor of integers that do not fill bytes, which cannot be widened for this op: run compress-expand-encodings before}}
  %0 = compress.assemble %x, %s : (tensor<4xi4>, tensor<f32>) -> tensor<4xf32, #compress.affine<i4>>
  return
}

// -----

func.func private @f(tensor<4xi4>)
func.func @functionValue() {
  // expected-error @+1 {{'func.constant' op has a function of narrow integer tensors as a value: indirect calls are not supported}}
  %0 = constant @f : (tensor<4xi4>) -> ()
  return
}

// -----

func.func @unranked(%x: tensor<*xi4>) {
  // expected-error @+1 {{'arith.addi' op has an unranked tensor of narrow integers: give it a rank}}
  %0 = arith.addi %x, %x : tensor<*xi4>
  return
}
