/* SPDX-License-Identifier: MIT */
/* Tasks to stop in by their names, for build/gdb.sh: solve() is called 67 times, an iteration of mark() 10 times. */
#include <stdio.h>
#include <wsfj.h>

static int marks[10];

WS_TASK(long, solve, long, n)
{
    long a, b;

    if (n < 2)
        return n;
    ws_spawn(solve, &a, n - 1);
    b = ws_call(solve, n - 2);
    ws_sync();
    return a + b;
}

WS_LOOP(mark, int, i, int, by)
{
    __atomic_add_fetch(&marks[i], by, __ATOMIC_RELAXED);
}

int main(void)
{
    long result = 0;

    if (ws_run(solve, &result, 8) != 0 || ws_for(mark, 0, 10, 3) != 0)
        return 1;
    printf("%ld %d\n", result, marks[9]);
    return 0;
}
