//===- RecipeFile.cpp - Recipes in JSON files -----------------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JsonFile.h"
#include "Recipe.h"

#include "mlir/AsmParser/AsmParser.h"
#include "llvm/Support/Threading.h"

using namespace mlir;
using namespace mlir::compress;

namespace {
/// Where an object of a JSON text starts, and its keys.
struct ObjectOffsets {
  size_t begin;
  llvm::StringMap<size_t> keys;
};
} // namespace

/// The offsets of the objects that are entries of a list (the rules), in order.
/// The text must be valid. llvm::json does not keep them.
static SmallVector<ObjectOffsets, 0> findObjects(StringRef text) {
  SmallVector<ObjectOffsets, 0> objects;
  SmallVector<char> open;
  // The depth of the object that is being recorded; 0 for none.
  size_t recorded = 0;
  bool keyComes = false;
  for (size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
    case '"': {
      size_t begin = i;
      for (++i; i < text.size() && text[i] != '"'; ++i)
        if (text[i] == '\\')
          ++i;
      if (keyComes && open.size() == recorded)
        objects.back().keys.try_emplace(text.slice(begin + 1, i), begin);
      keyComes = false;
      break;
    }
    case '{':
      if (!recorded && !open.empty() && open.back() == '[') {
        objects.push_back({i, {}});
        recorded = open.size() + 1;
      }
      open.push_back('{');
      keyComes = true;
      break;
    case '[':
      open.push_back('[');
      break;
    case ',':
      keyComes = open.back() == '{';
      break;
    case '}':
    case ']':
      if (open.size() == recorded)
        recorded = 0;
      open.pop_back();
      break;
    default:
      break;
    }
  }
  return objects;
}

namespace {
/// Turns the JSON of a recipe into attributes.
class RecipeFileReader {
public:
  RecipeFileReader(MLIRContext *context, StringRef path, StringRef text)
      : context(context), path(path), text(text), objects(findObjects(text)) {}

  FailureOr<SmallVector<RawRule, 0>> read(const llvm::json::Value &root);

  Location getLoc(size_t offset) const {
    StringRef before = text.take_front(offset);
    size_t line = before.count('\n') + 1;
    size_t lineStart = before.rfind('\n');
    size_t column =
        lineStart == StringRef::npos ? offset + 1 : offset - lineStart;
    return FileLineColLoc::get(context, path, line, column);
  }

private:
  FailureOr<RawRule> readRule(const llvm::json::Value &value,
                              const ObjectOffsets *offsets);
  /// Null, after an error, if it cannot be an attribute.
  Attribute convert(StringRef key, const llvm::json::Value &value,
                    Location loc);
  Attribute parse(StringRef key, StringRef attribute, Location loc);

  MLIRContext *context;
  StringRef path, text;
  SmallVector<ObjectOffsets, 0> objects;
};
} // namespace

Attribute RecipeFileReader::parse(StringRef key, StringRef attribute,
                                  Location loc) {
  std::string message;
  Attribute result;
  {
    // The parser's own diagnostic would name a place in a buffer that nobody
    // knows. Those of other threads are not for us.
    uint64_t thread = llvm::get_threadid();
    ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
      if (llvm::get_threadid() != thread)
        return failure();
      if (message.empty())
        message = diagnostic.str();
      return success();
    });
    result = parseAttribute(attribute, context);
  }
  if (!result)
    emitError(loc) << "in '" << key << "', \"" << attribute
                   << "\" is no attribute: " << message;
  return result;
}

Attribute RecipeFileReader::convert(StringRef key,
                                    const llvm::json::Value &value,
                                    Location loc) {
  Builder builder(context);
  if (std::optional<StringRef> string = value.getAsString()) {
    if (key == "encoding" || key == "range")
      return parse(key, *string, loc);
    return builder.getStringAttr(*string);
  }
  if (std::optional<int64_t> number = value.getAsInteger())
    return builder.getI64IntegerAttr(*number);
  if (std::optional<bool> boolean = value.getAsBoolean())
    return builder.getBoolAttr(*boolean);
  if (const llvm::json::Array *array = value.getAsArray()) {
    SmallVector<Attribute> entries;
    for (const llvm::json::Value &entry : *array) {
      entries.push_back(convert(key, entry, loc));
      if (!entries.back())
        return {};
    }
    return builder.getArrayAttr(entries);
  }
  emitError(loc) << "the value of '" << key
                 << "' must be a string, an integer or a list";
  return {};
}

FailureOr<RawRule> RecipeFileReader::readRule(const llvm::json::Value &value,
                                              const ObjectOffsets *offsets) {
  Location loc = getLoc(offsets ? offsets->begin : 0);
  const llvm::json::Object *object = value.getAsObject();
  if (!object)
    return emitError(loc) << "a rule of a recipe must be an object";
  RawRule rule = {DictionaryAttr(), loc, {}};
  NamedAttrList attributes;
  // The order of a json::Object is that of a hash table.
  SmallVector<std::pair<StringRef, const llvm::json::Value *>> entries;
  for (const auto &entry : *object)
    entries.push_back({entry.first, &entry.second});
  llvm::sort(entries, llvm::less_first());
  for (auto [key, entry] : entries) {
    if (offsets)
      if (auto it = offsets->keys.find(key); it != offsets->keys.end())
        rule.keyLocs.try_emplace(key, getLoc(it->second));
    Attribute attribute = convert(key, *entry, rule.getKeyLoc(key));
    if (!attribute)
      return failure();
    attributes.append(key, attribute);
  }
  rule.attributes = attributes.getDictionary(context);
  return rule;
}

FailureOr<SmallVector<RawRule, 0>>
RecipeFileReader::read(const llvm::json::Value &root) {
  Location loc = getLoc(0);
  const llvm::json::Object *object = root.getAsObject();
  const llvm::json::Array *list = object ? object->getArray("rules") : nullptr;
  if (!list)
    return emitError(loc) << "a recipe must be an object with a list of rules: "
                             "{\"rules\": [{...}]}";
  for (const auto &entry : *object)
    if (entry.first != "rules")
      return emitError(loc)
             << "unknown key '" << StringRef(entry.first) << "' beside 'rules'";
  SmallVector<RawRule, 0> rules;
  for (auto [i, value] : llvm::enumerate(*list)) {
    FailureOr<RawRule> rule =
        readRule(value, i < objects.size() ? &objects[i] : nullptr);
    if (failed(rule))
      return failure();
    rules.push_back(std::move(*rule));
  }
  return rules;
}

FailureOr<SmallVector<RawRule, 0>>
mlir::compress::readRecipeFile(ModuleOp module, StringRef path) {
  FailureOr<JsonFile> file = readJsonFile(module.getLoc(), path, "recipe");
  if (failed(file))
    return failure();
  return RecipeFileReader(module.getContext(), path, file->buffer->getBuffer())
      .read(file->root);
}
