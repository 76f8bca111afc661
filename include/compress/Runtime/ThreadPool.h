/*===- ThreadPool.h - Threads of compiled programs ----------------*- C -*-===*\
|*                                                                            *|
|* Part of the compress project, under the Apache License v2.0 with LLVM      *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* What compiled programs call to run loops on several threads. It is plain C *|
|* that depends on the C library only, as libCompressRuntime.a for programs   *|
|* that are linked ahead of time and as libcompress_runtime.so.               *|
|*                                                                            *|
|* There is one pool in a process, whose workers are created when they are    *|
|* first needed. A worker that has nothing to do spins for some 50            *|
|* microseconds, so that the next loop starts in a fraction of a microsecond, *|
|* and then sleeps in the kernel. Nothing ever spins for longer than that: on *|
|* a busy machine the pool becomes slower, but does not hold others up.       *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef COMPRESS_RUNTIME_THREADPOOL_H
#define COMPRESS_RUNTIME_THREADPOOL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The tasks [begin, end) of a loop. */
typedef void (*compress_task_range)(void *context, int64_t begin, int64_t end);

/**
 * Runs the tasks [0, count) on `threads` threads, the calling one among them,
 * and returns when all are done. With T threads, range t of the tasks is
 * [count * t / T, count * (t + 1) / T), and each range is one call of `body`.
 * T is the smallest of `threads`, `count` and compress_thread_limit().
 *
 * All tasks run in the calling thread, as one range, if T is 1, inside of a
 * task of a loop with several ranges, or while the pool works for another
 * thread. So `body` must neither depend on where ranges end nor on the thread
 * that runs it, and no task may wait for another. Calls from several threads
 * are allowed. Forking a process inside `body` is not.
 *
 * Nothing happens if `count` is 0 or negative. `threads` below 1 means 1.
 */
void compress_parallel_for(compress_task_range body, void *context,
                           int64_t count, int64_t threads);

/**
 * The most threads that a loop gets: what compress_set_thread_limit said,
 * otherwise the number of cores that this process may use (its affinity mask
 * when first asked) or the environment variable COMPRESS_NUM_THREADS, if that
 * is a smaller number of at least 1.
 */
int64_t compress_thread_limit(void);

/**
 * Sets the most threads that loops get from now on, also to more than there are
 * cores; at most 256. Zero or less takes the setting back.
 */
void compress_set_thread_limit(int64_t limit);

#ifdef __cplusplus
}
#endif

#endif /* COMPRESS_RUNTIME_THREADPOOL_H */
