// Passes that know nothing of encodings leave every denoted value unchanged:
// quantize-decode pairs survive, values are only forwarded or merged when they
// are equal.
// RUN: compress-opt %s -canonicalize | FileCheck %s --check-prefixes=CHECK
// RUN: compress-opt %s -cse | FileCheck %s --check-prefixes=CHECK,CSE
// RUN: compress-opt %s -sccp | FileCheck %s --check-prefixes=CHECK,SCCP
// RUN: compress-opt %s -inline | FileCheck %s --check-prefixes=CHECK,INLINE
// RUN: compress-opt %s -loop-invariant-code-motion | FileCheck %s --check-prefixes=CHECK,LICM
// RUN: compress-opt %s -linalg-fuse-elementwise-ops | FileCheck %s --check-prefixes=CHECK,FUSE
// RUN: compress-opt %s -linalg-generalize-named-ops | FileCheck %s --check-prefixes=CHECK,GENERALIZE
// All of them in a row, and the rules hold still.
// RUN: compress-opt %s -canonicalize -cse -sccp -inline \
// RUN:   -loop-invariant-code-motion -linalg-generalize-named-ops \
// RUN:   -linalg-fuse-elementwise-ops -canonicalize -cse -symbol-dce -compress-verify \
// RUN:   | FileCheck %s --check-prefix=CHECK

!e = tensor<4x4xf32, #compress.affine<i8>>
!h = tensor<4x4xf16, #compress.affine<i8>>

//===----------------------------------------------------------------------===//
// Pairs of quantize and decode
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @pair(
// CHECK: %[[Q:.*]] = compress.quantize
// CHECK: %[[D:.*]] = compress.decode %[[Q]]
// CHECK: return %[[D]]
func.func @pair(%x: tensor<4x4xf32>, %s: tensor<f32>) -> tensor<4x4xf32> {
  %q = compress.quantize %x, %s : tensor<4x4xf32>, tensor<f32> to !e
  %d = compress.decode %q : !e -> tensor<4x4xf32>
  return %d : tensor<4x4xf32>
}

// Of constants too: neither folded to the constant, nor evaluated.
// CHECK-LABEL: func.func @pair_of_constant(
// CHECK: %[[E:.*]] = compress.encode
// CHECK: %[[D:.*]] = compress.decode %[[E]]
// CHECK: return %[[D]]
func.func @pair_of_constant() -> tensor<4x4xf32> {
  %x = arith.constant dense<0.3> : tensor<4x4xf32>
  %q = compress.encode %x : tensor<4x4xf32> to !e
  %d = compress.decode %q : !e -> tensor<4x4xf32>
  return %d : tensor<4x4xf32>
}

// CHECK-LABEL: func.func @encoded_constant(
// CHECK: %[[C:.*]] = compress.constant #compress.encoded<[dense<3> : tensor<4x4xi8>, dense<5.000000e-01> : tensor<f32>]>
// CHECK: %[[D:.*]] = compress.decode %[[C]]
// CHECK: return %[[D]]
func.func @encoded_constant() -> tensor<4x4xf32> {
  %e = compress.constant #compress.encoded<[dense<3> : tensor<4x4xi8>, dense<0.5> : tensor<f32>]> : !e
  %d = compress.decode %e : !e -> tensor<4x4xf32>
  return %d : tensor<4x4xf32>
}

// Two losses in a row with f16 in between are two losses.
// CHECK-LABEL: func.func @two_pairs(
// CHECK: compress.quantize
// CHECK: compress.decode
// CHECK: compress.quantize
// CHECK: compress.decode
func.func @two_pairs(%x: tensor<4x4xf16>, %s: tensor<f32>) -> tensor<4x4xf16> {
  %q = compress.quantize %x, %s : tensor<4x4xf16>, tensor<f32> to !h
  %d = compress.decode %q : !h -> tensor<4x4xf16>
  %q1 = compress.quantize %d, %s : tensor<4x4xf16>, tensor<f32> to !h
  %d1 = compress.decode %q1 : !h -> tensor<4x4xf16>
  return %d1 : tensor<4x4xf16>
}

//===----------------------------------------------------------------------===//
// CSE
//===----------------------------------------------------------------------===//

// Equal ops are merged; ops that differ in scale, type or attribute are not.
// CHECK-LABEL: func.func @merge(
// CSE: %[[Q:.*]] = compress.quantize %{{.*}}, %[[S:.*]] :
// CSE-NOT: compress.quantize %{{.*}}, %[[S]] :
// CSE: %[[T:.*]] = compress.quantize
// CSE: return %[[Q]], %[[Q]], %[[T]]
func.func @merge(%x: tensor<4x4xf32>, %s: tensor<f32>, %t: tensor<f32>) -> (!e, !e, !e) {
  %0 = compress.quantize %x, %s : tensor<4x4xf32>, tensor<f32> to !e
  %1 = compress.quantize %x, %s : tensor<4x4xf32>, tensor<f32> to !e
  %2 = compress.quantize %x, %t : tensor<4x4xf32>, tensor<f32> to !e
  return %0, %1, %2 : !e, !e, !e
}

// CHECK-LABEL: func.func @merge_calibrated(
// CSE-COUNT-2: compress.encode
func.func @merge_calibrated(%x: tensor<4x4xf32>) -> (!e, !e) {
  %0 = compress.encode %x {compress.calibration = "a"} : tensor<4x4xf32> to !e
  %1 = compress.encode %x {compress.calibration = "b"} : tensor<4x4xf32> to !e
  return %0, %1 : !e, !e
}

// Each observation counts.
// CHECK-LABEL: func.func @observed(
// CHECK-COUNT-2: compress.observe
func.func @observed(%x: tensor<4x4xf32>) {
  compress.observe %x {name = "x"} : tensor<4x4xf32>
  compress.observe %x {name = "x"} : tensor<4x4xf32>
  return
}

//===----------------------------------------------------------------------===//
// SCCP
//===----------------------------------------------------------------------===//

// An encoded constant goes through control flow and is materialized as
// compress.constant, its components as arith.constant.
// CHECK-LABEL: func.func @propagate(
// SCCP-DAG: %[[C:.*]] = compress.constant
// SCCP-DAG: %[[V:.*]] = arith.constant dense<3> : tensor<4x4xi8>
// SCCP: return %[[C]], %[[V]]
// CHECK: }
func.func @propagate(%c: i1) -> (!e, tensor<4x4xi8>) {
  %0 = scf.if %c -> !e {
    %1 = compress.constant #compress.encoded<[dense<3> : tensor<4x4xi8>, dense<0.5> : tensor<f32>]> : !e
    scf.yield %1 : !e
  } else {
    %1 = compress.constant #compress.encoded<[dense<3> : tensor<4x4xi8>, dense<0.5> : tensor<f32>]> : !e
    scf.yield %1 : !e
  }
  %v = compress.component %0["values"] : !e -> tensor<4x4xi8>
  return %0, %v : !e, tensor<4x4xi8>
}

// Two constants of the same codes in other scales are not one.
// CHECK-LABEL: func.func @propagate_other(
// SCCP: %[[I:.*]] = scf.if
// SCCP: %[[S:.*]] = compress.component %[[I]]["scales"]
// SCCP: return %[[S]]
// CHECK: }
func.func @propagate_other(%c: i1) -> tensor<f32> {
  %0 = scf.if %c -> !e {
    %1 = compress.constant #compress.encoded<[dense<3> : tensor<4x4xi8>, dense<0.5> : tensor<f32>]> : !e
    scf.yield %1 : !e
  } else {
    %1 = compress.constant #compress.encoded<[dense<3> : tensor<4x4xi8>, dense<0.25> : tensor<f32>]> : !e
    scf.yield %1 : !e
  }
  %s = compress.component %0["scales"] : !e -> tensor<f32>
  return %s : tensor<f32>
}

//===----------------------------------------------------------------------===//
// Inliner
//===----------------------------------------------------------------------===//

func.func private @callee(%e: !e, %x: tensor<4x4xf32>) -> (!e, tensor<4x4xf32>) {
  compress.observe %x {name = "x"} : tensor<4x4xf32>
  %s, %q = func.call @inner(%x) : (tensor<4x4xf32>) -> (tensor<f32>, !e)
  %f = compress.fake_quant %x, %s as !e : tensor<4x4xf32>, tensor<f32>
  return %q, %f : !e, tensor<4x4xf32>
}
func.func private @inner(%x: tensor<4x4xf32>) -> (tensor<f32>, !e) {
  %s = compress.choose_params %x for !e : tensor<4x4xf32> -> tensor<f32>
  %q = compress.quantize %x, %s : tensor<4x4xf32>, tensor<f32> to !e
  return %s, %q : tensor<f32>, !e
}

// CHECK-LABEL: func.func @inlined(
// INLINE-NOT: call
// INLINE: compress.observe
// INLINE: compress.choose_params
// INLINE: %[[Q:.*]] = compress.quantize
// INLINE: %[[F:.*]] = compress.fake_quant
// INLINE: return %[[Q]], %[[F]]
func.func @inlined(%e: !e, %x: tensor<4x4xf32>) -> (!e, tensor<4x4xf32>) {
  %0:2 = func.call @callee(%e, %x) : (!e, tensor<4x4xf32>) -> (!e, tensor<4x4xf32>)
  return %0#0, %0#1 : !e, tensor<4x4xf32>
}

//===----------------------------------------------------------------------===//
// LICM
//===----------------------------------------------------------------------===//

// The pair goes out of the loop as a pair; what is observed in each round stays.
// CHECK-LABEL: func.func @invariant(
// LICM: compress.encode
// LICM-NEXT: compress.decode
// LICM: scf.for
// LICM-NEXT: compress.observe
// CHECK: return
func.func @invariant(%n: index, %x: tensor<4x4xf32>, %o: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %o) -> tensor<4x4xf32> {
    compress.observe %x {name = "x"} : tensor<4x4xf32>
    %e = compress.encode %x : tensor<4x4xf32> to !e
    %d = compress.decode %e : !e -> tensor<4x4xf32>
    %1 = arith.addf %a, %d : tensor<4x4xf32>
    scf.yield %1 : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

//===----------------------------------------------------------------------===//
// linalg
//===----------------------------------------------------------------------===//

// The encoded operand stays the operand, read through the same map.
// CHECK-LABEL: func.func @fuse(
// CHECK-SAME: %[[E:[a-z0-9]*]]: tensor<4x4xf32, #
// FUSE: linalg.generic
// FUSE-SAME: ins(%[[E]], %{{.*}} : tensor<4x4xf32, #{{.*}}>, tensor<4x4xf32>)
// FUSE: arith.negf
// FUSE: arith.addf
// FUSE-NOT: linalg.generic
// FUSE: return
func.func @fuse(%e: !e, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %o = tensor.empty() : tensor<4x4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%e : !e) outs(%o : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %n = arith.negf %a : f32
    linalg.yield %n : f32
  } -> tensor<4x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%0, %y : tensor<4x4xf32>, tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %n = arith.addf %a, %b : f32
    linalg.yield %n : f32
  } -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// CHECK-LABEL: func.func @generalize(
// CHECK-SAME: %{{.*}}: tensor<4x4xf32>, %[[E:[a-z0-9]*]]: tensor<4x4xf32, #
// GENERALIZE: linalg.generic
// GENERALIZE-SAME: ins(%{{.*}}, %[[E]] : tensor<4x4xf32>, tensor<4x4xf32, #{{.*}}>)
// CHECK: return
func.func @generalize(%x: tensor<4x4xf32>, %e: !e, %o: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = linalg.matmul ins(%x, %e : tensor<4x4xf32>, !e) outs(%o : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
