//===- CalibrationRecorder.h - Collects what programs observe ---*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `compress-lower-observe` turns compress.observe into calls of the functions
//
//   compress_observe_<type>(name, values)      f16, bf16, f32 or f64
//
// with the C interface of unranked memrefs: `name` holds the bytes of the name.
// This is their implementation for programs that this process runs.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_EXECUTION_CALIBRATIONRECORDER_H
#define COMPRESS_EXECUTION_CALIBRATIONRECORDER_H

#include "compress/Execution/RuntimeSymbols.h"
#include "compress/Numerics/CalibrationTable.h"

#include <mutex>

namespace compress::execution {

/// A table that running programs write to. Safe to use from several threads.
class CalibrationRecorder {
public:
  /// Adds statistics to those called `name`.
  void record(llvm::StringRef name, const numerics::ValueStatistics &values);

  /// A copy of what was recorded so far.
  numerics::CalibrationTable getTable() const;

  /// While it lives, what the calling thread observes goes to `recorder`.
  /// Scopes nest. Without one, observations are dropped.
  class Scope {
  public:
    explicit Scope(CalibrationRecorder &recorder);
    ~Scope();
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

  private:
    CalibrationRecorder *previous;
  };

private:
  mutable std::mutex mutex;
  numerics::CalibrationTable table;
};

/// Adds the functions that observe.
void registerCalibrationSymbols(RuntimeSymbols &symbols);

} // namespace compress::execution

#endif // COMPRESS_EXECUTION_CALIBRATIONRECORDER_H
