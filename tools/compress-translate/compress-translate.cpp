//===- compress-translate.cpp - mlir-translate with the compress dialect --===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Analysis/StorageReport.h"
#include "compress/Pipelines/Registration.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllTranslations.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"

using namespace mlir;

static void registerStorageReport() {
  TranslateFromMLIRRegistration registration(
      "compress-storage-report",
      "write the stored and the dense bytes of all tensor constants as JSON",
      [](Operation *op, raw_ostream &os) {
        return mlir::compress::writeStorageReport(op, os);
      },
      [](DialectRegistry &registry) {
        registerAllDialects(registry);
        mlir::compress::registerAllCompressDialects(registry);
      });
}

int main(int argc, char **argv) {
  registerAllTranslations();
  registerStorageReport();
  return failed(mlirTranslateMain(argc, argv, "compress translation driver"));
}
