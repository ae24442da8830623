/* SPDX-License-Identifier: MIT */
/* oneTBB: task_arena::enqueue, whose tasks nobody can wait for: so they are counted. Tasks only. */
#include "small.h"

#include <atomic>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

static tbb::task_arena arena;
static std::atomic<long> remaining;

/* All threads but main's are workers. */
static int begin(int workers, int beside)
{
    static tbb::global_control control(tbb::global_control::max_allowed_parallelism, (size_t)workers + 1);

    (void)beside;
    arena.initialize(workers + 1, 1);
    return 0;
}

static void tasks(long n, small_task *f, char *first)
{
    remaining.store(n, std::memory_order_relaxed);
    arena.enqueue([=] {
        for (long i = 0; i < n; i++) {
            arena.enqueue([=] {
                f(first + i);
                if (remaining.fetch_sub(1, std::memory_order_acq_rel) == 1)
                    remaining.notify_one();
            });
        }
    });
    for (long left; (left = remaining.load(std::memory_order_acquire)) > 0;)
        remaining.wait(left, std::memory_order_acquire);
}

extern const struct small_contender contender = {begin, tasks, nullptr, nullptr, nullptr, nullptr};
