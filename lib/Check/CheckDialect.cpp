//===- CheckDialect.cpp - The compress_check dialect ----------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Check/Check.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;
using namespace mlir::compress::check;

bool mlir::compress::check::isComparableTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getEncoding())
    return false;
  Type element = tensor.getElementType();
  if (element.isSignlessInteger())
    return element.getIntOrFloatBitWidth() >= 1 &&
           element.getIntOrFloatBitWidth() <= 64;
  if (!isa<FloatType>(element))
    return isa<IndexType>(element);
  unsigned width = element.getIntOrFloatBitWidth();
  return width == 8 || width == 16 || width == 32 || width == 64;
}

#include "compress/Check/CheckDialect.cpp.inc"

#define GET_OP_CLASSES
#include "compress/Check/CheckOps.cpp.inc"

namespace {
struct CheckInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

void CompressCheckDialect::addInterfaces() {
  Dialect::addInterfaces<CheckInlinerInterface>();
}

void CompressCheckDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "compress/Check/CheckOps.cpp.inc"
      >();
  addInterfaces();
}

static LogicalResult verifyTolerance(ExpectCloseOp op, StringRef name,
                                     std::optional<APFloat> value) {
  if (value && (!value->isFinite() || value->isNegative()))
    return op.emitOpError()
           << "(C2) " << name << " must be finite and not negative, but is "
           << value->convertToDouble();
  return success();
}

LogicalResult ExpectCloseOp::verify() {
  Type element = getActual().getType().getElementType();
  if (!element.isF16() && !element.isBF16() && !element.isF32() &&
      !element.isF64() && !element.isSignlessInteger())
    return emitOpError() << "(C1) compares f16, bf16, f32, f64 and integers, "
                            "but the elements are "
                         << element << "; use expect_eq";
  bool isInteger = element.isSignlessInteger();
  if (isInteger && element.getIntOrFloatBitWidth() > 32)
    return emitOpError() << "(C1) compares integers of up to 32 bits, but the "
                            "elements are "
                         << element << "; use expect_eq";
  if (!getUlps() && !getAtol() && !getRtol())
    return emitOpError() << "(C2) needs ulps, atol or rtol; use expect_eq for "
                            "exact equality";
  if (getUlps() && static_cast<int64_t>(*getUlps()) < 0)
    return emitOpError() << "(C2) ulps must not be negative, but is "
                         << static_cast<int64_t>(*getUlps());
  if (failed(verifyTolerance(*this, "atol", getAtol())) ||
      failed(verifyTolerance(*this, "rtol", getRtol())))
    return failure();
  if (isInteger && getUlps())
    return emitOpError() << "(C3) integers have no ulps; use atol";
  return success();
}

LogicalResult HideOp::verify() {
  auto tensor = dyn_cast<RankedTensorType>(getInput().getType());
  if (tensor && tensor.getEncoding())
    return emitOpError() << "(C1) must not make a value of encoded type; hide "
                            "the tensor before it is encoded";
  return success();
}
