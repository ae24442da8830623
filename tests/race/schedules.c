/* SPDX-License-Identifier: MIT */
/* Programs for schedules.sh: `schedules NAME`. Those of the first list are right by every schedule, and `clean` runs them all; the
 * others are right serially. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include <wsfj.h>

enum { CHILDREN = 8, LOOP = 100 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER, recursive;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static mtx_t c11;
static sem_t posts;
static long value, values[LOOP][LOOP];
static atomic_long counter;
static atomic_int flag;

/* Spawns a task CHILDREN times. */
#define MANY(name)                                                                                                     \
    static WS_TASK_VOID(name##s, int, unused)                                                                          \
    {                                                                                                                  \
        (void)unused;                                                                                                  \
        for (int i = 0; i < CHILDREN; i++)                                                                             \
            ws_spawn(name, i);                                                                                         \
        ws_sync();                                                                                                     \
    }                                                                                                                  \
    static void run_##name(void)                                                                                       \
    {                                                                                                                  \
        ws_run(name##s, 0);                                                                                            \
    }

/* Check and act in two sections. */
static WS_TASK_VOID(bank, int, i)
{
    long seen;

    (void)i;
    pthread_mutex_lock(&lock);
    seen = value;
    pthread_mutex_unlock(&lock);
    if (seen >= 1)
        return;
    pthread_mutex_lock(&lock);
    value++;
    pthread_mutex_unlock(&lock);
}
MANY(bank)
static WS_TASK_VOID(safe, int, i)
{
    (void)i;
    pthread_mutex_lock(&lock);
    if (value < 1)
        value++;
    pthread_mutex_unlock(&lock);
}
MANY(safe)

static WS_TASK_VOID(lost, int, i)
{
    (void)i;
    atomic_store(&counter, atomic_load(&counter) + 1);
}
MANY(lost)
static WS_TASK_VOID(added, int, i)
{
    long old = atomic_load(&counter);

    (void)i;
    while (!atomic_compare_exchange_weak(&counter, &old, old + 1))
        ;
}
MANY(added)

/* A plain increment, as each kind of lock keeps it whole. */
#define INCREMENT(name, take, give)                                                                                    \
    static WS_TASK_VOID(name, int, i)                                                                                  \
    {                                                                                                                  \
        (void)i;                                                                                                       \
        take;                                                                                                          \
        value += ((volatile long *)&counter)[0] + 1;                                                                   \
        give;                                                                                                          \
    }                                                                                                                  \
    MANY(name)
#define TWICE(x) (x, x)
INCREMENT(in_mutex, pthread_mutex_lock(&lock), pthread_mutex_unlock(&lock))
INCREMENT(in_recursive, TWICE(pthread_mutex_lock(&recursive)), TWICE(pthread_mutex_unlock(&recursive)))
INCREMENT(in_timed, pthread_mutex_timedlock(&lock, &(struct timespec){4000000000, 0}), pthread_mutex_unlock(&lock))
INCREMENT(in_tried, while (pthread_mutex_trylock(&recursive)) ws_yield(), pthread_mutex_unlock(&recursive))
INCREMENT(in_rwlock, pthread_rwlock_wrlock(&shared), pthread_rwlock_unlock(&shared))
INCREMENT(in_spin, pthread_spin_lock(&spin), pthread_spin_unlock(&spin))
INCREMENT(in_c11, mtx_lock(&c11), mtx_unlock(&c11))
INCREMENT(in_semaphore, sem_wait(&posts), sem_post(&posts))
INCREMENT(in_own, while (atomic_exchange(&flag, 1));, atomic_store(&flag, 0))

/* The consumer waits if it comes first. */
static WS_TASK_VOID(produce, int, i)
{
    pthread_mutex_lock(&lock);
    value = i;
    flag = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}
static WS_TASK_VOID(consume, int, i)
{
    pthread_mutex_lock(&lock);
    while (!flag)
        pthread_cond_wait(&changed, &lock);
    value += i;
    pthread_mutex_unlock(&lock);
}
static WS_TASK_VOID(handed_over, int, i)
{
    ws_spawn(produce, i);
    ws_spawn(consume, i);
    ws_spawn(consume, i);
    ws_sync();
}
static void run_condition(void)
{
    ws_run(handed_over, 5);
}

static WS_TASK_VOID(two_locks, pthread_mutex_t *, a, pthread_mutex_t *, b)
{
    pthread_mutex_lock(a);
    pthread_mutex_lock(b);
    value++;
    pthread_mutex_unlock(b);
    pthread_mutex_unlock(a);
}
static WS_TASK_VOID(crossed, int, wrong)
{
    ws_spawn(two_locks, &lock, &other);
    ws_spawn(two_locks, wrong ? &other : &lock, wrong ? &lock : &other);
    ws_sync();
}
static void run_crossed(void)
{
    ws_run(crossed, 1);
}
static void run_in_order(void)
{
    ws_run(crossed, 0);
}
/* A lock that a task still has at its end. */
static WS_TASK_VOID(keeps, int, i)
{
    if (pthread_mutex_trylock(&lock) == 0 && i)
        pthread_mutex_unlock(&lock);
    else if (i)
        pthread_mutex_lock(&other), pthread_mutex_lock(&other);
}
static WS_TASK_VOID(keep, int, unused)
{
    ws_spawn(keeps, 1 + unused);
    ws_spawn(keeps, 0);
    ws_sync();
}
static void run_kept(void)
{
    ws_run(keep, 0);
}

/* Each kind of loop: every iteration once, in any order. */
static WS_LOOP(fill, long, i)
{
    values[0][i] += i;
}
static WS_RANGE(fill_range, long, lo, hi)
{
    for (; lo < hi; lo++)
        values[0][lo] += lo;
}
static WS_LOOP2(fill2, long, i, long, j)
{
    values[i][j] += i * j;
}
static WS_LOOP3(fill3, long, i, long, j, long, k)
{
    values[i][j] += k;
}
static WS_TRY(until, long, i)
{
    return values[0][i] != i;
}
static WS_REDUCE(long, 0, WS_ADD, sum, long, i)
{
    return values[0][i];
}
static void nothing(long *r)
{
    *r = 0;
}
static void plus(long *into, const long *from)
{
    *into += *from;
}
static WS_FOLD(long, nothing, plus, folded, long *, acc, long, i)
{
    *acc += values[0][i];
}
static void run_loops(void)
{
    long r = 0, s = 0;
    WS_TRIED(long) t;

    ws_for(fill, 0, LOOP);
    ws_for(fill_range, 0, LOOP);
    ws_for(fill2, 0, LOOP, 0, LOOP);
    ws_for(fill2, LONG_MIN, LONG_MAX, 5, 5);
    ws_for(fill2, 5, 5, LONG_MIN, LONG_MAX);
    ws_for(fill3, LONG_MIN, LONG_MAX, 0, LONG_MAX, 5, 5);
    for (long i = 0; i < LOOP; i++)
        values[0][i] /= 2;
    values[0][70] = values[0][71] = -1;
    ws_run(until, &t, 0, LOOP);
    ws_run(sum, &r, 0, LOOP);
    ws_run(folded, &s, 0, LOOP);
    for (long i = 0; i < LOOP; i++)
        value += values[i][LOOP - 1 - i] * (i + 1);
    printf("%ld %d %ld %ld\n", t.at, t.status, r, s);
}
/* The last iteration that runs is another one. */
static WS_LOOP(last, long, i)
{
    atomic_store(&counter, i);
}
static void run_last(void)
{
    ws_for(last, 0, 8);
}

static void member(void *unused)
{
    (void)unused;
    atomic_fetch_add(&counter, 1);
    ws_yield();
    atomic_fetch_add(&counter, 1);
}
static void outer(void *group)
{
    for (int i = 0; i < 3; i++)
        ws_group_submit(group, member, NULL);
}
static WS_TASK_VOID(waits, int, unused)
{
    ws_group g = WS_GROUP_INIT;

    (void)unused;
    for (int i = 0; i < 5; i++)
        ws_group_submit(&g, outer, &g);
    ws_group_wait(&g);
    value = atomic_load(&counter);
}
static void run_groups(void)
{
    ws_group g = WS_GROUP_INIT;

    ws_run(waits, 0);
    ws_group_submit(&g, outer, &g);
    ws_group_wait(&g);
    value += atomic_load(&counter);
}
static void sets(void *unused)
{
    (void)unused;
    atomic_store(&flag, 1);
}
static void run_detached(void)
{
    ws_submit(sets, NULL);
    while (!atomic_load(&flag))
        ws_yield();
    value = 1;
}
/* Nobody waits for it. */
static void run_unwaited(void)
{
    ws_submit(sets, NULL);
    value = atomic_load(&flag);
}

static WS_LOCAL(long, mine);
static WS_TASK_VOID(local, int, i)
{
    long *p = ws_local(&mine);

    for (int k = 0; k < 20; k++)
        *p += i;
}
MANY(local)
static void run_locals(void)
{
    run_local();
    ws_local_each(&mine, p) value += *p;
    ws_local_free(&mine);
    ws_local_each(&mine, p) value += 1000000;
}
/* The scopes of a task stay its own. */
static WS_TASK_VOID(scoped, int, i)
{
    ws_scope s;

    ws_scope_begin(&s);
    atomic_fetch_add(&counter, 1);
    ws_yield();
    if (i & 1)
        ws_scope_cancel(&s, i);
    atomic_fetch_add(&counter, 1);
    if (ws_scope_end(&s) != (i & 1 ? i : 0))
        abort();
}
MANY(scoped)

static WS_TASK(long, deep, long, n)
{
    long x = 0;

    if (n == 0)
        return 0;
    ws_spawn(deep, &x, n - 1);
    ws_sync();
    return x + 1;
}
static WS_TASK(long, wide, long, n)
{
    long *x = calloc((size_t)n, sizeof *x), s = 0;

    for (long i = 0; i < n; i++)
        ws_spawn(deep, &x[i], 1L);
    ws_sync();
    for (long i = 0; i < n; i++)
        s += x[i];
    free(x);
    return s;
}
static void run_deep(void)
{
    ws_run(deep, &value, 5000L);
}
static void run_wide(void)
{
    ws_run(wide, &value, 5000L);
}

static WS_TASK_VOID(printed, int, i)
{
    printf("%d\n", i);
}
MANY(printed)
static WS_TASK_VOID(leaves, int, i)
{
    (void)i;
    if (atomic_fetch_add(&counter, 1) == 0 && i == 1)
        exit(3);
}
MANY(leaves)
static WS_TASK_VOID(sleeps, int, i)
{
    if (atomic_fetch_add(&counter, 1) == 0 && i == 1)
        for (;;)
            pause();
}
MANY(sleeps)
static WS_TASK_VOID(crashes, int, i)
{
    if (atomic_fetch_add(&counter, 1) == 0 && i == 1)
        abort();
}
MANY(crashes)

static void run_number(void)
{
    printf("%ld\n", (long)getpid());
}
static void run_input(void)
{
    char line[80] = "";

    run_safe();
    (void)!fgets(line, sizeof line, stdin);
    printf("read %s\n", line);
}
static int second(void *unused)
{
    (void)unused;
    run_safe();
    return 0;
}
static WS_TASK_VOID(with_thread, int, unused)
{
    thrd_t t;

    (void)unused;
    if (thrd_create(&t, second, NULL) == thrd_success)
        thrd_join(t, NULL);
}
static void run_threads(void)
{
    ws_run(with_thread, 0);
}
/* One after the other. */
static void run_turns(void)
{
    thrd_t t;

    run_safe();
    if (thrd_create(&t, second, NULL) == thrd_success)
        thrd_join(t, NULL);
    run_in_mutex();
}

int main(int n, char **arguments)
{
#define PROGRAM(name)                                                                                                  \
    {                                                                                                                  \
#name, run_##name                                                                                              \
    }
    static const struct {
        const char *name;
        void (*run)(void);
    } programs[] = {
        PROGRAM(safe),     PROGRAM(added),   PROGRAM(in_mutex),  PROGRAM(in_recursive), PROGRAM(in_timed),
        PROGRAM(in_tried), PROGRAM(in_spin), PROGRAM(in_rwlock), PROGRAM(in_c11),       PROGRAM(in_semaphore),
        PROGRAM(in_own),   PROGRAM(loops),   PROGRAM(condition), PROGRAM(in_order),     PROGRAM(groups),
        PROGRAM(detached), PROGRAM(locals),  PROGRAM(scoped),    PROGRAM(turns),        {NULL, NULL},
        PROGRAM(bank),     PROGRAM(lost),    PROGRAM(printed),   PROGRAM(last),         PROGRAM(unwaited),
        PROGRAM(crossed),  PROGRAM(kept),    PROGRAM(leaves),    PROGRAM(sleeps),       PROGRAM(crashes),
        PROGRAM(deep),     PROGRAM(wide),    PROGRAM(number),    PROGRAM(input),        PROGRAM(threads),
    };
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&recursive, &attributes);
    pthread_spin_init(&spin, 0);
    sem_init(&posts, 0, 1);
    mtx_init(&c11, mtx_plain);
    for (size_t i = 0, clean = 1; n == 2 && i < sizeof programs / sizeof *programs; i++) {
        if (!programs[i].name)
            clean = 0;
        else if (strcmp(arguments[1], clean ? "clean" : programs[i].name) == 0) {
            value = 0;
            counter = 0;
            flag = 0;
            programs[i].run();
            printf("%s %ld %ld\n", programs[i].name, value, atomic_load(&counter));
        }
    }
    return 0;
}
