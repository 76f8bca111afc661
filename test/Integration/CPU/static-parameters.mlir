// Scales and zero points from calibration: what was observed in one run gives
// the next one the same bits as ranges that are computed from the data.

// RUN: split-file %s %t
// RUN: compress-run %t/observe.mlir --calibrate=%t/stats.json
// RUN: compress-opt %t/program.mlir --compress-apply-calibration=calibration=%t/stats.json -o %t/static.mlir
// RUN: compress-run %t/static.mlir
// RUN: compress-run %t/static.mlir --pipeline='builtin.module(compress-lower-checks,inline,canonicalize)'
// RUN: FileCheck %s < %t/static.mlir

// Set 1: scale 2, and 126.5 rounds to the even zero point 126. Set 2: scale 1,
// zero point 127. Zeros: scale 1, zero point 0. One value: the range [0, 2].
// CHECK-DAG: dense<2.000000e+00> : tensor<f32>
// CHECK-DAG: dense<126> : tensor<i8>
// CHECK-DAG: dense<127> : tensor<i8>
// CHECK-DAG: dense<0.00784313772> : tensor<f32>
// CHECK-NOT: compress.encode

//--- observe.mlir
func.func @main() {
  %a = arith.constant dense<[-253.0, 257.0, 0.0]> : tensor<3xf32>
  %b = arith.constant dense<[-127.0, 128.0, 0.5]> : tensor<3xf32>
  %c = arith.constant dense<0.0> : tensor<3xf32>
  %d = arith.constant dense<2.0> : tensor<3xf32>
  compress.observe %a {name = "a"} : tensor<3xf32>
  compress.observe %b {name = "b"} : tensor<3xf32>
  compress.observe %c {name = "c"} : tensor<3xf32>
  compress.observe %d {name = "d"} : tensor<3xf32>
  return
}
//--- program.mlir
#u8 = #compress.affine<ui8, asymmetric>

func.func private @check(%e: tensor<3xf32, #u8>, %scale: tensor<f32>, %zp: tensor<i8>, %codes: tensor<3xi8>) {
  %v = compress.component %e["values"] : tensor<3xf32, #u8> -> tensor<3xi8>
  %s = compress.component %e["scales"] : tensor<3xf32, #u8> -> tensor<f32>
  %z = compress.component %e["zero_points"] : tensor<3xf32, #u8> -> tensor<i8>
  compress_check.expect_eq %v, %codes : tensor<3xi8>
  compress_check.expect_eq %s, %scale : tensor<f32>
  compress_check.expect_eq %z, %zp : tensor<i8>
  return
}

func.func @main() {
  %a = arith.constant dense<[-253.0, 257.0, 0.0]> : tensor<3xf32>
  %ah = compress_check.hide %a : tensor<3xf32>
  %ae = compress.encode %ah {compress.calibration = "a"} : tensor<3xf32> to tensor<3xf32, #u8>
  %as = arith.constant dense<2.0> : tensor<f32>
  %az = arith.constant dense<126> : tensor<i8>
  %ac = arith.constant dense<[0, 254, 126]> : tensor<3xi8>
  call @check(%ae, %as, %az, %ac) : (tensor<3xf32, #u8>, tensor<f32>, tensor<i8>, tensor<3xi8>) -> ()

  %b = arith.constant dense<[-127.0, 128.0, 0.5]> : tensor<3xf32>
  %bh = compress_check.hide %b : tensor<3xf32>
  %be = compress.encode %bh {compress.calibration = "b"} : tensor<3xf32> to tensor<3xf32, #u8>
  %bs = arith.constant dense<1.0> : tensor<f32>
  %bz = arith.constant dense<127> : tensor<i8>
  %bc = arith.constant dense<[0, 255, 127]> : tensor<3xi8>
  call @check(%be, %bs, %bz, %bc) : (tensor<3xf32, #u8>, tensor<f32>, tensor<i8>, tensor<3xi8>) -> ()

  %c = arith.constant dense<0.0> : tensor<3xf32>
  %ch = compress_check.hide %c : tensor<3xf32>
  %ce = compress.encode %ch {compress.calibration = "c"} : tensor<3xf32> to tensor<3xf32, #u8>
  %cz = arith.constant dense<0> : tensor<i8>
  %cc = arith.constant dense<0> : tensor<3xi8>
  call @check(%ce, %bs, %cz, %cc) : (tensor<3xf32, #u8>, tensor<f32>, tensor<i8>, tensor<3xi8>) -> ()

  // Beyond the observed range: the ends.
  %d = arith.constant dense<[2.0, 300.0, -1.0]> : tensor<3xf32>
  %dh = compress_check.hide %d : tensor<3xf32>
  %de = compress.encode %dh {compress.calibration = "d"} : tensor<3xf32> to tensor<3xf32, #u8>
  %ds = arith.constant dense<0.00784313772> : tensor<f32>
  %dc = arith.constant dense<[255, 255, 0]> : tensor<3xi8>
  call @check(%de, %ds, %cz, %dc) : (tensor<3xf32, #u8>, tensor<f32>, tensor<i8>, tensor<3xi8>) -> ()
  return
}
