// RUN: compress-opt %s -compress-lower-observe=mode=record -verify-diagnostics

func.func private @compress_observe_f32(i32)

func.func @f(%x: tensor<?xf32>) {
  // expected-error @+1 {{needs the runtime function 'compress_observe_f32', but the module defines something else of that name}}
  compress.observe %x {name = "x"} : tensor<?xf32>
  return
}
