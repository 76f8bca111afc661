// Kernels chosen by hand that cannot compute their op are refused.

// RUN: compress-opt %s --compress-lower-contractions --split-input-file \
// RUN:   --verify-diagnostics

#a = #compress.affine<i8>
#int_dot = #compress.strategy<exit = native, kernel =
  #compress.int_dot<m = 8, n = 32, lhsType = i8, isa = avx512_vnni>>

func.func @run_time_codes(%x: tensor<4x8xf32, #a>, %w: tensor<8x16xf32, #a>, %z: tensor<4x16xf32>) -> tensor<4x16xf32> {
  // expected-error @below {{cannot take the native exit: its encoded right operand is not a constant; use exit = portable}}
  %r = linalg.matmul {compress.strategy = #int_dot}
    ins(%x, %w : tensor<4x8xf32, #a>, tensor<8x16xf32, #a>) outs(%z : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}

// -----

#int_dot = #compress.strategy<exit = native, kernel =
  #compress.int_dot<m = 8, n = 32, lhsType = i8, isa = avx512_vnni>>

func.func @dense(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %z: tensor<4x16xf32>) -> tensor<4x16xf32> {
  // expected-error @below {{cannot take the native exit: the kernel takes integer codes on the right}}
  %r = linalg.matmul {compress.strategy = #int_dot}
    ins(%x, %w : tensor<4x8xf32>, tensor<8x16xf32>) outs(%z : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}

// -----

#a = #compress.affine<i8>
#float_dot = #compress.strategy<exit = native, kernel =
  #compress.float_dot<m = 8, n = 32, element = f32, isa = avx512>>

func.func @codes(%x: tensor<4x2xf32, #a>, %z: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %w = compress.constant #compress.encoded<[dense<1> : tensor<2x2xi8>, dense<1.0> : tensor<f32>]>
    : tensor<2x2xf32, #a>
  // expected-error @below {{cannot take the native exit: its operands are not dense ones of the type that the kernel takes}}
  %r = linalg.matmul {compress.strategy = #float_dot}
    ins(%x, %w : tensor<4x2xf32, #a>, tensor<2x2xf32, #a>) outs(%z : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %r : tensor<4x2xf32>
}

// -----

#a = #compress.affine<ui8>
#b = #compress.affine<i8>
#int_dot = #compress.strategy<exit = native, kernel =
  #compress.int_dot<m = 8, n = 32, lhsType = i8, isa = avx512_vnni>>

func.func @signedness(%x: tensor<4x2xf32, #a>, %z: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %w = compress.constant #compress.encoded<[dense<1> : tensor<2x2xi8>, dense<1.0> : tensor<f32>]>
    : tensor<2x2xf32, #b>
  // expected-error @below {{cannot take the native exit: the kernel takes other codes}}
  %r = linalg.matmul {compress.strategy = #int_dot}
    ins(%x, %w : tensor<4x2xf32, #a>, tensor<2x2xf32, #b>) outs(%z : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %r : tensor<4x2xf32>
}

// -----

#a = #compress.affine<i8>
#w = #compress.affine<i4>
#block_dot = #compress.strategy<exit = native, kernel =
  #compress.block_dot<m = 6, n = 32, lhsType = i8, bits = 4, block = 32, scale = f32,
                      zeroPoints = true, isa = avx512_vnni>>

func.func @points(%x: tensor<4x2xf32, #a>, %z: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %w = compress.constant #compress.encoded<[dense<1> : tensor<2x2xi4>, dense<1.0> : tensor<f32>]>
    : tensor<2x2xf32, #w>
  // expected-error @below {{cannot take the native exit: the kernel takes other codes, scales or blocks}}
  %r = linalg.matmul {compress.strategy = #block_dot}
    ins(%x, %w : tensor<4x2xf32, #a>, tensor<2x2xf32, #w>) outs(%z : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %r : tensor<4x2xf32>
}
