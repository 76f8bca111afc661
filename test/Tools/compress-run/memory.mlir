// Results and temporaries are freed: two results of a megabyte, three
// temporaries, a thousand calls, in less memory than one of these would leak.
// The sanitizer build finds leaks by itself, and reserves too much for a limit.

// UNSUPPORTED: sanitizer
// RUN: (ulimit -v 1000000; compress-run %s --input=random --input=fill=2 --repeat=1000) | FileCheck %s
// CHECK: 1000 calls

func.func private @helper(%a: tensor<262144xf32>) -> tensor<262144xf32> {
  %r = arith.addf %a, %a : tensor<262144xf32>
  return %r : tensor<262144xf32>
}

func.func @main(%a: tensor<262144xf32>, %n: index) -> (tensor<262144xf32>, tensor<262144xf32>, tensor<131072xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = call @helper(%a) : (tensor<262144xf32>) -> tensor<262144xf32>
  %1 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %0) -> tensor<262144xf32> {
    %s = func.call @helper(%x) : (tensor<262144xf32>) -> tensor<262144xf32>
    scf.yield %s : tensor<262144xf32>
  }
  %2 = tensor.extract_slice %1[0] [131072] [1] : tensor<262144xf32> to tensor<131072xf32>
  return %1, %1, %2 : tensor<262144xf32>, tensor<262144xf32>, tensor<131072xf32>
}
