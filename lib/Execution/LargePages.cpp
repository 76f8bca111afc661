//===- LargePages.cpp - Memory of compiled programs -----------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LargePages.h"

#include "llvm/Support/MathExtras.h"

#if defined(__linux__)
#include <sys/mman.h>
#endif

using namespace llvm;

#if defined(__linux__)
namespace {
class LargePageMapper final : public SectionMemoryManager::MemoryMapper {
public:
  sys::MemoryBlock
  allocateMappedMemory(SectionMemoryManager::AllocationPurpose purpose,
                       size_t bytes, const sys::MemoryBlock *const near,
                       unsigned flags, std::error_code &error) override {
    if (purpose != SectionMemoryManager::AllocationPurpose::Code &&
        bytes >= kLeastBytes)
      if (sys::MemoryBlock block = mapLargePages(bytes, near); block.base())
        return block;
    return sys::Memory::allocateMappedMemory(bytes, near, flags, error);
  }

  std::error_code protectMappedMemory(const sys::MemoryBlock &block,
                                      unsigned flags) override {
    return sys::Memory::protectMappedMemory(block, flags);
  }

  std::error_code releaseMappedMemory(sys::MemoryBlock &block) override {
    return sys::Memory::releaseMappedMemory(block);
  }

private:
  /// Less is not worth the part of a page that is left over.
  static constexpr size_t kPageBytes = size_t(2) << 20,
                          kLeastBytes = 2 * kPageBytes;

  /// Whole large pages, to be read and written; a block without an address if
  /// there are none. Nothing is in them yet, so that each is made as a whole.
  static sys::MemoryBlock mapLargePages(size_t bytes,
                                        const sys::MemoryBlock *near) {
    size_t size = alignTo(bytes, kPageBytes), all = size + kPageBytes;
    // Code reaches its constants by offsets of 32 bits.
    char *hint = near
                     ? static_cast<char *>(near->base()) + near->allocatedSize()
                     : nullptr;
    void *mapped = mmap(hint, all, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED)
      return {};
    char *begin = static_cast<char *>(mapped);
    size_t before = offsetToAlignment(reinterpret_cast<uintptr_t>(begin),
                                      Align(kPageBytes));
    if (before)
      munmap(begin, before);
    munmap(begin + before + size, kPageBytes - before);
    // A wish: without large pages the memory is as good as any.
    madvise(begin + before, size, MADV_HUGEPAGE);
    return sys::MemoryBlock(begin + before, size);
  }
};
} // namespace

SectionMemoryManager::MemoryMapper *mlir::compress::getLargePageMapper() {
  static LargePageMapper mapper;
  return &mapper;
}
#else
SectionMemoryManager::MemoryMapper *mlir::compress::getLargePageMapper() {
  return nullptr;
}
#endif
