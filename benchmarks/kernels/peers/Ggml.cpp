//===- Ggml.cpp - Products by ggml ----------------------------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Usage: compress-bench-ggml [q4_k] [no-tiles]
//
// Weights of 4 bits are the same numbers as everybody's as Q4_0, whose blocks
// have 32 elements: larger blocks repeat their scale. With the argument they
// are rounded to Q4_K, the format with two levels that is faster. Weights of 8
// bits are Q8_0, with the scale of the channel rounded to f16 in each block.
// The library may repack weights for its kernels.
//
//===----------------------------------------------------------------------===//

#include "Free.h"
#include "Server.h"

#include <ggml-alloc.h>
#include <ggml-backend.h>
#include <ggml-cpu.h>
#include <ggml.h>

#include <cstring>

using namespace compress::bench;

namespace {

constexpr int64_t blockSize = 32;

using Context = std::unique_ptr<ggml_context, Free<ggml_free>>;
using Backend = std::unique_ptr<ggml_backend, Free<ggml_backend_free>>;
using Buffer =
    std::unique_ptr<ggml_backend_buffer, Free<ggml_backend_buffer_free>>;
using Allocator = std::unique_ptr<ggml_gallocr, Free<ggml_gallocr_free>>;

Context makeContext() {
  return Context(ggml_init(
      {/*mem_size=*/64 * ggml_tensor_overhead() + ggml_graph_overhead(),
       /*mem_buffer=*/nullptr, /*no_alloc=*/true}));
}

/// Codes [n][k] and the f32 scale of element i of row j.
template <typename Scale>
std::vector<char> makeQ4_0(const std::vector<int8_t> &codes, int64_t k,
                           Scale getScale) {
  std::vector<char> bytes;
  for (size_t i = 0; i < codes.size(); i += blockSize) {
    ggml_fp16_t scale = ggml_fp32_to_fp16(getScale(i / k, i % k));
    char block[sizeof(scale) + blockSize / 2];
    std::memcpy(block, &scale, sizeof(scale));
    for (int64_t j = 0; j < blockSize / 2; ++j)
      block[sizeof(scale) + j] =
          (codes[i + j] + 8) | (codes[i + j + blockSize / 2] + 8) << 4;
    bytes.insert(bytes.end(), std::begin(block), std::end(block));
  }
  return bytes;
}

template <typename Scale>
std::vector<char> makeQ8_0(const std::vector<int8_t> &codes, int64_t k,
                           Scale getScale) {
  std::vector<char> bytes;
  for (size_t i = 0; i < codes.size(); i += blockSize) {
    ggml_fp16_t scale = ggml_fp32_to_fp16(getScale(i / k, i % k));
    const char *start = reinterpret_cast<const char *>(&scale);
    bytes.insert(bytes.end(), start, start + sizeof(scale));
    bytes.insert(bytes.end(), codes.begin() + i, codes.begin() + i + blockSize);
  }
  return bytes;
}

template <typename T>
std::vector<T> transpose(const std::vector<T> &values, int64_t rows,
                         int64_t columns) {
  std::vector<T> transposed(values.size());
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      transposed[j * rows + i] = values[i * columns + j];
  return transposed;
}

/// The weights of a case in the format of the library.
std::vector<char> makeWeights(const Case &task, ggml_type type) {
  if (type == GGML_TYPE_F32) {
    auto values =
        transpose(task.read<float>("rhs.bin", task.k * task.n), task.k, task.n);
    const char *start = reinterpret_cast<const char *>(values.data());
    return {start, start + values.size() * sizeof(float)};
  }
  auto codes = task.read<int8_t>("rhs.bin", task.k * task.n);
  auto scales = task.read<float>("scales.bin", task.getScaleCount());
  if (type == GGML_TYPE_Q8_0)
    return makeQ8_0(transpose(codes, task.k, task.n), task.k,
                    [&](int64_t row, int64_t) { return scales[row]; });
  auto getScale = [&](int64_t row, int64_t i) {
    return scales[(row * task.k + i) / task.block];
  };
  if (type == GGML_TYPE_Q4_0)
    return makeQ4_0(codes, task.k, getScale);
  std::vector<float> values(codes.size());
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = codes[i] * getScale(i / task.k, i % task.k);
  std::vector<char> bytes(ggml_row_size(type, task.k) * task.n);
  ggml_quantize_chunk(type, values.data(), bytes.data(), 0, task.n, task.k,
                      nullptr);
  return bytes;
}

class GgmlKernel : public Kernel {
public:
  GgmlKernel(const Case &task, ggml_type type, bool allowTiles)
      : task(task), allowTiles(allowTiles), backend(ggml_backend_cpu_init()) {
    ggml_backend_cpu_set_n_threads(backend.get(), task.threads);
    std::vector<char> weights = makeWeights(task, type);
    auto activations = task.read<float>("lhs.bin", task.m * task.k);
    for (int64_t copy = 0; copy < task.copies; ++copy)
      for (ggml_backend_buffer_type_t bufferType : getBufferTypes(type))
        if (addCopy(bufferType, type, weights, activations))
          break;
  }

  bool isValid() const { return int64_t(graphs.size()) == task.copies; }

  double call(int64_t index) override {
    last = index % graphs.size();
    return timeCall(
        [&] { ggml_backend_graph_compute(backend.get(), graphs[last].graph); });
  }

  Bytes getResult() override {
    result.resize(task.m * task.n);
    ggml_backend_tensor_get(graphs[last].result, result.data(), 0,
                            result.size() * sizeof(float));
    return {result.data(), result.size() * sizeof(float)};
  }

private:
  struct Graph {
    Context weightContext, context;
    Buffer weightBuffer;
    Allocator allocator;
    ggml_tensor *result = nullptr;
    ggml_cgraph *graph = nullptr;
  };

  /// The buffers that weights may be in, those that repack them first.
  std::vector<ggml_backend_buffer_type_t> getBufferTypes(ggml_type type) const {
    std::vector<ggml_backend_buffer_type_t> types;
    ggml_backend_dev_t device = ggml_backend_get_device(backend.get());
    auto getExtra = reinterpret_cast<ggml_backend_dev_get_extra_bufts_t>(
        ggml_backend_reg_get_proc_address(ggml_backend_dev_backend_reg(device),
                                          "ggml_backend_dev_get_extra_bufts"));
    if (getExtra && ggml_is_quantized(type))
      for (auto *extra = getExtra(device); extra && *extra; ++extra)
        if (allowTiles ||
            std::strncmp(ggml_backend_buft_name(*extra), "AMX", 3) != 0)
          types.push_back(*extra);
    types.push_back(ggml_backend_cpu_buffer_type());
    return types;
  }

  /// Adds a graph with a copy of the weights; false if there is no kernel for
  /// weights in that kind of buffer.
  bool addCopy(ggml_backend_buffer_type_t bufferType, ggml_type type,
               const std::vector<char> &weights,
               const std::vector<float> &activations) {
    Graph added;
    added.weightContext = makeContext();
    ggml_tensor *weight =
        ggml_new_tensor_2d(added.weightContext.get(), type, task.k, task.n);
    added.weightBuffer.reset(ggml_backend_alloc_ctx_tensors_from_buft(
        added.weightContext.get(), bufferType));
    if (!added.weightBuffer)
      return false;
    added.context = makeContext();
    ggml_context *context = added.context.get();
    ggml_tensor *input =
        ggml_new_tensor_2d(context, GGML_TYPE_F32, task.k, task.m);
    ggml_set_input(input);
    added.result = ggml_mul_mat(context, weight, input);
    ggml_set_output(added.result);
    if (!ggml_backend_dev_supports_op(ggml_backend_get_device(backend.get()),
                                      added.result))
      return false;
    ggml_backend_tensor_set(weight, weights.data(), 0, weights.size());
    added.graph = ggml_new_graph(context);
    ggml_build_forward_expand(added.graph, added.result);
    added.allocator.reset(ggml_gallocr_new(ggml_backend_cpu_buffer_type()));
    if (!ggml_gallocr_alloc_graph(added.allocator.get(), added.graph))
      return false;
    ggml_backend_tensor_set(input, activations.data(), 0,
                            activations.size() * sizeof(float));
    graphs.push_back(std::move(added));
    return true;
  }

  Case task;
  bool allowTiles;
  Backend backend;
  std::vector<Graph> graphs;
  size_t last = 0;
  std::vector<float> result;
};

Prepared prepare(const Case &task, bool twoLevels, bool allowTiles) {
  if (task.op != "gemm" || task.lhs != "f32" || task.result != "f32")
    return Prepared::skip("products with f32 activations only");
  ggml_type type = GGML_TYPE_F32;
  if (task.rhs == "i4")
    type = twoLevels ? GGML_TYPE_Q4_K : GGML_TYPE_Q4_0;
  else if (twoLevels)
    return Prepared::skip("weights of 4 bits only");
  else if (task.rhs == "i8")
    type = GGML_TYPE_Q8_0;
  if (task.k % ggml_blck_size(type) != 0)
    return Prepared::skip("the reduction is not whole blocks");
  auto kernel = std::make_unique<GgmlKernel>(task, type, allowTiles);
  if (!kernel->isValid())
    return Prepared::error("there is no kernel or no memory");
  Prepared prepared;
  prepared.kernel = std::move(kernel);
  return prepared;
}

} // namespace

int main(int argc, char **argv) {
  auto has = [&](const char *option) {
    for (int i = 1; i < argc; ++i)
      if (std::strcmp(argv[i], option) == 0)
        return true;
    return false;
  };
  return serveKernels([&](const Case &task) {
    return prepare(task, has("q4_k"), !has("no-tiles"));
  });
}
