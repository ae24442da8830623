/* SPDX-License-Identifier: MIT */
/* fib as the task macros, wsfj.hpp and oneTBB write it: fib WAY N, with one worker. Prints the seconds of processor
 * time. The empty asm makes the compiler keep every call. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <time.h>

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

/* Of this thread: a region with one worker keeps it, and other programs may have the processor meanwhile. */
static double seconds()
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int timed(long n, long (*fib)(long))
{
    double start = seconds();
    long r = fib(n);
    long a = 0, b = 1;

    std::printf("%.6f\n", seconds() - start);
    for (long i = 0; i < n; i++) {
        long c = a + b;
        a = b;
        b = c;
    }
    return r != a;
}

struct way {
    const char *name;
    long (*fib)(long);
};

int main(int argc, char **argv)
{
#ifdef WITH_TBB
    static const way ways[] = {{"tbb", invoked}};
    tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
#else
    static const way ways[] = {
        {"macros", macros}, {"function", function}, {"lambda", lambda}, {"unsynced", unsynced}, {"invoke", invoked}};
    setenv("WSFJ_NUM_WORKERS", "1", 1);
#endif
    for (auto &w : ways) {
        if (argc != 3 || std::strcmp(argv[1], w.name))
            continue;
#ifdef WITH_TBB
        return timed(std::atol(argv[2]), w.fib);
#else
        return ws::run(timed, std::atol(argv[2]), w.fib);
#endif
    }
    std::fprintf(stderr, "usage: fib WAY N\n");
    return 2;
}
