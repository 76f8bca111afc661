//===- Oracle.cpp - Data and expected results of the kernel benchmark -----===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the files of a case, computes the result from the definition (sums in
// f64) and says how far the result of a contender is from it:
//
//   prepare KEY=VALUE...   ok
//   check FILE             ok RMS MAXIMUM
//
// For float results both numbers are relative to the root mean square of the
// expected result; for codes they are differences of codes. Activations that a
// contender quantizes are not quantized here, so the numbers say what that
// costs.
//
//===----------------------------------------------------------------------===//

#include "Server.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace compress::bench;

#if defined(__x86_64__)
#define COMPRESS_VECTOR_CLONES                                                 \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define COMPRESS_VECTOR_CLONES
#endif

namespace {

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// SplitMix64: reproducible and good enough for test data.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  /// From `low` to `high`, both included.
  int64_t integer(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(next() % uint64_t(high - low + 1));
  }

  /// Nearly normally distributed with variance 1: the sum of twelve uniform
  /// numbers, of which four are taken from one word.
  float normal() {
    int64_t sum = 0;
    for (int word = 0; word < 3; ++word) {
      uint64_t bits = next();
      for (int part = 0; part < 4; ++part, bits >>= 16)
        sum += bits & 0xffff;
    }
    return static_cast<float>(sum / 65536.0 - 6.0);
  }

private:
  uint64_t state;
};

/// The nearest bf16 with ties to even, as the float that it is.
float roundToBF16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  bits = (bits + 0x7fff + ((bits >> 16) & 1)) & 0xffff0000;
  std::memcpy(&value, &bits, sizeof(bits));
  return value;
}

/// Numbers of `type` as floats.
std::vector<float> makeNumbers(const std::string &type, int64_t count,
                               uint64_t seed) {
  Random random(seed);
  std::vector<float> values(count);
  for (float &value : values) {
    if (type == "f32")
      value = random.normal();
    else if (type == "bf16")
      value = roundToBF16(random.normal());
    else if (type == "u8")
      value = static_cast<float>(random.integer(0, 255));
    else if (type == "i4")
      value = static_cast<float>(random.integer(-8, 7));
    else
      value = static_cast<float>(random.integer(-127, 127));
  }
  return values;
}

bool writeNumbers(const std::string &file, const std::string &type,
                  const std::vector<float> &values) {
  if (type == "f32")
    return writeFile(file, {values.data(), values.size() * sizeof(float)});
  std::vector<uint8_t> bytes(values.size() * getElementBytes(type));
  for (size_t i = 0; i < values.size(); ++i) {
    if (type == "bf16") {
      uint32_t bits;
      std::memcpy(&bits, &values[i], sizeof(bits));
      uint16_t half = bits >> 16;
      std::memcpy(&bytes[2 * i], &half, sizeof(half));
    } else {
      bytes[i] = static_cast<uint8_t>(static_cast<int>(values[i]));
    }
  }
  return writeFile(file, {bytes.data(), bytes.size()});
}

std::vector<float> makeScales(const Case &task) {
  Random random(3);
  std::vector<float> scales(task.getScaleCount());
  for (float &scale : scales) {
    // Eight significant bits, in the range of normal f16 numbers.
    float mantissa = 1 + random.integer(0, 127) / 128.0f;
    scale = task.rhs == "i4"
                ? mantissa / 1024
                : mantissa * 0.0071f + random.next() % 1000 * 1e-6f;
  }
  return scales;
}

//===----------------------------------------------------------------------===//
// The product
//===----------------------------------------------------------------------===//

constexpr int64_t rowTile = 4, columnTile = 512;

/// Adds the product of `rows` x k numbers and a k x `columns` part to `sums`.
COMPRESS_VECTOR_CLONES
void addProducts(const float *lhs, const float *rhs, int64_t rows,
                 int64_t columns, int64_t k, int64_t n,
                 double (*sums)[columnTile]) {
  for (int64_t i = 0; i < k; ++i)
    for (int64_t row = 0; row < rows; ++row) {
      double factor = lhs[row * k + i];
      for (int64_t j = 0; j < columns; ++j)
        sums[row][j] += factor * rhs[i * n + j];
    }
}

std::vector<double> multiply(const std::vector<float> &lhs,
                             const std::vector<float> &rhs, const Case &task) {
  std::vector<double> product(task.m * task.n);
  for (int64_t j = 0; j < task.n; j += columnTile)
    for (int64_t i = 0; i < task.m; i += rowTile) {
      double sums[rowTile][columnTile] = {};
      int64_t rows = std::min(rowTile, task.m - i);
      int64_t columns = std::min(columnTile, task.n - j);
      addProducts(&lhs[i * task.k], &rhs[j], rows, columns, task.k, task.n,
                  sums);
      for (int64_t row = 0; row < rows; ++row)
        std::copy_n(sums[row], columns, &product[(i + row) * task.n + j]);
    }
  return product;
}

/// The windows of a convolution as rows [height * width][3][3][channels].
std::vector<float> gatherWindows(const std::vector<float> &image,
                                 const Case &task) {
  std::vector<float> rows(task.m * task.k);
  float *out = rows.data();
  for (int64_t y = 0; y < task.height; ++y)
    for (int64_t x = 0; x < task.width; ++x)
      for (int64_t tap = 0; tap < 9; ++tap, out += task.channels) {
        int64_t row = y + tap / 3 - 1, column = x + tap % 3 - 1;
        if (row >= 0 && row < task.height && column >= 0 && column < task.width)
          std::copy_n(&image[(row * task.width + column) * task.channels],
                      task.channels, out);
      }
  return rows;
}

/// The weights of i4 as numbers [k][n].
std::vector<float> decodeBlocks(const std::vector<float> &codes,
                                const std::vector<float> &scales,
                                const Case &task) {
  std::vector<float> decoded(codes.size());
  for (int64_t j = 0; j < task.n; ++j)
    for (int64_t i = 0; i < task.k; ++i)
      decoded[i * task.n + j] =
          codes[j * task.k + i] * scales[(j * task.k + i) / task.block];
  return decoded;
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

class Oracle {
public:
  std::string answer(const std::vector<std::string> &words) {
    if (words[0] == "prepare")
      return prepare({words.begin() + 1, words.end()});
    if (words[0] == "check" && words.size() == 2)
      return check(words[1]);
    return "error unknown request " + words[0];
  }

private:
  std::string prepare(const std::vector<std::string> &words) {
    std::string message;
    std::optional<Case> parsed = Case::parse(words, message);
    if (!parsed)
      return "error " + message;
    task = *parsed;
    std::vector<float> lhs = makeNumbers(task.lhs, task.getLhsCount(), 1);
    std::vector<float> rhs = makeNumbers(task.rhs, task.k * task.n, 2);
    bool isEncoded = task.rhs == "i8" || task.rhs == "i4";
    std::vector<float> scales;
    if (isEncoded)
      scales = makeScales(task);
    if (!writeNumbers(task.directory + "/lhs.bin", task.lhs, lhs) ||
        !writeNumbers(task.directory + "/rhs.bin", task.rhs, rhs) ||
        !writeNumbers(task.directory + "/scales.bin", "f32", scales))
      return "error cannot write to " + task.directory;
    if (task.rhs == "i4")
      rhs = decodeBlocks(rhs, scales, task);
    if (task.isConvolution())
      lhs = gatherWindows(lhs, task);
    expected = multiply(lhs, rhs, task);
    for (int64_t i = 0; i < task.m * task.n; ++i) {
      if (task.rhs == "i8")
        expected[i] *= scales[i % task.n];
      if (task.lhs == "i8" || task.lhs == "u8")
        expected[i] *= task.lhsScale;
      if (task.result == "i8")
        expected[i] = std::nearbyint(expected[i] / task.resultScale);
    }
    return "ok";
  }

  std::string check(const std::string &file) const {
    Case place = task;
    size_t slash = file.rfind('/');
    place.directory = file.substr(0, slash);
    std::string name = file.substr(slash + 1);
    int64_t count = expected.size();
    double squares = 0, errors = 0, maximum = 0;
    auto compare = [&](const auto &values) {
      for (int64_t i = 0; i < count; ++i) {
        double difference = std::abs(values[i] - expected[i]);
        // Not a number is as wrong as can be, and no maximum by comparison.
        if (!(difference <= std::numeric_limits<double>::max()))
          difference = std::numeric_limits<double>::infinity();
        squares += expected[i] * expected[i];
        errors += difference * difference;
        maximum = std::max(maximum, difference);
      }
    };
    if (task.result == "i8") {
      std::vector<int8_t> codes = place.read<int8_t>(name, count);
      std::vector<double> values(count);
      // Contenders clamp to ranges with and without -128: only -127 to 127 are
      // compared.
      for (int64_t i = 0; i < count; ++i)
        values[i] =
            std::abs(expected[i]) <= 127 ? codes[i]
            : std::abs(codes[i]) >= 127 && (codes[i] > 0) == (expected[i] > 0)
                ? expected[i]
                : std::numeric_limits<double>::infinity();
      compare(values);
    } else {
      compare(place.read<float>(name, count));
    }
    double unit = task.result == "i8" ? 1 : std::sqrt(squares / count);
    char text[80];
    std::snprintf(text, sizeof(text), "ok %.3e %.3e",
                  std::sqrt(errors / count) / unit, maximum / unit);
    return text;
  }

  Case task;
  std::vector<double> expected;
};

} // namespace

int main() {
  Oracle oracle;
  return serveRequests([&](const std::vector<std::string> &words) {
    return oracle.answer(words);
  });
}
