/* SPDX-License-Identifier: MIT */
/* How the driver of a bag waits: it tests its requests and sleeps in between, longer each time up to 1 ms, so that a rank that
 * waits long costs next to nothing. Runners wake it at once. With WSFJ_SERIAL it waits in MPI. */
#include "bag.h"

#include <stdio.h>
#include <time.h>

#define PAUSE_NS 2000
#define PAUSE_MOST_NS 1000000
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

int wsfj_bag_waitany(ws_mpi_bag *bag, MPI_Status *status)
{
    int which;

    wsfj_bag_require(bag, MPI_Waitany(bag->open, bag->requests, &which, status));
    return which;
}

void wsfj_bag_wait(ws_mpi_bag *bag, MPI_Request *request)
{
    wsfj_bag_require(bag, MPI_Wait(request, MPI_STATUS_IGNORE));
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
static void pause_for(const uint32_t *word, uint32_t seen, uint64_t ns)
{
    if (ws_cancelled())
        nanosleep(&(struct timespec){0, (long)ns}, NULL);
    else
        ws_wait_on(word, seen, wsfj_bag_now() + ns);
}

static uint64_t longer(uint64_t ns)
{
    return ns >= PAUSE_MOST_NS / 2 ? PAUSE_MOST_NS : 2 * ns;
}

int wsfj_bag_waitany(ws_mpi_bag *bag, MPI_Status *status)
{
    uint64_t pause = PAUSE_NS;

    for (int i = 0;; i++) {
        uint32_t wakes = atomic_load(&bag->wakes);
        int which, there;

        if (wakes != bag->heard) {
            bag->heard = wakes;
            return -1;
        }
        wsfj_bag_require(bag, MPI_Testany(bag->open, bag->requests, &which, &there, status));
        if (there && which != MPI_UNDEFINED)
            return which;
        if (i < TESTS)
            continue;
        pause_for((const uint32_t *)(const void *)&bag->wakes, wakes, pause);
        pause = longer(pause);
    }
}

void wsfj_bag_wait(ws_mpi_bag *bag, MPI_Request *request)
{
    uint32_t word = 0;

    for (uint64_t pause = PAUSE_NS;; pause = longer(pause)) {
        int there;

        wsfj_bag_require(bag, MPI_Test(request, &there, MPI_STATUS_IGNORE));
        if (there)
            return;
        pause_for(&word, 0, pause);
    }
}

void wsfj_bag_wake(ws_mpi_bag *bag)
{
    atomic_fetch_add(&bag->wakes, 1);
    ws_wake((const uint32_t *)(const void *)&bag->wakes, 1);
}
#endif
