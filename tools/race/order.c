/* SPDX-License-Identifier: MIT */
/*
 * Order by atomics. A load with acquire order that reads from a store with release order comes after what the storing
 * strand did before. So a queue that is right is no race. The price: a race that only another schedule has, in which the
 * load would read something else, is missed (doc/races.md).
 *
 * Each variable has a log: the numbers of the strands that have released it since its last plain store. A strand that
 * acquires it remembers the length of the log, until its child ends. An access is ordered if its pending interval has a
 * release that is later than the access in one of these logs. This takes all of the interval up to the release, also what
 * ran in parallel inside it.
 */
#include "detector.h"

#include <string.h>

/** The releases times[from] to times[n - 1] of a log, as they were when it was reset `resets` times. */
struct view {
    uint32_t log, resets, from, n;
};

struct log {
    uintptr_t address;
    uint32_t *times;
    uint32_t n, room, resets;
    uint32_t since;      /**< the releases before this one do not count any more: a plain store came after them */
    struct view *passed; /**< of other logs, which the releasing strands had acquired */
    uint32_t n_passed;
};

enum { LOG_BITS = 16, PASSED = 32, ACQUIRED = 1 << 20, LOADS = 8 };

static struct log *logs;
static uint32_t *table, n_logs;
static struct view *acquired;
static uint32_t fence_time;
static struct {
    uintptr_t address;
    uint32_t time;
} loads[LOADS]; /* the last relaxed ones */
static unsigned n_loads;

static struct log *log_of(uintptr_t a, int make)
{
    uint32_t h = (uint32_t)((uint64_t)a * UINT64_C(0x9e3779b97f4a7c15) >> (64 - LOG_BITS));
    static int told;

    if (!logs) {
        logs = race_map(sizeof *logs << LOG_BITS);
        table = race_map(sizeof *table << LOG_BITS);
        acquired = race_map(sizeof *acquired * ACQUIRED);
        n_logs = 1;
    }
    for (;; h = (h + 1) & ((1u << LOG_BITS) - 1)) {
        if (!table[h]) {
            if (!make)
                return NULL;
            if (n_logs >= 3u << (LOG_BITS - 2)) {
                if (!told++)
                    race_say("more than %u atomic variables give an order: false races may follow", n_logs - 1);
                return NULL;
            }
            table[h] = n_logs;
            logs[n_logs].address = a;
            return &logs[n_logs++];
        }
        if (logs[table[h]].address == a)
            return &logs[table[h]];
    }
}

/** The first number after all pending intervals: since then, the running strand was alone or has waited for what it spawned. */
static uint32_t alone_since(void)
{
    return race.pending ? race.intervals[race.pending - 1].end : 0;
}

static void pass(struct log *log, const struct view *view)
{
    if (&logs[view->log] == log)
        return;
    for (uint32_t i = 0; i < log->n_passed; i++)
        if (log->passed[i].log == view->log) {
            log->passed[i] = *view;
            return;
        }
    if (!log->passed)
        log->passed = race_map(PASSED * sizeof *log->passed);
    if (log->n_passed == PASSED) {
        log->n_passed--;
        memmove(log->passed, log->passed + 1, log->n_passed * sizeof *log->passed);
    }
    log->passed[log->n_passed++] = *view;
}

static void log_add(struct log *log)
{
    if (log->n && race.pending_lo > log->times[log->n - 1]) { /* all of that is before whatever runs now */
        log->n = log->since = log->n_passed = 0;
        log->resets++;
    }
    if (log->n > log->since && log->times[log->n - 1] >= alone_since()) { /* the same strand's: the later one says all */
        log->times[log->n - 1] = race.now;
        return;
    }
    if (log->n == log->room) {
        uint32_t room = log->room ? 2 * log->room : 1024, *times = race_map(room * sizeof *times);

        if (log->n)
            memcpy(times, log->times, log->n * sizeof *times);
        log->times = times;
        log->room = room;
    }
    log->times[log->n++] = race.now;
}

/** A store with release order. `adds`: a read-modify-write, after which earlier releases still count. */
void race_release(uintptr_t a, int adds)
{
    struct log *log = race.inner ? log_of(a, 1) : NULL;

    if (!log)
        return;
    if (!adds) {
        log->since = log->n;
        log->n_passed = 0;
    }
    log_add(log);
    for (uint32_t i = 0; i < race.acquired; i++)
        pass(log, &acquired[i]);
    race.now++;
}

static void acquire(const struct view *view)
{
    for (uint32_t i = race.acquired; i-- > 0;)
        if (memcmp(&acquired[i], view, sizeof *view) == 0)
            return;
    if (race.acquired < ACQUIRED)
        acquired[race.acquired++] = *view;
}

void race_acquire(uintptr_t a)
{
    struct log *log = race.pending ? log_of(a, 0) : NULL;

    if (!log)
        return;
    if (log->n > log->since)
        acquire(&(struct view){(uint32_t)(log - logs), log->resets, log->since, log->n});
    for (uint32_t i = 0; i < log->n_passed; i++)
        acquire(&log->passed[i]);
}

void race_relaxed_load(uintptr_t a)
{
    loads[n_loads % LOADS].address = a;
    loads[n_loads++ % LOADS].time = race.now;
}

/** A relaxed store: it releases after a fence with release order in the same strand. */
void race_relaxed_store(uintptr_t a, int adds)
{
    if (fence_time && fence_time >= alone_since())
        race_release(a, adds);
}

void race_fence(int order)
{
    if (order != __ATOMIC_RELEASE)
        for (unsigned i = 0; i < LOADS; i++)
            if (loads[i].time && loads[i].time >= alone_since())
                race_acquire(loads[i].address);
    if (order != __ATOMIC_ACQUIRE && order != __ATOMIC_CONSUME)
        fence_time = race.now;
}

/** Whether the access with number t in the pending interval comes before the running strand by an acquire. */
int race_ordered(uint32_t t, const struct interval *in)
{
    for (uint32_t i = 0; i < race.acquired; i++) {
        const struct log *log = &logs[acquired[i].log];
        uint32_t lo = acquired[i].from, hi = acquired[i].n;

        if (log->resets != acquired[i].resets)
            continue;
        while (lo < hi) { /* the first release that is not before the access */
            uint32_t m = (lo + hi) / 2;

            if (log->times[m] < t)
                lo = m + 1;
            else
                hi = m;
        }
        if (lo < acquired[i].n && log->times[lo] < in->end)
            return 1;
    }
    return 0;
}
