//===- Case.h - One case of the kernel benchmark ----------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A case is a product of activations and weights, and the data for it lies in
// files that the oracle has written: every contender computes the same.
//
//   lhs.bin     activations [m][k]; of a convolution [height][width][channels]
//   rhs.bin     weights [k][n]; of a convolution [3][3][channels][filters],
//               which is the same; of i4 one code a byte, [n][k]
//   scales.bin  f32, of i8 [n], of i4 [n][k / block]; every scale of i4 is
//               exact in f16 and bf16
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_BENCHMARKS_KERNELS_CASE_H
#define COMPRESS_BENCHMARKS_KERNELS_CASE_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace compress::bench {

/// Memory that somebody else owns.
struct Bytes {
  const void *data;
  size_t size;
};

/// Bytes of an element of `type` in the files.
size_t getElementBytes(const std::string &type);

/// Writes a file; false if that fails.
bool writeFile(const std::string &file, Bytes bytes);

/// A product m x n x k, or the 3x3 convolution with stride 1 and zero padding
/// that is one: m = height * width, n = filters, k = 9 * channels.
struct Case {
  /// "gemm", "conv", or the name of a limit.
  std::string op;
  int64_t m = 0, n = 0, k = 0;
  /// Of convolutions.
  int64_t height = 0, width = 0, channels = 0;
  /// f32, bf16, i8, u8.
  std::string lhs;
  /// f32, bf16, i8, i4.
  std::string rhs;
  /// f32, i8.
  std::string result;
  /// Scales of the codes of lhs and of the result.
  float lhsScale = 0, resultScale = 0;
  /// Elements of k that share a scale in i4.
  int64_t block = 0;
  /// The f32 activations are quantized in each call.
  bool dynamic = false;
  /// Copies of the weights that calls take in turn.
  int64_t copies = 1;
  int64_t threads = 1;
  /// Bytes that a limit of bandwidth reads.
  int64_t bytes = 0;
  /// Where the files are.
  std::string directory;

  /// Reads KEY=VALUE words; `message` says what is wrong if nothing comes back.
  static std::optional<Case> parse(const std::vector<std::string> &words,
                                   std::string &message);

  bool isConvolution() const { return op == "conv"; }
  int64_t getFilters() const { return n; }
  int64_t getLhsCount() const {
    return isConvolution() ? height * width * channels : m * k;
  }
  int64_t getScaleCount() const { return rhs == "i4" ? n * k / block : n; }

  /// Reads a file; terminates the program with a message if it is not as long
  /// as `count` elements of T.
  template <typename T>
  std::vector<T> read(const std::string &name, int64_t count) const {
    std::vector<T> values(count);
    readBytes(name, values.data(), count * sizeof(T));
    return values;
  }

private:
  void readBytes(const std::string &name, void *data, size_t size) const;
};

} // namespace compress::bench

#endif // COMPRESS_BENCHMARKS_KERNELS_CASE_H
