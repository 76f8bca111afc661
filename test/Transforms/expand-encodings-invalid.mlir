// RUN: compress-opt %s --compress-expand-encodings --split-input-file --verify-diagnostics --allow-unregistered-dialect

!nm = tensor<4xf32, #compress.nm<2:4, dim = 0>>
func.func @encodeNM(%x: tensor<4xf32>) -> !nm {
  // expected-error @+1 {{'compress.encode' op values cannot be encoded at run time as 'tensor<4xf32, #compress.nm<2:4, dim = 0>>': make the operand a constant and run compress-fold-encode}}
  %0 = compress.encode %x : tensor<4xf32> to !nm
  return %0 : !nm
}

// -----

!t = tensor<4xf32, #compress.affine<i8>>
func.func @indirect(%f: (!t) -> (), %w: !t) {
  // expected-error @+1 {{'func.call_indirect' op cannot read operand #1 of encoded type}}
  call_indirect %f(%w) : (!t) -> ()
  return
}

// -----

!t = tensor<4xf32, #compress.affine<i8>>
func.func private @callee(!t)
func.func @functionValue() {
  // expected-error @+1 {{'func.constant' op has a function of encoded tensors as a value: indirect calls are not supported}}
  %f = constant @callee : (!t) -> ()
  return
}

// -----

!t = tensor<4xf32, #compress.affine<i8>>
// expected-error @+1 {{'func.func' op has a function of encoded tensors as a value}}
func.func @functionArgument(%f: (!t) -> ()) {
  return
}

// -----

!t = tensor<4xf32, #compress.affine<i8>>
func.func @sharedOutput(%w: !t) {
  // expected-error @+1 {{'scf.forall' op cannot have an encoded tensor as reduction or shared output}}
  %r = scf.forall (%i) in (4) shared_outs(%o = %w) -> (!t) {
    scf.forall.in_parallel {
    }
  }
  return
}

// -----

!t = tensor<4xf32, #compress.affine<i8>>
func.func @unknownReader(%w: !t) {
  // expected-error @+1 {{'foo.op' op cannot read operand #0 of encoded type 'tensor<4xf32, #compress.affine<i8>>': decode it with compress.decode first}}
  "foo.op"(%w) : (!t) -> ()
  return
}

// -----

!t = tensor<4xf32, #compress.affine<i8>>
func.func @unknownRegion() {
  // expected-error @+1 {{'foo.op' op has block arguments of encoded type, but is not known to forward values to them}}
  "foo.op"() ({
  ^bb0(%w: !t):
    "foo.end"() : () -> ()
  }) : () -> ()
  return
}

// -----

!t = tensor<4xf32, #compress.affine<i8>>
func.func @mutationOfRules() {
  // expected-error @+1 {{'tensor.empty' op must not create a value of encoded type}}
  %0 = tensor.empty() : !t
  return
}

// -----

!t = tensor<4xf32, #compress.affine<i8>>
func.func @outOfRange(%w: !t) -> index {
  %c3 = arith.constant 3 : index
  // expected-error @+1 {{'tensor.dim' op dimension 3 is out of range}}
  %0 = tensor.dim %w, %c3 : !t
  return %0 : index
}

// -----

!t = tensor<4xf32, #compress.affine<i8>>
// expected-error @+1 {{so its value must be #compress.encoded of that type, or #ml_program.extern}}
ml_program.global private @g(dense<0.0> : !t) : !t

// -----

!t = tensor<4xf32, #compress.affine<i8>>
ml_program.global private mutable @g : !t
// expected-error @+1 {{'foo.op' op refers to global @g of encoded type, which only ml_program.global_load}}
"foo.op"() {global = @g} : () -> ()

// -----

// A reader without a lowering of its own gets the whole tensor, said once.

!t = tensor<4x4xf32, #compress.affine<i8>>
func.func @decodedWhole(%w: !t, %o: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-remark @+1 {{operand #0 is decoded whole in front of 'linalg.matmul': no pass lowered the op on 'tensor<4x4xf32, #compress.affine<i8>>'}}
  %0 = linalg.matmul ins(%w, %w : !t, !t) outs(%o : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
