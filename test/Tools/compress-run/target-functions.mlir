// Attributes of functions in the LLVM dialect that are wrong, or for another machine.
// REQUIRES: x86_64
// RUN: split-file %s %t
// RUN: not compress-run %t/cpu.mlir 2>&1 | FileCheck %t/cpu.mlir
// RUN: not compress-run %t/feature.mlir 2>&1 | FileCheck %t/feature.mlir
// RUN: not compress-run %t/callee.mlir 2>&1 | FileCheck %t/callee.mlir
// RUN: compress-run %t/tuning.mlir

//--- cpu.mlir
// CHECK: cpu.mlir:2:1: error: {{.*}} cannot be compiled: unknown CPU 'abacus'
llvm.func @main() attributes {target_cpu = "abacus"} {
  llvm.return
}

//--- feature.mlir
// CHECK: feature.mlir:2:1: error: {{.*}} is compiled for a CPU with '+abacus', which is not a feature of x86_64
llvm.func @main() attributes {target_features = #llvm.target_features<["+abacus"]>} {
  llvm.return
}

//--- callee.mlir
llvm.func @main() {
  llvm.call @f() : () -> ()
  llvm.return
}
// CHECK: callee.mlir:6:1: error: {{.*}} cannot run on this machine: it is compiled for a CPU with features that are missing here: tbm;
llvm.func @f() attributes {target_features = #llvm.target_features<["+tbm"]>} {
  llvm.return
}

//--- tuning.mlir
// Not a matter of what a machine can run.
llvm.func @main() attributes {target_features = #llvm.target_features<["+fast-gather", "-prefer-256-bit"]>} {
  llvm.return
}
