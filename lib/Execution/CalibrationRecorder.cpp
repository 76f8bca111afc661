//===- CalibrationRecorder.cpp - Collects what programs observe -----------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Execution/CalibrationRecorder.h"

#include "mlir/ExecutionEngine/CRunnerUtils.h"
#include "llvm/ADT/SmallVector.h"

using namespace compress::execution;
namespace num = ::compress::numerics;

/// The recorder of this thread: compiled code has no other way to tell two
/// programs that run at the same time apart.
static thread_local CalibrationRecorder *activeRecorder = nullptr;

CalibrationRecorder::Scope::Scope(CalibrationRecorder &recorder)
    : previous(activeRecorder) {
  activeRecorder = &recorder;
}

CalibrationRecorder::Scope::~Scope() { activeRecorder = previous; }

void CalibrationRecorder::record(llvm::StringRef name,
                                 const num::ValueStatistics &values) {
  std::lock_guard<std::mutex> lock(mutex);
  table.values[name.str()].merge(values);
}

num::CalibrationTable CalibrationRecorder::getTable() const {
  std::lock_guard<std::mutex> lock(mutex);
  return table;
}

/// Calls `body` with spans that together hold the elements of `memref`.
template <typename T, typename Body>
static void forEachSpan(const DynamicMemRefType<T> &memref, Body body) {
  int64_t total = 1, packed = 1;
  bool contiguous = true;
  for (int64_t d = memref.rank - 1; d >= 0; --d) {
    total *= memref.sizes[d];
    contiguous &= memref.sizes[d] == 1 || memref.strides[d] == packed;
    packed *= memref.sizes[d];
  }
  const T *data = memref.data + memref.offset;
  if (contiguous || total == 0)
    return body(num::StridedSpan<const T>(data, total));
  llvm::SmallVector<int64_t> position(memref.rank, 0);
  int64_t last = memref.rank - 1;
  for (int64_t rows = total / memref.sizes[last]; rows > 0; --rows) {
    int64_t offset = 0;
    for (int64_t d = 0; d < last; ++d)
      offset += position[d] * memref.strides[d];
    body(num::StridedSpan<const T>(data + offset, memref.sizes[last],
                                   memref.strides[last]));
    for (int64_t d = last - 1; d >= 0; --d) {
      if (++position[d] < memref.sizes[d])
        break;
      position[d] = 0;
    }
  }
}

template <typename T>
static void observe(UnrankedMemRefType<int8_t> *name,
                    UnrankedMemRefType<T> *values) {
  if (!activeRecorder)
    return;
  DynamicMemRefType<int8_t> nameBytes(*name);
  std::string text;
  forEachSpan(nameBytes, [&](num::StridedSpan<const int8_t> span) {
    for (int64_t i = 0; i < span.size(); ++i)
      text.push_back(static_cast<char>(span[i]));
  });
  num::ValueStatistics statistics;
  forEachSpan(DynamicMemRefType<T>(*values),
              [&](num::StridedSpan<const T> span) {
                // Fails only for elements without data, which a memref has not.
                llvm::consumeError(statistics.add<T>(span));
              });
  activeRecorder->record(text, statistics);
}

void compress::execution::registerCalibrationSymbols(RuntimeSymbols &symbols) {
  symbols.add("_mlir_ciface_compress_observe_f16", observe<num::Half>);
  symbols.add("_mlir_ciface_compress_observe_bf16", observe<num::BFloat16>);
  symbols.add("_mlir_ciface_compress_observe_f32", observe<float>);
  symbols.add("_mlir_ciface_compress_observe_f64", observe<double>);
}
