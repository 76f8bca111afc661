// RUN: compress-opt %s --compress-expand-encodings | FileCheck %s
// RUN: compress-opt %s --compress-expand-encodings --mlir-print-op-generic | FileCheck %s --check-prefix=NONE
// RUN: compress-opt %s --compress-expand-encodings --canonicalize --cse | FileCheck %s --check-prefix=CLEAN

// What the values are is tested by execution (test/Integration); here: which
// components flow where, in which form.

// NONE-NOT: #compress
// NONE-NOT: "compress.{{[^o]}}
// NONE-NOT: unrealized_conversion_cast

!i4 = tensor<4x6xf32, #compress.affine<i4, block = [1, *]>>
!asym = tensor<4x?xf32, #compress.affine<i4, asymmetric, block = [1, *]>>

// Storage form is forwarded; logical form is unpacked, then truncated.

// CHECK-LABEL: func.func @component(
// CHECK-SAME:    %[[V:[^ ,:]*]]: tensor<4x3xi8> {{.*}}, %[[S:[^ ,:]*]]: tensor<4xf32>
// CHECK:         %[[BYTES:.*]] = linalg.generic {{.*}} ins(%[[V]] : tensor<4x3xi8>)
// CHECK:           arith.shrui
// CHECK:         %[[FIELDS:.*]] = tensor.collapse_shape {{.*}} into tensor<4x6xi8>
// CHECK:         %[[NARROW:.*]] = arith.trunci %[[FIELDS]] : tensor<4x6xi8> to tensor<4x6xi4>
// CHECK:         return %[[V]], %[[NARROW]], %[[S]] :
func.func @component(%w: !i4)
    -> (tensor<4x3xi8>, tensor<4x6xi4>, tensor<4xf32>) {
  %0 = compress.component %w["values"] : !i4 -> tensor<4x3xi8>
  %1 = compress.component %w["values"] : !i4 -> tensor<4x6xi4>
  %2 = compress.component %w["scales"] : !i4 -> tensor<4xf32>
  return %0, %1, %2 : tensor<4x3xi8>, tensor<4x6xi4>, tensor<4xf32>
}

// The number of codes comes from the size component: bytes do not tell.

// CHECK-LABEL: func.func @dynamicComponent(
// CHECK-SAME:    %[[SIZE:[^ ,:]*]]: index {compress.component = "size1"}
// CHECK:         tensor.empty(%[[SIZE]]) : tensor<4x?xi8>
// CHECK:         arith.trunci {{.*}} : tensor<4x?xi8> to tensor<4x?xi4>
func.func @dynamicComponent(%w: !asym) -> tensor<4x?xi4> {
  %0 = compress.component %w["values"] : !asym -> tensor<4x?xi4>
  return %0 : tensor<4x?xi4>
}

// A logical form that was just truncated is packed from the bytes.

// CHECK-LABEL: func.func @assemble(
// CHECK-SAME:    %[[V:[^ ,:]*]]: tensor<4x6xi4>, %[[S:[^ ,:]*]]: tensor<?xf32>)
// CHECK:         %[[WIDE:.*]] = arith.extui %[[V]] : tensor<4x6xi4> to tensor<4x6xi8>
// CHECK:         %[[SPLIT:.*]] = tensor.expand_shape %[[WIDE]]
// CHECK:         %[[PACKED:.*]] = linalg.generic {{.*}} ins(%[[SPLIT]] : tensor<4x3x2xi8>)
// CHECK:         %[[CAST:.*]] = tensor.cast %[[S]] : tensor<?xf32> to tensor<4xf32>
// CHECK:         return %[[PACKED]], %[[CAST]]
func.func @assemble(%v: tensor<4x6xi4>, %s: tensor<?xf32>) -> !i4 {
  %0 = compress.assemble %v, %s : (tensor<4x6xi4>, tensor<?xf32>) -> !i4
  return %0 : !i4
}

// CHECK-LABEL: func.func @reassemble(
// CHECK-NOT:     i4
// CHECK:         return
func.func @reassemble(%w: !i4) -> !i4 {
  %0 = compress.component %w["values"] : !i4 -> tensor<4x6xi4>
  %1 = compress.component %w["scales"] : !i4 -> tensor<4xf32>
  %2 = compress.assemble %0, %1 : (tensor<4x6xi4>, tensor<4xf32>) -> !i4
  return %2 : !i4
}

// Nested assembly: both levels vanish.

!nm8 = tensor<8xf32, #compress.nm<2:4, dim = 0, values = #compress.affine<i8>>>
!kept = tensor<4xf32, #compress.affine<i8>>

// CHECK-LABEL: func.func @nested(
// CHECK-SAME:    %[[V:[^ ,:]*]]: tensor<4xi8>, %[[S:[^ ,:]*]]: tensor<f32>, %[[M:[^ ,:]*]]: tensor<1xi8>)
// CHECK-NEXT:    return %[[V]], %[[S]], %[[M]], %[[S]] : tensor<4xi8>, tensor<f32>, tensor<1xi8>, tensor<f32>
func.func @nested(%v: tensor<4xi8>, %s: tensor<f32>, %m: tensor<1xi8>)
    -> (!nm8, tensor<f32>) {
  %0 = compress.assemble %v, %s : (tensor<4xi8>, tensor<f32>) -> !kept
  %1 = compress.assemble %0, %m : (!kept, tensor<1xi8>) -> !nm8
  %2 = compress.component %1["values"] : !nm8 -> !kept
  %3 = compress.component %2["scales"] : !kept -> tensor<f32>
  return %1, %3 : !nm8, tensor<f32>
}

// Constants are packed at compile time: 1, -2, 3 are the nibbles 1, E, 3.

// CHECK-LABEL: func.func @constant(
// CHECK-DAG:     %[[V:.*]] = arith.constant dense<[-31, 3]> : tensor<2xi8>
// CHECK-DAG:     %[[S:.*]] = arith.constant dense<5.000000e-01> : tensor<f32>
// CHECK:         return %[[V]], %[[S]]
func.func @constant() -> tensor<3xf32, #compress.affine<i4>> {
  %0 = compress.constant #compress.encoded<[
    dense<[1, -2, 3]> : tensor<3xi4>, dense<0.5> : tensor<f32>]>
    : tensor<3xf32, #compress.affine<i4>>
  return %0 : tensor<3xf32, #compress.affine<i4>>
}

// CHECK-LABEL: func.func @emptyConstant(
// CHECK-DAG:     %[[V:.*]] = arith.constant dense<> : tensor<0x2xi8>
// CHECK-DAG:     %[[S:.*]] = arith.constant dense<1.000000e+00> : tensor<f32>
// CHECK:         return %[[V]], %[[S]]
func.func @emptyConstant() -> tensor<0x3xf32, #compress.affine<i4>> {
  %0 = compress.constant #compress.encoded<[
    dense<> : tensor<0x3xi4>, dense<1.0> : tensor<f32>]>
    : tensor<0x3xf32, #compress.affine<i4>>
  return %0 : tensor<0x3xf32, #compress.affine<i4>>
}

// encode is choose_params and quantize: the scales that are returned are those
// that divide.

// CHECK-LABEL: func.func @encode(
// CHECK-SAME:    %[[X:[^ ,:]*]]: tensor<4x6xf32>)
// CHECK-SAME:    -> (tensor<4x3xi8> {compress.component = "values"}, tensor<4xf32> {compress.component = "scales"})
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} ins(%[[X]]
// CHECK:         %[[SCALES:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32>)
// CHECK:           arith.divf
// CHECK-NOT:     : tensor<4xf32>, tensor<4xf32>)
// CHECK:         linalg.generic {{.*}} ins(%[[X]], %[[SCALES]] : tensor<4x6xf32>, tensor<4xf32>)
// CHECK:           arith.divf
// CHECK:           math.roundeven
// CHECK:         %[[PACKED:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<4x3xi8>)
// CHECK:         return %[[PACKED]], %[[SCALES]]
func.func @encode(%x: tensor<4x6xf32>) -> !i4 {
  %0 = compress.encode %x : tensor<4x6xf32> to !i4
  return %0 : !i4
}

// Parameters in logical form, with dynamic sizes; fake_quant with given
// parameters chooses none.

!rows = tensor<?x6xf32, #compress.affine<ui4, asymmetric, block = [1, *]>>

// CHECK-LABEL: func.func @params(
// CHECK-SAME:    %[[X:[^ ,:]*]]: tensor<?x6xf32>)
// CHECK:         arith.trunci {{.*}} : tensor<?xi8> to tensor<?xi4>
// CHECK:         return
// CLEAN-LABEL: func.func @params(
// CLEAN-COUNT-1: "reduction"
// CLEAN:         return
func.func @params(%x: tensor<?x6xf32>)
    -> (tensor<?xf32>, tensor<?xi4>, tensor<?x6xf32>) {
  %s, %zp = compress.choose_params %x for !rows
    : tensor<?x6xf32> -> tensor<?xf32>, tensor<?xi4>
  %y = compress.fake_quant %x, %s, %zp as !rows
    : tensor<?x6xf32>, tensor<?xf32>, tensor<?xi4>
  return %s, %zp, %y : tensor<?xf32>, tensor<?xi4>, tensor<?x6xf32>
}

// Sizes: static ones are constants, dynamic ones come from components.

// CHECK-LABEL: func.func @sizes(
// CHECK-SAME:    %[[V:[^ ,:]*]]: tensor<?x?xi8> {compress.component = "values"}
// CHECK-SAME:    %[[SIZE:[^ ,:]*]]: index {compress.component = "size1"}, %[[D:[^ ,:]*]]: index)
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[DIM0:.*]] = tensor.dim %[[V]], %[[C0]]
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG:     %[[IS1:.*]] = arith.cmpi eq, %[[D]], %[[C1]]
// CHECK-DAG:     %[[ANY:.*]] = arith.select %[[IS1]], %[[SIZE]], %[[DIM0]]
// CHECK-DAG:     %[[RANK:.*]] = arith.constant 2 : index
// CHECK:         return %[[SIZE]], %[[ANY]], %[[RANK]]
func.func @sizes(%w: tensor<?x?xf32, #compress.affine<i4>>, %d: index)
    -> (index, index, index) {
  %c1 = arith.constant 1 : index
  %0 = tensor.dim %w, %c1 : tensor<?x?xf32, #compress.affine<i4>>
  %1 = tensor.dim %w, %d : tensor<?x?xf32, #compress.affine<i4>>
  %2 = tensor.rank %w : tensor<?x?xf32, #compress.affine<i4>>
  return %0, %1, %2 : index, index, index
}

// Readers get the decoded tensor; one decode a value and op. observe stays.

// CHECK-LABEL: func.func @readers(
// CHECK-NOT:     compress.decode
// CHECK:         %[[D0:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<4x6xf32>)
// CHECK-NOT:     outs(%{{.*}} : tensor<4x6xf32>)
// CHECK:         tensor.concat dim(0) %[[D0]], %[[D0]]
// CHECK:         %[[D1:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<4x6xf32>)
// CHECK:         tensor.extract_slice %[[D1]]
// CHECK:         %[[D2:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<4x6xf32>)
// CHECK:         tensor.cast %[[D2]] : tensor<4x6xf32> to tensor<?x6xf32>
// CHECK:         %[[D3:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<4x6xf32>)
// CHECK:         tosa.tanh %[[D3]] : (tensor<4x6xf32>) -> tensor<4x6xf32>
// CHECK:         compress.observe
func.func @readers(%w: !i4)
    -> (tensor<8x6xf32>, tensor<2x2xf32>, tensor<?x6xf32>, tensor<4x6xf32>) {
  %0 = tensor.concat dim(0) %w, %w : (!i4, !i4) -> tensor<8x6xf32>
  %1 = tensor.extract_slice %w[0, 0] [2, 2] [1, 1] : !i4 to tensor<2x2xf32>
  %2 = tensor.cast %w : !i4 to tensor<?x6xf32>
  %3 = tosa.tanh %w : (!i4) -> tensor<4x6xf32>
  compress.observe %3 {name = "x"} : tensor<4x6xf32>
  return %0, %1, %2, %3
    : tensor<8x6xf32>, tensor<2x2xf32>, tensor<?x6xf32>, tensor<4x6xf32>
}

// A conversion between the forms of one block size is free of computation on
// the components that stay.

// CHECK-LABEL: func.func @convertSame(
// CHECK-SAME:    %[[V:[^ ,:]*]]: tensor<4x3xi8> {{.*}}, %[[S:[^ ,:]*]]: tensor<4xf32> {{.*}})
// CHECK-NEXT:    return %[[V]], %[[S]]
func.func @convertSame(%w: !i4) -> !i4 {
  %0 = compress.convert %w : !i4 to !i4
  return %0 : !i4
}

// Codes of 9 to 15 bits are the low bits of an i16.

!wide = tensor<?xf32, #compress.affine<i12>>

// CHECK-LABEL: func.func @wideCodes(
// CHECK-SAME:    %[[V:[^ ,:]*]]: tensor<?xi16> {compress.component = "values"}
// CHECK-SAME:    %[[U:[^ ,:]*]]: tensor<?xi12>)
// CHECK:         arith.trunci %{{.*}} : tensor<?xi16> to tensor<?xi12>
// CHECK:         %[[WIDE:.*]] = arith.extui %[[U]] : tensor<?xi12> to tensor<?xi16>
// CHECK:         return %{{.*}}, %[[WIDE]], %{{.*}} : tensor<?xi12>, tensor<?xi16>, tensor<f32>
func.func @wideCodes(%w: !wide, %u: tensor<?xi12>) -> (tensor<?xi12>, !wide) {
  %0 = compress.component %w["values"] : !wide -> tensor<?xi12>
  %1 = compress.component %w["scales"] : !wide -> tensor<f32>
  %2 = compress.assemble %u, %1 : (tensor<?xi12>, tensor<f32>) -> !wide
  return %0, %2 : tensor<?xi12>, !wide
}
