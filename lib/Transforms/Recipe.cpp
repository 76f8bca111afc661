//===- Recipe.cpp - Rules that say what to compress and how ---------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recipe.h"

using namespace mlir;
using namespace mlir::compress;

Location RawRule::getKeyLoc(StringRef key) const {
  auto it = keyLocs.find(key);
  return it == keyLocs.end() ? loc : it->second;
}

namespace {
/// Turns the attributes of one rule into a RecipeRule.
class RuleReader {
public:
  RuleReader(const RawRule &raw, unsigned index)
      : raw(raw), rule(raw.loc), index(index) {}

  FailureOr<RecipeRule> read();

private:
  InFlightDiagnostic emitError(StringRef key) {
    return mlir::emitError(raw.getKeyLoc(key)) << rule.label << ": ";
  }
  LogicalResult checkKeys();
  /// A null attribute if there is none; fails if it is no string.
  FailureOr<StringAttr> getString(StringRef key);
  LogicalResult readPattern(StringRef key, StringRef pattern,
                            std::optional<llvm::GlobPattern> &result);
  LogicalResult readOp(Attribute value);
  LogicalResult readPatterns();
  LogicalResult readOperand();
  LogicalResult readEncoding();
  LogicalResult readBlock(StringRef key, int64_t &block);
  LogicalResult readGranularity();
  LogicalResult readRangeAndMode();

  const RawRule &raw;
  RecipeRule rule;
  unsigned index;
};
} // namespace

static constexpr StringLiteral kKeys[] = {
    "name",     "op",  "location", "function",    "source", "operand",
    "encoding", "per", "block",    "super_block", "range",  "mode"};

/// The known word that `word` is most likely meant to be, or an empty string.
static StringRef findSimilar(StringRef word, ArrayRef<StringLiteral> known) {
  StringRef best;
  unsigned least = 1 + word.size() / 3;
  for (StringRef candidate : known) {
    unsigned distance = word.edit_distance(candidate);
    if (distance > least)
      continue;
    least = distance;
    best = candidate;
  }
  return best;
}

LogicalResult RuleReader::checkKeys() {
  for (NamedAttribute named : raw.attributes) {
    StringRef key = named.getName().getValue();
    if (llvm::is_contained(kKeys, key))
      continue;
    InFlightDiagnostic diagnostic = emitError(key);
    diagnostic << "unknown key '" << key << "'";
    if (StringRef similar = findSimilar(key, kKeys); !similar.empty())
      return diagnostic << "; did you mean '" << similar << "'?";
    diagnostic << "; known keys are ";
    llvm::interleaveComma(kKeys, diagnostic,
                          [&](StringRef known) { diagnostic << known; });
    return diagnostic;
  }
  return success();
}

FailureOr<StringAttr> RuleReader::getString(StringRef key) {
  Attribute value = raw.attributes.get(key);
  if (!value)
    return StringAttr();
  if (auto string = dyn_cast<StringAttr>(value))
    return string;
  return emitError(key) << "'" << key << "' must be a string, but is " << value;
}

LogicalResult
RuleReader::readPattern(StringRef key, StringRef pattern,
                        std::optional<llvm::GlobPattern> &result) {
  llvm::Expected<llvm::GlobPattern> glob = llvm::GlobPattern::create(pattern);
  if (!glob)
    return emitError(key) << "'" << key << "' is no valid pattern: "
                          << llvm::toString(glob.takeError());
  result = std::move(*glob);
  return success();
}

LogicalResult RuleReader::readOp(Attribute value) {
  auto string = dyn_cast<StringAttr>(value);
  if (!string)
    return emitError("op") << "'op' must be a string or a list of strings, but "
                              "has "
                           << value;
  if (string == "contraction") {
    rule.contraction = true;
    return success();
  }
  if (string == "convolution") {
    rule.convolution = true;
    return success();
  }
  if (!string.getValue().contains('.') && !string.getValue().contains('*')) {
    InFlightDiagnostic diagnostic = emitError("op");
    diagnostic << "'op' is " << string
               << ", which is neither a kind ('contraction', 'convolution') "
                  "nor the name of an op with its dialect";
    StringRef similar = findSimilar(
        string, {StringLiteral("contraction"), StringLiteral("convolution")});
    if (!similar.empty())
      diagnostic << "; did you mean '" << similar << "'?";
    return diagnostic;
  }
  std::optional<llvm::GlobPattern> pattern;
  if (failed(readPattern("op", string, pattern)))
    return failure();
  rule.opNames.push_back(std::move(*pattern));
  return success();
}

LogicalResult RuleReader::readPatterns() {
  Attribute op = raw.attributes.get("op");
  if (!op) {
    rule.contraction = rule.convolution = true;
  } else if (auto list = dyn_cast<ArrayAttr>(op)) {
    for (Attribute entry : list)
      if (failed(readOp(entry)))
        return failure();
  } else if (failed(readOp(op))) {
    return failure();
  }
  std::pair<StringRef, std::optional<llvm::GlobPattern> *> patterns[] = {
      {"location", &rule.location},
      {"function", &rule.function},
      {"source", &rule.source}};
  for (auto [key, pattern] : patterns) {
    FailureOr<StringAttr> text = getString(key);
    if (failed(text) || (*text && failed(readPattern(key, *text, *pattern))))
      return failure();
  }
  return success();
}

LogicalResult RuleReader::readOperand() {
  Attribute value = raw.attributes.get("operand");
  if (!value)
    return success();
  if (auto number = dyn_cast<IntegerAttr>(value);
      number && number.getValue().isNonNegative() &&
      number.getValue().getActiveBits() < 32) {
    rule.role = RecipeRule::Role::Number;
    rule.operandNumber = number.getValue().getZExtValue();
    return success();
  }
  if (auto name = dyn_cast<StringAttr>(value)) {
    auto role = llvm::StringSwitch<std::optional<RecipeRule::Role>>(name)
                    .Case("weights", RecipeRule::Role::Weights)
                    .Case("activations", RecipeRule::Role::Activations)
                    .Case("lhs", RecipeRule::Role::Lhs)
                    .Case("rhs", RecipeRule::Role::Rhs)
                    .Default(std::nullopt);
    if (role) {
      rule.role = *role;
      return success();
    }
  }
  return emitError("operand") << "'operand' must be \"weights\", "
                                 "\"activations\", \"lhs\", \"rhs\" or the "
                                 "number of an operand, but is "
                              << value;
}

LogicalResult RuleReader::readEncoding() {
  Attribute value = raw.attributes.get("encoding");
  if (!value)
    return emitError("") << "has no 'encoding'";
  rule.encoding = dyn_cast<CompressionEncodingAttrInterface>(value);
  if (!rule.encoding)
    return emitError("encoding")
           << "'encoding' must be an encoding such as #compress.affine<i8>, "
              "but is "
           << value;
  return success();
}

LogicalResult RuleReader::readBlock(StringRef key, int64_t &block) {
  Attribute value = raw.attributes.get(key);
  if (!value)
    return success();
  auto number = dyn_cast<IntegerAttr>(value);
  if (!number || !number.getValue().isStrictlyPositive() ||
      number.getValue().getActiveBits() > 32)
    return emitError(key) << "'" << key
                          << "' must be a positive number of elements, but is "
                          << value;
  block = number.getValue().getZExtValue();
  return success();
}

LogicalResult RuleReader::readGranularity() {
  FailureOr<StringAttr> per = getString("per");
  if (failed(per) || failed(readBlock("block", rule.block)) ||
      failed(readBlock("super_block", rule.superBlock)))
    return failure();
  if (rule.superBlock && (!rule.block || rule.superBlock % rule.block))
    return emitError("super_block")
           << "'super_block' must be a multiple of 'block'";
  if (rule.block)
    rule.granularity = RecipeRule::Granularity::Blocks;
  if (!*per)
    return success();
  if (*per == "channel" || *per == "row") {
    if (!rule.block)
      rule.granularity = RecipeRule::Granularity::ParallelDims;
    return success();
  }
  if (*per != "tensor")
    return emitError("per") << "'per' must be \"tensor\", \"channel\" or "
                               "\"row\", but is "
                            << *per;
  if (rule.block)
    return emitError("per") << "has both a 'block' and 'per' \"tensor\"";
  rule.granularity = RecipeRule::Granularity::Tensor;
  return success();
}

LogicalResult RuleReader::readRangeAndMode() {
  if (Attribute value = raw.attributes.get("range")) {
    rule.range = dyn_cast<CalibratorAttrInterface>(value);
    if (!rule.range)
      return emitError("range") << "'range' must be a calibrator such as "
                                   "#compress.min_max, but is "
                                << value;
  }
  FailureOr<StringAttr> mode = getString("mode");
  if (failed(mode))
    return failure();
  if (!*mode || *mode == "dynamic")
    return success();
  if (*mode != "static")
    return emitError("mode")
           << "'mode' must be \"dynamic\" or \"static\", but is " << *mode;
  if (rule.role == RecipeRule::Role::Weights)
    return emitError("mode")
           << "'mode' is for activations; weights are constants";
  rule.isStatic = true;
  return success();
}

FailureOr<RecipeRule> RuleReader::read() {
  rule.label = ("recipe rule #" + Twine(index)).str();
  FailureOr<StringAttr> name = getString("name");
  if (failed(name))
    return failure();
  if (*name)
    rule.label += (" '" + (*name).getValue() + "'").str();
  if (failed(checkKeys()) || failed(readPatterns()) || failed(readOperand()) ||
      failed(readEncoding()) || failed(readGranularity()) ||
      failed(readRangeAndMode()))
    return failure();
  return std::move(rule);
}

/// The rules of the module attribute.
static FailureOr<SmallVector<RawRule, 0>> readModuleRecipe(ModuleOp module) {
  SmallVector<RawRule, 0> rules;
  Attribute recipe = module->getAttr(CompressDialect::kRecipeAttrName);
  if (!recipe)
    return rules;
  auto list = dyn_cast<ArrayAttr>(recipe);
  if (!list)
    return module.emitOpError()
           << "attribute '" << CompressDialect::kRecipeAttrName
           << "' must be an array of rules";
  for (auto [i, entry] : llvm::enumerate(list)) {
    auto attributes = dyn_cast<DictionaryAttr>(entry);
    if (!attributes)
      return module.emitOpError() << "recipe rule #" << i
                                  << " must be a dictionary, but is " << entry;
    rules.push_back({attributes, module.getLoc(), {}});
  }
  return rules;
}

FailureOr<Recipe> mlir::compress::loadRecipe(ModuleOp module, StringRef path) {
  FailureOr<SmallVector<RawRule, 0>> raw =
      path.empty() ? readModuleRecipe(module) : readRecipeFile(module, path);
  if (failed(raw))
    return failure();
  Recipe recipe;
  for (auto [i, rule] : llvm::enumerate(*raw)) {
    FailureOr<RecipeRule> read = RuleReader(rule, i).read();
    if (failed(read))
      return failure();
    recipe.push_back(std::move(*read));
  }
  return recipe;
}
