//===- ApplyCalibration.cpp - The pass compress-apply-calibration ---------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JsonFile.h"
#include "compress/IR/Compress.h"
#include "compress/Numerics/CalibrationTable.h"
#include "compress/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

namespace mlir::compress {
#define GEN_PASS_DEF_COMPRESSAPPLYCALIBRATION
#include "compress/Transforms/Passes.h.inc"
} // namespace mlir::compress

using namespace mlir;
using namespace mlir::compress;
namespace num = ::compress::numerics;

namespace {
struct CompressApplyCalibration
    : mlir::compress::impl::CompressApplyCalibrationBase<
          CompressApplyCalibration> {
  using CompressApplyCalibrationBase::CompressApplyCalibrationBase;
  void runOnOperation() override;

private:
  FailureOr<num::CalibrationTable> readTables();
  LogicalResult apply(EncodeOp op, const num::CalibrationTable &table);
  FailureOr<ValueSummary> getSummary(EncodeOp op, StringRef name,
                                     const num::CalibrationTable &table);
};
} // namespace

FailureOr<num::CalibrationTable> CompressApplyCalibration::readTables() {
  Location loc = getOperation().getLoc();
  num::CalibrationTable all;
  for (const std::string &path : calibration) {
    FailureOr<JsonFile> file = readJsonFile(loc, path, "calibration table");
    if (failed(file))
      return failure();
    llvm::Expected<num::CalibrationTable> table =
        num::CalibrationTable::fromJSON(file->root);
    if (!table)
      return emitError(FileLineColLoc::get(&getContext(), path, 1, 1))
             << llvm::toString(table.takeError());
    all.merge(*table);
  }
  return all;
}

static std::string print(double value) {
  return llvm::formatv("{0:e6}", value).str();
}

FailureOr<ValueSummary>
CompressApplyCalibration::getSummary(EncodeOp op, StringRef name,
                                     const num::CalibrationTable &table) {
  auto it = table.values.find(name.str());
  if (it == table.values.end())
    return op.emitOpError()
           << "operand #0, '" << name
           << "', was never calibrated: the calibration table has no entry for "
              "it; run samples that reach it, or use mode = \"dynamic\"";
  const num::ValueStatistics &statistics = it->second;
  const num::MinMax &range = ignoreMasks ? statistics.unmasked : statistics.all;
  if (!range.hasRange())
    return op.emitOpError()
           << "operand #0, '" << name << "', has no calibrated range: of "
           << statistics.getCount() << " elements "
           << (ignoreMasks ? "none is finite and no mask" : "none is finite")
           << "; run samples that reach it, or use mode = \"dynamic\"";
  if (!ignoreMasks && statistics.getNumMasks()) {
    double extreme = -range.low > range.high ? range.low : range.high;
    op.emitWarning() << "the values of '" << name << "' reach "
                     << print(extreme)
                     << ", which is most likely a masking constant and makes "
                        "the scale useless; ignore-masks leaves such values "
                        "out";
  }
  ValueSummary summary;
  summary.count = statistics.getCount();
  summary.nanCount = statistics.all.numNaN;
  summary.infCount = statistics.all.numInfinite;
  summary.min = range.low;
  summary.max = range.high;
  return summary;
}

LogicalResult
CompressApplyCalibration::apply(EncodeOp op,
                                const num::CalibrationTable &table) {
  StringRef name =
      op->getAttrOfType<StringAttr>(CompressDialect::kCalibrationAttrName)
          .getValue();
  FailureOr<ValueSummary> summary = getSummary(op, name, table);
  if (failed(summary))
    return failure();
  RankedTensorType type = op.getType();
  ValueRange1D range = op.getCalibrator().chooseRange(*summary);
  FailureOr<SmallVector<Attribute>> constants =
      getEncoding(type).getConstantParams(type, range,
                                          [&] { return op.emitOpError(); });
  if (failed(constants))
    return failure();
  OpBuilder b(op);
  SmallVector<Value> params;
  for (Attribute constant : *constants)
    params.push_back(
        arith::ConstantOp::create(b, op.getLoc(), cast<TypedAttr>(constant)));
  auto quantize =
      QuantizeOp::create(b, op.getLoc(), type, op.getInput(), params);
  op.getResult().replaceAllUsesWith(quantize.getResult());
  op.erase();
  return success();
}

void CompressApplyCalibration::runOnOperation() {
  FailureOr<num::CalibrationTable> table = readTables();
  if (failed(table))
    return signalPassFailure();
  SmallVector<EncodeOp> encodes;
  SmallVector<ObserveOp> observers;
  getOperation().walk([&](Operation *op) {
    if (auto observe = dyn_cast<ObserveOp>(op))
      observers.push_back(observe);
    else if (isa<EncodeOp>(op) &&
             op->hasAttr(CompressDialect::kCalibrationAttrName))
      encodes.push_back(cast<EncodeOp>(op));
  });
  bool ok = true;
  for (EncodeOp op : encodes)
    ok &= succeeded(apply(op, *table));
  if (!ok)
    return signalPassFailure();
  for (ObserveOp op : observers)
    op.erase();
}
