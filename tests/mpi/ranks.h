/* SPDX-License-Identifier: MIT */
/* What the programs of tests/mpi share: they run under mpirun (ranks), so Check's forks are not for them. */
#ifndef WSFJ_TESTS_MPI_RANKS_H
#define WSFJ_TESTS_MPI_RANKS_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wsfj.h>
#include <wsfj/mpi.h>
#include <wsfj/wait.h>

static int rank, ranks;
static const char *case_name = "start";

/* A failure ends all ranks. */
#define CHECK(condition)                                                                                               \
    ((condition)                                                                                                       \
         ? (void)0                                                                                                     \
         : (fprintf(stderr, "%s:%d: rank %d, %s: %s\n", __FILE__, __LINE__, rank, case_name, #condition), _exit(3)))
#define CHECK_IS(got, expected)                                                                                        \
    do {                                                                                                               \
        long long got_ = (got), expected_ = (expected);                                                                \
        if (got_ != expected_) {                                                                                       \
            fprintf(stderr, "%s:%d: rank %d, %s: %s is %lld, not %lld\n", __FILE__, __LINE__, rank, case_name, #got,   \
                    got_, expected_);                                                                                  \
            _exit(3);                                                                                                  \
        }                                                                                                              \
    } while (0)

#define MS UINT64_C(1000000)

#endif
