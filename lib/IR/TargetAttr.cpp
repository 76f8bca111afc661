//===- TargetAttr.cpp - The CPU that a module is compiled for -------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/IR/Target.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::compress;
using ::compress::target::TargetDescription;

/// Names are passed to LLVM in lists, so that they must not hold a separator.
static bool isName(StringRef name) {
  return !name.empty() && llvm::all_of(name, [](char c) {
    return llvm::isAlnum(c) || c == '.' || c == '_' || c == '-';
  }) && name.front() != '-';
}

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef cpu, StringRef features, int64_t l1d,
                                 int64_t l2, int64_t l3, int64_t cores) {
  if (!isName(cpu))
    return emitError() << "'cpu' must be LLVM's name of a CPU, but is \"" << cpu
                       << "\"";
  StringRef previous;
  if (!features.empty())
    for (StringRef name : llvm::split(features, ',')) {
      if (!isName(name))
        return emitError() << "'features' must be names with commas between "
                              "them, but one is \""
                           << name << "\"";
      if (name <= previous)
        return emitError() << "'features' must be sorted and without "
                              "repetitions, but \""
                           << name << "\" comes after \"" << previous << "\"";
      previous = name;
    }
  if (l1d < 1 || l2 < 1 || l3 < 0)
    return emitError() << "cache sizes must be positive (l3 may be 0), but are "
                       << "l1d = " << l1d << ", l2 = " << l2 << ", l3 = " << l3;
  if (cores < 1)
    return emitError() << "'cores' must be at least 1, but is " << cores;
  return success();
}

TargetAttr TargetAttr::getGeneric(MLIRContext *context) {
  return getTargetAttr(context, TargetDescription());
}

SmallVector<StringRef> TargetAttr::getFeatureList() const {
  if (getFeatures().empty())
    return {};
  return llvm::to_vector(llvm::split(getFeatures(), ','));
}

bool TargetAttr::hasFeature(StringRef name) const {
  return llvm::is_contained(llvm::split(getFeatures(), ','), name);
}

int64_t TargetAttr::getVectorBits() const {
  auto has = [&](StringRef name) { return hasFeature(name); };
  if (has("avx512f") && has("avx512bw") && has("avx512vl") && has("avx512dq") &&
      !has(::compress::target::kPrefer256Bit))
    return 512;
  return has("avx") ? 256 : 128;
}

TargetAttr mlir::compress::getTarget(Operation *op) {
  for (Operation *scope = op; scope; scope = scope->getParentOp())
    if (auto target =
            scope->getAttrOfType<TargetAttr>(CompressDialect::kTargetAttrName))
      return target;
  return TargetAttr::getGeneric(op->getContext());
}

TargetAttr mlir::compress::getTargetAttr(MLIRContext *context,
                                         const TargetDescription &target) {
  return TargetAttr::get(context, target.cpu, target.getFeatureString(),
                         target.l1d, target.l2, target.l3, target.cores);
}

TargetDescription mlir::compress::getDescription(TargetAttr target) {
  TargetDescription description;
  description.cpu = target.getCpu().str();
  for (StringRef name : target.getFeatureList())
    description.features.push_back(name.str());
  description.l1d = target.getL1d();
  description.l2 = target.getL2();
  description.l3 = target.getL3();
  description.cores = target.getCores();
  return description;
}
