//===- Recipe.h - Rules that say what to compress and how -------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/Recipes.md describes the format. A recipe is read from a module
// attribute or from a JSON file into the same list of rules.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_LIB_TRANSFORMS_RECIPE_H
#define COMPRESS_LIB_TRANSFORMS_RECIPE_H

#include "compress/IR/Compress.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/GlobPattern.h"

#include <optional>
#include <string>

namespace mlir::compress {

/// A rule as it is written, and where.
struct RawRule {
  DictionaryAttr attributes;
  Location loc;
  /// Of single keys, if they are known.
  llvm::StringMap<Location> keyLocs;

  Location getKeyLoc(StringRef key) const;
};

struct RecipeRule {
  enum class Role { Weights, Activations, Lhs, Rhs, Number };
  enum class Granularity { AsGiven, Tensor, ParallelDims, Blocks };

  /// For messages: `recipe rule #0 'weights'`.
  std::string label;
  Location loc;
  /// Kinds or patterns for op names.
  bool contraction = false, convolution = false;
  SmallVector<llvm::GlobPattern, 1> opNames;
  /// Unset: everything.
  std::optional<llvm::GlobPattern> location, function, source;
  Role role = Role::Weights;
  /// The operand, if the role is a number.
  unsigned operandNumber = 0;
  CompressionEncodingAttrInterface encoding;
  Granularity granularity = Granularity::AsGiven;
  /// Elements along the reduction that share a scale; 0 if not given.
  int64_t block = 0, superBlock = 0;
  /// Null if not given.
  CalibratorAttrInterface range;
  bool isStatic = false;

  explicit RecipeRule(Location loc) : loc(loc) {}
};

using Recipe = SmallVector<RecipeRule, 0>;

/// Reads a recipe from the JSON file `path`, or from the attribute of `module`
/// if `path` is empty; no rules if there is no attribute either. Errors have
/// the line of the file, or the location of the module.
FailureOr<Recipe> loadRecipe(ModuleOp module, StringRef path);

/// The rules of a JSON file. Errors are located in it.
FailureOr<SmallVector<RawRule, 0>> readRecipeFile(ModuleOp module,
                                                  StringRef path);

} // namespace mlir::compress

#endif // COMPRESS_LIB_TRANSFORMS_RECIPE_H
