//===- Threads.cpp - The threads that a caller grants ---------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/Threads.h"

#include "llvm/Support/ThreadPool.h"

namespace compress::numerics {

Threads::Threads(llvm::ThreadPoolInterface *pool)
    : count(pool ? pool->getMaxConcurrency() : 1), pool(pool) {}

} // namespace compress::numerics
