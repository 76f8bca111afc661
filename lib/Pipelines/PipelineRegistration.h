//===- PipelineRegistration.h - Named pipelines on modules ------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mlir::PassPipelineRegistration refuses options of a pipeline without any
// silently, and aborts where a pipeline of module passes is nested under
// another op. Here both are errors with a message.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_LIB_PIPELINES_PIPELINEREGISTRATION_H
#define COMPRESS_LIB_PIPELINES_PIPELINEREGISTRATION_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"

#include <string>

namespace mlir::compress {

/// For pipelines without options.
struct NoPipelineOptions : PassPipelineOptions<NoPipelineOptions> {};

/// Parses `text` and adds the pipeline `name` to `pm`; errors name it.
template <typename Options>
LogicalResult
addParsedPipeline(OpPassManager &pm, StringRef name, StringRef text,
                  function_ref<LogicalResult(const Twine &)> emitError,
                  void (*build)(OpPassManager &, const Options &)) {
  StringRef anchor = ModuleOp::getOperationName();
  if (pm.getOpAnchorName() != anchor)
    return emitError("the pipeline '" + name + "' runs on '" + anchor +
                     "' and cannot be nested in '" + pm.getOpAnchorName() +
                     "'");
  Options options;
  std::string message;
  llvm::raw_string_ostream os(message);
  if (succeeded(options.parseFromString(text, os))) {
    build(pm, options);
    return success();
  }
  StringRef reason = StringRef(message).trim();
  reason.consume_front("<Pass-Options-Parser>: ");
  // What is wrong with a value was said by the option itself.
  return emitError(
      "in the options '" + text + "' of the pipeline '" + name +
      "': " + (reason.empty() ? "a value is not allowed" : reason));
}

/// Registers `build` as a pipeline for `builtin.module`.
template <typename Options>
void registerModulePipeline(StringLiteral name, StringRef description,
                            void (*build)(OpPassManager &, const Options &)) {
  registerPassPipeline(
      name, description,
      [=](OpPassManager &pm, StringRef text,
          function_ref<LogicalResult(const Twine &)> emitError) {
        return addParsedPipeline<Options>(pm, name, text, emitError, build);
      },
      [](function_ref<void(const detail::PassOptions &)> show) {
        show(Options());
      });
}

} // namespace mlir::compress

#endif // COMPRESS_LIB_PIPELINES_PIPELINEREGISTRATION_H
