// Entries that are in the LLVM dialect already: scalars need nothing, arrays the
// recorded or a given signature, and a wrong one is refused.

// RUN: compress-run %s --no-lowering --entry=add --input=fill=40 --input=fill=2 --print | FileCheck %s --check-prefix=ADD
// RUN: compress-run %s --entry=sum --input=fill=1.5:3 --print | FileCheck %s --check-prefix=SUM
// RUN: compress-run %s --entry=unknown --signature='(tensor<?xf32>) -> f32' --input=fill=1.5:3 --print | FileCheck %s --check-prefix=SUM
// RUN: not compress-run %s --entry=unknown --input=fill=1.5:3 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not compress-run %s --entry=unknown --signature='(tensor<?x?xf32>) -> f32' 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not compress-run %s --entry=unknown --signature='tensor<4' 2>&1 | FileCheck %s --check-prefix=BAD

// ADD: result #0: i32 = 42
llvm.func @add(%a: i32, %b: i32) -> i32 {
  %r = llvm.add %a, %b : i32
  llvm.return %r : i32
}

// SUM: result #0: f32 = 3
// The sum of the first and the last element.
llvm.func @sum(%allocated: !llvm.ptr, %aligned: !llvm.ptr, %offset: i64, %size: i64, %stride: i64) -> f32
    attributes {compress.signature = (tensor<?xf32>) -> f32} {
  %r = llvm.call @unknown(%allocated, %aligned, %offset, %size, %stride)
      : (!llvm.ptr, !llvm.ptr, i64, i64, i64) -> f32
  llvm.return %r : f32
}

// UNKNOWN: [[@LINE+3]]:1: error: {{.*}} has no 'compress.signature'
// WRONG: [[@LINE+2]]:1: error: {{.*}} which is not how its signature is lowered
// BAD: error: --signature=tensor<4 is not a function type
llvm.func @unknown(%allocated: !llvm.ptr, %aligned: !llvm.ptr, %offset: i64, %size: i64, %stride: i64) -> f32 {
  %one = llvm.mlir.constant(1 : i64) : i64
  %last = llvm.sub %size, %one : i64
  %p = llvm.getelementptr %aligned[%last] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %a = llvm.load %aligned : !llvm.ptr -> f32
  %b = llvm.load %p : !llvm.ptr -> f32
  %r = llvm.fadd %a, %b : f32
  llvm.return %r : f32
}
