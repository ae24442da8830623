/* SPDX-License-Identifier: MIT */
/* Combines a value of each rank: up a binomial tree to rank 0, and back to all. */
#include "bag.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#define TAG 100 /* beside enum bag_message; between two runs, and each rank expects one value from a certain rank */

static void wait(ws_mpi_bag *bag, int error, MPI_Request *request)
{
    wsfj_bag_require(bag, error);
    wsfj_bag_wait(bag, request);
}

static void up(ws_mpi_bag *bag, MPI_Comm comm, void *value, void *other, int n, void (*combine)(void *, const void *, size_t))
{
    MPI_Request request;

    for (int bit = 1; bit < bag->ranks; bit <<= 1) {
        if (bag->me & bit) {
            wait(bag, MPI_Isend(value, n, MPI_BYTE, bag->me ^ bit, TAG, comm, &request), &request);
            return;
        }
        if ((bag->me | bit) < bag->ranks) {
            wait(bag, MPI_Irecv(other, n, MPI_BYTE, bag->me | bit, TAG, comm, &request), &request);
            combine(value, other, (size_t)n);
        }
    }
}

int ws_mpi_bag_reduce(ws_mpi_bag *bag, void *value, size_t n, void (*combine)(void *into, const void *other, size_t n))
{
    if (!bag || !value || !combine || n > INT_MAX)
        return EINVAL;
    if (atomic_exchange(&bag->runs, 1))
        return EBUSY;
    void *other = malloc(n ? n : 1);
    MPI_Request request;
    MPI_Comm comm;

    ws_blocking_begin();
    int error = wsfj_bag_agree(bag, BAG_REDUCE, n);

    if (!error && !other)
        wsfj_bag_require(bag, MPI_ERR_NO_MEM);
    if (!error) {
        /* The bag's receive for any tag is posted, so values need a communicator of their own. */
        wait(bag, MPI_Comm_idup(bag->comm, &comm, &request), &request);
        up(bag, comm, value, other, (int)n, combine);
        wait(bag, MPI_Ibcast(value, (int)n, MPI_BYTE, 0, comm, &request), &request);
        MPI_Comm_free(&comm);
    }
    ws_blocking_end();
    free(other);
    atomic_store(&bag->runs, 0);
    return error;
}
