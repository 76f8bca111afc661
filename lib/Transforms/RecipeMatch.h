//===- RecipeMatch.h - The operands that a recipe is about ------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_LIB_TRANSFORMS_RECIPEMATCH_H
#define COMPRESS_LIB_TRANSFORMS_RECIPEMATCH_H

#include "Recipe.h"

namespace mlir::compress {

/// An operand that a rule encodes.
struct RecipeMatch {
  OpOperand *operand;
  const RecipeRule *rule;
  /// The type it gets.
  RankedTensorType encodedType;
  /// Whether the operand is a constant.
  bool isConstant;
  /// The name under which a static activation is calibrated, else empty. It
  /// depends on the module and the recipe only; the same value has one name.
  std::string calibrationName;
};

/// The matches of `recipe` in `module`, in the order of the module, first rule
/// first. Fails with a message if an encoding does not fit an operand or if a
/// rule encodes nothing.
FailureOr<SmallVector<RecipeMatch, 0>> matchRecipe(ModuleOp module,
                                                   const Recipe &recipe);

} // namespace mlir::compress

#endif // COMPRESS_LIB_TRANSFORMS_RECIPEMATCH_H
