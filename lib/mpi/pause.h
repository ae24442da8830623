/* SPDX-License-Identifier: MIT */
/* Pauses between two looks of one who waits long: 2 us, then longer by an eighth each time, so that a look is late by an eighth
 * of the wait at most. Twice as long each time would be late by the whole wait: two ranks that wait for each other's answers
 * would both be in a long pause when an answer comes, and each message would take 2 ms. From 1 ms on longer by a 64th, up to
 * 2.5 ms, which come after 100 ms: a rank that waits long costs less than 2 % of a CPU. */
#ifndef WSFJ_MPI_PAUSE_H
#define WSFJ_MPI_PAUSE_H

#include <stdint.h>

#define WSFJ_MPI_PAUSE_LEAST UINT64_C(2000)
#define WSFJ_MPI_PAUSE_LONG UINT64_C(1000000)

/* The pause after this one; 0: there was none. */
static inline uint64_t wsfj_mpi_longer(uint64_t pause)
{
    if (!pause)
        return WSFJ_MPI_PAUSE_LEAST;
    if (pause < WSFJ_MPI_PAUSE_LONG)
        return pause + pause / 8;
    return pause < WSFJ_MPI_PAUSE_LONG * 5 / 2 ? pause + pause / 64 : pause;
}

#endif
