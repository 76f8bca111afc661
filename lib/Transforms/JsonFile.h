//===- JsonFile.h - JSON files that passes read -----------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_LIB_TRANSFORMS_JSONFILE_H
#define COMPRESS_LIB_TRANSFORMS_JSONFILE_H

#include "mlir/IR/Location.h"
#include "mlir/Support/LLVM.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace mlir::compress {

/// The content of a JSON file, and what it was read from.
struct JsonFile {
  std::unique_ptr<llvm::MemoryBuffer> buffer;
  llvm::json::Value root = nullptr;
};

/// Reads the file `path`, which messages call `what` ("recipe"). An error that
/// it cannot be read stands at `loc`, one that it is no JSON at its line.
FailureOr<JsonFile> readJsonFile(Location loc, StringRef path, StringRef what);

} // namespace mlir::compress

#endif // COMPRESS_LIB_TRANSFORMS_JSONFILE_H
