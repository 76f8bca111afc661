// RUN: compress-opt %s --split-input-file --compress-target-to-llvm --verify-diagnostics | FileCheck %s

// CHECK: module {
module attributes {compress.target = #compress.target<cpu = "x86-64",
    features = "cmov,cx8,fxsr,mmx,sse,x87">} {
  // What the CPU has and the target lacks is taken away first.
  // CHECK: llvm.func @plain() attributes {target_cpu = "x86-64", target_features = #llvm.target_features<["-sse2", "+cmov", "+cx8", "+fxsr", "+mmx", "+sse", "+x87"]>}
  llvm.func @plain() {
    llvm.return
  }
  // CHECK: llvm.func @given() attributes {target_cpu = "znver5"} {
  llvm.func @given() attributes {target_cpu = "znver5"} {
    llvm.return
  }
  // CHECK: llvm.func @features() attributes {target_features = #llvm.target_features<["+avx"]>} {
  llvm.func @features() attributes {target_features = #llvm.target_features<["+avx"]>} {
    llvm.return
  }
  // CHECK: llvm.func @external(){{$}}
  llvm.func @external()

  // CHECK: module {
  // CHECK: llvm.func @inherits() attributes {target_cpu = "x86-64"
  module {
    llvm.func @inherits() {
      llvm.return
    }
  }
  // CHECK: module {
  // CHECK: llvm.func @inner() attributes {target_cpu = "generic"} {
  module attributes {compress.target = #compress.target<>} {
    llvm.func @inner() {
      llvm.return
    }
  }
  // CHECK: gpu.module @kernels
  // CHECK: llvm.func @kernel() {
  gpu.module @kernels {
    llvm.func @kernel() {
      llvm.return
    }
  }
}

// -----

// LLVM keeps to 256 bits on CPUs of Intel, which VNNI makes needless.
// CHECK: llvm.func @wide() attributes {target_cpu = "skylake-avx512", target_features = #llvm.target_features<[{{.*}}"-prefer-256-bit", {{.*}}"+avx512vnni"
module attributes {compress.target = #compress.target<cpu = "skylake-avx512",
    features = "avx512vnni">} {
  llvm.func @wide() {
    llvm.return
  }
}

// -----

// CHECK: llvm.func @narrow() attributes {{.*}}["+avx512vnni", "+prefer-256-bit"]
module attributes {compress.target = #compress.target<
    features = "avx512vnni,prefer-256-bit">} {
  llvm.func @narrow() {
    llvm.return
  }
}

// -----

// Without a target nothing changes.
// CHECK: llvm.func @none() {
llvm.func @none() {
  llvm.return
}

// -----

// expected-error@+1 {{cannot compile for its target: unknown CPU 'abacus'}}
module attributes {compress.target = #compress.target<cpu = "abacus">} {}

// -----

// expected-error@+1 {{cannot compile for its target: unknown feature 'abacus'}}
module attributes {compress.target = #compress.target<features = "abacus">} {}
