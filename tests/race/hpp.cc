// SPDX-License-Identifier: MIT
// Tasks, a loop and a reduction of wsfj.hpp; with an argument, each with a race. For use.sh.
#include <cstdio>
#include <vector>
#include <wsfj.hpp>

static bool bug;
static long total;

static long fib(long n)
{
    if (n < 2)
        return n;
    long x, y;
    ws::task_scope s;

    s.spawn(x, fib, n - 1);
    y = fib(n - 2);
    if (bug)
        y += x;
    s.sync();
    return x + y;
}

int main(int argc, char **)
{
    bug = argc > 1;
    long r = ws::run([] { return fib(12); });
    std::vector<long> a(64);

    ws::for_each(0L, 64L, [&](long i) { a[bug ? 0 : i] = i; });
    long s = ws::reduce(
        0L, 64L, 0L, [](long x, long y) { return x + y; },
        [&](long i) {
            if (bug)
                total++;
            return a[i];
        });
    std::printf("%ld %ld\n", r, s);
}
