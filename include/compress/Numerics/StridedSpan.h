//===- StridedSpan.h - One-dimensional strided views ------------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The view type through which the element-wise functions and statistics read
// and write: a start, a number of elements and a stride in elements. A row, a
// column or a channel of a tensor is passed without a copy.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_NUMERICS_STRIDEDSPAN_H
#define COMPRESS_NUMERICS_STRIDEDSPAN_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <type_traits>

namespace compress::numerics {

template <typename T>
class StridedSpan;

namespace detail {
template <typename Range>
struct IsStridedSpan : std::false_type {};
template <typename T>
struct IsStridedSpan<StridedSpan<T>> : std::true_type {};
} // namespace detail

/// A view of `size` elements; element i is data[i * stride]. The stride may be
/// negative or, for views that are only read, 0. A view of T converts to one of
/// const T.
template <typename T>
class StridedSpan {
public:
  StridedSpan() = default;
  StridedSpan(T *data, int64_t size, int64_t stride = 1)
      : start(data), length(size), step(stride) {}
  template <typename U, typename = std::enable_if_t<
                            std::is_same_v<const U, T> && !std::is_const_v<U>>>
  StridedSpan(const StridedSpan<U> &other)
      : start(other.data()), length(other.size()), step(other.stride()) {}
  /// A whole contiguous array: std::vector, SmallVector, ArrayRef, std::array.
  template <
      typename Range,
      typename = std::enable_if_t<
          !detail::IsStridedSpan<std::decay_t<Range>>::value &&
          std::is_convertible_v<decltype(std::declval<Range &>().data()), T *>>>
  StridedSpan(Range &&range)
      : start(range.data()), length(static_cast<int64_t>(range.size())) {}

  T *data() const { return start; }
  int64_t size() const { return length; }
  int64_t stride() const { return step; }
  bool empty() const { return length <= 0; }
  bool isContiguous() const { return step == 1 || length <= 1; }
  T &operator[](int64_t index) const { return start[index * step]; }
  /// The `count` elements from `first` on; the caller keeps them in bounds.
  StridedSpan slice(int64_t first, int64_t count) const {
    return {start + first * step, count, step};
  }

private:
  T *start = nullptr;
  int64_t length = 0;
  int64_t step = 1;
};

/// Fails if `span`, called `name` in the message, has a negative size or has
/// elements but no data.
template <typename T>
llvm::Error checkSpan(StridedSpan<T> span, const char *name) {
  if (span.size() < 0)
    return llvm::createStringError("%s has a negative number of elements",
                                   name);
  if (span.size() > 0 && !span.data())
    return llvm::createStringError("%s has elements but no data", name);
  return llvm::Error::success();
}

} // namespace compress::numerics

#endif // COMPRESS_NUMERICS_STRIDEDSPAN_H
