/* SPDX-License-Identifier: MIT */
/* Pairs of spawns, syncs, frames and stacks (cases.h). */
#include "cases.h"

#include <stdlib.h>

long total, table[64];
static WS_TASK(long, fib, long, n) /* early two_results */
{
    long x, y;
    if (n < 2)
        return n;
    ws_spawn(fib, &x, n - 1);
    y = ws_call(fib, n - 2);
    if (bug)
        y += x; /* early */
    ws_sync();
    return x + y;
}
static void early(void)
{
    long r;
    ws_run(fib, &r, 10L);
}

static WS_TASK_VOID(add, long, n)
{
    if (bug)
        total += n; /* shared */
    else
        table[n] += n;
}
static WS_TASK_VOID(adds, long, n)
{
    for (long i = 0; i < n; i++)
        ws_spawn(add, i);
    ws_sync();
}
static void shared(void)
{
    ws_run(adds, 16L);
}

static WS_TASK_VOID(put, long *, p, long, v)
{
    *p = v; /* overwritten returned dead_local stack_reused regions scope */
}
static WS_TASK(long, overwrites, long, n)
{
    long a = 1;
    ws_spawn(put, &a, n);
    if (bug)
        a = 2; /* overwritten */
    ws_sync();
    return a;
}
static void overwritten(void)
{
    long r;
    ws_run(overwrites, &r, 3L);
}

static WS_TASK(long, returns, long, n)
{
    long keep[2] = {n, n};
    ws_spawn(put, &keep[0], n);
    if (!bug)
        ws_sync();
    return n;
}
static void returned(void)
{
    long r;
    ws_run(returns, &r, 3L);
}

static WS_TASK(long, twice, long, n)
{
    long x, y;
    ws_spawn(fib, &x, n);
    ws_spawn(fib, bug ? &x : &y, n);
    ws_sync();
    return x;
}
static void two_results(void)
{
    long r;
    ws_run(twice, &r, 1L);
}

static WS_TASK_VOID(halved, long *, a, long, n)
{
    if (n <= 2) {
        for (long i = 0; i < n; i++)
            a[i]++; /* overlap */
        return;
    }
    ws_spawn(halved, a, n / 2 + (bug ? 1 : 0));
    ws_call(halved, a + n / 2, n - n / 2);
    ws_sync();
}
static void overlap(void)
{
    ws_run(halved, table, 32L);
}

static WS_TASK_VOID(put_frame, long, n)
{
    (void)n;
    total = 2; /* frame */
}
static void helper(long n)
{
    ws_frame();
    ws_spawn(put_frame, n);
    if (!bug)
        ws_sync();
    total = 1; /* frame */
}
static WS_TASK_VOID(in_frame, long, n)
{
    helper(n);
    total = 3; /* the frame has waited */
}
static void frame(void)
{
    ws_run(in_frame, 1L);
}

static WS_TASK_VOID(grandchild, long, n)
{
    table[n] = n; /* nested */
}
static WS_TASK_VOID(child, long, n)
{
    ws_spawn(grandchild, n);
    ws_sync();
}
static WS_TASK_VOID(nests, long, n)
{
    ws_spawn(child, n);
    ws_call(child, bug ? n : n + 1);
    ws_sync();
}
static void nested(void)
{
    ws_run(nests, 5L);
}

static WS_TASK_VOID(left_half, long, n)
{
    table[n]++; /* invoked spawned_if */
}
static WS_TASK_VOID(invokes, long, n)
{
    ws_invoke((left_half, n), (left_half, bug ? n : n + 1));
}
static void invoked(void)
{
    ws_run(invokes, 5L);
}

static WS_TASK_VOID(may_spawn, long, n)
{
    ws_spawn_if(bug, left_half, n);
    table[n]++; /* spawned_if */
    ws_sync();
}
static void spawned_if(void)
{
    ws_run(may_spawn, 5L);
}

/* A loop's own variable is one and the same for all children. */
static WS_TASK(long, block_local, long, n)
{
    long sum = 0, each[4];
    for (long i = 0; i < n; i++) {
        long one;
        ws_spawn(put, bug ? &one : &each[i], i);
        sum += bug ? 0 : i;
    }
    ws_sync();
    return sum;
}
static void dead_local(void)
{
    long r;
    ws_run(block_local, &r, 4L);
}

static WS_TASK(long, sums, long *, p, long, n)
{
    long s = 0;
    for (long i = 0; i < n; i++)
        s += p[i]; /* freed reallocated */
    return s;
}
static WS_TASK(long, frees, long, n)
{
    long r, *p = calloc((size_t)n, sizeof *p);
    ws_spawn(sums, &r, p, n);
    if (bug)
        free(p); /* freed */
    ws_sync();
    if (!bug)
        free(p);
    return r;
}
static void freed(void)
{
    long r;
    ws_run(frees, &r, 10L);
}
long *volatile kept;
static WS_TASK(long, grows, long, n)
{
    long r, *p = calloc((size_t)n, sizeof *p);
    ws_spawn(sums, &r, p, n);
    if (!bug)
        ws_sync();
    kept = realloc(p, 4096 * sizeof *p); /* reallocated */
    ws_sync();
    free(kept);
    return r;
}
static void reallocated(void)
{
    long r;
    ws_run(grows, &r, 10L);
}

/* The stack is used again by siblings and by helpers: no race. */
static __attribute__((noinline)) long deep(long *a, int n)
{
    long b[32];
    if (!n)
        return a[0];
    for (int i = 0; i < 32; i++)
        b[i] = a[i & 3] + i;
    return deep(b, n - 1) + b[n];
}
static WS_TASK(long, uses_stack, long, n)
{
    long v[4] = {1, 2, 3, n}, r[4], s;
    for (int i = 0; i < 4; i++)
        ws_spawn(put, bug ? &total : &r[i], v[i]);
    s = deep((long[4]){1, 2, 3, 4}, 5);
    ws_sync();
    return s + r[0];
}
static WS_TASK(long, reuses, long, n)
{
    long s = 0, r[64];
    for (long i = 0; i < n; i++) {
        ws_spawn(uses_stack, &r[i], i);
        s += deep((long[4]){i, 1, 2, 3}, 3);
    }
    ws_sync();
    for (long i = 0; i < n; i++)
        s += r[i];
    return s;
}
static void stack_reused(void)
{
    long r;
    ws_run(reuses, &r, 64L);
}

static WS_TASK_VOID(region, long, n)
{
    ws_spawn(put, &table[0], n);
    ws_spawn(put, bug ? &table[0] : &table[1], n);
    ws_sync();
}
static void regions(void)
{
    for (long i = 0; i < 3; i++) /* one after the other: no race between them */
        ws_run(region, i);
}

static WS_TASK_VOID(scoped, long, n)
{
    ws_scope s;
    ws_scope_begin(&s);
    ws_spawn(put, &table[1], n);
    if (!bug)
        (void)ws_scope_end(&s);
    table[1] = 5; /* scope */
    if (bug)
        (void)ws_scope_end(&s);
}
static void scope(void)
{
    ws_run(scoped, 7L);
}

CASES({"early", early, "result of fib read before ws_sync"}, {"shared", shared, "write and"},
      {"overwritten", overwritten, "write and write"},
      {"returned", returned, "returns returned without ws_sync: child put keeps a dead local, which it writes"},
      {"two_results", two_results, "two children store their results in one variable"},
      {"overlap", overlap, "write and"}, {"frame", frame, "write and write"}, {"nested", nested, "write and write"},
      {"invoked", invoked, "write and"}, {"spawned_if", spawned_if, "write and"},
      {"dead_local", dead_local, "two children keep one local variable until ws_sync, or a dead one"},
      {"freed", freed, "free of what child sums reads"}, {"reallocated", reallocated, "free of what child sums reads"},
      {"stack_reused", stack_reused, "write and write"}, {"regions", regions, "write and write"},
      {"scope", scope, "write and write"})
