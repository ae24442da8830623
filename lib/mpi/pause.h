/* SPDX-License-Identifier: MIT */
/* Pauses between two looks of one who waits long: 2 us, then twice as long each time, up to 1 ms; then longer by a 64th each
 * time, up to 2 ms, which come after 70 ms. So a look is late by a thirtieth of the wait at most, or by 1 ms. */
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
        return pause < WSFJ_MPI_PAUSE_LONG / 2 ? 2 * pause : WSFJ_MPI_PAUSE_LONG;
    return pause < 2 * WSFJ_MPI_PAUSE_LONG ? pause + pause / 64 : pause;
}

#endif
