// Rule 5: all ops that may forward or read encoded values. The pass and, since
// the module is strict, every verifier run accept them.
// RUN: compress-opt %s -compress-verify | FileCheck %s

// CHECK: compress.strict
module attributes {compress.strict} {

//===----------------------------------------------------------------------===//
// Forwarders
//===----------------------------------------------------------------------===//

// CHECK: ml_program.global private mutable @state(#compress.encoded<{{.*}}>)
ml_program.global private mutable @state(#compress.encoded<[
    dense<[1, 2]> : tensor<2xi8>, dense<0.5> : tensor<f32>]>
    : tensor<2xf32, #compress.affine<i8>>) : tensor<2xf32, #compress.affine<i8>>

// CHECK-LABEL: func.func private @extern(tensor<2xf32, #{{.*}}> {compress.encoded}) -> tensor<2xf32,
func.func private @extern(tensor<2xf32, #compress.affine<i8>> {compress.encoded})
  -> tensor<2xf32, #compress.affine<i8>>

// CHECK-LABEL: func.func @globals
func.func @globals() -> tensor<2xf32, #compress.affine<i8>> {
  // CHECK: ml_program.global_load @state
  %0 = ml_program.global_load @state : tensor<2xf32, #compress.affine<i8>>
  // CHECK: call @extern
  %1 = func.call @extern(%0) : (tensor<2xf32, #compress.affine<i8>>) -> tensor<2xf32, #compress.affine<i8>>
  // CHECK: ml_program.global_store @state
  ml_program.global_store @state = %1 : tensor<2xf32, #compress.affine<i8>>
  return %1 : tensor<2xf32, #compress.affine<i8>>
}

// CHECK-LABEL: func.func @control_flow
func.func @control_flow(%c: i1, %n: index, %x: tensor<?xf32, #compress.affine<i8>>,
                        %y: tensor<?xf32, #compress.affine<i8>>) -> tensor<2xf32, #compress.affine<i8>> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: arith.select
  %0 = arith.select %c, %x, %y : tensor<?xf32, #compress.affine<i8>>
  // CHECK: scf.for
  %1 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %0) -> (tensor<?xf32, #compress.affine<i8>>) {
    // CHECK: scf.if
    %2 = scf.if %c -> tensor<?xf32, #compress.affine<i8>> {
      scf.yield %a : tensor<?xf32, #compress.affine<i8>>
    } else {
      scf.yield %y : tensor<?xf32, #compress.affine<i8>>
    }
    scf.yield %2 : tensor<?xf32, #compress.affine<i8>>
  }
  // CHECK: scf.while
  %3 = scf.while (%a = %1) : (tensor<?xf32, #compress.affine<i8>>) -> tensor<?xf32, #compress.affine<i8>> {
    scf.condition(%c) %a : tensor<?xf32, #compress.affine<i8>>
  } do {
  ^bb0(%a: tensor<?xf32, #compress.affine<i8>>):
    scf.yield %a : tensor<?xf32, #compress.affine<i8>>
  }
  // CHECK: cf.cond_br
  cf.cond_br %c, ^bb1(%3 : tensor<?xf32, #compress.affine<i8>>), ^bb1(%x : tensor<?xf32, #compress.affine<i8>>)
^bb1(%4: tensor<?xf32, #compress.affine<i8>>):
  // The shape may become known, the encoding stays.
  // CHECK: tensor.cast
  %5 = tensor.cast %4 : tensor<?xf32, #compress.affine<i8>> to tensor<2xf32, #compress.affine<i8>>
  return %5 : tensor<2xf32, #compress.affine<i8>>
}

//===----------------------------------------------------------------------===//
// Readers
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @tensor_readers
func.func @tensor_readers(%x: tensor<4x4xf32, #compress.affine<i8>>, %o: tensor<8x8xf32>, %p: f32) {
  %c0 = arith.constant 0 : index
  %0 = tensor.dim %x, %c0 : tensor<4x4xf32, #compress.affine<i8>>
  %1 = tensor.rank %x : tensor<4x4xf32, #compress.affine<i8>>
  %2 = tensor.extract %x[%c0, %c0] : tensor<4x4xf32, #compress.affine<i8>>
  %3 = "tensor.extract_slice"(%x) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>,
    static_offsets = array<i64: 0, 0>, static_sizes = array<i64: 2, 2>, static_strides = array<i64: 1, 1>}>
    : (tensor<4x4xf32, #compress.affine<i8>>) -> tensor<2x2xf32>
  %4 = tensor.insert_slice %x into %o[0, 0] [4, 4] [1, 1] : tensor<4x4xf32, #compress.affine<i8>> into tensor<8x8xf32>
  %5 = tensor.cast %x : tensor<4x4xf32, #compress.affine<i8>> to tensor<?x4xf32, #compress.affine<i8>>
  return
}

// CHECK-LABEL: func.func @linalg_readers
func.func @linalg_readers(%x: tensor<4x4xf32, #compress.affine<i8>>, %o: tensor<4x4xf32>, %t: tensor<2x2x2x2xf32>) -> tensor<4x4xf32> {
  // CHECK: linalg.matmul
  %0 = linalg.matmul ins(%x, %x : tensor<4x4xf32, #compress.affine<i8>>, tensor<4x4xf32, #compress.affine<i8>>)
    outs(%o : tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: linalg.add
  %1 = linalg.add ins(%x, %0 : tensor<4x4xf32, #compress.affine<i8>>, tensor<4x4xf32>)
    outs(%o : tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: linalg.transpose
  %2 = linalg.transpose ins(%x : tensor<4x4xf32, #compress.affine<i8>>) outs(%o : tensor<4x4xf32>) permutation = [1, 0]
  // CHECK: linalg.generic
  %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<4x4xf32, #compress.affine<i8>>) outs(%1 : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}

// CHECK-LABEL: func.func @tosa_readers
func.func @tosa_readers(%x: tensor<4x4xf32, #compress.affine<i8>>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: tosa.add
  %0 = tosa.add %x, %y : (tensor<4x4xf32, #compress.affine<i8>>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: tosa.transpose
  %1 = tosa.transpose %x {perms = array<i32: 1, 0>} : (tensor<4x4xf32, #compress.affine<i8>>) -> tensor<4x4xf32>
  // CHECK: tosa.clamp
  %2 = tosa.clamp %x {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<4x4xf32, #compress.affine<i8>>) -> tensor<4x4xf32>
  // CHECK: tosa.reverse
  %3 = tosa.reverse %x {axis = 1 : i32} : (tensor<4x4xf32, #compress.affine<i8>>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

}
