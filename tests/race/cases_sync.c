/* SPDX-License-Identifier: MIT */
/* Pairs of locks, atomics, loops, groups and slots (cases.h). */
#define _GNU_SOURCE
#include "cases.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

long total, table[64], out[64];
static pthread_mutex_t mutex[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static _Atomic long counter, flag;
static _Atomic __int128 wide;
static long message;

/* All operations on sixteen bytes, from 0; both halves of a value are used. */
#define WIDE(high, low) ((__int128)((unsigned __int128)(high) << 64 | (low)))
static void wide_is(__int128 value, __int128 right)
{
    if (value != right)
        abort();
}
static void wide_values(void)
{
    __int128 expected = WIDE(1, 2);
    atomic_store(&wide, WIDE(1, ~0UL));                                         /* atomic_wide */
    wide_is(atomic_fetch_add(&wide, 2), WIDE(1, ~0UL));                         /* atomic_wide */
    wide_is(atomic_fetch_sub(&wide, 1), WIDE(2, 1));                            /* atomic_wide */
    wide_is(atomic_fetch_or(&wide, WIDE(5, 4)), WIDE(2, 0));                    /* atomic_wide */
    wide_is(atomic_fetch_and(&wide, WIDE(3, 6)), WIDE(7, 4));                   /* atomic_wide */
    wide_is(atomic_fetch_xor(&wide, WIDE(1, 1)), WIDE(3, 4));                   /* atomic_wide */
    wide_is(atomic_exchange(&wide, WIDE(7, 9)), WIDE(2, 5));                    /* atomic_wide */
    wide_is(atomic_compare_exchange_strong(&wide, &expected, WIDE(4, 4)), 0);   /* atomic_wide */
    wide_is(expected, WIDE(7, 9));                                              /* atomic_wide */
    wide_is(atomic_compare_exchange_weak(&wide, &expected, WIDE(4, 4)), 1);     /* atomic_wide */
    wide_is(__atomic_fetch_nand((__int128 *)&wide, WIDE(6, 1), 5), WIDE(4, 4)); /* atomic_wide */
    wide_is(atomic_load(&wide), WIDE(~4UL, ~0UL));                              /* atomic_wide */
}

/* clang-format off */
TWO(two_locks, pthread_mutex_t *m = &mutex[bug ? i : 0]; pthread_mutex_lock(m); total++; pthread_mutex_unlock(m);) /* two_locks */
TWO(unlocked, if (!bug || i) pthread_mutex_lock(mutex); total++; if (!bug || i) pthread_mutex_unlock(mutex);) /* unlocked */
TWO(read_lock, bug ? pthread_rwlock_rdlock(&rwlock) : pthread_rwlock_wrlock(&rwlock); total++; pthread_rwlock_unlock(&rwlock);) /* read_lock */
TWO(atomic_plain, if (bug && i) *(long *)&counter = 1; else atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed);) /* atomic_plain */
TWO(atomic_wide, if (bug && i) *(__int128 *)&wide = 1; else if (i) wide_values(); else (void)atomic_load(&wide);) /* atomic_wide */
TWO(fake_lock, if (!bug) wsfj_race_lock(&total); total++; if (!bug) wsfj_race_unlock(&total);) /* fake_lock */
TWO(ignored, if (!bug) wsfj_race_ignore_begin(); total++; if (!bug) wsfj_race_ignore_end();) /* ignored */
/* clang-format on */

/* A message by release and acquire, or by relaxed atomics. */
static WS_TASK_VOID(sends, long, n)
{
    message = n; /* published */
    if (bug)
        atomic_store_explicit(&flag, 1, memory_order_relaxed);
    else
        atomic_store_explicit(&flag, 1, memory_order_release);
}
static WS_TASK(long, receives, long, n)
{
    if (bug ? atomic_load_explicit(&flag, memory_order_relaxed) : atomic_load_explicit(&flag, memory_order_acquire))
        return message + n; /* published */
    return 0;
}
static WS_TASK_VOID(both, long, n)
{
    long r;
    ws_spawn(sends, n);
    r = ws_call(receives, n);
    ws_sync();
    total = r;
}
static void published(void)
{
    ws_run(both, 5L);
}

/* The last to count frees: by a count that orders, or not. */
static long *shared_block;
static WS_TASK_VOID(drops, long, n)
{
    out[n] = shared_block[0]; /* counted */
    if (bug ? atomic_fetch_sub_explicit(&counter, 1, memory_order_relaxed) == 1 : atomic_fetch_sub(&counter, 1) == 1)
        free(shared_block); /* counted */
}
static WS_TASK_VOID(drop_all, long, n)
{
    for (long i = 0; i < n; i++)
        ws_spawn(drops, i);
    ws_sync();
}
static void counted(void)
{
    shared_block = calloc(1, 64);
    counter = 8;
    ws_run(drop_all, 8L);
}

/* Fences instead of orders. */
static WS_TASK_VOID(sends_fenced, long, n)
{
    message = n; /* fenced */
    if (!bug)
        atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
}
static WS_TASK(long, receives_fenced, long, n)
{
    if (!atomic_load_explicit(&flag, memory_order_relaxed))
        return 0;
    atomic_thread_fence(memory_order_acquire);
    return message + n; /* fenced */
}
static WS_TASK_VOID(both_fenced, long, n)
{
    long r;
    ws_spawn(sends_fenced, n);
    r = ws_call(receives_fenced, n);
    ws_sync();
    total = r;
}
static void fenced(void)
{
    ws_run(both_fenced, 5L);
}

static WS_LOOP(each, long, i, long *, a)
{
    a[bug ? i & ~1L : i]++; /* loop */
}
static void loop(void)
{
    ws_for(each, 0L, 64L, table);
}
static WS_LOOP(one_before, long, i, long *, a)
{
    out[i] = a[bug && i ? i - 1 : i]; /* loop_before */
    a[i] = i;                         /* loop_before */
}
static void loop_before(void)
{
    ws_for(one_before, 0L, 64L, table);
}
static WS_LOOP2(tile, long, i, long, j)
{
    table[bug ? i + j : 8 * i + j]++; /* loop2 */
}
static void loop2(void)
{
    ws_for(tile, 0L, 8L, 0L, 8L);
}
static WS_RANGE(range, long, lo, hi)
{
    for (long i = lo; i < hi; i++)
        table[bug ? i / 2 : i]++; /* ranges */
}
static void ranges(void)
{
    ws_for(range, 0L, 64L);
}
static WS_LOOP_STATIC(sliced, long, i, long *, a)
{
    a[bug ? 1 : i]++; /* static_loop */
}
static void static_loop(void)
{
    ws_for(sliced, 0L, 64L, table);
}
static WS_REDUCE(long, 0, WS_ADD, sum, long, i)
{
    if (bug)
        total++; /* reduced */
    return i;
}
static void reduced(void)
{
    long r;
    ws_run(sum, &r, 0L, 64L);
}
static WS_REDUCE_ANY(long, 0, WS_ADD, any, long, i)
{
    table[bug ? 0 : i] = i; /* reduced_any */
    return i;
}
static void reduced_any(void)
{
    long r;
    ws_run(any, &r, 0L, 64L);
}
struct list {
    long n, *items;
};
static void list_init(struct list *l)
{
    l->n = 0;
    l->items = malloc(64 * sizeof *l->items);
}
static void list_merge(struct list *to, struct list *from)
{
    memcpy(to->items + to->n, from->items, (size_t)from->n * sizeof *to->items);
    to->n += from->n;
    free(from->items);
}
static WS_FOLD(struct list, list_init, list_merge, collect, struct list *, l, long, i)
{
    l->items[l->n++] = i;
    if (bug)
        total = i; /* folded */
}
static void folded(void)
{
    struct list l;
    list_init(&l);
    ws_run(collect, &l, 0L, 64L);
    free(l.items);
}
static WS_TRY(tried, long, i)
{
    table[bug ? 3 : i] = i; /* tries */
    return i == 50;
}
static void tries(void)
{
    WS_TRIED(long) r;
    ws_run(tried, &r, 0L, 64L);
}
static WS_LOCAL(long, slot);
static WS_LOOP(counts, long, i)
{
    ++*(bug ? &total : ws_local(&slot)); /* local */
    (void)i;
}
static void local(void)
{
    ws_for(counts, 0L, 64L);
    ws_local_each(&slot, p) total += *p;
}

/* Memory behind a slot belongs to the worker: before a spawn, behind it and after the sync. A child without a view shares it. */
struct scratch {
    long size, *numbers, **rows;
};
static WS_LOCAL(struct scratch, scratch);
static WS_TASK_VOID(borrows, long *, p)
{
    *p = 1; /* behind_slot */
}
static WS_TASK_VOID(scratches, long, n)
{
    struct scratch *mine = ws_local(&scratch);
    long own;
    if (mine->size <= n) {
        mine->size = 2 * n + 2;
        mine->numbers = realloc(mine->numbers, (size_t)mine->size * sizeof(long));
        memset(mine->numbers, 0, (size_t)mine->size * sizeof(long));
    }
    if (!mine->rows) {
        mine->rows = calloc(2, sizeof *mine->rows);
        mine->rows[1] = calloc(8, sizeof **mine->rows);
    }
    mine->numbers[0]++;
    mine->rows[1][n] = n;
    if (n > 0) {
        ws_spawn(scratches, n - 1);
        ws_spawn(borrows, bug ? &mine->rows[1][7] : &own);
        mine->numbers[n]++;
        mine->rows[1][7]++; /* behind_slot */
        ws_call(scratches, n - 1);
        ws_sync();
        mine->numbers[n]++;
        mine->rows[1][7]++; /* behind_slot */
    }
}
static WS_TASK_VOID(scratches_all, long, n)
{
    for (long i = 0; i < n; i++)
        ws_spawn(scratches, i);
    ws_sync();
}
static void behind_slot(void)
{
    ws_run(scratches_all, 6L);
    ws_run(scratches_all, 6L);
    ws_local_each(&scratch, p)
    {
        total += p->numbers[0];
        free(p->numbers);
        free(p->rows[1]);
        free(p->rows);
    }
    ws_local_free(&scratch);
}
/* All slots lead to one block, which no worker has allocated. */
static WS_LOOP(uses_given, long, i, long *, given)
{
    struct scratch *mine = ws_local(&scratch);
    if (!mine->numbers)
        mine->numbers = bug ? given : calloc(8, sizeof *given);
    mine->numbers[i & 1]++; /* given_slot */
}
static void given_slot(void)
{
    long *given = calloc(8, sizeof *given);
    ws_for(uses_given, 0L, 16L, given);
    ws_local_free(&scratch);
}
/* What a task with a view allocates, but no slot leads to. */
static long *kept_block;
static WS_LOOP(uses_heap, long, i)
{
    ++*ws_local(&slot);
    if (!i)
        kept_block = calloc(8, sizeof *kept_block); /* beside_slot */
    else if (bug)
        ++*kept_block; /* beside_slot */
}
static void beside_slot(void)
{
    ws_for(uses_heap, 0L, 4L);
}

/* Two views, of which the second is done before a use without one. The first is not. */
static long *_Atomic leaked;
static WS_TASK_VOID(leaks, long, n)
{
    struct scratch *mine = ws_local(&scratch);
    if (!mine->numbers)
        mine->numbers = calloc(8, sizeof *mine->numbers);
    mine->numbers[0] += n; /* past_views */
    atomic_store_explicit(&leaked, mine->numbers, memory_order_relaxed);
}
static WS_TASK_VOID(leaks_in_child, long, n)
{
    ws_spawn(leaks, n);
    ws_sync();
}
static WS_TASK_VOID(leaks_twice, long, n)
{
    ws_spawn(leaks, n);
    ws_call(leaks_in_child, n);
    if (bug)
        total = *atomic_load_explicit(&leaked, memory_order_relaxed); /* past_views */
    ws_sync();
}
static void past_views(void)
{
    ws_run(leaks_twice, 1L);
    ws_local_free(&scratch);
}

static void job(void *arg)
{
    *(long *)arg += 1; /* group submitted */
}
static WS_TASK_VOID(submits, long, n)
{
    ws_group g = WS_GROUP_INIT;
    ws_group_submit(&g, job, &table[n]);
    if (!bug)
        ws_group_wait(&g);
    table[n] = 0; /* group */
    ws_group_wait(&g);
}
static void group(void)
{
    ws_run(submits, 3L);
}
static void submitted(void)
{
    ws_submit(job, &table[5]);
    table[bug ? 5 : 6] = 1; /* submitted */
}
/* A group that outlives a child spawned before it. Both read; the write comes after the child alone. */
static void reader(void *arg)
{
    (void)arg;
    out[2] = message; /* crossed */
}
static WS_TASK_VOID(adder, long, n)
{
    out[1] = message + n; /* crossed */
}
static WS_TASK_VOID(reads_both, long, n)
{
    ws_group g = WS_GROUP_INIT;
    ws_spawn(adder, n);
    out[3] = message; /* the detector knows now that the child's read is parallel */
    ws_group_submit(&g, reader, NULL);
    ws_sync();
    if (!bug)
        ws_group_wait(&g);
    message = 1; /* crossed */
    ws_group_wait(&g);
}
static void crossed(void)
{
    ws_run(reads_both, 3L);
}

static WS_TASK_VOID(blocked, long, n)
{
    WS_BLOCKING
    {
        table[bug ? 0 : n]++; /* blocking */
    }
}
static WS_TASK_VOID(blocks, long, n)
{
    for (long i = 0; i < n; i++)
        ws_spawn(blocked, i);
    ws_sync();
}
static void blocking(void)
{
    ws_run(blocks, 3L);
}
static WS_TASK_VOID(pinned, long, n)
{
    ws_pinned();
    table[bug ? 0 : n] += 1; /* pin threads */
}
static WS_TASK_VOID(pins, long, n)
{
    for (long i = 0; i < n; i++)
        ws_spawn(pinned, i);
    ws_sync();
}
static void pin(void)
{
    ws_run(pins, 3L);
}

/* Regions of two threads, one after the other. */
static WS_TASK_VOID(adds, long, n)
{
    ws_spawn(pinned, n);
    ws_call(pinned, n + 1);
    ws_sync();
}
static void *thread(void *arg)
{
    ws_run(adds, (long)(size_t)arg);
    return NULL;
}
static void threads(void)
{
    pthread_t t;
    ws_run(adds, 1L);
    if (pthread_create(&t, NULL, thread, NULL) == 0)
        pthread_join(t, NULL);
    ws_run(adds, 1L);
}

CASES({"two_locks", two_locks, "write and"}, {"unlocked", unlocked, "write and"}, {"read_lock", read_lock, "write and"},
      {"atomic_plain", atomic_plain, "write and"}, {"atomic_wide", atomic_wide, "read and write"},
      {"fake_lock", fake_lock, "write and"}, {"ignored", ignored, "write and"},
      {"published", published, "write and read"}, {"counted", counted, "free of what child drops reads"},
      {"fenced", fenced, "write and read"}, {"loop", loop, "write and"}, {"loop_before", loop_before, "write and read"},
      {"loop2", loop2, "write and"}, {"ranges", ranges, "write and"}, {"static_loop", static_loop, "write and"},
      {"reduced", reduced, "write and"}, {"reduced_any", reduced_any, "write and write"},
      {"folded", folded, "write and write"}, {"tries", tries, "write and write"}, {"local", local, "write and"},
      {"behind_slot", behind_slot, "write and write"}, {"given_slot", given_slot, "write and"},
      {"beside_slot", beside_slot, "write and"}, {"past_views", past_views, "write and read"},
      {"group", group, "write and write"}, {"submitted", submitted, "write and write"},
      {"crossed", crossed, "read and write"}, {"blocking", blocking, "write and"}, {"pin", pin, "write and"},
      {"threads", threads, "write and"})
