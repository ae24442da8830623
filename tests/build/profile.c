/* SPDX-License-Identifier: MIT */
/* A program for profile.sh: two sites, one of them in a file with a name that no report may take for its own text. */
#include <wsfj.h>

#ifdef ELSEWHERE
WS_DECLARE(long, elsewhere, long, n);
#endif

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

static WS_TASK(long, root)
{
    long x = 0;

#ifdef ELSEWHERE
    ws_spawn(elsewhere, &x, 20);
#else
#line 7 "a \"<b>&c,'d.c"
    ws_spawn(fib, &x, 20);
#endif
    ws_sync();
    return x;
}

int main(void)
{
    long x = 0;

    return ws_run(root, &x) || x != 6765 || ws_run(fib, &x, 10) || x != 55;
}
