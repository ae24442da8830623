/* SPDX-License-Identifier: MIT */
/*
 * oneTBB and libwsfj in one process, in all the ways that doc/process.md says work. Prints the errors; the exit status
 * is the number of ways that failed.
 */
#include <atomic>
#include <cstdio>
#include <thread>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_group.h>
#include <wsfj.h>

#include "../support/fib_task.h"

constexpr int repeats = 50;

static int wrong_run()
{
    long r = -1;

    return ws_run(fib, &r, 15) != 0 || r != 610 || ws_worker_id() != -1;
}

/* Every thread of TBB is a foreign thread. */
static int run_inside_parallel_for()
{
    std::atomic<int> wrong{0};

    tbb::parallel_for(0, 10 * repeats, [&](int) { wrong += wrong_run(); });
    return wrong;
}

static int run_inside_a_task_group()
{
    std::atomic<int> wrong{0};
    tbb::task_group group;

    for (int i = 0; i < 10 * repeats; i++)
        group.run([&] { wrong += wrong_run(); });
    group.wait();
    return wrong;
}

static long sum(long n)
{
    return tbb::parallel_reduce(
        tbb::blocked_range<long>(0, n), 0L,
        [](const tbb::blocked_range<long> &r, long s) {
            for (long i = r.begin(); i < r.end(); i++)
                s += i;
            return s;
        },
        [](long a, long b) { return a + b; });
}

static WS_TASK(int, opens_loops, long, depth)
{
    int below = 0, here;

    if (depth == 0)
        return sum(2000) != 1999000;
    ws_spawn(opens_loops, &below, depth - 1);
    here = ws_call(opens_loops, depth - 1);
    here += sum(1000) != 499500;
    ws_sync();
    here += sum(1000) != 499500; /* perhaps on another thread */
    return below + here;
}

static int loops_inside_tasks()
{
    int wrong = -1;

    return ws_run(opens_loops, &wrong, 8) != 0 || wrong;
}

static int both_at_once()
{
    std::atomic<bool> stop{false};
    int other = 0, wrong = 0;
    std::thread thread([&] {
        while (!stop)
            other += wrong_run();
    });

    for (int i = 0; i < 10 * repeats; i++)
        wrong += sum(10000) != 49995000;
    stop = true;
    thread.join();
    return wrong + other;
}

static int stop_and_start()
{
    return (ws_fini() != 0) + run_inside_parallel_for() + (sum(1000) != 499500);
}

int main(int argc, char **)
{
    static const struct {
        const char *name;
        int (*wrong)();
    } ways[] = {
        {"ws_run() inside parallel_for", run_inside_parallel_for},
        {"ws_run() inside a task_group", run_inside_a_task_group},
        {"parallel_reduce inside tasks", loops_inside_tasks},
        {"both at once, from two threads", both_at_once},
        {"a stop and a second start", stop_and_start},
    };
    int failed = 0;
    ws_config config;

    ws_config_default(&config);
    config.num_workers = 3;
    if (argc > 1)
        config.stack_size = 128 << 10;
    failed += ws_init(&config) != 0;
    for (auto &way : ways) {
        int wrong = way.wrong();

        if (wrong)
            std::printf("%s: %d wrong\n", way.name, wrong);
        failed += wrong != 0;
    }
    return failed;
}
