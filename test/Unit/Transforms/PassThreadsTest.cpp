//===- PassThreadsTest.cpp - Passes keep no state between modules ---------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Pipelines/Registration.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <thread>

using namespace mlir;

namespace {

/// A calibration file that is removed in the end.
struct TableFile {
  explicit TableFile(double max) {
    int file;
    EXPECT_FALSE(
        llvm::sys::fs::createTemporaryFile("calibration", "json", file, path));
    llvm::raw_fd_ostream os(file, /*shouldClose=*/true);
    os << "{\"version\": 1, \"tensors\": {\"fc.lhs\": {\"count\": 2, "
          "\"min\": -1, \"max\": "
       << max << "}}}";
  }
  ~TableFile() { llvm::sys::fs::remove(path); }
  SmallString<128> path;
};

/// A module with weights and a recipe; `seed` makes it different from others.
std::string makeModule(unsigned seed) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "module attributes {compress.recipe = [{per = \"channel\", encoding = "
        "#compress.affine<i"
     << 4 + seed % 5
     << ">}, {operand = \"activations\", mode = \"static\", encoding = "
        "#compress.affine<ui8, asymmetric>}]} {\n"
        "func.func @f(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {\n"
        "  %w = arith.constant dense<[";
  for (unsigned row = 0; row < 4; ++row) {
    os << (row ? ", [" : "[");
    for (unsigned column = 0; column < 4; ++column)
      os << (column ? ", " : "")
         << static_cast<int>((row * 7 + column * 3 + seed) % 11) - 5 << ".0";
    os << "]";
  }
  os << "]> : tensor<4x4xf32>\n"
        "  %0 = linalg.matmul ins(%x, %w : tensor<?x4xf32>, tensor<4x4xf32>) "
        "outs(%x : tensor<?x4xf32>) -> tensor<?x4xf32> loc(\"fc\")\n"
        "  return %0 : tensor<?x4xf32>\n}\n}\n";
  return text;
}

/// What the passes make of `source`; empty on failure.
std::string run(const std::string &source, const std::string &pipeline) {
  DialectRegistry registry;
  registry
      .insert<arith::ArithDialect, func::FuncDialect, linalg::LinalgDialect>();
  mlir::compress::registerAllCompressDialects(registry);
  MLIRContext context(registry);
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(source, ParserConfig(&context));
  PassManager pm(&context);
  if (!module || failed(parsePassPipeline(pipeline, pm)) ||
      failed(pm.run(*module)))
    return "";
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os);
  return text;
}

std::string makePipeline(const TableFile &table) {
  return ("compress-annotate,compress-apply-calibration{calibration=" +
          table.path + "},compress-fold-encode")
      .str();
}

class PassThreadsTest : public ::testing::Test {
protected:
  static void SetUpTestSuite() { mlir::compress::registerAllCompressPasses(); }
};

TEST_F(PassThreadsTest, TwoContextsInTwoThreads) {
  TableFile first(3.0), second(7.0);
  std::string sources[] = {makeModule(1), makeModule(2)};
  std::string pipelines[] = {makePipeline(first), makePipeline(second)};
  std::string expected[2];
  for (unsigned i = 0; i < 2; ++i) {
    expected[i] = run(sources[i], pipelines[i]);
    ASSERT_NE(expected[i].find("compress.quantize"), std::string::npos);
    ASSERT_NE(expected[i].find("compress.constant"), std::string::npos);
  }
  EXPECT_NE(expected[0], expected[1]);
  for (unsigned round = 0; round < 10; ++round) {
    std::string actual[2];
    std::thread other([&] { actual[1] = run(sources[1], pipelines[1]); });
    actual[0] = run(sources[0], pipelines[0]);
    other.join();
    EXPECT_EQ(actual[0], expected[0]);
    EXPECT_EQ(actual[1], expected[1]);
  }
}

// Clones of a pass run on nested modules in parallel.
TEST_F(PassThreadsTest, ClonesOnNestedModules) {
  TableFile table(3.0);
  std::string nested = "module {\n";
  for (unsigned i = 0; i < 32; ++i)
    nested += makeModule(i);
  nested += "}\n";
  std::string pipeline = "builtin.module(" + makePipeline(table) + ")";
  std::string expected = run(nested, pipeline);
  ASSERT_NE(expected.find("compress.quantize"), std::string::npos);
  for (unsigned round = 0; round < 5; ++round)
    EXPECT_EQ(run(nested, pipeline), expected);
}

} // namespace
