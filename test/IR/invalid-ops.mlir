// Each numbered constraint of each op: the message gives the number, what was
// expected, and what there is.
// RUN: compress-opt %s -split-input-file -verify-diagnostics

//===----------------------------------------------------------------------===//
// decode
//===----------------------------------------------------------------------===//

func.func @f(%e: tensor<4xf32, #compress.affine<i8>>) {
  // expected-error@+1 {{'compress.decode' op (C1) result must have type 'tensor<4xf32>', which 'tensor<4xf32, #compress.affine<i8>>' encodes, but has type 'tensor<4xf16>'}}
  %0 = compress.decode %e : tensor<4xf32, #compress.affine<i8>> -> tensor<4xf16>
  return
}

// -----

func.func @f(%e: tensor<4xf32, #compress.affine<i8>>) {
  // expected-error@+1 {{(C1) result must have type 'tensor<4xf32>'}}
  %0 = compress.decode %e : tensor<4xf32, #compress.affine<i8>> -> tensor<?xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{operand #0 must be encoded tensor, but got 'tensor<4xf32>'}}
  %0 = compress.decode %x : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<*xf32>) {
  // expected-error@+1 {{invalid kind of type specified}}
  %0 = compress.decode %x : tensor<*xf32> -> tensor<*xf32>
  return
}

// -----

func.func @f(%e: tensor<4xf32, #compress.affine<i8>>) {
  // expected-error@+1 {{result #0 must be ranked tensor without an encoding}}
  %0 = compress.decode %e : tensor<4xf32, #compress.affine<i8>> -> tensor<4xf32, #compress.affine<i8>>
  return
}

// -----

//===----------------------------------------------------------------------===//
// encode
//===----------------------------------------------------------------------===//

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{'compress.encode' op (C1) operand must have type 'tensor<5xf32>', which 'tensor<5xf32, #compress.affine<i8>>' encodes, but has type 'tensor<4xf32>'}}
  %0 = compress.encode %x : tensor<4xf32> to tensor<5xf32, #compress.affine<i8>>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{invalid kind of attribute specified}}
  %0 = compress.encode %x range(7) : tensor<4xf32> to tensor<4xf32, #compress.affine<i8>>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{Invalid attribute `range` in property conversion: 7 : i32}}
  %0 = "compress.encode"(%x) <{range = 7 : i32}> : (tensor<4xf32>) -> tensor<4xf32, #compress.affine<i8>>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{result #0 must be encoded tensor, but got 'tensor<4xf32>'}}
  %0 = compress.encode %x : tensor<4xf32> to tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{'compress.encode' op attribute 'compress.calibration' must be a string on compress.encode, but is 1 : i64}}
  %0 = compress.encode %x {compress.calibration = 1} : tensor<4xf32> to tensor<4xf32, #compress.affine<i8>>
  return
}

// -----

// expected-error@+1 {{'func.func' op attribute 'compress.calibration' must be a string on compress.encode, but is "x"}}
func.func private @f() attributes {compress.calibration = "x"}

// -----

// expected-error@+1 {{'func.func' op attribute 'compress.strategy' must be a #compress.strategy, but is "portable"}}
func.func private @f() attributes {compress.strategy = "portable"}

// -----

// expected-error@+1 {{attribute 'compress.target' must be a #compress.target on a builtin.module, but is "znver5"}}
module attributes {compress.target = "znver5"} {}

// -----

// expected-error@+1 {{attribute 'compress.target' must be a #compress.target on a builtin.module, but is #compress.target}}
func.func private @f() attributes {compress.target = #compress.target<>}

// -----

//===----------------------------------------------------------------------===//
// assemble
//===----------------------------------------------------------------------===//

func.func @f(%v: tensor<4xi8>) {
  // expected-error@+1 {{'compress.assemble' op (C1) 'tensor<4xf32, #compress.affine<i8>>' has 2 components, but got 1 operands}}
  %0 = compress.assemble %v : (tensor<4xi8>) -> tensor<4xf32, #compress.affine<i8>>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{(C1) 'tensor<?xf32, #compress.affine<i4>>' has 3 components, but got 0 operands}}
  %0 = "compress.assemble"() : () -> tensor<?xf32, #compress.affine<i4>>
  return
}

// -----

func.func @f(%v: tensor<4xi16>, %s: tensor<f32>) {
  // expected-error@+1 {{(C2) component 'values' must have type 'tensor<4xi5>' or 'tensor<3xi8>', but has type 'tensor<4xi16>'}}
  %0 = compress.assemble %v, %s : (tensor<4xi16>, tensor<f32>) -> tensor<4xf32, #compress.affine<i5>>
  return
}

// -----

func.func @f(%v: tensor<3xi8>, %s: tensor<f32>) {
  // expected-error@+1 {{(C2) component 'values' must have type 'tensor<4xi8>', but has type 'tensor<3xi8>'}}
  %0 = compress.assemble %v, %s : (tensor<3xi8>, tensor<f32>) -> tensor<4xf32, #compress.affine<i8>>
  return
}

// -----

func.func @f(%v: tensor<4xi8>, %s: tensor<1xf32>) {
  // expected-error@+1 {{(C2) component 'scales' must have type 'tensor<f32>', but has type 'tensor<1xf32>'}}
  %0 = compress.assemble %v, %s : (tensor<4xi8>, tensor<1xf32>) -> tensor<4xf32, #compress.affine<i8>>
  return
}

// -----

func.func @f(%v: tensor<?xi8>, %s: tensor<f32>, %n: tensor<1xindex>) {
  // expected-error@+1 {{(C2) component 'size0' must have type 'index', but has type 'tensor<1xindex>'}}
  %0 = compress.assemble %v, %s, %n : (tensor<?xi8>, tensor<f32>, tensor<1xindex>) -> tensor<?xf32, #compress.affine<i4>>
  return
}

// -----

// Values of another encoding.
func.func @f(%v: tensor<2xf32, #compress.affine<i4>>, %m: tensor<2xi2>) {
  // expected-error@+1 {{(C2) component 'values' must have type 'tensor<2xf32, #compress.affine<i8>>', but has type 'tensor<2xf32, #compress.affine<i4>>'}}
  %0 = compress.assemble %v, %m : (tensor<2xf32, #compress.affine<i4>>, tensor<2xi2>)
    -> tensor<4xf32, #compress.nm<2:4, dim = 0, values = #compress.affine<i8>>>
  return
}

// -----

func.func @f(%v: memref<4xi8>, %s: tensor<f32>) {
  // expected-error@+1 {{operand #0 must be variadic of ranked tensor or index, but got 'memref<4xi8>'}}
  %0 = compress.assemble %v, %s : (memref<4xi8>, tensor<f32>) -> tensor<4xf32, #compress.affine<i8>>
  return
}

// -----

//===----------------------------------------------------------------------===//
// component
//===----------------------------------------------------------------------===//

func.func @f(%e: tensor<4xf32, #compress.affine<ui8, asymmetric>>) {
  // expected-error@+1 {{'compress.component' op (C1) 'tensor<4xf32, #compress.affine<ui8, asymmetric>>' has no component 'scale'; it has 'values', 'scales', 'zero_points'}}
  %0 = compress.component %e["scale"] : tensor<4xf32, #compress.affine<ui8, asymmetric>> -> tensor<f32>
  return
}

// -----

func.func @f(%e: tensor<4xf32, #compress.affine<i4>>) {
  // expected-error@+1 {{(C2) component 'values' has type 'tensor<4xi4>' or 'tensor<2xi8>', but the result has type 'tensor<4xi8>'}}
  %0 = compress.component %e["values"] : tensor<4xf32, #compress.affine<i4>> -> tensor<4xi8>
  return
}

// -----

// Unlike an operand of assemble, it has exactly the type of the component.
func.func @f(%e: tensor<4xf32, #compress.affine<i8>>) {
  // expected-error@+1 {{(C2) component 'values' has type 'tensor<4xi8>', but the result has type 'tensor<?xi8>'}}
  %0 = compress.component %e["values"] : tensor<4xf32, #compress.affine<i8>> -> tensor<?xi8>
  return
}

// -----

func.func @f(%e: tensor<4xf32, #compress.affine<i8>>) {
  // expected-error@+1 {{requires attribute 'name'}}
  %0 = "compress.component"(%e) : (tensor<4xf32, #compress.affine<i8>>) -> tensor<4xi8>
  return
}

// -----

//===----------------------------------------------------------------------===//
// constant
//===----------------------------------------------------------------------===//

func.func @f() {
  // expected-error@+1 {{failed to verify that all of {value, result} have same type}}
  %0 = "compress.constant"() <{value = #compress.encoded<[dense<1> : tensor<2xi8>, dense<0.5> : tensor<f32>]>
    : tensor<2xf32, #compress.affine<i8>>}> : () -> tensor<2xf32, #compress.affine<i4>>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{invalid kind of attribute specified}}
  %0 = compress.constant dense<1.0> : tensor<2xf32>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{requires attribute 'value'}}
  %0 = "compress.constant"() : () -> tensor<2xf32, #compress.affine<i4>>
  return
}

// -----

//===----------------------------------------------------------------------===//
// convert
//===----------------------------------------------------------------------===//

func.func @f(%e: tensor<4xf32, #compress.affine<i8>>) {
  // expected-error@+1 {{'compress.convert' op (C1) must not change shape or element type, but converts 'tensor<4xf32>' to 'tensor<4xf64>'}}
  %0 = compress.convert %e : tensor<4xf32, #compress.affine<i8>> to tensor<4xf64, #compress.affine<i8>>
  return
}

// -----

func.func @f(%e: tensor<4xf32, #compress.affine<i8>>) {
  // expected-error@+1 {{(C2) not every value of 'tensor<4xf32, #compress.affine<i8>>' can be represented exactly in 'tensor<4xf32, #compress.affine<i4>>'; a lossy change is compress.decode followed by compress.encode}}
  %0 = compress.convert %e : tensor<4xf32, #compress.affine<i8>> to tensor<4xf32, #compress.affine<i4>>
  return
}

// -----

// Coarser blocks.
func.func @f(%e: tensor<4xf32, #compress.affine<i8, block = [2]>>) {
  // expected-error@+1 {{(C2) not every value}}
  %0 = compress.convert %e : tensor<4xf32, #compress.affine<i8, block = [2]>> to tensor<4xf32, #compress.affine<i8>>
  return
}

// -----

// Blocks that straddle.
func.func @f(%e: tensor<6xf32, #compress.affine<i8, block = [3]>>) {
  // expected-error@+1 {{(C2) not every value}}
  %0 = compress.convert %e : tensor<6xf32, #compress.affine<i8, block = [3]>> to tensor<6xf32, #compress.affine<i8, block = [2]>>
  return
}

// -----

// A narrow range leaves out -128.
func.func @f(%e: tensor<6xf32, #compress.affine<i8, full_range>>) {
  // expected-error@+1 {{(C2) not every value}}
  %0 = compress.convert %e : tensor<6xf32, #compress.affine<i8, full_range>> to tensor<6xf32, #compress.affine<i8>>
  return
}

// -----

// Zero points.
func.func @f(%e: tensor<6xf32, #compress.affine<i8, asymmetric>>) {
  // expected-error@+1 {{(C2) not every value}}
  %0 = compress.convert %e : tensor<6xf32, #compress.affine<i8, asymmetric>> to tensor<6xf32, #compress.affine<i8, full_range>>
  return
}

// -----

// f16 scales hold neither all of bf16 nor of f32.
func.func @f(%e: tensor<6xf32, #compress.affine<i8, scale = bf16>>) {
  // expected-error@+1 {{(C2) not every value}}
  %0 = compress.convert %e : tensor<6xf32, #compress.affine<i8, scale = bf16>> to tensor<6xf32, #compress.affine<i8, scale = f16>>
  return
}

// -----

// Unsigned codes above 127.
func.func @f(%e: tensor<6xf32, #compress.affine<ui8>>) {
  // expected-error@+1 {{(C2) not every value}}
  %0 = compress.convert %e : tensor<6xf32, #compress.affine<ui8>> to tensor<6xf32, #compress.affine<i8>>
  return
}

// -----

func.func @f(%e: tensor<8xf32, #compress.affine<i8>>) {
  // expected-error@+1 {{(C2) not every value}}
  %0 = compress.convert %e : tensor<8xf32, #compress.affine<i8>> to tensor<8xf32, #compress.nm<2:4, dim = 0>>
  return
}

// -----

//===----------------------------------------------------------------------===//
// choose_params, quantize, fake_quant
//===----------------------------------------------------------------------===//

func.func @f(%x: tensor<4xf16>) {
  // expected-error@+1 {{'compress.choose_params' op (C1) operand must have type 'tensor<4xf32>', which 'tensor<4xf32, #compress.affine<i8>>' encodes, but has type 'tensor<4xf16>'}}
  %0 = compress.choose_params %x for tensor<4xf32, #compress.affine<i8>> : tensor<4xf16> -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{(C2) values cannot be encoded at run time as 'tensor<4xf32, #compress.nm<2:4, dim = 0>>': encode a constant with compress.encode}}
  %0 = compress.choose_params %x for tensor<4xf32, #compress.nm<2:4, dim = 0>> : tensor<4xf32> -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{(C3) expected 2 results for 'tensor<4xf32, #compress.affine<ui8, asymmetric>>', but got 1}}
  %0 = compress.choose_params %x for tensor<4xf32, #compress.affine<ui8, asymmetric>> : tensor<4xf32> -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{(C3) results 'zero_points' must have type 'tensor<i4>' or 'tensor<i8>', but has type 'tensor<i32>'}}
  %0:2 = compress.choose_params %x for tensor<4xf32, #compress.affine<ui4, asymmetric>> : tensor<4xf32> -> tensor<f32>, tensor<i32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{attribute 'encodedType' failed to satisfy constraint: type attribute of encoded tensor}}
  %0 = compress.choose_params %x for tensor<4xf32> : tensor<4xf32> -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<4xf64>, %s: tensor<f32>) {
  // expected-error@+1 {{'compress.quantize' op (C1) operand must have type 'tensor<4xf32>'}}
  %0 = compress.quantize %x, %s : tensor<4xf64>, tensor<f32> to tensor<4xf32, #compress.affine<i8>>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{'compress.quantize' op (C2) values cannot be encoded at run time}}
  %0 = compress.quantize %x : tensor<4xf32> to tensor<4xf32, #compress.nm<2:4, dim = 0>>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{(C3) expected 1 parameters for 'tensor<4xf32, #compress.affine<i8>>', but got 2}}
  %0 = compress.quantize %x, %s, %s : tensor<4xf32>, tensor<f32>, tensor<f32> to tensor<4xf32, #compress.affine<i8>>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %s: tensor<f16>) {
  // expected-error@+1 {{(C3) parameters 'scales' must have type 'tensor<f32>', but has type 'tensor<f16>'}}
  %0 = compress.quantize %x, %s : tensor<4xf32>, tensor<f16> to tensor<4xf32, #compress.affine<i8>>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{'compress.fake_quant' op (C1) operand must have type 'tensor<5xf32>'}}
  %0 = compress.fake_quant %x as tensor<5xf32, #compress.affine<i8>> : tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{'compress.fake_quant' op (C2) values cannot be encoded at run time}}
  %0 = compress.fake_quant %x as tensor<4xf32, #compress.nm<2:4, dim = 0>> : tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{(C3) expected 2 parameters}}
  %0 = compress.fake_quant %x, %s as tensor<4xf32, #compress.affine<ui8, asymmetric>> : tensor<4xf32>, tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{(C3) has both parameters and a range: give one}}
  %0 = compress.fake_quant %x, %s range(#compress.min_max) as tensor<4xf32, #compress.affine<i8>> : tensor<4xf32>, tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{failed to verify that all of {input, result} have same type}}
  %0 = "compress.fake_quant"(%x) <{encodedType = tensor<4xf32, #compress.affine<i8>>}> : (tensor<4xf32>) -> tensor<?xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// observe
//===----------------------------------------------------------------------===//

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{'compress.observe' op needs a name under which to record}}
  compress.observe %x {name = ""} : tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xi8>) {
  // expected-error@+1 {{observes f16, bf16, f32 and f64 tensors, but got 'tensor<4xi8>'}}
  compress.observe %x {name = "x"} : tensor<4xi8>
  return
}

// -----

//===----------------------------------------------------------------------===//
// compress.encoded
//===----------------------------------------------------------------------===//

// expected-error@+1 {{'func.func' op argument #1 is marked 'compress.encoded', but has type 'tensor<4xf32>': a pass replaced an encoded tensor by a dense one; run compress-expand-encodings before it}}
func.func private @f(tensor<4xf32>, tensor<4xf32> {compress.encoded})

// -----

// expected-error@+1 {{argument #0 is marked 'compress.encoded', but has type 'memref<4xf32>'}}
func.func private @f(memref<4xf32> {compress.encoded})
