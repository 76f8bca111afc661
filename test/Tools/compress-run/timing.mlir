// RUN: compress-run %s --input=fill=1 --repeat=5 | FileCheck %s --check-prefix=TEXT
// RUN: compress-run %s --input=fill=1 --repeat=4 --warmup=2 --json | FileCheck %s --check-prefix=JSON
// RUN: compress-run %s --input=fill=1 --repeat=1 --json=%t.json
// RUN: FileCheck %s --check-prefix=FILE --input-file=%t.json
// RUN: compress-run %s --input=fill=1 --dump-llvm | FileCheck %s --check-prefix=LLVM
// RUN: compress-run %s --entry=accumulate --input=fill=1 --save-argument=0=%t.npy --repeat=7
// RUN: compress-run %s --input=%t.npy --print | FileCheck %s --check-prefix=ONCE

// TEXT: median {{[0-9.e+-]+}} ms, min {{[0-9.e+-]+}} ms, 5 calls
// JSON-DAG: "entry": "main"
// JSON-DAG: "repeat": 4
// JSON-DAG: "warmup": 2
// JSON-DAG: "median_ms": {{[0-9.e+-]+}}
// JSON-DAG: "min_ms": {{[0-9.e+-]+}}
// FILE-DAG: "repeat": 1
// LLVM: define {{.*}}@main(
// LLVM: load <{{[0-9]+}} x float>
func.func @main(%a: tensor<64xf32>) -> tensor<64xf32> {
  %r = arith.mulf %a, %a : tensor<64xf32>
  return %r : tensor<64xf32>
}

// A memref argument is written to, but timing works on a copy: the saved array
// shows one call.
// ONCE: result #0: 64xf32 = [4, 4,
func.func @accumulate(%a: memref<64xf32>) {
  linalg.add ins(%a, %a : memref<64xf32>, memref<64xf32>) outs(%a : memref<64xf32>)
  return
}
