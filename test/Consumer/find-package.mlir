// Installs the project, configures another one that finds it, builds that, and
// runs it: it must do what compress-opt does.
// RUN: rm -rf %t && mkdir %t
// RUN: %cmake --install %obj_root --prefix %t/install > %t/install.log
// RUN: %cmake -S %S -B %t/build -DCMAKE_PREFIX_PATH=%t/install -DCMAKE_CXX_COMPILER=%cxx -DCMAKE_C_COMPILER=%cc -DCMAKE_BUILD_TYPE=Debug > %t/configure.log
// RUN: %cmake --build %t/build > %t/build.log
// RUN: %t/build/consumer %s > %t/consumer.out && echo >> %t/consumer.out
// RUN: compress-opt %s --compress-to-linalg > %t/opt.out
// RUN: diff %t/consumer.out %t/opt.out
// The installed tool finds its libraries without help.
// RUN: %t/install/bin/compress-opt %s --compress-to-linalg | diff - %t/opt.out
// RUN: FileCheck %s < %t/opt.out
// A plugin with a tile kernel needs the installed headers only.
// RUN: %cmake -S %src_root/examples/tile-kernel -B %t/kernel -DCMAKE_PREFIX_PATH=%t/install -DCMAKE_CXX_COMPILER=%cxx -DCMAKE_C_COMPILER=%cc -DCMAKE_BUILD_TYPE=Debug > %t/configure-kernel.log
// RUN: %cmake --build %t/kernel > %t/build-kernel.log
// RUN: %t/install/bin/compress-opt --load-dialect-plugin=%t/kernel/ExampleTileKernel.so %src_root/test/Examples/tile-kernel.mlir --compress-lower-contractions | FileCheck %src_root/test/Examples/tile-kernel.mlir --check-prefix=OP
// UNSUPPORTED: sanitizer

// CHECK-LABEL: func @main
// CHECK-NOT: compress.
func.func @main(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xf32> {
  %e = compress.quantize %x, %s : tensor<4xf32>, tensor<f32> to tensor<4xf32, #compress.affine<i8>>
  %d = compress.decode %e : tensor<4xf32, #compress.affine<i8>> -> tensor<4xf32>
  return %d : tensor<4xf32>
}
