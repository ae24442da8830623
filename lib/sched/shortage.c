/* SPDX-License-Identifier: MIT */
#include "sched/shortage.h"

#include "base/atomic.h"
#include "base/debug.h"
#include "queue/global_queue.h"
#include "queue/run_queue.h"
#include "task/pool.h"
#include "task/stack.h"
#include "worker/worker.h"
#include "worker/workers.h"

#define MOST_NS 1000000000
/* Between two looks: a worker without a stack asks again and again. */
#define PAUSE_NS 10000000
/* If a look is later than this, the threads have not run, so the tasks could not move, either. */
#define LATE_NS 100000000

enum { FREE, LOOKS, SAID };
static uint32_t state;
static uint64_t last; /* look */
/* Of the thread that looks: since when all has been still, and how often fibers had moved by then. */
static uint64_t since, moves;

void wsfj_shortage_start(void)
{
    store_relaxed(&state, (uint32_t)FREE);
    store_relaxed(&last, (uint64_t)0);
    since = moves = 0;
}

/* Whether each stack waits for something; *sum is another one when one has gone on. */
static bool all_wait(uint64_t *sum)
{
    *sum = 0;
    for (const struct wsfj_stack *s = wsfj_pool_all(); s; s = s->pool.next_all) {
        uint32_t life = load_relaxed(&s->shown.life);

        *sum += load_relaxed(&s->shown.moves); /* each only grows */
        if (life != WSFJ_LIFE_WAIT && (life != WSFJ_LIFE_JOIN || !load_relaxed(&s->join)))
            return false;
    }
    return true;
}

static size_t queued(void)
{
    size_t n = wsfj_global_queue_length().items;

    for (unsigned i = 0; i < wsfj_num_workers; i++)
        n += wsfj_run_queue_length(&wsfj_workers[i].detached.queue);
    return n;
}

/* True: it was said. */
static bool look(uint64_t now)
{
    uint64_t late = now - load_relaxed(&last), sum;
    bool wait = all_wait(&sum);
    size_t tasks = queued(), stacks = wsfj_pool_high_water();

    store_relaxed(&last, now);
    if (!wait || !tasks || sum != moves)
        since = now;
    else if (late > LATE_NS)
        since += late;
    moves = sum;
    if (now - since < MOST_NS)
        return false;
    wsfj_say("all %zu stack%s wait%s and %zu task%s need%s one (max_stacks, vm.max_map_count)", stacks,
             stacks == 1 ? "" : "s", stacks == 1 ? "s" : "", tasks, tasks == 1 ? "" : "s", tasks == 1 ? "s" : "");
    return true;
}

void wsfj_shortage_check(uint64_t now)
{
    uint32_t before = FREE;

    /* Acquire and release: what the last one that looked has written. */
    if (load_relaxed(&state) != FREE || now - load_relaxed(&last) < PAUSE_NS ||
        !cas_acq_rel(&state, &before, (uint32_t)LOOKS))
        return;
    store_release(&state, look(now) ? (uint32_t)SAID : (uint32_t)FREE);
}
