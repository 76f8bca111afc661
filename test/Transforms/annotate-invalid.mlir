// RUN: compress-opt %s -compress-annotate -split-input-file -verify-diagnostics

// expected-error @+1 {{attribute 'compress.recipe' must be an array of rules}}
module attributes {compress.recipe = {operand = "weights"}} {}
// -----
// expected-error @+1 {{recipe rule #0 must be a dictionary, but is "weights"}}
module attributes {compress.recipe = ["weights"]} {}
// -----
// expected-error @+1 {{recipe rule #0: unknown key 'operands'; did you mean 'operand'?}}
module attributes {compress.recipe = [{operands = "weights", encoding = #compress.affine<i8>}]} {}
// -----
// expected-error @+1 {{recipe rule #0: unknown key 'xyzzy'; known keys are name, op, location, function, source, operand, encoding, per, block, super_block, range, mode}}
module attributes {compress.recipe = [{xyzzy = "weights", encoding = #compress.affine<i8>}]} {}
// -----
// expected-error @+1 {{recipe rule #0: 'name' must be a string, but is 3 : i64}}
module attributes {compress.recipe = [{name = 3, encoding = #compress.affine<i8>}]} {}
// -----
// expected-error @+1 {{recipe rule #0 'w': has no 'encoding'}}
module attributes {compress.recipe = [{name = "w"}]} {}
// -----
// expected-error @+1 {{recipe rule #0: 'encoding' must be an encoding such as #compress.affine<i8>, but is "i8"}}
module attributes {compress.recipe = [{encoding = "i8"}]} {}
// -----
// expected-error @+1 {{recipe rule #0: 'op' must be a string or a list of strings, but has 3}}
module attributes {compress.recipe = [{op = [3], encoding = #compress.affine<i8>}]} {}
// -----
// expected-error @+1 {{'op' is "convolutions", which is neither a kind ('contraction', 'convolution') nor the name of an op with its dialect; did you mean 'convolution'?}}
module attributes {compress.recipe = [{op = "convolutions", encoding = #compress.affine<i8>}]} {}
// -----
// expected-error @+1 {{recipe rule #0: 'location' is no valid pattern: invalid glob pattern}}
module attributes {compress.recipe = [{location = "fc[1", encoding = #compress.affine<i8>}]} {}
// -----
// expected-error @+1 {{recipe rule #0: 'operand' must be "weights", "activations", "lhs", "rhs" or the number of an operand, but is "weight"}}
module attributes {compress.recipe = [{operand = "weight", encoding = #compress.affine<i8>}]} {}
// -----
// expected-error @+1 {{recipe rule #0: 'operand' must be "weights"}}
module attributes {compress.recipe = [{operand = -1, encoding = #compress.affine<i8>}]} {}
// -----
// expected-error @+1 {{recipe rule #0: 'per' must be "tensor", "channel" or "row", but is "chanel"}}
module attributes {compress.recipe = [{per = "chanel", encoding = #compress.affine<i8>}]} {}
// -----
// expected-error @+1 {{recipe rule #0: 'block' must be a positive number of elements, but is 0}}
module attributes {compress.recipe = [{block = 0, encoding = #compress.affine<i8>}]} {}
// -----
// expected-error @+1 {{recipe rule #0: has both a 'block' and 'per' "tensor"}}
module attributes {compress.recipe = [{block = 32, per = "tensor", encoding = #compress.affine<i8>}]} {}
// -----
// expected-error @+1 {{recipe rule #0: 'super_block' must be a multiple of 'block'}}
module attributes {compress.recipe = [{block = 32, super_block = 48, encoding = #compress.affine<i8>}]} {}
// -----
// expected-error @+1 {{recipe rule #0: 'range' must be a calibrator such as #compress.min_max, but is "min_max"}}
module attributes {compress.recipe = [{range = "min_max", encoding = #compress.affine<i8>}]} {}
// -----
// expected-error @+1 {{recipe rule #0: 'mode' must be "dynamic" or "static", but is "Static"}}
module attributes {compress.recipe = [{operand = "lhs", mode = "Static", encoding = #compress.affine<i8>}]} {}
// -----
// expected-error @+1 {{recipe rule #0: 'mode' is for activations; weights are constants}}
module attributes {compress.recipe = [{mode = "static", encoding = #compress.affine<i8>}]} {}
// -----
// expected-error @+2 {{recipe rule #0 encodes nothing: no operand of an op in the module matches it}}
// expected-error @+1 {{recipe rule #2 'late' encodes nothing: every operand that it matches is taken by an earlier rule, such as recipe rule #1}}
module attributes {compress.recipe = [
  {location = "fc9", encoding = #compress.affine<i8>},
  {operand = "rhs", encoding = #compress.affine<i8>},
  {name = "late", operand = 1, encoding = #compress.affine<i4>}
]} {
  func.func @f(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0 = linalg.matmul ins(%x, %x : tensor<2x2xf32>, tensor<2x2xf32>) outs(%x : tensor<2x2xf32>) -> tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  }
}
// -----
module attributes {compress.recipe = [{name = "acts", operand = "lhs", encoding = #compress.nm<2:4, dim = 1>}]} {
  func.func @f(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
    // expected-error @+1 {{recipe rule #0 'acts', operand #0: only constants can be encoded as 'tensor<2x2xf32, #compress.nm<2:4, dim = 1>>', but the operand is computed at run time}}
    %0 = linalg.matmul ins(%x, %x : tensor<2x2xf32>, tensor<2x2xf32>) outs(%x : tensor<2x2xf32>) -> tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  }
}
// -----
module attributes {compress.recipe = [{operand = "lhs", encoding = #compress.affine<i8, block = [1, 2, 3]>}]} {
  func.func @f(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
    // expected-error @+1 {{recipe rule #0, operand #0: 'block' has 3 entries, but the tensor has rank 2}}
    %0 = linalg.matmul ins(%x, %x : tensor<2x2xf32>, tensor<2x2xf32>) outs(%x : tensor<2x2xf32>) -> tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  }
}
// -----
module attributes {compress.recipe = [{operand = "lhs", encoding = #compress.affine<i8>}]} {
  func.func @f(%x: tensor<2x2xi32>) -> tensor<2x2xi32> {
    // expected-error @+1 {{recipe rule #0, operand #0: an affine encoding needs a logical element type of f16, bf16, f32 or f64, but got 'i32'}}
    %0 = linalg.matmul ins(%x, %x : tensor<2x2xi32>, tensor<2x2xi32>) outs(%x : tensor<2x2xi32>) -> tensor<2x2xi32>
    return %0 : tensor<2x2xi32>
  }
}
// -----
module attributes {compress.recipe = [{operand = "lhs", op = "linalg.add", per = "row", encoding = #compress.affine<i8>}]} {
  func.func @f(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
    // expected-error @+1 {{no reduction runs along a dimension of the operand alone, so 'per' and 'block' do not say which elements share a scale}}
    %0 = linalg.add ins(%x, %x : tensor<2x2xf32>, tensor<2x2xf32>) outs(%x : tensor<2x2xf32>) -> tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  }
}
// -----
module attributes {compress.recipe = [{operand = "lhs", op = "tosa.*", per = "row", encoding = #compress.affine<i8>}]} {
  func.func @f(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
    // expected-error @+1 {{recipe rule #0, operand #0: 'per' and 'block' need a linalg op}}
    %0 = tosa.add %x, %x : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  }
}
// -----
module attributes {compress.recipe = [{block = 2, encoding = #compress.nm<2:4, dim = 0>}]} {
  func.func @f(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %w = arith.constant dense<1.0> : tensor<2x2xf32>
    // expected-error @+1 {{'per' and 'block' cannot be applied to the encoding #compress.nm<2:4, dim = 0>, which has no blocks}}
    %0 = linalg.matmul ins(%x, %w : tensor<2x2xf32>, tensor<2x2xf32>) outs(%x : tensor<2x2xf32>) -> tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  }
}
// -----
module attributes {compress.recipe = [{block = 2, super_block = 4, encoding = #compress.affine<i8>}]} {
  func.func @f(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %w = arith.constant dense<1.0> : tensor<2x2xf32>
    // expected-error @+1 {{cannot be applied to the encoding #compress.affine<i8>, which has no super blocks}}
    %0 = linalg.matmul ins(%x, %w : tensor<2x2xf32>, tensor<2x2xf32>) outs(%x : tensor<2x2xf32>) -> tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  }
}
