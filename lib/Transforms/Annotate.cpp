//===- Annotate.cpp - The pass compress-annotate --------------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecipeMatch.h"
#include "compress/Transforms/Passes.h"

namespace mlir::compress {
#define GEN_PASS_DEF_COMPRESSANNOTATE
#include "compress/Transforms/Passes.h.inc"
} // namespace mlir::compress

using namespace mlir;
using namespace mlir::compress;

namespace {
struct CompressAnnotate
    : mlir::compress::impl::CompressAnnotateBase<CompressAnnotate> {
  using CompressAnnotateBase::CompressAnnotateBase;
  void runOnOperation() override;
};
} // namespace

static EncodeOp buildEncode(const RecipeMatch &match) {
  Value value = match.operand->get();
  OpBuilder builder(match.operand->getOwner());
  builder.setInsertionPointAfterValue(value);
  // A weight has a place and a name of its own.
  Location loc =
      match.isConstant ? value.getLoc() : match.operand->getOwner()->getLoc();
  auto encode = EncodeOp::create(builder, loc, match.encodedType, value,
                                 match.rule->range);
  if (!match.calibrationName.empty())
    encode->setAttr(CompressDialect::kCalibrationAttrName,
                    builder.getStringAttr(match.calibrationName));
  return encode;
}

void CompressAnnotate::runOnOperation() {
  ModuleOp module = getOperation();
  FailureOr<Recipe> rules = loadRecipe(module, recipe);
  if (failed(rules))
    return signalPassFailure();
  FailureOr<SmallVector<RecipeMatch, 0>> matches = matchRecipe(module, *rules);
  if (failed(matches))
    return signalPassFailure();
  // By what makes two matches share an op: value, type, range, name.
  llvm::DenseMap<std::tuple<Value, Type, Attribute, StringRef>, EncodeOp>
      encodes;
  for (const RecipeMatch &match : *matches) {
    std::tuple<Value, Type, Attribute, StringRef> key(
        match.operand->get(), match.encodedType, match.rule->range,
        match.calibrationName);
    EncodeOp &encode = encodes[key];
    if (!encode)
      encode = buildEncode(match);
    match.operand->set(encode.getResult());
  }
  module->removeAttr(CompressDialect::kRecipeAttrName);
}
