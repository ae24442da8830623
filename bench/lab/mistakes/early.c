/* SPDX-License-Identifier: MIT */
/*
 * A missing sync: a task uses its child's result before the child is done. The serial elision is right; a parallel run is
 * wrong, but does not say where. wsfj-race does. Remedy: ws_sync() before the result is used.
 */
#include <stdio.h>
#include <wsfj.h>

#define N 4000

#ifdef REMEDIED
#define SYNC ws_sync()
#else
#define SYNC (void)0
#endif

static WS_TASK(long, sum, const int *, a, long, n)
{
    long left, right = 0;

    if (n <= 1000) {
        for (long i = 0; i < n; i++)
            right += a[i];
        return right;
    }
    ws_spawn(sum, &left, a, n / 2);
    right = ws_call(sum, a + n / 2, n - n / 2);
    SYNC;
    return left + right;
}

int main(void)
{
    static int a[N];
    long all = 0;

    for (int i = 0; i < N; i++)
        a[i] = i;
    if (ws_run(sum, &all, a, (long)N) != 0)
        return 1;
    printf("sums_wrong %d\n", all != N * (N - 1L) / 2);
    return 0;
}
