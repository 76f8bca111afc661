// RUN: compress-opt %s -compress-fold-encode -split-input-file -verify-diagnostics

func.func @wrong_size() -> tensor<4xf32, #compress.affine<i8>> {
  %0 = arith.constant dense_resource<w0> : tensor<4xf32>
  // expected-error @+1 {{resource 'w0' has 14 bytes, needs 16 for 'tensor<4xf32>'}}
  %e = compress.encode %0 : tensor<4xf32> to tensor<4xf32, #compress.affine<i8>>
  return %e : tensor<4xf32, #compress.affine<i8>>
}
{-#
  dialect_resources: { builtin: { w0: "0x040000000000803F00000040000040400000" } }
#-}

// -----

func.func @no_blob() -> tensor<4xf32, #compress.affine<i8>> {
  %0 = arith.constant dense_resource<nokey> : tensor<4xf32>
  // expected-error @+1 {{no blob for resource 'nokey'}}
  %e = compress.encode %0 : tensor<4xf32> to tensor<4xf32, #compress.affine<i8>>
  return %e : tensor<4xf32, #compress.affine<i8>>
}

// -----

// Every failing constant is named, in the order of the module.
func.func @all_errors() -> (tensor<4xf32, #compress.affine<i8>>, tensor<4xf32, #compress.affine<i8>>) {
  %0 = arith.constant dense_resource<first> : tensor<4xf32>
  // expected-error @+1 {{no blob for resource 'first'}}
  %e0 = compress.encode %0 : tensor<4xf32> to tensor<4xf32, #compress.affine<i8>>
  %1 = arith.constant dense_resource<second> : tensor<4xf32>
  // expected-error @+1 {{no blob for resource 'second'}}
  %e1 = compress.encode %1 : tensor<4xf32> to tensor<4xf32, #compress.affine<i8>>
  return %e0, %e1 : tensor<4xf32, #compress.affine<i8>>, tensor<4xf32, #compress.affine<i8>>
}

// -----

func.func @bad_scale() -> tensor<2xf32, #compress.affine<i8>> {
  %w = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %s = arith.constant dense<0.0> : tensor<f32>
  // expected-error @+1 {{scale}}
  %e = compress.quantize %w, %s : tensor<2xf32>, tensor<f32>
    to tensor<2xf32, #compress.affine<i8>>
  return %e : tensor<2xf32, #compress.affine<i8>>
}

// -----

func.func @not_calibrated(%x: tensor<2xf32>) -> tensor<2xf32, #compress.affine<i8>> {
  // expected-error @+1 {{has no calibrated range for 'fc1.input' yet: run compress-apply-calibration, or use mode = "dynamic"}}
  %e = compress.encode %x {compress.calibration = "fc1.input"}
    : tensor<2xf32> to tensor<2xf32, #compress.affine<i8>>
  return %e : tensor<2xf32, #compress.affine<i8>>
}

// -----

// expected-error @+1 {{attribute 'compress.calibration' must be a string on compress.encode}}
func.func @misplaced() attributes {compress.calibration = "x"} {
  return
}

// -----

func.func @sparse() -> tensor<4xf32, #compress.affine<i8>> {
  %0 = arith.constant sparse<[[0]], [1.0]> : tensor<4xf32>
  // expected-error @+1 {{cannot read the elements of this kind of constant; use dense or dense_resource}}
  %e = compress.encode %0 : tensor<4xf32> to tensor<4xf32, #compress.affine<i8>>
  return %e : tensor<4xf32, #compress.affine<i8>>
}
