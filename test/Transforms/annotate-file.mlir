// RUN: split-file %s %t
// RUN: compress-opt %t/net.mlir -compress-annotate=recipe=%t/good.json -mlir-print-local-scope -o %t/out.mlir
// RUN: FileCheck %s < %t/out.mlir
// The attributes come out of a file as they do out of the module; what is
// encoded already is left as it is.
// RUN: compress-opt %t/out.mlir -compress-annotate=recipe=%t/good.json -mlir-print-local-scope | diff %t/out.mlir -

// CHECK: module {
// CHECK-LABEL: func @f
// CHECK-DAG: compress.encode %arg0 range(#compress.min_max) {compress.calibration = "fc.lhs"} : tensor<2x2xf32> to tensor<2x2xf32, #compress.affine<ui8, asymmetric>>
// CHECK-DAG: compress.encode %{{.*}} : tensor<2x2xf32> to tensor<2x2xf32, #compress.affine<i8, block = [*, 1]>>
// CHECK: linalg.matmul ins(%{{.*}} : tensor<2x2xf32, #compress{{.*}}, tensor<2x2xf32, #compress

// RUN: not compress-opt %t/net.mlir -compress-annotate=recipe=%t/absent.json 2>&1 | FileCheck %s --check-prefix=ABSENT
// ABSENT: error: cannot read the recipe '{{.*}}absent.json': No such file or directory
// RUN: not compress-opt %t/net.mlir -compress-annotate=recipe=%t/syntax.json 2>&1 | FileCheck %s --check-prefix=SYNTAX
// SYNTAX: syntax.json:3:{{[0-9]+}}: error: the recipe is no JSON: Expected
// RUN: not compress-opt %t/net.mlir -compress-annotate=recipe=%t/shape.json 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE: shape.json:1:1: error: a recipe must be an object with a list of rules
// RUN: not compress-opt %t/net.mlir -compress-annotate=recipe=%t/beside.json 2>&1 | FileCheck %s --check-prefix=BESIDE
// BESIDE: beside.json:1:1: error: unknown key 'rulez' beside 'rules'
// RUN: not compress-opt %t/net.mlir -compress-annotate=recipe=%t/entry.json 2>&1 | FileCheck %s --check-prefix=ENTRY
// ENTRY: entry.json:{{.*}}: error: a rule of a recipe must be an object
// RUN: not compress-opt %t/net.mlir -compress-annotate=recipe=%t/key.json 2>&1 | FileCheck %s --check-prefix=KEY
// KEY: key.json:4:3: error: recipe rule #1 'second': unknown key 'encodng'; did you mean 'encoding'?
// RUN: not compress-opt %t/net.mlir -compress-annotate=recipe=%t/encoding.json 2>&1 | FileCheck %s --check-prefix=ENCODING
// ENCODING: encoding.json:2:26: error: in 'encoding', "#compress.afine<i8>" is no attribute: {{.*}}afine
// RUN: not compress-opt %t/net.mlir -compress-annotate=recipe=%t/value.json 2>&1 | FileCheck %s --check-prefix=VALUE
// VALUE: value.json:2:4: error: the value of 'block' must be a string, an integer or a list
// RUN: not compress-opt %t/net.mlir -compress-annotate=recipe=%t/nothing.json 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: nothing.json:3:3: error: recipe rule #1 'misspelt' encodes nothing: no operand of an op in the module matches it

//--- net.mlir
func.func @f(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<2x2xf32>, tensor<2x2xf32>) outs(%x : tensor<2x2xf32>) -> tensor<2x2xf32> loc("fc")
  return %0 : tensor<2x2xf32>
}

//--- good.json
{"rules": [
  {"name": "weights", "op": ["linalg.*", "contraction"], "operand": "weights",
   "per": "channel", "encoding": "#compress.affine<i8>"},
  {"name": "activations", "operand": 0, "mode": "static", "per": "tensor",
   "range": "#compress.min_max", "encoding": "#compress.affine<ui8, asymmetric>"}
]}

//--- syntax.json
{"rules": [
  {"operand": "weights",
   "encoding" "#compress.affine<i8>"}
]}

//--- shape.json
[{"encoding": "#compress.affine<i8>"}]

//--- beside.json
{"rules": [], "rulez": []}

//--- entry.json
{"rules": ["#compress.affine<i8>"]}

//--- key.json
{"rules": [
 {"name": "first \" { [ quoted", "encoding": "#compress.affine<i8>"},
 {"name": "second",
  "encodng": "#compress.affine<i8>"}
]}

//--- encoding.json
{"rules": [
  {"operand": "weights", "encoding": "#compress.afine<i8>"}
]}

//--- value.json
{"rules": [
  {"block": {"nested": 1}, "encoding": "#compress.affine<i8>"}
]}

//--- nothing.json
{"rules": [
  {"operand": "weights", "encoding": "#compress.affine<i8>"},
  {"name": "misspelt", "location": "fc2", "operand": "activations",
   "encoding": "#compress.affine<i8>"}
]}
