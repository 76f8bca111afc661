//===- FoldEncode.cpp - The pass compress-fold-encode ---------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The work is planned in the order of the module, done in any order on the
// context's thread pool, and applied in the order of the module again, so that
// names, diagnostics and the result do not depend on timing.
//
//===----------------------------------------------------------------------===//

#include "CompressionError.h"
#include "ConstantSource.h"
#include "compress/IR/Compress.h"
#include "compress/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Threading.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

namespace mlir::compress {
#define GEN_PASS_DEF_COMPRESSFOLDENCODE
#include "compress/Transforms/Passes.h.inc"
} // namespace mlir::compress

using namespace mlir;
using namespace mlir::compress;

namespace {
/// One constant to encode, for all ops that want the same.
struct Job {
  ElementsAttr value;
  /// Of static shape.
  RankedTensorType type;
  EncodeOptions options;
  /// encode or quantize ops, in the order of the module.
  SmallVector<Operation *, 1> users;
  /// Null if encoding failed.
  EncodedAttr result;
  /// Filled if a report is wanted.
  std::optional<CompressionError> error;
};

/// What makes two ops want the same constant: value, type, calibrator and
/// parameters.
using JobKey = ArrayAttr;

struct Plan {
  SmallVector<Job, 0> jobs;
  /// Ops that may be dead once their users are folded.
  llvm::SetVector<Operation *> sources;
  llvm::SetVector<Operation *> globals;
};

struct CompressFoldEncode
    : mlir::compress::impl::CompressFoldEncodeBase<CompressFoldEncode> {
  using CompressFoldEncodeBase::CompressFoldEncodeBase;
  void runOnOperation() override;
};
} // namespace

/// The constants of a quantize op's parameters; fails if one is none.
static LogicalResult getConstantParams(ValueRange params,
                                       SmallVectorImpl<Attribute> &constants) {
  for (Value param : params) {
    Attribute constant;
    if (!matchPattern(param, m_Constant(&constant)))
      return failure();
    constants.push_back(constant);
  }
  return success();
}

/// A name for the blobs of an encoded constant, after its source.
static std::string makeName(const ConstantSource &source,
                            llvm::StringSet<> &used) {
  StringRef base = "encoded";
  SmallVector<StringRef> names = getLocationNames(source.op->getLoc());
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(source.value))
    base = resource.getRawHandle().getKey();
  else if (source.global)
    base = SymbolTable::getSymbolName(source.global).getValue();
  else if (!names.empty() && !names.front().empty())
    base = names.front();
  std::string name = base.str();
  for (unsigned i = 1; !used.insert(name).second; ++i)
    name = (base + "_" + Twine(i)).str();
  return name;
}

/// An op that quantizes at run time what calibration has not seen would not
/// mean what its recipe asked for.
static LogicalResult checkCalibrated(EncodeOp op) {
  auto name =
      op->getAttrOfType<StringAttr>(CompressDialect::kCalibrationAttrName);
  if (!name)
    return success();
  return op.emitOpError() << "has no calibrated range for '" << name.getValue()
                          << "' yet: run compress-apply-calibration, or use "
                             "mode = \"dynamic\" in the recipe";
}

static FailureOr<Plan> makePlan(ModuleOp module) {
  Plan plan;
  SymbolTableCollection symbols;
  llvm::StringSet<> names;
  llvm::DenseMap<JobKey, unsigned> known;
  Builder builder(module.getContext());
  bool ok = true;
  module.walk([&](Operation *op) {
    if (!isa<EncodeOp, QuantizeOp>(op))
      return;
    std::optional<ConstantSource> source =
        findConstant(op->getOperand(0), symbols);
    auto encode = dyn_cast<EncodeOp>(op);
    SmallVector<Attribute> params;
    if (!source) {
      ok &= !encode || succeeded(checkCalibrated(encode));
      return;
    }
    if (!encode &&
        failed(getConstantParams(op->getOperands().drop_front(), params)))
      return;
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    auto staticType =
        RankedTensorType::get(source->value.getShapedType().getShape(),
                              type.getElementType(), type.getEncoding());
    Attribute calibrator = encode ? Attribute(encode.getCalibrator())
                                  : Attribute(builder.getUnitAttr());
    JobKey key =
        builder.getArrayAttr({source->value, TypeAttr::get(staticType),
                              calibrator, builder.getArrayAttr(params)});
    auto [it, isNew] = known.try_emplace(key, plan.jobs.size());
    if (isNew) {
      Job &job = plan.jobs.emplace_back();
      job.value = source->value;
      job.type = staticType;
      job.options.resourceName = makeName(*source, names);
      job.options.calibrator = encode ? calibrator : Attribute();
      job.options.parameters = params;
    }
    plan.jobs[it->second].users.push_back(op);
    for (Value operand : op->getOperands())
      while (Operation *before = operand.getDefiningOp()) {
        plan.sources.insert(before);
        if (!isa<tensor::CastOp>(before))
          break;
        operand = before->getOperand(0);
      }
    if (source->global)
      plan.globals.insert(source->global);
  });
  if (!ok)
    return failure();
  return plan;
}

/// Encodes one constant; reports failures at the first op that wants it.
static void run(Job &job, bool report) {
  Operation *op = job.users.front();
  auto emitError = [&] { return op->emitOpError(); };
  CompressionEncodingAttrInterface encoding = getEncoding(job.type);
  FailureOr<SmallVector<Attribute>> components =
      encoding.encodeConstant(job.type, job.value, job.options, emitError);
  if (failed(components))
    return;
  auto result = EncodedAttr::getChecked(
      function_ref<InFlightDiagnostic()>(emitError), op->getContext(),
      ArrayRef<Attribute>(*components), job.type);
  if (result && report) {
    FailureOr<CompressionError> error =
        measureError(job.value, result, emitError);
    if (failed(error))
      return;
    job.error = *error;
  }
  job.result = result;
}

static void emitReport(const Job &job) {
  FailureOr<int64_t> bits = getStorageBits(job.type);
  int64_t originalBits =
      job.type.getNumElements() * job.type.getElementTypeBitWidth();
  InFlightDiagnostic remark = job.users.front()->emitRemark();
  remark << "encoded '" << job.options.resourceName << "' as "
         << job.type.getEncoding() << ": " << (originalBits + 7) / 8
         << " bytes to " << (succeeded(bits) ? (*bits + 7) / 8 : 0);
  auto print = [](double value) {
    return llvm::formatv("{0:e6}", value).str();
  };
  remark << ", error max " << print(job.error->max) << " mean "
         << print(job.error->mean);
  if (job.error->numNonFinite)
    remark << " (" << job.error->numNonFinite
           << " NaN or infinite values left out)";
}

/// Replaces the ops by the constant.
static void apply(const Job &job) {
  for (Operation *op : job.users) {
    OpBuilder builder(op);
    Value constant = ConstantOp::create(builder, op->getLoc(), job.result);
    Type type = op->getResult(0).getType();
    if (type != job.type)
      constant = tensor::CastOp::create(builder, op->getLoc(), type, constant);
    op->getResult(0).replaceAllUsesWith(constant);
    op->erase();
  }
}

/// Erases what only the folded ops used, users before their operands.
static void eraseDead(Plan &plan) {
  bool changed = true;
  while (changed) {
    changed = false;
    plan.sources.remove_if([&](Operation *op) {
      if (!isOpTriviallyDead(op))
        return false;
      op->erase();
      return changed = true;
    });
  }
  for (Operation *global : plan.globals)
    if (SymbolTable::getSymbolVisibility(global) ==
            SymbolTable::Visibility::Private &&
        SymbolTable::symbolKnownUseEmpty(global, global->getParentOp()))
      global->erase();
}

void CompressFoldEncode::runOnOperation() {
  ModuleOp module = getOperation();
  FailureOr<Plan> plan = makePlan(module);
  if (failed(plan))
    return signalPassFailure();
  if (plan->jobs.empty())
    return markAllAnalysesPreserved();

  MLIRContext &context = getContext();
  if (context.isMultithreadingEnabled())
    for (Job &job : plan->jobs) {
      job.options.pool = &context.getThreadPool();
      job.options.threads =
          std::max<size_t>(1, context.getNumThreads() / plan->jobs.size());
    }
  // A failure does not stop the others: then the set of messages would depend
  // on timing.
  parallelForEach(&context, plan->jobs, [&](Job &job) { run(job, report); });
  if (llvm::any_of(plan->jobs, [](const Job &job) { return !job.result; }))
    return signalPassFailure();

  for (const Job &job : plan->jobs) {
    if (report)
      emitReport(job);
    apply(job);
  }
  eraseDead(*plan);
}
