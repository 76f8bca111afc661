//===- Threads.h - The threads that a caller grants -------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef COMPRESS_NUMERICS_THREADS_H
#define COMPRESS_NUMERICS_THREADS_H

namespace llvm {
class ThreadPoolInterface;
} // namespace llvm

namespace compress::numerics {

/// The threads that a function may use: so many, which it then starts itself,
/// or those of a pool beside the calling thread. Results never depend on it.
class Threads {
public:
  /// 0 counts as 1.
  Threads(unsigned count = 1) : count(count == 0 ? 1 : count) {}
  /// No pool (null) means one thread. The call may be a task of the pool.
  Threads(llvm::ThreadPoolInterface *pool);

  unsigned getCount() const { return count; }
  /// Null if the caller only gave a number.
  llvm::ThreadPoolInterface *getPool() const { return pool; }

private:
  unsigned count;
  llvm::ThreadPoolInterface *pool = nullptr;
};

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_THREADS_H
