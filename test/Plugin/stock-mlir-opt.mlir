// The plugin in the stock tool: one option brings dialect, passes and
// pipelines; loading it both ways or twice registers once; the result is that
// of compress-opt.
// RUN: %stock_opt --load-dialect-plugin=%plugin %s --pass-pipeline='builtin.module(compress-to-linalg)' > %t.plugin
// RUN: compress-opt %s --pass-pipeline='builtin.module(compress-to-linalg)' > %t.own
// RUN: diff %t.plugin %t.own
// RUN: %stock_opt --load-dialect-plugin=%plugin --load-pass-plugin=%plugin %s --pass-pipeline='builtin.module(compress-verify,compress-to-linalg)' | diff - %t.own
// RUN: %stock_opt --load-dialect-plugin=%plugin --help | FileCheck %s --check-prefix=HELP
// RUN: %stock_opt --load-dialect-plugin=%plugin %s --pass-pipeline='builtin.module(compress-to-llvm)' | FileCheck %s --check-prefix=LLVM

// In a tool of ours the plugin finds everything there already.
// RUN: compress-opt --load-dialect-plugin=%plugin --load-dialect-plugin=%plugin --load-pass-plugin=%plugin %s --pass-pipeline='builtin.module(compress-to-linalg)' | diff - %t.own

// It links the shared libraries and brings no second MLIR.
// RUN: ldd %plugin | FileCheck %s --check-prefix=LDD
// RUN: nm -DC %plugin | not grep -q 'T mlir::MLIRContext'
// UNSUPPORTED: sanitizer

// HELP-DAG: --compress-verify
// HELP-DAG: --compress-lower-contractions
// HELP-DAG: --compress-to-linalg
// LDD: libMLIR.so.22.1
// LLVM: llvm.func @main

func.func @main(%x: tensor<3x64xf32>, %w: tensor<64x16xf32, #compress.affine<i4, block = [32, 1]>>, %c: tensor<3x16xf32>) -> tensor<3x16xf32> {
  %a = compress.encode %x : tensor<3x64xf32> to tensor<3x64xf32, #compress.affine<ui8, asymmetric, block = [1, *]>>
  %r = linalg.matmul ins(%a, %w : tensor<3x64xf32, #compress.affine<ui8, asymmetric, block = [1, *]>>, tensor<64x16xf32, #compress.affine<i4, block = [32, 1]>>) outs(%c : tensor<3x16xf32>) -> tensor<3x16xf32>
  return %r : tensor<3x16xf32>
}
