/* SPDX-License-Identifier: MIT */
/*
 * A steal of a public task: from a thief's end of one task to its start of the next. One region with two workers. The
 * root spawns a row of children and spawns on until the other worker has begun some: an answer to its second request
 * has made half of them public. Then the root runs a plain loop, and the other worker takes one child after the other.
 */
#include "micro.h"

#include <stdatomic.h>
#include <wsfj.h>

#define ROW 64
#define TAKEN 4 /* the first request may be an old one, and its answer one task */
#define FIRST 6 /* the intervals that count: of tasks that the second answer has made public */
#define LAST 22
#define ROW_NS 40000u /* until the thief has taken those */
#define PATIENCE 100

struct row {
    uint64_t began[ROW], ended[ROW];
    int by[ROW], owner;
    atomic_int taken;
};

static void spin_for(uint64_t ns)
{
    uint64_t until = sample_now() + ns;

    while (sample_now() < until)
        ;
}

static WS_TASK_VOID(child, struct row *, r, size_t, i)
{
    r->began[i] = sample_now();
    r->by[i] = ws_worker_id();
    if (r->by[i] != r->owner)
        atomic_fetch_add_explicit(&r->taken, 1, memory_order_release);
    r->ended[i] = sample_now();
}

static WS_TASK_VOID(nothing)
{
}

static WS_TASK_VOID(spawn_one)
{
    ws_spawn(nothing);
    ws_sync();
}

static WS_TASK(int, play, struct row *, r)
{
    uint64_t until = sample_now() + MICRO_WAIT_NS;

    r->owner = ws_worker_id();
    for (size_t i = 0; i < ROW; i++)
        ws_spawn(child, r, i);
    for (unsigned i = 0; atomic_load_explicit(&r->taken, memory_order_acquire) < TAKEN; i++) {
        ws_call(spawn_one); /* here the owner answers */
        if (i % 64 == 0 && sample_now() > until)
            break;
    }
    spin_for(ROW_NS);
    ws_sync();
    return atomic_load_explicit(&r->taken, memory_order_acquire) >= TAKEN;
}

static WS_TASK(const char *, play_all, double *, values, size_t, n)
{
    static struct row row;

    for (size_t done = 0, tries = 0; done < n; tries++) {
        if (tries > n * PATIENCE)
            return "hardly ever goes as intended";
        row = (struct row){.owner = -1};
        if (!ws_call(play, &row))
            return "the other worker does not take the task";
        for (size_t i = FIRST; i < LAST && done < n; i++)
            if (row.by[i] != row.owner && row.by[i + 1] == row.by[i] && row.began[i + 1] >= row.ended[i])
                values[done++] = (double)(row.began[i + 1] - row.ended[i]);
    }
    return NULL;
}

enum micro_end micro_steal_public(double *values, size_t n, const char **why)
{
    int error;

    *why = micro_start(2, WS_SPIN_FOREVER);
    if (*why)
        return MICRO_FAILED;
    error = ws_run(play_all, why, values, n);
    if (error)
        *why = ws_strerror(error);
    return *why ? MICRO_FAILED : MICRO_DONE;
}
