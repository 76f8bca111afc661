// RUN: compress-opt %s --convert-quant-to-compress --canonicalize | FileCheck %s
// RUN: compress-opt %s --convert-quant-to-compress | FileCheck %s --check-prefix=NONE

// NONE-NOT: quant.
!q = !quant.uniform<i8:f32, 0.5>
!narrow = !quant.uniform<i8<-127:127>:f32, 0.5>
!axis = !quant.uniform<u8:f32:1, {0.5:128, 0.25:3}>
!sub = !quant.uniform<i8:f32:{0:1, 1:2}, {{1.0,2.0},{3.0,4.0},{5.0,6.0}}>

// CHECK-DAG: #[[$FULL:.*]] = #compress.affine<i8, full_range>
// CHECK-DAG: #[[$NARROW:.*]] = #compress.affine<i8>
// CHECK-DAG: #[[$AXIS:.*]] = #compress.affine<ui8, asymmetric, block = [*, 1]>
// CHECK-DAG: #[[$SUB:.*]] = #compress.affine<i8, full_range, block = [1, 2]>

// CHECK-LABEL: func @storage
// CHECK: %[[Q:.*]] = compress.quantize %arg0, {{.*}} to tensor<8xf32, #[[$FULL]]>
// CHECK: %[[V:.*]] = compress.component %[[Q]]["values"]
// CHECK: return %[[V]] : tensor<8xi8>
func.func @storage(%x: tensor<8xf32>) -> tensor<8xi8> {
  %0 = quant.qcast %x : tensor<8xf32> to tensor<8x!q>
  %1 = quant.scast %0 : tensor<8x!q> to tensor<8xi8>
  return %1 : tensor<8xi8>
}

// A pair of qcast and dcast keeps its loss.
// CHECK-LABEL: func @pair
// CHECK: %[[Q:.*]] = compress.quantize {{.*}} #[[$NARROW]]>
// CHECK: %[[D:.*]] = compress.decode %[[Q]]
// CHECK: return %[[D]]
func.func @pair(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = quant.qcast %x : tensor<?xf32> to tensor<?x!narrow>
  %1 = quant.dcast %0 : tensor<?x!narrow> to tensor<?xf32>
  return %1 : tensor<?xf32>
}

// Through arguments, results, calls and loops.
// CHECK-LABEL: func @flow
// CHECK-SAME: %[[Y:.*]]: tensor<?x2xi8>, %{{.*}}: index) -> (tensor<?x2xf32>, tensor<?x2xi8>)
// CHECK: scf.for {{.*}} -> (tensor<?x2xi8>)
// CHECK: compress.assemble {{.*}} -> tensor<?x2xf32, #[[$AXIS]]>
// CHECK: call @flow({{.*}}) : (tensor<?x2xf32>, tensor<?x2xi8>, index) -> (tensor<?x2xf32>, tensor<?x2xi8>)
func.func @flow(%x: tensor<?x2xf32>, %y: tensor<?x2x!axis>, %n: index) -> (tensor<?x2xf32>, tensor<?x2x!axis>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = quant.qcast %x : tensor<?x2xf32> to tensor<?x2x!axis>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %0) -> (tensor<?x2x!axis>) {
    scf.yield %y : tensor<?x2x!axis>
  }
  %1 = quant.dcast %r : tensor<?x2x!axis> to tensor<?x2xf32>
  %2:2 = func.call @flow(%1, %r, %n) : (tensor<?x2xf32>, tensor<?x2x!axis>, index) -> (tensor<?x2xf32>, tensor<?x2x!axis>)
  return %1, %2#1 : tensor<?x2xf32>, tensor<?x2x!axis>
}

// CHECK-LABEL: func @sub_channel
// CHECK: arith.constant dense<{{\[}}[1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00], [5.000000e+00, 6.000000e+00]]> : tensor<3x2xf32>
// CHECK: compress.quantize {{.*}} #[[$SUB]]>
// CHECK: compress.decode
func.func @sub_channel(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %0 = quant.qcast %x : tensor<3x4xf32> to tensor<3x4x!sub>
  %1 = quant.dcast %0 : tensor<3x4x!sub> to tensor<3x4xf32>
  return %1 : tensor<3x4xf32>
}

// Blocks that only a switch reaches, and a loop of branches.
// CHECK-LABEL: func @branches
// CHECK: cf.switch
// CHECK-NEXT: default: ^[[B:.*]](%{{.*}} : tensor<8xi8>),
// CHECK: ^[[B]](%{{.*}}: tensor<8xi8>)
func.func @branches(%x: tensor<8xf32>, %c: i32, %b: i1) -> tensor<8xi8> {
  %q = quant.qcast %x : tensor<8xf32> to tensor<8x!q>
  cf.switch %c : i32, [default: ^a(%q : tensor<8x!q>), 1: ^b(%q : tensor<8x!q>)]
^a(%y: tensor<8x!q>):
  cf.cond_br %b, ^a(%y : tensor<8x!q>), ^b(%y : tensor<8x!q>)
^b(%z: tensor<8x!q>):
  %s = quant.scast %z : tensor<8x!q> to tensor<8xi8>
  return %s : tensor<8xi8>
}
