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
  /// base[l] is base[0] + l * step, and every group is complete; 0 if not.
  int64_t step;
  int64_t base[kLanes], stored[kLanes], valid[kLanes];
};
} // namespace

static int64_t getNumLanes(const NMLayout &layout) {
  return layout.outer * layout.getNumGroups() * layout.inner;
}

/// The lanes lie in one row of complete groups, or at one group of neighbouring
/// columns: no divisions, and `step` is known.
static void fillRegularLanes(const NMLayout &layout, int64_t base,
                             int64_t stored, Lanes &lanes) {
  const int64_t step = layout.inner == 1 ? layout.m : 1;
  const int64_t storedStep = layout.inner == 1 ? layout.n : 1;
  lanes.step = step;
  for (int64_t lane = 0; lane < kLanes; ++lane) {
    lanes.base[lane] = base + lane * step;
    lanes.stored[lane] = stored + lane * storedStep;
    lanes.valid[lane] = layout.m;
  }
}

/// The groups [begin, begin + count), counted as [outer, group, inner].
static void fillLanes(const NMLayout &layout, int64_t begin, int64_t count,
                      Lanes &lanes) {
  const int64_t groups = layout.getNumGroups();
  int64_t inner = begin % layout.inner;
  int64_t group = begin / layout.inner % groups;
  int64_t outer = begin / layout.inner / groups;
  lanes.count = count;
  auto getBase = [&] {
    return (outer * layout.size + group * layout.m) * layout.inner + inner;
  };
  auto getStored = [&] {
    return (outer * groups + group) * layout.n * layout.inner + inner;
  };
  const int64_t last = layout.inner == 1 ? group + count : group + 1;
  if (last * layout.m <= layout.size &&
      (layout.inner == 1 || inner + count <= layout.inner))
    return fillRegularLanes(layout, getBase(), getStored(), lanes);
  lanes.step = 0;
  for (int64_t lane = 0; lane < count; ++lane) {
    lanes.base[lane] = getBase();
    lanes.stored[lane] = getStored();
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
static void forEachLanes(const NMLayout &layout, Threads threads,
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

/// The magnitude's bits order as it does; all NaNs count the same.
template <typename Key>
static COMPRESS_KERNEL Key loadKey(const char *data, int64_t element,
                                   Key infinity) {
  Key bits;
  std::memcpy(&bits, data + element * static_cast<int64_t>(sizeof(Key)),
              sizeof(Key));
  bits &= static_cast<Key>(-1) >> 1;
  return bits > infinity ? static_cast<Key>(infinity + 1) : bits;
}

/// keys[i * kLanes + l] of element i of lane l, for complete rows of groups of
/// `m` elements. A constant m lets the compiler shuffle whole vectors.
template <typename Key>
static COMPRESS_KERNEL void loadGroups(const char *__restrict data,
                                       int64_t base, unsigned m, int64_t count,
                                       Key infinity, Key *__restrict keys) {
  for (int64_t lane = 0; lane < count; ++lane)
    for (unsigned i = 0; i < m; ++i)
      keys[i * kLanes + lane] =
          loadKey<Key>(data, base + lane * m + i, infinity);
}

/// The same for groups of neighbouring columns.
template <typename Key>
static COMPRESS_KERNEL void
loadColumns(const char *__restrict data, int64_t base, int64_t inner,
            unsigned m, int64_t count, Key infinity, Key *__restrict keys) {
  for (unsigned i = 0; i < m; ++i)
    for (int64_t lane = 0; lane < count; ++lane)
      keys[i * kLanes + lane] =
          loadKey<Key>(data, base + i * inner + lane, infinity);
}

/// Loads the keys of lanes that have a step.
template <typename Key>
static COMPRESS_KERNEL void loadRegular(const char *data, const Lanes &lanes,
                                        int64_t inner, unsigned m, Key infinity,
                                        Key *keys) {
  const int64_t base = lanes.base[0], count = lanes.count;
  if (inner != 1)
    loadColumns<Key>(data, base, inner, m, count, infinity, keys);
  else if (m == 4)
    loadGroups<Key>(data, base, 4, count, infinity, keys);
  else if (m == 2)
    loadGroups<Key>(data, base, 2, count, infinity, keys);
  else if (m == 8)
    loadGroups<Key>(data, base, 8, count, infinity, keys);
  else
    loadGroups<Key>(data, base, m, count, infinity, keys);
}

namespace {
template <typename Key>
struct SelectKernels {
  void (*load)(const char *data, const Lanes &lanes, int64_t inner, unsigned m,
               Key infinity, Key *keys);
  void (*select)(const Key *keys, unsigned n, unsigned m, uint16_t *masks);
};
} // namespace

#define COMPRESS_DEFINE_VARIANT(Name, TARGET)                                  \
  template <typename Key>                                                      \
  TARGET static void load##Name(const char *data, const Lanes &lanes,          \
                                int64_t inner, unsigned m, Key infinity,       \
                                Key *keys) {                                   \
    loadRegular<Key>(data, lanes, inner, m, infinity, keys);                   \
  }                                                                            \
  template <typename Key>                                                      \
  TARGET static void select##Name(const Key *keys, unsigned n, unsigned m,     \
                                  uint16_t *masks) {                           \
    selectLargest<Key>(keys, n, m, masks);                                     \
  }

COMPRESS_DEFINE_VARIANT(Portable, )
#if COMPRESS_HAS_X86_KERNELS
COMPRESS_DEFINE_VARIANT(AVX2, COMPRESS_TARGET_AVX2)
COMPRESS_DEFINE_VARIANT(AVX512, COMPRESS_TARGET_AVX512)
#endif

template <typename Key>
static SelectKernels<Key> getSelectKernels() {
#if COMPRESS_HAS_X86_KERNELS
  switch (getInstructionSet()) {
  case InstructionSet::AVX512:
    return {loadAVX512<Key>, selectAVX512<Key>};
  case InstructionSet::AVX2:
    return {loadAVX2<Key>, selectAVX2<Key>};
  case InstructionSet::Portable:
    break;
  }
#endif
  return {loadPortable<Key>, selectPortable<Key>};
}

/// Keys of all elements of lanes without a step, zero where there is nothing.
template <typename Key>
static void loadIrregular(FloatBuffer values, const NMLayout &layout,
                          const Lanes &lanes, Key infinity, Key *keys) {
  for (unsigned i = 0; i < layout.m; ++i)
    for (int64_t lane = 0; lane < lanes.count; ++lane) {
      int64_t element = values.splat ? 0 : lanes.base[lane] + i * layout.inner;
      keys[i * kLanes + lane] =
          i < lanes.valid[lane]
              ? loadKey<Key>(static_cast<const char *>(values.data), element,
                             infinity)
              : Key(0);
    }
}

static void loadUnits(FloatBuffer values, const NMLayout &layout,
                      const Lanes &lanes, uint64_t infinity, uint64_t *keys) {
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

/// `mask` of kept units with the smallest free ones from m - n on, so that n
/// bits are set.
static unsigned fillUp(unsigned mask, unsigned n, unsigned m) {
  for (unsigned kept = popcount(mask), i = m - n; kept < n; ++i) {
    kept += (mask >> i & 1) ^ 1;
    mask |= 1u << i;
  }
  return mask;
}

namespace {
/// From masks to positions. Patterns of up to 8 elements have a table of the
/// positions of all masks, a byte each.
class IndexWriter {
public:
  explicit IndexWriter(const NMLayout &layout)
      : layout(layout), hasTable(layout.unit == 1 && layout.m <= 8) {
    if (!hasTable)
      return;
    for (unsigned mask = 0; mask < 1u << layout.m; ++mask) {
      if (static_cast<unsigned>(popcount(mask)) > layout.n)
        continue;
      unsigned kept = fillUp(mask, layout.n, layout.m);
      for (unsigned r = 0; r < layout.n; ++r, kept &= kept - 1)
        table[mask] |= static_cast<uint64_t>(countr_zero(kept)) << (8 * r);
    }
  }

  void write(const Lanes &lanes, const uint16_t *masks, uint8_t *out) const {
    if (!hasTable)
      return writeUnits(lanes, masks, out);
    if (layout.inner == 1 && layout.n == 2) {
      for (int64_t lane = 0; lane < lanes.count; ++lane) {
        uint64_t positions = table[masks[lane]];
        out[lanes.stored[lane]] = static_cast<uint8_t>(positions);
        out[lanes.stored[lane] + 1] = static_cast<uint8_t>(positions >> 8);
      }
      return;
    }
    for (unsigned r = 0; r < layout.n; ++r)
      for (int64_t lane = 0; lane < lanes.count; ++lane)
        out[lanes.stored[lane] + r * layout.inner] =
            static_cast<uint8_t>(table[masks[lane]] >> (8 * r));
  }

private:
  void writeUnits(const Lanes &lanes, const uint16_t *masks,
                  uint8_t *indices) const {
    const unsigned n = layout.n / layout.unit, m = layout.m / layout.unit;
    for (int64_t lane = 0; lane < lanes.count; ++lane) {
      uint8_t *out = indices + lanes.stored[lane];
      for (unsigned mask = fillUp(masks[lane], n, m); mask != 0;
           mask &= mask - 1)
        for (unsigned j = 0; j < layout.unit; ++j, out += layout.inner)
          *out = countr_zero(mask) * layout.unit + j;
    }
  }

  const NMLayout &layout;
  bool hasTable;
  uint64_t table[256] = {};
};
} // namespace

template <typename Key>
static void selectWithKeys(FloatBuffer values, const NMLayout &layout,
                           Key infinity, uint8_t *indices, Threads threads) {
  const SelectKernels<Key> kernels = getSelectKernels<Key>();
  const IndexWriter writer(layout);
  const char *data = static_cast<const char *>(values.data);
  forEachLanes(layout, threads, [&](const Lanes &lanes) {
    // Lanes that are not used have no garbage in them.
    alignas(64) Key keys[16 * kLanes];
    if (lanes.count < kLanes)
      std::fill_n(keys, layout.m * kLanes, Key(0));
    uint16_t masks[kLanes];
    if (layout.unit > 1) {
      if constexpr (std::is_same_v<Key, uint64_t>)
        loadUnits(values, layout, lanes, infinity, keys);
    } else if (lanes.step != 0 && !values.splat) {
      kernels.load(data, lanes, layout.inner, layout.m, infinity, keys);
    } else {
      loadIrregular<Key>(values, layout, lanes, infinity, keys);
    }
    kernels.select(keys, layout.n / layout.unit, layout.m / layout.unit, masks);
    writer.write(lanes, masks, indices);
  });
}

Error selectNM(FloatBuffer values, const NMLayout &layout,
               MutableArrayRef<uint8_t> indices, Threads threads) {
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

/// What both directions check. `bytes` is the size of an element.
static Error verifyCopy(const NMLayout &layout, uint64_t bytes, uint64_t dense,
                        uint64_t stored, uint64_t indices) {
  if (Error error = layout.verify())
    return error;
  if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
    return createStringError("elements must have 1, 2, 4 or 8 bytes, not %llu",
                             static_cast<unsigned long long>(bytes));
  if (Error error =
          verifyCount("dense bytes", dense, layout.getNumElements() * bytes))
    return error;
  if (Error error =
          verifyCount("stored bytes", stored, layout.getNumStored() * bytes))
    return error;
  return verifyCount("positions", indices, layout.getNumStored());
}

/// Calls copy(lanes) for all groups; fails if one returned false.
static Error copyLanes(const NMLayout &layout, Threads threads,
                       function_ref<bool(const Lanes &)> copy) {
  std::atomic<bool> bad{false};
  forEachLanes(layout, threads, [&](const Lanes &lanes) {
    if (!copy(lanes))
      bad.store(true, std::memory_order_relaxed);
  });
  if (bad)
    return createStringError(
        "the positions of a group must be ascending and below %u", layout.m);
  return Error::success();
}

/// Calls fn(lane, stored value, position) for all stored values of `lanes`;
/// false if the positions of a group are not ascending and below m.
template <typename Fn>
static bool forEachStored(const NMLayout &layout, const Lanes &lanes,
                          const uint8_t *indices, Fn fn) {
  bool good = true;
  for (int64_t lane = 0; lane < lanes.count; ++lane) {
    int64_t at = lanes.stored[lane];
    int last = -1;
    for (unsigned r = 0; r < layout.n; ++r, at += layout.inner) {
      const int position = indices[at];
      good &= position > last;
      last = position;
      fn(lane, at, position);
    }
    good &= last < static_cast<int>(layout.m);
  }
  return good;
}

template <typename Element>
static bool gatherLanes(const char *dense, const NMLayout &layout,
                        const uint8_t *indices, const Lanes &lanes,
                        char *stored) {
  constexpr int64_t bytes = sizeof(Element);
  return forEachStored(
      layout, lanes, indices, [&](int64_t lane, int64_t at, int position) {
        Element value = 0;
        if (position < lanes.valid[lane])
          std::memcpy(&value,
                      dense +
                          (lanes.base[lane] + position * layout.inner) * bytes,
                      bytes);
        std::memcpy(stored + at * bytes, &value, bytes);
      });
}

template <typename Element>
static bool scatterLanes(const char *stored, const NMLayout &layout,
                         const uint8_t *indices, const Lanes &lanes,
                         char *dense) {
  constexpr int64_t bytes = sizeof(Element);
  const Element zero = 0;
  for (int64_t lane = 0; lane < lanes.count; ++lane)
    for (int64_t i = 0; i < lanes.valid[lane]; ++i)
      std::memcpy(dense + (lanes.base[lane] + i * layout.inner) * bytes, &zero,
                  bytes);
  return forEachStored(
      layout, lanes, indices, [&](int64_t lane, int64_t at, int position) {
        if (position < lanes.valid[lane])
          std::memcpy(dense +
                          (lanes.base[lane] + position * layout.inner) * bytes,
                      stored + at * bytes, bytes);
      });
}

Error gatherNM(ArrayRef<char> dense, const NMLayout &layout,
               unsigned elementBytes, ArrayRef<uint8_t> indices,
               MutableArrayRef<char> stored, Threads threads) {
  if (Error error = verifyCopy(layout, elementBytes, dense.size(),
                               stored.size(), indices.size()))
    return error;
  auto copy = elementBytes == 1   ? gatherLanes<uint8_t>
              : elementBytes == 2 ? gatherLanes<uint16_t>
              : elementBytes == 4 ? gatherLanes<uint32_t>
                                  : gatherLanes<uint64_t>;
  return copyLanes(layout, threads, [&](const Lanes &lanes) {
    return copy(dense.data(), layout, indices.data(), lanes, stored.data());
  });
}

Error scatterNM(ArrayRef<char> stored, const NMLayout &layout,
                unsigned elementBytes, ArrayRef<uint8_t> indices,
                MutableArrayRef<char> dense, Threads threads) {
  if (Error error = verifyCopy(layout, elementBytes, dense.size(),
                               stored.size(), indices.size()))
    return error;
  auto copy = elementBytes == 1   ? scatterLanes<uint8_t>
              : elementBytes == 2 ? scatterLanes<uint16_t>
              : elementBytes == 4 ? scatterLanes<uint32_t>
                                  : scatterLanes<uint64_t>;
  return copyLanes(layout, threads, [&](const Lanes &lanes) {
    return copy(stored.data(), layout, indices.data(), lanes, dense.data());
  });
}

} // namespace compress::numerics
