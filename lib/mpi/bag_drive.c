/* SPDX-License-Identifier: MIT */
/* The driver of a bag: tells bag_step() what MPI and the runners say, and sends what bag_step() says. Each send is non-blocking
 * and has a buffer of its own: two ranks that give to each other by blocking sends may hang. One receive is always posted, so
 * a rank without work waits in one call and never probes. */
#include "mpi/bag.h"

#ifndef WSFJ_SERIAL
#include "mpi/trace.h"
#endif

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TURN_NS 200000 /* with WSFJ_SERIAL: between two looks at messages */
#define NEXT 0         /* among the requests: the next message */

/* One request more; its buffer is freed at its end. */
static MPI_Request *one_more(ws_mpi_bag *bag, void *buffer)
{
    if (bag->open == bag->room) {
        bag->room *= 2;
        bag->requests = realloc(bag->requests, (size_t)bag->room * sizeof *bag->requests);
        bag->sent = realloc(bag->sent, (size_t)bag->room * sizeof *bag->sent);
        if (!bag->requests || !bag->sent)
            wsfj_bag_require(bag, MPI_ERR_NO_MEM);
    }
    bag->sent[bag->open] = buffer;
    return &bag->requests[bag->open++];
}

/* Tasks that go to another rank, or have come from there, have marks in a trace. */
static void mark(const ws_mpi_bag *bag, bool is_send, int peer, enum bag_message message)
{
#ifndef WSFJ_SERIAL
    if (wsfj_mpi_traces && (message == BAG_CHUNK || message == BAG_GIFT))
        wsfj_mpi_mark_tasks(is_send, peer, bag->comm);
#else
    (void)bag, (void)is_send, (void)peer, (void)message;
#endif
}

static void port_send(void *port, int to, enum bag_message message, const void *bytes, size_t size)
{
    ws_mpi_bag *bag = port;
    void *copy = size ? malloc(size) : NULL;

    if (size && !copy)
        wsfj_bag_require(bag, MPI_ERR_NO_MEM);
    if (size)
        memcpy(copy, bytes, size);
    mark(bag, true, to, message);
    wsfj_bag_require(bag, MPI_Isend(copy, (int)size, MPI_BYTE, to, (int)message, bag->comm, one_more(bag, copy)));
}

static size_t port_take(void *port, const void **bytes)
{
    ws_mpi_bag *bag = port;

    *bytes = bag->out;
    return wsfj_bag_cut(bag, bag->out);
}

static void port_put(void *port, const void *bytes, size_t size)
{
    ws_mpi_bag *bag = port;
    struct bag_store *s = &bag->stores[bag->slots - 1];

    if (bag->idle_since)
        bag->idle += wsfj_bag_now() - bag->idle_since;
    bag->idle_since = 0;
    bag_store_lock(s);
    bool there = bag_store_append(s, bytes, size);

    bag_store_unlock(s);
    if (!there)
        wsfj_bag_require(bag, MPI_ERR_NO_MEM);
    wsfj_bag_more(bag);
}

static bool port_has(void *port)
{
    ws_mpi_bag *bag = port;

    return atomic_load(&bag->live) || !wsfj_bag_empty(bag);
}

static void port_want(void *port, uint32_t lines)
{
    ws_mpi_bag *bag = port;

    atomic_store(&bag->waiting, lines);
    atomic_store(&bag->wanted, lines != 0);
}

static const struct bag_port calls = {port_send, port_take, port_put, port_has, port_want};

static void tell(ws_mpi_bag *bag, struct bag_news news)
{
    bag_step(&bag->step, &news);
    /* A task may have been added between the last `take` and `want`: whoever added it has not seen `wanted`. */
    if (atomic_load(&bag->wanted) && atomic_load(&bag->busy) && !wsfj_bag_empty(bag))
        bag_step(&bag->step, &(struct bag_news){.kind = BAG_SPARE});
    atomic_store(&bag->in_wave, bag->step.in_wave);
}

/* A runner has ended as the last one, or has added a task that other ranks wait for. */
void wsfj_bag_woken(ws_mpi_bag *bag)
{
    if (port_has(bag)) {
        tell(bag, (struct bag_news){.kind = BAG_SPARE});
        return;
    }
    if (!bag->idle_since)
        bag->idle_since = atomic_load(&bag->last_end);
    tell(bag, (struct bag_news){.kind = BAG_IDLE});
}

void wsfj_bag_listen(void *arg)
{
    ws_mpi_bag *bag = arg;

    wsfj_bag_require(bag, MPI_Irecv(bag->in, (int)bag->chunk_bytes, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, bag->comm,
                                    &bag->requests[NEXT]));
}

static void arrived(ws_mpi_bag *bag, const MPI_Status *status)
{
    int size;

    mark(bag, false, status->MPI_SOURCE, (enum bag_message)status->MPI_TAG);
    wsfj_bag_require(bag, MPI_Get_count(status, MPI_BYTE, &size));
    tell(bag,
         (struct bag_news){BAG_ARRIVED, (enum bag_message)status->MPI_TAG, status->MPI_SOURCE, bag->in, (size_t)size});
    wsfj_bag_listen(bag);
}

void wsfj_bag_completed(ws_mpi_bag *bag, int which, const MPI_Status *status)
{
    if (which == NEXT) {
        arrived(bag, status);
        return;
    }
    free(bag->sent[which]);
    bag->open--;
    bag->requests[which] = bag->requests[bag->open];
    bag->sent[which] = bag->sent[bag->open];
}

#ifdef WSFJ_SERIAL
/* Completes request `which`, if it is complete. MPI_Testany() of SMPI takes longer each time that nothing has come. */
static bool test(ws_mpi_bag *bag, int which)
{
    MPI_Status status;
    int there;

    wsfj_bag_require(bag, MPI_Test(&bag->requests[which], &there, &status));
    if (there)
        wsfj_bag_completed(bag, which, &status);
    return there;
}

/* Runs tasks, if there are some, and then looks at messages once. False: there is no task. */
static bool work(ws_mpi_bag *bag)
{
    if (!wsfj_bag_run_here(bag, TURN_NS))
        return false;
    atomic_store(&bag->last_end, wsfj_bag_now());
    wsfj_bag_woken(bag);
    if (!test(bag, NEXT) && bag->open > NEXT + 1)
        test(bag, bag->open - 1);
    return true;
}
#else
static bool work(ws_mpi_bag *bag)
{
    (void)bag;
    return false;
}
#endif

/* The first step, where MPI may be called. */
static void start(void *arg)
{
    ws_mpi_bag *bag = arg;

    bag_step_init(&bag->step, bag->me, bag->ranks, bag->config.seed, &calls, bag);
    if (!wsfj_bag_empty(bag))
        wsfj_bag_more(bag);
    tell(bag, (struct bag_news){.kind = BAG_BEGIN});
}

static void drive(ws_mpi_bag *bag)
{
    wsfj_bag_call(bag, start);
    while (!bag->step.is_done || bag->open > NEXT + 1)
        if (!work(bag))
            wsfj_bag_next(bag);
}

/* What is known of the run begins anew. */
static void begin(ws_mpi_bag *bag)
{
    uint64_t now = wsfj_bag_now();

    for (size_t i = 0; i < bag->slots; i++)
        bag->stores[i].begun = 0;
    atomic_store(&bag->inlined, 0);
    atomic_store(&bag->last_end, now);
    bag->idle = bag->end = 0;
    bag->idle_since = wsfj_bag_empty(bag) ? now : 0;
}

BAG_EXPORT int ws_mpi_bag_run(ws_mpi_bag *bag)
{
    int error;

    if (!bag)
        return EINVAL;
    if (atomic_exchange(&bag->runs, 1))
        return EBUSY;
    ws_blocking_begin(); /* the driver has a thread of its own, so that it answers while all workers are busy */
    error = wsfj_bag_agree(bag, BAG_RUN, 0);
    if (!error) {
        begin(bag);
        drive(bag);
        bag->end = wsfj_bag_now() - atomic_load(&bag->last_end);
        bag->idle += wsfj_bag_now() - bag->idle_since;
    }
    ws_group_wait(&bag->group);
    ws_blocking_end();
    atomic_store(&bag->waiting, 0);
    atomic_store(&bag->runs, 0);
    return error;
}
