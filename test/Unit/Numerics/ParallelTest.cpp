//===- ParallelTest.cpp - Loops over chunks on a thread pool --------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Numerics/Parallel.h"
#include "compress/Numerics/Random.h"

#include "llvm/Support/ThreadPool.h"
#include "gtest/gtest.h"

#include <atomic>
#include <vector>

using namespace compress::numerics;

namespace {

TEST(ParallelTest, CoversEveryIndexOnceWithFixedBorders) {
  llvm::DefaultThreadPool threads(llvm::hardware_concurrency(3));
  for (llvm::ThreadPoolInterface *pool :
       {static_cast<llvm::ThreadPoolInterface *>(nullptr),
        static_cast<llvm::ThreadPoolInterface *>(&threads)})
    for (int64_t count : {0, 1, 6, 7, 8, 1000}) {
      std::vector<std::atomic<int>> visits(count);
      forEachChunk(pool, count, 7,
                   [&](int64_t chunk, int64_t begin, int64_t end) {
                     EXPECT_EQ(begin, chunk * 7);
                     EXPECT_EQ(end, std::min<int64_t>(count, begin + 7));
                     for (int64_t i = begin; i < end; ++i)
                       ++visits[i];
                   });
      for (auto &visit : visits)
        EXPECT_EQ(visit, 1);
    }
}

TEST(ParallelTest, NestsInTasksOfTheSamePool) {
  llvm::DefaultThreadPool threads(llvm::hardware_concurrency(2));
  std::atomic<int64_t> sum{0};
  forEachChunk(&threads, 8, 1, [&](int64_t, int64_t begin, int64_t) {
    forEachChunk(&threads, 100, 10, [&](int64_t, int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i)
        sum += i * (begin + 1);
    });
  });
  EXPECT_EQ(sum, 4950 * 36);
}

// The known answers that Random123 1.14.0 publishes for philox4x32 10.
TEST(RandomTest, PhiloxKnownAnswers) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}),
            (std::array<uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c,
                                     0x9b00dbd8}));
  EXPECT_EQ(philox4x32({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
            (std::array<uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6,
                                     0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                       {0xa4093822, 0x299f31d0}),
            (std::array<uint32_t, 4>{0xd16cfe09, 0x94fdcceb, 0x5001e420,
                                     0x24126ea1}));
}

} // namespace
