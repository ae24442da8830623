/* SPDX-License-Identifier: MIT */
/* The tasks of a bag at one rank. Runners are detached tasks of libwsfj: each takes tasks of its worker, else of other
 * workers, and runs them. While there are tasks, one runner more is submitted. It begins on a worker that has no work, or
 * where a task waits, and submits the next one. So as many run as there are workers, whatever the tasks do. */
#include "mpi/bag.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TURN_NS 1000000 /* then a runner makes way for the one that is queued, before that one must preempt it (2 ms) */

static struct bag_store *own(ws_mpi_bag *bag)
{
    size_t slot = ws_slot();

    return &bag->stores[slot < bag->slots ? slot : bag->slots - 1];
}

bool wsfj_bag_empty(ws_mpi_bag *bag)
{
    for (size_t i = 0; i < bag->slots; i++) {
        bag_store_lock(&bag->stores[i]);
        size_t count = bag->stores[i].count;

        bag_store_unlock(&bag->stores[i]);
        if (count)
            return false;
    }
    return true;
}

/* Moves the older half of another worker's tasks to `mine`, through the buffer; one task comes, too. *left: tasks are left. */
static bool take_from_others(ws_mpi_bag *bag, struct bag_store *mine, char *buffer, bool *left)
{
    size_t first = (size_t)(mine - bag->stores), taken = 0;

    for (size_t i = 1; i < bag->slots && !taken; i++) {
        struct bag_store *s = &bag->stores[(first + i) % bag->slots];

        bag_store_lock(s);
        taken = bag_store_cut(s, (s->count + 1) / 2, buffer, bag_item_bytes(WS_MPI_TASK_MOST));
        *left = s->count;
        bag_store_unlock(s);
    }
    if (!taken)
        return false;
    bag_store_lock(mine);
    bool there = bag_store_append(mine, buffer, taken);

    bag_store_unlock(mine);
    if (!there) {
        fprintf(stderr, "libwsfj-mpi: bag: no memory for %zu bytes of tasks\n", taken);
        abort();
    }
    return true;
}

/* Runs the next task. */
static bool run_one(ws_mpi_bag *bag, char *buffer)
{
    struct bag_item item;
    struct bag_store *s = own(bag);
    bool there, left = false;

    do {
        bag_store_lock(s);
        there = bag_store_pop(s, &item, buffer);
        left |= s->count;
        bag_store_unlock(s);
    } while (!there && take_from_others(bag, s, buffer, &left));
    if (!there)
        return false;
    if (left)
        wsfj_bag_more(bag);
    bag->functions[item.function].run(bag, buffer, item.size);
    return true;
}

/* The buffer is a runner's own: a task that waits keeps its bytes. */
static char *make_buffer(void)
{
    return malloc(bag_item_bytes(WS_MPI_TASK_MOST));
}

bool wsfj_bag_run_here(ws_mpi_bag *bag, uint64_t most)
{
    char *buffer = make_buffer();
    uint64_t end = wsfj_bag_now() + most;
    bool any = false;

    if (!buffer) {
        fprintf(stderr, "libwsfj-mpi: bag: no memory to run a task\n");
        abort();
    }
    atomic_fetch_add(&bag->busy, 1);
    while (run_one(bag, buffer)) {
        any = true;
        if (wsfj_bag_now() >= end)
            break;
    }
    atomic_fetch_sub(&bag->busy, 1);
    free(buffer);
    return any;
}

#ifndef WSFJ_SERIAL
/* The last runner says that the rank has no task. A task that was added after its last look has seen `live` without it, or is
 * seen here: both look under the store's lock. */
static void end_runner(ws_mpi_bag *bag, bool had_room)
{
    atomic_store(&bag->last_end, wsfj_bag_now());
    int left = atomic_fetch_sub(&bag->live, 1) - 1;

    if (!had_room && left > 0)
        return; /* each of those looks, too */
    if (!wsfj_bag_empty(bag))
        wsfj_bag_more(bag);
    else if (left == 0)
        wsfj_bag_wake(bag);
}

static void runner(void *arg)
{
    ws_mpi_bag *bag = arg;

    atomic_store(&bag->queued, 0);
    wsfj_bag_run_here(bag, TURN_NS);
    end_runner(bag, true);
}

void wsfj_bag_more(ws_mpi_bag *bag)
{
    if (!atomic_load(&bag->runs) || atomic_load(&bag->queued) || atomic_load(&bag->live) >= bag->runners_most)
        return;
    if (atomic_exchange(&bag->queued, 1))
        return;
    atomic_fetch_add(&bag->live, 1);
    if (ws_group_submit(&bag->group, runner, bag) == 0)
        return;
    /* No room: the runners that live come for the tasks. If there is none, this thread does. */
    atomic_store(&bag->queued, 0);
    while (atomic_load(&bag->live) == 1 && wsfj_bag_run_here(bag, TURN_NS))
        ;
    end_runner(bag, false);
}
#else
void wsfj_bag_more(ws_mpi_bag *bag)
{
    (void)bag;
}
#endif

/* One task for a thief where no store has two, or the oldest is longer than a chunk: half of the newest if it can be cut, or all of
 * the oldest while another task runs or is left. */
static size_t cut_one(ws_mpi_bag *bag, struct bag_store *s, char *chunk)
{
    struct bag_item *item = bag_store_newest(s);

    if (!item)
        return 0;
    size_t size = bag_item_bytes(item->size);

    if (bag->functions[item->function].split) {
        memcpy(chunk, item, size);
        if (bag->functions[item->function].split(item + 1, chunk + sizeof *item, item->size))
            return size;
    }
    return s->count > 1 || atomic_load(&bag->busy) ? bag_store_cut(s, 1, chunk, bag_item_bytes(WS_MPI_TASK_MOST)) : 0;
}

size_t wsfj_bag_cut(ws_mpi_bag *bag, void *chunk)
{
    size_t taken = 0, most = bag->config.chunk;

    for (size_t i = 0; i < bag->slots; i++) {
        struct bag_store *s = &bag->stores[i];

        bag_store_lock(s);
        taken += bag_store_cut(s, s->count / 2, (char *)chunk + taken, taken < most ? most - taken : 0);
        bag_store_unlock(s);
    }
    for (size_t i = 0; i < bag->slots && !taken; i++) {
        bag_store_lock(&bag->stores[i]);
        taken = cut_one(bag, &bag->stores[i], chunk);
        bag_store_unlock(&bag->stores[i]);
    }
    return taken;
}

BAG_EXPORT int ws_mpi_bag_add(ws_mpi_bag *bag, unsigned function, const void *bytes, size_t n)
{
    if (n > WS_MPI_TASK_MOST) {
        fprintf(stderr, "libwsfj-mpi: ws_mpi_bag_add: a task of %zu bytes; at most %d are possible\n", n,
                WS_MPI_TASK_MOST);
        return EMSGSIZE;
    }
    if (function >= bag->count || (n && !bytes))
        return EINVAL;
    struct bag_store *s = own(bag);
    void *room = NULL;

    bag_store_lock(s);
    bool full = bag_store_bytes(s) + bag_item_bytes(n) > bag->config.limit / bag->slots;

    if (!full && (room = bag_store_push(s, function, n)) && n)
        memcpy(room, bytes, n);
    bag_store_unlock(s);
    if (full) {
        char *copy = malloc(n ? n : 1);

        if (!copy)
            return ENOMEM;
        if (n)
            memcpy(copy, bytes, n);
        atomic_fetch_add(&bag->inlined, 1);
        bag->functions[function].run(bag, copy, n);
        free(copy);
        return 0;
    }
    if (!room)
        return ENOMEM;
    wsfj_bag_more(bag);
    if (atomic_load_explicit(&bag->wanted, memory_order_relaxed) && atomic_exchange(&bag->wanted, 0))
        wsfj_bag_wake(bag);
    return 0;
}
