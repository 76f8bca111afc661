// RUN: compress-opt %s --compress-expand-encodings --split-input-file | FileCheck %s
// RUN: compress-opt %s --compress-expand-encodings --split-input-file --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=LOC

// Every leaf becomes an argument of its own, in component order. Attributes of
// an encoded argument stay on its first leaf, those of other arguments on
// theirs; compress.encoded goes.

#i4 = #compress.affine<i4, block = [1, *]>

// CHECK-LABEL: func.func @signature(
// CHECK-SAME:    %[[X:[^ ,:]*]]: tensor<2xf32> {foo.first}
// CHECK-SAME:    %[[V:[^ ,:]*]]: tensor<4x3xi8> {compress.component = "values", foo.w = 1 : i64}
// CHECK-SAME:    %[[S:[^ ,:]*]]: tensor<4xf32> {compress.component = "scales"}
// CHECK-SAME:    %[[Y:[^ ,:]*]]: tensor<3xf32> {foo.last})
// CHECK-SAME:    -> (tensor<3xf32> {foo.r0}, tensor<4x3xi8> {compress.component = "values", foo.r1}, tensor<4xf32> {compress.component = "scales"}, tensor<2xf32> {foo.r2})
// CHECK-SAME:    attributes {foo.function}
// CHECK-NEXT:    return %[[Y]], %[[V]], %[[S]], %[[X]] : tensor<3xf32>, tensor<4x3xi8>, tensor<4xf32>, tensor<2xf32>
func.func @signature(%x: tensor<2xf32> {foo.first},
                     %w: tensor<4x5xf32, #i4> {compress.encoded, foo.w = 1},
                     %y: tensor<3xf32> {foo.last})
    -> (tensor<3xf32> {foo.r0}, tensor<4x5xf32, #i4> {foo.r1},
        tensor<2xf32> {foo.r2}) attributes {foo.function} {
  return %y, %w, %x : tensor<3xf32>, tensor<4x5xf32, #i4>, tensor<2xf32>
}

// -----

// Nested encodings have dotted names; a dynamic size that no component shows
// is an index. Declarations expand too.

#nested = #compress.nm<2:4, dim = 1, values = #compress.affine<ui4, asymmetric>>

// CHECK-LABEL: func.func private @declaration(
// CHECK-SAME:    tensor<?x?xi8> {compress.component = "values.values", foo.a}
// CHECK-SAME:    tensor<f32> {compress.component = "values.scales"}
// CHECK-SAME:    tensor<i8> {compress.component = "values.zero_points"}
// CHECK-SAME:    index {compress.component = "values.size1"}
// CHECK-SAME:    tensor<?x?xi8> {compress.component = "metadata"}
// CHECK-SAME:    index {compress.component = "size1"}
// CHECK-SAME:    f32
// CHECK-SAME:    ) -> i1
func.func private @declaration(tensor<?x?xf16, #nested> {foo.a}, f32) -> i1

// CHECK-LABEL: func.func @call(
// CHECK-SAME:    %[[VV:[^ ,:]*]]: tensor<?x?xi8> {compress.component = "values.values"}
// CHECK-SAME:    %[[VS:[^ ,:]*]]: tensor<f32>
// CHECK-SAME:    %[[VZ:[^ ,:]*]]: tensor<i8>
// CHECK-SAME:    %[[VSIZE:[^ ,:]*]]: index
// CHECK-SAME:    %[[M:[^ ,:]*]]: tensor<?x?xi8>
// CHECK-SAME:    %[[SIZE:[^ ,:]*]]: index
// CHECK-SAME:    %[[F:[^ ,:]*]]: f32
// CHECK-NEXT:    %[[R:[^ ,:]*]] = call @declaration(%[[VV]], %[[VS]], %[[VZ]], %[[VSIZE]], %[[M]], %[[SIZE]], %[[F]])
// CHECK-SAME:      : (tensor<?x?xi8>, tensor<f32>, tensor<i8>, index, tensor<?x?xi8>, index, f32) -> i1
// CHECK-NEXT:    return %[[R]]
func.func @call(%w: tensor<?x?xf16, #nested>, %f: f32) -> i1 {
  %r = call @declaration(%w, %f) : (tensor<?x?xf16, #nested>, f32) -> i1
  return %r : i1
}

// -----

// Results of calls, with attributes on the call, and recursion.

#i8 = #compress.affine<i8>

// CHECK-LABEL: func.func @recursive(
// CHECK-SAME:    %[[V:[^ ,:]*]]: tensor<4xi8> {compress.component = "values"}, %[[S:[^ ,:]*]]: tensor<f32> {compress.component = "scales"}, %[[C:[^ ,:]*]]: i1)
// CHECK:         %[[R:[^ ,:]*]]:3 = call @recursive(%[[V]], %[[S]], %[[C]])
// CHECK-SAME:      arg_attrs = [{foo.a}, {}, {foo.c}], res_attrs = [{}, {foo.b}, {}]
// CHECK-NEXT:    return %[[R]]#0, %[[R]]#1, %[[R]]#2
func.func @recursive(%w: tensor<4xf32, #i8>, %c: i1)
    -> (i1, tensor<4xf32, #i8>) {
  %r:2 = call @recursive(%w, %c) {
      arg_attrs = [{foo.a}, {foo.c}], res_attrs = [{}, {foo.b}]
    } : (tensor<4xf32, #i8>, i1) -> (i1, tensor<4xf32, #i8>)
  return %r#0, %r#1 : i1, tensor<4xf32, #i8>
}

// -----

// Empty tensors, rank 0, and codes of 16 bits, which are not packed.

// CHECK-LABEL: func.func @shapes(
// CHECK-SAME:    tensor<0x4xi8> {compress.component = "values"}
// CHECK-SAME:    tensor<0xf16> {compress.component = "scales"}
// CHECK-SAME:    tensor<i8> {compress.component = "values"}
// CHECK-SAME:    tensor<f32> {compress.component = "scales"}
// CHECK-SAME:    tensor<4xi16> {compress.component = "values"}
// CHECK-SAME:    tensor<f32> {compress.component = "scales"}
// CHECK-SAME:    tensor<3x16xi8> {compress.component = "values"}
// CHECK-SAME:    tensor<3x2xi8> {compress.component = "scales"}
// CHECK-SAME:    tensor<3xf16> {compress.component = "super_scales"}
// CHECK-NEXT:    return
func.func @shapes(
    %empty: tensor<0x7xf64, #compress.affine<i4, block = [1, *], scale = f16>>,
    %scalar: tensor<bf16, #compress.affine<i3>>,
    %wide: tensor<4xf32, #compress.affine<i16>>,
    %twoLevel: tensor<3x30xf32, #compress.affine<i4, block = [1, 16], scale = ui6,
      super_scale = f16, super_block = [1, *]>>) {
  return
}

// -----

// Source locations are those of the originals.

#i8 = #compress.affine<i8>

// LOC-LABEL: func.func @locations(
// LOC-SAME:    tensor<4xi8> {compress.component = "values"} loc("w")
// LOC-SAME:    tensor<f32> {compress.component = "scales"} loc("w")
// LOC:         linalg.generic
// LOC:         -> tensor<4xf32> loc("decode")
// LOC:         call @locations({{.*}} loc(callsite("callee" at "caller"))
func.func @locations(%w: tensor<4xf32, #i8> loc("w")) -> tensor<4xf32> {
  %d = compress.decode %w : tensor<4xf32, #i8> -> tensor<4xf32> loc("decode")
  %c = call @locations(%w) : (tensor<4xf32, #i8>) -> tensor<4xf32>
    loc(callsite("callee" at "caller"))
  return %d : tensor<4xf32>
}

// -----

// Functions of other dialects.

#i8 = #compress.affine<i8>

// CHECK-LABEL: ml_program.func @other(
// CHECK-SAME:    %[[V:[^ ,:]*]]: tensor<4xi8> {compress.component = "values"}, %[[S:[^ ,:]*]]: tensor<f32> {compress.component = "scales"})
// CHECK-SAME:    -> (tensor<4xi8> {compress.component = "values"}, tensor<f32> {compress.component = "scales"})
// CHECK-NEXT:    ml_program.return %[[V]], %[[S]] : tensor<4xi8>, tensor<f32>
ml_program.func @other(%w: tensor<4xf32, #i8>) -> tensor<4xf32, #i8> {
  ml_program.return %w : tensor<4xf32, #i8>
}

// -----

// Nothing to do: nothing done, not even to dead code.

// CHECK-LABEL: func.func @dense(
// CHECK-NEXT:    arith.constant 1
func.func @dense(%x: tensor<4xf32>) -> tensor<4xf32> {
  %dead = arith.constant 1 : i32
  return %x : tensor<4xf32>
}
