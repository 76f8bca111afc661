// Every attribute and every op goes through the custom form, the generic form
// and bytecode and comes out the same; twice through text is a fixed point.
// RUN: compress-opt %s --verify-roundtrip -o %t.once
// RUN: compress-opt %t.once -o %t.twice
// RUN: diff %t.once %t.twice
// RUN: compress-opt %t.once -mlir-print-op-generic | compress-opt | diff %t.once -
// RUN: compress-opt %t.once -emit-bytecode | compress-opt | diff %t.once -
// RUN: FileCheck %s --input-file=%t.once

// CHECK-DAG: #affine_i8{{.*}} = #compress.affine<i8>
// CHECK-DAG: #affine_i4{{.*}} = #compress.affine<i4, block = [1, 32], scale = ui6, super_scale = f16, super_block = [1, 256]>
// CHECK-DAG: #nm_2_4_{{.*}} = #compress.nm<2:4, dim = 1, values = #affine_i8{{.*}}>
// CHECK-DAG: #target{{[0-9]*}} = #compress.target<>
// CHECK-DAG: #target{{[0-9]*}} = #compress.target<cpu = "x86-64-v2", features = "sse4.1,sse4.2", cores = 4>
// CHECK-DAG: #target{{[0-9]*}} = #compress.target<cpu = "znver5", features = "avx512f", l1d = 49152, l2 = 1048576, l3 = 0, cores = 2>

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

// Code types: all widths.
// CHECK-LABEL: func.func private @storages(
func.func private @storages(
  tensor<4xf32, #compress.affine<i2>>, tensor<4xf32, #compress.affine<i3>>,
  tensor<4xf32, #compress.affine<i4>>, tensor<4xf32, #compress.affine<i5>>,
  tensor<4xf32, #compress.affine<i6>>, tensor<4xf32, #compress.affine<i7>>,
  tensor<4xf32, #compress.affine<i8>>, tensor<4xf32, #compress.affine<i9>>,
  tensor<4xf32, #compress.affine<i10>>, tensor<4xf32, #compress.affine<i11>>,
  tensor<4xf32, #compress.affine<i12>>, tensor<4xf32, #compress.affine<i13>>,
  tensor<4xf32, #compress.affine<i14>>, tensor<4xf32, #compress.affine<i15>>,
  tensor<4xf32, #compress.affine<i16>>,
  tensor<4xf32, #compress.affine<ui1>>, tensor<4xf32, #compress.affine<ui2>>,
  tensor<4xf32, #compress.affine<ui3>>, tensor<4xf32, #compress.affine<ui4>>,
  tensor<4xf32, #compress.affine<ui5>>, tensor<4xf32, #compress.affine<ui6>>,
  tensor<4xf32, #compress.affine<ui7>>, tensor<4xf32, #compress.affine<ui8>>,
  tensor<4xf32, #compress.affine<ui9>>, tensor<4xf32, #compress.affine<ui10>>,
  tensor<4xf32, #compress.affine<ui11>>, tensor<4xf32, #compress.affine<ui12>>,
  tensor<4xf32, #compress.affine<ui13>>, tensor<4xf32, #compress.affine<ui14>>,
  tensor<4xf32, #compress.affine<ui15>>, tensor<4xf32, #compress.affine<ui16>>)

// Options of a code range, in any order; logical element types.
// CHECK-LABEL: func.func private @ranges(
func.func private @ranges(
  tensor<4xf16, #compress.affine<i8, asymmetric>>,
  tensor<4xbf16, #compress.affine<i8, full_range>>,
  tensor<4xf64, #compress.affine<ui8, asymmetric, scale = f16>>,
  tensor<4xf32, #compress.affine<i8, scale = bf16, asymmetric>>,
  tensor<4xf32, #compress.affine<i8, scale = f32>>)

// Blocks: none, whole, one, ragged, larger than the dimension; two levels.
// CHECK-LABEL: func.func private @blocks(
func.func private @blocks(
  tensor<6x7xf32, #compress.affine<i4, block = [*, *]>>,
  tensor<6x7xf32, #compress.affine<i4, block = [1, *]>>,
  tensor<6x7xf32, #compress.affine<i4, block = [*, 1]>>,
  tensor<6x7xf32, #compress.affine<i4, block = [4, 3]>>,
  tensor<6x7xf32, #compress.affine<i4, block = [1000, 4294967296]>>,
  tensor<6x512xf32, #compress.affine<i4, block = [1, 32], scale = ui6,
                        super_scale = f16, super_block = [1, 256]>>,
  tensor<6x512xf32, #compress.affine<ui4, asymmetric, block = [2, 32],
                        scale = ui4, super_scale = bf16, super_block = [*, 64]>>,
  tensor<6x512xf32, #compress.affine<i3, scale = ui8, super_scale = f32,
                        super_block = []>>)

// Rank 0, empty and dynamic shapes.
// CHECK-LABEL: func.func private @shapes(
func.func private @shapes(
  tensor<f32, #compress.affine<i4>>, tensor<f32, #compress.affine<i8, block = []>>,
  tensor<0xf32, #compress.affine<i4>>,
  tensor<0x4xf32, #compress.affine<i4, block = [1, 2], asymmetric>>,
  tensor<3x0xf32, #compress.affine<i8, block = [1, *]>>,
  tensor<?xf32, #compress.affine<i4>>,
  tensor<?x?x8xf32, #compress.affine<i4, block = [2, *, 4]>>,
  tensor<72057594037927936xf32, #compress.affine<i8>>)

// CHECK-LABEL: func.func private @nm(
func.func private @nm(
  tensor<8x8xf32, #compress.nm<2:4, dim = 1>>,
  tensor<8x8xf16, #compress.nm<1:2, dim = 0>>,
  tensor<7x9xbf16, #compress.nm<15:16, dim = 1>>,
  tensor<?x?xf64, #compress.nm<3:5, dim = 0>>,
  tensor<0x4xf32, #compress.nm<2:4, dim = 0>>,
  tensor<8x8xf32, #compress.nm<2:4, dim = 1, values = #compress.affine<i8>>>,
  tensor<8x8xf32, #compress.nm<2:4, dim = 1,
                     values = #compress.affine<i4, block = [1, 2]>>>,
  tensor<8x8xf32, #compress.nm<1:2, dim = 0,
      values = #compress.nm<1:2, dim = 1, values = #compress.affine<i8>>>>)

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

!sym = tensor<4x8xf32, #compress.affine<i4, block = [1, *]>>
!asym = tensor<?x64xf32, #compress.affine<ui8, asymmetric, block = [1, *]>>
!two = tensor<4x64xf32, #compress.affine<i4, asymmetric, block = [1, 16],
           scale = ui6, super_scale = f16, super_block = [1, 32]>>
!nested = tensor<4x8xf32, #compress.nm<2:4, dim = 1,
              values = #compress.affine<i8, block = [1, *]>>>

// CHECK-LABEL: func.func @encode_decode
func.func @encode_decode(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // CHECK: compress.encode %{{.*}} : tensor<?x64xf32> to tensor<?x64xf32, #{{.*}}>
  %0 = compress.encode %x : tensor<?x64xf32> to !asym
  // CHECK: compress.encode %{{.*}} range(#compress.min_max) {compress.calibration = "x", note} :
  %1 = compress.encode %x range(#compress.min_max)
    {compress.calibration = "x", note} : tensor<?x64xf32> to !asym
  // CHECK: compress.decode %{{.*}} : tensor<?x64xf32, #{{.*}}> -> tensor<?x64xf32>
  %2 = compress.decode %1 : !asym -> tensor<?x64xf32>
  return %2 : tensor<?x64xf32>
}

// CHECK-LABEL: func.func @quantize
func.func @quantize(%x: tensor<?x64xf32>) -> !asym {
  // CHECK: compress.choose_params %{{.*}} for tensor<?x64xf32, #{{.*}}> : tensor<?x64xf32> -> tensor<?xf32>, tensor<?xi8>
  %s, %zp = compress.choose_params %x for !asym
    : tensor<?x64xf32> -> tensor<?xf32>, tensor<?xi8>
  // CHECK: compress.choose_params %{{.*}} range(#compress.min_max) for
  %s1, %zp1 = compress.choose_params %x range(#compress.min_max) for !asym
    : tensor<?x64xf32> -> tensor<?xf32>, tensor<?xi8>
  // CHECK: compress.quantize %{{.*}}, %{{.*}}, %{{.*}} : tensor<?x64xf32>, tensor<?xf32>, tensor<?xi8> to tensor<?x64xf32, #{{.*}}>
  %q = compress.quantize %x, %s, %zp1
    : tensor<?x64xf32>, tensor<?xf32>, tensor<?xi8> to !asym
  return %q : !asym
}

// CHECK-LABEL: func.func @fake_quant
func.func @fake_quant(%x: tensor<4x8xf32>, %s: tensor<4xf32>) {
  // CHECK: compress.fake_quant %{{.*}}, %{{.*}} as tensor<4x8xf32, #{{.*}}> : tensor<4x8xf32>, tensor<4xf32>
  %0 = compress.fake_quant %x, %s as !sym : tensor<4x8xf32>, tensor<4xf32>
  // CHECK: compress.fake_quant %{{.*}} as tensor<4x8xf32, #{{.*}}> : tensor<4x8xf32>
  %1 = compress.fake_quant %x as !sym : tensor<4x8xf32>
  // CHECK: compress.fake_quant %{{.*}} range(#compress.min_max) as
  %2 = compress.fake_quant %x range(#compress.min_max) as !sym : tensor<4x8xf32>
  return
}

// CHECK-LABEL: func.func @observe
func.func @observe(%x: tensor<f16>, %y: tensor<0x?xf64>) {
  // CHECK: compress.observe %{{.*}} {name = "a.b"} : tensor<f16>
  compress.observe %x {name = "a.b"} : tensor<f16>
  compress.observe %y {name = "other"} : tensor<0x?xf64>
  return
}

// Components in logical and in storage form, all kinds of them.
// CHECK-LABEL: func.func @components
func.func @components(%e: !two, %n: !nested, %d: tensor<?x?xf32, #compress.affine<i4>>)
    -> (!two, !nested) {
  // CHECK: compress.component %{{.*}}["values"] : {{.*}} -> tensor<4x64xi4>
  %v = compress.component %e["values"] : !two -> tensor<4x64xi4>
  // CHECK: compress.component %{{.*}}["values"] : {{.*}} -> tensor<4x32xi8>
  %vb = compress.component %e["values"] : !two -> tensor<4x32xi8>
  %s = compress.component %e["scales"] : !two -> tensor<4x4xi6>
  %sb = compress.component %e["scales"] : !two -> tensor<4x3xi8>
  %ss = compress.component %e["super_scales"] : !two -> tensor<4x2xf16>
  %zp = compress.component %e["zero_points"] : !two -> tensor<4x4xi4>
  // CHECK: compress.assemble %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4x32xi8>, tensor<4x4xi6>, tensor<4x2xf16>, tensor<4x4xi4>) -> tensor<4x64xf32, #{{.*}}>
  %0 = compress.assemble %vb, %s, %ss, %zp
    : (tensor<4x32xi8>, tensor<4x4xi6>, tensor<4x2xf16>, tensor<4x4xi4>) -> !two
  // A component of encoded type.
  // CHECK: compress.component %{{.*}}["values"] : {{.*}} -> tensor<4x4xf32, #affine_i8{{.*}}>
  %nv = compress.component %n["values"] : !nested
    -> tensor<4x4xf32, #compress.affine<i8, block = [1, *]>>
  %nm = compress.component %n["metadata"] : !nested -> tensor<4x1xi8>
  %1 = compress.assemble %nv, %nm
    : (tensor<4x4xf32, #compress.affine<i8, block = [1, *]>>, tensor<4x1xi8>)
    -> !nested
  // A size.
  // CHECK: compress.component %{{.*}}["size1"] : {{.*}} -> index
  %i = compress.component %d["size1"] : tensor<?x?xf32, #compress.affine<i4>>
    -> index
  return %0, %1 : !two, !nested
}

// A static operand for a dynamic component, and the other way round.
// CHECK-LABEL: func.func @refined_operands
func.func @refined_operands(%v: tensor<?x8xi8>, %s: tensor<?xf32>)
    -> (tensor<4x8xf32, #compress.affine<i8, block = [1, *]>>, tensor<?x8xf32, #compress.affine<i8>>) {
  // CHECK: compress.assemble %{{.*}}, %{{.*}} : (tensor<?x8xi8>, tensor<?xf32>)
  %0 = compress.assemble %v, %s : (tensor<?x8xi8>, tensor<?xf32>)
    -> tensor<4x8xf32, #compress.affine<i8, block = [1, *]>>
  %v1 = arith.constant dense<1> : tensor<2x8xi8>
  %s1 = arith.constant dense<0.5> : tensor<f32>
  // CHECK: compress.assemble %{{.*}}, %{{.*}} : (tensor<2x8xi8>, tensor<f32>)
  %1 = compress.assemble %v1, %s1 : (tensor<2x8xi8>, tensor<f32>)
    -> tensor<?x8xf32, #compress.affine<i8>>
  return %0, %1 : tensor<4x8xf32, #compress.affine<i8, block = [1, *]>>,
    tensor<?x8xf32, #compress.affine<i8>>
}

// CHECK-LABEL: func.func @convert
func.func @convert(%e: tensor<4x8xf32, #compress.affine<i4>>)
    -> tensor<4x8xf32, #compress.affine<i8, block = [1, *]>> {
  // CHECK: compress.convert %{{.*}} : tensor<4x8xf32, #affine_i4{{.*}}> to tensor<4x8xf32, #affine_i8{{.*}}>
  %0 = compress.convert %e : tensor<4x8xf32, #compress.affine<i4>>
    to tensor<4x8xf32, #compress.affine<i8, block = [1, *]>>
  return %0 : tensor<4x8xf32, #compress.affine<i8, block = [1, *]>>
}

// CHECK-LABEL: func.func @constants
func.func @constants() {
  // CHECK: %cst = compress.constant #compress.encoded<[dense<[1, -7]> : tensor<2xi4>, dense<5.000000e-01> : tensor<f32>]> : tensor<2xf32, #{{.*}}>
  %0 = compress.constant #compress.encoded<[
    dense<[1, -7]> : tensor<2xi4>, dense<0.5> : tensor<f32>]>
    : tensor<2xf32, #compress.affine<i4>>
  // Storage form: a byte holds both codes.
  // CHECK: dense<-111> : tensor<1xi8>
  %1 = compress.constant #compress.encoded<[
    dense<-111> : tensor<1xi8>, dense<0.5> : tensor<f32>]>
    : tensor<2xf32, #compress.affine<i4>>
  // Rank 0 and no elements.
  // CHECK: dense<3> : tensor<i4>
  %2 = compress.constant #compress.encoded<[
    dense<3> : tensor<i4>, dense<0.5> : tensor<f32>]>
    : tensor<f32, #compress.affine<i4>>
  // CHECK: dense<> : tensor<0x4xi8>, dense<> : tensor<0xf32>
  %3 = compress.constant #compress.encoded<[
    dense<> : tensor<0x4xi8>, dense<> : tensor<0xf32>]>
    : tensor<0x4xf32, #compress.affine<i8, block = [1, *]>>
  // Nested.
  // CHECK: #compress.encoded<[#compress.encoded<[dense<{{.*}}> : tensor<1x2xi8>, dense<{{.*}}> : tensor<f32>]> : tensor<1x2xf32, #affine_i8{{.*}}>, dense<{{\[}}[0, -1]]> : tensor<1x2xi2>]> : tensor<1x4xf32, #nm_2_4_{{.*}}>
  %4 = compress.constant #compress.encoded<[
    #compress.encoded<[dense<[[5, -6]]> : tensor<1x2xi8>,
                       dense<0.5> : tensor<f32>]>
      : tensor<1x2xf32, #compress.affine<i8>>,
    dense<[[0, -1]]> : tensor<1x2xi2>]>
    : tensor<1x4xf32, #compress.nm<2:4, dim = 1, values = #compress.affine<i8>>>
  // Blobs.
  // CHECK: dense_resource<codes> : tensor<2x2xi8>, dense_resource<scales> : tensor<2xf16>
  %5 = compress.constant #compress.encoded<[
    dense_resource<codes> : tensor<2x2xi8>,
    dense_resource<scales> : tensor<2xf16>]>
    : tensor<2x3xf32, #compress.affine<i4, block = [1, *], scale = f16>>
  // Splats that stand for more elements than there is memory.
  // CHECK: tensor<1099511627776xf32>
  %6 = compress.constant #compress.encoded<[
    dense<1> : tensor<1099511627776xi8>, dense<1.0> : tensor<1099511627776xf32>]>
    : tensor<1099511627776xf32, #compress.affine<i8, block = [1]>>
  // CHECK: dense<68> : tensor<549755813888xi8>
  %7 = compress.constant #compress.encoded<[
    dense<1.0> : tensor<2199023255552xf32>, dense<68> : tensor<549755813888xi8>]>
    : tensor<4398046511104xf32, #compress.nm<2:4, dim = 0>>
  return
}

// CHECK-LABEL: module attributes {compress.strict
module attributes {compress.strict} {
  // CHECK: @attributes(%{{.*}}: tensor<4x4xf32, #{{.*}}> {compress.component = "w", compress.encoded},
  func.func @attributes(
      %w: tensor<4x4xf32, #compress.affine<i8>> {compress.encoded, compress.component = "w"},
      %x: tensor<4x4xf32>, %o: tensor<4x4xf32>) -> tensor<4x4xf32> {
    // CHECK: compress.strategy = #compress.strategy<exit = decode, tile = 64>
    %0 = linalg.matmul {compress.strategy = #compress.strategy<exit = decode, tile = 64>}
      ins(%x, %w : tensor<4x4xf32>, tensor<4x4xf32, #compress.affine<i8>>)
      outs(%o : tensor<4x4xf32>) -> tensor<4x4xf32>
    // CHECK: compress.strategy = #compress.strategy<exit = portable>
    %1 = linalg.matmul {compress.strategy = #compress.strategy<exit = portable>}
      ins(%0, %w : tensor<4x4xf32>, tensor<4x4xf32, #compress.affine<i8>>)
      outs(%o : tensor<4x4xf32>) -> tensor<4x4xf32>
    return %1 : tensor<4x4xf32>
  }
}

// Targets: all defaults, some, none.
// CHECK: module attributes {compress.target = #target{{[0-9]*}}}
module attributes {compress.target = #compress.target<>} {}
// CHECK: module attributes {compress.target = #target{{[0-9]*}}}
module attributes {compress.target = #compress.target<
  cpu = "x86-64-v2", features = "sse4.1,sse4.2", cores = 4>} {}
// CHECK: module attributes {compress.target = #target{{[0-9]*}}}
module attributes {compress.target = #compress.target<cpu = "znver5",
  features = "avx512f", l1d = 49152, l2 = 1048576, l3 = 0, cores = 2>} {}

// CHECK: codes: "0x01000000F1020F0E"
// CHECK: scales: "0x020000000038003C"
{-#
  dialect_resources: {
    builtin: {
      codes: "0x01000000F1020F0E",
      scales: "0x020000000038003C"
    }
  }
#-}
