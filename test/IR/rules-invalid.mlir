// Rule 5: whatever creates or reads an encoded value without being known to
// forward or to read it is refused where it stands, by the pass and, below
// compress.strict, by every verifier run.
// RUN: compress-opt %s -split-input-file -verify-diagnostics -compress-verify
// RUN: sed 's/^module {/module attributes {compress.strict} {/' %s \
// RUN:   | compress-opt -split-input-file -verify-diagnostics

//===----------------------------------------------------------------------===//
// Creators
//===----------------------------------------------------------------------===//

module {
  func.func @empty() {
    // expected-error@+1 {{'tensor.empty' op must not create a value of encoded type 'tensor<4x4xf32, #compress.affine<i8>>': only compress ops do (rule 5); give it a dense result}}
    %0 = tensor.empty() : tensor<4x4xf32, #compress.affine<i8>>
    return
  }
}

// -----

module {
  func.func @constant() {
    // expected-error@+1 {{'arith.constant' op must not create a value of encoded type 'tensor<4xf32, #compress.affine<i8>>': only compress ops do (rule 5); use compress.constant}}
    %0 = arith.constant dense<1.0> : tensor<4xf32, #compress.affine<i8>>
    return
  }
}

// -----

module {
  func.func @outs(%a: tensor<4x4xf32>, %o: tensor<4x4xf32, #compress.affine<i8>>) {
    // expected-error@+1 {{'linalg.matmul' op must not create a value of encoded type 'tensor<4x4xf32, #compress.affine<i8>>': only compress ops do (rule 5); give it a dense result and encode that with compress.quantize or compress.encode}}
    %0 = linalg.matmul ins(%a, %a : tensor<4x4xf32>, tensor<4x4xf32>)
      outs(%o : tensor<4x4xf32, #compress.affine<i8>>) -> tensor<4x4xf32, #compress.affine<i8>>
    return
  }
}

// -----

module {
  func.func @fill(%c: f32, %o: tensor<4x4xf32, #compress.affine<i8>>) {
    // expected-error@+1 {{'linalg.fill' op must not create a value of encoded type}}
    %0 = linalg.fill ins(%c : f32) outs(%o : tensor<4x4xf32, #compress.affine<i8>>) -> tensor<4x4xf32, #compress.affine<i8>>
    return
  }
}

// -----

module {
  func.func @cast_from_dense(%x: tensor<4xf32>) {
    // expected-error@+1 {{'tensor.cast' op must not create a value of encoded type 'tensor<4xf32, #compress.affine<i8>>': only compress ops do (rule 5); use compress.encode, compress.decode or compress.convert}}
    %0 = tensor.cast %x : tensor<4xf32> to tensor<4xf32, #compress.affine<i8>>
    return
  }
}

// -----

module {
  func.func @cast_between(%x: tensor<4xf32, #compress.affine<i4>>) {
    // expected-error@+1 {{'tensor.cast' op must not create a value of encoded type}}
    %0 = tensor.cast %x : tensor<4xf32, #compress.affine<i4>> to tensor<4xf32, #compress.affine<i8>>
    return
  }
}

// -----

// What lowering conversions use to bridge types is no exception.
module {
  func.func @unrealized(%x: tensor<4xf32>) {
    // expected-error@+1 {{'builtin.unrealized_conversion_cast' op must not create a value of encoded type}}
    %0 = builtin.unrealized_conversion_cast %x : tensor<4xf32> to tensor<4xf32, #compress.affine<i8>>
    return
  }
}

// -----

module {
  func.func @elementwise(%x: tensor<4xf32, #compress.affine<i8>>) {
    // expected-error@+1 {{'arith.addf' op must not create a value of encoded type}}
    %0 = arith.addf %x, %x : tensor<4xf32, #compress.affine<i8>>
    return
  }
}

// -----

module {
  func.func @slice(%x: tensor<4xf32, #compress.affine<i8>>, %y: tensor<2xf32>) {
    // expected-error@+1 {{'tensor.insert_slice' op must not create a value of encoded type}}
    %0 = tensor.insert_slice %y into %x[0] [2] [1] : tensor<2xf32> into tensor<4xf32, #compress.affine<i8>>
    return
  }
}

// -----

// A select by elements would mix two encodings; arith does not know it.
module {
  func.func @select(%c: tensor<4xi1>, %x: tensor<4xf32, #compress.affine<i8>>) {
    // expected-error@+1 {{'arith.select' op expected condition type to have the same shape as the result type}}
    %0 = arith.select %c, %x, %x : tensor<4xi1>, tensor<4xf32, #compress.affine<i8>>
    return
  }
}

// -----

module {
  func.func @indirect(%f: () -> tensor<4xf32, #compress.affine<i8>>) {
    // expected-error@+1 {{'func.call_indirect' op must not create a value of encoded type 'tensor<4xf32, #compress.affine<i8>>': only compress ops do (rule 5); indirect calls are not supported: call the function directly}}
    %0 = func.call_indirect %f() : () -> tensor<4xf32, #compress.affine<i8>>
    return
  }
}

//===----------------------------------------------------------------------===//
// Readers
//===----------------------------------------------------------------------===//

// -----

module {
  func.func @indirect_operand(%f: (tensor<4xf32, #compress.affine<i8>>) -> (), %x: tensor<4xf32, #compress.affine<i8>>) {
    // expected-error@+1 {{'func.call_indirect' op cannot read operand #1 of encoded type 'tensor<4xf32, #compress.affine<i8>>': indirect calls are not supported: call the function directly}}
    func.call_indirect %f(%x) : (tensor<4xf32, #compress.affine<i8>>) -> ()
    return
  }
}

// -----

module {
  func.func @unrealized_operand(%x: tensor<4xf32, #compress.affine<i8>>) {
    // expected-error@+1 {{'builtin.unrealized_conversion_cast' op cannot read operand #0 of encoded type 'tensor<4xf32, #compress.affine<i8>>': decode it with compress.decode first}}
    %0 = builtin.unrealized_conversion_cast %x : tensor<4xf32, #compress.affine<i8>> to tensor<4xf32>
    return
  }
}

// -----

module {
  func.func @vector(%x: tensor<4xf32, #compress.affine<i8>>, %i: index, %p: f32) {
    // expected-error@+1 {{'vector.transfer_read' op cannot read operand #0 of encoded type 'tensor<4xf32, #compress.affine<i8>>': decode it with compress.decode first}}
    %0 = vector.transfer_read %x[%i], %p : tensor<4xf32, #compress.affine<i8>>, vector<4xf32>
    return
  }
}

// -----

module {
  func.func @buffer(%x: tensor<4xf32, #compress.affine<i8>>, %o: memref<4xf32>) {
    // expected-error@+1 {{'bufferization.materialize_in_destination' op cannot read operand #0 of encoded type}}
    bufferization.materialize_in_destination %x in writable %o : (tensor<4xf32, #compress.affine<i8>>, memref<4xf32>) -> ()
    return
  }
}

// -----

// Stock folders replace these by their operand, whose type is another one.
module {
  func.func @transpose(%x: tensor<4x4xf32, #compress.affine<i8>>, %o: tensor<4x4xf32>) {
    // expected-error@+1 {{'linalg.transpose' op does nothing to operand #0 of encoded type 'tensor<4x4xf32, #compress.affine<i8>>' and could be folded to it: use compress.decode instead}}
    %0 = linalg.transpose ins(%x : tensor<4x4xf32, #compress.affine<i8>>) outs(%o : tensor<4x4xf32>) permutation = [0, 1]
    return
  }
}

// -----

module {
  func.func @tosa_transpose(%x: tensor<4x4xf32, #compress.affine<i8>>) {
    // expected-error@+1 {{'tosa.transpose' op does nothing to operand #0}}
    %0 = tosa.transpose %x {perms = array<i32: 0, 1>} : (tensor<4x4xf32, #compress.affine<i8>>) -> tensor<4x4xf32>
    return
  }
}

// -----

module {
  func.func @tosa_clamp(%x: tensor<4x4xf32, #compress.affine<i8>>) {
    // expected-error@+1 {{'tosa.clamp' op does nothing to operand #0}}
    %0 = tosa.clamp %x {min_val = 0xFF800000 : f32, max_val = 3.40282347E+38 : f32} : (tensor<4x4xf32, #compress.affine<i8>>) -> tensor<4x4xf32>
    return
  }
}

// -----

module {
  func.func @tosa_reverse(%x: tensor<4x1xf32, #compress.affine<i8>>) {
    // expected-error@+1 {{'tosa.reverse' op does nothing to operand #0}}
    %0 = tosa.reverse %x {axis = 1 : i32} : (tensor<4x1xf32, #compress.affine<i8>>) -> tensor<4x1xf32>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// Hidden encodings, illegal types
//===----------------------------------------------------------------------===//

// -----

module {
  func.func @tuple(%x: i1) {
    // expected-error@+1 {{'builtin.unrealized_conversion_cast' op has an encoded tensor inside another type; only plain values of encoded tensor type are supported}}
    %0 = builtin.unrealized_conversion_cast %x : i1 to tuple<tensor<4xf32, #compress.affine<i8>>>
    return
  }
}

//===----------------------------------------------------------------------===//
// Blobs
//===----------------------------------------------------------------------===//

// -----

module {
  func.func @no_blob() {
    // expected-error@+1 {{'compress.constant' op no blob for resource 'absent': the file that holds the data must define it under dialect_resources}}
    %0 = compress.constant #compress.encoded<[dense_resource<absent> : tensor<4xi8>, dense<1.0> : tensor<f32>]> : tensor<4xf32, #compress.affine<i8>>
    return
  }
}

// -----

// In a nested constant, and of two bytes too few.
module {
  func.func @short_blob() {
    // expected-error@+1 {{'compress.constant' op resource 'short' has 2 bytes, needs 4 for 'tensor<4xi8>'}}
    %0 = compress.constant #compress.encoded<[
      #compress.encoded<[dense_resource<short> : tensor<4xi8>, dense<1.0> : tensor<f32>]>
        : tensor<4xf32, #compress.affine<i8>>, dense<68> : tensor<1xi8>]>
      : tensor<8xf32, #compress.nm<2:4, dim = 0, values = #compress.affine<i8>>>
    return
  }
}

{-# dialect_resources: { builtin: { short: "0x040000000102" } } #-}

// -----

// Scales are only known once the blob is there.
module {
  func.func @bad_scale() {
    // expected-error@+1 {{'compress.constant' op scale #1 is 0.000000e+00, but scales must be positive and finite}}
    %0 = compress.constant #compress.encoded<[dense<0> : tensor<2xi8>, dense_resource<scales> : tensor<2xf32>]>
      : tensor<2xf32, #compress.affine<i8, block = [1]>>
    return
  }
}

{-# dialect_resources: { builtin: { scales: "0x040000000000803F00000000" } } #-}

// -----

module {
  func.func @bad_metadata() {
    // expected-error@+1 {{'compress.constant' op metadata #1 is 1, but positions must ascend within a group}}
    %0 = compress.constant #compress.encoded<[dense<0.0> : tensor<2xf32>, dense_resource<positions> : tensor<1xi8>]>
      : tensor<4xf32, #compress.nm<2:4, dim = 0>>
    return
  }
}

{-# dialect_resources: { builtin: { positions: "0x0100000005" } } #-}

// -----

// expected-error @below {{'builtin.module' op attribute 'compress.strict' must be a unit attribute, but is false; to switch the check off leave the attribute out}}
module attributes {compress.strict = false} {}

// -----

// A misspelt name would leave the check off in silence.
// expected-error@+1 {{unknown attribute 'compress.stric': the compress dialect has compress.strict}}
module attributes {compress.stric} {
}

// -----

module {
  // expected-error@+1 {{so its value must be #compress.encoded of that type}}
  ml_program.global private @dense(dense<1.0> : tensor<2xf32>) : tensor<2xf32, #compress.affine<i4>>
}
