// compress-set-target: from nothing, from a name, from what is there.

// RUN: compress-opt %s --compress-set-target='cpu=x86-64-v2 features=+avx cores=4' | FileCheck %s --check-prefix=NAMED
// NAMED: #target = #compress.target<cpu = "x86-64-v2", features = "avx,cmov,crc32,cx16,cx8,fxsr,mmx,popcnt,sahf,sse,sse2,sse3,sse4.1,sse4.2,ssse3,x87", cores = 4>
// NAMED: module attributes {compress.target = #target}

// Caches that all CPUs of a model have, and those of options.
// RUN: compress-opt %s --compress-set-target=cpu=znver5 | FileCheck %s --check-prefix=ZEN5
// ZEN5: #compress.target<cpu = "znver5", features = "{{.*}}avx512vnni{{.*}}", l1d = 49152, l2 = 1048576>
// RUN: compress-opt %s --compress-set-target='cpu=sapphirerapids l1d=1000 l2=2000 l3=3000' | FileCheck %s --check-prefix=SIZES
// SIZES: #compress.target<cpu = "sapphirerapids", features = "{{.*}}amx-int8{{.*}}", l1d = 1000, l2 = 2000, l3 = 3000>

// RUN: compress-opt %s --compress-set-target=cpu=x86-64 | FileCheck %s --check-prefix=BASE
// BASE: #compress.target<cpu = "x86-64", features = "cmov,cx8,fxsr,mmx,sse,sse2,x87">
// RUN: compress-opt %s --compress-set-target=cpu=x86-64-v3 | FileCheck %s --check-prefix=V3
// V3: #compress.target<cpu = "x86-64-v3", features = "avx,avx2,{{.*}}fma,{{.*}}xsave">
// RUN: compress-opt %s --compress-set-target=cpu=generic | FileCheck %s --check-prefix=GENERIC
// GENERIC: #compress.target<>

// This machine, whatever it is; the same by default, and no second run changes it.
// RUN: compress-opt %s --compress-set-target=cpu=host -o %t.host.mlir
// RUN: FileCheck %s --check-prefix=HOST --input-file=%t.host.mlir
// HOST: #target = #compress.target<{{.+}}>
// RUN: compress-opt %s --compress-set-target | diff %t.host.mlir -
// RUN: compress-opt %t.host.mlir --compress-set-target | diff %t.host.mlir -

// What is there stays, completed by what its features imply; options change it.
// RUN: compress-opt %s --compress-set-target='cpu=x86-64-v3 cores=7' -o %t.v3.mlir
// RUN: compress-opt %t.v3.mlir --compress-set-target | diff %t.v3.mlir -
// RUN: compress-opt %t.v3.mlir --compress-set-target='features=-avx,-crc32,-lzcnt cores=2' | FileCheck %s --check-prefix=CHANGED
// CHANGED: #compress.target<cpu = "x86-64-v3", features = "bmi,bmi2,cmov,cx16,cx8,fxsr,mmx,movbe,popcnt,sahf,sse,sse2,sse3,sse4.1,{{(sse4.2,)?}}ssse3,x87{{(,xsave)?}}", cores = 2>
// RUN: compress-opt %t.v3.mlir --compress-set-target=cpu=znver5 | FileCheck %s --check-prefix=ZEN5
// RUN: echo 'module attributes {compress.target = #compress.target<features = "sse3">} {}' | compress-opt --compress-set-target | FileCheck %s --check-prefix=COMPLETED
// COMPLETED: #compress.target<features = "sse,sse2,sse3">

// RUN: not compress-opt %s --compress-set-target=cpu=znver55 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: set-target.mlir:{{.*}} error: cannot set the target: unknown CPU 'znver55'; did you mean 'znver5'?
// RUN: not compress-opt %s --compress-set-target=cpu=abacus 2>&1 | FileCheck %s --check-prefix=ABACUS
// ABACUS: error: cannot set the target: unknown CPU 'abacus'; use 'host', or an x86-64 CPU of LLVM such as
// RUN: not compress-opt %s --compress-set-target=features=+abacus 2>&1 | FileCheck %s --check-prefix=FEATURE
// FEATURE: error: cannot set the target: unknown feature 'abacus'; use LLVM's names of x86 features
// RUN: not compress-opt %s --compress-set-target=features=avx2 2>&1 | FileCheck %s --check-prefix=SIGN
// SIGN: error: cannot set the target: feature 'avx2' has no sign; write features as in +avx2,-fma
// RUN: not compress-opt %s --compress-set-target=cores=-1 2>&1 | FileCheck %s --check-prefix=CORES
// CORES: error: cannot set the target: 'cores' must not be negative, but is -1
// RUN: echo 'module attributes {compress.target = #compress.target<cpu = "abacus">} {}' | not compress-opt --compress-set-target 2>&1 | FileCheck %s --check-prefix=ABACUS
// RUN: echo 'module attributes {compress.target = #compress.target<features = "abacus">} {}' | not compress-opt --compress-set-target 2>&1 | FileCheck %s --check-prefix=FEATURE

module {}
