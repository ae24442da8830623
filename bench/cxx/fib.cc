/* SPDX-License-Identifier: MIT */
/* fib as the task macros, wsfj.hpp and oneTBB write it: fib WAY N, with one worker. Prints the seconds of processor
 * time. The empty asm makes the compiler keep every call. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#ifdef WITH_TBB
#include <tbb/global_control.h>
#include <tbb/parallel_invoke.h>
#else
#include <wsfj.hpp>
#endif

#define LEAF(n)                                                                                                        \
    if ((n) < 2) {                                                                                                     \
        __asm__ volatile("");                                                                                          \
        return n;                                                                                                      \
    }

#ifdef WITH_TBB
static long invoked(long n)
{
    LEAF(n);
    long x, y;
    tbb::parallel_invoke([&] { x = invoked(n - 1); }, [&] { y = invoked(n - 2); });
    return x + y;
}
#else
static WS_TASK(long, macros, long, n)
{
    LEAF(n);
    long x, y;
    ws_spawn(macros, &x, n - 1);
    y = ws_call(macros, n - 2);
    ws_sync();
    return x + y;
}

inline long function(long n)
{
    LEAF(n);
    long x, y;
    ws::task_scope s;
    s.spawn(x, function, n - 1);
    y = function(n - 2);
    s.sync();
    return x + y;
}

inline long lambda(long n)
{
    LEAF(n);
    long x, y;
    ws::task_scope s;
    s.spawn([&x, n] { x = lambda(n - 1); });
    y = lambda(n - 2);
    s.sync();
    return x + y;
}

/* The end of the block awaits the child. */
inline long unsynced(long n)
{
    LEAF(n);
    long x, y;
    {
        ws::task_scope s;
        s.spawn([&x, n] { x = unsynced(n - 1); });
        y = unsynced(n - 2);
    }
    return x + y;
}

inline long invoked(long n)
{
    LEAF(n);
    long x, y;
    ws::parallel_invoke([&] { x = invoked(n - 1); }, [&] { y = invoked(n - 2); });
    return x + y;
}
#endif

template <class F> static int timed(long n, F &&run)
{
    std::clock_t start = std::clock(); /* there is one worker: others may have the processor meanwhile */
    long r = run();
    double seconds = (double)(std::clock() - start) / CLOCKS_PER_SEC;
    long a = 0, b = 1;

    for (long i = 0; i < n; i++) {
        long c = a + b;
        a = b;
        b = c;
    }
    std::printf("%.6f\n", seconds);
    return r != a;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        std::fprintf(stderr, "usage: fib WAY N\n");
        return 2;
    }
    const char *way = argv[1];
    long n = std::atol(argv[2]);

#ifdef WITH_TBB
    tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
    if (!std::strcmp(way, "tbb"))
        return timed(n, [&] { return invoked(n); });
#else
    setenv("WSFJ_NUM_WORKERS", "1", 1);
    if (ws_init(nullptr))
        return 1;
    if (!std::strcmp(way, "macros"))
        return timed(n, [&] {
            long r = 0;
            return ws_run(macros, &r, n) ? -1 : r;
        });
    if (!std::strcmp(way, "function"))
        return timed(n, [&] { return ws::run(function, n); });
    if (!std::strcmp(way, "lambda"))
        return timed(n, [&] { return ws::run(lambda, n); });
    if (!std::strcmp(way, "unsynced"))
        return timed(n, [&] { return ws::run(unsynced, n); });
    if (!std::strcmp(way, "invoke"))
        return timed(n, [&] { return ws::run(invoked, n); });
#endif
    std::fprintf(stderr, "fib: there is no way %s\n", way);
    return 2;
}
