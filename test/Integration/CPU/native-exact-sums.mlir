// Sums that saturate, lose a sign or start in the wrong row where an
// implementation is careless: exact by tile kernels of every instruction set.

// DEFINE: %{check} = compress-run %s
// RUN: %{check}
// RUN: %{check} --jit-opt-level=0
// RUN: %{check} --num-threads=3
// RUN: %{check} --target-cpu=x86-64
// RUN: %if avx2 %{ %{check} --target-cpu=x86-64-v3 %}
// RUN: %if avx_vnni %{ %{check} --target-cpu=x86-64-v3 --target-features=+avxvnni %}
// RUN: %if avx512f %{ %{check} --target-cpu=x86-64-v4 %}
// RUN: %if avx512_vnni %{ %{check} --target-cpu=x86-64-v4 --target-features=+avx512vnni %}

#u8 = #compress.affine<ui8>
#u8a = #compress.affine<ui8, asymmetric>
#i8 = #compress.affine<i8>
#full = #compress.affine<i8, full_range>
#blocks = #compress.affine<ui4, asymmetric, block = [1, 32]>

func.func @main() {
  call @saturation() : () -> ()
  call @signs() : () -> ()
  call @tail_of_blocks() : () -> ()
  return
}

// 255 * 127 * 2 and * 64, and with -128: pairs do not fit 16 bits.
func.func @saturation() {
  %one = arith.constant dense<1.0> : tensor<f32>
  %zero1 = arith.constant dense<0.0> : tensor<3x1xf32>
  %zero2 = arith.constant dense<0.0> : tensor<3x2xf32>
  %c2 = arith.constant dense<[[-1, -1], [-1, 0], [-128, 127]]> : tensor<3x2xi8>
  %h2 = compress_check.hide %c2 : tensor<3x2xi8>
  %x2 = compress.assemble %h2, %one : (tensor<3x2xi8>, tensor<f32>) -> tensor<3x2xf32, #u8>
  %w2 = compress.constant #compress.encoded<[dense<127> : tensor<2x1xi8>, dense<1.0> : tensor<f32>]> : tensor<2x1xf32, #i8>
  %r2 = linalg.matmul ins(%x2, %w2 : tensor<3x2xf32, #u8>, tensor<2x1xf32, #i8>) outs(%zero1 : tensor<3x1xf32>) -> tensor<3x1xf32>
  %e2 = arith.constant dense<[[64770.0], [32385.0], [32385.0]]> : tensor<3x1xf32>
  compress_check.expect_eq %r2, %e2 : tensor<3x1xf32>

  %c64 = arith.constant dense<-1> : tensor<3x64xi8>
  %h64 = compress_check.hide %c64 : tensor<3x64xi8>
  %x64 = compress.assemble %h64, %one : (tensor<3x64xi8>, tensor<f32>) -> tensor<3x64xf32, #u8>
  %w64 = compress.constant #compress.encoded<[dense<127> : tensor<64x1xi8>, dense<1.0> : tensor<f32>]> : tensor<64x1xf32, #i8>
  %r64 = linalg.matmul ins(%x64, %w64 : tensor<3x64xf32, #u8>, tensor<64x1xf32, #i8>) outs(%zero1 : tensor<3x1xf32>) -> tensor<3x1xf32>
  %e64 = arith.constant dense<2072640.0> : tensor<3x1xf32>
  compress_check.expect_eq %r64, %e64 : tensor<3x1xf32>

  // Signed rows of -128, whose negation is no code, by -128 and 127.
  %n64 = arith.constant dense<-128> : tensor<3x64xi8>
  %hn = compress_check.hide %n64 : tensor<3x64xi8>
  %xn = compress.assemble %hn, %one : (tensor<3x64xi8>, tensor<f32>) -> tensor<3x64xf32, #full>
  %wn = compress.constant #compress.encoded<[dense<-128> : tensor<64x2xi8>, dense<1.0> : tensor<f32>]> : tensor<64x2xf32, #full>
  %rn = linalg.matmul ins(%xn, %wn : tensor<3x64xf32, #full>, tensor<64x2xf32, #full>) outs(%zero2 : tensor<3x2xf32>) -> tensor<3x2xf32>
  %en = arith.constant dense<1048576.0> : tensor<3x2xf32>
  compress_check.expect_eq %rn, %en : tensor<3x2xf32>
  return
}

// u8 200, 3, 128, 255 with a zero point of 128 is 72, -125, 0, 127.
func.func @signs() {
  %c = arith.constant dense<[[-56, 3], [-128, -1]]> : tensor<2x2xi8>
  %h = compress_check.hide %c : tensor<2x2xi8>
  %one = arith.constant dense<1.0> : tensor<f32>
  %z = arith.constant dense<128> : tensor<i8>
  %zero = arith.constant dense<0.0> : tensor<2x2xf32>
  %a = compress.assemble %h, %one, %z : (tensor<2x2xi8>, tensor<f32>, tensor<i8>) -> tensor<2x2xf32, #u8a>
  %b = compress.constant #compress.encoded<[dense<[[1, -128], [127, 5]]> : tensor<2x2xi8>, dense<1.0> : tensor<f32>]> : tensor<2x2xf32, #full>
  %r = linalg.matmul ins(%a, %b : tensor<2x2xf32, #u8a>, tensor<2x2xf32, #full>) outs(%zero : tensor<2x2xf32>) -> tensor<2x2xf32>
  %e = arith.constant dense<[[-15803.0, -9841.0], [16129.0, 635.0]]> : tensor<2x2xf32>
  compress_check.expect_eq %r, %e : tensor<2x2xf32>
  return
}

// Forty products in blocks of 32: the second row of weights starts behind the
// padding. By floats and by codes.
func.func @tail_of_blocks() {
  %w = compress.constant #compress.encoded<[dense<[[-4, -1, 5, 0, 3, -5, 3, 7, -7, 3, 5, 2, 4, 7, 6, -8, -8, -4, -6, 1, 6, 7, 7, -2, -8, 1, 5, -7, -3, -8, -7, 4, 3, 0, 3, 5, -2, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [7, -4, 2, 0, 0, 4, 5, 5, 6, -8, 4, 1, -1, 4, -7, -6, -6, -1, -8, 1, 1, 7, -7, -7, 3, 6, 7, -5, -2, 2, -5, 0, -2, 3, 5, -4, -7, -6, 4, -5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]]> : tensor<2x64xi4>,
    dense<[[0.5, 0.25], [0.125, 1.0]]> : tensor<2x2xf32>, dense<[[-8, 3], [5, -4]]> : tensor<2x2xi4>]> : tensor<2x40xf32, #blocks>
  %c = arith.constant dense<[[-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, -3.0, -2.0, -1.0, 0.0, 1.0]]> : tensor<1x40xf32>
  %x = compress_check.hide %c : tensor<1x40xf32>
  %zero = arith.constant dense<0.0> : tensor<1x2xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%x, %w : tensor<1x40xf32>, tensor<2x40xf32, #blocks>) outs(%zero : tensor<1x2xf32>) -> tensor<1x2xf32>
  %e = arith.constant dense<[[-55.75, -40.25]]> : tensor<1x2xf32>
  compress_check.expect_eq %r, %e : tensor<1x2xf32>

  %ci = arith.constant dense<[[-3, -2, -1, 0, 1, 2, 3, -3, -2, -1, 0, 1, 2, 3, -3, -2, -1, 0, 1, 2, 3, -3, -2, -1, 0, 1, 2, 3, -3, -2, -1, 0, 1, 2, 3, -3, -2, -1, 0, 1]]> : tensor<1x40xi8>
  %hi = compress_check.hide %ci : tensor<1x40xi8>
  %one = arith.constant dense<1.0> : tensor<f32>
  %xi = compress.assemble %hi, %one : (tensor<1x40xi8>, tensor<f32>) -> tensor<1x40xf32, #i8>
  %ri = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%xi, %w : tensor<1x40xf32, #i8>, tensor<2x40xf32, #blocks>) outs(%zero : tensor<1x2xf32>) -> tensor<1x2xf32>
  compress_check.expect_eq %ri, %e : tensor<1x2xf32>
  return
}
