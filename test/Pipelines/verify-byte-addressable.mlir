// RUN: compress-opt %s --split-input-file --verify-diagnostics --compress-verify-byte-addressable

// Whole bytes, and one bit in a byte of its own.
memref.global "private" constant @g : memref<2xi8> = dense<[1, 2]>
func.func @good(%a: memref<4xi16>, %b: memref<4xi1>, %c: memref<4xf8E4M3FN>, %i: index) -> i1 {
  %v = vector.load %a[%i] : memref<4xi16>, vector<4xi16>
  %r = memref.load %b[%i] : memref<4xi1>
  return %r : i1
}

// -----

// expected-error@+1 {{accesses memory of type 'memref<4xi4>' whose elements are not whole bytes}}
memref.global "private" constant @w : memref<4xi4> = dense<[1, -2, 3, -4]>
func.func @global() {
  // expected-error@+1 {{memref<4xi4>}}
  %g = memref.get_global @w : memref<4xi4>
  return
}

// -----

// expected-error@+1 {{memref<?xi12>}}
func.func @odd_width(%a: memref<?xi12>) {
  return
}

// -----

func.func @float(%n: index) {
  // expected-error@+1 {{memref<?xf4E2M1FN>}}
  %a = memref.alloc(%n) : memref<?xf4E2M1FN>
  return
}

// -----

func.func @vector_of_bits(%a: memref<8xi1>, %i: index) {
  // expected-error@+1 {{memref<8xi1>}}
  %v = vector.load %a[%i] : memref<8xi1>, vector<8xi1>
  return
}

// -----

// expected-error@+1 {{memref<*xi2>}}
func.func private @unranked(memref<*xi2>)
