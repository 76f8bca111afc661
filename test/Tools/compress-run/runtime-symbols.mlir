// Printing narrow types and converting 16-bit floats needs no library: the
// functions are in the tool. The baseline CPU has no conversion instructions, so
// that codegen calls them too.

// RUN: compress-run %s --entry=print | FileCheck %s --check-prefix=PRINT
// RUN: compress-run %s --entry=print --target-cpu=x86-64 | FileCheck %s --check-prefix=PRINT
// RUN: compress-run %s --entry=convert --input=fill=1.0009765625 --print | FileCheck %s --check-prefix=CONVERT
// RUN: compress-run %s --entry=by_value --input=fill=0.1 --print | FileCheck %s --check-prefix=VALUE
// RUN: compress-run %s --entry=narrow --input=fill=3.14159265 --print --target-cpu=x86-64 | FileCheck %s --check-prefix=NARROW
// RUN: compress-run %s --entry=narrow --input=fill=3.14159265 --print | FileCheck %s --check-prefix=NARROW
// REQUIRES: x86_64

func.func private @printMemrefI8(memref<*xi8>) attributes {llvm.emit_c_interface}
func.func private @printMemrefI16(memref<*xi16>) attributes {llvm.emit_c_interface}
func.func private @printMemrefF16(memref<*xf16>) attributes {llvm.emit_c_interface}
func.func private @printMemrefBF16(memref<*xbf16>)
func.func private @printMemrefF32(memref<*xf32>)
func.func private @printMemrefF8E4M3FN(memref<*xf8E4M3FN>)
func.func private @__truncsfhf2(f32) -> f16
func.func private @__extendhfsf2(f16) -> f32
func.func private @__truncsfbf2(f32) -> bf16

memref.global "private" constant @i8 : memref<2x2xi8> = dense<[[-128, 127], [0, -1]]>
memref.global "private" constant @i16 : memref<2xi16> = dense<[-32768, 32767]>
memref.global "private" constant @f16 : memref<3xf16> = dense<[0.1, -65504.0, 0x7C00]>
memref.global "private" constant @bf16 : memref<2xbf16> = dense<[0.1, 1.0e38]>
memref.global "private" constant @f32 : memref<2xf32> = dense<[0.1, -0.0]>
memref.global "private" constant @f8 : memref<3xf8E4M3FN> = dense<[448.0, 0.001953125, -1.5]>

// PRINT: memref rank = 2 sizes = [2, 2] strides = [2, 1] data = {{\[\[}}-128, 127], [0, -1]]
// PRINT: data = [-32768, 32767]
// PRINT: data = [0.1, -65504, inf]
// PRINT: data = [0.1, 1e+38]
// PRINT: sizes = [2] strides = [1] data = [0.1, -0]
// PRINT: data = [448, 0.001953125, -1.5]
// PRINT: ( 1.5, 2.5 )
// PRINT: ( 0.1, 2 )
func.func @print() {
  %i8 = memref.get_global @i8 : memref<2x2xi8>
  %i16 = memref.get_global @i16 : memref<2xi16>
  %f16 = memref.get_global @f16 : memref<3xf16>
  %bf16 = memref.get_global @bf16 : memref<2xbf16>
  %f32 = memref.get_global @f32 : memref<2xf32>
  %f8 = memref.get_global @f8 : memref<3xf8E4M3FN>
  %0 = memref.cast %i8 : memref<2x2xi8> to memref<*xi8>
  %1 = memref.cast %i16 : memref<2xi16> to memref<*xi16>
  %2 = memref.cast %f16 : memref<3xf16> to memref<*xf16>
  %3 = memref.cast %bf16 : memref<2xbf16> to memref<*xbf16>
  %4 = memref.cast %f32 : memref<2xf32> to memref<*xf32>
  %5 = memref.cast %f8 : memref<3xf8E4M3FN> to memref<*xf8E4M3FN>
  call @printMemrefI8(%0) : (memref<*xi8>) -> ()
  call @printMemrefI16(%1) : (memref<*xi16>) -> ()
  call @printMemrefF16(%2) : (memref<*xf16>) -> ()
  call @printMemrefBF16(%3) : (memref<*xbf16>) -> ()
  call @printMemrefF32(%4) : (memref<*xf32>) -> ()
  call @printMemrefF8E4M3FN(%5) : (memref<*xf8E4M3FN>) -> ()
  %v = arith.constant dense<[1.5, 2.5]> : vector<2xbf16>
  vector.print %v : vector<2xbf16>
  %w = arith.constant dense<[0.1, 2.0]> : vector<2xf16>
  vector.print %w : vector<2xf16>
  return
}

// 1 + 2^-10 is an f16 number and a tie between two bf16 numbers: 1 is even.
// CONVERT: result #0: 1xf16 = [1.001]
// CONVERT: result #1: 1xbf16 = [1]
func.func @convert(%x: tensor<1xf32>) -> (tensor<1xf16>, tensor<1xbf16>) {
  %h = arith.truncf %x : tensor<1xf32> to tensor<1xf16>
  %b = arith.truncf %x : tensor<1xf32> to tensor<1xbf16>
  return %h, %b : tensor<1xf16>, tensor<1xbf16>
}

// NARROW: result #0: 20xf16 = [3.14
// NARROW: result #1: 20xbf16 = [3.14
// NARROW: result #2: 20xf32 = [3.140625
func.func @narrow(%x: tensor<20xf32>) -> (tensor<20xf16>, tensor<20xbf16>, tensor<20xf32>) {
  %h = arith.truncf %x : tensor<20xf32> to tensor<20xf16>
  %b = arith.truncf %x : tensor<20xf32> to tensor<20xbf16>
  %f = arith.extf %h : tensor<20xf16> to tensor<20xf32>
  return %h, %b, %f : tensor<20xf16>, tensor<20xbf16>, tensor<20xf32>
}

// VALUE: result #0: f16 = 0.1
// VALUE: result #1: f32 = 0.099975586
// VALUE: result #2: bf16 = 0.1
func.func @by_value(%x: f32) -> (f16, f32, bf16) {
  %h = call @__truncsfhf2(%x) : (f32) -> f16
  %f = call @__extendhfsf2(%h) : (f16) -> f32
  %b = call @__truncsfbf2(%x) : (f32) -> bf16
  return %h, %f, %b : f16, f32, bf16
}
