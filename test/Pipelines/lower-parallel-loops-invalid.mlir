// What compress-lower-parallel-loops refuses.

// RUN: compress-opt %s --split-input-file --compress-lower-parallel-loops --verify-diagnostics

func.func @results(%t: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{has 'compress.threads' and results; bufferize it}}
  %0 = scf.forall (%i) in (4) shared_outs(%o = %t) -> tensor<4xf32> {
    %s = tensor.extract_slice %t[%i] [1] [1] : tensor<4xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  } {compress.threads = 2 : i64}
  return %0 : tensor<4xf32>
}

// -----

func.func private @use(tensor<4xf32>)
func.func @capture(%t: tensor<4xf32>, %n: index) {
  // expected-error@+1 {{uses a value of type 'tensor<4xf32>', which cannot be passed to other threads}}
  scf.forall (%i) in (%n) {
    func.call @use(%t) : (tensor<4xf32>) -> ()
  } {compress.threads = 2 : i64}
  return
}

// -----

func.func @type(%n: index) {
  // expected-error@+1 {{attribute 'compress.threads' must be an i64 on scf.forall, but is 2 : i32}}
  scf.forall (%i) in (%n) {
  } {compress.threads = 2 : i32}
  return
}

// -----

func.func @loop(%n: index) {
  // expected-error@+1 {{attribute 'compress.threads' must be an i64 on scf.forall}}
  scf.for %i = %n to %n step %n {
  } {compress.threads = 2 : i64}
  return
}

// -----

// expected-error@+1 {{has the name of a function of the runtime}}
func.func private @compress_parallel_for()
func.func @name(%m: memref<4xf32>, %x: f32, %n: index) {
  scf.forall (%i) in (%n) {
    memref.store %x, %m[%i] : memref<4xf32>
  } {compress.threads = 2 : i64}
  return
}

// -----

llvm.func @place(%n: i64) {
  %i = builtin.unrealized_conversion_cast %n : i64 to index
  // expected-error@+1 {{is in no func.func of a module}}
  scf.forall (%j) in (%i) {
  } {compress.threads = 2 : i64}
  llvm.return
}
