//===- NMSparsity.cpp - N:M structured sparsity ---------------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/NMSparsity.h"
#include "FloatAccess.h"
#include "KernelTarget.h"
#include "WorkerPool.h"
#include "compress/Numerics/InstructionSet.h"
#include "compress/Numerics/Parallel.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <type_traits>

using namespace llvm;

namespace compress::numerics {

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

Expected<NMLayout> NMLayout::get(unsigned n, unsigned m,
                                 ArrayRef<int64_t> shape, int64_t dim,
                                 unsigned unit) {
  if (dim < 0 || dim >= static_cast<int64_t>(shape.size()))
    return createStringError("dimension %lld is not in [0, %zu)",
                             static_cast<long long>(dim), shape.size());
  NMLayout layout;
  layout.n = n;
  layout.m = m;
  layout.unit = unit;
  layout.size = shape[dim];
  for (int64_t i = 0, rank = shape.size(); i < rank; ++i) {
    if (shape[i] < 0)
      return createStringError("dimension %lld has the negative size %lld",
                               static_cast<long long>(i),
                               static_cast<long long>(shape[i]));
    int64_t &product = i < dim ? layout.outer : layout.inner;
    if (i != dim && MulOverflow(product, shape[i], product))
      return createStringError("the tensor has more than 2^62 elements");
  }
  if (Error error = layout.verify())
    return std::move(error);
  return layout;
}

Error NMLayout::verify() const {
  if (n < 1 || n >= m || m > 16)
    return createStringError(
        "%u:%u is no pattern of structured sparsity: 1 <= N < M <= 16", n, m);
  if (unit < 1 || n % unit != 0 || m % unit != 0)
    return createStringError("%u:%u does not divide into units of %u elements",
                             n, m, unit);
  if (outer < 0 || size < 0 || inner < 0)
    return createStringError("a dimension has a negative size");
  int64_t elements;
  if (size > (int64_t(1) << 61) || MulOverflow(outer, inner, elements) ||
      MulOverflow(elements, (size / m + 1) * m, elements) ||
      elements > (int64_t(1) << 62))
    return createStringError("the tensor has more than 2^62 elements");
  return Error::success();
}

static Error verifyCount(const char *what, uint64_t actual, uint64_t expected) {
  if (actual == expected)
    return Error::success();
  return createStringError("expected %llu %s, but got %llu",
                           static_cast<unsigned long long>(expected), what,
                           static_cast<unsigned long long>(actual));
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

/// So many groups are worked on at once.
static constexpr int64_t kLanes = 64;

namespace {
/// Up to kLanes groups. Element i of lane l lies at base[l] + i * inner in the
/// dense tensor (if i < valid[l]), stored value r at stored[l] + r * inner.
struct Lanes {
  int64_t count;
  int64_t base[kLanes], stored[kLanes], valid[kLanes];
};
} // namespace

static int64_t getNumLanes(const NMLayout &layout) {
  return layout.outer * layout.getNumGroups() * layout.inner;
}

/// The groups [begin, begin + count), counted as [outer, group, inner].
static void fillLanes(const NMLayout &layout, int64_t begin, int64_t count,
                      Lanes &lanes) {
  const int64_t groups = layout.getNumGroups();
  int64_t inner = begin % layout.inner;
  int64_t group = begin / layout.inner % groups;
  int64_t outer = begin / layout.inner / groups;
  lanes.count = count;
  for (int64_t lane = 0; lane < count; ++lane) {
    lanes.base[lane] =
        (outer * layout.size + group * layout.m) * layout.inner + inner;
    lanes.stored[lane] =
        (outer * groups + group) * layout.n * layout.inner + inner;
    lanes.valid[lane] =
        std::min<int64_t>(layout.m, layout.size - group * layout.m);
    if (++inner < layout.inner)
      continue;
    inner = 0;
    if (++group < groups)
      continue;
    group = 0;
    ++outer;
  }
}

/// Calls body(lanes) for all groups.
static void forEachLanes(const NMLayout &layout, unsigned threads,
                         function_ref<void(const Lanes &)> body) {
  // Many lanes a task, but always the same.
  constexpr int64_t chunk = kLanes * 256;
  const int64_t count = getNumLanes(layout);
  WorkerPool pool(threads, getNumChunks(count, chunk));
  forEachChunk(
      pool.get(), count, chunk, [&](int64_t, int64_t begin, int64_t end) {
        Lanes lanes;
        for (; begin < end; begin += kLanes) {
          fillLanes(layout, begin, std::min(kLanes, end - begin), lanes);
          body(lanes);
        }
      });
}

//===----------------------------------------------------------------------===//
// Select
//===----------------------------------------------------------------------===//

/// Bit i of masks[l] is set if unit i is among the n largest of lane l and not
/// zero. keys[i * kLanes + l] orders as the magnitude does.
template <typename Key>
static COMPRESS_KERNEL void selectLargest(const Key *__restrict keys,
                                          unsigned n, unsigned m,
                                          uint16_t *__restrict masks) {
  for (int64_t lane = 0; lane < kLanes; ++lane)
    masks[lane] = 0;
  for (unsigned i = 0; i < m; ++i) {
    const Key *own = keys + i * kLanes;
    Key rank[kLanes] = {};
    for (unsigned j = 0; j < m; ++j) {
      const Key *other = keys + j * kLanes;
      if (j < i)
        for (int64_t lane = 0; lane < kLanes; ++lane)
          rank[lane] += other[lane] >= own[lane] ? 1 : 0;
      else if (j > i)
        for (int64_t lane = 0; lane < kLanes; ++lane)
          rank[lane] += other[lane] > own[lane] ? 1 : 0;
    }
    for (int64_t lane = 0; lane < kLanes; ++lane)
      masks[lane] |= rank[lane] < n && own[lane] != 0 ? 1u << i : 0;
  }
}

template <typename Key>
using SelectFn = void (*)(const Key *, unsigned, unsigned, uint16_t *);

template <typename Key>
static void selectPortable(const Key *keys, unsigned n, unsigned m,
                           uint16_t *masks) {
  selectLargest<Key>(keys, n, m, masks);
}
#if COMPRESS_HAS_X86_KERNELS
template <typename Key>
COMPRESS_TARGET_AVX2 static void selectAVX2(const Key *keys, unsigned n,
                                            unsigned m, uint16_t *masks) {
  selectLargest<Key>(keys, n, m, masks);
}
template <typename Key>
COMPRESS_TARGET_AVX512 static void selectAVX512(const Key *keys, unsigned n,
                                                unsigned m, uint16_t *masks) {
  selectLargest<Key>(keys, n, m, masks);
}
#endif

template <typename Key>
static SelectFn<Key> getSelectKernel() {
#if COMPRESS_HAS_X86_KERNELS
  switch (getInstructionSet()) {
  case InstructionSet::AVX512:
    return selectAVX512<Key>;
  case InstructionSet::AVX2:
    return selectAVX2<Key>;
  case InstructionSet::Portable:
    break;
  }
#endif
  return selectPortable<Key>;
}

/// The magnitude's bits order as it does; all NaNs count the same.
template <typename Key>
static Key loadKey(FloatBuffer values, int64_t element, Key infinity) {
  Key bits = loadBits<Key>(values, element) & (Key(-1) >> 1);
  return std::min<Key>(bits, infinity + 1);
}

/// Keys of all units of all lanes, zero where there is nothing.
template <typename Key>
static void fillKeys(FloatBuffer values, const NMLayout &layout,
                     const Lanes &lanes, Key infinity, Key *keys) {
  for (unsigned i = 0; i < layout.m; ++i)
    for (int64_t lane = 0; lane < lanes.count; ++lane)
      keys[i * kLanes + lane] =
          i < lanes.valid[lane]
              ? loadKey<Key>(values, lanes.base[lane] + i * layout.inner,
                             infinity)
              : Key(0);
}

static void fillUnitKeys(FloatBuffer values, const NMLayout &layout,
                         const Lanes &lanes, uint64_t infinity,
                         uint64_t *keys) {
  for (int64_t lane = 0; lane < lanes.count; ++lane)
    for (unsigned i = 0; i < layout.m; i += layout.unit) {
      double sum = 0;
      for (unsigned j = i; j < i + layout.unit && j < lanes.valid[lane]; ++j)
        sum +=
            std::abs(loadDouble(values, lanes.base[lane] + j * layout.inner));
      uint64_t bits = detail::bitCast<uint64_t>(sum) & (uint64_t(-1) >> 1);
      keys[i / layout.unit * kLanes + lane] = std::min(bits, infinity + 1);
    }
}

/// Writes the positions that `masks` names, filled up to n.
static void writeIndices(const NMLayout &layout, const Lanes &lanes,
                         const uint16_t *masks, uint8_t *indices) {
  const unsigned n = layout.n / layout.unit, m = layout.m / layout.unit;
  for (int64_t lane = 0; lane < lanes.count; ++lane) {
    unsigned mask = masks[lane];
    for (unsigned kept = popcount(mask), i = m - n; kept < n; ++i) {
      kept += (mask >> i & 1) ^ 1;
      mask |= 1u << i;
    }
    uint8_t *out = indices + lanes.stored[lane];
    for (; mask != 0; mask &= mask - 1)
      for (unsigned j = 0; j < layout.unit; ++j, out += layout.inner)
        *out = countr_zero(mask) * layout.unit + j;
  }
}

template <typename Key>
static void selectWithKeys(FloatBuffer values, const NMLayout &layout,
                           Key infinity, uint8_t *indices, unsigned threads) {
  const SelectFn<Key> kernel = getSelectKernel<Key>();
  forEachLanes(layout, threads, [&](const Lanes &lanes) {
    alignas(64) Key keys[16 * kLanes] = {};
    uint16_t masks[kLanes];
    if constexpr (std::is_same_v<Key, uint64_t>) {
      if (layout.unit > 1)
        fillUnitKeys(values, layout, lanes, infinity, keys);
      else
        fillKeys<Key>(values, layout, lanes, infinity, keys);
    } else {
      fillKeys<Key>(values, layout, lanes, infinity, keys);
    }
    kernel(keys, layout.n / layout.unit, layout.m / layout.unit, masks);
    writeIndices(layout, lanes, masks, indices);
  });
}

Error selectNM(FloatBuffer values, const NMLayout &layout,
               MutableArrayRef<uint8_t> indices, unsigned threads) {
  if (Error error = layout.verify())
    return error;
  if (Error error = verifyCount("elements", values.size,
                                values.splat ? 1 : layout.getNumElements()))
    return error;
  if (Error error =
          verifyCount("positions", indices.size(), layout.getNumStored()))
    return error;
  constexpr uint64_t doubleInfinity = 0x7FF0000000000000;
  if (layout.unit > 1 || values.kind == FloatBuffer::F64)
    selectWithKeys<uint64_t>(values, layout, doubleInfinity, indices.data(),
                             threads);
  else if (values.kind == FloatBuffer::F32)
    selectWithKeys<uint32_t>(values, layout, 0x7F800000, indices.data(),
                             threads);
  else
    selectWithKeys<uint16_t>(values, layout,
                             values.kind == FloatBuffer::F16 ? 0x7C00 : 0x7F80,
                             indices.data(), threads);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Gather and scatter
//===----------------------------------------------------------------------===//

/// Calls fn with an unsigned integer of the element's size.
template <typename Fn>
static Error withElementBytes(unsigned elementBytes, Fn fn) {
  switch (elementBytes) {
  case 1:
    return fn(uint8_t());
  case 2:
    return fn(uint16_t());
  case 4:
    return fn(uint32_t());
  case 8:
    return fn(uint64_t());
  default:
    return createStringError("elements must have 1, 2, 4 or 8 bytes, not %u",
                             elementBytes);
  }
}

static Error verifyIndices(const NMLayout &layout, ArrayRef<uint8_t> indices,
                           unsigned threads) {
  if (Error error =
          verifyCount("positions", indices.size(), layout.getNumStored()))
    return error;
  std::atomic<bool> bad{false};
  forEachLanes(layout, threads, [&](const Lanes &lanes) {
    bool isBad = false;
    for (int64_t lane = 0; lane < lanes.count; ++lane) {
      const uint8_t *at = indices.data() + lanes.stored[lane];
      int last = -1;
      for (unsigned r = 0; r < layout.n; ++r, at += layout.inner) {
        isBad |= *at <= last || *at >= layout.m;
        last = *at;
      }
    }
    if (isBad)
      bad.store(true, std::memory_order_relaxed);
  });
  if (bad)
    return createStringError(
        "the positions of a group must be ascending and below %u", layout.m);
  return Error::success();
}

Error gatherNM(ArrayRef<char> dense, const NMLayout &layout,
               unsigned elementBytes, ArrayRef<uint8_t> indices,
               MutableArrayRef<char> stored, unsigned threads) {
  if (Error error = layout.verify())
    return error;
  return withElementBytes(elementBytes, [&](auto element) -> Error {
    using Element = decltype(element);
    constexpr int64_t bytes = sizeof(Element);
    if (Error error = verifyCount("dense bytes", dense.size(),
                                  layout.getNumElements() * bytes))
      return error;
    if (Error error = verifyCount("stored bytes", stored.size(),
                                  layout.getNumStored() * bytes))
      return error;
    if (Error error = verifyIndices(layout, indices, threads))
      return error;
    forEachLanes(layout, threads, [&](const Lanes &lanes) {
      for (int64_t lane = 0; lane < lanes.count; ++lane)
        for (unsigned r = 0; r < layout.n; ++r) {
          int64_t at = lanes.stored[lane] + r * layout.inner;
          Element value = 0;
          if (indices[at] < lanes.valid[lane])
            std::memcpy(&value,
                        dense.data() +
                            (lanes.base[lane] + indices[at] * layout.inner) *
                                bytes,
                        bytes);
          std::memcpy(stored.data() + at * bytes, &value, bytes);
        }
    });
    return Error::success();
  });
}

Error scatterNM(ArrayRef<char> stored, const NMLayout &layout,
                unsigned elementBytes, ArrayRef<uint8_t> indices,
                MutableArrayRef<char> dense, unsigned threads) {
  if (Error error = layout.verify())
    return error;
  return withElementBytes(elementBytes, [&](auto element) -> Error {
    using Element = decltype(element);
    constexpr int64_t bytes = sizeof(Element);
    if (Error error = verifyCount("dense bytes", dense.size(),
                                  layout.getNumElements() * bytes))
      return error;
    if (Error error = verifyCount("stored bytes", stored.size(),
                                  layout.getNumStored() * bytes))
      return error;
    if (Error error = verifyIndices(layout, indices, threads))
      return error;
    forEachLanes(layout, threads, [&](const Lanes &lanes) {
      const Element zero = 0;
      for (int64_t lane = 0; lane < lanes.count; ++lane) {
        char *group = dense.data() + lanes.base[lane] * bytes;
        for (int64_t i = 0; i < lanes.valid[lane]; ++i)
          std::memcpy(group + i * layout.inner * bytes, &zero, bytes);
        for (unsigned r = 0; r < layout.n; ++r) {
          int64_t at = lanes.stored[lane] + r * layout.inner;
          if (indices[at] < lanes.valid[lane])
            std::memcpy(group + indices[at] * layout.inner * bytes,
                        stored.data() + at * bytes, bytes);
        }
      }
    });
    return Error::success();
  });
}

} // namespace compress::numerics
