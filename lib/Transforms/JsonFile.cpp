//===- JsonFile.cpp - JSON files that passes read -------------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JsonFile.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::compress;

FailureOr<JsonFile> mlir::compress::readJsonFile(Location loc, StringRef path,
                                                 StringRef what) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer =
      llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return emitError(loc) << "cannot read the " << what << " '" << path
                          << "': " << buffer.getError().message();
  JsonFile file;
  file.buffer = std::move(*buffer);
  llvm::Expected<llvm::json::Value> root =
      llvm::json::parse(file.buffer->getBuffer());
  if (root) {
    file.root = std::move(*root);
    return file;
  }
  // "[line:column, byte=offset]: what is wrong".
  std::string message = llvm::toString(root.takeError());
  StringRef rest = message;
  unsigned line = 0, column = 0;
  if (rest.consume_front("[") && !rest.consumeInteger(10, line) &&
      rest.consume_front(":") && !rest.consumeInteger(10, column))
    rest = rest.substr(rest.find("]: ") + 3);
  return emitError(
             FileLineColLoc::get(loc.getContext(), path, line, column + 1))
         << "the " << what << " is no JSON: " << rest;
}
