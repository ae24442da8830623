/* SPDX-License-Identifier: MIT */
/* How the driver of a bag waits: it tests its requests and sleeps in between, longer each time up to 2.5 ms, so that a rank that
 * waits long costs next to nothing. Runners wake it at once. With WSFJ_SERIAL it waits in MPI. */
#include "mpi/bag.h"

#ifndef WSFJ_SERIAL
#include "mpi/pause.h"
#include "mpi/wait.h"
#endif

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define TESTS 20 /* before the first pause: an answer of another CPU takes some microseconds */

void wsfj_bag_require(const ws_mpi_bag *bag, int error)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;

    if (error == MPI_SUCCESS)
        return;
    MPI_Error_string(error, text, &length);
    fprintf(stderr, "libwsfj-mpi: bag: rank %d: %.*s\n", bag->me, length, text);
    MPI_Abort(bag->comm, 1);
}

#ifdef WSFJ_SERIAL
uint64_t wsfj_bag_now(void)
{
    return (uint64_t)(MPI_Wtime() * 1e9);
}

void wsfj_bag_next(ws_mpi_bag *bag)
{
    MPI_Status status;
    int which;

    wsfj_bag_require(bag, MPI_Waitany(bag->open, bag->requests, &which, &status));
    wsfj_bag_completed(bag, which, &status);
}

void wsfj_bag_wake(ws_mpi_bag *bag)
{
    (void)bag; /* the driver looks by itself after each task */
}
#else
uint64_t wsfj_bag_now(void)
{
    return ws_now();
}

/* A cancelled scope makes ws_wait_on() return at once; the run goes on. */
static void pause_for(ws_mpi_bag *bag, uint64_t ns)
{
    if (ws_cancelled())
        nanosleep(&(struct timespec){0, (long)ns}, NULL);
    else
        ws_wait_on((const uint32_t *)(const void *)&bag->wakes, bag->heard, wsfj_bag_now() + ns);
}

/* One look, where MPI may be called. */
static void look(void *arg)
{
    ws_mpi_bag *bag = arg;
    uint32_t wakes = atomic_load(&bag->wakes);
    MPI_Status status;
    int which, there;

    bag->has_news = wakes != bag->heard;
    if (bag->has_news) {
        bag->heard = wakes;
        wsfj_bag_woken(bag);
        return;
    }
    wsfj_bag_require(bag, MPI_Testany(bag->open, bag->requests, &which, &there, &status));
    bag->has_news = there && which != MPI_UNDEFINED;
    if (bag->has_news)
        wsfj_bag_completed(bag, which, &status);
}

void wsfj_bag_next(ws_mpi_bag *bag)
{
    uint64_t pause = 0;

    for (int i = 0;; i++) {
        wsfj_bag_call(bag, look);
        if (bag->has_news)
            return;
        if (i < TESTS)
            continue;
        pause = wsfj_mpi_longer(pause);
        pause_for(bag, pause);
    }
}

void wsfj_bag_wake(ws_mpi_bag *bag)
{
    atomic_fetch_add(&bag->wakes, 1);
    ws_wake((const uint32_t *)(const void *)&bag->wakes, 1);
}
#endif

/* An error means that the calls of MPI belong to a thread that has left ws_mpi_run() during the run. */
void wsfj_bag_call(ws_mpi_bag *bag, void (*fn)(void *))
{
#ifdef WSFJ_SERIAL
    int error = ws_mpi_call(fn, bag);
#else
    int error = wsfj_mpi_call_always(fn, bag);
#endif

    if (error) {
        fprintf(stderr, "libwsfj-mpi: bag: rank %d cannot call MPI: %s\n", bag->me, ws_mpi_strerror(error));
        abort();
    }
}
