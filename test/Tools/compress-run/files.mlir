// .npy files in and out, and the same module as bytecode and in the LLVM
// dialect.

// RUN: compress-run %s --entry=make --output=%t.a.npy --output=%t.b.npy --output=%t.c.npy
// RUN: compress-run %s --input=%t.a.npy --input=%t.b.npy --input=%t.c.npy --print | FileCheck %s
// RUN: mlir-opt %s --emit-bytecode -o %t.bc
// RUN: compress-run %t.bc --input=%t.a.npy --input=%t.b.npy --input=%t.c.npy --print | FileCheck %s
// RUN: cat %s | compress-run - --input=%t.a.npy --input=%t.b.npy --input=%t.c.npy --print | FileCheck %s

// Random numbers are a function of the seed, and only of it.
// RUN: compress-run %s --entry=copy --input=random:5 --seed=1 --output=%t.1.npy
// RUN: compress-run %s --entry=copy --input=random:5 --seed=1 --output=%t.2.npy
// RUN: compress-run %s --entry=copy --input=random:5 --seed=2 --output=%t.3.npy
// RUN: cmp %t.1.npy %t.2.npy
// RUN: not cmp -s %t.1.npy %t.3.npy

// CHECK: result #0: 2x3xbf16 = {{\[\[}}1, 2, 3], [4, 5, 6]]
// CHECK: result #1: 2xi8 = [-1, 5]
// CHECK: result #2: 2xf16 = [0.5, 65504]
func.func @main(%a: tensor<?x3xbf16>, %b: tensor<2xi8>, %c: tensor<?xf16>)
    -> (tensor<?x3xbf16>, tensor<2xi8>, tensor<?xf16>) {
  return %a, %b, %c : tensor<?x3xbf16>, tensor<2xi8>, tensor<?xf16>
}

func.func @make() -> (tensor<2x3xbf16>, tensor<2xi8>, tensor<2xf16>) {
  %a = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xbf16>
  %b = arith.constant dense<[-1, 5]> : tensor<2xi8>
  %c = arith.constant dense<[0.5, 65504.0]> : tensor<2xf16>
  return %a, %b, %c : tensor<2x3xbf16>, tensor<2xi8>, tensor<2xf16>
}

func.func @copy(%a: tensor<?xf32>) -> tensor<?xf32> {
  return %a : tensor<?xf32>
}
