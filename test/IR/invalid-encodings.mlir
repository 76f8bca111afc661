// Encodings and constants that are misspelt or mean nothing: each is refused
// where it stands, with the reason.
// RUN: compress-opt %s -split-input-file -verify-diagnostics

//===----------------------------------------------------------------------===//
// affine: syntax
//===----------------------------------------------------------------------===//

// expected-error@+1 {{unknown attribute `afine` in dialect `compress`}}
func.func private @f(tensor<4xf32, #compress.afine<i8>>)

// -----

// expected-error@+1 {{expected '<'}}
func.func private @f(tensor<4xf32, #compress.affine>)

// -----

// expected-error@+1 {{expected non-function type}}
func.func private @f(tensor<4xf32, #compress.affine<>>)

// -----

// expected-error@+1 {{the code type of an affine encoding must be an integer type such as i8 or ui4, but is 'f32'}}
func.func private @f(tensor<4xf32, #compress.affine<f32>>)

// -----

// expected-error@+1 {{code type 'si8' is not accepted: write i8 for two's complement}}
func.func private @f(tensor<4xf32, #compress.affine<si8>>)

// -----

// expected-error@+1 {{code type 'i1' is out of range: expected i2 to i16 or ui1 to ui16}}
func.func private @f(tensor<4xf32, #compress.affine<i1>>)

// -----

// expected-error@+1 {{code type 'i17' is out of range: expected i2 to i16 or ui1 to ui16}}
func.func private @f(tensor<4xf32, #compress.affine<i17>>)

// -----

// expected-error@+1 {{code type 'ui17' is out of range}}
func.func private @f(tensor<4xf32, #compress.affine<ui17>>)

// -----

// expected-error@+1 {{code type 'i0' is out of range}}
func.func private @f(tensor<4xf32, #compress.affine<i0>>)

// -----

// expected-error@+1 {{expected '>'}}
func.func private @f(tensor<4xf32, #compress.affine<i8 asymmetric>>)

// -----

// expected-error@+1 {{expected 'asymmetric', 'full_range', 'block', 'scale', 'super_scale' or 'super_block'}}
func.func private @f(tensor<4xf32, #compress.affine<i8, >>)

// -----

// expected-error@+1 {{expected 'asymmetric', 'full_range', 'block'}}
func.func private @f(tensor<4xf32, #compress.affine<i8, 12>>)

// -----

// expected-error@+1 {{unknown option 'blocks' of an affine encoding; expected 'asymmetric', 'full_range', 'block', 'scale', 'super_scale' or 'super_block'}}
func.func private @f(tensor<4xf32, #compress.affine<i8, blocks = [1]>>)

// -----

// expected-error@+1 {{'asymmetric' is given twice}}
func.func private @f(tensor<4xf32, #compress.affine<i8, asymmetric, asymmetric>>)

// -----

// expected-error@+1 {{expected '='}}
func.func private @f(tensor<4xf32, #compress.affine<i8, block [1]>>)

// -----

// expected-error@+1 {{expected '['}}
func.func private @f(tensor<4xf32, #compress.affine<i8, block = 1>>)

// -----

// expected-error@+1 {{unbalanced '[' character in pretty dialect name}}
func.func private @f(tensor<4xf32, #compress.affine<i8, block = [1>>)

// -----

// expected-error@+1 {{expected integer value}}
func.func private @f(tensor<4xf32, #compress.affine<i8, block = [?]>>)

// -----

// expected-error@+1 {{integer value too large}}
func.func private @f(tensor<4xf32, #compress.affine<i8, block = [99999999999999999999999999]>>)

// -----

// expected-error@+1 {{block size must be positive or '*'}}
func.func private @f(tensor<4xf32, #compress.affine<i8, block = [0]>>)

// -----

// expected-error@+1 {{block size must be positive or '*'}}
func.func private @f(tensor<4xf32, #compress.affine<i8, block = [-1]>>)

// -----

// expected-error@+1 {{block size 4294967297 is out of range: expected 1 to 4294967296 or '*'}}
func.func private @f(tensor<4xf32, #compress.affine<i8, block = [4294967297]>>)

// -----

// expected-error@+1 {{expected non-function type}}
func.func private @f(tensor<4xf32, #compress.affine<i8, scale = half>>)

//===----------------------------------------------------------------------===//
// affine: meaning
//===----------------------------------------------------------------------===//

// -----

// expected-error@+1 {{'full_range' is only for symmetric signed codes: asymmetric and unsigned ones always use their full range}}
func.func private @f(tensor<4xf32, #compress.affine<i8, asymmetric, full_range>>)

// -----

// expected-error@+1 {{'full_range' is only for symmetric signed codes}}
func.func private @f(tensor<4xf32, #compress.affine<ui8, full_range>>)

// -----

// expected-error@+1 {{scale type must be f32, f16 or bf16 (or ui4 to ui8 with a 'super_scale'), but is 'f64'}}
func.func private @f(tensor<4xf32, #compress.affine<i8, scale = f64>>)

// -----

// expected-error@+1 {{scale type must be f32, f16 or bf16 (or ui4 to ui8 with a 'super_scale'), but is 'ui6'}}
func.func private @f(tensor<4xf32, #compress.affine<i8, scale = ui6>>)

// -----

// expected-error@+1 {{'super_block' needs a 'super_scale'}}
func.func private @f(tensor<4xf32, #compress.affine<i8, block = [1], super_block = [2]>>)

// -----

// expected-error@+1 {{with a 'super_scale', 'scale' must be ui4 to ui8, but is 'f32'}}
func.func private @f(tensor<4xf32, #compress.affine<i8, block = [1], super_scale = f32, super_block = [2]>>)

// -----

// expected-error@+1 {{with a 'super_scale', 'scale' must be ui4 to ui8, but is 'ui3'}}
func.func private @f(tensor<4xf32, #compress.affine<i8, block = [1], scale = ui3, super_scale = f32, super_block = [2]>>)

// -----

// expected-error@+1 {{with a 'super_scale', 'scale' must be ui4 to ui8, but is 'i6'}}
func.func private @f(tensor<4xf32, #compress.affine<i8, block = [1], scale = i6, super_scale = f32, super_block = [2]>>)

// -----

// expected-error@+1 {{'super_scale' must be f32, f16 or bf16, but is 'f64'}}
func.func private @f(tensor<4xf32, #compress.affine<i8, block = [1], scale = ui6, super_scale = f64, super_block = [2]>>)

// -----

// expected-error@+1 {{'super_block' has 2 entries, but 'block' has 1}}
func.func private @f(tensor<4xf32, #compress.affine<i8, block = [1], scale = ui6, super_scale = f32, super_block = [2, 2]>>)

// -----

// expected-error@+1 {{each 'super_block' entry must be a multiple of its 'block' entry or '*'}}
func.func private @f(tensor<4xf32, #compress.affine<i8, block = [4], scale = ui6, super_scale = f32, super_block = [6]>>)

// -----

// expected-error@+1 {{each 'super_block' entry must be a multiple of its 'block' entry or '*'}}
func.func private @f(tensor<4xf32, #compress.affine<i8, block = [*], scale = ui6, super_scale = f32, super_block = [4]>>)

//===----------------------------------------------------------------------===//
// affine: on a tensor
//===----------------------------------------------------------------------===//

// -----

// expected-error@+1 {{an affine encoding needs a logical element type of f16, bf16, f32 or f64, but got 'i8'}}
func.func private @f(tensor<4xi8, #compress.affine<i8>>)

// -----

// expected-error@+1 {{an affine encoding needs a logical element type of f16, bf16, f32 or f64, but got 'f8E4M3FN'}}
func.func private @f(tensor<4xf8E4M3FN, #compress.affine<i8>>)

// -----

// expected-error@+1 {{'block' has 2 entries, but the tensor has rank 1}}
func.func private @f(tensor<4xf32, #compress.affine<i8, block = [1, 1]>>)

// -----

// expected-error@+1 {{'block' has 1 entries, but the tensor has rank 0}}
func.func private @f(tensor<f32, #compress.affine<i8, block = [1]>>)

// -----

// expected-error@+1 {{dimension size 72057594037927937 is too large to encode}}
func.func private @f(tensor<72057594037927937xf32, #compress.affine<i8>>)

// -----

// expected-error@+1 {{the tensor has more than 2^56 elements, too many to encode}}
func.func private @f(tensor<4294967296x4294967296xf32, #compress.affine<i8>>)

// -----

// expected-error@+1 {{the tensor, padded to whole blocks, has more than 2^56 elements, too many to encode}}
func.func private @f(tensor<1x1xf32, #compress.affine<i8, block = [4294967296, 4294967296]>>)

//===----------------------------------------------------------------------===//
// nm
//===----------------------------------------------------------------------===//

// -----

// expected-error@+1 {{expected '<'}}
func.func private @f(tensor<4xf32, #compress.nm>)

// -----

// expected-error@+1 {{expected integer value}}
func.func private @f(tensor<4xf32, #compress.nm<>>)

// -----

// expected-error@+1 {{expected ':'}}
func.func private @f(tensor<4xf32, #compress.nm<2, dim = 0>>)

// -----

// expected-error@+1 {{expected 'dim'}}
func.func private @f(tensor<4xf32, #compress.nm<2:4, axis = 0>>)

// -----

// expected-error@+1 {{expected ','}}
func.func private @f(tensor<4xf32, #compress.nm<2:4>>)

// -----

// expected-error@+1 {{expected 'values'}}
func.func private @f(tensor<4xf32, #compress.nm<2:4, dim = 0, metadata = 1>>)

// -----

// expected-error@+1 {{expected N:M with 1 <= N < M <= 16, but got 4:4}}
func.func private @f(tensor<4xf32, #compress.nm<4:4, dim = 0>>)

// -----

// expected-error@+1 {{expected N:M with 1 <= N < M <= 16, but got 0:4}}
func.func private @f(tensor<4xf32, #compress.nm<0:4, dim = 0>>)

// -----

// expected-error@+1 {{expected N:M with 1 <= N < M <= 16, but got -2:4}}
func.func private @f(tensor<4xf32, #compress.nm<-2:4, dim = 0>>)

// -----

// 2^32 + 2 : 2^32 + 4 must not be taken for 2:4.
// expected-error@+1 {{expected N:M with 1 <= N < M <= 16, but got 4294967298:4294967300}}
func.func private @f(tensor<4xf32, #compress.nm<4294967298:4294967300, dim = 0>>)

// -----

// expected-error@+1 {{integer value too large}}
func.func private @f(tensor<4xf32, #compress.nm<99999999999999999999:4, dim = 0>>)

// -----

// expected-error@+1 {{'dim' must not be negative, but is -1}}
func.func private @f(tensor<4xf32, #compress.nm<2:4, dim = -1>>)

// -----

// expected-error@+1 {{'dim' is 1, but the tensor has rank 1}}
func.func private @f(tensor<4xf32, #compress.nm<2:4, dim = 1>>)

// -----

// expected-error@+1 {{'dim' is 0, but the tensor has rank 0}}
func.func private @f(tensor<f32, #compress.nm<2:4, dim = 0>>)

// -----

// expected-error@+1 {{'values' must be an encoding such as #compress.affine<i8>, but is 7 : i64}}
func.func private @f(tensor<4xf32, #compress.nm<2:4, dim = 0, values = 7>>)

// -----

// expected-error@+1 {{an N:M encoding needs a logical element type of f16, bf16, f32 or f64, but got 'i8'}}
func.func private @f(tensor<4xi8, #compress.nm<2:4, dim = 0>>)

// -----

// expected-error@+1 {{dimension size 72057594037927937 is too large to encode}}
func.func private @f(tensor<72057594037927937xf32, #compress.nm<2:4, dim = 0>>)

// -----

// The nested encoding is checked on the stored shape.
// expected-error@+1 {{'block' has 1 entries, but the tensor has rank 2}}
func.func private @f(tensor<4x4xf32, #compress.nm<2:4, dim = 0, values = #compress.affine<i8, block = [1]>>>)

//===----------------------------------------------------------------------===//
// encoded
//===----------------------------------------------------------------------===//

// -----

// expected-error@+1 {{expected '<'}}
"builtin.module"() {a = #compress.encoded : tensor<2xf32, #compress.affine<i4>>} : () -> ()

// -----

// expected-error@+1 {{expected '['}}
"builtin.module"() {a = #compress.encoded<> : tensor<2xf32, #compress.affine<i4>>} : () -> ()

// -----

// expected-error@+1 {{expected attribute value}}
"builtin.module"() {a = #compress.encoded<[dense<1> : tensor<2xi4>, ]> : tensor<2xf32, #compress.affine<i4>>} : () -> ()

// -----

// expected-error@+1 {{expected ':'}}
"builtin.module"() {a = #compress.encoded<[]>} : () -> ()

// -----

// expected-error@+1 {{the type of #compress.encoded must be an encoded tensor, but is 'i32'}}
"builtin.module"() {a = #compress.encoded<[]> : i32} : () -> ()

// -----

// expected-error@+1 {{the type of #compress.encoded must be an encoded tensor, but is 'tensor<2xf32>'}}
"builtin.module"() {a = #compress.encoded<[]> : tensor<2xf32>} : () -> ()

// -----

// expected-error@+1 {{has 2 components, but got 1}}
"builtin.module"() {a = #compress.encoded<[dense<1> : tensor<2xi4>]> : tensor<2xf32, #compress.affine<i4>>} : () -> ()

// -----

// expected-error@+1 {{component 'values' must be a constant of type 'tensor<2xi4>' or 'tensor<1xi8>', but has type 'tensor<2xi8>'}}
"builtin.module"() {a = #compress.encoded<[dense<1> : tensor<2xi8>, dense<1.0> : tensor<f32>]> : tensor<2xf32, #compress.affine<i4>>} : () -> ()

// -----

// expected-error@+1 {{component 'scales' must be a constant of type 'tensor<f32>', but has type 'tensor<f64>'}}
"builtin.module"() {a = #compress.encoded<[dense<1> : tensor<2xi4>, dense<1.0> : tensor<f64>]> : tensor<2xf32, #compress.affine<i4>>} : () -> ()

// -----

// expected-error@+1 {{component 'scales' must be a constant of type 'tensor<f32>'}}
"builtin.module"() {a = #compress.encoded<[dense<1> : tensor<2xi4>, unit]> : tensor<2xf32, #compress.affine<i4>>} : () -> ()

// -----

// expected-error@+1 {{component 'values' must be a constant of type 'tensor<2xi4>'}}
"builtin.module"() {a = #compress.encoded<[sparse<[[0]], [1]> : tensor<2xi4>, dense<1.0> : tensor<f32>]> : tensor<2xf32, #compress.affine<i4>>} : () -> ()

// -----

// A component of encoded type is itself #compress.encoded.
// expected-error@+1 {{component 'values' must be a constant of type 'tensor<2xf32, #compress.affine<i8>>', but has type 'tensor<2xf32>'}}
"builtin.module"() {a = #compress.encoded<[dense<1.0> : tensor<2xf32>, dense<[0, 1]> : tensor<2xi2>]> : tensor<4xf32, #compress.nm<2:4, dim = 0, values = #compress.affine<i8>>>} : () -> ()

// -----

// expected-error@+1 {{component 'values' of a constant must have a static shape, but has type 'tensor<?xi8>'}}
"builtin.module"() {a = #compress.encoded<[dense<1> : tensor<2xi8>, dense<1.0> : tensor<f32>]> : tensor<?xf32, #compress.affine<i8>>} : () -> ()

// -----

// expected-error@+1 {{scale #1 is 0}}
"builtin.module"() {a = #compress.encoded<[dense<1> : tensor<2xi8>, dense<[1.0, 0.0]> : tensor<2xf32>]> : tensor<2xf32, #compress.affine<i8, block = [1]>>} : () -> ()

// -----

// expected-error@+1 {{scale #0 is -1.000000e+00, but scales must be positive and finite}}
"builtin.module"() {a = #compress.encoded<[dense<1> : tensor<2xi8>, dense<-1.0> : tensor<2xf32>]> : tensor<2xf32, #compress.affine<i8, block = [1]>>} : () -> ()

// -----

// expected-error@+1 {{but scales must be positive and finite}}
"builtin.module"() {a = #compress.encoded<[dense<1> : tensor<2xi8>, dense<0x7FC00000> : tensor<f32>]> : tensor<2xf32, #compress.affine<i8>>} : () -> ()

// -----

// expected-error@+1 {{but scales must be positive and finite}}
"builtin.module"() {a = #compress.encoded<[dense<1> : tensor<2xi8>, dense<0x7C00> : tensor<f16>]> : tensor<2xf32, #compress.affine<i8, scale = f16>>} : () -> ()

// -----

// expected-error@+1 {{scale #0 is 0.000000e+00, but scales must be positive and finite}}
"builtin.module"() {a = #compress.encoded<[dense<1> : tensor<2xi8>, dense<1> : tensor<2xi6>, dense<0.0> : tensor<f16>]> : tensor<2xf32, #compress.affine<i8, block = [1], scale = ui6, super_scale = f16, super_block = [*]>>} : () -> ()

// -----

// expected-error@+1 {{metadata #1 is 1, but positions must ascend within a group}}
"builtin.module"() {a = #compress.encoded<[dense<1.0> : tensor<2xf32>, dense<[1, 1]> : tensor<2xi2>]> : tensor<4xf32, #compress.nm<2:4, dim = 0>>} : () -> ()

// -----

// expected-error@+1 {{metadata #1 is 5, but positions must be below 5}}
"builtin.module"() {a = #compress.encoded<[dense<1.0> : tensor<2xf32>, dense<[1, -3]> : tensor<2xi3>]> : tensor<5xf32, #compress.nm<2:5, dim = 0>>} : () -> ()

// -----

// Splats are not written out, but still read.
// expected-error@+1 {{metadata #1 is 1, but positions must ascend within a group}}
"builtin.module"() {a = #compress.encoded<[dense<1.0> : tensor<2199023255552xf32>, dense<1> : tensor<2199023255552xi2>]> : tensor<4398046511104xf32, #compress.nm<2:4, dim = 0>>} : () -> ()

// -----

// Bytes of 0b01000101: the third group is wrong in storage form too.
// expected-error@+1 {{metadata #1 is 1, but positions must ascend within a group}}
"builtin.module"() {a = #compress.encoded<[dense<1.0> : tensor<2199023255552xf32>, dense<69> : tensor<549755813888xi8>]> : tensor<4398046511104xf32, #compress.nm<2:4, dim = 0>>} : () -> ()

//===----------------------------------------------------------------------===//
// strategy, min_max
//===----------------------------------------------------------------------===//

// -----

// expected-error@+1 {{'tile' must not be negative, but is -1}}
"builtin.module"() {a = #compress.strategy<exit = portable, tile = -1>} : () -> ()

// -----

// expected-error@+1 {{'tile' must not be negative, but is -1}}
"builtin.module"() {compress.strategy = #compress.strategy<exit = decode, tile = -1>} : () -> ()

// -----

// expected-error@+2 {{to be one of: portable, decode}}
// expected-error@+1 {{failed to parse}}
"builtin.module"() {a = #compress.strategy<exit = fast>} : () -> ()

// -----

// expected-error@+1 {{expected}}
"builtin.module"() {a = #compress.strategy<>} : () -> ()

// -----

// expected-error@+1 {{#compress.min_max has no parameters}}
"builtin.module"() {a = #compress.min_max<percentile = 99>} : () -> ()

// -----

//===----------------------------------------------------------------------===//
// target
//===----------------------------------------------------------------------===//

// expected-error@+1 {{'cpu' must be LLVM's name of a CPU, but is "zen 5"}}
"builtin.module"() {a = #compress.target<cpu = "zen 5">} : () -> ()

// -----

// expected-error@+1 {{'features' must be names with commas between them, but one is "+avx"}}
"builtin.module"() {a = #compress.target<features = "+avx">} : () -> ()

// -----

// expected-error@+1 {{'features' must be names with commas between them, but one is ""}}
"builtin.module"() {a = #compress.target<features = "avx,">} : () -> ()

// -----

// expected-error@+1 {{'features' must be sorted and without repetitions, but "avx" comes after "fma"}}
"builtin.module"() {a = #compress.target<features = "fma,avx">} : () -> ()

// -----

// expected-error@+1 {{'features' must be sorted and without repetitions, but "fma" comes after "fma"}}
"builtin.module"() {a = #compress.target<features = "fma,fma">} : () -> ()

// -----

// expected-error@+1 {{cache sizes must be positive (l3 may be 0), but are l1d = 0, l2 = 524288, l3 = 0}}
"builtin.module"() {a = #compress.target<l1d = 0, l3 = 0>} : () -> ()

// -----

// expected-error@+1 {{'cores' must be at least 1, but is 0}}
"builtin.module"() {a = #compress.target<cores = 0>} : () -> ()

// -----

//===----------------------------------------------------------------------===//
// Zero points and codes out of range: never taken modulo 2^bits.
//===----------------------------------------------------------------------===//

// expected-error@+1 {{integer constant out of range for type}}
"builtin.module"() {a = #compress.encoded<[dense<0> : tensor<4xi8>, dense<1.0> : tensor<f32>, dense<300> : tensor<i8>]> : tensor<4xf32, #compress.affine<i8, asymmetric>>} : () -> ()
