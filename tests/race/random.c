/* SPDX-License-Identifier: MIT */
/*
 * random.c - random programs, with reachability in their graphs as the oracle: for each byte, the detector reports a race
 * exactly if two accesses to it are on no path, one of them writes, and no lock excludes them.
 *
 * A program has spawns, calls, syncs, loops, groups, locks (also shared ones), relaxed atomics, accesses of 1 to 16 bytes at
 * any offset, to global variables and to local ones that tasks hand to their children. Arguments: the number of programs
 * (default: as many as 20 seconds allow), the first seed.
 *
 * Catches: any mistake in what is parallel, in what is remembered of a place, or in what is forgotten of the stack.
 */
#define _GNU_SOURCE
#include "shadow.h"

#include <wsfj.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void __tsan_read1(void *p);
void __tsan_read2(void *p);
void __tsan_read4(void *p);
void __tsan_read8(void *p);
void __tsan_read16(void *p);
void __tsan_write1(void *p);
void __tsan_write2(void *p);
void __tsan_write4(void *p);
void __tsan_write8(void *p);
void __tsan_write16(void *p);
void __tsan_read_range(void *p, size_t n);
void __tsan_write_range(void *p, size_t n);
uint64_t __tsan_atomic64_fetch_add(volatile uint64_t *p, uint64_t v, int order);
uint64_t __tsan_atomic64_load(const volatile uint64_t *p, int order);
int __wrap_pthread_rwlock_wrlock(pthread_rwlock_t *lock);
int __wrap_pthread_rwlock_rdlock(pthread_rwlock_t *lock);
int __wrap_pthread_rwlock_unlock(pthread_rwlock_t *lock);

enum { NODES = 1536, PLACES = 512, GLOBALS = 4, BYTES = 16, LOCKS = 3, LOG = 128, ATOMIC = 8 };

static uint64_t state;
static unsigned draw(unsigned n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)((state >> 24) % n);
}

/* The graph: for each node the set of those before it. */
static uint64_t before[NODES][NODES / 64];
static int n_nodes, cur, full;

static int node(void)
{
    if (n_nodes == NODES) {
        full = 1;
        return NODES - 1;
    }
    memset(before[n_nodes], 0, sizeof before[0]);
    return n_nodes++;
}
static void edge(int from, int to)
{
    for (int i = 0; i <= from / 64; i++)
        before[to][i] |= before[from][i];
    before[to][from / 64] |= (uint64_t)1 << from % 64;
}
static int precedes(int a, int b)
{
    return a == b || (before[b][a / 64] >> a % 64 & 1);
}

/* The accesses to a place, and what of its bytes races. */
static struct place {
    struct access {
        int node;
        uint16_t bytes;
        uint8_t write, locks, shared; /* locks: bits; ATOMIC: the lock of all atomics */
    } log[LOG];
    int n;
    uint16_t truth, found;
} places[PLACES];
static int n_places;
static int at_place;
static char *at_address;
static uint8_t held, held_shared;

static _Alignas(4096) char global[PAGE_SIZE / BYTES][BYTES]; /* a page; GLOBALS of it are used */
static pthread_rwlock_t locks[LOCKS];

static int excluded(const struct access *a, const struct access *b)
{
    const uint8_t common = a->locks & b->locks;

    return (common & (uint8_t) ~(a->shared & b->shared)) != 0;
}

static void hook(const struct conflict *c)
{
    const uintptr_t width = (uintptr_t)1 << race_page_find(c->address)->shift, from = c->address & ~(width - 1);

    for (uintptr_t i = 0; i < width; i++)
        if (from + i - (uintptr_t)at_address < BYTES)
            places[at_place].found |= (uint16_t)(1u << (from + i - (uintptr_t)at_address));
}

static void log_access(int place, unsigned offset, unsigned size, int write, uint8_t atomic)
{
    struct place *p = &places[place];
    struct access a = {cur, (uint16_t)(((1u << size) - 1) << offset), (uint8_t)write, held | atomic, held_shared};

    for (int i = 0; i < p->n; i++)
        if ((a.write || p->log[i].write) && !precedes(p->log[i].node, cur) && !excluded(&a, &p->log[i]))
            p->truth |= a.bytes & p->log[i].bytes;
    if (p->n == LOG)
        full = 1;
    else
        p->log[p->n++] = a;
}

/* Of a program: its accesses have all widths, not just eight bytes; one in so many writes; it has groups; locks and atomics. */
static int narrow, one_writes, grouped, locked;

static void touch(int place, char *base)
{
    static void (*const reads[])(void *) = {__tsan_read1, __tsan_read2, __tsan_read4, __tsan_read8, __tsan_read16};
    static void (*const writes[])(void *) = {__tsan_write1, __tsan_write2, __tsan_write4, __tsan_write8, __tsan_write16};
    const int write = draw((unsigned)one_writes) == 0;
    unsigned k = !narrow || draw(4) ? 3 : draw(5), offset = draw(BYTES >> k) << k, size = 1u << k;

    at_place = place;
    at_address = base;
    if (narrow && draw(8) == 0) { /* any bytes */
        offset = draw(BYTES);
        size = 1 + draw(BYTES - offset);
        log_access(place, offset, size, write, 0);
        (write ? __tsan_write_range : __tsan_read_range)(base + offset, size);
    } else if (locked && draw(8) == 0) {
        log_access(place, offset & 8, 8, write, ATOMIC);
        if (write)
            (void)__tsan_atomic64_fetch_add((void *)(base + (offset & 8)), 0, __ATOMIC_RELAXED);
        else
            (void)__tsan_atomic64_load((void *)(base + (offset & 8)), __ATOMIC_RELAXED);
    } else {
        log_access(place, offset, size, write, 0);
        (write ? writes : reads)[k](base + offset);
    }
}

/* What a task gets from those around it. */
struct given {
    char *local;
    int local_place;
};
/* The ends that a sync, a group or a loop waits for. */
struct ends {
    int end[64], n;
};
struct group {
    ws_group group;
    struct ends ends;
};
static int left, rate;

static void join(struct ends *e)
{
    int n = node();

    edge(cur, n);
    while (e->n)
        edge(e->end[--e->n], n);
    cur = n;
}
static int fork_from(int *continues)
{
    int child = node();

    edge(cur, child);
    *continues = node();
    edge(cur, *continues);
    return child;
}

static void body(struct wsfj_scope *wsfj_f, int depth, const struct given *given, struct group *group);
WS_DECLARE_VOID(task, int, depth, const struct given *, given);
WS_TASK_VOID(task, int, depth, const struct given *, given)
{
    body(wsfj_f, depth, given, NULL);
}

static const struct given *loop_given;
static int loop_depth, loop_from;
static struct ends *loop_ends;
static WS_LOOP(loop, long, i)
{
    const struct given *given = loop_given;
    struct ends *ends = loop_ends;
    const int depth = loop_depth, from = loop_from, start = node();

    (void)i;
    edge(from, start);
    cur = start;
    body(wsfj_f, depth + 1, given, NULL);
    ends->end[ends->n++] = cur;
    loop_given = given;
    loop_ends = ends;
    loop_depth = depth;
    loop_from = from;
}

struct job {
    int depth;
    const struct given *given;
    struct group *group;
};
static void work(void *arg)
{
    const struct job *j = arg;

    ws_frame();
    body(wsfj_f, j->depth, j->given, j->group);
}

static void submit(struct group *group, int depth, const struct given *given)
{
    struct job j = {depth + 1, given, group};
    int after, child = fork_from(&after);

    cur = child;
    (void)ws_group_submit(&group->group, work, &j);
    group->ends.end[group->ends.n++] = cur;
    cur = after;
}

static void lock_something(int place, char *base)
{
    const unsigned l = draw(LOCKS), shared = draw(3) == 0;
    const uint8_t old = held, old_shared = held_shared;

    if (held >> l & 1)
        return;
    (void)(shared ? __wrap_pthread_rwlock_rdlock : __wrap_pthread_rwlock_wrlock)(&locks[l]);
    held |= (uint8_t)(1u << l);
    held_shared |= (uint8_t)(shared << l);
    touch(place, base);
    if (draw(3) == 0)
        lock_something(place, base);
    touch(place, base);
    (void)__wrap_pthread_rwlock_unlock(&locks[l]);
    held = old;
    held_shared = old_shared;
}

static __attribute__((noinline)) void body(struct wsfj_scope *wsfj_f, int depth, const struct given *given,
                                           struct group *outer)
{
    _Alignas(16) char local[BYTES];
    struct given mine = {local, n_places};
    struct ends ends = {{0}, 0};
    struct group group = {WS_GROUP_INIT, {{0}, 0}};
    int after;

    if (n_places + 1 < PLACES)
        n_places++;
    else
        full = 1;
    memset(&places[mine.local_place], 0, sizeof places[0]);
    for (unsigned i = draw(8); i > 0; i--) {
        const unsigned what = draw(4), g = draw(GLOBALS);
        const int place = what == 0 ? mine.local_place : what == 1 && given ? given->local_place : (int)g;
        char *base = what == 0 ? local : what == 1 && given ? given->local : global[g];
        const int deeper = depth < 7 && left > 0 && ends.n < 60;

        switch (draw(12)) {
        case 0:
        case 1:
        case 2:
            if ((int)draw(100) < rate)
                touch(place, base);
            break;
        case 3:
            if (locked && (int)draw(100) < rate)
                lock_something(place, base);
            break;
        case 4:
        case 5:
        case 6:
            if (deeper) {
                int child = fork_from(&after);

                left--;
                cur = child;
                ws_spawn(task, depth + 1, draw(2) ? &mine : given);
                ends.end[ends.n++] = cur;
                cur = after;
            }
            break;
        case 7:
            if (deeper) {
                left--;
                ws_call(task, depth + 1, draw(2) ? &mine : given);
            }
            break;
        case 8:
            if (deeper) {
                struct ends each = {{0}, 0}, *old = loop_ends;
                const int old_from = loop_from;

                left -= 2;
                loop_given = draw(2) ? &mine : given;
                loop_depth = depth + 1;
                loop_from = cur;
                loop_ends = &each;
                ws_call(loop, 0L, (long)draw(5));
                cur = loop_from;
                join(&each);
                loop_ends = old;
                loop_from = old_from;
            }
            break;
        case 9:
            if (grouped && deeper && (outer ? outer : &group)->ends.n < 60) {
                left--;
                submit(outer && draw(2) ? outer : &group, depth, draw(2) && !outer ? &mine : NULL);
            }
            break;
        case 10:
            if (group.ends.n) {
                (void)ws_group_wait(&group.group);
                join(&group.ends);
            }
            break;
        default:
            if (ends.n)
                join(&ends);
            ws_sync();
        }
    }
    if (ends.n)
        join(&ends);
    ws_sync();
    if (group.ends.n) {
        (void)ws_group_wait(&group.group);
        join(&group.ends);
    }
}

/* One program. @return whether it is right */
static int program(uint64_t seed)
{
    int right = 1;

    state = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
    for (int i = 0; i < 5; i++)
        (void)draw(2);
    race_forget((uintptr_t)global, (uintptr_t)global + sizeof global); /* the cells are wide again */
    race.groups = 0;                                                   /* nothing is pending */
    n_nodes = full = held = held_shared = 0;
    memset(places, 0, sizeof places[0] * GLOBALS);
    n_places = GLOBALS;
    left = 10 + (int)draw(120);
    rate = 5 + (int)draw(80);
    narrow = draw(3) != 0;
    one_writes = 2 << draw(5);
    grouped = draw(2) != 0;
    locked = draw(2) != 0;
    cur = node();
    (void)ws_run(task, 0, NULL);
    for (int i = 0; i < n_places && !full; i++)
        if (places[i].found != places[i].truth) {
            if (right)
                printf("seed %llu: place %d: found %04x, truth %04x\n", (unsigned long long)seed, i, places[i].found,
                       places[i].truth);
            right = 0;
        }
    return right;
}

int main(int n, char **arguments)
{
    const long long most = n > 1 ? atoll(arguments[1]) : INT64_MAX;
    const uint64_t first = n > 2 ? strtoull(arguments[2], NULL, 10) : 1;
    long long done = 0, wrong = 0, racy = 0, clean = 0, skipped = 0;
    time_t until = time(NULL) + 20;

    race_report_hook = hook;
    for (int i = 0; i < LOCKS; i++)
        (void)pthread_rwlock_init(&locks[i], NULL);
    for (; done < most && (n > 1 || (done & 255) || time(NULL) < until) && wrong < 5; done++) {
        wrong += !program(first + (uint64_t)done);
        skipped += full;
        for (int i = 0; i < n_places; i++) {
            racy += places[i].truth != 0;
            clean += places[i].truth == 0 && places[i].n > 0;
        }
    }
    printf("%lld programs, %lld too large; places with a race: %lld, without: %lld\n", done, skipped, racy, clean);
    printf("%lld%%: Checks: %lld, Failures: %lld, Errors: 0\n", done ? 100 * (done - wrong) / done : 0, done, wrong);
    return !done || wrong || !racy || !clean || skipped > done / 10;
}
