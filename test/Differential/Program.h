//===- Program.h - Random programs with encoded operands --------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_TEST_DIFFERENTIAL_PROGRAM_H
#define COMPRESS_TEST_DIFFERENTIAL_PROGRAM_H

#include "Encodings.h"

namespace differential {

/// One result of an indexing map: the sum of coefficient times loop.
struct Index {
  llvm::SmallVector<std::pair<unsigned, int64_t>> terms;
};

/// A sum of products as loops and maps, and how it is written.
struct Op {
  /// Text up to the operands, such as "linalg.matmul".
  std::string name;
  /// Behind the operands: the region of a generic.
  std::string region;
  Shape loopSizes;
  llvm::SmallVector<bool> isReduction;
  /// lhs, rhs and out.
  llvm::SmallVector<Index> maps[3];

  static Op random(Random &random);
  /// The same with the sizes at which tile kernels have edges.
  static Op randomForKernels(Random &random);
  Shape getShape(unsigned operand) const;
};

/// How an operand comes about.
struct Operand {
  enum Kind {
    Dense,
    /// compress.encode of a constant.
    EncodedConstant,
    /// compress.encode of an argument.
    EncodedAtRuntime,
    /// compress.constant of random codes, with powers of two as scales.
    RandomCodes
  } kind = Dense;
  std::optional<Affine> affine;
  std::optional<NM> nm;
  /// The type with and without encoding.
  std::string type, denseType;
  std::vector<float> values;
  /// What the operand means.
  std::vector<double> denoted;
  /// The #compress.encoded attribute of random codes, without its type.
  std::string encodedText;

  std::string getEncodingText() const {
    return affine ? affine->getText() : nm->getText();
  }
};

/// A program: its text, its arguments and what it must give.
struct Program {
  Op op;
  Operand operands[2];
  bool zeroInit = false;
  /// Which dimensions of lhs, rhs and out the text leaves open.
  llvm::SmallVector<bool> dynamic[3];
  std::string text;
  std::vector<float> init;
  /// The exact result, and the largest error allowed, for each element.
  std::vector<double> expected, tolerance;
  /// What sums of blocks of 128 products in f32 may add to the errors.
  std::vector<double> blockRounding;
  bool nested = false;
  /// Integer by integer with scales that, as the types show, do not vary along
  /// a reduction.
  bool strict = false;
  /// Strict, and both scales are powers of two: the result is the exact sum of
  /// the integer products, scaled, rounded once.
  bool exact = false;

  static Program random(uint64_t seed);
  /// Shapes and operands as tile kernels take them: constant weights of 2 to 8
  /// bits on the right, floats or codes of rows on the left.
  static Program randomForKernels(uint64_t seed);

private:
  void chooseForKernels(Random &random);
  bool hasOneScale(unsigned side) const;
  void choose(Random &random);
  void writeText(Random &random);
  void computeExpected();
  void allowBlocks();
};

} // namespace differential

#endif // COMPRESS_TEST_DIFFERENTIAL_PROGRAM_H
