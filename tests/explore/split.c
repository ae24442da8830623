/* SPDX-License-Identifier: MIT */
/*
 * The driver of a loop: it spawns pieces, answers a request after a chunk and takes pieces back, while thieves steal and
 * force; and the slices of a static loop. Each iteration runs exactly once, each slice is taken once (THE-1 to THE-4,
 * LOOP-1). Neighbour: deque.c, the same deque under spawns and syncs.
 */
#include "owner.h"

#include "base/atomic.h"
#include "task/deque.h"
#include "worker/worker.h"
#include "worker/workers.h"

#include <string.h>

#define MOST 4

unsigned wsfj_num_workers;
static unsigned ran[MOST]; /* how often each iteration, or slice, has run */

static WS_LOOP(body, unsigned, i)
{
    explore_must(i < MOST && ran[i]++ == 0, "an iteration runs twice");
}

/* The site knows nothing, and the clock runs so fast that pieces are single iterations. */
static void start_loop(enum wsfj_mode mode)
{
    owner_start(mode);
    owner_kind = &wsfj_kind_body;
    wsfj_num_workers = 2;
    wsfj_site_body.wsfj_fits = 0;
    explore_tick = 10000;
    memset(ran, 0, sizeof ran);
}

static void start_normal(void)
{
    start_loop(WSFJ_MODE_NORMAL);
}

static void start_locked(void)
{
    start_loop(WSFJ_MODE_LOCKED);
}

static void start_with_request(void)
{
    start_loop(WSFJ_MODE_NORMAL);
    wsfj_stack_refresh(owner);
}

static void loop_over(unsigned n)
{
    wsfj_go_body(&owner->deque, owner->bottom, 0, n);
    for (unsigned i = 0; i < n; i++)
        explore_must(ran[i] == 1, "an iteration has not run at the loop's end");
}

static void loop_over_two(void)
{
    loop_over(2);
}

static void loop_over_three(void)
{
    loop_over(3);
}

static void loop_over_four(void)
{
    loop_over(4);
}

static void check_nothing(void)
{
    explore_must(load_relaxed(&owner->deque.wsfj_tail) == owner->bottom, "the loop leaves tasks behind");
}

static struct wsfj_slices slices;
static struct wsfj_stack *taker[EXPLORE_THREADS];
static struct wsfj_worker served[EXPLORE_THREADS];

/* Thread t serves worker id[t]. */
static void start_slices(const unsigned *id)
{
    owner_start(WSFJ_MODE_NORMAL);
    wsfj_num_workers = EXPLORE_THREADS;
    for (unsigned t = 0; t < EXPLORE_THREADS; t++) {
        taker[t] = explore_stack(t, WSFJ_MODE_NORMAL);
        memset(&served[t], 0, sizeof served[t]);
        served[t].id = id[t];
        taker[t]->worker = &served[t];
    }
    wsfj_slices_begin(&slices, &taker[0]->deque, 100);
    explore_must(slices.wsfj_count == EXPLORE_THREADS, "not one slice for each worker");
    memset(ran, 0, sizeof ran);
}

static void start_at_home(void)
{
    start_slices((const unsigned[]){2, 0, 1});
}

/* As when one worker takes more tickets than one. */
static void start_at_one_home(void)
{
    start_slices((const unsigned[]){1, 1, 1});
}

static void take(void)
{
    uint64_t k = wsfj_slices_take(&slices, &taker[explore_self()]->deque);

    explore_must(k < EXPLORE_THREADS && ran[k]++ == 0, "a slice is taken twice");
}

static void take_own(void)
{
    unsigned t = explore_self();
    uint64_t k = wsfj_slices_take(&slices, &taker[t]->deque);

    explore_must(k == served[t].id && ran[k]++ == 0, "a free slice of the own worker is not taken");
}

static void check_slices(void)
{
    for (unsigned k = 0; k < EXPLORE_THREADS; k++)
        explore_must(ran[k] == 1, "a slice is lost");
}

static const struct explore_mutant forced[] = {
    {"the barrier does nothing (THE-3)", "membarrier", "syscall", "SYS_membarrier", EXPLORE_SKIP, 0},
    {"the tail is published relaxed (THE-1)", "wsfj_publish_tail", "store", "&wsfj_deque->wsfj_tail", EXPLORE_WEAKER,
     __ATOMIC_RELAXED},
    {"the driver does not check (THE-2)", "take_back", "load", "&own->deque.wsfj_exposed", EXPLORE_VALUE, 0},
    {"the thief does not check (THE-3)", "force_locked", "load", "&s->deque.wsfj_tail", EXPLORE_VALUE, UINTPTR_MAX},
    {"the lock does not exclude (THE-4)", "try_lock", "exchange", "&s->lock", EXPLORE_SPLIT, 0},
    {NULL}};

static const struct explore_mutant requested[] = {
    {"the driver does not check (THE-2)", "take_back", "load", "&own->deque.wsfj_exposed", EXPLORE_VALUE, 0},
    {"the lock does not exclude (THE-4)", "try_lock", "exchange", "&s->lock", EXPLORE_SPLIT, 0},
    {NULL}};

static const struct explore_mutant raced[] = {
    {"a slice is taken in two steps (LOOP-1)", "take_slice", "or", "word", EXPLORE_SPLIT, 0},
    {NULL}};

static const struct explore_program programs[] = {
    {"two iterations, a thief that forces",
     start_normal,
     {loop_over_two, owner_force},
     check_nothing,
     {3, 2},
     {6, 4},
     forced},
    {"three iterations, a thief that forces",
     start_normal,
     {loop_over_three, owner_force_twice},
     check_nothing,
     {2, 1},
     {4, 2},
     forced},
    {"four iterations, two thieves that force",
     start_normal,
     {loop_over_four, owner_force, owner_force},
     check_nothing,
     {1, 1},
     {2, 2},
     NULL},
    {"three iterations, a thief that requests",
     start_with_request,
     {loop_over_three, owner_steal_twice},
     check_nothing,
     {2, 1},
     {4, 2},
     requested},
    {"three iterations, no barrier",
     start_locked,
     {loop_over_three, owner_force_twice},
     check_nothing,
     {2, 1},
     {4, 2},
     requested},
    {"slices of three workers", start_at_home, {take_own, take_own, take_own}, check_slices, {3, 2}, {6, 4}, NULL},
    {"slices, all for one worker", start_at_one_home, {take, take, take}, check_slices, {3, 2}, {6, 4}, raced},
    {NULL}};

int main(int argc, char **argv)
{
    return explore_main(argc, argv, programs);
}
