//===- Registration.h - Everything that a tool registers --------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_PIPELINES_REGISTRATION_H
#define COMPRESS_PIPELINES_REGISTRATION_H

namespace mlir {
class DialectRegistry;

namespace compress {

/// Adds the dialects of the project, and the external models that its passes
/// need, to `registry`.
void registerAllCompressDialects(DialectRegistry &registry);

/// Registers all passes and named pipelines of the project.
void registerAllCompressPasses();

} // namespace compress
} // namespace mlir

#endif // COMPRESS_PIPELINES_REGISTRATION_H
