/* SPDX-License-Identifier: MIT */
/*
 * All iterations of a loop add to one variable. Only a run in which a thief takes a part of the loop can lose additions;
 * wsfj-race needs no such run. Remedy: a reduction, in which each part of the loop has a variable of its own.
 */
#include <stdio.h>
#include <wsfj.h>

#define N 4000

#ifdef REMEDIED
static WS_REDUCE(long, 0, WS_ADD, add, long, i, const int *, a)
{
    return a[i];
}
#define ADD_ALL(total, a) ws_for(add, &(total), 0, N, a)
#else
static WS_LOOP(add, long, i, const int *, a, long *, total)
{
    *total += a[i];
}
#define ADD_ALL(total, a) ws_for(add, 0, N, a, &(total))
#endif

static long total;

int main(void)
{
    static int a[N];

    for (int i = 0; i < N; i++)
        a[i] = i;
    if (ADD_ALL(total, a) != 0)
        return 1;
    printf("sums_wrong %d\n", total != N * (N - 1L) / 2);
    return 0;
}
