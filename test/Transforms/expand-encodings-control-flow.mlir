// RUN: compress-opt %s --compress-expand-encodings --split-input-file | FileCheck %s
// RUN: compress-opt %s --compress-expand-encodings --split-input-file --mlir-print-op-generic | FileCheck %s --check-prefix=NONE

// NONE-NOT: #compress
// NONE-NOT: "compress.
// NONE-NOT: unrealized_conversion_cast

!t = tensor<4x6xf32, #compress.affine<i4, block = [1, *]>>

// CHECK-LABEL: func.func @for(
// CHECK-SAME:    %[[V:[^ ,:]*]]: tensor<4x3xi8> {{.*}}, %[[S:[^ ,:]*]]: tensor<4xf32> {{.*}}, %[[V2:[^ ,:]*]]: tensor<4x3xi8> {{.*}}, %[[S2:[^ ,:]*]]: tensor<4xf32> {{.*}}, %[[C:[^ ,:]*]]: i1, %[[N:[^ ,:]*]]: index)
// CHECK:         %[[R:[^ ,:]*]]:4 = scf.for %{{.*}} = %[[N]] to %[[N]] step %[[N]] iter_args(%[[C0:[^ ,:]*]] = %[[C]], %[[VI:[^ ,:]*]] = %[[V]], %[[SI:[^ ,:]*]] = %[[S]], %[[C1:[^ ,:]*]] = %[[C]]) -> (i1, tensor<4x3xi8>, tensor<4xf32>, i1) {
// CHECK-NEXT:      %[[IF:[^ ,:]*]]:2 = scf.if %[[C0]] -> (tensor<4x3xi8>, tensor<4xf32>) {
// CHECK-NEXT:        scf.yield %[[VI]], %[[SI]]
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %[[V2]], %[[S2]]
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.yield %[[C1]], %[[IF]]#0, %[[IF]]#1, %[[C0]]
// CHECK:         } {foo.loop}
// CHECK-NEXT:    return %[[R]]#1, %[[R]]#2, %[[R]]#3
func.func @for(%w: !t, %u: !t, %c: i1, %n: index) -> (!t, i1) {
  %r:3 = scf.for %i = %n to %n step %n
      iter_args(%c0 = %c, %x = %w, %c1 = %c) -> (i1, !t, i1) {
    %y = scf.if %c0 -> !t {
      scf.yield %x : !t
    } else {
      scf.yield %u : !t
    }
    scf.yield %c1, %y, %c0 : i1, !t, i1
  } {foo.loop}
  return %r#1, %r#2 : !t, i1
}

// CHECK-LABEL: func.func @while(
// CHECK-SAME:    %[[V:[^ ,:]*]]: tensor<4x3xi8> {{.*}}, %[[S:[^ ,:]*]]: tensor<4xf32> {{.*}}, %[[C:[^ ,:]*]]: i1)
// CHECK:         %[[R:[^ ,:]*]]:5 = scf.while (%[[VA:[^ ,:]*]] = %[[V]], %[[SA:[^ ,:]*]] = %[[S]], %[[CA:[^ ,:]*]] = %[[C]])
// CHECK:           scf.condition(%[[CA]]) %[[V]], %[[S]], %[[CA]], %[[VA]], %[[SA]]
// CHECK:         ^bb0(%[[VB:[^ ,:]*]]: tensor<4x3xi8>, %[[SB:[^ ,:]*]]: tensor<4xf32>, %[[CB:[^ ,:]*]]: i1, %[[VC:[^ ,:]*]]: tensor<4x3xi8>, %[[SC:[^ ,:]*]]: tensor<4xf32>):
// CHECK-NEXT:      scf.yield %[[VC]], %[[SC]], %[[CB]]
// CHECK:         return %[[R]]#0, %[[R]]#1, %[[R]]#3, %[[R]]#4
func.func @while(%w: !t, %c: i1) -> (!t, !t) {
  %r:3 = scf.while (%x = %w, %ci = %c) : (!t, i1) -> (!t, i1, !t) {
    scf.condition(%ci) %w, %ci, %x : !t, i1, !t
  } do {
  ^bb0(%x: !t, %ci: i1, %y: !t):
    scf.yield %y, %ci : !t, i1
  }
  return %r#0, %r#2 : !t, !t
}

// CHECK-LABEL: func.func @regions(
// CHECK-SAME:    %[[V:[^ ,:]*]]: tensor<4x3xi8> {{.*}}, %[[S:[^ ,:]*]]: tensor<4xf32> {{.*}}, %[[N:[^ ,:]*]]: index, %{{.*}}: tensor<4x6xf32>)
// CHECK:         %[[E:[^ ,:]*]]:2 = scf.execute_region -> (tensor<4x3xi8>, tensor<4xf32>) no_inline {
// CHECK-NEXT:      scf.yield %[[V]], %[[S]]
// CHECK:         %[[I:[^ ,:]*]]:2 = scf.index_switch %[[N]] -> tensor<4x3xi8>, tensor<4xf32>
// CHECK-NEXT:    case 2 {
// CHECK-NEXT:      scf.yield %[[E]]#0, %[[E]]#1
// CHECK:         default {
// CHECK-NEXT:      scf.yield %[[V]], %[[S]]
// CHECK:         scf.forall
// CHECK:           linalg.generic {{.*}} ins(%[[I]]#0
// CHECK:           tensor.parallel_insert_slice
// CHECK:         return
func.func @regions(%w: !t, %n: index, %out: tensor<4x6xf32>)
    -> tensor<4x6xf32> {
  %e = scf.execute_region -> !t no_inline {
    scf.yield %w : !t
  }
  %i = scf.index_switch %n -> !t
  case 2 {
    scf.yield %e : !t
  }
  default {
    scf.yield %w : !t
  }
  %r = scf.forall (%k) in (1) shared_outs(%o = %out) -> tensor<4x6xf32> {
    %d = compress.decode %i : !t -> tensor<4x6xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[0, 0] [4, 6] [1, 1]
        : tensor<4x6xf32> into tensor<4x6xf32>
    }
  }
  return %r : tensor<4x6xf32>
}

// Operand segments of branches grow with their operands.

// CHECK-LABEL: func.func @branches(
// CHECK-SAME:    %[[V:[^ ,:]*]]: tensor<4x3xi8> {{.*}}, %[[S:[^ ,:]*]]: tensor<4xf32> {{.*}}, %[[C:[^ ,:]*]]: i1, %[[F:[^ ,:]*]]: i32)
// CHECK-NEXT:    cf.cond_br %[[C]], ^[[A:[^ ,:]*]](%[[C]], %[[V]], %[[S]] : i1, tensor<4x3xi8>, tensor<4xf32>), ^[[B:[^ ,:]*]](%[[V]], %[[S]] : tensor<4x3xi8>, tensor<4xf32>)
// CHECK-NEXT:  ^[[B]](%[[VB:[^ ,:]*]]: tensor<4x3xi8>, %[[SB:[^ ,:]*]]: tensor<4xf32>):
// CHECK-NEXT:    cf.switch %[[F]] : i32, [
// CHECK-NEXT:      default: ^[[A]](%[[C]], %[[VB]], %[[SB]] : i1, tensor<4x3xi8>, tensor<4xf32>),
// CHECK-NEXT:      1: ^[[D:[^ ,:]*]],
// CHECK-NEXT:      7: ^[[A]](%[[C]], %[[V]], %[[S]] : i1, tensor<4x3xi8>, tensor<4xf32>),
// CHECK-NEXT:      9: ^[[B]](%[[VB]], %[[SB]] : tensor<4x3xi8>, tensor<4xf32>)
// CHECK:       ^[[D]]:
// CHECK-NEXT:    cf.br ^[[A]](%[[C]], %[[VB]], %[[SB]] : i1, tensor<4x3xi8>, tensor<4xf32>)
// CHECK-NEXT:  ^[[A]](%{{.*}}: i1, %[[VA:[^ ,:]*]]: tensor<4x3xi8>, %[[SA:[^ ,:]*]]: tensor<4xf32>):
// CHECK-NEXT:    return %[[VA]], %[[SA]]
func.func @branches(%w: !t, %c: i1, %f: i32) -> !t {
  cf.cond_br %c, ^a(%c, %w : i1, !t), ^b(%w : !t)
^b(%wb: !t):
  cf.switch %f : i32, [
    default: ^a(%c, %wb : i1, !t),
    1: ^d,
    7: ^a(%c, %w : i1, !t),
    9: ^b(%wb : !t)
  ]
^d:
  cf.br ^a(%c, %wb : i1, !t)
^a(%ca: i1, %wa: !t):
  return %wa : !t
}

// An irreducible graph in an order that is not one of dominance, with a block
// that nothing reaches.

// CHECK-LABEL: func.func @anyOrder(
// CHECK-SAME:    %[[V:[^ ,:]*]]: tensor<4x3xi8> {{.*}}, %[[S:[^ ,:]*]]: tensor<4xf32> {{.*}}, %[[C:[^ ,:]*]]: i1)
// CHECK-NEXT:    cf.br ^[[LAST:bb.*]]
// CHECK-NEXT:  ^{{.*}}:
// CHECK-NEXT:    return %[[X:[^ ,:]*]], %[[Y:[^ ,:]*]] :
// CHECK-NEXT:  ^[[LAST]]:
// CHECK-NEXT:    %[[X]] = arith.select %[[C]], %[[V]], %[[V]]
// CHECK-NEXT:    %[[Y]] = arith.select %[[C]], %[[S]], %[[S]]
// CHECK-NEXT:    cf.br
// CHECK-NEXT:  }
func.func @anyOrder(%w: !t, %c: i1) -> !t {
  cf.br ^last
^use:
  return %x : !t
^unreachable:
  %z = arith.select %c, %z, %w : !t
  cf.br ^unreachable
^last:
  %x = arith.select %c, %w, %w : !t
  cf.br ^use
}

// -----

// A cast refines each component; sizes that one type shows as components
// appear and disappear.

!static = tensor<4x6xf32, #compress.nm<2:4, dim = 1, values = #compress.affine<i4, block = [1, *]>>>
!dynamic = tensor<?x?xf32, #compress.nm<2:4, dim = 1, values = #compress.affine<i4, block = [1, *]>>>

// CHECK-LABEL: func.func @toDynamic(
// CHECK-SAME:    %[[V:[^ ,:]*]]: tensor<4x2xi8> {{.*}}, %[[S:[^ ,:]*]]: tensor<4xf32> {{.*}}, %[[M:[^ ,:]*]]: tensor<4x1xi8> {{.*}})
// CHECK-DAG:     %[[DV:[^ ,:]*]] = tensor.cast %[[V]] : tensor<4x2xi8> to tensor<?x?xi8>
// CHECK-DAG:     %[[DS:[^ ,:]*]] = tensor.cast %[[S]] : tensor<4xf32> to tensor<?xf32>
// CHECK-DAG:     %[[DM:[^ ,:]*]] = tensor.cast %[[M]] : tensor<4x1xi8> to tensor<?x?xi8>
// CHECK-DAG:     %[[C4:[^ ,:]*]] = arith.constant 4 : index
// CHECK-DAG:     %[[C6:[^ ,:]*]] = arith.constant 6 : index
// CHECK:         return %[[DV]], %[[DS]], %[[C4]], %[[DM]], %[[C6]]
func.func @toDynamic(%w: !static) -> !dynamic {
  %0 = tensor.cast %w : !static to !dynamic
  return %0 : !dynamic
}

// CHECK-LABEL: func.func @toStatic(
// CHECK-SAME:    %[[V:[^ ,:]*]]: tensor<?x?xi8> {{.*}}, %[[S:[^ ,:]*]]: tensor<?xf32> {{.*}}, %{{.*}}: index {{.*}}, %[[M:[^ ,:]*]]: tensor<?x?xi8> {{.*}}, %{{.*}}: index {{.*}})
// CHECK-DAG:     %[[DV:[^ ,:]*]] = tensor.cast %[[V]] : tensor<?x?xi8> to tensor<4x2xi8>
// CHECK-DAG:     %[[DS:[^ ,:]*]] = tensor.cast %[[S]] : tensor<?xf32> to tensor<4xf32>
// CHECK-DAG:     %[[DM:[^ ,:]*]] = tensor.cast %[[M]] : tensor<?x?xi8> to tensor<4x1xi8>
// CHECK:         return %[[DV]], %[[DS]], %[[DM]]
func.func @toStatic(%w: !dynamic) -> !static {
  %0 = tensor.cast %w : !dynamic to !static
  return %0 : !static
}
