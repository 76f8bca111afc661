//===- ConstantSource.h - The constant behind a value -----------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Weights reach an op as arith.constant or as a load of an immutable global,
// perhaps through tensor.cast. This is the one place that knows these forms.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_LIB_TRANSFORMS_CONSTANTSOURCE_H
#define COMPRESS_LIB_TRANSFORMS_CONSTANTSOURCE_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Value.h"

#include <optional>
#include <string>

namespace mlir::compress {

/// A constant dense tensor and the op that brings it in.
struct ConstantSource {
  ElementsAttr value;
  /// arith.constant or ml_program.global_load_const.
  Operation *op = nullptr;
  /// ml_program.global, if `op` loads from one.
  Operation *global = nullptr;
};

/// The constant that `value` is, if it is one.
std::optional<ConstantSource> findConstant(Value value,
                                           SymbolTableCollection &symbols);

/// The names in a location: of every NameLoc, through fused locations and call
/// sites, outermost first.
SmallVector<StringRef> getLocationNames(Location loc);

/// The names under which a person knows where `value` comes from: location
/// names of its defining op, the global, the resource key.
SmallVector<StringRef> getSourceNames(Value value,
                                      SymbolTableCollection &symbols);

} // namespace mlir::compress

#endif // COMPRESS_LIB_TRANSFORMS_CONSTANTSOURCE_H
