//===- Passes.td - Passes of the lowering to LLVM ----------*- tablegen -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What upstream's passes leave out on the way from linalg on tensors to the
// LLVM dialect on a CPU. None of them knows encoded types.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_PIPELINES_PASSES
#define COMPRESS_PIPELINES_PASSES

include "mlir/Pass/PassBase.td"

def PrepareEntryPointsPass
    : Pass<"compress-prepare-entry-points", "::mlir::ModuleOp"> {
  let summary = "Fix the calling convention of public functions before "
                "bufferization";
  let description = [{
    Whoever calls a public function from outside passes tensors by value, but
    one-shot bufferization lets a function write into its arguments. This pass
    marks the tensor arguments of every public function with a body as read-only
    (`bufferization.writable = false`, unless the attribute is there already),
    so that a second call with the same arrays gives the same result.

    It also records the function's type in the attribute `compress.signature`,
    which survives to the LLVM dialect: there it tells a caller the ranks and
    element types that the expanded descriptors no longer show.

    An argument or result whose tensor type still has an encoding is an error,
    because bufferization would silently drop the encoding.

    Before:

    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32>
    ```

    After:

    ```mlir
    func.func @main(%x: tensor<4xf32> {bufferization.writable = false})
        -> tensor<4xf32>
        attributes {compress.signature = (tensor<4xf32>) -> tensor<4xf32>}
    ```
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect"];
}

def DecomposeTensorOpsPass
    : Pass<"compress-decompose-tensor-ops", "::mlir::ModuleOp"> {
  let summary = "Rewrite tensor ops that bufferization does not know";
  let description = [{
    Rewrites what has no bufferization of its own upstream, or a bad one:
    `linalg.pack` and `linalg.unpack` (static ones to pad, reshape and transpose;
    dynamic ones to a gather), `linalg.softmax` and the Winograd transforms (to
    `linalg.generic`), `tensor.concat` (to `tensor.insert_slice`), `tensor.pad`
    (to fill and insert) and `tensor.gather` / `tensor.scatter` (to loops). The
    value that `ml_program.global_load` takes from a mutable global is copied, as
    bufferization would let a later store change it.
    `ml_program.global_load_const` becomes `ml_program.global_load`.

    Before:

    ```mlir
    %0 = tensor.concat dim(0) %a, %b
        : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
    ```

    After:

    ```mlir
    %e = tensor.empty() : tensor<5xf32>
    %0 = tensor.insert_slice %a into %e[0] [2] [1]
        : tensor<2xf32> into tensor<5xf32>
    %1 = tensor.insert_slice %b into %0[2] [3] [1]
        : tensor<3xf32> into tensor<5xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

def FuseElementwisePass : Pass<"compress-fuse-elementwise"> {
  let summary = "Fuse elementwise linalg ops where no work is repeated";
  let description = [{
    Fuses an elementwise `linalg.generic` into its only consumer, like
    `linalg-fuse-elementwise-ops`, except where the consumer's loops would repeat
    the work: a producer that the consumer reads once for each iteration of loops
    it does not depend on is fused only if those loops have at most
    `max-recompute` iterations in total. A dequantized weight is thus recomputed
    for a vector or a small batch of activations, and computed once for a large
    batch.

    Before (`max-recompute=4`):

    ```mlir
    %w = linalg.generic {... sitofp ...} ins(%q : tensor<64x64xi8>) -> tensor<64x64xf32>
    %y = linalg.generic {... matmul, m = 2 ...} ins(%x, %w : ...) -> tensor<2x64xf32>
    ```

    After:

    ```mlir
    %y = linalg.generic {... sitofp, mulf, addf ...}
        ins(%x, %q : tensor<2x64xf32>, tensor<64x64xi8>) -> tensor<2x64xf32>
    ```
  }];
  let options = [
    Option<"maxRecompute", "max-recompute", "int64_t", /*default=*/"4",
           "Most often a fused producer's element may be computed (1 or more)">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def LowerLinalgToVectorizableLoopsPass
    : Pass<"compress-linalg-to-vectorizable-loops"> {
  let summary = "Lower linalg on memrefs to loops in an order that vectorizes";
  let description = [{
    Lowers every linalg op on memrefs to `scf.for` loops, and strided
    `memref.copy` too (upstream's lowering of it calls a function that copies
    element by element). The loop order is chosen for LLVM's loop vectorizer,
    which only vectorizes innermost loops:

    * innermost is a loop along which every operand is invariant or has unit
      stride; a parallel one if there is any, so that no reduction order changes;
    * otherwise a reduction loop with that property, else the last loop; the
      other loops keep their order, parallel ones outside.

    Accumulators of innermost reduction loops are loop-carried values, not memory.
    With `relax-reductions` (the default) the float additions that accumulate in
    a reduction get the fast-math flags `reassoc` and `contract`, since linalg
    gives reductions no order; nothing else in the body gets any.

    Before:

    ```mlir
    linalg.matmul ins(%a, %b : memref<4x8xf32>, memref<8x16xf32>)
                  outs(%c : memref<4x16xf32>)
    ```

    After:

    ```mlir
    scf.for %m = %c0 to %c4 step %c1 {
      scf.for %k = %c0 to %c8 step %c1 {
        scf.for %n = %c0 to %c16 step %c1 {
          %0 = memref.load %a[%m, %k] : memref<4x8xf32>
          %1 = memref.load %b[%k, %n] : memref<8x16xf32>
          %2 = memref.load %c[%m, %n] : memref<4x16xf32>
          %3 = arith.mulf %0, %1 fastmath<contract> : f32
          %4 = arith.addf %2, %3 fastmath<reassoc,contract> : f32
          memref.store %4, %c[%m, %n] : memref<4x16xf32>
        }
      }
    }
    ```
  }];
  let options = [
    Option<"relaxReductions", "relax-reductions", "bool", /*default=*/"true",
           "Let float reductions be reassociated and contracted">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def LowerParallelLoopsPass
    : Pass<"compress-lower-parallel-loops", "::mlir::ModuleOp"> {
  let summary = "Give marked scf.forall loops several threads";
  let description = [{
    The iterations of an `scf.forall` on memrefs are independent tasks. Where it
    has the attribute `compress.threads = N : i64` with N above 1, its body
    becomes a private function that runs a range of tasks, and the loop becomes
    what `threading` says:

    * `pool`: a call of `compress_parallel_for`, declared in
      `compress/Runtime/ThreadPool.h`;
    * `openmp`: an `omp.parallel` of N threads that share N such ranges;
    * `none`: sequential loops.

    Every other `scf.forall` becomes sequential loops, also those inside of a
    marked one. Thread t of T gets the tasks [count * t / T,
    count * (t + 1) / T), numbered with the last dimension as the fastest.

    Values that the body uses are passed in a struct on the stack of the caller,
    memrefs as their descriptors; constants and the addresses of globals are made
    anew. `memref.alloca` ops of the body are executed once for each range. With
    `keep-marked` only the other loops are lowered; that is for the time before
    the passes that work on loops.

    It is an error if a marked loop has results, is outside of functions, or uses
    a value that has no type in the LLVM dialect.

    Before:

    ```mlir
    func.func @f(%m: memref<?xf32>, %n: index) {
      scf.forall (%i) in (%n) {
        %x = memref.load %m[%i] : memref<?xf32>
        %y = arith.addf %x, %x : f32
        memref.store %y, %m[%i] : memref<?xf32>
      } {compress.threads = 2 : i64}
      return
    }
    ```

    After:

    ```mlir
    func.func @f(%m: memref<?xf32>, %n: index) {
      %c1 = llvm.mlir.constant(1 : i64) : i64
      %context = llvm.alloca %c1 x !llvm.struct<(!descriptor)> : (i64) -> !llvm.ptr
      %0 = builtin.unrealized_conversion_cast %m : memref<?xf32> to !descriptor
      %1 = llvm.getelementptr %context[0, 0] : ...
      llvm.store %0, %1 : !descriptor, !llvm.ptr
      %f = func.constant @f_parallel : (!llvm.ptr, i64, i64) -> ()
      %2 = builtin.unrealized_conversion_cast %f : ... to !llvm.ptr
      %count = arith.index_cast %n : index to i64
      %threads = arith.constant 2 : i64
      call @compress_parallel_for(%2, %context, %count, %threads) : ...
      return
    }
    func.func private @f_parallel(%context: !llvm.ptr, %begin: i64, %end: i64) {
      %0 = llvm.getelementptr %context[0, 0] : ...
      %1 = llvm.load %0 : !llvm.ptr -> !descriptor
      %m = builtin.unrealized_conversion_cast %1 : !descriptor to memref<?xf32>
      scf.for %i = ... to ... step %c1 {
        ...
      }
      return
    }
    ```
  }];
  let options = [
    Option<"threading", "threading", "::mlir::compress::Threading",
           "::mlir::compress::Threading::Pool", "What marked loops become",
           [{::llvm::cl::values(
             clEnumValN(::mlir::compress::Threading::Pool, "pool",
                        "calls of the runtime library's thread pool"),
             clEnumValN(::mlir::compress::Threading::OpenMP, "openmp",
                        "parallel regions of OpenMP"),
             clEnumValN(::mlir::compress::Threading::None, "none",
                        "sequential loops"))}]>,
    Option<"keepMarked", "keep-marked", "bool", /*default=*/"false",
           "Leave marked loops for a later run of this pass, unless threading "
           "is none">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::mlir::omp::OpenMPDialect", "::mlir::scf::SCFDialect"
  ];
}

def ExpandDynamicReshapesPass : Pass<"compress-expand-dynamic-reshapes"> {
  let summary = "Expand reshapes of one dimension to several of unknown sizes";
  let description = [{
    A `memref.expand_shape` that makes several dynamic dimensions of one becomes
    a `memref.reinterpret_cast` with the sizes that it says;
    `expand-strided-metadata` computes sizes by division and cannot do these.

    ```mlir
    %r = memref.expand_shape %m [[0, 1]] output_shape [%a, %b]
      : memref<?xf32> into memref<?x?xf32>
    ```

    becomes

    ```mlir
    %r = memref.reinterpret_cast %m to offset: [0], sizes: [%a, %b],
      strides: [%b, 1] : memref<?xf32> to memref<?x?xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect"
  ];
}

def VerifyByteAddressablePass : Pass<"compress-verify-byte-addressable"> {
  let summary = "Refuse memory whose elements are not whole bytes";
  let description = [{
    Scalar accesses give an element of a `memref<4xi4>` a byte, vector accesses
    half a byte, and nothing upstream notices: results are wrong by position.
    This pass emits an error for each op and function that has a memref whose
    element type is not a power of two of 8 or more bits (`i1`, one byte each, is
    allowed in scalar accesses), and for vector accesses to `i1` memory.

    ```mlir
    %v = vector.load %m[%i] : memref<4xi4>, vector<4xi4>
    // error: 'vector.load' op accesses memory of type 'memref<4xi4>' whose
    //        elements are not whole bytes
    ```
  }];
}

def TargetToLLVMPass : Pass<"compress-target-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Give functions the attributes of the CPU to compile for";
  let description = [{
    The last pass of the lowering: turns the `compress.target` of a module into
    attributes of each `llvm.func` with a body, so that every compiler of LLVM
    IR, `llc` as well as a JIT, uses the same instructions. A function that has
    `target_cpu` or `target_features` keeps what it has. `compress.target` is
    removed, so that tools without the compress dialect can read the module;
    without it nothing changes.

    The features are those that the target has, preceded by those that LLVM
    would expect of the CPU but the target lacks. On CPUs with VNNI there is
    `-prefer-256-bit`, unless the target has `prefer-256-bit`: LLVM's
    vectorizers would else not use the 512-bit vectors of some.

    Before:

    ```mlir
    module attributes {compress.target = #compress.target<cpu = "x86-64",
        features = "cmov,cx8,fxsr,mmx,sse,sse2,sse3,x87">} {
      llvm.func @f() {
        llvm.return
      }
    }
    ```

    After:

    ```mlir
    module {
      llvm.func @f() attributes {target_cpu = "x86-64",
          target_features = #llvm.target_features<["+cmov", "+cx8", "+fxsr",
            "+mmx", "+sse", "+sse2", "+sse3", "+x87"]>} {
        llvm.return
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // COMPRESS_PIPELINES_PASSES
