// Results of functions on tensors: several types, dynamic and empty shapes,
// several results, results that alias, scalars.

// RUN: compress-run %s --entry=matmul --input=fill=2:3x4 --input=fill=0.5 --print | FileCheck %s --check-prefix=MATMUL
// RUN: compress-run %s --entry=matmul --input=fill=2:0x4 --input=fill=0.5 --print | FileCheck %s --check-prefix=EMPTY
// RUN: compress-run %s --entry=int8 --print | FileCheck %s --check-prefix=INT8
// RUN: compress-run %s --entry=scalars --input=fill=1 --input=fill=-3 --input=fill=1.5 --input=fill=2.5 --input=fill=0.1 --input=fill=7 --input=fill=3 --print | FileCheck %s --check-prefix=SCALARS
// RUN: compress-run %s --entry=alias --input=fill=2 --print | FileCheck %s --check-prefix=ALIAS
// RUN: compress-run %s --entry=constants --print | FileCheck %s --check-prefix=CONSTANTS
// RUN: compress-run %s --entry=strided --print | FileCheck %s --check-prefix=STRIDED
// RUN: compress-run %s --entry=in_place --input=fill=2 --print --save-argument=0=%t.npy --repeat=3 | FileCheck %s --check-prefix=INPLACE
// RUN: compress-run %s --entry=identity --input=%t.npy --print | FileCheck %s --check-prefix=KEPT
// RUN: compress-run %s --entry=private_entry --input=fill=4 --print | FileCheck %s --check-prefix=PRIVATE

// MATMUL: result #0: 3x2xf32 = {{\[\[}}4, 4], [4, 4], [4, 4]]
// MATMUL: result #1: i64 = 3
// EMPTY: result #0: 0x2xf32 = []
// EMPTY: result #1: i64 = 0
func.func @matmul(%a: tensor<?x4xf32>, %b: tensor<4x2xf32>) -> (tensor<?x2xf32>, index) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%m) : tensor<?x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x2xf32>) -> tensor<?x2xf32>
  %r = linalg.matmul ins(%a, %b : tensor<?x4xf32>, tensor<4x2xf32>)
                     outs(%f : tensor<?x2xf32>) -> tensor<?x2xf32>
  return %r, %m : tensor<?x2xf32>, index
}

// Sums that an i8 or i16 accumulator cannot hold.
// INT8: result #0: 2x2xi32 = {{\[\[}}64516, -65024], [-65024, 65536]]
func.func @int8() -> tensor<2x2xi32> {
  %a = arith.constant dense<[[127, 127, 127, 127], [-128, -128, -128, -128]]> : tensor<2x4xi8>
  %b = arith.constant dense<[[127, -128], [127, -128], [127, -128], [127, -128]]> : tensor<4x2xi8>
  %zero = arith.constant dense<0> : tensor<2x2xi32>
  %r = linalg.matmul ins(%a, %b : tensor<2x4xi8>, tensor<4x2xi8>)
                     outs(%zero : tensor<2x2xi32>) -> tensor<2x2xi32>
  return %r : tensor<2x2xi32>
}

// SCALARS: result #0: bool = true
// SCALARS: result #1: i8 = -3
// SCALARS: result #2: f16 = 1.5
// SCALARS: result #3: bf16 = 2.5
// SCALARS: result #4: f64 = 0.1
// SCALARS: result #5: i64 = 7
// SCALARS: result #6: f32 = 3
func.func @scalars(%a: i1, %b: i8, %c: f16, %d: bf16, %e: f64, %f: index, %t: tensor<f32>)
    -> (i1, i8, f16, bf16, f64, index, tensor<f32>) {
  return %a, %b, %c, %d, %e, %f, %t : i1, i8, f16, bf16, f64, index, tensor<f32>
}

// ALIAS: result #0: 4xf32 = [2, 2, 2, 2]
// ALIAS: result #1: 4xf32 = [2, 2, 2, 2]
// ALIAS: result #2: 4xf32 = [4, 4, 4, 4]
// ALIAS: result #3: 4xf32 = [4, 4, 4, 4]
func.func @alias(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %r = arith.addf %a, %a : tensor<4xf32>
  return %a, %a, %r, %r : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CONSTANTS: result #0: 3xf64 = [0.1, -inf, nan]
// CONSTANTS: result #1: 2xi16 = [-32768, 32767]
// CONSTANTS: result #2: 3xbool = [true, false, true]
// CONSTANTS: result #3: 2xbf16 = [1, 3.39e+38]
func.func @constants() -> (tensor<3xf64>, tensor<2xi16>, tensor<3xi1>, tensor<2xbf16>) {
  %a = arith.constant dense<[0.1, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<3xf64>
  %b = arith.constant dense<[-32768, 32767]> : tensor<2xi16>
  %c = arith.constant dense<[true, false, true]> : tensor<3xi1>
  %d = arith.constant dense<[1.0, 3.39e38]> : tensor<2xbf16>
  return %a, %b, %c, %d : tensor<3xf64>, tensor<2xi16>, tensor<3xi1>, tensor<2xbf16>
}

// STRIDED: result #0: 2x2xi32 = {{\[\[}}5, 7], [9, 11]]
func.func @strided() -> tensor<2x2xi32> {
  %a = arith.constant dense<[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]> : tensor<3x4xi32>
  %r = tensor.extract_slice %a[1, 1][2, 2][1, 2] : tensor<3x4xi32> to tensor<2x2xi32>
  return %r : tensor<2x2xi32>
}

// The destination is the argument, but a caller's array is a value: it does not
// change, however often the function runs.
// INPLACE: result #0: 4xf32 = [4, 4, 4, 4]
// KEPT: result #0: 4xf32 = [2, 2, 2, 2]
func.func @in_place(%a: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.add ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

func.func @identity(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}

// PRIVATE: result #0: 2xf32 = [8, 8]
func.func private @private_entry(%a: tensor<2xf32>) -> tensor<2xf32> {
  %r = arith.addf %a, %a : tensor<2xf32>
  return %r : tensor<2xf32>
}
