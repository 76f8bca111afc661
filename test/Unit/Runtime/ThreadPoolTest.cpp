//===- ThreadPoolTest.cpp - Tests of the threads of compiled programs -----===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compress/Runtime/ThreadPool.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace {

using Range = std::pair<int64_t, int64_t>;

/// The ranges of one loop, in the order of their tasks.
struct Recorder {
  std::mutex mutex;
  std::vector<Range> ranges;
  std::set<std::thread::id> threads;

  static void record(void *context, int64_t begin, int64_t end) {
    auto *self = static_cast<Recorder *>(context);
    std::lock_guard<std::mutex> lock(self->mutex);
    self->ranges.emplace_back(begin, end);
    self->threads.insert(std::this_thread::get_id());
  }

  std::vector<Range> run(int64_t count, int64_t threads) {
    ranges.clear();
    compress_parallel_for(record, this, count, threads);
    std::sort(ranges.begin(), ranges.end());
    return ranges;
  }
};

/// More threads than cores work too, and all machines test the same.
class ThreadPoolTest : public testing::TestWithParam<int64_t> {
protected:
  void SetUp() override { compress_set_thread_limit(GetParam()); }
  void TearDown() override { compress_set_thread_limit(0); }
};

TEST_P(ThreadPoolTest, RangesAreTheStaticPartition) {
  Recorder recorder;
  for (int64_t count : {1, 2, 3, 7, 64, 1000})
    for (int64_t threads : {1, 2, 3, 5, 8, 300}) {
      int64_t parts = std::min({count, threads, GetParam()});
      std::vector<Range> expected;
      for (int64_t t = 0; t < parts; ++t)
        expected.emplace_back(count * t / parts, count * (t + 1) / parts);
      EXPECT_EQ(recorder.run(count, threads), expected)
          << count << " tasks on " << threads << " threads";
    }
}

TEST_P(ThreadPoolTest, NothingToDo) {
  Recorder recorder;
  EXPECT_TRUE(recorder.run(0, 4).empty());
  EXPECT_TRUE(recorder.run(-3, 4).empty());
}

TEST_P(ThreadPoolTest, FewerThanOneThreadIsOne) {
  Recorder recorder;
  EXPECT_EQ(recorder.run(5, 0), (std::vector<Range>{{0, 5}}));
  EXPECT_EQ(recorder.run(5, -7), (std::vector<Range>{{0, 5}}));
}

TEST_P(ThreadPoolTest, HugeCountsDoNotOverflow) {
  Recorder recorder;
  const int64_t count = std::numeric_limits<int64_t>::max();
  std::vector<Range> ranges = recorder.run(count, 300);
  EXPECT_EQ(ranges.size(), static_cast<size_t>(GetParam()));
  int64_t next = 0;
  for (auto [begin, end] : ranges) {
    EXPECT_EQ(begin, next);
    EXPECT_GT(end, begin);
    next = end;
  }
  EXPECT_EQ(next, count);
}

void addOne(void *context, int64_t begin, int64_t end) {
  auto *counts = static_cast<int64_t *>(context);
  for (int64_t i = begin; i < end; ++i)
    ++counts[i];
}

TEST_P(ThreadPoolTest, ManyCallsSeeEachOthersWrites) {
  std::vector<int64_t> counts(37, 0);
  const int64_t calls = 20000;
  for (int64_t i = 0; i < calls; ++i)
    compress_parallel_for(addOne, counts.data(), counts.size(), 1 + i % 5);
  EXPECT_EQ(counts, std::vector<int64_t>(37, calls));
}

TEST_P(ThreadPoolTest, CallsAfterTheWorkersWentToSleep) {
  std::vector<int64_t> counts(8, 0);
  for (int i = 0; i < 50; ++i) {
    compress_parallel_for(addOne, counts.data(), counts.size(), 4);
    std::this_thread::sleep_for(std::chrono::microseconds(20 * i));
  }
  EXPECT_EQ(counts, std::vector<int64_t>(8, 50));
}

TEST_P(ThreadPoolTest, SlowWorkersAreWaitedFor) {
  std::atomic<int64_t> done{0};
  auto sleepLonger = [](void *context, int64_t begin, int64_t end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(begin));
    *static_cast<std::atomic<int64_t> *>(context) += end - begin;
  };
  for (int i = 1; i <= 10; ++i) {
    compress_parallel_for(sleepLonger, &done, 12, 4);
    EXPECT_EQ(done, 12 * i);
  }
}

TEST_P(ThreadPoolTest, NestedLoopsAreSequential) {
  struct Outer {
    Recorder inner[12];
  } outer;
  auto body = [](void *context, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      compress_parallel_for(Recorder::record,
                            &static_cast<Outer *>(context)->inner[i], 9, 4);
  };
  compress_parallel_for(body, &outer, 12, 4);
  for (Recorder &recorder : outer.inner) {
    EXPECT_EQ(recorder.threads.size(), 1u);

    EXPECT_EQ(recorder.ranges, (std::vector<Range>{{0, 9}}));
  }
}

TEST_P(ThreadPoolTest, CallersAtTheSameTime) {
  std::vector<std::thread> callers;
  std::vector<std::vector<int64_t>> counts(5, std::vector<int64_t>(23, 0));
  for (auto &own : counts)
    callers.emplace_back([&own] {
      for (int i = 0; i < 3000; ++i)
        compress_parallel_for(addOne, own.data(), own.size(), 3);
    });
  for (std::thread &caller : callers)
    caller.join();
  for (auto &own : counts)
    EXPECT_EQ(own, std::vector<int64_t>(23, 3000));
}

TEST_P(ThreadPoolTest, ForkedProcessesHaveAPoolOfTheirOwn) {
  std::vector<int64_t> counts(16, 0);
  compress_parallel_for(addOne, counts.data(), counts.size(), 4);
  std::fflush(nullptr);
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    for (int i = 0; i < 100; ++i)
      compress_parallel_for(addOne, counts.data(), counts.size(), 4);
    // Runs the destructors, which must not wait for the parent's workers.
    std::exit(counts == std::vector<int64_t>(16, 101) ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  compress_parallel_for(addOne, counts.data(), counts.size(), 4);
  EXPECT_EQ(counts, std::vector<int64_t>(16, 2));
}

INSTANTIATE_TEST_SUITE_P(Limits, ThreadPoolTest, testing::Values(1, 2, 3, 8));

TEST(ThreadLimitTest, IsWithinTheRange) {
  compress_set_thread_limit(0);
  EXPECT_GE(compress_thread_limit(), 1);
  compress_set_thread_limit(100000);
  EXPECT_EQ(compress_thread_limit(), 256);
  compress_set_thread_limit(-1);
  EXPECT_LE(compress_thread_limit(),
            std::max<int64_t>(1, std::thread::hardware_concurrency()));
}

} // namespace
