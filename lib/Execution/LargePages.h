//===- LargePages.h - Memory of compiled programs ---------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_LIB_EXECUTION_LARGEPAGES_H
#define COMPRESS_LIB_EXECUTION_LARGEPAGES_H

#include "llvm/ExecutionEngine/SectionMemoryManager.h"

namespace mlir::compress {

/// Maps the sections of compiled programs, those of many megabytes in large
/// pages where the operating system has them: weights that are read once each
/// call would otherwise wait for a translation every 4 KiB. Null if it has
/// none.
llvm::SectionMemoryManager::MemoryMapper *getLargePageMapper();

} // namespace mlir::compress

#endif // COMPRESS_LIB_EXECUTION_LARGEPAGES_H
