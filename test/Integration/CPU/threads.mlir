// Loops on several threads give what sequential ones give, bit for bit.

// RUN: rm -rf %t && mkdir %t
// DEFINE: %{threads} = 1
// DEFINE: %{threading} = pool
// DEFINE: %{name} = 1
// DEFINE: %{run} = sed 's/THREADS/%{threads}/' %s | compress-run --no-lowering \
// DEFINE:   --pipeline='builtin.module(compress-to-llvm{threading=%{threading}})' \
// DEFINE:   --input=random:37x21 --input=fill=0:37x21 --input=fill=0:37x21 \
// DEFINE:   --input=fill=0:64 --input=fill=0 --save-argument=1=%t/y-%{name}.npy \
// DEFINE:   --save-argument=2=%t/h-%{name}.npy --save-argument=3=%t/c-%{name}.npy \
// DEFINE:   --output=%t/r-%{name}.npy

// RUN: %{run}
// REDEFINE: %{name} = 2
// REDEFINE: %{threads} = 2
// RUN: %{run}
// RUN: cmp %t/y-1.npy %t/y-2.npy && cmp %t/h-1.npy %t/h-2.npy && cmp %t/c-1.npy %t/c-2.npy && cmp %t/r-1.npy %t/r-2.npy
// REDEFINE: %{name} = 3
// REDEFINE: %{threads} = 3
// RUN: %{run}
// RUN: cmp %t/y-1.npy %t/y-3.npy && cmp %t/h-1.npy %t/h-3.npy && cmp %t/c-1.npy %t/c-3.npy && cmp %t/r-1.npy %t/r-3.npy
// A limit from outside.
// REDEFINE: %{name} = limited
// RUN: env COMPRESS_NUM_THREADS=1 %{run}
// RUN: cmp %t/y-1.npy %t/y-limited.npy
// Marked loops on one thread each, without the runtime.
// REDEFINE: %{name} = none
// REDEFINE: %{threading} = none
// RUN: %{run}
// RUN: cmp %t/y-1.npy %t/y-none.npy && cmp %t/h-1.npy %t/h-none.npy && cmp %t/c-1.npy %t/c-none.npy && cmp %t/r-1.npy %t/r-none.npy
// REDEFINE: %{name} = openmp
// REDEFINE: %{threading} = openmp
// RUN: %if openmp %{ %{run} %}
// RUN: %if openmp %{ cmp %t/y-1.npy %t/y-openmp.npy && cmp %t/h-1.npy %t/h-openmp.npy && cmp %t/c-1.npy %t/c-openmp.npy && cmp %t/r-1.npy %t/r-openmp.npy %}
// RUN: %python -c "import numpy, sys; y = numpy.load(sys.argv[1]); c, r = numpy.load(sys.argv[2]), numpy.load(sys.argv[3]); assert numpy.all(y[::2, ::3] != 0) and numpy.all(c == 1000) and numpy.all(r[4:] == numpy.arange(4, 16)[:, None]), (y, c, r)" %t/y-1.npy %t/c-1.npy %t/r-1.npy

func.func @main(%x: memref<?x21xf32>, %y: memref<?x21xf32>,
                %h: memref<?x21xbf16>, %counts: memref<64xi64>, %zero: index) -> tensor<16x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c21 = arith.constant 21 : index
  %c64 = arith.constant 64 : index
  %c1000 = arith.constant 1000 : index
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1 : i64
  %m = memref.dim %x, %c0 : memref<?x21xf32>
  %xs = memref.subview %x[0, 1] [%m, 16] [1, 1]
    : memref<?x21xf32> to memref<?x16xf32, strided<[21, 1], offset: 1>>
  %scale = memref.load %x[%c1, %c1] : memref<?x21xf32>
  %scale16 = arith.truncf %scale : f32 to bf16

  // Rows: a strided view and a scalar; a buffer for each.
  scf.forall (%i) in (%m) {
    %buffer = memref.alloca() : memref<21xbf16>
    scf.for %j = %c0 to %c21 step %c1 {
      %jj = arith.minsi %j, %c4 : index
      %a = memref.load %xs[%i, %jj] : memref<?x16xf32, strided<[21, 1], offset: 1>>
      %a16 = arith.truncf %a : f32 to bf16
      %p = arith.mulf %a16, %scale16 : bf16
      memref.store %p, %buffer[%j] : memref<21xbf16>
    }
    scf.for %j = %c0 to %c21 step %c1 {
      %p = memref.load %buffer[%j] : memref<21xbf16>
      memref.store %p, %h[%i, %j] : memref<?x21xbf16>
    }
  } {compress.threads = THREADS : i64}

  // Two dimensions with steps; every second row and every third column.
  scf.forall (%i, %j) = (0, 0) to (%m, 21) step (2, 3) {
    %a = memref.load %x[%i, %j] : memref<?x21xf32>
    %s = math.exp %a : f32
    %r = arith.addf %s, %half : f32
    memref.store %r, %y[%i, %j] : memref<?x21xf32>
  } {compress.threads = THREADS : i64}

  // Nothing to do.
  scf.forall (%i) in (%zero) {
    memref.store %half, %y[%i, %c0] : memref<?x21xf32>
  } {compress.threads = THREADS : i64}

  // Many calls, of more tasks than there are threads.
  scf.for %n = %c0 to %c1000 step %c1 {
    scf.forall (%i) in (%c64) {
      %c = memref.load %counts[%i] : memref<64xi64>
      %d = arith.addi %c, %one : i64
      memref.store %d, %counts[%i] : memref<64xi64>
    } {compress.threads = THREADS : i64}
  }

  // Tensors, with buffers for each task of which one is freed by case.
  %init = tensor.empty() : tensor<16x4xf32>
  %r = scf.forall (%i) in (16) shared_outs(%o = %init) -> tensor<16x4xf32> {
    %f = arith.index_cast %i : index to i32
    %g = arith.sitofp %f : i32 to f32
    %row = tensor.splat %g : tensor<4xf32>
    %first = arith.cmpi ult, %i, %c4 : index
    %picked = func.call @pick(%first, %row) : (i1, tensor<4xf32>) -> tensor<4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %picked into %o[%i, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<16x4xf32>
    }
  } {compress.threads = THREADS : i64}
  return %r : tensor<16x4xf32>
}

func.func private @pick(%first: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = scf.if %first -> tensor<4xf32> {
    %e = math.exp %x : tensor<4xf32>
    scf.yield %e : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
