// The JIT compiles for the target of the module, with the attributes that other
// compilers get, and refuses code that this machine cannot run.
// REQUIRES: x86_64

// RUN: compress-opt %s --compress-to-llvm=target-cpu=x86-64-v2 | compress-translate --mlir-to-llvmir | grep -o '"target-cpu".*' > %t.aot
// RUN: compress-run %s --target-cpu=x86-64-v2 --input=fill=2 --dump-llvm | grep -o '"target-cpu".*' | sort -u > %t.jit
// RUN: diff %t.aot %t.jit

// This machine with all it has.
// RUN: compress-opt %s --compress-to-llvm | compress-translate --mlir-to-llvmir | grep -o '"target-cpu".*' > %t.aot
// RUN: compress-run %s --input=fill=2 --dump-llvm | grep -o '"target-cpu".*' | sort -u > %t.jit
// RUN: diff %t.aot %t.jit

// The module's target, whether it was lowered before or not; options change it.
// RUN: compress-opt %s --compress-set-target=cpu=x86-64 -o %t.set.mlir
// RUN: compress-run %t.set.mlir --input=fill=2 --dump-llvm --print | FileCheck %s --check-prefix=BASE
// RUN: compress-opt %t.set.mlir --compress-to-llvm -o %t.low.mlir
// RUN: compress-run %t.low.mlir --input=fill=2 --dump-llvm --print | FileCheck %s --check-prefix=BASE
// RUN: compress-run %t.low.mlir --no-lowering --input=fill=2 --dump-llvm --print | FileCheck %s --check-prefix=BASE
// RUN: compress-run %t.set.mlir --target-features=+sse3 --input=fill=2 --dump-llvm | FileCheck %s --check-prefix=SSE3
// BASE: "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87"
// BASE: result #0: 4xf32 = [4, 4, 4, 4]
// SSE3: "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+sse3,+x87"
// RUN: not compress-run %t.low.mlir --target-cpu=x86-64-v2 --input=fill=2 2>&1 | FileCheck %s --check-prefix=LATE
// LATE: low.mlir:{{.*}} error: {{.*}} was already lowered for a CPU, so --target-cpu and --target-features come too late

// Cores are those of this machine unless told.
// RUN: compress-run %s --target-cpu=x86-64 --num-threads=5 --input=fill=2 --mlir-print-ir-after=compress-verify 2>&1 | FileCheck %s --check-prefix=THREADS
// THREADS: #compress.target<cpu = "x86-64", {{.*}} cores = 5>

// No other CPU has these instructions of 2015.
// RUN: not compress-run %s --target-cpu=bdver4 --input=fill=2 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: target.mlir:[[#]]:1: error: {{.*}} cannot run on this machine: it is compiled for the CPU 'bdver4' with features that are missing here: {{.*}}tbm
// RUN: not compress-run %s --target-features=+tbm --input=fill=2 2>&1 | FileCheck %s --check-prefix=TBM
// TBM: error: {{.*}} with features that are missing here: tbm; lower it for another CPU, or without these features

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.addf %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
