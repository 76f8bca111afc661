// Bad input ends with exit code 1 and a message that says where and what.

// RUN: split-file %s %t

// RUN: not compress-run %t/ok.mlir --entry=nothing 2>&1 | FileCheck %s --check-prefix=ENTRY
// ENTRY: ok.mlir:{{[0-9]+:[0-9]+}}: error: has no function 'nothing'
// ENTRY: ok.mlir:1:1: note: there is 'main'

// RUN: not compress-run %t/ok.mlir --entry=declared 2>&1 | FileCheck %s --check-prefix=DECLARED
// DECLARED: ok.mlir:4:1: error: 'declared' is only declared

// RUN: not compress-run %t/ok.mlir 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: error: 'main' takes 2 arguments, but 0 --input are given

// RUN: not compress-run %t/ok.mlir --input=fill=1:2x3 --input=fill=1 --input=fill=1 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error: 'main' takes 2 arguments, but 3 --input are given

// RUN: not compress-run %t/ok.mlir --input=fill=1:2x4 --random-inputs 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE: ok.mlir:1:1: error: argument #0 of 'main' has the type 'tensor<?x3xf32>', but the array given for it is 2x4xf32

// RUN: not compress-run %t/ok.mlir --input=fill=1:2 --random-inputs 2>&1 | FileCheck %s --check-prefix=RANK
// RANK: ok.mlir:1:1: error: argument #0 of 'main' has the type 'tensor<?x3xf32>', but the array given for it is 2xf32

// RUN: not compress-run %t/ok.mlir --input=random --random-inputs 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// DYNAMIC: error: argument #0: type tensor<?x3xf32> has dynamic sizes; give them, as in random:3x4

// RUN: not compress-run %t/ok.mlir --input=random:1x3 --input=fill=128 2>&1 | FileCheck %s --check-prefix=RANGE
// RANGE: error: argument #1: the value does not fit i8

// RUN: compress-run %t/f64.mlir --output=%t/f64.npy
// RUN: not compress-run %t/ok.mlir --input=%t/f64.npy --random-inputs 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: ok.mlir:1:1: error: argument #0 of 'main' has the type 'tensor<?x3xf32>', but the array given for it is 1x3xf64

// RUN: not compress-run %t/ok.mlir --input=%t/none.npy --random-inputs 2>&1 | FileCheck %s --check-prefix=NOFILE
// NOFILE: error: argument #0: cannot read '{{.*}}none.npy'

// RUN: head -c 100 %t/f64.npy > %t/cut.npy
// RUN: not compress-run %t/ok.mlir --input=%t/cut.npy --random-inputs 2>&1 | FileCheck %s --check-prefix=CUT
// CUT: error: argument #0: '{{.*}}cut.npy': the file ends within its header

// RUN: not compress-run %t/ok.mlir --input=fill=1:1x3 --random-inputs --output=a.npy --output=b.npy 2>&1 | FileCheck %s --check-prefix=OUTPUTS
// OUTPUTS: error: 'main' has 1 results, but 2 --output are given

// RUN: not compress-run %t/ok.mlir --input=fill=1:1x3 --random-inputs --output=%t/no/such/folder.npy 2>&1 | FileCheck %s --check-prefix=WRITE
// WRITE: error: cannot write '{{.*}}folder.npy'

// RUN: not compress-run %t/ok.mlir --no-such-option 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: Unknown command line argument '--no-such-option'

// RUN: not compress-run %t/ok.mlir --jit-opt-level=4 2>&1 | FileCheck %s --check-prefix=LEVEL
// LEVEL: error: --jit-opt-level=4 is not in the range 0 to 3

// RUN: not compress-run %t/ok.mlir --json 2>&1 | FileCheck %s --check-prefix=JSON
// JSON: error: --json needs --repeat

// RUN: not compress-run %t/ok.mlir --target-cpu=abacus --input=random:1x3 --random-inputs 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: error: cannot set the target: unknown CPU 'abacus'
// RUN: not compress-run %t/ok.mlir --target-features=+fma,+abacus --input=random:1x3 --random-inputs 2>&1 | FileCheck %s --check-prefix=FEATURE
// FEATURE: error: cannot set the target: unknown feature 'abacus'

// RUN: not compress-run %t/ok.mlir --pipeline='builtin.module(no-such-pass)' 2>&1 | FileCheck %s --check-prefix=PIPELINE
// PIPELINE: error: --pipeline: {{.*}}'no-such-pass'

// RUN: not compress-run %t/ok.mlir --pipeline='func.func(cse)' 2>&1 | FileCheck %s --check-prefix=ANCHOR
// ANCHOR: error: --pipeline: the passes must be in 'builtin.module(...)', not in 'func.func'

// RUN: not compress-run %t/ok.mlir --no-lowering 2>&1 | FileCheck %s --check-prefix=LOWERING
// LOWERING: ok.mlir:1:1: error: 'func.func' op was not lowered to the LLVM dialect

// RUN: not compress-run %t/cut.mlir 2>&1 | FileCheck %s --check-prefix=TRUNCATED
// TRUNCATED: cut.mlir:2:{{[0-9]+}}: error:

// RUN: mlir-opt %t/ok.mlir --emit-bytecode -o %t/ok.bc
// RUN: head -c 300 %t/ok.bc > %t/cut.bc
// RUN: not compress-run %t/cut.bc 2>&1 | FileCheck %s --check-prefix=BYTECODE
// BYTECODE: cut.bc:{{[0-9]+:[0-9]+}}: error:

// RUN: not compress-run %t/no-such-file.mlir 2>&1 | FileCheck %s --check-prefix=INPUT
// INPUT: error: cannot open input file '{{.*}}no-such-file.mlir'

// RUN: not compress-run %t/unranked.mlir --input=random 2>&1 | FileCheck %s --check-prefix=UNRANKED
// UNRANKED: unranked.mlir:1:1: error: {{.*}}argument #0 of type memref<*xf32> cannot be passed: it is unranked

// RUN: not compress-run %t/encoded.mlir --input=random 2>&1 | FileCheck %s --check-prefix=ENCODED
// ENCODED: encoded.mlir:1:1: error: {{.*}}argument #0 still has the encoding of 'tensor<4xf32, "sparse">'

// RUN: not compress-run %t/i4.mlir --input=random 2>&1 | FileCheck %s --check-prefix=SUBBYTE
// SUBBYTE: i4.mlir:2:{{[0-9]+}}: error: {{.*}}memory of type 'memref<2xi4>' whose elements are not whole bytes

// RUN: not compress-run %t/symbol.mlir 2>&1 | FileCheck %s --check-prefix=SYMBOL
// SYMBOL: symbol.mlir:1:1: error: {{.*}}defines 'no_such_function_anywhere'; add the library

// RUN: not compress-run %t/symbol.mlir --shared-libs=%t/libnone.so 2>&1 | FileCheck %s --check-prefix=LIBRARY
// LIBRARY: symbol.mlir:2:1: error: cannot load the shared library '{{.*}}libnone.so'

// RUN: not compress-run %t/f8.mlir --random-inputs 2>&1 | FileCheck %s --check-prefix=UNLOWERED
// UNLOWERED: f8.mlir:2:8: error: 'arith.extf' op was not lowered to the LLVM dialect

// RUN: not compress-run %t/assert.mlir --input=fill=-1 2>&1 | FileCheck %s --check-prefix=ASSERT
// RUN: compress-run %t/assert.mlir --input=fill=1 --print | FileCheck %s --check-prefix=ASSERTED
// ASSERT: n must be positive
// ASSERT: error: an assertion of the program failed
// ASSERTED: result #0: i64 = 1

//--- ok.mlir
func.func @main(%a: tensor<?x3xf32>, %b: tensor<2xi8>) -> tensor<?x3xf32> {
  return %a : tensor<?x3xf32>
}
func.func private @declared(tensor<2xi8>)
//--- f64.mlir
func.func @main() -> tensor<1x3xf64> {
  %a = arith.constant dense<1.0> : tensor<1x3xf64>
  return %a : tensor<1x3xf64>
}
//--- cut.mlir
func.func @main(%a: tensor<?x3xf32>) -> tensor<?x3xf32> {
  return %a : tensor<?x3
//--- unranked.mlir
func.func @main(%a: memref<*xf32>) {
  return
}
//--- encoded.mlir
func.func @main(%a: tensor<4xf32, "sparse">) {
  return
}
//--- i4.mlir
func.func @main(%a: memref<2xi4>, %i: index) -> i4 {
  %r = memref.load %a[%i] : memref<2xi4>
  return %r : i4
}
//--- symbol.mlir
func.func private @no_such_function_anywhere()
func.func @main() {
  call @no_such_function_anywhere() : () -> ()
  return
}
//--- f8.mlir
func.func @main(%a: tensor<4xf8E4M3FN>) -> tensor<4xf32> {
  %r = arith.extf %a : tensor<4xf8E4M3FN> to tensor<4xf32>
  return %r : tensor<4xf32>
}
//--- assert.mlir
func.func @main(%n: index) -> index {
  %c0 = arith.constant 0 : index
  %b = arith.cmpi sgt, %n, %c0 : index
  cf.assert %b, "n must be positive"
  return %n : index
}
