// A static int8 network is one contraction for each layer; its quantization has
// no division. Dynamically quantized rows are a matter of the next contraction.
// RUN: compress-opt %s --compress-to-llvm='target-cpu=x86-64-v4 stop-at-loops' --mlir-print-ir-after=compress-fuse-tile-epilogues -o /dev/null 2>&1 | FileCheck %s
// RUN: compress-opt %s --compress-to-llvm='target-cpu=x86-64-v4 stop-at-loops' | FileCheck %s --check-prefix=LOOPS

#i8 = #compress.affine<i8>
#dynamic = #compress.affine<i8, block = [1, *]>
#channels = #compress.affine<i8, block = [*, 1]>
#row = affine_map<(m, n) -> (m, n)>
#column = affine_map<(m, n) -> (n)>

// CHECK-LABEL: func @static
// CHECK: linalg.generic
// CHECK: arith.divf
// CHECK: %[[Q:.*]] = compress.tile_contract {{.*}} outs({{.*}} : tensor<5x35xi8>)
// CHECK: math.fma
// CHECK: math.fma
// CHECK-NOT: linalg.generic
// CHECK: %[[Y:.*]] = compress.tile_contract {{.*}} lhs(%[[Q]] : tensor<5x35xi8>)
// CHECK-NOT: linalg.generic
// CHECK: return %[[Y]]
// LOOPS-LABEL: func @static
// LOOPS-NOT: arith.divf {{.*}} : vector
// LOOPS-LABEL: func @dynamic
func.func @static(%x: tensor<5x64xf32>, %bias: tensor<35xf32>) -> tensor<5x23xf32> {
  %s0 = arith.constant dense<0.05> : tensor<f32>
  %s1 = arith.constant dense<0.07> : tensor<f32>
  %zero = arith.constant 0.0 : f32
  %w0 = compress.constant #compress.encoded<[dense<3> : tensor<64x35xi8>, dense<0.03125> : tensor<35xf32>]> : tensor<64x35xf32, #channels>
  %w1 = compress.constant #compress.encoded<[dense<3> : tensor<35x23xi8>, dense<0.03125> : tensor<23xf32>]> : tensor<35x23xf32, #channels>
  %xe = compress.quantize %x, %s0 : tensor<5x64xf32>, tensor<f32> to tensor<5x64xf32, #i8>
  %e0 = tensor.empty() : tensor<5x35xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<5x35xf32>) -> tensor<5x35xf32>
  %y0 = linalg.matmul ins(%xe, %w0 : tensor<5x64xf32, #i8>, tensor<64x35xf32, #channels>) outs(%f0 : tensor<5x35xf32>) -> tensor<5x35xf32>
  %r0 = linalg.generic {indexing_maps = [#row, #column, #row], iterator_types = ["parallel", "parallel"]} ins(%y0, %bias : tensor<5x35xf32>, tensor<35xf32>) outs(%e0 : tensor<5x35xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    %1 = arith.maximumf %0, %zero : f32
    linalg.yield %1 : f32
  } -> tensor<5x35xf32>
  %q = compress.quantize %r0, %s1 : tensor<5x35xf32>, tensor<f32> to tensor<5x35xf32, #i8>
  %e1 = tensor.empty() : tensor<5x23xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<5x23xf32>) -> tensor<5x23xf32>
  %y1 = linalg.matmul ins(%q, %w1 : tensor<5x35xf32, #i8>, tensor<35x23xf32, #channels>) outs(%f1 : tensor<5x23xf32>) -> tensor<5x23xf32>
  return %y1 : tensor<5x23xf32>
}

// CHECK-LABEL: func @dynamic
// CHECK-NOT: linalg.generic
// CHECK: %[[H:.*]] = compress.tile_contract {{.*}} outs({{.*}} : tensor<5x35xf32>) {{.*}}quantize
// CHECK: arith.maximumf
// CHECK-NOT: linalg.generic
// CHECK: %[[Z:.*]] = compress.tile_contract {{.*}} lhs(%[[H]] : tensor<5x35xf32>) {{.*}}quantize
// CHECK: return %[[Z]]
func.func @dynamic(%x: tensor<5x64xf32>, %bias: tensor<35xf32>) -> tensor<5x23xf32> {
  %zero = arith.constant 0.0 : f32
  %w0 = compress.constant #compress.encoded<[dense<3> : tensor<64x35xi8>, dense<0.03125> : tensor<35xf32>]> : tensor<64x35xf32, #channels>
  %w1 = compress.constant #compress.encoded<[dense<3> : tensor<35x23xi8>, dense<0.03125> : tensor<23xf32>]> : tensor<35x23xf32, #channels>
  %xe = compress.encode %x : tensor<5x64xf32> to tensor<5x64xf32, #dynamic>
  %e0 = tensor.empty() : tensor<5x35xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<5x35xf32>) -> tensor<5x35xf32>
  %y0 = linalg.matmul ins(%xe, %w0 : tensor<5x64xf32, #dynamic>, tensor<64x35xf32, #channels>) outs(%f0 : tensor<5x35xf32>) -> tensor<5x35xf32>
  %r0 = linalg.generic {indexing_maps = [#row, #column, #row], iterator_types = ["parallel", "parallel"]} ins(%y0, %bias : tensor<5x35xf32>, tensor<35xf32>) outs(%e0 : tensor<5x35xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    %1 = arith.maximumf %0, %zero : f32
    linalg.yield %1 : f32
  } -> tensor<5x35xf32>
  %q = compress.encode %r0 : tensor<5x35xf32> to tensor<5x35xf32, #dynamic>
  %e1 = tensor.empty() : tensor<5x23xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<5x23xf32>) -> tensor<5x23xf32>
  %y1 = linalg.matmul ins(%q, %w1 : tensor<5x35xf32, #dynamic>, tensor<35x23xf32, #channels>) outs(%f1 : tensor<5x23xf32>) -> tensor<5x23xf32>
  return %y1 : tensor<5x23xf32>
}
