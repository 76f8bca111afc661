//===- OutlineTileContracts.cpp - One function for equal contractions -----===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layers of a network repeat a few shapes. Each shape is compiled once.
// Contractions in tile registers get a function each in any case: it has one
// configuration of the registers, and those of different kernels have different
// shapes.
//
//===----------------------------------------------------------------------===//

#include "compress/Conversion/Passes.h"
#include "compress/IR/Compress.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::compress {
#define GEN_PASS_DEF_COMPRESSOUTLINETILECONTRACTS
#include "compress/Conversion/Passes.h.inc"
} // namespace mlir::compress

using namespace mlir;
using namespace mlir::compress;

/// Whether two contractions differ in nothing but the values of their operands.
static bool areEqual(TileContractOp lhs, TileContractOp rhs) {
  // Inside their epilogues the same values must be used for the same.
  llvm::DenseMap<Value, Value> inside;
  return lhs->getOperandTypes() == rhs->getOperandTypes() &&
         OperationEquivalence::isEquivalentTo(
             lhs, rhs,
             [&](Value a, Value b) {
               bool isInside =
                   lhs.getEpilogue().isAncestor(a.getParentRegion());
               return success(!isInside || inside.lookup(a) == b);
             },
             [&](Value a, Value b) { inside[a] = b; },
             OperationEquivalence::IgnoreLocations);
}

/// Copies constants that the epilogue uses into it; false if it uses other
/// values from outside.
static bool isolateEpilogue(TileContractOp op) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op.getEpilogue(), captured);
  OpBuilder b = OpBuilder::atBlockBegin(&op.getEpilogue().front());
  for (Value value : captured) {
    Operation *constant = value.getDefiningOp();
    if (!constant || !constant->hasTrait<OpTrait::ConstantLike>())
      return false;
    Operation *clone = b.clone(*constant);
    replaceAllUsesInRegionWith(value, clone->getResult(0), op.getEpilogue());
  }
  return true;
}

/// A private function that does what `op` does, on its operands as arguments.
static func::FuncOp makeFunction(TileContractOp op, SymbolTable &symbols) {
  OpBuilder b(op.getContext());
  auto type = b.getFunctionType(op->getOperandTypes(), {});
  auto function =
      func::FuncOp::create(b, op.getLoc(), "compress_tile_contract", type);
  function.setPrivate();
  // Inlined, it would be compiled again at every call.
  function->setAttr("passthrough", b.getArrayAttr(b.getStringAttr("noinline")));
  symbols.insert(function);
  Block *body = function.addEntryBlock();
  b.setInsertionPointToStart(body);
  IRMapping mapping;
  for (auto [operand, argument] :
       llvm::zip(op->getOperands(), body->getArguments()))
    mapping.map(operand, argument);
  Operation *clone = b.clone(*op, mapping);
  // An operand given twice is mapped to its last argument; the others too.
  clone->setOperands(body->getArguments());
  func::ReturnOp::create(b, op.getLoc());
  return function;
}

namespace {
struct CompressOutlineTileContracts
    : mlir::compress::impl::CompressOutlineTileContractsBase<
          CompressOutlineTileContracts> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    // Groups of equal contractions, in the order of their first ones.
    SmallVector<SmallVector<TileContractOp>> groups;
    llvm::DenseMap<llvm::hash_code, SmallVector<unsigned>> byHash;
    module.walk([&](TileContractOp op) {
      if (!op.isMemrefForm() || !isolateEpilogue(op))
        return;
      llvm::hash_code hash = OperationEquivalence::computeHash(
          op, OperationEquivalence::ignoreHashValue,
          OperationEquivalence::ignoreHashValue,
          OperationEquivalence::IgnoreLocations);
      for (unsigned index : byHash[hash])
        if (areEqual(groups[index].front(), op)) {
          groups[index].push_back(op);
          return;
        }
      byHash[hash].push_back(groups.size());
      groups.push_back({op});
    });
    SymbolTable symbols(module);
    for (SmallVector<TileContractOp> &group : groups) {
      bool needsFunction = group.front().getKernel().getScratchElements() != 0;
      if (group.size() < 2 && !needsFunction)
        continue;
      func::FuncOp function = makeFunction(group.front(), symbols);
      for (TileContractOp op : group) {
        OpBuilder b(op);
        func::CallOp::create(b, op.getLoc(), function, op->getOperands());
        op.erase();
      }
    }
  }
};
} // namespace
