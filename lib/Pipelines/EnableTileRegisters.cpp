//===- EnableTileRegisters.cpp - Permission for tile registers ------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EnableTileRegisters.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

static bool usesTileRegisters(ModuleOp module) {
  return module
      ->walk([](LLVM::CallIntrinsicOp call) {
        return call.getIntrin().starts_with("llvm.x86.tile")
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

void mlir::compress::addTileRegisterRequest(ModuleOp module) {
  constexpr StringLiteral kName = "compress_request_tile_registers";
  if (!usesTileRegisters(module) || module.lookupSymbol(kName))
    return;
  Location loc = module.getLoc();
  MLIRContext *context = module.getContext();
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  auto function = LLVM::LLVMFuncOp::create(
      b, loc, kName,
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), {}),
      LLVM::Linkage::Internal);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(function.addEntryBlock(b));
    Type i64 = b.getI64Type();
    auto constant = [&](int64_t value) -> Value {
      return LLVM::ConstantOp::create(b, loc, i64, b.getI64IntegerAttr(value));
    };
    // arch_prctl(ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA); see the kernel's
    // Documentation/arch/x86/xstate.rst. Where it fails, the first tile
    // instruction stops the process, as any instruction that a CPU lacks.
    constexpr int64_t kArchPrctl = 158, kRequest = 0x1023, kTileData = 18;
    LLVM::InlineAsmOp::create(
        b, loc, i64,
        ValueRange{constant(kArchPrctl), constant(kRequest),
                   constant(kTileData)},
        "syscall", "={rax},{rax},{rdi},{rsi},~{rcx},~{r11},~{memory}",
        /*has_side_effects=*/true, /*is_align_stack=*/false,
        LLVM::TailCallKind::None,
        LLVM::AsmDialectAttr::get(context, LLVM::AsmDialect::AD_ATT),
        /*operand_attrs=*/ArrayAttr());
    LLVM::ReturnOp::create(b, loc, ValueRange());
  }
  LLVM::GlobalCtorsOp::create(
      b, loc, b.getArrayAttr(FlatSymbolRefAttr::get(context, kName)),
      b.getI32ArrayAttr({65535}), b.getArrayAttr(LLVM::ZeroAttr::get(context)));
}
