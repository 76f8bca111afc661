/*===- ThreadPool.c - Threads of compiled programs ------------------------===*\
|*                                                                            *|
|* Part of the compress project, under the Apache License v2.0 with LLVM      *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Every worker has a slot of its own with one word, its state, that the      *|
|* worker and the thread which has taken the pool change by atomic exchanges: *|
|*                                                                            *|
|*        ---- posted ---> POSTED -- begun --> RUNNING -- caller sleeps --.   *|
|*       |                   |                    |                       v   *|
|*   IDLE <--- taken back ---'                    |                    WAITED *|
|*    ^  '--- worker sleeps ---> ASLEEP           |                       |   *|
|*    '-------------------------- done -----------+-----------------------'   *|
|*                                                                            *|
|* The range to run lies in the same cache line, so that a fork moves one     *|
|* line to each worker and a join moves it back. Both sides sleep on the word *|
|* itself, by a futex.                                                        *|
|*                                                                            *|
|* A range that its worker has not begun when the caller has done its own is  *|
|* taken back by the caller: then the worker's core is busy or asleep, and to *|
|* wait for it takes longer.                                                  *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "compress/Runtime/ThreadPool.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

enum { MaxThreads = 256 };

/* How long anyone spins before it sleeps. A wake-up takes about as long. */
static const int64_t SpinNanoseconds = 50000;
/* How long a worker has to begin after the caller has done its own range. */
static const int64_t BeginNanoseconds = 1000;

enum State { Idle, Asleep, Posted, Running, Waited, Stopped };

/* Two cache lines, since processors fetch them in pairs. */
struct Worker {
  _Alignas(128) _Atomic uint32_t state;
  unsigned floatControl;
  compress_task_range body;
  void *context;
  int64_t begin, end;
  pthread_t thread;
};

static struct Worker workers[MaxThreads - 1];
/* Set while a loop uses the pool; guards everything but the states. */
static atomic_bool taken;
static int64_t numWorkers;
static _Atomic int64_t limitSet, limitFound;

/*===----------------------------------------------------------------------===*\
|* Waiting
\*===----------------------------------------------------------------------===*/

static void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  _mm_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb" ::: "memory");
#endif
}

static int64_t readClock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Spins until the state is not `state`, or for `nanoseconds`. True if it is
   not. */
static bool spinWhile(struct Worker *worker, uint32_t state,
                      int64_t nanoseconds) {
  /* Most waits end before it pays to look at the clock. */
  int64_t deadline = 0;
  for (;;) {
    for (int i = 0; i < 16; ++i) {
      if (atomic_load_explicit(&worker->state, memory_order_acquire) != state)
        return true;
      relax();
    }
    int64_t now = readClock();
    if (!deadline)
      deadline = now + nanoseconds;
    else if (now >= deadline)
      return false;
  }
}

/* Sleeps until the state is not `state`. */
static void sleepWhile(struct Worker *worker, uint32_t state) {
  /* Nobody but this process waits, and errors mean to look again. */
  while (atomic_load_explicit(&worker->state, memory_order_acquire) == state)
    syscall(SYS_futex, &worker->state, FUTEX_WAIT_PRIVATE, state, NULL, NULL,
            0);
}

static void wake(struct Worker *worker) {
  syscall(SYS_futex, &worker->state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* Changes the state from `from` to `to` if it is `from`. */
static bool change(struct Worker *worker, uint32_t from, uint32_t to) {
  return atomic_compare_exchange_strong_explicit(
      &worker->state, &from, to, memory_order_acq_rel, memory_order_acquire);
}

/*===----------------------------------------------------------------------===*\
|* Workers
\*===----------------------------------------------------------------------===*/

/* Rounding and denormals are as in the calling thread, so that it does not
   matter which thread a task runs in. */
static unsigned getFloatControl(void) {
#ifdef __SSE__
  /* Without the exception flags, which differ all the time. */
  return _mm_getcsr() & ~0x3Fu;
#else
  return 0;
#endif
}

static void setFloatControl(unsigned control) {
#ifdef __SSE__
  if (getFloatControl() != control)
    _mm_setcsr(control);
#else
  (void)control;
#endif
}

static void *work(void *argument) {
  struct Worker *worker = argument;
  for (;;) {
    if (!spinWhile(worker, Idle, SpinNanoseconds) &&
        change(worker, Idle, Asleep))
      sleepWhile(worker, Asleep);
    if (atomic_load_explicit(&worker->state, memory_order_acquire) == Stopped)
      return NULL;
    if (!change(worker, Posted, Running))
      continue;
    setFloatControl(worker->floatControl);
    worker->body(worker->context, worker->begin, worker->end);
    if (atomic_exchange_explicit(&worker->state, Idle, memory_order_acq_rel) ==
        Waited)
      wake(worker);
  }
}

/* Creates workers up to `count`, as far as the system allows. */
static void createWorkers(int64_t count) {
  if (numWorkers >= count)
    return;
  /* Signals are the business of the program's own threads. */
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  for (; numWorkers < count; ++numWorkers) {
    struct Worker *worker = &workers[numWorkers];
    atomic_store_explicit(&worker->state, Idle, memory_order_relaxed);
    if (pthread_create(&worker->thread, NULL, work, worker))
      break;
  }
  pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* A new process has the thread that forked and no other. */
static void forgetWorkers(void) {
  numWorkers = 0;
  atomic_store(&taken, false);
}

__attribute__((constructor)) static void watchForks(void) {
  pthread_atfork(NULL, NULL, forgetWorkers);
}

/* At exit or dlclose. If a loop is running at exit, the workers end with the
   process; otherwise nothing runs in this code any more when it is unmapped,
   and loops of later destructors are sequential. */
__attribute__((destructor)) static void stopWorkers(void) {
  if (atomic_exchange(&taken, true))
    return;
  for (int64_t i = 0; i < numWorkers; ++i) {
    atomic_exchange_explicit(&workers[i].state, Stopped, memory_order_acq_rel);
    wake(&workers[i]);
  }
  for (int64_t i = 0; i < numWorkers; ++i)
    pthread_join(workers[i].thread, NULL);
  numWorkers = 0;
}

/*===----------------------------------------------------------------------===*\
|* Limits
\*===----------------------------------------------------------------------===*/

static int64_t countCores(void) {
  /* The kernel refuses masks that are too small for its number of cores. */
  for (int size = 1024; size <= (1 << 20); size *= 4) {
    cpu_set_t *mask = CPU_ALLOC(size);
    if (!mask)
      return 1;
    size_t bytes = CPU_ALLOC_SIZE(size);
    int failed = sched_getaffinity(0, bytes, mask);
    int64_t count = failed ? 1 : CPU_COUNT_S(bytes, mask);
    int error = errno;
    CPU_FREE(mask);
    if (!failed || error != EINVAL)
      return count;
  }
  return 1;
}

static int64_t findLimit(void) {
  int64_t limit = countCores();
  const char *text = getenv("COMPRESS_NUM_THREADS");
  if (text) {
    char *end;
    long long wanted = strtoll(text, &end, 10);
    if (end != text && !*end && wanted >= 1 && wanted < limit)
      limit = wanted;
  }
  return limit < MaxThreads ? limit : MaxThreads;
}

int64_t compress_thread_limit(void) {
  int64_t limit = atomic_load_explicit(&limitSet, memory_order_relaxed);
  if (limit)
    return limit;
  limit = atomic_load_explicit(&limitFound, memory_order_relaxed);
  if (!limit) {
    limit = findLimit();
    atomic_store_explicit(&limitFound, limit, memory_order_relaxed);
  }
  return limit;
}

void compress_set_thread_limit(int64_t limit) {
  limit = limit < 0 ? 0 : limit > MaxThreads ? MaxThreads : limit;
  atomic_store_explicit(&limitSet, limit, memory_order_relaxed);
}

/*===----------------------------------------------------------------------===*\
|* Loops
\*===----------------------------------------------------------------------===*/

/* count * part / parts, which might overflow as it stands. */
static int64_t getBound(int64_t count, int64_t part, int64_t parts) {
  return count / parts * part + count % parts * part / parts;
}

static void post(struct Worker *worker, compress_task_range body, void *context,
                 int64_t begin, int64_t end, unsigned floatControl) {
  worker->body = body;
  worker->context = context;
  worker->begin = begin;
  worker->end = end;
  worker->floatControl = floatControl;
  if (atomic_exchange_explicit(&worker->state, Posted, memory_order_acq_rel) ==
      Asleep)
    wake(worker);
}

/* Waits until the worker has done what was posted, or does it here. */
static void finish(struct Worker *worker) {
  if (!spinWhile(worker, Posted, BeginNanoseconds) &&
      change(worker, Posted, Idle)) {
    worker->body(worker->context, worker->begin, worker->end);
    return;
  }
  if (!spinWhile(worker, Running, SpinNanoseconds) &&
      change(worker, Running, Waited))
    sleepWhile(worker, Waited);
}

void compress_parallel_for(compress_task_range body, void *context,
                           int64_t count, int64_t threads) {
  if (count <= 0)
    return;
  int64_t limit = compress_thread_limit();
  int64_t parts = threads < limit ? threads : limit;
  parts = parts < count ? parts : count;
  if (parts <= 1 ||
      atomic_exchange_explicit(&taken, true, memory_order_acquire)) {
    body(context, 0, count);
    return;
  }
  createWorkers(parts - 1);
  parts = numWorkers + 1 < parts ? numWorkers + 1 : parts;
  unsigned floatControl = getFloatControl();
  for (int64_t i = 1; i < parts; ++i)
    post(&workers[i - 1], body, context, getBound(count, i, parts),
         getBound(count, i + 1, parts), floatControl);
  body(context, 0, getBound(count, 1, parts));
  for (int64_t i = 1; i < parts; ++i)
    finish(&workers[i - 1]);
  atomic_store_explicit(&taken, false, memory_order_release);
}
