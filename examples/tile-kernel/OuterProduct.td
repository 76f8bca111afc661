//===- OuterProduct.td - A tile kernel of another dialect --*- tablegen -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EXAMPLE_OUTERPRODUCT_TD
#define EXAMPLE_OUTERPRODUCT_TD

include "compress/IR/Kernels/TileKernelInterfaces.td"
include "mlir/IR/AttrTypeBase.td"

def Example_Dialect : Dialect {
  let name = "example";
  let cppNamespace = "::example";
  let useDefaultAttributePrinterParser = 1;
}

def Example_OuterProductAttr
    : AttrDef<Example_Dialect, "OuterProduct",
              [DeclareAttrInterfaceMethods<TileKernelAttrInterface>]> {
  let summary = "Products of f32 by vectors of eight";
  let mnemonic = "outer_product";
  let parameters = (ins "int64_t":$m, "int64_t":$n);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif // EXAMPLE_OUTERPRODUCT_TD
