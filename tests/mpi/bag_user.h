/* SPDX-License-Identifier: MIT */
/* What the programs of bag.sh share: MPI with the level that the library needs, a bound, and a check that names its line. */
#ifndef TESTS_MPI_BAG_USER_H
#define TESTS_MPI_BAG_USER_H

#include <wsfj.h>
#include <wsfj/mpi.h>
#include <wsfj/mpi_bag.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIMIT_S 60

static int rank, ranks;

#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: rank %d: not true: %s\n", __FILE__, __LINE__, rank, #condition);                   \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                                              \
        }                                                                                                              \
    } while (0)

static inline void begin(int *argc, char ***argv)
{
    alarm(LIMIT_S);
    REQUIRE(ws_mpi_init(argc, argv) == 0);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
}

static inline void add_up(void *into, const void *other, size_t n)
{
    for (size_t i = 0; i < n / sizeof(uint64_t); i++)
        ((uint64_t *)into)[i] += ((const uint64_t *)other)[i];
}

static inline uint64_t sum(ws_mpi_bag *bag, uint64_t value)
{
    REQUIRE(ws_mpi_bag_reduce(bag, &value, sizeof value, add_up) == 0);
    return value;
}

#endif
