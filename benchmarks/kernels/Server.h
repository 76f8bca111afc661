//===- Server.h - Contenders as processes that are asked --------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every contender of the kernel benchmark is a process of its own, so that each
// has its own environment, threads and libraries, and so that the runner can
// let them take turns. A process reads one request a line and answers with one
// line:
//
//   prepare KEY=VALUE...   makes the kernel of a case ready   ok [NUMBER]
//   result FILE            calls it, writes what it computed  ok
//   block MS CALLS         calls it at least CALLS times and  ok MS MS MS...
//                          MS milliseconds, each call timed
//                          (but no more after a second)
//   release                frees the kernel                   ok
//
// Any of them may answer "error REASON"; prepare answers "skip REASON" for a
// case that the contender does not have.
//
// Neither this file nor the peers use LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_BENCHMARKS_KERNELS_SERVER_H
#define COMPRESS_BENCHMARKS_KERNELS_SERVER_H

#include "Case.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace compress::bench {

/// One case, ready to be called.
class Kernel {
public:
  virtual ~Kernel();

  /// Computes the result once and returns the milliseconds that it took.
  /// `index` counts the calls; a kernel with several copies of its weights
  /// takes the next one each time.
  virtual double call(int64_t index) = 0;

  /// The result of the last call, row-major; in an order of the kernel's own
  /// only if it sorts it here, outside the time.
  virtual Bytes getResult() = 0;

  /// Work of one call in units of 1e9, for kernels that measure a limit.
  virtual double getWork() const { return 0; }
};

/// What becomes of a case: a kernel, or the reason why there is none.
struct Prepared {
  std::unique_ptr<Kernel> kernel;
  std::string reason;
  /// False if the contender just does not have the case.
  bool isError = false;

  static Prepared skip(std::string reason);
  static Prepared error(std::string reason);
};

/// Milliseconds that `function` takes.
template <typename Function>
double timeCall(Function &&function) {
  auto start = std::chrono::steady_clock::now();
  function();
  auto end = std::chrono::steady_clock::now();
  return std::chrono::duration<double, std::milli>(end - start).count();
}

/// Answers requests until the input ends: `answer` gets the words of each line.
/// What libraries print to stdout goes to stderr instead.
int serveRequests(
    const std::function<std::string(const std::vector<std::string> &)> &answer);

/// Answers the requests above with the kernels that `prepare` makes.
int serveKernels(const std::function<Prepared(const Case &)> &prepare);

} // namespace compress::bench

#endif // COMPRESS_BENCHMARKS_KERNELS_SERVER_H
