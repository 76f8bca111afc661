//===- Limits.cpp - What this machine can do at most ----------------------===//
//
// Part of the compress project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The limits of the kernel benchmark as cases that are measured in turns with
// the contenders: multiply-add instructions on registers, in 1e9 operations (a
// multiplication and an addition are two), and reading memory, in 1e9 bytes.
// Limits that this processor does not have are skipped.
//
//===----------------------------------------------------------------------===//

#include "Server.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <thread>

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace compress::bench;

namespace {

/// Milliseconds from the moment when all threads may start `body(thread)` to
/// the end of the last.
template <typename Body>
double timeThreads(int64_t threads, Body &&body) {
  if (threads == 1)
    return timeCall([&] { body(0); });
  std::atomic<int64_t> ready{0};
  std::atomic<bool> go{false};
  std::vector<std::thread> others;
  for (int64_t thread = 1; thread < threads; ++thread)
    others.emplace_back([&, thread] {
      ++ready;
      while (!go.load(std::memory_order_acquire)) {
      }
      body(thread);
    });
  while (ready.load() != threads - 1)
    std::this_thread::yield();
  return timeCall([&] {
    go.store(true, std::memory_order_release);
    body(0);
    for (std::thread &other : others)
      other.join();
  });
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// A function that does `iterations` times some number of operations.
struct Arithmetic {
  void (*body)(int64_t iterations) = nullptr;
  double operations = 0;
};

#if defined(__x86_64__)
/// Sixteen independent chains hide the latency of every instruction used here.
/// The empty assembly keeps the compiler from merging the steps of a chain.
#define COMPRESS_CHAINS(NAME, TARGET, VECTOR, INIT, STEP)                      \
  __attribute__((target(TARGET))) void NAME(int64_t iterations) {              \
    VECTOR sums[16];                                                           \
    for (VECTOR & sum : sums)                                                  \
      sum = INIT;                                                              \
    for (int64_t n = 0; n < iterations; ++n) {                                 \
      _Pragma("GCC unroll 16") for (int i = 0; i < 16; ++i) {                  \
        VECTOR sum = sums[i];                                                  \
        sum = STEP;                                                            \
        asm volatile("" : "+v"(sum));                                          \
        sums[i] = sum;                                                         \
      }                                                                        \
    }                                                                          \
  }

COMPRESS_CHAINS(fmaAVX512, "avx512f", __m512, _mm512_set1_ps(1),
                _mm512_fmadd_ps(sum, _mm512_set1_ps(0.999f),
                                _mm512_set1_ps(1e-9f)))
COMPRESS_CHAINS(fmaAVX2, "avx2,fma", __m256, _mm256_set1_ps(1),
                _mm256_fmadd_ps(sum, _mm256_set1_ps(0.999f),
                                _mm256_set1_ps(1e-9f)))
COMPRESS_CHAINS(dotVNNI, "avx512f,avx512vnni", __m512i, _mm512_setzero_si512(),
                _mm512_dpbusd_epi32(sum, _mm512_set1_epi32(0x03030303),
                                    _mm512_set1_epi32(0x05050505)))
COMPRESS_CHAINS(dotAVXVNNI, "avx2,avxvnni", __m256i, _mm256_setzero_si256(),
                _mm256_dpbusd_avx_epi32(sum, _mm256_set1_epi8(3),
                                        _mm256_set1_epi8(5)))
COMPRESS_CHAINS(dotBF16, "avx512f,avx512bf16", __m512, _mm512_setzero_ps(),
                _mm512_dpbf16_ps(sum, (__m512bh)_mm512_set1_epi32(0x3f803f80),
                                 (__m512bh)_mm512_set1_epi32(0x3f803f80)))
#undef COMPRESS_CHAINS

/// Rows, bytes of a row and palette of the tiles; see the manual of LDTILECFG.
struct alignas(64) TileConfig {
  uint8_t palette = 1;
  uint8_t reserved[15] = {};
  uint16_t rowBytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

#define COMPRESS_TILES(NAME, TARGET, DOT)                                      \
  __attribute__((target(TARGET))) void NAME(int64_t iterations) {              \
    TileConfig config;                                                         \
    _tile_loadconfig(&config);                                                 \
    _tile_zero(0);                                                             \
    _tile_zero(1);                                                             \
    _tile_zero(2);                                                             \
    _tile_zero(3);                                                             \
    _tile_zero(4);                                                             \
    _tile_zero(5);                                                             \
    _tile_zero(6);                                                             \
    _tile_zero(7);                                                             \
    for (int64_t n = 0; n < iterations; ++n) {                                 \
      DOT(0, 4, 6);                                                            \
      DOT(1, 4, 7);                                                            \
      DOT(2, 5, 6);                                                            \
      DOT(3, 5, 7);                                                            \
    }                                                                          \
    _tile_release();                                                           \
  }
COMPRESS_TILES(tilesInt8, "amx-tile,amx-int8", _tile_dpbssd)
COMPRESS_TILES(tilesBF16, "amx-tile,amx-bf16", _tile_dpbf16ps)
#undef COMPRESS_TILES

/// Linux gives tile registers only to processes that ask.
bool requestTiles() {
  constexpr long requestPermission = 0x1023, tileData = 18;
  return syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
}

Arithmetic getArithmetic(const std::string &name) {
  constexpr double chains = 16, tiles = 4 * 16 * 16;
  if (name == "f32-fma" && __builtin_cpu_supports("avx512f"))
    return {fmaAVX512, chains * 32};
  if (name == "f32-fma" && __builtin_cpu_supports("fma"))
    return {fmaAVX2, chains * 16};
  if (name == "int8-dot" && __builtin_cpu_supports("avx512vnni"))
    return {dotVNNI, chains * 128};
  if (name == "int8-dot" && __builtin_cpu_supports("avxvnni"))
    return {dotAVXVNNI, chains * 64};
  if (name == "bf16-dot" && __builtin_cpu_supports("avx512bf16"))
    return {dotBF16, chains * 64};
  if (name == "int8-amx" && __builtin_cpu_supports("amx-int8") &&
      requestTiles())
    return {tilesInt8, tiles * 128};
  if (name == "bf16-amx" && __builtin_cpu_supports("amx-bf16") &&
      requestTiles())
    return {tilesBF16, tiles * 64};
  return {};
}
#else
Arithmetic getArithmetic(const std::string &) { return {}; }
#endif

class ArithmeticKernel : public Kernel {
public:
  ArithmeticKernel(Arithmetic arithmetic, int64_t threads)
      : arithmetic(arithmetic), threads(threads) {
    // Calls of 4 ms and more, also if a call was interrupted: starting threads
    // must not count.
    for (iterations = 1000; std::min({call(0), call(1), call(2)}) < 4;
         iterations *= 2) {
    }
  }

  double call(int64_t) override {
    return timeThreads(threads, [&](int64_t) { arithmetic.body(iterations); });
  }
  Bytes getResult() override { return {nullptr, 0}; }
  double getWork() const override {
    return arithmetic.operations * iterations * threads * 1e-9;
  }

private:
  Arithmetic arithmetic;
  int64_t threads;
  int64_t iterations;
};

//===----------------------------------------------------------------------===//
// Reading memory
//===----------------------------------------------------------------------===//

/// How a buffer is read: so many sequential streams at once, with prefetches so
/// many bytes ahead (0: none).
struct Pattern {
  int64_t streams;
  int64_t ahead;
};

constexpr int64_t lineBytes = 64, stepBytes = 4 * lineBytes;

/// Written with vectors as wide as a cache line, which the compiler splits into
/// what the target has.
__attribute__((always_inline)) inline void
readBuffer(const char *data, int64_t bytes, Pattern pattern) {
  typedef uint64_t Line __attribute__((vector_size(lineBytes)));
  Line sums[4] = {};
  int64_t part = bytes / pattern.streams / stepBytes * stepBytes;
  for (int64_t i = 0; i < part; i += stepBytes)
    for (int64_t stream = 0; stream < pattern.streams; ++stream) {
      const char *source = data + stream * part + i;
      if (pattern.ahead)
        for (int64_t line = 0; line < 4; ++line)
          __builtin_prefetch(source + pattern.ahead + line * lineBytes);
      for (int64_t line = 0; line < 4; ++line)
        sums[line] |=
            *reinterpret_cast<const Line *>(source + line * lineBytes);
    }
  Line all = sums[0] | sums[1] | sums[2] | sums[3];
  asm volatile("" : : "m"(all));
}

using Reader = void (*)(const char *, int64_t, Pattern);

void readDefault(const char *data, int64_t bytes, Pattern pattern) {
  readBuffer(data, bytes, pattern);
}
#if defined(__x86_64__)
__attribute__((target("avx2"))) void readAVX2(const char *data, int64_t bytes,
                                              Pattern pattern) {
  readBuffer(data, bytes, pattern);
}
__attribute__((target("avx512f"))) void
readAVX512(const char *data, int64_t bytes, Pattern pattern) {
  readBuffer(data, bytes, pattern);
}
#endif

Reader getReader() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f"))
    return readAVX512;
  if (__builtin_cpu_supports("avx2"))
    return readAVX2;
#endif
  return readDefault;
}

class ReadKernel : public Kernel {
public:
  ReadKernel(int64_t bytes, int64_t threads)
      : reader(getReader()), threads(threads),
        part(bytes / threads / stepBytes * stepBytes),
        passes(std::max<int64_t>(1, (int64_t(256) << 20) / bytes)) {
    mapped = mmap(nullptr, part * threads, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED)
      return;
    madvise(mapped, part * threads, MADV_HUGEPAGE);
    std::memset(mapped, 1, part * threads);
    // The limit is what the best pattern reaches.
    double best = std::numeric_limits<double>::infinity();
    Pattern fastest = pattern;
    for (int64_t streams : {1, 2, 4})
      for (int64_t ahead : {0, 1024, 4096}) {
        pattern = {streams, ahead};
        double time = std::min(call(0), call(1));
        if (time < best)
          fastest = pattern;
        best = std::min(best, time);
      }
    pattern = fastest;
  }

  ~ReadKernel() override {
    if (isValid())
      munmap(mapped, part * threads);
  }

  bool isValid() const { return mapped != MAP_FAILED; }

  double call(int64_t) override {
    return timeThreads(threads, [&](int64_t thread) {
      const char *data = static_cast<const char *>(mapped) + thread * part;
      for (int64_t pass = 0; pass < passes; ++pass)
        reader(data, part, pattern);
    });
  }
  Bytes getResult() override { return {nullptr, 0}; }
  double getWork() const override {
    return 1e-9 * (part / pattern.streams / stepBytes * stepBytes) *
           pattern.streams * threads * passes;
  }

private:
  Reader reader;
  int64_t threads;
  /// Bytes that each thread reads in a pass.
  int64_t part;
  int64_t passes;
  Pattern pattern = {1, 0};
  void *mapped;
};

Prepared prepare(const Case &task) {
  Prepared prepared;
  if (task.op == "read") {
    auto kernel = std::make_unique<ReadKernel>(task.bytes, task.threads);
    if (!kernel->isValid())
      return Prepared::error("no memory for " + std::to_string(task.bytes) +
                             " bytes");
    prepared.kernel = std::move(kernel);
    return prepared;
  }
  Arithmetic arithmetic = getArithmetic(task.op);
  if (!arithmetic.body)
    return Prepared::skip("this processor has no " + task.op);
  prepared.kernel =
      std::make_unique<ArithmeticKernel>(arithmetic, task.threads);
  return prepared;
}

} // namespace

int main() { return serveKernels(prepare); }
