/* SPDX-License-Identifier: MIT */
/* Pauses between two looks of one who waits long: 2 us, then twice as long each time, up to 1 ms. */
#ifndef WSFJ_MPI_PAUSE_H
#define WSFJ_MPI_PAUSE_H

#include <stdint.h>

#define WSFJ_MPI_PAUSE_LEAST UINT64_C(2000)
#define WSFJ_MPI_PAUSE_MOST UINT64_C(1000000)

/* The pause after this one; 0: there was none. */
static inline uint64_t wsfj_mpi_longer(uint64_t pause)
{
    if (pause >= WSFJ_MPI_PAUSE_MOST / 2)
        return WSFJ_MPI_PAUSE_MOST;
    return pause ? 2 * pause : WSFJ_MPI_PAUSE_LEAST;
}

#endif
