/* SPDX-License-Identifier: MIT */
/* Combines a value of each rank: up a binomial tree to rank 0, and back to all. */
#include "mpi/bag.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

static int up(const ws_mpi_bag *bag, MPI_Comm comm, void *value, void *other, int n,
              void (*combine)(void *, const void *, size_t))
{
    for (int bit = 1; bit < bag->ranks; bit <<= 1) {
        if (bag->me & bit)
            return ws_mpi_send(value, n, MPI_BYTE, bag->me ^ bit, 0, comm);
        if ((bag->me | bit) >= bag->ranks)
            continue;
        int error = ws_mpi_recv(other, n, MPI_BYTE, bag->me | bit, 0, comm, MPI_STATUS_IGNORE);

        if (error)
            return error;
        combine(value, other, (size_t)n);
    }
    return 0;
}

BAG_EXPORT int ws_mpi_bag_reduce(ws_mpi_bag *bag, void *value, size_t n,
                                 void (*combine)(void *into, const void *other, size_t n))
{
    if (!bag || !value || !combine || n > INT_MAX)
        return EINVAL;
    if (atomic_exchange(&bag->runs, 1))
        return EBUSY;
    void *other = malloc(n ? n : 1);

    ws_blocking_begin();
    int error = wsfj_bag_agree(bag, BAG_REDUCE, n);

    if (!error && !other)
        wsfj_bag_require(bag, MPI_ERR_NO_MEM);
    if (!error)
        error = up(bag, bag->values, value, other, (int)n, combine);
    if (!error)
        error = ws_mpi_bcast(value, (int)n, MPI_BYTE, 0, bag->values);
    ws_blocking_end();
    free(other);
    atomic_store(&bag->runs, 0);
    return error;
}
