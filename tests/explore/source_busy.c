/* SPDX-License-Identifier: MIT */
/*
 * The first poll source is added while the last searcher begins work that ends only when the source has been asked, or while a
 * worker works already. No worker is idle then: the preempter asks (PARK-13, PREEMPT-2). Neighbours: source.c, preempt.c.
 */
#include "busy.h"
#include "outside.h"

#include "base/atomic.h"
#include "base/hooks.h"
#include "idle/outside.h"
#include "idle/preempt.h"
#include "idle/source.h"
#include "idle/wake.h"
#include "worker/use.h"
#include "worker/worker.h"

#include <string.h>

static bool look(void)
{
    busy_look();
    return wsfj_outside_look_and_poll();
}

const struct wsfj_hooks wsfj_hooks = {.look_outside = look};

/* The runtime is up. */
enum wsfj_use_state wsfj_use_now = WSFJ_UP;
size_t wsfj_users;

bool wsfj_use_is_up(void)
{
    return true;
}

static unsigned news;

/* For the library. */
void *explore_calloc(size_t n, size_t size);
void *explore_calloc(size_t n, size_t size)
{
    static char memory[64];

    explore_must(n * size <= sizeof memory, "no memory");
    memset(memory, 0, sizeof memory);
    return memory;
}

static uint64_t source(void *unused)
{
    (void)unused;
    for (unsigned n = swap_acq_rel(&news, 0u); n; n--)
        busy_has_run();
    return WS_FOREVER;
}

static void start(unsigned searching)
{
    busy_start(searching, 1, 3);
    outside_start();
    explore_thread_local((void *)&wsfj_source_inside);
    wsfj_users = 0;
    wsfj_stack_lives(busy_stack, WSFJ_LIFE_RUNS);
    news = 0;
}

static void start_searching(void)
{
    start(1);
}

/* Worker 1 works already. */
static void start_busy(void)
{
    start(0);
    busy[1].stack = busy_stack;
}

static void adder(void)
{
    (void)add_acq_rel(&news, 1u);
    explore_must(ws_poll_add(source, NULL) == 0, "a source is refused");
    busy_wait(1);
    busy_end();
}

/* Has found work. As run_once() in serve.c. */
static void last_searcher(void)
{
    wsfj_wake_found(&busy[1]);
    store_seq(&busy[1].stack, busy_stack);
    wsfj_preempt_runs();
    busy_work(&busy[1]);
}

static void worker(void)
{
    busy_work(&busy[1]);
}

static const struct explore_mutant begins[] = {{"the preempter is not made ready (PREEMPT-2)", "wsfj_preempt_get_ready",
                                                "cas", "&wsfj_preempt_state", EXPLORE_SKIP, 0},
                                               {"a worker that begins work sees nothing to look for",
                                                "wsfj_lookout_has_to", "load", "&wsfj_lookout_waits", EXPLORE_SKIP, 0},
                                               {NULL}};

static const struct explore_mutant works[] = {
    {"the preempter is not told", "wsfj_preempt_begin", "cas", "&wsfj_preempt_state", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_program programs[] = {
    {"a source, and the last searcher",
     start_searching,
     {adder, last_searcher, busy_preempter},
     NULL,
     {1, 1},
     {2, 1},
     begins},
    {"a source, and a worker that works", start_busy, {adder, worker, busy_preempter}, NULL, {1, 1}, {2, 1}, works},
    {NULL}};

int main(int argc, char **argv)
{
    return explore_main(argc, argv, programs);
}
