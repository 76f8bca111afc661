// A function that the tool does not have: from a library that is named, or a
// message that says to name one.

// RUN: compress-run %s --shared-libs=%mlir_lib_dir/libmlir_c_runner_utils.so --print | FileCheck %s
// RUN: not compress-run %s 2>&1 | FileCheck %s --check-prefix=MISSING
// CHECK: result #0: bool = true
// MISSING: [[@LINE+1]]:1: error: {{.*}}defines 'rtclock'; add the library
func.func private @rtclock() -> f64
func.func @main() -> i1 {
  %zero = arith.constant 0.0 : f64
  %seconds = call @rtclock() : () -> f64
  %positive = arith.cmpf ogt, %seconds, %zero : f64
  return %positive : i1
}
