//===- ModuleText.cpp - The cases as MLIR ---------------------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleText.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace compress::bench {

namespace {
/// Writes the ops of one case; each function names the value that it makes.
class ModuleWriter {
public:
  explicit ModuleWriter(const Case &task) : task(task), os(text) {}

  std::string write() {
    os << formatv(
        "func.func @main(%x: tensor<{0}x{1}>) -> tensor<{2}x{3}> {{\n",
        getLhsShape(), getStorage(task.lhs), getResultShape(),
        getStorage(task.result));
    writeLhs();
    writeRhs();
    writeProduct();
    writeResult();
    os << "}\n";
    return text;
  }

private:
  /// Signless types are what the components of encodings have.
  static StringRef getStorage(const std::string &type) {
    return type == "u8" ? StringRef("i8") : StringRef(type);
  }

  std::string getLhsShape() const {
    if (task.isConvolution())
      return formatv("1x{0}x{1}x{2}", task.height, task.width, task.channels);
    return formatv("{0}x{1}", task.m, task.k);
  }

  std::string getResultShape() const {
    if (task.isConvolution())
      return formatv("1x{0}x{1}x{2}", task.height, task.width, task.n);
    return formatv("{0}x{1}", task.m, task.n);
  }

  std::string getRhsShape() const {
    if (task.isConvolution())
      return formatv("3x3x{0}x{1}", task.channels, task.n);
    if (task.rhs == "i4")
      return formatv("{0}x{1}", task.n, task.k);
    return formatv("{0}x{1}", task.k, task.n);
  }

  /// The type of %lhs.
  std::string getLhsType() const {
    std::string shape = getLhsShape();
    if (task.isConvolution())
      shape = formatv("1x{0}x{1}x{2}", task.height + 2, task.width + 2,
                      task.channels);
    if (task.dynamic)
      return formatv("tensor<{0}xf32, #compress.affine<i8, block = [1, *]>>",
                     shape);
    if (task.lhs == "i8")
      return formatv("tensor<{0}xf32, #compress.affine<i8>>", shape);
    if (task.lhs == "u8")
      return formatv("tensor<{0}xf32, #compress.affine<ui8>>", shape);
    return formatv("tensor<{0}x{1}>", shape, task.lhs);
  }

  std::string getRhsType() const {
    if (task.rhs == "i4")
      return formatv("tensor<{0}xf32, #compress.affine<i4, block = [1, {1}], "
                     "scale = f16>>",
                     getRhsShape(), task.block);
    if (task.rhs == "i8")
      return formatv("tensor<{0}xf32, #compress.affine<i8, block = [{1}, 1]>>",
                     getRhsShape(), task.isConvolution() ? "*, *, *" : "*");
    return formatv("tensor<{0}x{1}>", getRhsShape(), task.rhs);
  }

  void writeLhs() {
    StringRef value = "%x";
    if (task.isConvolution()) {
      StringRef type = getStorage(task.lhs);
      os << formatv("%pad = arith.constant {0} : {1}\n",
                    type.starts_with("i") ? "0" : "0.0", type);
      os << "%padded = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {\n"
            "^bb0(%i: index, %j: index, %k: index, %l: index):\n"
            "tensor.yield %pad : "
         << type << "\n}";
      os << formatv(" : tensor<{0}x{1}> to tensor<1x{2}x{3}x{4}x{1}>\n",
                    getLhsShape(), type, task.height + 2, task.width + 2,
                    task.channels);
      value = "%padded";
    }
    std::string plain = getLhsType();
    plain = plain.substr(0, plain.find("xf32"));
    if (task.dynamic) {
      os << formatv("%lhs = compress.encode {0} : {1}xf32> to {2}\n", value,
                    plain, getLhsType());
    } else if (task.lhs == "i8" || task.lhs == "u8") {
      os << formatv("%sx = arith.constant dense<{0:f9}> : tensor<f32>\n",
                    task.lhsScale);
      os << formatv(
          "%lhs = compress.assemble {0}, %sx : ({1}xi8>, tensor<f32>) -> {2}\n",
          value, plain, getLhsType());
    } else {
      lhsName = value;
    }
  }

  void writeRhs() {
    if (task.rhs != "i8" && task.rhs != "i4") {
      os << formatv("%rhs = arith.constant dense_resource<{0}> : {1}\n",
                    weightsKey, getRhsType());
      return;
    }
    // Two codes of four bits share a byte.
    std::string codes = task.rhs == "i4"
                            ? formatv("{0}x{1}xi8", task.n, task.k / 2).str()
                            : getRhsShape() + "xi8";
    std::string scales =
        task.rhs == "i4"
            ? formatv("{0}x{1}xf16", task.n, task.k / task.block).str()
            : formatv("{0}xf32", task.n).str();
    os << formatv("%rhs = compress.constant #compress.encoded<["
                  "dense_resource<{0}> : tensor<{1}>, "
                  "dense_resource<{2}> : tensor<{3}>]> : {4}\n",
                  weightsKey, codes, scalesKey, scales, getRhsType());
  }

  void writeProduct() {
    os << "%zero = arith.constant 0.0 : f32\n";
    os << formatv("%empty = tensor.empty() : tensor<{0}xf32>\n",
                  getResultShape());
    os << formatv("%init = linalg.fill ins(%zero : f32) outs(%empty : "
                  "tensor<{0}xf32>) -> tensor<{0}xf32>\n",
                  getResultShape());
    if (task.isConvolution())
      os << "%y = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : "
            "tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}";
    else if (task.rhs == "i4")
      os << "%y = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, "
            "k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, "
            "n)>]";
    else
      os << "%y = linalg.matmul";
    os << formatv(" ins({0}, %rhs : {1}, {2}) outs(%init : tensor<{3}xf32>) -> "
                  "tensor<{3}xf32>\n",
                  lhsName, getLhsType(), getRhsType(), getResultShape());
  }

  void writeResult() {
    if (task.result == "f32") {
      os << formatv("return %y : tensor<{0}xf32>\n", getResultShape());
      return;
    }
    std::string encoded =
        formatv("tensor<{0}xf32, #compress.affine<i8>>", getResultShape());
    os << formatv("%sy = arith.constant dense<{0:f9}> : tensor<f32>\n",
                  task.resultScale);
    os << formatv("%q = compress.quantize %y, %sy : tensor<{0}xf32>, "
                  "tensor<f32> to {1}\n",
                  getResultShape(), encoded);
    os << formatv("%v = compress.component %q[\"values\"] : {1} -> "
                  "tensor<{0}xi8>\nreturn %v : tensor<{0}xi8>\n",
                  getResultShape(), encoded);
  }

  const Case &task;
  std::string text;
  raw_string_ostream os;
  StringRef lhsName = "%lhs";
};
} // namespace

std::string makeModuleText(const Case &task) {
  return ModuleWriter(task).write();
}

} // namespace compress::bench
