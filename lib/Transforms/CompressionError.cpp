//===- CompressionError.cpp - What encoding a constant loses --------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompressionError.h"

#include "compress/IR/ConstantData.h"
#include "compress/Numerics/FloatTypes.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace mlir::compress;
namespace num = ::compress::numerics;

namespace {
/// Random access to the elements of a constant.
template <typename T>
struct Elements {
  explicit Elements(const RawConstant &raw)
      : data(raw.bytes.data()), step(raw.splat ? 0 : sizeof(T)) {}
  double operator[](int64_t i) const {
    T element;
    std::memcpy(&element, data + i * step, sizeof(T));
    return num::widen(element);
  }
  const char *data;
  int64_t step;
};
} // namespace

template <typename T>
static CompressionError compare(const RawConstant &original,
                                const RawConstant &decoded, int64_t count) {
  Elements<T> before(original), after(decoded);
  CompressionError error;
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (!std::isfinite(before[i])) {
      ++error.numNonFinite;
      continue;
    }
    double difference = std::abs(after[i] - before[i]);
    error.max = std::max(error.max, difference);
    sum += difference;
  }
  if (int64_t counted = count - error.numNonFinite)
    error.mean = sum / counted;
  return error;
}

FailureOr<CompressionError>
mlir::compress::measureError(ElementsAttr original, EncodedAttr encoded,
                             function_ref<InFlightDiagnostic()> emitError) {
  RankedTensorType type = encoded.getType();
  FailureOr<ElementsAttr> decoded = getEncoding(type).decodeConstant(
      type, encoded.getComponents(), emitError);
  if (failed(decoded))
    return failure();
  FailureOr<RawConstant> before = getRawConstant(original, emitError);
  FailureOr<RawConstant> after = getRawConstant(*decoded, emitError);
  if (failed(before) || failed(after))
    return failure();
  int64_t count = original.getNumElements();
  Type elementType = type.getElementType();
  CompressionError error =
      elementType.isF16()    ? compare<num::Half>(*before, *after, count)
      : elementType.isBF16() ? compare<num::BFloat16>(*before, *after, count)
      : elementType.isF64()  ? compare<double>(*before, *after, count)
                             : compare<float>(*before, *after, count);
  releaseConstant(*decoded);
  return error;
}
