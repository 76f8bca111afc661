//===- ArgumentSourceTest.cpp - Tests of argument descriptions ------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Execution/ArgumentSource.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::compress;
using ::compress::execution::ElementKind;
using ::compress::execution::HostArray;

namespace {

class ArgumentSource : public ::testing::Test {
protected:
  llvm::Expected<HostType> getType(StringRef text) {
    return HostType::get(parseType(text, &context));
  }

  /// The printed array, or the message of the error.
  std::string make(StringRef type, StringRef source, uint64_t seed = 0) {
    llvm::Expected<HostType> hostType = getType(type);
    if (!hostType)
      return llvm::toString(hostType.takeError());
    llvm::Expected<HostArray> array = makeArgument(*hostType, source, seed);
    if (!array)
      return llvm::toString(array.takeError());
    std::string text = array->getTypeString() + " = ";
    llvm::raw_string_ostream os(text);
    array->print(os);
    return text;
  }

  MLIRContext context;
};

TEST_F(ArgumentSource, Fill) {
  EXPECT_EQ(make("tensor<2xf32>", "fill=0.5"), "2xf32 = [0.5, 0.5]");
  EXPECT_EQ(make("tensor<?x1xbf16>", "fill=3:2x1"), "2x1xbf16 = [[3], [3]]");
  EXPECT_EQ(make("f16", "fill=-inf"), "f16 = -inf");
  EXPECT_EQ(make("i8", "fill=-128"), "i8 = -128");
  EXPECT_EQ(make("ui8", "fill=255"), "u8 = 255");
  EXPECT_EQ(make("i1", "fill=1"), "bool = true");
  EXPECT_EQ(make("index", "fill=9223372036854775807"),
            "i64 = 9223372036854775807");
  EXPECT_EQ(make("i64", "fill=-9223372036854775808"),
            "i64 = -9223372036854775808");
}

TEST_F(ArgumentSource, RefusesBadDescriptions) {
  EXPECT_EQ(make("i8", "fill=128"), "the value does not fit i8");
  EXPECT_EQ(make("i8", "fill=-129"), "the value does not fit i8");
  EXPECT_EQ(make("ui8", "fill=-1"), "the value does not fit u8");
  EXPECT_EQ(make("i1", "fill=2"), "the value does not fit bool");
  EXPECT_EQ(make("i64", "fill=99999999999999999999999999"),
            "the value does not fit i64");
  EXPECT_EQ(make("i8", "fill=x"), "'x' is not an integer");
  EXPECT_EQ(make("f32", "fill="), "'' is not a number");
  EXPECT_EQ(make("tensor<?xf32>", "fill=1:2y"),
            "'2y' is not a shape such as 3x4");
  EXPECT_EQ(make("tensor<?xf32>", "random:-2"),
            "'-2' is not a shape such as 3x4");
  EXPECT_NE(
      make("tensor<?xf32>", "random:4611686018427387904x8").find("64 bit"),
      std::string::npos);
  EXPECT_NE(make("tensor<?xf32>", "random").find("dynamic sizes"),
            std::string::npos);
}

TEST_F(ArgumentSource, RandomDependsOnTheSeedOnly) {
  EXPECT_EQ(make("tensor<9xf32>", "random", 1),
            make("tensor<?xf32>", "random:9", 1));
  EXPECT_NE(make("tensor<9xf32>", "random", 1),
            make("tensor<9xf32>", "random", 2));
}

TEST_F(ArgumentSource, RandomStaysInRange) {
  llvm::Expected<HostType> type = getType("tensor<10000xf32>");
  ASSERT_TRUE(static_cast<bool>(type));
  llvm::Expected<HostArray> array = makeArgument(*type, "random", 3);
  ASSERT_TRUE(static_cast<bool>(array));
  auto *values = static_cast<const float *>(array->getData());
  double sum = 0;
  for (int i = 0; i < 10000; ++i) {
    EXPECT_GE(values[i], -1.0f);
    EXPECT_LE(values[i], 1.0f);
    sum += values[i];
  }
  // The standard deviation of the sum is 58.
  EXPECT_LT(std::abs(sum), 300);
}

TEST_F(ArgumentSource, SupportedTypes) {
  EXPECT_EQ(getType("tensor<?x4xf8E4M3FN>")->kind, ElementKind::U8);
  EXPECT_EQ(getType("index")->kind, ElementKind::I64);
  EXPECT_TRUE(getType("index")->isScalar);
  EXPECT_FALSE(getType("tensor<f32>")->isScalar);
  for (StringRef type : {"tensor<*xf32>", "memref<4xi4>", "i7", "f80",
                         "vector<4xf32>", "tensor<4xf32, \"x\">",
                         "memref<4xf32, 1>", "complex<f32>", "tuple<f32>"}) {
    llvm::Expected<HostType> hostType = getType(type);
    EXPECT_FALSE(static_cast<bool>(hostType)) << type.str();
    if (!hostType)
      EXPECT_NE(llvm::toString(hostType.takeError()).find("cannot be passed"),
                std::string::npos);
  }
}

TEST_F(ArgumentSource, SignlessIntegersAreBits) {
  EXPECT_TRUE(getType("tensor<4xi8>")->acceptsKind(ElementKind::U8));
  EXPECT_TRUE(getType("tensor<4xui8>")->acceptsKind(ElementKind::U8));
  EXPECT_FALSE(getType("tensor<4xui8>")->acceptsKind(ElementKind::I8));
  EXPECT_FALSE(getType("tensor<4xi8>")->acceptsKind(ElementKind::I16));
  EXPECT_FALSE(getType("tensor<4xf16>")->acceptsKind(ElementKind::BF16));
}

} // namespace
