// RUN: compress-opt %s --compress-legalize-narrow-integers --split-input-file | FileCheck %s
// RUN: compress-opt %s --compress-legalize-narrow-integers --split-input-file | FileCheck %s --check-prefix=NONE

// NONE-NOT: xi4>
// NONE-NOT: xi12>
// NONE-NOT: tensor<i4>

// Signatures, calls and control flow.

// CHECK-LABEL: func.func private @declaration(tensor<?xi8> {foo.a}, i4) -> tensor<2xi16>
func.func private @declaration(tensor<?xi4> {foo.a}, i4) -> tensor<2xi12>

// CHECK-LABEL: func.func @flow(
// CHECK-SAME:    %[[X:.*]]: tensor<?xi8>, %[[C:.*]]: i1, %[[S:.*]]: i4, %[[N:.*]]: index)
// CHECK-NEXT:    call @declaration(%[[X]], %[[S]]) : (tensor<?xi8>, i4) -> tensor<2xi16>
// CHECK-NEXT:    scf.for {{.*}} iter_args({{.*}}) -> (tensor<?xi8>)
// CHECK:         arith.select %[[C]], {{.*}} : tensor<?xi8>
// CHECK:         cf.cond_br %[[C]], ^[[A:.*]](%{{.*}} : tensor<?xi8>), ^[[A]](
// CHECK-NEXT:  ^[[A]](%{{.*}}: tensor<?xi8>):
func.func @flow(%x: tensor<?xi4>, %c: i1, %s: i4, %n: index) -> (tensor<?xi4>, tensor<2xi12>) {
  %0 = call @declaration(%x, %s) : (tensor<?xi4>, i4) -> tensor<2xi12>
  %1 = scf.for %i = %n to %n step %n iter_args(%y = %x) -> tensor<?xi4> {
    scf.yield %y : tensor<?xi4>
  }
  %2 = arith.select %c, %1, %x : tensor<?xi4>
  cf.cond_br %c, ^a(%2 : tensor<?xi4>), ^a(%x : tensor<?xi4>)
^a(%r: tensor<?xi4>):
  return %r, %0 : tensor<?xi4>, tensor<2xi12>
}

// -----

// Constants are sign-extended; blobs stay blobs.

// CHECK: ml_program.global private @g(dense<[1, -2, 7, -8]> : tensor<4xi8>) : tensor<4xi8>
ml_program.global private @g(dense<[1, -2, 7, -8]> : tensor<4xi4>) : tensor<4xi4>
// CHECK: ml_program.global private mutable @u : tensor<4xi16>
ml_program.global private mutable @u : tensor<4xi12>

// CHECK-LABEL: func.func @constants
// CHECK-DAG:     arith.constant dense<-3> : tensor<4xi8>
// CHECK-DAG:     arith.constant dense<> : tensor<0xi8>
// CHECK-DAG:     arith.constant dense<[-2048, 2047]> : tensor<2xi16>
// CHECK-DAG:     arith.constant dense<[true, false]> : tensor<2xi1>
// CHECK-DAG:     arith.constant dense_resource<blob.wide> : tensor<4xi8>
// CHECK-DAG:     ml_program.global_load @g : tensor<4xi8>
func.func @constants() -> (tensor<4xi4>, tensor<0xi4>, tensor<2xi12>, tensor<2xi1>, tensor<4xi4>, tensor<4xi4>) {
  %0 = arith.constant dense<-3> : tensor<4xi4>
  %1 = arith.constant dense<> : tensor<0xi4>
  %2 = arith.constant dense<[-2048, 2047]> : tensor<2xi12>
  %3 = arith.constant dense<[true, false]> : tensor<2xi1>
  %4 = arith.constant dense_resource<blob> : tensor<4xi4>
  %5 = ml_program.global_load @g : tensor<4xi4>
  return %0, %1, %2, %3, %4, %5 : tensor<4xi4>, tensor<0xi4>, tensor<2xi12>, tensor<2xi1>, tensor<4xi4>, tensor<4xi4>
}

// 15 is -1 in 4 bits.
// CHECK: blob.wide: "0x{{[0-9]+}}010203FF"
{-#
  dialect_resources: { builtin: { blob: "0x040000000102030F" } }
#-}

// -----

// Elements are truncated where they are read and extended where they are
// written.

// CHECK-LABEL: func.func @elements(
// CHECK-SAME:    %[[X:.*]]: tensor<4xi8>, %[[S:.*]]: i4, %[[I:.*]]: index)
// CHECK:         %[[E:.*]] = tensor.extract %[[X]][%[[I]]] : tensor<4xi8>
// CHECK-NEXT:    %[[T:.*]] = arith.trunci %[[E]] : i8 to i4
// CHECK:         %[[W:.*]] = arith.extsi %[[S]] : i4 to i8
// CHECK-NEXT:    tensor.insert %[[W]] into %[[X]]
// CHECK:         tensor.from_elements %{{.*}}, %{{.*}} : tensor<2xi8>
// CHECK:         tensor.splat %{{.*}} : tensor<4xi8>
// CHECK:         tensor.pad
// CHECK:           %[[P:.*]] = arith.extsi %[[S]] : i4 to i8
// CHECK:           tensor.yield %[[P]] : i8
// CHECK:         return %[[T]]
func.func @elements(%x: tensor<4xi4>, %s: i4, %i: index) -> (i4, tensor<4xi4>, tensor<2xi4>, tensor<4xi4>, tensor<6xi4>) {
  %0 = tensor.extract %x[%i] : tensor<4xi4>
  %1 = tensor.insert %s into %x[%i] : tensor<4xi4>
  %2 = tensor.from_elements %s, %0 : tensor<2xi4>
  %3 = tensor.splat %s : tensor<4xi4>
  %4 = tensor.pad %x low[1] high[1] {
  ^bb0(%p: index):
    tensor.yield %s : i4
  } : tensor<4xi4> to tensor<6xi4>
  return %0, %1, %2, %3, %4 : i4, tensor<4xi4>, tensor<2xi4>, tensor<4xi4>, tensor<6xi4>
}

// CHECK-LABEL: func.func @generic(
// CHECK-SAME:    %[[X:.*]]: tensor<4xi8>, %[[Y:.*]]: tensor<4xi8>)
// CHECK:         linalg.generic {{.*}} ins(%[[X]], %{{.*}} : tensor<4xi8>, i4) outs(%[[Y]] : tensor<4xi8>)
// CHECK-NEXT:    ^bb0(%[[A:.*]]: i8, %[[S:.*]]: i4, %[[O:.*]]: i8):
// CHECK-NEXT:      %[[A4:.*]] = arith.trunci %[[A]] : i8 to i4
// CHECK-NEXT:      %[[O4:.*]] = arith.trunci %[[O]] : i8 to i4
// CHECK-NEXT:      %[[SUM:.*]] = arith.addi %[[A4]], %[[S]] : i4
// CHECK-NEXT:      %[[MAX:.*]] = arith.maxsi %[[SUM]], %[[O4]] : i4
// CHECK-NEXT:      %[[WIDE:.*]] = arith.extsi %[[MAX]] : i4 to i8
// CHECK-NEXT:      linalg.yield %[[WIDE]] : i8
#id = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>
func.func @generic(%x: tensor<4xi4>, %y: tensor<4xi4>) -> tensor<4xi4> {
  %s = arith.constant 3 : i4
  %0 = linalg.generic {indexing_maps = [#id, #none, #id], iterator_types = ["parallel"]}
      ins(%x, %s : tensor<4xi4>, i4) outs(%y : tensor<4xi4>) {
  ^bb0(%a: i4, %b: i4, %o: i4):
    %sum = arith.addi %a, %b : i4
    %max = arith.maxsi %sum, %o : i4
    linalg.yield %max : i4
  } -> tensor<4xi4>
  return %0 : tensor<4xi4>
}

// Named ops and elementwise ops become generic.

// CHECK-LABEL: func.func @named(
// CHECK-SAME:    %[[X:.*]]: tensor<4x?xi8>, %[[Y:.*]]: tensor<?x3xi8>
// CHECK:         linalg.generic {{.*}}"reduction"]} ins(%[[X]], %[[Y]] : tensor<4x?xi8>, tensor<?x3xi8>) outs(%{{.*}} : tensor<4x3xi32>)
// CHECK:           arith.trunci {{.*}} : i8 to i4
// CHECK:           arith.trunci {{.*}} : i8 to i4
// CHECK-COUNT-2:   arith.extsi {{.*}} : i4 to i32
// CHECK:         linalg.generic {{.*}} ins(%[[X]] : tensor<4x?xi8>)
// CHECK:           arith.trunci {{.*}} : i8 to i4
// CHECK-NEXT:      arith.uitofp {{.*}} : i4 to f32
func.func @named(%x: tensor<4x?xi4>, %y: tensor<?x3xi4>, %z: tensor<4x3xi32>) -> (tensor<4x3xi32>, tensor<4x?xf32>) {
  %0 = linalg.matmul ins(%x, %y : tensor<4x?xi4>, tensor<?x3xi4>) outs(%z : tensor<4x3xi32>) -> tensor<4x3xi32>
  %1 = arith.uitofp %x : tensor<4x?xi4> to tensor<4x?xf32>
  return %0, %1 : tensor<4x3xi32>, tensor<4x?xf32>
}

// -----

// A function of the LLVM dialect without a result stays as it is.

// CHECK: llvm.func @free(!llvm.ptr){{$}}
llvm.func @free(!llvm.ptr)
