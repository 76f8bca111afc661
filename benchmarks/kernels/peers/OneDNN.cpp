//===- OneDNN.cpp - Products and convolutions by oneDNN 2 -----------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Weights are in the layout that the library chooses, and scales are applied by
// its kernels. Dynamic quantization is what its users do: one scale for the
// tensor, found and applied in front of the product (by one thread), and given
// to its epilogue.
//
//===----------------------------------------------------------------------===//

#include "Server.h"

#include <oneapi/dnnl/dnnl.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace compress::bench;
using dnnl::memory;

#if defined(__x86_64__)
#define COMPRESS_VECTOR_CLONES                                                 \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define COMPRESS_VECTOR_CLONES
#endif

namespace {

COMPRESS_VECTOR_CLONES
void quantize(const float *values, int64_t count, float inverse,
              int8_t *codes) {
  for (int64_t i = 0; i < count; ++i)
    codes[i] = static_cast<int8_t>(
        static_cast<int32_t>(__builtin_rintf(values[i] * inverse)));
}

/// The largest magnitude, as the bits of a float: these have the order of
/// integers, whose maximum compilers vectorize.
COMPRESS_VECTOR_CLONES
int32_t findLargest(const float *values, int64_t count) {
  int32_t largest = 0;
  for (int64_t i = 0; i < count; ++i) {
    int32_t bits;
    std::memcpy(&bits, values + i, sizeof(bits));
    largest = std::max(largest, bits & 0x7fffffff);
  }
  return largest;
}

memory::data_type getType(const std::string &type) {
  if (type == "f32")
    return memory::data_type::f32;
  if (type == "bf16")
    return memory::data_type::bf16;
  return type == "u8" ? memory::data_type::u8 : memory::data_type::s8;
}

class OneDNNKernel : public Kernel {
public:
  explicit OneDNNKernel(const Case &task)
      : task(task), engine(dnnl::engine::kind::cpu, 0), stream(engine) {
    memory::data_type lhsType = getType(task.dynamic ? "i8" : task.lhs);
    memory::data_type rhsType = getType(task.rhs);
    memory::data_type resultType = getType(task.result);
    if (task.rhs == "i8")
      setScales();
    if (task.isConvolution())
      makeConvolution(lhsType, rhsType, resultType);
    else
      makeMatmul(lhsType, rhsType, resultType);
    auto codes = task.read<char>("lhs.bin", task.getLhsCount() *
                                                getElementBytes(task.lhs));
    if (task.dynamic) {
      activations.resize(task.getLhsCount());
      std::memcpy(activations.data(), codes.data(), codes.size());
    } else {
      std::memcpy(lhs.get_data_handle(), codes.data(), codes.size());
    }
  }

  double call(int64_t index) override {
    return timeCall([&] {
      std::unordered_map<int, memory> arguments = {
          {DNNL_ARG_SRC, lhs},
          {DNNL_ARG_WEIGHTS, weights[index % weights.size()]},
          {DNNL_ARG_DST, result}};
      if (task.dynamic) {
        quantizeActivations();
        arguments.insert(
            {DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, runtimeScale});
      }
      primitive.execute(stream, arguments);
      stream.wait();
    });
  }

  Bytes getResult() override {
    return {result.get_data_handle(), result.get_desc().get_size()};
  }

private:
  void setScales() {
    auto factors = task.read<float>("scales.bin", task.n);
    if (task.dynamic) {
      // Output scales that come at run time would lead to a slower kernel.
      attributes.set_output_scales(/*mask=*/1 << 1, factors);
      memory::desc scalar({1, 1}, memory::data_type::f32,
                          memory::format_tag::ab);
      dnnl::post_ops operations;
      operations.append_binary(dnnl::algorithm::binary_mul, scalar);
      attributes.set_post_ops(operations);
      runtimeScale = memory(scalar, engine);
      return;
    }
    for (float &factor : factors) {
      factor *= task.lhsScale;
      if (task.result == "i8")
        factor /= task.resultScale;
    }
    attributes.set_output_scales(/*mask=*/1 << 1, factors);
  }

  void makeMatmul(memory::data_type lhsType, memory::data_type rhsType,
                  memory::data_type resultType) {
    using tag = memory::format_tag;
    dnnl::matmul::primitive_desc descriptor(
        {{{task.m, task.k}, lhsType, tag::ab},
         {{task.k, task.n}, rhsType, tag::any},
         {{task.m, task.n}, resultType, tag::ab}},
        attributes, engine);
    primitive = dnnl::matmul(descriptor);
    makeMemory(descriptor, {{task.k, task.n}, rhsType, tag::ab});
  }

  void makeConvolution(memory::data_type lhsType, memory::data_type rhsType,
                       memory::data_type resultType) {
    using tag = memory::format_tag;
    memory::dims image = {1, task.channels, task.height, task.width};
    memory::dims filters = {task.n, task.channels, 3, 3};
    memory::dims one = {1, 1};
    dnnl::convolution_forward::primitive_desc descriptor(
        {dnnl::prop_kind::forward_inference,
         dnnl::algorithm::convolution_direct,
         {image, lhsType, tag::nhwc},
         {filters, rhsType, tag::any},
         {{1, task.n, task.height, task.width}, resultType, tag::nhwc},
         one,
         one,
         one},
        attributes, engine);
    primitive = dnnl::convolution_forward(descriptor);
    makeMemory(descriptor, {filters, rhsType, tag::hwio});
  }

  template <typename Descriptor>
  void makeMemory(const Descriptor &descriptor, const memory::desc &plain) {
    lhs = memory(descriptor.src_desc(), engine);
    result = memory(descriptor.dst_desc(), engine);
    auto values = task.read<char>("rhs.bin", plain.get_size());
    memory source(plain, engine, values.data());
    for (int64_t copy = 0; copy < task.copies; ++copy) {
      memory packed(descriptor.weights_desc(), engine);
      dnnl::reorder(source, packed).execute(stream, source, packed);
      stream.wait();
      weights.push_back(packed);
    }
  }

  void quantizeActivations() {
    int32_t largest = findLargest(activations.data(), activations.size());
    float range;
    std::memcpy(&range, &largest, sizeof(range));
    float scale = range / 127;
    float inverse = scale > 0 ? 1 / scale : 0;
    quantize(activations.data(), activations.size(), inverse,
             static_cast<int8_t *>(lhs.get_data_handle()));
    *static_cast<float *>(runtimeScale.get_data_handle()) = scale;
  }

  Case task;
  dnnl::engine engine;
  dnnl::stream stream;
  dnnl::primitive_attr attributes;
  dnnl::primitive primitive;
  memory lhs, result, runtimeScale;
  std::vector<memory> weights;
  std::vector<float> activations;
};

Prepared prepare(const Case &task) {
  if (task.rhs == "i4")
    return Prepared::skip("oneDNN 2 has no weights of 4 bits");
  Prepared prepared;
  try {
    prepared.kernel = std::make_unique<OneDNNKernel>(task);
  } catch (const dnnl::error &error) {
    if (error.status == dnnl_unimplemented)
      return Prepared::skip(error.what());
    return Prepared::error(error.what());
  }
  return prepared;
}

} // namespace

int main() { return serveKernels(prepare); }
