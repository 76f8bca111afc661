// What is fused into tile kernels gives the numbers of the portable form, bit
// for bit: scales are powers of two, so that both are exact before the bias.

// REQUIRES: avx2
// RUN: rm -rf %t && mkdir %t
// DEFINE: %{run} = compress-run --random-inputs --print
// RUN: %{run} %s > %t/native
// RUN: %{run} --num-threads=2 %s > %t/native-threads
// RUN: %{run} --target-cpu=x86-64-v3 %s > %t/native-avx2
// RUN: sed 's/^module {/module attributes {compress.target = #compress.target<>} {/' %s | %{run} > %t/portable
// RUN: cmp %t/native %t/portable
// RUN: cmp %t/native-threads %t/portable
// RUN: cmp %t/native-avx2 %t/portable

#i8 = #compress.affine<i8>
#u8 = #compress.affine<ui8, asymmetric>
#channels = #compress.affine<i8, block = [*, 1]>
#row = affine_map<(m, n) -> (m, n)>
#rows = affine_map<(m, n) -> (m)>
#column = affine_map<(m, n) -> (n)>
#heads = affine_map<(b, m, h, n) -> (b, m, h, n)>
#head = affine_map<(b, m, h, n) -> (h, n)>
#token = affine_map<(b, m, h, n) -> (b, m)>

module {
// Bias, ReLU, quantization, a layer with asymmetric codes, a residual, a result
// that is used twice, and a row vector. 83 columns are no whole panels.
func.func @layers(%x: tensor<37x64xf32>, %b0: tensor<83xf32>, %b1: tensor<64xf32>, %scale: tensor<37xf32>)
    -> (tensor<37x64xf32>, tensor<37x19xf32>) {
  %s0 = arith.constant dense<0.0078125> : tensor<f32>
  %s1 = arith.constant dense<0.05> : tensor<f32>
  %s2 = arith.constant dense<0.03> : tensor<f32>
  %z2 = arith.constant dense<131> : tensor<i8>
  %zero = arith.constant 0.0 : f32
  %w0 = compress.constant #compress.encoded<[dense<3> : tensor<64x83xi8>, dense<0.03125> : tensor<83xf32>]> : tensor<64x83xf32, #channels>
  %w1 = compress.constant #compress.encoded<[dense<-7> : tensor<83x64xi8>, dense<0.0078125> : tensor<64xf32>]> : tensor<83x64xf32, #channels>
  %w2 = compress.constant #compress.encoded<[dense<5> : tensor<64x19xi8>, dense<0.0625> : tensor<19xf32>]> : tensor<64x19xf32, #channels>
  %xe = compress.quantize %x, %s0 : tensor<37x64xf32>, tensor<f32> to tensor<37x64xf32, #i8>
  %e0 = tensor.empty() : tensor<37x83xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<37x83xf32>) -> tensor<37x83xf32>
  %y0 = linalg.matmul ins(%xe, %w0 : tensor<37x64xf32, #i8>, tensor<64x83xf32, #channels>) outs(%f0 : tensor<37x83xf32>) -> tensor<37x83xf32>
  %r0 = linalg.generic {indexing_maps = [#row, #column, #row], iterator_types = ["parallel", "parallel"]} ins(%y0, %b0 : tensor<37x83xf32>, tensor<83xf32>) outs(%e0 : tensor<37x83xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    %1 = arith.maximumf %0, %zero : f32
    linalg.yield %1 : f32
  } -> tensor<37x83xf32>
  %q0 = compress.quantize %r0, %s1 : tensor<37x83xf32>, tensor<f32> to tensor<37x83xf32, #i8>
  %e1 = tensor.empty() : tensor<37x64xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<37x64xf32>) -> tensor<37x64xf32>
  %s1b = arith.constant dense<0.5> : tensor<f32>
  %v0 = compress.component %q0["values"] : tensor<37x83xf32, #i8> -> tensor<37x83xi8>
  %q0b = compress.assemble %v0, %s1b : (tensor<37x83xi8>, tensor<f32>) -> tensor<37x83xf32, #i8>
  %y1 = linalg.matmul ins(%q0b, %w1 : tensor<37x83xf32, #i8>, tensor<83x64xf32, #channels>) outs(%f1 : tensor<37x64xf32>) -> tensor<37x64xf32>
  %r1 = linalg.generic {indexing_maps = [#row, #column, #row, #rows, #row], iterator_types = ["parallel", "parallel"]} ins(%y1, %b1, %x, %scale : tensor<37x64xf32>, tensor<64xf32>, tensor<37x64xf32>, tensor<37xf32>) outs(%e1 : tensor<37x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    %1 = arith.mulf %0, %d : f32
    %2 = arith.addf %1, %c : f32
    linalg.yield %2 : f32
  } -> tensor<37x64xf32>
  %q1 = compress.quantize %r1, %s2, %z2 : tensor<37x64xf32>, tensor<f32>, tensor<i8> to tensor<37x64xf32, #u8>
  %v1 = compress.component %q1["values"] : tensor<37x64xf32, #u8> -> tensor<37x64xi8>
  %q1b = compress.assemble %v1, %s1b, %z2 : (tensor<37x64xi8>, tensor<f32>, tensor<i8>) -> tensor<37x64xf32, #u8>
  %e2 = tensor.empty() : tensor<37x19xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<37x19xf32>) -> tensor<37x19xf32>
  %y2 = linalg.matmul ins(%q1b, %w2 : tensor<37x64xf32, #u8>, tensor<64x19xf32, #channels>) outs(%f2 : tensor<37x19xf32>) -> tensor<37x19xf32>
  return %r1, %y2 : tensor<37x64xf32>, tensor<37x19xf32>
}

// Consumers behind reshapes: rows as batch and position, columns as heads.
func.func @heads(%x: tensor<6x64xf32>, %bias: tensor<5x7xf32>, %token: tensor<2x3xf32>, %residual: tensor<2x3x5x7xf32>) -> (tensor<2x3x5x7xf16>, tensor<2x3x5x7xi8>) {
  %s = arith.constant dense<0.0078125> : tensor<f32>
  %zero = arith.constant 0.0 : f32
  %w = compress.constant #compress.encoded<[dense<9> : tensor<64x35xi8>, dense<0.03125> : tensor<35xf32>]> : tensor<64x35xf32, #channels>
  %xe = compress.quantize %x, %s : tensor<6x64xf32>, tensor<f32> to tensor<6x64xf32, #i8>
  %e = tensor.empty() : tensor<6x35xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<6x35xf32>) -> tensor<6x35xf32>
  %y = linalg.matmul ins(%xe, %w : tensor<6x64xf32, #i8>, tensor<64x35xf32, #channels>) outs(%f : tensor<6x35xf32>) -> tensor<6x35xf32>
  %h = tensor.expand_shape %y [[0, 1], [2, 3]] output_shape [2, 3, 5, 7] : tensor<6x35xf32> into tensor<2x3x5x7xf32>
  %eh = tensor.empty() : tensor<2x3x5x7xf16>
  %ei = tensor.empty() : tensor<2x3x5x7xi8>
  %r:2 = linalg.generic {indexing_maps = [#heads, #head, #token, #heads, #heads, #heads], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%h, %bias, %token, %residual : tensor<2x3x5x7xf32>, tensor<5x7xf32>, tensor<2x3xf32>, tensor<2x3x5x7xf32>) outs(%eh, %ei : tensor<2x3x5x7xf16>, tensor<2x3x5x7xi8>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %o: f16, %p: i8):
    %0 = arith.addf %a, %b : f32
    %1 = arith.mulf %0, %c : f32
    %2 = arith.addf %1, %d : f32
    %3 = arith.truncf %2 : f32 to f16
    %4 = math.floor %2 : f32
    %5 = arith.fptosi %4 : f32 to i8
    linalg.yield %3, %5 : f16, i8
  } -> (tensor<2x3x5x7xf16>, tensor<2x3x5x7xi8>)
  return %r#0, %r#1 : tensor<2x3x5x7xf16>, tensor<2x3x5x7xi8>
}

// A vector, of which the op makes a row, to bf16.
func.func @vector(%x: tensor<64xf32>, %bias: tensor<83xf32>) -> tensor<83xf32> {
  %s = arith.constant dense<0.0078125> : tensor<f32>
  %zero = arith.constant 0.0 : f32
  %w = compress.constant #compress.encoded<[dense<3> : tensor<64x83xi8>, dense<0.03125> : tensor<83xf32>]> : tensor<64x83xf32, #channels>
  %xe = compress.quantize %x, %s : tensor<64xf32>, tensor<f32> to tensor<64xf32, #compress.affine<i8>>
  %e = tensor.empty() : tensor<83xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<83xf32>) -> tensor<83xf32>
  %y = linalg.vecmat ins(%xe, %w : tensor<64xf32, #compress.affine<i8>>, tensor<64x83xf32, #channels>) outs(%f : tensor<83xf32>) -> tensor<83xf32>
  %eb = tensor.empty() : tensor<83xbf16>
  %r = linalg.generic {indexing_maps = [affine_map<(n) -> (n)>, affine_map<(n) -> (n)>, affine_map<(n) -> (n)>], iterator_types = ["parallel"]} ins(%y, %bias : tensor<83xf32>, tensor<83xf32>) outs(%eb : tensor<83xbf16>) {
  ^bb0(%a: f32, %b: f32, %o: bf16):
    %0 = arith.addf %a, %b : f32
    %1 = arith.truncf %0 : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<83xbf16>
  %wide = linalg.generic {indexing_maps = [affine_map<(n) -> (n)>, affine_map<(n) -> (n)>], iterator_types = ["parallel"]} ins(%r : tensor<83xbf16>) outs(%e : tensor<83xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %0 = arith.extf %a : bf16 to f32
    linalg.yield %0 : f32
  } -> tensor<83xf32>
  return %wide : tensor<83xf32>
}

func.func @main(%x: tensor<37x64xf32>, %b0: tensor<83xf32>, %b1: tensor<64xf32>, %scale: tensor<37xf32>,
                %x1: tensor<6x64xf32>, %bias: tensor<5x7xf32>, %token: tensor<2x3xf32>, %residual: tensor<2x3x5x7xf32>,
                %x2: tensor<64xf32>, %b2: tensor<83xf32>)
    -> (tensor<37x64xf32>, tensor<37x19xf32>, tensor<2x3x5x7xf16>, tensor<2x3x5x7xi8>, tensor<83xf32>) {
  %0:2 = call @layers(%x, %b0, %b1, %scale) : (tensor<37x64xf32>, tensor<83xf32>, tensor<64xf32>, tensor<37xf32>) -> (tensor<37x64xf32>, tensor<37x19xf32>)
  %1:2 = call @heads(%x1, %bias, %token, %residual) : (tensor<6x64xf32>, tensor<5x7xf32>, tensor<2x3xf32>, tensor<2x3x5x7xf32>) -> (tensor<2x3x5x7xf16>, tensor<2x3x5x7xi8>)
  %2 = call @vector(%x2, %b2) : (tensor<64xf32>, tensor<83xf32>) -> tensor<83xf32>
  return %0#0, %0#1, %1#0, %1#1, %2 : tensor<37x64xf32>, tensor<37x19xf32>, tensor<2x3x5x7xf16>, tensor<2x3x5x7xi8>, tensor<83xf32>
}
}
