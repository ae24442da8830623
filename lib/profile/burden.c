/* SPDX-License-Identifier: MIT */
/*
 * Measures a steal and a suspended join on this machine, with these settings. A region of the parallel runtime repeats
 * a small scene: another worker steals a child, which outlasts its parent's sync. The results are the medians of the
 * scenes that went as intended. bench/micro does the same with more care.
 */
#include "observe/stats.h"
#include "profile/profile.h"
#include "worker/workers.h"

#include <stdlib.h>

#define SCENES 61
/* Fewer scenes than this are no result. */
#define SCENES_LEAST 9
/* If nothing can be measured: medians of wsfj-micro on an AMD EPYC (Zen 4). */
#define STEAL_NS 390
#define JOIN_NS 280
/* The pause between scenes, until the thief searches again; how long a child outlasts its parent's sync; how long a
 * parent waits for a thief; the limit for all scenes. */
#define PAUSE_NS 10000
#define OUTLAST_NS 10000
#define WAIT_NS 2000000
#define ALL_NS 150000000

struct scene {
    int parent; /* its worker */
    bool was_stolen;
    uint32_t has_begun, at_sync; /* one side stores with release, the other loads with acquire */
    uint64_t spawned, began, ended, synced;
};

struct measured {
    double tick, steal[SCENES], join[SCENES];
    size_t steals, joins;
};

static double ns_since(const struct measured *m, uint64_t then)
{
    return (double)(int64_t)(wsfj_clock_read() - then) * m->tick;
}

static void spin(const struct measured *m, double ns)
{
    uint64_t then = wsfj_clock_read();

    while (ns_since(m, then) < ns)
        ;
}

static WS_TASK_VOID(child, const struct measured *, m, struct scene *, s)
{
    s->began = wsfj_clock_read();
    s->was_stolen = ws_worker_id() != s->parent;
    __atomic_store_n(&s->has_begun, 1, __ATOMIC_RELEASE);
    if (s->was_stolen) {
        while (!__atomic_load_n(&s->at_sync, __ATOMIC_ACQUIRE) && ns_since(m, s->began) < WAIT_NS)
            ;
        spin(m, OUTLAST_NS);
    }
    s->ended = wsfj_clock_read();
}

static WS_TASK_VOID(nothing)
{
}

/* At a spawn the owner exposes tasks to a thief that has asked. */
static WS_TASK_VOID(expose)
{
    ws_spawn(nothing);
    ws_sync();
}

static uint64_t suspensions(void)
{
    struct ws_stats stats = {.size = sizeof stats};

    wsfj_stats_sum(&stats);
    return stats.suspensions;
}

static WS_TASK_VOID(play, const struct measured *, m, struct scene *, s)
{
    s->parent = ws_worker_id();
    s->spawned = wsfj_clock_read();
    ws_spawn(child, m, s);
    while (!__atomic_load_n(&s->has_begun, __ATOMIC_ACQUIRE) && ns_since(m, s->spawned) < WAIT_NS)
        ws_call(expose);
    __atomic_store_n(&s->at_sync, 1, __ATOMIC_RELEASE);
    ws_sync();
    s->synced = wsfj_clock_read();
}

static WS_TASK_VOID(play_all, struct measured *, m)
{
    uint64_t then = wsfj_clock_read();

    for (int i = 0; i < SCENES && ns_since(m, then) < ALL_NS; i++) {
        struct scene s = {.spawned = 0};
        uint64_t before = suspensions();

        spin(m, PAUSE_NS);
        ws_call(play, m, &s);
        if (!s.was_stolen)
            continue;
        m->steal[m->steals++] = (double)(int64_t)(s.began - s.spawned) * m->tick;
        if (suspensions() > before)
            m->join[m->joins++] = (double)(int64_t)(s.synced - s.ended) * m->tick;
    }
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *values, size_t n)
{
    qsort(values, n, sizeof *values, by_size);
    return values[n / 2] > 0 ? values[n / 2] : 0;
}

bool wsfj_burden_measure(double *steal, double *join)
{
    struct measured m = {.tick = wsfj_clock_tick()};

    *steal = STEAL_NS;
    *join = JOIN_NS;
    if (wsfj_num_workers < 2 || ws_run(play_all, &m) || m.steals < SCENES_LEAST || m.joins < SCENES_LEAST)
        return false;
    *steal = median(m.steal, m.steals);
    *join = median(m.join, m.joins);
    return true;
}
