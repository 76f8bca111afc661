// RUN: split-file %s %t
// RUN: compress-opt %t/net.mlir -compress-apply-calibration=calibration=%t/a.json,%t/b.json -compress-verify -o %t/ab.mlir
// RUN: FileCheck %s < %t/ab.mlir
// Tables merge in any order, and as one.
// RUN: compress-opt %t/net.mlir -compress-apply-calibration=calibration=%t/b.json,%t/a.json | diff %t/ab.mlir -
// RUN: compress-opt %t/net.mlir -compress-apply-calibration=calibration=%t/all.json | diff %t/ab.mlir -

// The range [-1, 3]: scale 4/255, zero point 255/4. A range is widened to 0.
// CHECK-LABEL: func @f
// CHECK-NEXT: %[[S:.*]] = arith.constant dense<0.0156862754> : tensor<f32>
// CHECK-NEXT: %[[Z:.*]] = arith.constant dense<64> : tensor<i8>
// CHECK-NEXT: compress.quantize %arg0, %[[S]], %[[Z]] : tensor<?x4xf32>, tensor<f32>, tensor<i8> to
// 1.27 / 127, for each of two groups.
// CHECK: arith.constant dense<0.00999999977> : tensor<2xf32>
// CHECK: compress.quantize
// CHECK: arith.constant dense<1.000000e+00> : tensor<f32>
// CHECK: compress.quantize
// CHECK: arith.constant dense<15> : tensor<1xi8>
// CHECK: arith.constant dense<{{.*}}> : tensor<f16>
// CHECK: compress.quantize
// CHECK-NOT: compress.observe
// CHECK-NOT: compress.calibration
// CHECK: compress.encode %arg1 : tensor<2x4xf32>

// RUN: not compress-opt %t/net.mlir -compress-apply-calibration=calibration=%t/a.json 2>&1 | FileCheck %s --check-prefix=UNSEEN
// UNSEEN: net.mlir:5:{{.*}} error: 'compress.encode' op operand #0, 'only-b', was never calibrated: the calibration table has no entry for it
// RUN: not compress-opt %t/net.mlir -compress-apply-calibration 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: 'x', was never calibrated
// NONE: 'only-b', was never calibrated
// RUN: not compress-opt %t/net.mlir -compress-apply-calibration=calibration=%t/nan.json 2>&1 | FileCheck %s --check-prefix=NAN
// NAN: operand #0, 'x', has no calibrated range: of 3 elements none is finite; run samples that reach it
// RUN: not compress-opt %t/net.mlir -compress-apply-calibration=calibration=%t/empty.json 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: operand #0, 'x', has no calibrated range: of 0 elements none is finite
// RUN: not compress-opt %t/net.mlir -compress-apply-calibration=calibration=%t/absent.json 2>&1 | FileCheck %s --check-prefix=ABSENT
// ABSENT: error: cannot read the calibration table '{{.*}}absent.json': No such file or directory
// RUN: not compress-opt %t/net.mlir -compress-apply-calibration=calibration=%t/syntax.json 2>&1 | FileCheck %s --check-prefix=SYNTAX
// SYNTAX: syntax.json:2:{{.*}} error: the calibration table is no JSON
// RUN: not compress-opt %t/net.mlir -compress-apply-calibration=calibration=%t/keys.json 2>&1 | FileCheck %s --check-prefix=KEYS
// KEYS: keys.json:1:1: error: tensor 'x': unknown key 'mean'
// RUN: not compress-opt %t/rows.mlir -compress-apply-calibration=calibration=%t/a.json 2>&1 | FileCheck %s --check-prefix=ROWS
// ROWS: rows.mlir:2:{{.*}} error: 'compress.encode' op one range cannot give the scales of {{.*}}: the size of dimension 0 is not known, but it has more than one scale

// A masking constant: a warning that names it, a finite normal scale, and an
// option that leaves it out. (max - min) must not overflow either.
// RUN: compress-opt %t/mask.mlir -compress-apply-calibration=calibration=%t/mask.json 2> %t/mask.err | FileCheck %s --check-prefix=MASK
// RUN: FileCheck %s --check-prefix=WARN < %t/mask.err
// WARN: mask.mlir:2:{{.*}} warning: the values of 'mask' reach -3.402823e+38, which is most likely a masking constant
// WARN: mask.mlir:3:{{.*}} warning: the values of 'both' reach 3.402823e+38
// MASK: arith.constant dense<1.33444{{[0-9]*}}E+36> : tensor<f32>
// MASK: arith.constant dense<2.66888{{[0-9]*}}E+36> : tensor<f32>
// MASK-NOT: {{inf|nan|0x7F|0xFF}}
// RUN: compress-opt %t/mask.mlir -compress-apply-calibration="calibration=%t/mask.json ignore-masks" 2>&1 | FileCheck %s --check-prefix=IGNORE
// IGNORE-NOT: warning
// IGNORE: arith.constant dense<0.00392156886> : tensor<f32>
// IGNORE: arith.constant dense<0.00784313772> : tensor<f32>
// RUN: not compress-opt %t/mask.mlir -compress-apply-calibration="calibration=%t/only-masks.json ignore-masks" 2>&1 | FileCheck %s --check-prefix=ONLY
// ONLY: operand #0, 'mask', has no calibrated range: of 4 elements none is finite and no mask

//--- net.mlir
func.func @f(%x: tensor<?x4xf32>, %y: tensor<2x4xf32>) -> (tensor<?x4xf32, #compress.affine<ui8, asymmetric>>, tensor<2x4xf32, #compress.affine<i8, block = [1, *]>>, tensor<2x4xf32, #compress.affine<i8>>, tensor<2x4xf32, #compress.affine<i4, block = [2, *], scale = ui4, super_scale = f16, super_block = [*, *]>>, tensor<2x4xf32, #compress.affine<i8>>) {
  compress.observe %x {name = "x"} : tensor<?x4xf32>
  %0 = compress.encode %x {compress.calibration = "x"} : tensor<?x4xf32> to tensor<?x4xf32, #compress.affine<ui8, asymmetric>>
  // Rows of a static size, all with the range of the tensor.
  %1 = compress.encode %y range(#compress.min_max) {compress.calibration = "only-b"} : tensor<2x4xf32> to tensor<2x4xf32, #compress.affine<i8, block = [1, *]>>
  %2 = compress.encode %y {compress.calibration = "zero"} : tensor<2x4xf32> to tensor<2x4xf32, #compress.affine<i8>>
  %3 = compress.encode %y {compress.calibration = "x"} : tensor<2x4xf32> to tensor<2x4xf32, #compress.affine<i4, block = [2, *], scale = ui4, super_scale = f16, super_block = [*, *]>>
  %4 = compress.encode %y : tensor<2x4xf32> to tensor<2x4xf32, #compress.affine<i8>>
  return %0, %1, %2, %3, %4 : tensor<?x4xf32, #compress.affine<ui8, asymmetric>>, tensor<2x4xf32, #compress.affine<i8, block = [1, *]>>, tensor<2x4xf32, #compress.affine<i8>>, tensor<2x4xf32, #compress.affine<i4, block = [2, *], scale = ui4, super_scale = f16, super_block = [*, *]>>, tensor<2x4xf32, #compress.affine<i8>>
}
//--- rows.mlir
func.func @f(%x: tensor<?x4xf32>) -> tensor<?x4xf32, #compress.affine<i8, block = [1, *]>> {
  %0 = compress.encode %x {compress.calibration = "x"} : tensor<?x4xf32> to tensor<?x4xf32, #compress.affine<i8, block = [1, *]>>
  return %0 : tensor<?x4xf32, #compress.affine<i8, block = [1, *]>>
}
//--- mask.mlir
func.func @f(%x: tensor<3xf32>) -> (tensor<3xf32, #compress.affine<ui8, asymmetric>>, tensor<3xf32, #compress.affine<ui8, asymmetric>>) {
  %0 = compress.encode %x {compress.calibration = "mask"} : tensor<3xf32> to tensor<3xf32, #compress.affine<ui8, asymmetric>>
  %1 = compress.encode %x {compress.calibration = "both"} : tensor<3xf32> to tensor<3xf32, #compress.affine<ui8, asymmetric>>
  return %0, %1 : tensor<3xf32, #compress.affine<ui8, asymmetric>>, tensor<3xf32, #compress.affine<ui8, asymmetric>>
}
//--- a.json
{"version": 1, "tensors": {"x": {"count": 8, "min": -1.0, "max": 0.5}, "zero": {"count": 1, "min": 0, "max": 0}}}
//--- b.json
{"version": 1, "tensors": {"x": {"count": 4, "nan": 1, "min": 2.0, "max": 3.0},
  "only-b": {"count": 4, "min": 0.25, "max": 1.27}, "unused": {"count": 1, "min": 0, "max": 1}}}
//--- all.json
{"version": 1, "tensors": {"x": {"count": 12, "nan": 1, "min": -1.0, "max": 3.0},
  "only-b": {"count": 4, "min": 0.25, "max": 1.27}, "zero": {"count": 1, "min": 0, "max": 0}}}
//--- nan.json
{"version": 1, "tensors": {"x": {"count": 3, "nan": 2, "inf": 1}}}
//--- empty.json
{"version": 1, "tensors": {"x": {"count": 0}}}
//--- syntax.json
{"version": 1,
 "tensors": {"x": }}
//--- keys.json
{"version": 1, "tensors": {"x": {"count": 1, "min": 0, "max": 1, "mean": 0.5}}}
//--- mask.json
{"version": 1, "tensors": {
  "mask": {"count": 3, "min": -3.4028234663852886e+38, "max": 1, "masks": 1, "unmasked_min": 0, "unmasked_max": 1},
  "both": {"count": 4, "min": -3.4028234663852886e+38, "max": 3.4028234663852886e+38, "masks": 2, "unmasked_min": -1, "unmasked_max": 1}}}
//--- only-masks.json
{"version": 1, "tensors": {"mask": {"count": 4, "min": -3.4028234663852886e+38, "max": -3.4028234663852886e+38, "masks": 4}}}
