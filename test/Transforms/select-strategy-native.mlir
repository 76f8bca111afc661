// The kernel, tile and threads of contractions, by the target alone: what the
// machine has that compiles does not count.

// DEFINE: %{target} = cpu=znver5 cores=4
// DEFINE: %{select} = compress-opt %s --mlir-print-local-scope --pass-pipeline='builtin.module(compress-set-target{%{target}},compress-select-strategy{native})' 2>/dev/null
// RUN: %{select} | FileCheck %s --check-prefixes=CHECK,ZNVER5
// REDEFINE: %{target} = cpu=sapphirerapids cores=4
// RUN: %{select} | FileCheck %s --check-prefixes=CHECK,SPR
// REDEFINE: %{target} = cpu=cascadelake cores=4
// RUN: %{select} | FileCheck %s --check-prefixes=CHECK,CASCADE
// REDEFINE: %{target} = cpu=alderlake cores=4
// RUN: %{select} | FileCheck %s --check-prefixes=CHECK,ALDER
// REDEFINE: %{target} = cpu=x86-64-v3 cores=4
// RUN: %{select} | FileCheck %s --check-prefixes=CHECK,V3
// REDEFINE: %{target} = cpu=x86-64 cores=4
// RUN: %{select} | FileCheck %s --check-prefixes=CHECK,BASE
// REDEFINE: %{target} = cpu=znver5
// RUN: %{select} | FileCheck %s --check-prefix=ALONE
// A model without cores: nothing is shared.
// ALONE-NOT: threads =

#rows = #compress.affine<i8, block = [1, *]>
#urows = #compress.affine<ui8, asymmetric, block = [1, *]>
#batchrows = #compress.affine<i8, block = [1, 1, *]>
#tensor = #compress.affine<i8>
#column = #compress.affine<i8, block = [*, 1]>
#i4 = #compress.affine<i4, block = [32, 1], scale = f16>
#ui4 = #compress.affine<ui4, asymmetric, block = [64, 1], scale = f16>
#i5 = #compress.affine<i5, block = [128, 1]>
#i5long = #compress.affine<i5, block = [384, 1]>
#filters = #compress.affine<i8, block = [*, *, *, 1]>

// CHECK-LABEL: func.func @gemm(
// ZNVER5: exit = native, kernel = #compress.int_dot<m = {{[0-9]+}}, n = {{[0-9]+}}, lhsType = i8, isa = avx512_vnni>, threads = 4>
// SPR: exit = native, kernel = #compress.int_dot<m = 32, n = 32, lhsType = i8, isa = amx>, threads = 4>
// CASCADE: exit = native, kernel = #compress.int_dot<m = {{[0-9]+}}, n = {{[0-9]+}}, lhsType = i8, isa = avx512_vnni>, threads = 4>
// ALDER: exit = native, kernel = #compress.int_dot<m = {{[0-9]+}}, n = {{[0-9]+}}, lhsType = i8, isa = avx_vnni>, threads = 4>
// V3: exit = native, kernel = #compress.int_dot<m = {{[0-9]+}}, n = {{[0-9]+}}, lhsType = i8, isa = avx2>, threads = 4>
// BASE: exit = portable
func.func @gemm(%x: tensor<512x768xf32>, %o: tensor<512x768xf32>) -> tensor<512x768xf32> {
  %w = compress.constant #compress.encoded<[dense<1> : tensor<768x768xi8>, dense<1.0> : tensor<768xf32>]> : tensor<768x768xf32, #column>
  %e = compress.encode %x : tensor<512x768xf32> to tensor<512x768xf32, #rows>
  %0 = linalg.matmul ins(%e, %w : tensor<512x768xf32, #rows>, tensor<768x768xf32, #column>) outs(%o : tensor<512x768xf32>) -> tensor<512x768xf32>
  return %0 : tensor<512x768xf32>
}

// CHECK-LABEL: func.func @gemm_unsigned(
// ZNVER5: exit = native, kernel = #compress.int_dot<m = {{[0-9]+}}, n = {{[0-9]+}}, lhsType = ui8, isa = avx512_vnni>, threads = 4>
// SPR: exit = native, kernel = #compress.int_dot<m = 32, n = 32, lhsType = ui8, isa = amx>, threads = 4>
// CASCADE: exit = native, kernel = #compress.int_dot<m = {{[0-9]+}}, n = {{[0-9]+}}, lhsType = ui8, isa = avx512_vnni>, threads = 4>
// ALDER: exit = native, kernel = #compress.int_dot<m = {{[0-9]+}}, n = {{[0-9]+}}, lhsType = ui8, isa = avx_vnni>, threads = 4>
// V3: exit = native, kernel = #compress.int_dot<m = {{[0-9]+}}, n = {{[0-9]+}}, lhsType = ui8, isa = avx2>, threads = 4>
// BASE: exit = portable
func.func @gemm_unsigned(%x: tensor<512x768xf32>, %o: tensor<512x768xf32>) -> tensor<512x768xf32> {
  %w = compress.constant #compress.encoded<[dense<1> : tensor<768x768xi8>, dense<1.0> : tensor<768xf32>]> : tensor<768x768xf32, #column>
  %e = compress.encode %x : tensor<512x768xf32> to tensor<512x768xf32, #urows>
  %0 = linalg.matmul ins(%e, %w : tensor<512x768xf32, #urows>, tensor<768x768xf32, #column>) outs(%o : tensor<512x768xf32>) -> tensor<512x768xf32>
  return %0 : tensor<512x768xf32>
}

// One row: whole registers of columns.
// CHECK-LABEL: func.func @gemv(
// ZNVER5: exit = native, kernel = #compress.int_dot<m = 1, n = {{[0-9]+}}, lhsType = i8, isa = avx512_vnni>{{[,>]}}
// SPR: exit = native, kernel = #compress.int_dot<m = 1, n = {{[0-9]+}}, lhsType = i8, isa = avx512_vnni>{{[,>]}}
// CASCADE: exit = native, kernel = #compress.int_dot<m = 1, n = {{[0-9]+}}, lhsType = i8, isa = avx512_vnni>{{[,>]}}
// ALDER: exit = native, kernel = #compress.int_dot<m = 1, n = {{[0-9]+}}, lhsType = i8, isa = avx_vnni>{{[,>]}}
// V3: exit = native, kernel = #compress.int_dot<m = 1, n = {{[0-9]+}}, lhsType = i8, isa = avx2>{{[,>]}}
// BASE: exit = portable
func.func @gemv(%x: tensor<1x768xf32>, %o: tensor<1x768xf32>) -> tensor<1x768xf32> {
  %w = compress.constant #compress.encoded<[dense<1> : tensor<768x768xi8>, dense<1.0> : tensor<768xf32>]> : tensor<768x768xf32, #column>
  %e = compress.encode %x : tensor<1x768xf32> to tensor<1x768xf32, #rows>
  %0 = linalg.matmul ins(%e, %w : tensor<1x768xf32, #rows>, tensor<768x768xf32, #column>) outs(%o : tensor<1x768xf32>) -> tensor<1x768xf32>
  return %0 : tensor<1x768xf32>
}

// Too little work to wake threads for.
// CHECK-LABEL: func.func @small(
// ZNVER5: exit = native, kernel = #compress.int_dot<m = 4, n = {{[0-9]+}}, lhsType = i8, isa = avx512_vnni>>
// SPR: exit = native, kernel = #compress.int_dot<m = 4, n = {{[0-9]+}}, lhsType = i8, isa = avx512_vnni>>
// CASCADE: exit = native, kernel = #compress.int_dot<m = 4, n = {{[0-9]+}}, lhsType = i8, isa = avx512_vnni>>
// ALDER: exit = native, kernel = #compress.int_dot<m = 4, n = 16, lhsType = i8, isa = avx_vnni>>
// V3: exit = native, kernel = #compress.int_dot<m = 4, n = 16, lhsType = i8, isa = avx2>>
// BASE: exit = portable
func.func @small(%x: tensor<4x32xf32>, %o: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %w = compress.constant #compress.encoded<[dense<1> : tensor<32x16xi8>, dense<1.0> : tensor<16xf32>]> : tensor<32x16xf32, #column>
  %e = compress.encode %x : tensor<4x32xf32> to tensor<4x32xf32, #rows>
  %0 = linalg.matmul ins(%e, %w : tensor<4x32xf32, #rows>, tensor<32x16xf32, #column>) outs(%o : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}

// Unknown rows: those of a typical batch.
// CHECK-LABEL: func.func @dynamic(
// ZNVER5: exit = native, kernel = #compress.int_dot<m = {{[0-9]+}}, n = {{[0-9]+}}, lhsType = i8, isa = avx512_vnni>, threads = 4>
// SPR: exit = native, kernel = #compress.int_dot<m = 32, n = 32, lhsType = i8, isa = amx>, threads = 4>
// CASCADE: exit = native, kernel = #compress.int_dot<m = {{[0-9]+}}, n = {{[0-9]+}}, lhsType = i8, isa = avx512_vnni>, threads = 4>
// ALDER: exit = native, kernel = #compress.int_dot<m = {{[0-9]+}}, n = {{[0-9]+}}, lhsType = i8, isa = avx_vnni>, threads = 4>
// V3: exit = native, kernel = #compress.int_dot<m = {{[0-9]+}}, n = {{[0-9]+}}, lhsType = i8, isa = avx2>, threads = 4>
// BASE: exit = portable
func.func @dynamic(%x: tensor<?x768xf32>, %o: tensor<?x768xf32>) -> tensor<?x768xf32> {
  %w = compress.constant #compress.encoded<[dense<1> : tensor<768x768xi8>, dense<1.0> : tensor<768xf32>]> : tensor<768x768xf32, #column>
  %e = compress.encode %x : tensor<?x768xf32> to tensor<?x768xf32, #rows>
  %0 = linalg.matmul ins(%e, %w : tensor<?x768xf32, #rows>, tensor<768x768xf32, #column>) outs(%o : tensor<?x768xf32>) -> tensor<?x768xf32>
  return %0 : tensor<?x768xf32>
}

// Floats, none of them constant.
// CHECK-LABEL: func.func @batch(
// ZNVER5: exit = native, kernel = #compress.float_dot<m = {{[0-9]+}}, n = {{[0-9]+}}, element = f32, isa = avx512>, threads = 4>
// SPR: exit = native, kernel = #compress.float_dot<m = {{[0-9]+}}, n = {{[0-9]+}}, element = f32, isa = avx512>, threads = 4>
// CASCADE: exit = native, kernel = #compress.float_dot<m = {{[0-9]+}}, n = {{[0-9]+}}, element = f32, isa = avx512>, threads = 4>
// ALDER: exit = native, kernel = #compress.float_dot<m = {{[0-9]+}}, n = {{[0-9]+}}, element = f32, isa = avx2>, threads = 4>
// V3: exit = native, kernel = #compress.float_dot<m = {{[0-9]+}}, n = {{[0-9]+}}, element = f32, isa = avx2>, threads = 4>
// BASE-NOT: compress.strategy
// CHECK: return
func.func @batch(%x: tensor<12x128x64xf32>, %y: tensor<12x64x128xf32>, %o: tensor<12x128x128xf32>) -> tensor<12x128x128xf32> {
  %0 = linalg.batch_matmul ins(%x, %y : tensor<12x128x64xf32>, tensor<12x64x128xf32>) outs(%o : tensor<12x128x128xf32>) -> tensor<12x128x128xf32>
  return %0 : tensor<12x128x128xf32>
}

// Half bytes; the sums are integers.
// CHECK-LABEL: func.func @block4(
// ZNVER5: exit = native, kernel = #compress.block_dot<m = {{[0-9]+}}, n = {{[0-9]+}}, lhsType = i8, bits = 4, block = 32, scale = f16, zeroPoints = false, isa = avx512_vnni_gfni>, threads = 4>
// SPR: exit = native, kernel = #compress.block_dot<m = 16, n = 16, lhsType = i8, bits = 4, block = 32, scale = f16, zeroPoints = false, isa = amx>, threads = 4>
// CASCADE: exit = native, kernel = #compress.block_dot<m = {{[0-9]+}}, n = {{[0-9]+}}, lhsType = i8, bits = 4, block = 32, scale = f16, zeroPoints = false, isa = avx512_vnni>, threads = 4>
// ALDER: exit = native, kernel = #compress.block_dot<m = {{[0-9]+}}, n = {{[0-9]+}}, lhsType = i8, bits = 4, block = 32, scale = f16, zeroPoints = false, isa = avx_vnni>, threads = 4>
// V3: exit = native, kernel = #compress.block_dot<m = {{[0-9]+}}, n = {{[0-9]+}}, lhsType = i8, bits = 4, block = 32, scale = f16, zeroPoints = false, isa = avx2>, threads = 4>
// BASE: exit = portable
func.func @block4(%x: tensor<512x768xf32>, %o: tensor<512x768xf32>) -> tensor<512x768xf32> {
  %w = compress.constant #compress.encoded<[dense<1> : tensor<768x768xi4>, dense<1.0> : tensor<24x768xf16>]> : tensor<768x768xf32, #i4>
  %e = compress.encode %x : tensor<512x768xf32> to tensor<512x768xf32, #rows>
  %0 = linalg.matmul ins(%e, %w : tensor<512x768xf32, #rows>, tensor<768x768xf32, #i4>) outs(%o : tensor<512x768xf32>) -> tensor<512x768xf32>
  return %0 : tensor<512x768xf32>
}

// Half bytes by floats.
// CHECK-LABEL: func.func @block4_float(
// ZNVER5: exit = native, kernel = #compress.block_dot<m = 1, n = {{[0-9]+}}, lhsType = f32, bits = 4, block = 32, scale = f16, zeroPoints = false, isa = avx512_vnni_gfni>{{[,>]}}
// SPR: exit = native, kernel = #compress.block_dot<m = 1, n = {{[0-9]+}}, lhsType = f32, bits = 4, block = 32, scale = f16, zeroPoints = false, isa = avx512_vnni_gfni>{{[,>]}}
// CASCADE: exit = native, kernel = #compress.block_dot<m = 1, n = {{[0-9]+}}, lhsType = f32, bits = 4, block = 32, scale = f16, zeroPoints = false, isa = avx512_vnni>{{[,>]}}
// ALDER: exit = native, kernel = #compress.block_dot<m = 1, n = {{[0-9]+}}, lhsType = f32, bits = 4, block = 32, scale = f16, zeroPoints = false, isa = avx_vnni>{{[,>]}}
// V3: exit = native, kernel = #compress.block_dot<m = 1, n = {{[0-9]+}}, lhsType = f32, bits = 4, block = 32, scale = f16, zeroPoints = false, isa = avx2>{{[,>]}}
// BASE: exit = portable
func.func @block4_float(%x: tensor<1x768xf32>, %o: tensor<1x768xf32>) -> tensor<1x768xf32> {
  %w = compress.constant #compress.encoded<[dense<1> : tensor<768x768xi4>, dense<1.0> : tensor<24x768xf16>]> : tensor<768x768xf32, #i4>
  %0 = linalg.matmul ins(%x, %w : tensor<1x768xf32>, tensor<768x768xf32, #i4>) outs(%o : tensor<1x768xf32>) -> tensor<1x768xf32>
  return %0 : tensor<1x768xf32>
}

// Zero points.
// CHECK-LABEL: func.func @points(
// ZNVER5: exit = native, kernel = #compress.block_dot<m = 1, n = {{[0-9]+}}, lhsType = i8, bits = 4, block = 64, scale = f16, zeroPoints = true, isa = avx512_vnni_gfni>{{[,>]}}
// SPR: exit = native, kernel = #compress.block_dot<m = 1, n = {{[0-9]+}}, lhsType = i8, bits = 4, block = 64, scale = f16, zeroPoints = true, isa = avx512_vnni_gfni>{{[,>]}}
// CASCADE: exit = native, kernel = #compress.block_dot<m = 1, n = {{[0-9]+}}, lhsType = i8, bits = 4, block = 64, scale = f16, zeroPoints = true, isa = avx512_vnni>{{[,>]}}
// ALDER: exit = native, kernel = #compress.block_dot<m = 1, n = {{[0-9]+}}, lhsType = i8, bits = 4, block = 64, scale = f16, zeroPoints = true, isa = avx_vnni>{{[,>]}}
// V3: exit = native, kernel = #compress.block_dot<m = 1, n = {{[0-9]+}}, lhsType = i8, bits = 4, block = 64, scale = f16, zeroPoints = true, isa = avx2>{{[,>]}}
// BASE: exit = portable
func.func @points(%x: tensor<1x768xf32>, %o: tensor<1x768xf32>) -> tensor<1x768xf32> {
  %w = compress.constant #compress.encoded<[dense<1> : tensor<768x768xi4>, dense<1.0> : tensor<12x768xf16>, dense<7> : tensor<12x768xi4>]> : tensor<768x768xf32, #ui4>
  %e = compress.encode %x : tensor<1x768xf32> to tensor<1x768xf32, #rows>
  %0 = linalg.matmul ins(%e, %w : tensor<1x768xf32, #rows>, tensor<768x768xf32, #ui4>) outs(%o : tensor<1x768xf32>) -> tensor<1x768xf32>
  return %0 : tensor<1x768xf32>
}

// Registers of tiles only where enough rows are known to share the unpacking.
// CHECK-LABEL: func.func @block4_unknown_rows(
// SPR: exit = native, kernel = #compress.block_dot<m = {{[0-9]+}}, n = {{[0-9]+}}, lhsType = i8, bits = 4, block = 32, scale = f16, zeroPoints = false, isa = avx512_vnni_gfni>
func.func @block4_unknown_rows(%x: tensor<?x768xf32>, %o: tensor<?x768xf32>) -> tensor<?x768xf32> {
  %w = compress.constant #compress.encoded<[dense<1> : tensor<768x768xi4>, dense<1.0> : tensor<24x768xf16>]> : tensor<768x768xf32, #i4>
  %e = compress.encode %x : tensor<?x768xf32> to tensor<?x768xf32, #rows>
  %0 = linalg.matmul ins(%e, %w : tensor<?x768xf32, #rows>, tensor<768x768xf32, #i4>) outs(%o : tensor<?x768xf32>) -> tensor<?x768xf32>
  return %0 : tensor<?x768xf32>
}

// Long blocks: four registers of sums.
// CHECK-LABEL: func.func @long_blocks(
// SPR: exit = native, kernel = #compress.block_dot<m = 32, n = 32, lhsType = i8, bits = 8, block = 384, scale = f32, zeroPoints = false, isa = amx>
func.func @long_blocks(%x: tensor<64x768xf32>, %o: tensor<64x768xf32>) -> tensor<64x768xf32> {
  %w = compress.constant #compress.encoded<[dense<1> : tensor<768x768xi5>, dense<1.0> : tensor<2x768xf32>]> : tensor<768x768xf32, #i5long>
  %e = compress.encode %x : tensor<64x768xf32> to tensor<64x768xf32, #rows>
  %0 = linalg.matmul ins(%e, %w : tensor<64x768xf32, #rows>, tensor<768x768xf32, #i5long>) outs(%o : tensor<64x768xf32>) -> tensor<64x768xf32>
  return %0 : tensor<64x768xf32>
}

// Five bits take a byte.
// CHECK-LABEL: func.func @bytes(
// ZNVER5: exit = native, kernel = #compress.block_dot<m = {{[0-9]+}}, n = {{[0-9]+}}, lhsType = i8, bits = 8, block = 128, scale = f32, zeroPoints = false, isa = avx512_vnni_gfni>{{[,>]}}
// SPR: exit = native, kernel = #compress.block_dot<m = {{[0-9]+}}, n = {{[0-9]+}}, lhsType = i8, bits = 8, block = 128, scale = f32, zeroPoints = false, isa = avx512_vnni_gfni>{{[,>]}}
// CASCADE: exit = native, kernel = #compress.block_dot<m = {{[0-9]+}}, n = {{[0-9]+}}, lhsType = i8, bits = 8, block = 128, scale = f32, zeroPoints = false, isa = avx512_vnni>{{[,>]}}
// ALDER: exit = native, kernel = #compress.block_dot<m = {{[0-9]+}}, n = {{[0-9]+}}, lhsType = i8, bits = 8, block = 128, scale = f32, zeroPoints = false, isa = avx_vnni>{{[,>]}}
// V3: exit = native, kernel = #compress.block_dot<m = {{[0-9]+}}, n = {{[0-9]+}}, lhsType = i8, bits = 8, block = 128, scale = f32, zeroPoints = false, isa = avx2>{{[,>]}}
// BASE: exit = portable
func.func @bytes(%x: tensor<8x768xf32>, %o: tensor<8x768xf32>) -> tensor<8x768xf32> {
  %w = compress.constant #compress.encoded<[dense<1> : tensor<768x768xi5>, dense<1.0> : tensor<6x768xf32>]> : tensor<768x768xf32, #i5>
  %e = compress.encode %x : tensor<8x768xf32> to tensor<8x768xf32, #rows>
  %0 = linalg.matmul ins(%e, %w : tensor<8x768xf32, #rows>, tensor<768x768xf32, #i5>) outs(%o : tensor<8x768xf32>) -> tensor<8x768xf32>
  return %0 : tensor<8x768xf32>
}

// CHECK-LABEL: func.func @floats(
// ZNVER5: exit = native, kernel = #compress.float_dot<m = {{[0-9]+}}, n = {{[0-9]+}}, element = f32, isa = avx512>, threads = 4>
// SPR: exit = native, kernel = #compress.float_dot<m = {{[0-9]+}}, n = {{[0-9]+}}, element = f32, isa = avx512>, threads = 4>
// CASCADE: exit = native, kernel = #compress.float_dot<m = {{[0-9]+}}, n = {{[0-9]+}}, element = f32, isa = avx512>, threads = 4>
// ALDER: exit = native, kernel = #compress.float_dot<m = {{[0-9]+}}, n = {{[0-9]+}}, element = f32, isa = avx2>, threads = 4>
// V3: exit = native, kernel = #compress.float_dot<m = {{[0-9]+}}, n = {{[0-9]+}}, element = f32, isa = avx2>, threads = 4>
// BASE-NOT: compress.strategy
// CHECK: return
func.func @floats(%x: tensor<512x768xf32>, %w: tensor<768x768xf32>, %o: tensor<512x768xf32>) -> tensor<512x768xf32> {
  %0 = linalg.matmul ins(%x, %w : tensor<512x768xf32>, tensor<768x768xf32>) outs(%o : tensor<512x768xf32>) -> tensor<512x768xf32>
  return %0 : tensor<512x768xf32>
}

// CHECK-LABEL: func.func @conv(
// ZNVER5: exit = native, kernel = #compress.int_dot<m = {{[0-9]+}}, n = {{[0-9]+}}, lhsType = i8, isa = avx512_vnni>, threads = 4>
// SPR: exit = native, kernel = #compress.int_dot<m = 32, n = 32, lhsType = i8, isa = amx>, threads = 4>
// CASCADE: exit = native, kernel = #compress.int_dot<m = {{[0-9]+}}, n = {{[0-9]+}}, lhsType = i8, isa = avx512_vnni>, threads = 4>
// ALDER: exit = native, kernel = #compress.int_dot<m = {{[0-9]+}}, n = {{[0-9]+}}, lhsType = i8, isa = avx_vnni>, threads = 4>
// V3: exit = native, kernel = #compress.int_dot<m = {{[0-9]+}}, n = {{[0-9]+}}, lhsType = i8, isa = avx2>, threads = 4>
// BASE: exit = portable
func.func @conv(%x: tensor<1x56x56x64xf32>, %o: tensor<1x54x54x64xf32>) -> tensor<1x54x54x64xf32> {
  %w = compress.constant #compress.encoded<[dense<1> : tensor<3x3x64x64xi8>, dense<1.0> : tensor<64xf32>]> : tensor<3x3x64x64xf32, #filters>
  %e = compress.encode %x : tensor<1x56x56x64xf32> to tensor<1x56x56x64xf32, #tensor>
  %0 = linalg.conv_2d_nhwc_hwcf ins(%e, %w : tensor<1x56x56x64xf32, #tensor>, tensor<3x3x64x64xf32, #filters>) outs(%o : tensor<1x54x54x64xf32>) -> tensor<1x54x54x64xf32>
  return %0 : tensor<1x54x54x64xf32>
}
