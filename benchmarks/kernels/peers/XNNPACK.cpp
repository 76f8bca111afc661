//===- XNNPACK.cpp - Products and convolutions by XNNPACK -----------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A graph of one node, since graphs are what stays the same over the versions
// of the library. Weights are packed when a runtime is made. Activations of
// type u8 are read as i8 with the zero point -128, which are the same numbers.
//
// CMake defines COMPRESS_XNNPACK_DYNAMIC if the version quantizes activations
// in the call, and COMPRESS_XNNPACK_BLOCKWISE if it has weights of 4 bits whose
// scales are for blocks.
//
//===----------------------------------------------------------------------===//

#include "Free.h"
#include "Server.h"

#include <pthreadpool.h>
#include <xnnpack.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

using namespace compress::bench;

namespace {

using Pool = std::unique_ptr<pthreadpool, Free<pthreadpool_destroy>>;
using Subgraph = std::unique_ptr<xnn_subgraph, Free<xnn_delete_subgraph>>;
using Runtime = std::unique_ptr<xnn_runtime, Free<xnn_delete_runtime>>;

/// Memory in whole cache lines, with the bytes that kernels may read behind it.
class Buffer {
public:
  Buffer() = default;
  explicit Buffer(size_t size)
      : memory(static_cast<char *>(std::aligned_alloc(
            line, (size + XNN_EXTRA_BYTES + line - 1) / line * line))) {}
  char *data() const { return memory.get(); }

private:
  static constexpr size_t line = 64;
  std::unique_ptr<char, Free<std::free>> memory;
};

const char *getMessage(xnn_status status) {
  switch (status) {
  case xnn_status_unsupported_parameter:
    return "this version has no such operator";
  case xnn_status_unsupported_hardware:
    return "not for this processor";
  case xnn_status_out_of_memory:
    return "out of memory";
  default:
    return "the library refuses the graph";
  }
}

/// Weights as they are defined: a row for each output channel.
template <typename T>
std::vector<char> transpose(const std::vector<T> &values, int64_t rows,
                            int64_t columns) {
  std::vector<char> transposed(values.size() * sizeof(T));
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      std::memcpy(&transposed[(j * rows + i) * sizeof(T)],
                  &values[i * columns + j], sizeof(T));
  return transposed;
}

class XNNPACKKernel : public Kernel {
public:
  explicit XNNPACKKernel(const Case &task) : task(task) {
    if (task.threads > 1)
      pool.reset(pthreadpool_create(task.threads));
    size_t size = task.getLhsCount() * getElementBytes(task.lhs);
    auto values = task.read<char>("lhs.bin", size);
    if (task.lhs == "u8")
      for (char &value : values)
        value ^= '\x80';
    lhs = Buffer(size);
    std::memcpy(lhs.data(), values.data(), size);
    result = Buffer(getResultSize());
    readWeights();
  }

  /// Makes a runtime for each copy of the weights.
  xnn_status makeRuntimes() {
    for (int64_t copy = 0; copy < task.copies; ++copy) {
      xnn_status status = addRuntime(task.isConvolution());
      // Versions whose fully connected node has no scales of channels have them
      // in convolutions, and one of 1x1 is a product.
      if (status != xnn_status_success && !task.isConvolution())
        status = addRuntime(/*asConvolution=*/true);
      if (status != xnn_status_success)
        return status;
    }
    return xnn_status_success;
  }

  double call(int64_t index) override {
    xnn_runtime_t runtime = runtimes[index % runtimes.size()].get();
    xnn_status status;
    double time = timeCall([&] { status = xnn_invoke_runtime(runtime); });
    if (status == xnn_status_success)
      return time;
    std::fprintf(stderr, "xnn_invoke_runtime: %s\n", getMessage(status));
    std::exit(1);
  }

  Bytes getResult() override { return {result.data(), getResultSize()}; }

private:
  size_t getResultSize() const {
    return task.m * task.n * getElementBytes(task.result);
  }

  void readWeights() {
    int64_t count = task.k * task.n;
    if (task.rhs == "f32") {
      weights = transpose(task.read<float>("rhs.bin", count), task.k, task.n);
      return;
    }
    auto codes = task.read<char>("rhs.bin", count);
    scales = task.read<float>("scales.bin", task.getScaleCount());
    if (task.rhs == "i8") {
      weights = transpose(codes, task.k, task.n);
      return;
    }
    for (int64_t i = 0; i < count; i += 2)
      weights.push_back((codes[i] + 8) | (codes[i + 1] + 8) << 4);
    for (float scale : scales) {
      uint32_t bits;
      std::memcpy(&bits, &scale, sizeof(bits));
      blockScales.push_back(bits >> 16);
    }
  }

  xnn_status addRuntime(bool asConvolution) {
    Subgraph graph;
    xnn_subgraph_t made = nullptr;
    xnn_status status =
        xnn_create_subgraph(/*external_value_ids=*/2, /*flags=*/0, &made);
    graph.reset(made);
    if (status == xnn_status_success)
      status = defineProduct(made, asConvolution);
    if (status != xnn_status_success)
      return status;
    xnn_runtime_t runtime = nullptr;
    status = xnn_create_runtime_v2(made, pool.get(), /*flags=*/0, &runtime);
    Runtime owner(runtime);
    if (status != xnn_status_success)
      return status;
    xnn_external_value values[] = {{lhsId, lhs.data()},
                                   {resultId, result.data()}};
    status = xnn_setup_runtime(runtime, 2, values);
    if (status == xnn_status_success)
      runtimes.push_back(std::move(owner));
    return status;
  }

  xnn_status defineProduct(xnn_subgraph_t graph, bool asConvolution) {
    using Sizes = std::vector<size_t>;
    size_t m = task.m, n = task.n, k = task.k;
    size_t height = task.isConvolution() ? task.height : m;
    size_t width = task.isConvolution() ? task.width : 1;
    size_t taps = task.isConvolution() ? 3 : 1;
    Sizes lhsSizes = asConvolution ? Sizes{1, height, width, k / (taps * taps)}
                                   : Sizes{m, k};
    Sizes rhsSizes =
        asConvolution ? Sizes{n, taps, taps, k / (taps * taps)} : Sizes{n, k};
    Sizes resultSizes =
        asConvolution ? Sizes{1, height, width, n} : Sizes{m, n};

    uint32_t id = 0, inputId = lhsId, rhsId = 0;
    xnn_status status = defineCodes(graph, task.lhs, task.lhsScale, lhsSizes,
                                    lhsId, XNN_VALUE_FLAG_EXTERNAL_INPUT, &id);
    if (status == xnn_status_success && task.dynamic)
      status = defineQuantization(graph, lhsSizes, &inputId);
    if (status == xnn_status_success)
      status = defineWeights(graph, rhsSizes, &rhsId);
    if (status == xnn_status_success)
      status = defineCodes(graph, task.result, task.resultScale, resultSizes,
                           resultId, XNN_VALUE_FLAG_EXTERNAL_OUTPUT, &id);
    if (status != xnn_status_success)
      return status;
    constexpr float infinity = std::numeric_limits<float>::infinity();
    if (!asConvolution)
      return xnn_define_fully_connected(graph, -infinity, infinity, inputId,
                                        rhsId, XNN_INVALID_VALUE_ID, resultId,
                                        /*flags=*/0);
    uint32_t side = taps, padding = taps / 2;
    return xnn_define_convolution_2d(
        graph, padding, padding, padding, padding, side, side,
        /*subsampling_height=*/1, /*subsampling_width=*/1,
        /*dilation_height=*/1, /*dilation_width=*/1, /*groups=*/1,
        lhsSizes.back(), n, -infinity, infinity, inputId, rhsId,
        XNN_INVALID_VALUE_ID, resultId, /*flags=*/0);
  }

  /// The activations or the result: f32, or codes with one scale.
  static xnn_status defineCodes(xnn_subgraph_t graph, const std::string &type,
                                float scale, const std::vector<size_t> &sizes,
                                uint32_t externalId, uint32_t flags,
                                uint32_t *id) {
    if (type == "f32")
      return xnn_define_tensor_value(graph, xnn_datatype_fp32, sizes.size(),
                                     sizes.data(), nullptr, externalId, flags,
                                     id);
    return xnn_define_quantized_tensor_value(
        graph, xnn_datatype_qint8, type == "u8" ? -128 : 0, scale, sizes.size(),
        sizes.data(), nullptr, externalId, flags, id);
  }

  /// The activations as codes with a scale and a zero point for each row.
  static xnn_status defineQuantization(xnn_subgraph_t graph,
                                       const std::vector<size_t> &sizes,
                                       uint32_t *id) {
#ifdef COMPRESS_XNNPACK_DYNAMIC
    xnn_status status = xnn_define_dynamically_quantized_tensor_value(
        graph, xnn_datatype_qdint8, sizes.size(),
        /*num_nonbatch_dims=*/sizes.size() - 1, sizes.data(),
        XNN_INVALID_VALUE_ID, /*flags=*/0, id);
    if (status != xnn_status_success)
      return status;
      // What replaces it is not in all of these versions.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    return xnn_define_convert(graph, lhsId, *id, /*flags=*/0);
#pragma GCC diagnostic pop
#else
    (void)graph, (void)sizes, (void)id;
    return xnn_status_unsupported_parameter;
#endif
  }

  xnn_status defineWeights(xnn_subgraph_t graph,
                           const std::vector<size_t> &sizes, uint32_t *id) {
    if (task.rhs == "f32")
      return xnn_define_tensor_value(graph, xnn_datatype_fp32, sizes.size(),
                                     sizes.data(), weights.data(),
                                     XNN_INVALID_VALUE_ID, /*flags=*/0, id);
    if (task.rhs == "i8")
      return xnn_define_channelwise_quantized_tensor_value(
          graph, xnn_datatype_qcint8, scales.data(), sizes.size(),
          /*channel_dim=*/0, sizes.data(), weights.data(), XNN_INVALID_VALUE_ID,
          /*flags=*/0, id);
#ifdef COMPRESS_XNNPACK_BLOCKWISE
    return xnn_define_blockwise_quantized_tensor_value(
        graph, xnn_datatype_qbint4, /*zero_point=*/8, blockScales.data(),
        sizes.size(), /*channel_dim=*/0, task.block, sizes.data(),
        weights.data(), XNN_INVALID_VALUE_ID, /*flags=*/0, id);
#else
    return xnn_status_unsupported_parameter;
#endif
  }

  static constexpr uint32_t lhsId = 0, resultId = 1;
  Case task;
  Pool pool;
  Buffer lhs, result;
  /// Runtimes may refer to these.
  std::vector<char> weights;
  std::vector<float> scales;
  std::vector<uint16_t> blockScales;
  std::vector<Runtime> runtimes;
};

Prepared prepare(const Case &task) {
#ifndef COMPRESS_XNNPACK_DYNAMIC
  if (task.dynamic)
    return Prepared::skip("this version does not quantize dynamically");
#endif
#ifndef COMPRESS_XNNPACK_BLOCKWISE
  if (task.rhs == "i4")
    return Prepared::skip("this version has no blocks of 4 bits");
#endif
  if (task.rhs == "i4" && task.block % 32 != 0)
    return Prepared::skip("blocks of 4 bits have multiples of 32 elements");
  if (task.lhs == "bf16")
    return Prepared::skip("no products of bf16");
  if (task.lhs != "f32" && task.result == "f32")
    return Prepared::skip("products of codes have codes as results");
  if (xnn_status status = xnn_initialize(/*allocator=*/nullptr);
      status != xnn_status_success)
    return Prepared::skip(getMessage(status));
  auto kernel = std::make_unique<XNNPACKKernel>(task);
  xnn_status status = kernel->makeRuntimes();
  if (status == xnn_status_unsupported_parameter ||
      status == xnn_status_unsupported_hardware)
    return Prepared::skip(getMessage(status));
  if (status != xnn_status_success)
    return Prepared::error(getMessage(status));
  Prepared prepared;
  prepared.kernel = std::move(kernel);
  return prepared;
}

} // namespace

int main() { return serveKernels(prepare); }
