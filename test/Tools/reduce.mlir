// compress-reduce keeps what a script calls interesting, here a quantize op.
// RUN: printf '#!/bin/sh\ngrep -q compress.quantize "$1" && exit 1\nexit 0\n' > %t.sh
// RUN: chmod +x %t.sh
// RUN: compress-reduce %s --reduction-tree='traversal-mode=0 test=%t.sh' | FileCheck %s

// CHECK-NOT: func @uninteresting
// CHECK: compress.quantize
func.func @uninteresting(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = compress.fake_quant %x as tensor<4xf32, #compress.affine<i8>> : tensor<4xf32>
  return %y : tensor<4xf32>
}

func.func @interesting(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xf32, #compress.affine<i8>> {
  %e = compress.quantize %x, %s : tensor<4xf32>, tensor<f32> to tensor<4xf32, #compress.affine<i8>>
  return %e : tensor<4xf32, #compress.affine<i8>>
}
