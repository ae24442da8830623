/* SPDX-License-Identifier: MIT */
/* A user's program, valid C11 and C++17: the example of wsfj.h. */
#include <wsfj.h>

WS_TASK(long, fib, long, n)
{
    if (n < 2)
        return n;
    long x, y;
    ws_spawn(fib, &x, n - 1);
    y = ws_call(fib, n - 2);
    ws_sync();
    return x + y;
}

int main(void)
{
    long r = 0;
    return ws_run(fib, &r, 20) != 0 || r != 6765;
}
