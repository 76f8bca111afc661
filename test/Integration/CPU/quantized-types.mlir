// Types of the quant dialect in signatures, block arguments and loops: the whole
// lowering leaves none, with and without canonicalization between its stages,
// and the program runs.

// RUN: compress-run %s --input=fill=1.25 --print | FileCheck %s
// RUN: compress-run %s --input=fill=1.25 --print --pipeline='builtin.module(canonicalize,cse)' | FileCheck %s
// RUN: compress-run %s --input=fill=1.25 --print --pipeline='builtin.module(convert-quant-to-compress)' | FileCheck %s
// RUN: compress-run %s --input=fill=1.25 --print --pipeline='builtin.module(convert-quant-to-compress,canonicalize,cse,compress-expand-encodings,canonicalize)' | FileCheck %s
// RUN: compress-run %s --input=fill=1.25 --print --pipeline='builtin.module(compress-integrate-qdq,compress-expand-encodings)' | FileCheck %s
// CHECK: result #0: 8xi8 = [2, 2, 2, 2, 2, 2, 2, 2]
// CHECK: result #1: 8xf32 = [1, 1, 1, 1, 1, 1, 1, 1]
// CHECK: result #2: 8xi8 = [2, 2, 2, 2, 2, 2, 2, 2]
// CHECK: result #3: 8xi8 = [-128, -128, -128, -128, -128, -128, -128, -128]

// RUN: compress-opt %s --compress-to-llvm | FileCheck %s --check-prefix=NONE
// RUN: compress-opt %s --canonicalize --compress-to-llvm --canonicalize | FileCheck %s --check-prefix=NONE
// RUN: compress-opt %s --convert-quant-to-compress --compress-select-strategy --compress-lower-contractions --compress-expand-encodings --compress-linalg-to-llvm | FileCheck %s --check-prefix=NONE
// NONE: llvm.func @main
// NONE-NOT: quant.
// NONE-NOT: {{["#!]compress\.[^s]}}
// NONE-NOT: unrealized

!q = !quant.uniform<i8:f32, 0.5>
!low = !quant.uniform<i8:f32, 0.5:-128>

func.func private @through(%x: tensor<8x!q>, %c: i1) -> tensor<8x!q> {
  cf.cond_br %c, ^left(%x : tensor<8x!q>), ^right
^left(%y: tensor<8x!q>):
  return %y : tensor<8x!q>
^right:
  cf.br ^left(%x : tensor<8x!q>)
}

func.func @main(%x: tensor<8xf32>) -> (tensor<8xi8>, tensor<8xf32>, tensor<8xi8>, tensor<8xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %true = arith.constant true
  %q = quant.qcast %x : tensor<8xf32> to tensor<8x!q>
  %s = quant.scast %q : tensor<8x!q> to tensor<8xi8>

  // 1.25 is 2.5 steps: 2, and 2 is 1.0, and stays so.
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %q) -> (tensor<8x!q>) {
    %d = quant.dcast %a : tensor<8x!q> to tensor<8xf32>
    %b = quant.qcast %d : tensor<8xf32> to tensor<8x!q>
    %t = func.call @through(%b, %true) : (tensor<8x!q>, i1) -> tensor<8x!q>
    scf.yield %t : tensor<8x!q>
  }
  %d = quant.dcast %r : tensor<8x!q> to tensor<8xf32>
  %rs = quant.scast %r : tensor<8x!q> to tensor<8xi8>

  // Zero is the code -128 here.
  %zero = arith.constant dense<-0.0> : tensor<8xf32>
  %z = quant.qcast %zero : tensor<8xf32> to tensor<8x!low>
  %zs = quant.scast %z : tensor<8x!low> to tensor<8xi8>
  return %s, %d, %rs, %zs : tensor<8xi8>, tensor<8xf32>, tensor<8xi8>, tensor<8xi8>
}
