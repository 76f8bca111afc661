// RUN: compress-opt %s --compress-expand-encodings --split-input-file | FileCheck %s

// One global a leaf, in storage form, with the visibility and mutability of
// the whole. A name that is taken is not taken twice.

!t = tensor<1x6xf32, #compress.affine<i4, block = [1, *]>>

// Fields 1, -7 | 0, 1 | 2, 3, low bits first.
// CHECK:       ml_program.global private mutable @w.values_0(dense<{{\[\[}}-111, 16, 50]]> : tensor<1x3xi8>) : tensor<1x3xi8> {foo.attribute}
// CHECK-NEXT:  ml_program.global private mutable @w.scales(dense<5.000000e-01> : tensor<1xf32>) : tensor<1xf32>
// CHECK-NEXT:  ml_program.global private @w.values(
// CHECK-NOT:   ml_program.global
ml_program.global private mutable @w(#compress.encoded<[
    dense<[[1, -7, 0, 1, 2, 3]]> : tensor<1x6xi4>,
    dense<0.5> : tensor<1xf32>]> : !t) : !t {foo.attribute}
ml_program.global private @w.values(dense<1> : tensor<i8>) : tensor<i8>

// CHECK-LABEL: func.func @access(
// CHECK-SAME:    %[[V:[^ ,:]*]]: tensor<1x3xi8> {{.*}}, %[[S:[^ ,:]*]]: tensor<1xf32> {{.*}})
// CHECK-NEXT:    %[[LV:[^ ,:]*]] = ml_program.global_load @w.values_0 : tensor<1x3xi8>
// CHECK-NEXT:    %[[LS:[^ ,:]*]] = ml_program.global_load @w.scales : tensor<1xf32>
// CHECK-NEXT:    ml_program.global_store @w.values_0 = %[[V]] : tensor<1x3xi8>
// CHECK-NEXT:    ml_program.global_store @w.scales = %[[S]] : tensor<1xf32>
// CHECK-NEXT:    return %[[LV]], %[[LS]]
func.func @access(%x: !t) -> !t {
  %0 = ml_program.global_load @w : !t
  ml_program.global_store @w = %x : !t
  return %0 : !t
}

// -----

// External values, sizes, globals without a value, nested modules and nested
// encodings.

!d = tensor<?x?xf32, #compress.affine<i4, block = [1, *]>>
!n = tensor<4xf32, #compress.nm<2:4, dim = 0, values = #compress.affine<i8>>>

module @inner {
  // CHECK:       ml_program.global public @e.values(#extern{{.*}}) : tensor<?x?xi8>
  // CHECK-NEXT:  ml_program.global public @e.scales(#extern{{.*}}) : tensor<?xf32>
  // CHECK-NEXT:  ml_program.global public @e.size1(#extern{{.*}}) : index
  ml_program.global public @e(#ml_program.extern : !d) : !d
  // CHECK-NEXT:  ml_program.global private mutable @m.values : tensor<?x?xi8>
  // CHECK-NEXT:  ml_program.global private mutable @m.scales : tensor<?xf32>
  // CHECK-NEXT:  ml_program.global private mutable @m.size1 : index
  ml_program.global private mutable @m : !d
  // CHECK-NEXT:  ml_program.global private @n.values.values(dense<[3, -4]> : tensor<2xi8>)
  // CHECK-NEXT:  ml_program.global private @n.values.scales(dense<2.5{{.*}}> : tensor<f32>)
  // CHECK-NEXT:  ml_program.global private @n.metadata(dense<12> : tensor<1xi8>)
  ml_program.global private @n(#compress.encoded<[
      #compress.encoded<[dense<[3, -4]> : tensor<2xi8>, dense<2.5> : tensor<f32>]>
        : tensor<2xf32, #compress.affine<i8>>,
      dense<[0, 3]> : tensor<2xi2>]> : !n) : !n
}

// CHECK-LABEL: func.func @nested
// CHECK-NEXT:    %[[V:[^ ,:]*]] = ml_program.global_load_const @inner::@e.values : tensor<?x?xi8>
// CHECK-NEXT:    %[[S:[^ ,:]*]] = ml_program.global_load_const @inner::@e.scales : tensor<?xf32>
// CHECK-NEXT:    %[[D:[^ ,:]*]] = ml_program.global_load_const @inner::@e.size1 : index
// CHECK-NEXT:    %[[NV:[^ ,:]*]] = ml_program.global_load_const @inner::@n.values.values : tensor<2xi8>
// CHECK-NEXT:    %[[NS:[^ ,:]*]] = ml_program.global_load_const @inner::@n.values.scales : tensor<f32>
// CHECK-NEXT:    %[[NM:[^ ,:]*]] = ml_program.global_load_const @inner::@n.metadata : tensor<1xi8>
// CHECK-NEXT:    return %[[V]], %[[S]], %[[D]], %[[NV]], %[[NS]], %[[NM]]
func.func @nested() -> (!d, !n) {
  %0 = ml_program.global_load_const @inner::@e : !d
  %1 = ml_program.global_load_const @inner::@n : !n
  return %0, %1 : !d, !n
}

// -----

// Blobs stay blobs: one in storage form is not touched, one in logical form is
// packed into a new one.

!t = tensor<4xf32, #compress.affine<i8>>
!u = tensor<4xf32, #compress.affine<i4>>

// CHECK: ml_program.global private @b.values(dense_resource<eight> : tensor<4xi8>)
// CHECK: ml_program.global private @p.values(dense_resource<four.packed> : tensor<2xi8>)
ml_program.global private @b(#compress.encoded<[
    dense_resource<eight> : tensor<4xi8>, dense<1.0> : tensor<f32>]> : !t) : !t
ml_program.global private @p(#compress.encoded<[
    dense_resource<four> : tensor<4xi4>, dense<1.0> : tensor<f32>]> : !u) : !u

// CHECK: four.packed: "0x{{[0-9]+}}00000021F3"
{-#
  dialect_resources: {
    builtin: {
      eight: "0x0400000001020304",
      four: "0x04000000010203FF"
    }
  }
#-}
