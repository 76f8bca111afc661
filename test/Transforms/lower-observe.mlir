// RUN: compress-opt %s -compress-lower-observe | FileCheck %s --check-prefix=DROP
// RUN: compress-opt %s -compress-lower-observe=mode=drop | FileCheck %s --check-prefix=DROP
// RUN: compress-opt %s -compress-lower-observe=mode=record | FileCheck %s
// RUN: not compress-opt %s -compress-lower-observe=mode=keep 2>&1 | FileCheck %s --check-prefix=MODE
// MODE: Cannot find option named 'keep'

// DROP-LABEL: func @f
// DROP-NEXT: return

// CHECK-DAG: func.func private @compress_observe_f32(memref<*xi8>, memref<*xf32>) attributes {llvm.emit_c_interface}
// CHECK-DAG: func.func private @compress_observe_bf16(memref<*xi8>, memref<*xbf16>) attributes {llvm.emit_c_interface}
// CHECK-LABEL: func @f
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<?xf32>, %[[Y:[a-z0-9]*]]: tensor<bf16>
// "x" is byte 120, "y" 121.
// CHECK: %[[C:.*]] = arith.constant dense<120> : tensor<1xi8>
// CHECK: %[[CB:.*]] = bufferization.to_buffer %[[C]] read_only
// CHECK: %[[N:.*]] = memref.cast %[[CB]] : memref<1xi8, strided<[?], offset: ?>> to memref<*xi8>
// CHECK: %[[XB:.*]] = bufferization.to_buffer %[[X]] read_only
// CHECK: %[[V:.*]] = memref.cast %[[XB]] : memref<?xf32, strided<[?], offset: ?>> to memref<*xf32>
// CHECK: call @compress_observe_f32(%[[N]], %[[V]])
// CHECK: dense<121>
// CHECK: call @compress_observe_bf16
// CHECK-NOT: compress.observe
func.func @f(%x: tensor<?xf32>, %y: tensor<bf16>) {
  compress.observe %x {name = "x"} : tensor<?xf32>
  compress.observe %y {name = "y"} : tensor<bf16>
  return
}
