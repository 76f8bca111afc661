//===- FuzzInput.h - Structured reading of fuzzer input ---------*- C++ -*-===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the fuzz targets share: numbers from the input, a check that stops the
// run, and memory whose last byte is followed by a page that cannot be read, so
// that even vector gathers behind the end are seen.
//
//===----------------------------------------------------------------------===//

#ifndef COMPRESS_TEST_FUZZ_FUZZINPUT_H
#define COMPRESS_TEST_FUZZ_FUZZINPUT_H

#include "llvm/ADT/ArrayRef.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <sys/mman.h>
#include <unistd.h>

namespace compress::fuzz {

/// Stops the run with a message if `condition` does not hold.
inline void check(bool condition, const char *message) {
  if (condition)
    return;
  std::fprintf(stderr, "fuzz check failed: %s\n", message);
  std::abort();
}

/// Takes numbers and bytes off the front of the input; zeros once it is used
/// up.
class FuzzInput {
public:
  FuzzInput(const uint8_t *data, size_t size) : bytes(data, size) {}

  uint8_t takeByte() {
    if (bytes.empty())
      return 0;
    uint8_t byte = bytes.front();
    bytes = bytes.drop_front();
    return byte;
  }
  /// A number in [0, limit], made of two bytes.
  uint32_t takeUpTo(uint32_t limit) {
    uint32_t value = takeByte();
    value |= uint32_t(takeByte()) << 8;
    return value % (limit + 1);
  }
  llvm::ArrayRef<uint8_t> takeBytes(size_t count) {
    llvm::ArrayRef<uint8_t> taken =
        bytes.take_front(std::min(count, bytes.size()));
    bytes = bytes.drop_front(taken.size());
    return taken;
  }
  llvm::ArrayRef<uint8_t> takeRest() { return takeBytes(bytes.size()); }

private:
  llvm::ArrayRef<uint8_t> bytes;
};

/// A copy of bytes that ends where a page ends; the next page is unreadable.
class GuardedBytes {
public:
  explicit GuardedBytes(llvm::ArrayRef<uint8_t> bytes) : size(bytes.size()) {
    const size_t page = sysconf(_SC_PAGESIZE);
    mapped = (size + page - 1) / page * page + page;
    void *memory = mmap(nullptr, mapped, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check(memory != MAP_FAILED, "no memory");
    start = static_cast<uint8_t *>(memory);
    mprotect(start + mapped - page, page, PROT_NONE);
    data = start + mapped - page - size;
    if (size)
      std::memcpy(data, bytes.data(), size);
  }
  GuardedBytes(const GuardedBytes &) = delete;
  GuardedBytes &operator=(const GuardedBytes &) = delete;
  ~GuardedBytes() { munmap(start, mapped); }

  llvm::ArrayRef<uint8_t> get() const { return {data, size}; }

private:
  size_t size;
  size_t mapped = 0;
  uint8_t *start = nullptr;
  uint8_t *data = nullptr;
};

} // namespace compress::fuzz

#endif // COMPRESS_TEST_FUZZ_FUZZINPUT_H
