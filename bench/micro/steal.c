/* SPDX-License-Identifier: MIT */
/*
 * The cost of two workers: a child goes to the other worker, and its result comes back. One region with two workers;
 * the root repeats the same small scene and keeps the values of the scenes that went as intended, which the library's
 * counters show. The root may itself change workers between scenes, so all times are of one clock for all CPUs.
 */
#include "micro.h"

#include <stdatomic.h>
#include <wsfj.h>

/* Between two scenes: the other worker ends the last scene and searches again. */
#define QUIET_NS 10000u
/* How long a child waits after its parent's last flag before the sync: by then the parent has switched away from its
 * stack. */
#define SUSPEND_NS 20000u
/* From the counters' sign that a worker goes to sleep until it sleeps. */
#define ASLEEP_NS 100000u
/* The worker goes to sleep within this time, or sleeps already. */
#define FALL_ASLEEP_NS UINT64_C(20000000)
/* One scene in so many must go as intended; the start does not count. */
#define PATIENCE 50
#define PATIENCE_START 5000

enum kind { ANSWERED, FORCED, JOINED, WOKEN };

/* The flags of parent and child, and the times of their steps. */
struct scene {
    enum kind kind;
    int parent; /* its worker */
    int was_stolen;
    atomic_int started, at_sync;
    uint64_t spawned, began, ended, synced;
    struct ws_stats before, at_end, after; /* at_end: of the wait */
};

static void spin_for(uint64_t ns)
{
    uint64_t until = sample_now() + ns;

    while (sample_now() < until)
        ;
}

/* Spins until the flag is set; 0 if that takes too long. Never spawns, so no request gets an answer here. */
static int wait_for(atomic_int *flag)
{
    uint64_t until = sample_now() + MICRO_WAIT_NS;

    while (!atomic_load_explicit(flag, memory_order_acquire)) {
        if (sample_now() > until)
            return 0;
    }
    return 1;
}

static WS_TASK_VOID(child, struct scene *, s)
{
    s->began = sample_now();
    s->was_stolen = ws_worker_id() != s->parent;
    atomic_store_explicit(&s->started, 1, memory_order_release);
    if (s->kind == JOINED && s->was_stolen && wait_for(&s->at_sync))
        spin_for(SUSPEND_NS);
    s->ended = sample_now();
}

/* The thief takes this task first: after its end the thief searches for the child. */
static WS_TASK_VOID(bait, struct scene *, s)
{
    s->spawned = sample_now();
}

static WS_TASK_VOID(tiny)
{
}

/* A spawn and a sync: the owner finds requests here. */
static WS_TASK_VOID(answer)
{
    ws_spawn(tiny);
    ws_sync();
}

/* The same as wait_for(), spawning all the time. */
static WS_TASK(int, wait_answering, atomic_int *, flag)
{
    uint64_t until = sample_now() + MICRO_WAIT_NS;

    for (unsigned i = 0; !atomic_load_explicit(flag, memory_order_acquire); i++) {
        ws_call(answer);
        if (i % 64 == 0 && sample_now() > until)
            return 0;
    }
    return 1;
}

static struct ws_stats read_stats(void)
{
    struct ws_stats stats = {.size = sizeof stats};

    (void)ws_stats_get(&stats);
    return stats;
}

/* Waits until a worker has gone to sleep since `parks` was read. Where a guest has left its slot that does not happen:
 * the slot's thread sleeps all the time. */
static void wait_for_sleeper(uint64_t parks)
{
    uint64_t until = sample_now() + FALL_ASLEEP_NS;

    while (read_stats().parks == parks && sample_now() < until)
        ;
    spin_for(ASLEEP_NS);
}

/* Waits until the other worker is as the scene needs it. */
static WS_TASK_VOID(settle, enum kind, kind, uint64_t, parks, size_t, i)
{
    if (kind == WOKEN) {
        wait_for_sleeper(parks);
        return;
    }
    if (kind == FORCED)
        ws_call(answer);                 /* answers a request left from the last scene */
    spin_for(QUIET_NS + i * 377 % 1000); /* at a varying point of the other worker's search */
}

/* 0 if no worker started the child. */
static WS_TASK(int, play, struct scene *, s)
{
    int started;

    s->parent = ws_worker_id();
    s->before = read_stats();
    s->spawned = sample_now();
    if (s->kind == FORCED)
        ws_spawn(bait, s); /* the thief has made a request in advance: this task is public, and the child is not */
    ws_spawn(child, s);
    started = s->kind == FORCED ? wait_for(&s->started) : ws_call(wait_answering, &s->started);
    s->at_end = read_stats();
    atomic_store_explicit(&s->at_sync, 1, memory_order_release);
    ws_sync();
    s->synced = sample_now();
    s->after = read_stats();
    return started;
}

static int went_as_intended(const struct scene *s)
{
    int is_forced = s->at_end.exposures_forced > s->before.exposures_forced;

    if (!s->was_stolen)
        return 0;
    switch (s->kind) {
    case ANSWERED: return !is_forced;
    case FORCED: return is_forced;
    case JOINED: return s->after.suspensions > s->at_end.suspensions;
    case WOKEN: return s->at_end.wakes > s->before.wakes;
    }
    return 0;
}

struct result {
    enum micro_end end;
    const char *why;
};

static WS_TASK(struct result, play_all, enum kind, kind, double *, values, size_t, n)
{
    struct scene s = {.kind = kind};

    for (size_t done = 0, tries = 0; done < n; tries++) {
        uint64_t parks = s.before.parks;

        if (tries > PATIENCE * done + PATIENCE_START)
            return done || kind != FORCED
                       ? (struct result){MICRO_FAILED, "hardly ever goes as intended"}
                       : (struct result){MICRO_SKIPPED, "nothing is ever forced here (no membarrier?)"};
        ws_call(settle, kind, parks, tries);
        s = (struct scene){.kind = kind};
        if (!ws_call(play, &s))
            return (struct result){MICRO_FAILED, "the other worker does not take the task"};
        if (went_as_intended(&s))
            values[done++] = (double)(kind == JOINED ? s.synced - s.ended : s.began - s.spawned);
    }
    return (struct result){MICRO_DONE, NULL};
}

static enum micro_end run(enum kind kind, double *values, size_t n, const char **why)
{
    struct result result = {MICRO_FAILED, NULL};
    int error;

    *why = micro_start(2, kind == WOKEN ? 0 : WS_SPIN_FOREVER);
    if (*why)
        return MICRO_FAILED;
    error = ws_run(play_all, &result, kind, values, n);
    *why = error ? ws_strerror(error) : result.why;
    return result.end;
}

enum micro_end micro_steal_answered(double *values, size_t n, const char **why)
{
    return run(ANSWERED, values, n, why);
}

enum micro_end micro_steal_forced(double *values, size_t n, const char **why)
{
    return run(FORCED, values, n, why);
}

enum micro_end micro_join(double *values, size_t n, const char **why)
{
    return run(JOINED, values, n, why);
}

enum micro_end micro_wake(double *values, size_t n, const char **why)
{
    return run(WOKEN, values, n, why);
}
