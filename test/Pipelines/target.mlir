// The pipelines set the target first and leave it in function attributes, which a
// compiler without our dialect reads as well as the JIT.

// RUN: compress-opt %s --compress-to-llvm='target-cpu=x86-64-v3 target-features=-fma threads=3' -o %t.llvm.mlir
// RUN: FileCheck %s --input-file=%t.llvm.mlir
// CHECK: module {
// CHECK: llvm.func @main({{.*}} target_cpu = "x86-64-v3", target_features = #llvm.target_features<["-fma", "+avx", "+avx2",

// In front of the LLVM dialect it is on the module, with the threads as cores.
// RUN: compress-opt %s --compress-linalg-to-llvm='target-cpu=x86-64-v3 threads=3 stop-at-loops' | FileCheck %s --check-prefix=LOOPS
// LOOPS: #target = #compress.target<cpu = "x86-64-v3", {{.*}}, cores = 3>
// LOOPS: module attributes {compress.target = #target}

// A target on the module is taken, and changed by options.
// RUN: compress-opt %s --compress-set-target=cpu=znver5 --compress-to-llvm | FileCheck %s --check-prefix=ZEN5
// RUN: compress-opt %s --compress-set-target=cpu=x86-64 --compress-to-llvm=target-cpu=znver5 | FileCheck %s --check-prefix=ZEN5
// ZEN5: llvm.func @main({{.*}} target_cpu = "znver5", {{.*}}"+avx512vnni"

// Stock tools read it and choose the instructions.
// RUN: %stock_translate --mlir-to-llvmir %t.llvm.mlir | %stock_llc -O3 -mtriple=x86_64-linux-gnu | FileCheck %s --check-prefix=ASM
// ASM: main:
// ASM: vaddss
// RUN: compress-opt %s --compress-to-llvm=target-cpu=x86-64 | %stock_translate --mlir-to-llvmir | %stock_llc -O3 -mtriple=x86_64-linux-gnu | FileCheck %s --check-prefix=BASE
// BASE: main:
// BASE: {{[[:space:]]}}addss

// RUN: not compress-opt %s --compress-to-llvm=target-cpu=abacus 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: error: cannot set the target: unknown CPU 'abacus'
// RUN: not compress-opt %s --compress-to-llvm=threads=-1 2>&1 | FileCheck %s --check-prefix=THREADS
// THREADS: error: cannot set the target: 'cores' must not be negative, but is -1

func.func @main(%x: tensor<256xf32>) -> tensor<256xf32> {
  %0 = arith.addf %x, %x : tensor<256xf32>
  return %0 : tensor<256xf32>
}
