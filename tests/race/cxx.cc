// SPDX-License-Identifier: MIT
// Tasks of wsfj.h in C++; with an argument, two children push into one vector, and a namespace has races. For use.sh.
#include <cstdio>
#include <vector>
#include <wsfj.h>
#include <wsfj/race.h>

static WS_TASK(long, fib, long, n)
{
    long x, y;

    if (n < 2)
        return n;
    ws_spawn(fib, &x, n - 1);
    y = ws_call(fib, n - 2);
    ws_sync();
    return x + y;
}

static WS_TASK_VOID(push, std::vector<long> *, v, long, i)
{
    v->push_back(i);
}

static WS_TASK_VOID(both, long, same)
{
    std::vector<long> v, w;

    ws_spawn(push, &v, 1);
    ws_spawn(push, same ? &v : &w, 2);
    ws_sync();
}

static WS_LOOP(each, long, i, long *, a)
{
    a[i]++;
}

namespace bank
{
static long total;

static WS_TASK_VOID(put, long, n)
{
    total += n;
}

static WS_TASK(long, value, long, n)
{
    return n;
}

static WS_TASK(long, early, long, n)
{
    long v = 0;

    ws_spawn(value, &v, n);
    n += v;
    ws_sync();
    return n;
}

static WS_TASK_VOID(all)
{
    long r;

    ws_spawn(put, 1);
    ws_spawn(put, 2);
    ws_spawn(early, &r, 3);
    ws_sync();
}

static void run()
{
    ws_run(all);
}
} // namespace bank

int main(int argc, char **)
{
    long r;
    std::vector<long> a(64);

    ws_run(fib, &r, 12L);
    ws_for(each, 0L, 64L, a.data());
    ws_run(both, (long)(argc > 1));
    if (argc > 1)
        bank::run();
    std::printf("%ld\n", r);
}
