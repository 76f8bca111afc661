// What is left of encoded weights behind the loops and in machine code: blocks
// are unpacked in registers, their scales are read once each, nothing decoded is
// stored, and inner loops neither call nor spill.

// DEFINE: %{target} = x86-64-v4
// DEFINE: %{features} = +avx512vnni,+gfni
// DEFINE: %{loops} = compress-opt %s --compress-to-llvm="stop-at-loops=true target-cpu=%{target} target-features=%{features}"
// RUN: %{loops} -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// No memory of elements of four bits just before the LLVM dialect.
// RUN: not grep xi4 %t.mlir
// The weights are 64 x 256 half bytes and 2 x 64 scales of two bytes: 8448 bytes.
// Nothing else is larger than the rows that are quantized.
// RUN: %python %S/../Integration/CPU/Inputs/sum-memory.py < %t.mlir 2>&1 | FileCheck %s --check-prefix=MEMORY
// MEMORY: all of kind global: 8448
// MEMORY: all of kind allocation: {{[0-9]{1,4}$}}

// The same for AVX2.
// REDEFINE: %{target} = x86-64-v3
// REDEFINE: %{features} = +avxvnni
// RUN: %{loops} -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: not grep xi4 %t.mlir

// DEFINE: %{machine} = sed -e 's/@matvec/@main/' %s | compress-opt --compress-to-llvm="target-cpu=%{target} target-features=%{features}" | %stock_translate --mlir-to-llvmir | opt -O3 -S | %stock_llc -O3
// The innermost loop, from its first product of bytes to its branch.
// DEFINE: %{inner} = sed -n '/vpdpbusd\|vpmaddubsw/,/^\tj/p' %t.s | FileCheck %s --check-prefix=LOOP
// LOOP-NOT: {{Spill|Reload|call}}
// LOOP: {{^}}	j{{[a-z]+}}
// LOOP-NOT: {{vpdpbusd|vpmaddubsw}}
// REDEFINE: %{target} = x86-64-v4
// REDEFINE: %{features} = +avx512vnni,+gfni
// RUN: %{machine} -o %t.s
// RUN: FileCheck %s --check-prefix=ASM --input-file=%t.s
// RUN: %{inner}
// REDEFINE: %{features} = +avx512vnni
// RUN: %{machine} -o %t.s
// RUN: FileCheck %s --check-prefix=ASM512 --input-file=%t.s
// RUN: %{inner}
// REDEFINE: %{features} = +avx512f
// RUN: %{machine} -o %t.s
// RUN: FileCheck %s --check-prefix=ASMF --input-file=%t.s
// RUN: %{inner}
// RUN: not grep vpdpbusd %t.s
// REDEFINE: %{target} = x86-64-v3
// REDEFINE: %{features} = +avxvnni
// RUN: %{machine} -o %t.s
// RUN: FileCheck %s --check-prefix=ASMVNNI --input-file=%t.s
// RUN: %{inner}
// RUN: not grep zmm %t.s
// REDEFINE: %{features} = +avx2
// RUN: %{machine} -o %t.s
// RUN: FileCheck %s --check-prefix=ASM2 --input-file=%t.s
// RUN: not grep "zmm\|vpdpbusd" %t.s

#rows = #compress.affine<i8, block = [1, *]>
#blocks = #compress.affine<i4, block = [128, 1], scale = f16>

// Quantized rows by blocks of 128: loops over rows, panels and blocks.
// CHECK-LABEL: func.func @matvec(
// CHECK-NOT: compress.{{[a-z_]+}} %
// CHECK: math.roundeven
// CHECK: scf.for {{.*}} iter_args
// The innermost loop over half a block: neither a conversion of halves nor a
// division.
// CHECK: scf.for {{.*}} iter_args
// CHECK-NOT: arith.extf
// CHECK-NOT: arith.divf
// CHECK-NOT: scf.
// CHECK: vpdpbusd
// CHECK-NOT: arith.extf
// CHECK-NOT: arith.divf
// CHECK-NOT: arith.sitofp
// CHECK: scf.yield
// Once a block.
// CHECK: arith.extf %{{.*}}xf16> to vector
// CHECK: arith.sitofp
// CHECK: vector.fma
// CHECK: scf.yield
// CHECK: return

// ASM-LABEL: main:
// ASM: vgf2p8affineqb
// ASM: vpdpbusd {{.*}}zmm
// ASM-NOT: call{{.*}}fma
// ASM512-LABEL: main:
// ASM512: vpdpbusd {{.*}}zmm
// ASMF-LABEL: main:
// ASMF: vpmaddubsw {{.*}}zmm
// ASMVNNI-LABEL: main:
// ASMVNNI: vpdpbusd {{.*}}ymm
// ASM2-LABEL: main:
// ASM2: vpmaddubsw {{.*}}ymm
func.func @matvec(%x: tensor<1x256xf32>) -> tensor<1x64xf32> {
  %w = compress.constant #compress.encoded<[dense<3> : tensor<256x64xi4>, dense<0.5> : tensor<2x64xf16>]> : tensor<256x64xf32, #blocks>
  %e = compress.encode %x : tensor<1x256xf32> to tensor<1x256xf32, #rows>
  %zero = arith.constant dense<0.0> : tensor<1x64xf32>
  %y = linalg.matmul ins(%e, %w : tensor<1x256xf32, #rows>, tensor<256x64xf32, #blocks>) outs(%zero : tensor<1x64xf32>) -> tensor<1x64xf32>
  return %y : tensor<1x64xf32>
}
