// The project's loops against upstream's, bit for bit: integers, so that no
// order of a reduction is right by tolerance. The sizes leave remainders in
// every loop that handles several iterations at once.

// RUN: compress-opt %s --compress-prepare-entry-points \
// RUN:   --linalg-generalize-named-ops --empty-tensor-to-alloc-tensor \
// RUN:   --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:   --buffer-deallocation-pipeline --convert-bufferization-to-memref \
// RUN:   --convert-linalg-to-loops --expand-strided-metadata --lower-affine \
// RUN:   --convert-scf-to-cf --convert-to-llvm --reconcile-unrealized-casts > %t.mlir

// RUN: run() { \
// RUN:   compress-run %s --seed=1 --output=%t.own.npy --entry="$@" || exit 1; \
// RUN:   compress-run %t.mlir --no-lowering --seed=1 --output=%t.ref.npy --entry="$@" || exit 1; \
// RUN:   cmp %t.own.npy %t.ref.npy || exit 1; \
// RUN: }; \
// RUN: for m in 1 7; do for n in 3 33; do for k in 0 9; do \
// RUN:   run matmul --input=random:${m}x$k --input=random:${k}x$n --input=random:${m}x$n; \
// RUN:   run matmul_nt --input=random:${m}x$k --input=random:${n}x$k --input=random:${m}x$n; \
// RUN:   run matmul_tn --input=random:${k}x$m --input=random:${k}x$n --input=random:${m}x$n; \
// RUN: done; done; done; \
// RUN: for e in batch matvec vecmat conv_nhwc conv_nchw conv_strided depthwise \
// RUN:     pool rows columns all transpose max index; do run $e --random-inputs; done

func.func @matmul(%a: tensor<?x?xi32>, %b: tensor<?x?xi32>, %c: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x?xi32>, tensor<?x?xi32>)
                     outs(%c : tensor<?x?xi32>) -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}

func.func @matmul_nt(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>, %c: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                                      affine_map<(m, n, k) -> (n, k)>,
                                      affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<?x?xi8>, tensor<?x?xi8>) outs(%c : tensor<?x?xi32>) -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}

func.func @matmul_tn(%a: tensor<?x?xi16>, %b: tensor<?x?xi16>, %c: tensor<?x?xi64>) -> tensor<?x?xi64> {
  %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>,
                                      affine_map<(m, n, k) -> (k, n)>,
                                      affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<?x?xi16>, tensor<?x?xi16>) outs(%c : tensor<?x?xi64>) -> tensor<?x?xi64>
  return %r : tensor<?x?xi64>
}

func.func @batch(%a: tensor<3x5x7xi8>, %b: tensor<3x7x6xi8>, %c: tensor<3x5x6xi32>) -> tensor<3x5x6xi32> {
  %r = linalg.batch_matmul ins(%a, %b : tensor<3x5x7xi8>, tensor<3x7x6xi8>)
                           outs(%c : tensor<3x5x6xi32>) -> tensor<3x5x6xi32>
  return %r : tensor<3x5x6xi32>
}

func.func @matvec(%a: tensor<7x19xi8>, %b: tensor<19xi8>, %c: tensor<7xi32>) -> tensor<7xi32> {
  %r = linalg.matvec ins(%a, %b : tensor<7x19xi8>, tensor<19xi8>) outs(%c : tensor<7xi32>) -> tensor<7xi32>
  return %r : tensor<7xi32>
}

func.func @vecmat(%a: tensor<19xi8>, %b: tensor<19x7xi8>, %c: tensor<7xi32>) -> tensor<7xi32> {
  %r = linalg.vecmat ins(%a, %b : tensor<19xi8>, tensor<19x7xi8>) outs(%c : tensor<7xi32>) -> tensor<7xi32>
  return %r : tensor<7xi32>
}

func.func @conv_nhwc(%x: tensor<2x8x9x3xi8>, %w: tensor<3x3x3x5xi8>, %o: tensor<2x6x7x5xi32>) -> tensor<2x6x7x5xi32> {
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<2x8x9x3xi8>, tensor<3x3x3x5xi8>)
                                outs(%o : tensor<2x6x7x5xi32>) -> tensor<2x6x7x5xi32>
  return %r : tensor<2x6x7x5xi32>
}

func.func @conv_nchw(%x: tensor<2x3x8x9xi8>, %w: tensor<5x3x3x3xi8>, %o: tensor<2x5x6x7xi32>) -> tensor<2x5x6x7xi32> {
  %r = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<2x3x8x9xi8>, tensor<5x3x3x3xi8>)
                                outs(%o : tensor<2x5x6x7xi32>) -> tensor<2x5x6x7xi32>
  return %r : tensor<2x5x6x7xi32>
}

func.func @conv_strided(%x: tensor<1x3x13x13xi32>, %w: tensor<5x3x3x3xi32>, %o: tensor<1x5x5x5xi32>) -> tensor<1x5x5x5xi32> {
  %r = linalg.conv_2d_nchw_fchw {strides = dense<2> : tensor<2xi64>, dilations = dense<2> : tensor<2xi64>}
      ins(%x, %w : tensor<1x3x13x13xi32>, tensor<5x3x3x3xi32>)
      outs(%o : tensor<1x5x5x5xi32>) -> tensor<1x5x5x5xi32>
  return %r : tensor<1x5x5x5xi32>
}

func.func @depthwise(%x: tensor<1x7x7x5xi8>, %w: tensor<3x3x5xi8>, %o: tensor<1x5x5x5xi32>) -> tensor<1x5x5x5xi32> {
  %r = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %w : tensor<1x7x7x5xi8>, tensor<3x3x5xi8>)
                                         outs(%o : tensor<1x5x5x5xi32>) -> tensor<1x5x5x5xi32>
  return %r : tensor<1x5x5x5xi32>
}

func.func @pool(%x: tensor<1x8x8x5xi32>, %o: tensor<1x4x4x5xi32>) -> tensor<1x4x4x5xi32> {
  %w = tensor.empty() : tensor<2x2xi32>
  %r = linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>}
      ins(%x, %w : tensor<1x8x8x5xi32>, tensor<2x2xi32>)
      outs(%o : tensor<1x4x4x5xi32>) -> tensor<1x4x4x5xi32>
  return %r : tensor<1x4x4x5xi32>
}

func.func @rows(%x: tensor<7x9xi32>, %o: tensor<7xi32>) -> tensor<7xi32> {
  %r = linalg.reduce {arith.addi} ins(%x : tensor<7x9xi32>) outs(%o : tensor<7xi32>) dimensions = [1]
  return %r : tensor<7xi32>
}

func.func @columns(%x: tensor<7x9xi32>, %o: tensor<9xi32>) -> tensor<9xi32> {
  %r = linalg.reduce {arith.addi} ins(%x : tensor<7x9xi32>) outs(%o : tensor<9xi32>) dimensions = [0]
  return %r : tensor<9xi32>
}

func.func @all(%x: tensor<7x9xi32>, %o: tensor<i32>) -> tensor<i32> {
  %r = linalg.reduce {arith.addi} ins(%x : tensor<7x9xi32>) outs(%o : tensor<i32>) dimensions = [0, 1]
  return %r : tensor<i32>
}

func.func @transpose(%x: tensor<7x9xi32>, %o: tensor<9x7xi32>) -> tensor<9x7xi32> {
  %r = linalg.transpose ins(%x : tensor<7x9xi32>) outs(%o : tensor<9x7xi32>) permutation = [1, 0]
  return %r : tensor<9x7xi32>
}

// Two outputs, and an accumulator that the result does not always depend on.
func.func @max(%x: tensor<7x9xi32>, %o: tensor<7xi32>, %p: tensor<7xindex>) -> tensor<7xindex> {
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
                                          affine_map<(i, j) -> (i)>],
                         iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<7x9xi32>) outs(%o, %p : tensor<7xi32>, tensor<7xindex>) {
  ^bb0(%e: i32, %best: i32, %at: index):
    %j = linalg.index 1 : index
    %greater = arith.cmpi sgt, %e, %best : i32
    %value = arith.select %greater, %e, %best : i32
    %position = arith.select %greater, %j, %at : index
    linalg.yield %value, %position : i32, index
  } -> (tensor<7xi32>, tensor<7xindex>)
  return %r#1 : tensor<7xindex>
}

// linalg.index, used in a nested region, in a contraction whose loops are reordered.
func.func @index(%a: tensor<5x6xi32>, %b: tensor<6x9xi32>, %c: tensor<5x9xi32>) -> tensor<5x9xi32> {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                        affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<5x6xi32>, tensor<6x9xi32>) outs(%c : tensor<5x9xi32>) {
  ^bb0(%x: i32, %y: i32, %acc: i32):
    %zero = arith.constant 0 : i32
    %m = linalg.index 0 : index
    %k = linalg.index 2 : index
    %positive = arith.cmpi sgt, %x, %zero : i32
    %term = scf.if %positive -> i32 {
      %s = arith.addi %m, %k : index
      %t = arith.index_cast %s : index to i32
      scf.yield %t : i32
    } else {
      scf.yield %y : i32
    }
    %p = arith.muli %x, %term : i32
    %sum = arith.addi %acc, %p : i32
    linalg.yield %sum : i32
  } -> tensor<5x9xi32>
  return %r : tensor<5x9xi32>
}
