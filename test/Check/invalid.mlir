// RUN: compress-opt %s --split-input-file --verify-diagnostics

func.func @encoded(%a: tensor<4xf32, #compress.affine<i8>>) {
  // expected-error @+1 {{'compress_check.expect_eq' op operand #0 must be ranked tensor, without an encoding, of signless integers of up to 64 bits, index, or floats of 8, 16, 32 or 64 bits, but got 'tensor<4xf32, #compress.affine<i8>>'}}
  compress_check.expect_eq %a, %a : tensor<4xf32, #compress.affine<i8>>
  return
}

// -----

func.func @signed(%a: tensor<4xui8>) {
  // expected-error @+1 {{op operand #0 must be ranked tensor, without an encoding, of signless integers}}
  compress_check.expect_eq %a, %a : tensor<4xui8>
  return
}

// -----

func.func @unranked(%a: tensor<*xf32>) {
  // expected-error @+1 {{invalid kind of type specified}}
  compress_check.expect_eq %a, %a : tensor<*xf32>
  return
}

// -----

func.func @no_tolerance(%a: tensor<4xf32>) {
  // expected-error @+1 {{'compress_check.expect_close' op (C2) needs ulps, atol or rtol; use expect_eq for exact equality}}
  compress_check.expect_close %a, %a : tensor<4xf32>
  return
}

// -----

func.func @negative(%a: tensor<4xf32>) {
  // expected-error @+1 {{'compress_check.expect_close' op (C2) ulps must not be negative, but is -1}}
  compress_check.expect_close %a, %a {ulps = -1} : tensor<4xf32>
  return
}

// -----

func.func @negative_rtol(%a: tensor<4xf32>) {
  // expected-error @+1 {{'compress_check.expect_close' op (C2) rtol must be finite and not negative, but is -5.000000e-01}}
  compress_check.expect_close %a, %a {rtol = -0.5} : tensor<4xf32>
  return
}

// -----

func.func @nan_atol(%a: tensor<4xf32>) {
  // expected-error-re @+1 {{'compress_check.expect_close' op (C2) atol must be finite and not negative, but is {{.*}}}}
  compress_check.expect_close %a, %a {atol = 0x7FF8000000000000 : f64} : tensor<4xf32>
  return
}

// -----

func.func @integer_ulps(%a: tensor<4xi32>) {
  // expected-error @+1 {{'compress_check.expect_close' op (C3) integers have no ulps; use atol}}
  compress_check.expect_close %a, %a {ulps = 1} : tensor<4xi32>
  return
}

// -----

func.func @wide(%a: tensor<4xi64>) {
  // expected-error @+1 {{'compress_check.expect_close' op (C1) compares integers of up to 32 bits, but the elements are 'i64'; use expect_eq}}
  compress_check.expect_close %a, %a {atol = 1.0} : tensor<4xi64>
  return
}

// -----

func.func @small_float(%a: tensor<4xf8E4M3FN>) {
  // expected-error @+1 {{'compress_check.expect_close' op (C1) compares f16, bf16, f32, f64 and integers, but the elements are 'f8E4M3FN'; use expect_eq}}
  compress_check.expect_close %a, %a {atol = 1.0} : tensor<4xf8E4M3FN>
  return
}

// -----

func.func @hide(%a: tensor<4xf32, #compress.affine<i8>>) {
  // expected-error @+1 {{'compress_check.hide' op (C1) must not make a value of encoded type; hide the tensor before it is encoded}}
  %b = compress_check.hide %a : tensor<4xf32, #compress.affine<i8>>
  return
}
