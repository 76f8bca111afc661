//===- compress-plugin.cpp - Dialect and passes for the stock mlir-opt ----===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Pipelines/Registration.h"
#include "mlir/Config/mlir-config.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

/// Registers the passes unless the process has them: because the plugin was
/// loaded both ways, or because the host is a tool of this project, whose own
/// copy then stays the only one.
static void registerPassesOnce() {
  if (!PassInfo::lookup("compress-verify"))
    mlir::compress::registerAllCompressPasses();
}

/// Called by `--load-dialect-plugin`. It registers the passes too, so that one
/// option is enough; the tool loads a plugin before it reads a pipeline.
extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "CompressPlugin", LLVM_VERSION_STRING,
          [](DialectRegistry *registry) {
            if (!llvm::is_contained(registry->getDialectNames(), "compress"))
              mlir::compress::registerAllCompressDialects(*registry);
            registerPassesOnce();
          }};
}

/// Called by `--load-pass-plugin`.
extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "CompressPlugin", LLVM_VERSION_STRING,
          [] { registerPassesOnce(); }};
}
