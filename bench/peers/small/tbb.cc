/* SPDX-License-Identifier: MIT */
/* oneTBB: task_group::run, task_arena::enqueue for a task from outside, parallel_for. */
#include "small.h"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

static tbb::task_arena arena;

/* An arena alone would get no more threads than there are CPUs. A submitter keeps out of the arena. */
static int begin(int workers, int beside)
{
    static tbb::global_control control(tbb::global_control::max_allowed_parallelism, (size_t)(workers + beside));

    arena.initialize(workers + beside, 1);
    return 0;
}

static void tasks(long n, small_task *f, char *first)
{
    arena.execute([=] {
        tbb::task_group group;

        for (long i = 0; i < n; i++)
            group.run([=] { f(first + i); });
        group.wait();
    });
}

static void submit(small_task *f, void *argument, void (*wait)(void))
{
    arena.enqueue([=] { f(argument); });
    wait();
}

static void loop(long n, unsigned char *runs)
{
    tbb::parallel_for(tbb::blocked_range<long>(0, n), [=](const tbb::blocked_range<long> &part) {
        for (long i = part.begin(); i < part.end(); i++)
            small_iteration(runs, i);
    });
}

static int at(enum small_place place, void (*f)(void *), void *argument)
{
    if (place == SMALL_PHASE)
        return -1;
    if (place == SMALL_OUTSIDE) {
        f(argument);
        return 0;
    }
    arena.execute([=] {
        tbb::task_group group;

        group.run_and_wait([=] { f(argument); });
    });
    return 0;
}

extern const struct small_contender contender = {begin, tasks, nullptr, submit, loop, at};
