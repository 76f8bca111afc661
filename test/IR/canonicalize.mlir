// The folds that are legal, and those that must not happen: no fold removes a
// loss, and none brings back an uncompressed tensor.
// RUN: compress-opt %s -canonicalize | FileCheck %s
// Folding is complete: a second run changes nothing.
// RUN: compress-opt %s -canonicalize -o %t.once
// RUN: compress-opt %t.once -canonicalize | diff %t.once -

!sym = tensor<4x8xf32, #compress.affine<i4, block = [1, *]>>
!asym = tensor<4x8xf32, #compress.affine<ui8, asymmetric, block = [1, *]>>
!full = tensor<4x8xf32, #compress.affine<i8, full_range>>
!half = tensor<4x8xf16, #compress.affine<i8>>
!brain = tensor<4x8xbf16, #compress.affine<i8>>
!double = tensor<4x8xf64, #compress.affine<i8>>
!coarse = tensor<4x8xf32, #compress.affine<i4>>

//===----------------------------------------------------------------------===//
// component
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @component_of_assemble(
// CHECK-SAME: %[[V:.*]]: tensor<4x8xi4>, %[[S:.*]]: tensor<4xf32>)
// CHECK-NEXT: return %[[V]], %[[S]]
func.func @component_of_assemble(%v: tensor<4x8xi4>, %s: tensor<4xf32>)
    -> (tensor<4x8xi4>, tensor<4xf32>) {
  %e = compress.assemble %v, %s : (tensor<4x8xi4>, tensor<4xf32>) -> !sym
  %v1 = compress.component %e["values"] : !sym -> tensor<4x8xi4>
  %s1 = compress.component %e["scales"] : !sym -> tensor<4xf32>
  return %v1, %s1 : tensor<4x8xi4>, tensor<4xf32>
}

// Not in the other form: the types differ.
// CHECK-LABEL: func.func @component_of_assemble_other_form(
// CHECK: compress.component
func.func @component_of_assemble_other_form(%v: tensor<4x8xi4>, %s: tensor<4xf32>)
    -> tensor<4x4xi8> {
  %e = compress.assemble %v, %s : (tensor<4x8xi4>, tensor<4xf32>) -> !sym
  %v1 = compress.component %e["values"] : !sym -> tensor<4x4xi8>
  return %v1 : tensor<4x4xi8>
}

// The parameters that a value was quantized with are its components; its codes
// are only known once quantize is lowered.
// CHECK-LABEL: func.func @component_of_quantize(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[S:.*]]: tensor<4xf32>, %[[Z:.*]]: tensor<4xi8>)
// CHECK: %[[E:.*]] = compress.quantize
// CHECK: %[[V:.*]] = compress.component %[[E]]["values"]
// CHECK: return %[[V]], %[[S]], %[[Z]]
func.func @component_of_quantize(%x: tensor<4x8xf32>, %s: tensor<4xf32>, %z: tensor<4xi8>)
    -> (tensor<4x8xi8>, tensor<4xf32>, tensor<4xi8>) {
  %e = compress.quantize %x, %s, %z : tensor<4x8xf32>, tensor<4xf32>, tensor<4xi8> to !asym
  %v1 = compress.component %e["values"] : !asym -> tensor<4x8xi8>
  %s1 = compress.component %e["scales"] : !asym -> tensor<4xf32>
  %z1 = compress.component %e["zero_points"] : !asym -> tensor<4xi8>
  return %v1, %s1, %z1 : tensor<4x8xi8>, tensor<4xf32>, tensor<4xi8>
}

// CHECK-LABEL: func.func @component_of_constant(
// CHECK-DAG: %[[V:.*]] = arith.constant dense<[1, -7]> : tensor<2xi4>
// CHECK-DAG: %[[S:.*]] = arith.constant dense<5.000000e-01> : tensor<f32>
// CHECK-NOT: compress
// CHECK: return %[[V]], %[[S]]
func.func @component_of_constant() -> (tensor<2xi4>, tensor<f32>) {
  %e = compress.constant #compress.encoded<[
    dense<[1, -7]> : tensor<2xi4>, dense<0.5> : tensor<f32>]>
    : tensor<2xf32, #compress.affine<i4>>
  %v = compress.component %e["values"] : tensor<2xf32, #compress.affine<i4>> -> tensor<2xi4>
  %s = compress.component %e["scales"] : tensor<2xf32, #compress.affine<i4>> -> tensor<f32>
  return %v, %s : tensor<2xi4>, tensor<f32>
}

// CHECK-LABEL: func.func @component_of_constant_other_form(
// CHECK: compress.constant
// CHECK: compress.component
func.func @component_of_constant_other_form() -> tensor<1xi8> {
  %e = compress.constant #compress.encoded<[
    dense<[1, -7]> : tensor<2xi4>, dense<0.5> : tensor<f32>]>
    : tensor<2xf32, #compress.affine<i4>>
  %v = compress.component %e["values"] : tensor<2xf32, #compress.affine<i4>> -> tensor<1xi8>
  return %v : tensor<1xi8>
}

// An encoded component becomes a compress.constant.
// CHECK-LABEL: func.func @nested_component_of_constant(
// CHECK-NEXT: %[[C:.*]] = compress.constant #compress.encoded<[dense<[5, -6]> : tensor<2xi8>
// CHECK-NEXT: return %[[C]]
func.func @nested_component_of_constant() -> tensor<2xf32, #compress.affine<i8>> {
  %e = compress.constant #compress.encoded<[
    #compress.encoded<[dense<[5, -6]> : tensor<2xi8>, dense<0.5> : tensor<f32>]>
      : tensor<2xf32, #compress.affine<i8>>,
    dense<[0, -1]> : tensor<2xi2>]>
    : tensor<4xf32, #compress.nm<2:4, dim = 0, values = #compress.affine<i8>>>
  %v = compress.component %e["values"]
    : tensor<4xf32, #compress.nm<2:4, dim = 0, values = #compress.affine<i8>>>
    -> tensor<2xf32, #compress.affine<i8>>
  return %v : tensor<2xf32, #compress.affine<i8>>
}

//===----------------------------------------------------------------------===//
// assemble
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @assemble_of_components(
// CHECK-SAME: %[[E:.*]]: tensor
// CHECK-NEXT: return %[[E]]
func.func @assemble_of_components(%e: !asym) -> !asym {
  %v = compress.component %e["values"] : !asym -> tensor<4x8xi8>
  %s = compress.component %e["scales"] : !asym -> tensor<4xf32>
  %z = compress.component %e["zero_points"] : !asym -> tensor<4xi8>
  %0 = compress.assemble %v, %s, %z : (tensor<4x8xi8>, tensor<4xf32>, tensor<4xi8>) -> !asym
  return %0 : !asym
}

// The scales that %e was made with, which component(%e) has been folded to.
// CHECK-LABEL: func.func @assemble_of_made_from(
// CHECK: %[[E:.*]] = compress.quantize
// CHECK-NEXT: return %[[E]]
func.func @assemble_of_made_from(%x: tensor<4x8xf32>, %s: tensor<4xf32>) -> !sym {
  %e = compress.quantize %x, %s : tensor<4x8xf32>, tensor<4xf32> to !sym
  %v = compress.component %e["values"] : !sym -> tensor<4x4xi8>
  %0 = compress.assemble %v, %s : (tensor<4x4xi8>, tensor<4xf32>) -> !sym
  return %0 : !sym
}

// CHECK-LABEL: func.func @assemble_of_other_scales(
// CHECK: compress.assemble
func.func @assemble_of_other_scales(%e: !sym, %s: tensor<4xf32>) -> !sym {
  %v = compress.component %e["values"] : !sym -> tensor<4x4xi8>
  %0 = compress.assemble %v, %s : (tensor<4x4xi8>, tensor<4xf32>) -> !sym
  return %0 : !sym
}

// CHECK-LABEL: func.func @assemble_of_two_values(
// CHECK: compress.assemble
func.func @assemble_of_two_values(%e: !sym, %f: !sym) -> !sym {
  %v = compress.component %e["values"] : !sym -> tensor<4x4xi8>
  %s = compress.component %f["scales"] : !sym -> tensor<4xf32>
  %0 = compress.assemble %v, %s : (tensor<4x4xi8>, tensor<4xf32>) -> !sym
  return %0 : !sym
}

// Two components of one type must not be confused.
// CHECK-LABEL: func.func @assemble_of_swapped(
// CHECK-DAG: %[[V:.*]] = compress.component %{{.*}}["values"]
// CHECK-DAG: %[[Z:.*]] = compress.component %{{.*}}["zero_points"]
// CHECK: compress.assemble %[[Z]], %{{.*}}, %[[V]] :
func.func @assemble_of_swapped(%e: tensor<f32, #compress.affine<i8, asymmetric>>)
    -> tensor<f32, #compress.affine<i8, asymmetric>> {
  %v = compress.component %e["values"] : tensor<f32, #compress.affine<i8, asymmetric>> -> tensor<i8>
  %s = compress.component %e["scales"] : tensor<f32, #compress.affine<i8, asymmetric>> -> tensor<f32>
  %z = compress.component %e["zero_points"] : tensor<f32, #compress.affine<i8, asymmetric>> -> tensor<i8>
  %0 = compress.assemble %z, %s, %v : (tensor<i8>, tensor<f32>, tensor<i8>)
    -> tensor<f32, #compress.affine<i8, asymmetric>>
  return %0 : tensor<f32, #compress.affine<i8, asymmetric>>
}

// The same components in another encoding are other numbers.
// CHECK-LABEL: func.func @assemble_in_other_encoding(
// CHECK: compress.assemble
func.func @assemble_in_other_encoding(%e: tensor<4xf32, #compress.affine<i8>>)
    -> tensor<4xf32, #compress.affine<ui8>> {
  %v = compress.component %e["values"] : tensor<4xf32, #compress.affine<i8>> -> tensor<4xi8>
  %s = compress.component %e["scales"] : tensor<4xf32, #compress.affine<i8>> -> tensor<f32>
  %0 = compress.assemble %v, %s : (tensor<4xi8>, tensor<f32>) -> tensor<4xf32, #compress.affine<ui8>>
  return %0 : tensor<4xf32, #compress.affine<ui8>>
}

//===----------------------------------------------------------------------===//
// convert
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @convert_to_itself(
// CHECK-SAME: %[[E:.*]]: tensor
// CHECK-NEXT: return %[[E]]
func.func @convert_to_itself(%e: !sym) -> !sym {
  %0 = compress.convert %e : !sym to !sym
  return %0 : !sym
}

// Each way is lossless here: one group either way.
// CHECK-LABEL: func.func @convert_back(
// CHECK-SAME: %[[E:.*]]: tensor
// CHECK-NEXT: return %[[E]]
func.func @convert_back(%e: tensor<4xf32, #compress.affine<i8>>) -> tensor<4xf32, #compress.affine<i8>> {
  %0 = compress.convert %e : tensor<4xf32, #compress.affine<i8>> to tensor<4xf32, #compress.affine<i8, block = [4]>>
  %1 = compress.convert %0 : tensor<4xf32, #compress.affine<i8, block = [4]>> to tensor<4xf32, #compress.affine<i8>>
  return %1 : tensor<4xf32, #compress.affine<i8>>
}

// CHECK-LABEL: func.func @convert_on(
// CHECK-COUNT-2: compress.convert
func.func @convert_on(%e: !coarse) -> tensor<4x8xf32, #compress.affine<i8, block = [1, *]>> {
  %0 = compress.convert %e : !coarse to !sym
  %1 = compress.convert %0 : !sym to tensor<4x8xf32, #compress.affine<i8, block = [1, *]>>
  return %1 : tensor<4x8xf32, #compress.affine<i8, block = [1, *]>>
}

//===----------------------------------------------------------------------===//
// quantize(decode(e), parameters of e) -> e
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @requantize_same_scales(
// CHECK: %[[E:.*]] = compress.quantize
// CHECK-NEXT: return %[[E]]
func.func @requantize_same_scales(%x: tensor<4x8xf32>, %s: tensor<4xf32>) -> !sym {
  %e = compress.quantize %x, %s : tensor<4x8xf32>, tensor<4xf32> to !sym
  %d = compress.decode %e : !sym -> tensor<4x8xf32>
  %0 = compress.quantize %d, %s : tensor<4x8xf32>, tensor<4xf32> to !sym
  return %0 : !sym
}

// CHECK-LABEL: func.func @requantize_components(
// CHECK-SAME: %[[E:.*]]: tensor
// CHECK-NEXT: return %[[E]]
func.func @requantize_components(%e: !asym) -> !asym {
  %s = compress.component %e["scales"] : !asym -> tensor<4xf32>
  %z = compress.component %e["zero_points"] : !asym -> tensor<4xi8>
  %d = compress.decode %e : !asym -> tensor<4x8xf32>
  %0 = compress.quantize %d, %s, %z : tensor<4x8xf32>, tensor<4xf32>, tensor<4xi8> to !asym
  return %0 : !asym
}

// CHECK-LABEL: func.func @requantize_full_range(
// CHECK-SAME: %[[E:.*]]: tensor
// CHECK-NEXT: return %[[E]]
func.func @requantize_full_range(%e: !full) -> !full {
  %s = compress.component %e["scales"] : !full -> tensor<f32>
  %d = compress.decode %e : !full -> tensor<4x8xf32>
  %0 = compress.quantize %d, %s : tensor<4x8xf32>, tensor<f32> to !full
  return %0 : !full
}

// CHECK-LABEL: func.func @requantize_f64(
// CHECK: %[[E:.*]] = compress.encode
// CHECK-NEXT: return %[[E]]
func.func @requantize_f64(%x: tensor<4x8xf64>) -> !double {
  %e = compress.encode %x : tensor<4x8xf64> to !double
  %s = compress.component %e["scales"] : !double -> tensor<f32>
  %d = compress.decode %e : !double -> tensor<4x8xf64>
  %0 = compress.quantize %d, %s : tensor<4x8xf64>, tensor<f32> to !double
  return %0 : !double
}

// A narrow value from outside may hold the lowest code, which quantize would
// saturate to the next.
// CHECK-LABEL: func.func @requantize_narrow_from_outside(
// CHECK: compress.quantize
func.func @requantize_narrow_from_outside(%e: !sym) -> !sym {
  %s = compress.component %e["scales"] : !sym -> tensor<4xf32>
  %d = compress.decode %e : !sym -> tensor<4x8xf32>
  %0 = compress.quantize %d, %s : tensor<4x8xf32>, tensor<4xf32> to !sym
  return %0 : !sym
}

// CHECK-LABEL: func.func @requantize_narrow_from_components(
// CHECK: compress.quantize
func.func @requantize_narrow_from_components(%v: tensor<4x8xi4>, %s: tensor<4xf32>) -> !sym {
  %e = compress.assemble %v, %s : (tensor<4x8xi4>, tensor<4xf32>) -> !sym
  %d = compress.decode %e : !sym -> tensor<4x8xf32>
  %0 = compress.quantize %d, %s : tensor<4x8xf32>, tensor<4xf32> to !sym
  return %0 : !sym
}

// The decoded numbers are rounded to 11 or 8 bits: other codes may come out.
// CHECK-LABEL: func.func @requantize_f16(
// CHECK-COUNT-2: compress.quantize
func.func @requantize_f16(%x: tensor<4x8xf16>, %s: tensor<f32>) -> !half {
  %e = compress.quantize %x, %s : tensor<4x8xf16>, tensor<f32> to !half
  %d = compress.decode %e : !half -> tensor<4x8xf16>
  %0 = compress.quantize %d, %s : tensor<4x8xf16>, tensor<f32> to !half
  return %0 : !half
}

// CHECK-LABEL: func.func @requantize_bf16(
// CHECK-COUNT-2: compress.quantize
func.func @requantize_bf16(%x: tensor<4x8xbf16>, %s: tensor<f32>) -> !brain {
  %e = compress.quantize %x, %s : tensor<4x8xbf16>, tensor<f32> to !brain
  %d = compress.decode %e : !brain -> tensor<4x8xbf16>
  %0 = compress.quantize %d, %s : tensor<4x8xbf16>, tensor<f32> to !brain
  return %0 : !brain
}

// CHECK-LABEL: func.func @requantize_other_scales(
// CHECK-COUNT-2: compress.quantize
func.func @requantize_other_scales(%x: tensor<4x8xf32>, %s: tensor<4xf32>, %t: tensor<4xf32>) -> !sym {
  %e = compress.quantize %x, %s : tensor<4x8xf32>, tensor<4xf32> to !sym
  %d = compress.decode %e : !sym -> tensor<4x8xf32>
  %0 = compress.quantize %d, %t : tensor<4x8xf32>, tensor<4xf32> to !sym
  return %0 : !sym
}

// CHECK-LABEL: func.func @requantize_other_encoding(
// CHECK-COUNT-2: compress.quantize
func.func @requantize_other_encoding(%x: tensor<4x8xf32>, %s: tensor<4xf32>)
    -> tensor<4x8xf32, #compress.affine<i8, block = [1, *]>> {
  %e = compress.quantize %x, %s : tensor<4x8xf32>, tensor<4xf32> to !sym
  %d = compress.decode %e : !sym -> tensor<4x8xf32>
  %0 = compress.quantize %d, %s : tensor<4x8xf32>, tensor<4xf32>
    to tensor<4x8xf32, #compress.affine<i8, block = [1, *]>>
  return %0 : tensor<4x8xf32, #compress.affine<i8, block = [1, *]>>
}

//===----------------------------------------------------------------------===//
// What must stay
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @decode_of_encode(
// CHECK: compress.encode
// CHECK-NEXT: %[[D:.*]] = compress.decode
// CHECK-NEXT: return %[[D]]
func.func @decode_of_encode(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = compress.encode %x : tensor<4x8xf32> to !sym
  %d = compress.decode %e : !sym -> tensor<4x8xf32>
  return %d : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @decode_of_quantize(
// CHECK: compress.quantize
// CHECK-NEXT: %[[D:.*]] = compress.decode
// CHECK-NEXT: return %[[D]]
func.func @decode_of_quantize(%x: tensor<4x8xf32>, %s: tensor<4xf32>) -> tensor<4x8xf32> {
  %e = compress.quantize %x, %s : tensor<4x8xf32>, tensor<4xf32> to !sym
  %d = compress.decode %e : !sym -> tensor<4x8xf32>
  return %d : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @encode_of_decode(
// CHECK: compress.decode
// CHECK-NEXT: %[[E:.*]] = compress.encode
// CHECK-NEXT: return %[[E]]
func.func @encode_of_decode(%e: !full) -> !full {
  %d = compress.decode %e : !full -> tensor<4x8xf32>
  %0 = compress.encode %d : tensor<4x8xf32> to !full
  return %0 : !full
}

// CHECK-LABEL: func.func @decode_of_constant(
// CHECK-NEXT: compress.constant
// CHECK-NEXT: %[[D:.*]] = compress.decode
// CHECK-NEXT: return %[[D]]
func.func @decode_of_constant() -> tensor<2xf32> {
  %e = compress.constant #compress.encoded<[
    dense<[1, -7]> : tensor<2xi4>, dense<0.5> : tensor<f32>]>
    : tensor<2xf32, #compress.affine<i4>>
  %d = compress.decode %e : tensor<2xf32, #compress.affine<i4>> -> tensor<2xf32>
  return %d : tensor<2xf32>
}

// CHECK-LABEL: func.func @encode_of_constant(
// CHECK-NEXT: arith.constant
// CHECK-NEXT: %[[E:.*]] = compress.encode
// CHECK-NEXT: return %[[E]]
func.func @encode_of_constant() -> !sym {
  %x = arith.constant dense<1.5> : tensor<4x8xf32>
  %e = compress.encode %x : tensor<4x8xf32> to !sym
  return %e : !sym
}

// CHECK-LABEL: func.func @fake_quant_twice(
// CHECK-COUNT-2: compress.fake_quant
func.func @fake_quant_twice(%x: tensor<4x8xf32>, %s: tensor<4xf32>) -> tensor<4x8xf32> {
  %0 = compress.fake_quant %x, %s as !sym : tensor<4x8xf32>, tensor<4xf32>
  %1 = compress.fake_quant %0, %s as !sym : tensor<4x8xf32>, tensor<4xf32>
  return %1 : tensor<4x8xf32>
}

// Observation is an effect: it stays although nothing uses it.
// CHECK-LABEL: func.func @observe(
// CHECK-COUNT-2: compress.observe
func.func @observe(%x: tensor<4x8xf32>) {
  compress.observe %x {name = "x"} : tensor<4x8xf32>
  compress.observe %x {name = "x"} : tensor<4x8xf32>
  return
}

// Everything else without a use goes.
// CHECK-LABEL: func.func @dead(
// CHECK-NEXT: return
func.func @dead(%x: tensor<4x8xf32>) {
  %e = compress.encode %x : tensor<4x8xf32> to !sym
  %d = compress.decode %e : !sym -> tensor<4x8xf32>
  %s = compress.choose_params %x for !sym : tensor<4x8xf32> -> tensor<4xf32>
  %q = compress.quantize %d, %s : tensor<4x8xf32>, tensor<4xf32> to !sym
  %f = compress.fake_quant %x, %s as !sym : tensor<4x8xf32>, tensor<4xf32>
  return
}
