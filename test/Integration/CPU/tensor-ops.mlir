// Everything on tensors that the plain lowering promises, run, with results that
// can be checked by eye.

// RUN: for e in softmax pack_unpack pad concat gather scatter forall branch loop \
// RUN:     call state math rounding reshape generate dynamic_slice index_math \
// RUN:     cast_chain while_loop; do \
// RUN:   echo "== $e"; compress-run %s --entry=$e --print || exit 1; \
// RUN: done | FileCheck %s

// CHECK-LABEL: == softmax
// CHECK: result #0: 1x2xf32 = {{\[\[}}0.25, 0.75
func.func @softmax() -> tensor<1x2xf32> {
  // ln 3
  %x = arith.constant dense<[[0.0, 1.09861229]]> : tensor<1x2xf32>
  %e = tensor.empty() : tensor<1x2xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<1x2xf32>) outs(%e : tensor<1x2xf32>) -> tensor<1x2xf32>
  return %r : tensor<1x2xf32>
}

// Static and dynamic packs agree, and unpack undoes them.
// CHECK-LABEL: == pack_unpack
// CHECK: result #0: 2x2x2x2xi32 = {{\[\[\[\[}}1, 2], [4, 5]], {{\[\[}}3, 9], [6, 9]]], {{\[\[\[}}7, 8], [9, 9]], {{\[\[}}10, 9], [9, 9]]]]
// CHECK: result #1: 2x2x2x2xi32 = {{\[\[\[\[}}1, 2], [4, 5]], {{\[\[}}3, 9], [6, 9]]], {{\[\[\[}}7, 8], [9, 9]], {{\[\[}}10, 9], [9, 9]]]]
// CHECK: result #2: 3x3xi32 = {{\[\[}}1, 2, 3], [4, 5, 6], [7, 8, 10]]
// CHECK: result #3: 3x3xi32 = {{\[\[}}1, 2, 3], [4, 5, 6], [7, 8, 10]]
func.func @pack_unpack() -> (tensor<2x2x2x2xi32>, tensor<?x?x2x2xi32>, tensor<3x3xi32>, tensor<?x?xi32>) {
  %pad = arith.constant 9 : i32
  %x = arith.constant dense<[[1, 2, 3], [4, 5, 6], [7, 8, 10]]> : tensor<3x3xi32>
  %xd = tensor.cast %x : tensor<3x3xi32> to tensor<?x?xi32>
  %e = tensor.empty() : tensor<2x2x2x2xi32>
  %ed = tensor.cast %e : tensor<2x2x2x2xi32> to tensor<?x?x2x2xi32>
  %p = linalg.pack %x padding_value(%pad : i32) inner_dims_pos = [0, 1] inner_tiles = [2, 2] into %e
      : tensor<3x3xi32> -> tensor<2x2x2x2xi32>
  %pd = linalg.pack %xd padding_value(%pad : i32) inner_dims_pos = [0, 1] inner_tiles = [2, 2] into %ed
      : tensor<?x?xi32> -> tensor<?x?x2x2xi32>
  %f = tensor.empty() : tensor<3x3xi32>
  %fd = tensor.cast %f : tensor<3x3xi32> to tensor<?x?xi32>
  %u = linalg.unpack %p inner_dims_pos = [0, 1] inner_tiles = [2, 2] into %f
      : tensor<2x2x2x2xi32> -> tensor<3x3xi32>
  %ud = linalg.unpack %pd inner_dims_pos = [0, 1] inner_tiles = [2, 2] into %fd
      : tensor<?x?x2x2xi32> -> tensor<?x?xi32>
  return %p, %pd, %u, %ud : tensor<2x2x2x2xi32>, tensor<?x?x2x2xi32>, tensor<3x3xi32>, tensor<?x?xi32>
}

// CHECK-LABEL: == pad
// CHECK: result #0: 3x3xi8 = {{\[\[}}9, 9, 9], [9, 1, 2], [9, 3, 4]]
func.func @pad() -> tensor<3x3xi8> {
  %p = arith.constant 9 : i8
  %x = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>
  %r = tensor.pad %x low[1, 1] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %p : i8
  } : tensor<2x2xi8> to tensor<3x3xi8>
  return %r : tensor<3x3xi8>
}

// CHECK-LABEL: == concat
// CHECK: result #0: 2x3xi8 = {{\[\[}}1, 5, 6], [2, 7, 8]]
func.func @concat() -> tensor<2x3xi8> {
  %x = arith.constant dense<[[1], [2]]> : tensor<2x1xi8>
  %y = arith.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi8>
  %r = tensor.concat dim(1) %x, %y : (tensor<2x1xi8>, tensor<2x2xi8>) -> tensor<2x3xi8>
  return %r : tensor<2x3xi8>
}

// CHECK-LABEL: == gather
// CHECK: result #0: 2x2xi8 = {{\[\[}}5, 6], [1, 2]]
// CHECK: result #1: 2x1x2xi8 = {{\[\[\[}}5, 6]], {{\[\[}}1, 2]]]
func.func @gather() -> (tensor<2x2xi8>, tensor<2x1x2xi8>) {
  %x = arith.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8>
  %i = arith.constant dense<[[2], [0]]> : tensor<2x1xindex>
  %r = tensor.gather %x[%i] gather_dims([0]) : (tensor<3x2xi8>, tensor<2x1xindex>) -> tensor<2x2xi8>
  %s = tensor.gather %x[%i] gather_dims([0]) : (tensor<3x2xi8>, tensor<2x1xindex>) -> tensor<2x1x2xi8>
  return %r, %s : tensor<2x2xi8>, tensor<2x1x2xi8>
}

// CHECK-LABEL: == scatter
// CHECK: result #0: 3x2xi8 = {{\[\[}}3, 4], [0, 0], [1, 2]]
func.func @scatter() -> tensor<3x2xi8> {
  %s = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>
  %d = arith.constant dense<0> : tensor<3x2xi8>
  %i = arith.constant dense<[[2], [0]]> : tensor<2x1xindex>
  %r = tensor.scatter %s into %d[%i] scatter_dims([0]) unique
      : (tensor<2x2xi8>, tensor<3x2xi8>, tensor<2x1xindex>) -> tensor<3x2xi8>
  return %r : tensor<3x2xi8>
}

// CHECK-LABEL: == forall
// CHECK: result #0: 4xi32 = [1, 4, 9, 16]
func.func @forall() -> tensor<4xi32> {
  %x = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %e = tensor.empty() : tensor<4xi32>
  %r = scf.forall (%i) in (4) shared_outs(%o = %e) -> tensor<4xi32> {
    %v = tensor.extract_slice %x[%i] [1] [1] : tensor<4xi32> to tensor<1xi32>
    %w = arith.muli %v, %v : tensor<1xi32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %w into %o[%i] [1] [1] : tensor<1xi32> into tensor<4xi32>
    }
  }
  return %r : tensor<4xi32>
}

// CHECK-LABEL: == branch
// CHECK: result #0: 2xi32 = [6, 6]
// CHECK: result #1: 2xi32 = [9, 9]
func.func @branch() -> (tensor<2xi32>, tensor<2xi32>) {
  %true = arith.constant true
  %false = arith.constant false
  %x = arith.constant dense<3> : tensor<2xi32>
  %a = func.call @branch_on(%true, %x) : (i1, tensor<2xi32>) -> tensor<2xi32>
  %b = func.call @branch_on(%false, %x) : (i1, tensor<2xi32>) -> tensor<2xi32>
  return %a, %b : tensor<2xi32>, tensor<2xi32>
}
func.func @branch_on(%c: i1, %a: tensor<2xi32>) -> tensor<2xi32> {
  cf.cond_br %c, ^bb1(%a : tensor<2xi32>), ^bb2
^bb1(%x: tensor<2xi32>):
  %r = arith.addi %x, %a : tensor<2xi32>
  cf.br ^bb3(%r : tensor<2xi32>)
^bb2:
  %s = arith.muli %a, %a : tensor<2xi32>
  cf.br ^bb3(%s : tensor<2xi32>)
^bb3(%t: tensor<2xi32>):
  return %t : tensor<2xi32>
}

// CHECK-LABEL: == loop
// CHECK: result #0: 2xi32 = [8, 16]
func.func @loop() -> tensor<2xi32> {
  %x = arith.constant dense<[1, 2]> : tensor<2xi32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%y = %x) -> tensor<2xi32> {
    %s = arith.addi %y, %y : tensor<2xi32>
    scf.yield %s : tensor<2xi32>
  }
  return %r : tensor<2xi32>
}

// The callee may write to its argument; the caller still needs it.
// CHECK-LABEL: == call
// CHECK: result #0: 2xi32 = [2, 4]
// CHECK: result #1: 2xi32 = [1, 2]
func.func @call() -> (tensor<2xi32>, tensor<2xi32>) {
  %x = arith.constant dense<[1, 2]> : tensor<2xi32>
  %e = tensor.empty() : tensor<2xi32>
  %y = linalg.copy ins(%x : tensor<2xi32>) outs(%e : tensor<2xi32>) -> tensor<2xi32>
  %r = func.call @double(%y) : (tensor<2xi32>) -> tensor<2xi32>
  return %r, %y : tensor<2xi32>, tensor<2xi32>
}
func.func private @double(%a: tensor<2xi32>) -> tensor<2xi32> {
  %r = linalg.add ins(%a, %a : tensor<2xi32>, tensor<2xi32>) outs(%a : tensor<2xi32>) -> tensor<2xi32>
  return %r : tensor<2xi32>
}

// A global changes from one statement to the next.
// CHECK-LABEL: == state
// CHECK: result #0: 2xi32 = [1, 2]
// CHECK: result #1: 2xi32 = [2, 4]
ml_program.global private mutable @counter(dense<[1, 2]> : tensor<2xi32>) : tensor<2xi32>
func.func @state() -> (tensor<2xi32>, tensor<2xi32>) {
  %a = ml_program.global_load @counter : tensor<2xi32>
  %b = arith.addi %a, %a : tensor<2xi32>
  ml_program.global_store @counter = %b : tensor<2xi32>
  %c = ml_program.global_load @counter : tensor<2xi32>
  return %a, %c : tensor<2xi32>, tensor<2xi32>
}

// CHECK-LABEL: == math
// log1p must not be log(1 + x): that gives 1.19e-07 for the last number.
// CHECK: result #0: 4xf32 = [1, 0.36787{{[0-9]+}}, 7.3890{{[0-9]+}}, 1.0000001]
// CHECK: result #1: 4xf32 = [0, -0.76159{{[0-9]+}}, 0.96402{{[0-9]+}}, {{1e-07|1.0000001e-07|9.9999994e-08}}]
// CHECK: result #2: 4xf32 = [0, -inf, 1.0986{{[0-9]+}}, {{1e-07|9.9999994e-08|9.999999e-08}}]
// CHECK: result #3: 4xbf16 = [1, 0.367, 7.38, 1]
// CHECK: result #4: 4xf16 = [0, -0.843, 0.995, 1e-07]
func.func @math() -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xbf16>, tensor<4xf16>) {
  %x = arith.constant dense<[0.0, -1.0, 2.0, 1.0e-7]> : tensor<4xf32>
  %exp = math.exp %x : tensor<4xf32>
  %tanh = math.tanh %x : tensor<4xf32>
  %log1p = math.log1p %x : tensor<4xf32>
  %b = arith.truncf %x : tensor<4xf32> to tensor<4xbf16>
  %h = arith.truncf %x : tensor<4xf32> to tensor<4xf16>
  %bexp = math.exp %b : tensor<4xbf16>
  %erf = math.erf %h : tensor<4xf16>
  return %exp, %tanh, %log1p, %bexp, %erf : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xbf16>, tensor<4xf16>
}

// CHECK-LABEL: == rounding
// CHECK: result #0: 6xf32 = [0, 2, 2, -0, -2, 3]
// CHECK: result #1: 6xf32 = [1, 2, 3, -1, -2, 3]
// CHECK: result #2: 6xf32 = [1, 1.5, 2.5, 1, 1, 3]
// CHECK: result #3: 6xf32 = [nan, nan, nan, nan, nan, nan]
func.func @rounding() -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) {
  %x = arith.constant dense<[0.5, 1.5, 2.5, -0.5, -1.5, 3.0]> : tensor<6xf32>
  %one = arith.constant dense<1.0> : tensor<6xf32>
  %nan = arith.constant dense<0x7FC00000> : tensor<6xf32>
  %even = math.roundeven %x : tensor<6xf32>
  %away = math.round %x : tensor<6xf32>
  %max = arith.maxnumf %x, %one : tensor<6xf32>
  %max_nan = arith.maximumf %x, %nan : tensor<6xf32>
  return %even, %away, %max, %max_nan : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
}

// CHECK-LABEL: == reshape
// CHECK: result #0: 2x3xi8 = {{\[\[}}1, 2, 3], [4, 5, 6]]
// CHECK: result #1: 6xi8 = [1, 4, 2, 5, 3, 6]
func.func @reshape() -> (tensor<2x3xi8>, tensor<6xi8>) {
  %x = arith.constant dense<[1, 2, 3, 4, 5, 6]> : tensor<6xi8>
  %a = tensor.expand_shape %x [[0, 1]] output_shape [2, 3] : tensor<6xi8> into tensor<2x3xi8>
  %e = tensor.empty() : tensor<3x2xi8>
  %t = linalg.transpose ins(%a : tensor<2x3xi8>) outs(%e : tensor<3x2xi8>) permutation = [1, 0]
  %b = tensor.collapse_shape %t [[0, 1]] : tensor<3x2xi8> into tensor<6xi8>
  return %a, %b : tensor<2x3xi8>, tensor<6xi8>
}

// CHECK-LABEL: == generate
// CHECK: result #0: 3xi64 = [0, 1, 4]
func.func @generate() -> tensor<?xindex> {
  %c3 = arith.constant 3 : index
  %r = tensor.generate %c3 {
  ^bb0(%i: index):
    %s = arith.muli %i, %i : index
    tensor.yield %s : index
  } : tensor<?xindex>
  return %r : tensor<?xindex>
}

// CHECK-LABEL: == dynamic_slice
// CHECK: result #0: 2xi8 = [2, 3]
// CHECK: result #1: 4xi8 = [1, 7, 7, 4]
func.func @dynamic_slice() -> (tensor<?xi8>, tensor<4xi8>) {
  %x = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi8>
  %v = arith.constant 7 : i8
  %xs = tensor.from_elements %v, %v : tensor<2xi8>
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %s = tensor.extract_slice %x[%c1] [%c2] [1] : tensor<4xi8> to tensor<?xi8>
  %i = tensor.insert_slice %xs into %x[%c1] [2] [1] : tensor<2xi8> into tensor<4xi8>
  return %s, %i : tensor<?xi8>, tensor<4xi8>
}

// CHECK-LABEL: == index_math
// CHECK: result #0: i64 = -3
// CHECK: result #1: i64 = 4
// CHECK: result #2: i64 = -2
func.func @index_math() -> (index, index, index) {
  %a = index.constant -5
  %b = index.constant 2
  %floor = index.floordivs %a, %b
  %c7 = arith.constant 7 : index
  %ceil = affine.apply affine_map<(d0)[s0] -> (d0 ceildiv s0)>(%c7)[%b]
  %trunc = arith.divsi %a, %b : index
  return %floor, %ceil, %trunc : index, index, index
}

// CHECK-LABEL: == cast_chain
// CHECK: result #0: 4xi8 = [-128, 127, 2, -1]
// CHECK: result #1: 4xi32 = [128, 127, 2, 255]
// CHECK: result #2: 4xf32 = [-128, 127, 2, -1]
func.func @cast_chain() -> (tensor<4xi8>, tensor<4xi32>, tensor<4xf32>) {
  %x = arith.constant dense<[-128, 127, 258, -1]> : tensor<4xi32>
  %t = arith.trunci %x : tensor<4xi32> to tensor<4xi8>
  %z = arith.extui %t : tensor<4xi8> to tensor<4xi32>
  %f = arith.sitofp %t : tensor<4xi8> to tensor<4xf32>
  return %t, %z, %f : tensor<4xi8>, tensor<4xi32>, tensor<4xf32>
}

// CHECK-LABEL: == while_loop
// CHECK: result #0: 2xi32 = [64, 128]
func.func @while_loop() -> tensor<2xi32> {
  %c0 = arith.constant 0 : index
  %limit = arith.constant 50 : i32
  %x = arith.constant dense<[1, 2]> : tensor<2xi32>
  %r = scf.while (%y = %x) : (tensor<2xi32>) -> tensor<2xi32> {
    %first = tensor.extract %y[%c0] : tensor<2xi32>
    %below = arith.cmpi slt, %first, %limit : i32
    scf.condition(%below) %y : tensor<2xi32>
  } do {
  ^bb0(%y: tensor<2xi32>):
    %s = arith.addi %y, %y : tensor<2xi32>
    scf.yield %s : tensor<2xi32>
  }
  return %r : tensor<2xi32>
}
