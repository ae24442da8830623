/* SPDX-License-Identifier: MIT */
/*
 * Sleep and wake: a worker makes work known and waits until somebody has taken it, while others give up searching. A lost
 * wake-up is a deadlock (PARK-1, PARK-2, PARK-4, PARK-5, PARK-7). PARK-3 is in loop.c.
 */
#include "crew.h"

#include "deque.h"
#include "global.h"
#include "guest.h"
#include "park.h"
#include "retire.h"
#include "supply.h"

static void function(void *arg)
{
    (void)arg;
}

static const struct wsfj_item item = {function, NULL, NULL};

WS_TASK_VOID(task)
{
    (void)wsfj_f;
    crew_take();
}

/* Worker 0 runs its stack; the others search. */
static void start_two(void)
{
    crew_start(2, 1);
    crew[0].stack = crew_stack;
}

/* No stack runs, and no last look needs a barrier. */
static void start_foreign(void)
{
    crew_start(2, 1);
}

static void start_three(void)
{
    crew_start(3, 2);
    crew[0].stack = crew_stack;
}

/* Worker 1 is surplus, worker 2 sleeps. */
static void start_surplus(void)
{
    crew_start(3, 2);
    wsfj_supply_change(1);
}

static void spawner(void)
{
    EXPLORE_FRAME(crew_stack);

    ws_spawn(task);
    crew_wait(1);
    wsfj_worker_stop();
}

static void spawner_of_two(void)
{
    EXPLORE_FRAME(crew_stack);

    ws_spawn(task);
    ws_spawn(task);
    crew_wait(2);
    wsfj_worker_stop();
}

/* As in submit.c. */
static void submit(void)
{
    struct wsfj_item displaced;

    switch (explore_choose(3)) {
    case 0:
        (void)wsfj_ring_push(&crew[0].ring, item);
        break;
    case 1:
        wsfj_ring_put_next(&crew[0].ring, item, &displaced);
        break;
    default:
        (void)wsfj_global_put(item, false);
    }
    wsfj_park_notify(&crew[0]);
}

static void submitter(void)
{
    submit();
    crew_wait(1);
    wsfj_worker_stop();
}

static bool take_item(struct wsfj_worker *w)
{
    struct wsfj_item it;
    struct wsfj_ring *ring = &crew[0].ring;

    return wsfj_ring_steal(ring, &w->ring, &it) || wsfj_ring_steal_next(ring, &it) ||
           wsfj_ring_steal_next(ring, &it) || wsfj_global_take(&it, 1, 1);
}

/* Searches, sleeps, and again; takes one piece of work. As in worker.c others get their turn between two rounds: one of
 * them may hold the deque's lock. */
static void search(bool at_first)
{
    struct wsfj_worker *w = &crew[explore_self()];
    struct wsfj_loot loot;

    if (!at_first)
        wsfj_park_sleep(w, true);
    while (!wsfj_worker_stopping()) {
        if (wsfj_deque_steal(crew_stack, true, NULL, &loot) == WSFJ_STEAL_GOT || take_item(w)) {
            wsfj_park_found(w);
            crew_take();
            return;
        }
        wsfj_park_sleep(w, true);
        explore_pause();
    }
}

static void searcher(void)
{
    search(true);
}

static void sleeper(void)
{
    search(false);
}

/* Worker 1 has no processor until somebody says it has. */
static void surplus(void)
{
    while (!wsfj_worker_stopping()) {
        if (wsfj_supply_allows(1)) {
            crew_take();
            return;
        }
        wsfj_retire(&crew[1]);
    }
}

static void supplier(void)
{
    wsfj_supply_change(2);
    crew_wait(1);
    wsfj_worker_stop();
}

/* A thread of the program takes a sleeper's place for a moment. */
static void guest(void)
{
    struct wsfj_worker *w = wsfj_guest_enter();

    if (w)
        wsfj_guest_leave(w);
}

static const struct explore_mutant spawns[] = {
    {"the barrier does nothing (PARK-2)", "membarrier", "syscall", "SYS_membarrier", EXPLORE_SKIP, 0},
    {"no request (PARK-2)", "wsfj_look", "store", "&s->head.limit", EXPLORE_SKIP, 0},
    {"the spawn does not look (PARK-1)", NULL, "load", "&(f->head)->limit", EXPLORE_VALUE, UINTPTR_MAX},
    {"no last look (PARK-2)", "wsfj_look", "load", "&wsfj_workers[i].stack", EXPLORE_SKIP, 0},
    {"not counted asleep (PARK-4)", "wsfj_census_fall_asleep", "add", "&state", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_mutant chain[] = {
    {"who has found something wakes nobody", "wsfj_census_remove_searchers", "add", "&state", EXPLORE_SKIP, 0},
    {"counts in two steps (PARK-4)", "wsfj_census_fall_asleep", "add", "&state", EXPLORE_SPLIT, 0},
    {NULL}};

static const struct explore_mutant submits[] = {
    {"the ring's tail is only released (PARK-5)", "wsfj_ring_push", "store", "&ring->tail", EXPLORE_WEAKER,
     __ATOMIC_RELEASE},
    {"run-next is only released (PARK-5)", "wsfj_ring_put_next", "store", "&ring->next_state", EXPLORE_WEAKER,
     __ATOMIC_RELEASE},
    {"the queue's count is only released (PARK-5)", "append_locked", "store", "&num_items", EXPLORE_WEAKER,
     __ATOMIC_RELEASE},
    {"the last look is relaxed (PARK-5)", "wsfj_ring_pending", "load", "&ring->tail", EXPLORE_WEAKER,
     __ATOMIC_RELAXED},
    {"the submitter's look is relaxed (PARK-5)", "wsfj_census_claim_searcher", "load", "&state", EXPLORE_WEAKER,
     __ATOMIC_RELAXED},
    {"ASLEEP is said too late (PARK-4)", "wsfj_park_sleep", "store", "&self->park", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_mutant recalls[] = {
    {"RETIRED is only released (PARK-7)", "wsfj_retire_place", "store", "&w->park", EXPLORE_WEAKER, __ATOMIC_RELEASE},
    {"the number is only released (PARK-7)", "wsfj_supply_change", "store", "&allowed", EXPLORE_WEAKER,
     __ATOMIC_RELEASE},
    {"the look at the number is relaxed (PARK-7)", "wsfj_supply_allows", "load", "&allowed", EXPLORE_WEAKER,
     __ATOMIC_RELAXED},
    {"the look at the park word is relaxed (PARK-7)", "recall", "load", "&w->park", EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {NULL}};

static const struct explore_mutant retires[] = {
    {"who retires leaves no count (PARK-7)", "wsfj_census_remove_searchers", "add", "&state", EXPLORE_SKIP, 0},
    {"the last look is relaxed (PARK-7)", "wsfj_ring_pending", "load", "&ring->tail", EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {NULL}};

static const struct explore_mutant guests[] = {
    {"a sleeper that cancels does not look who is faster (PARK-4)", "cancel", "cas", "&self->park", EXPLORE_SKIP, 0},
    {"a place is claimed in two steps (PARK-4)", "wsfj_census_claim_place", "cas", "&state", EXPLORE_SPLIT, 0},
    {NULL}};

static const struct explore_program programs[] = {
    {"a spawn and the last searcher", start_two, {spawner, sleeper}, NULL, {2, 1}, {4, 2}, spawns},
    {"two spawns and two searchers", start_three, {spawner_of_two, searcher, searcher}, NULL, {1, 0}, {2, 1}, chain},
    {"a submit and the last searcher", start_foreign, {submitter, searcher}, NULL, {2, 1}, {3, 2}, submits},
    {"retiring and being recalled", start_surplus, {supplier, surplus}, NULL, {2, 1}, {4, 2}, recalls},
    {"a submit, the last searcher retires", start_surplus, {submitter, surplus, sleeper}, NULL, {1, 1}, {2, 1}, retires},
    {"a submit, a sleeper and a guest", start_foreign, {submitter, searcher, guest}, NULL, {1, 0}, {2, 1}, guests},
    {NULL}};

int main(int argc, char **argv)
{
    return explore_main(argc, argv, programs);
}
