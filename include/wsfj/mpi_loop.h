/* SPDX-License-Identifier: MIT */
/**
 * @file mpi_loop.h
 * Loops over the ranks of MPI_COMM_WORLD and their workers. A program with them is linked with libwsfj-mpi.
 *
 * @code
 * static void square(int64_t i, void *out, void *arg)
 * {
 *     *(double *)out = (double)i * (double)i;
 * }
 * ...
 * ws_mpi_map(square, 0, n, NULL, squares, sizeof *squares); // on all ranks; rank 0 has the results
 * @endcode
 *
 * A rank begins with its block of the range. It runs parts of about a millisecond, each of them divided among its workers as by
 * ws_for(). A rank that has nothing left takes half of what another one has (mpi_bag.h says how it finds it). Data do not move
 * with the indices: `arg` is each rank's own.
 *
 * All functions are *collective*: all ranks call them, in the same order, with the same range and sizes and the same function. If
 * ranges or sizes differ, all return EINVAL, and rank 0 writes a line that says so. One loop at a time runs on a rank: from
 * inside a loop they return EBUSY. They also return what those of mpi.h do: call ws_mpi_init() first. They cannot be cancelled.
 * A task that calls one is in a blocking section meanwhile.
 */
#ifndef WSFJ_MPI_LOOP_H
#define WSFJ_MPI_LOOP_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Runs the indices lo to hi - 1, lo < hi. Several parts run at the same time. */
typedef void ws_mpi_part(int64_t lo, int64_t hi, void *arg);

/** Computes what index i gives, and stores it in `out`, which is aligned to 16 if the size is. Several run at the same time. */
typedef void ws_mpi_element(int64_t i, void *out, void *arg);

/**
 * Calls fn for parts of lo to hi - 1: each index is in one of them. Returns when all ranks are done.
 *
 * @return 0; EINVAL, EBUSY, ENOMEM and as above
 */
int ws_mpi_for(ws_mpi_part *fn, int64_t lo, int64_t hi, void *arg);

/** The same, but each rank runs its block, and no index moves: OpenMP's schedule(static), over ranks. */
int ws_mpi_for_static(ws_mpi_part *fn, int64_t lo, int64_t hi, void *arg);

/**
 * Calls fn for each index, and stores the results in the order of the indices.
 *
 * @param fn computes one result
 * @param lo, hi the indices are lo to hi - 1
 * @param arg for fn
 * @param out room for hi - lo results; if all ranks give one, all get the results, else rank 0, which must give one
 * @param size of a result, in bytes, 1 to 2^20
 * @return 0; EINVAL, EBUSY, ENOMEM and as above
 */
int ws_mpi_map(ws_mpi_element *fn, int64_t lo, int64_t hi, void *arg, void *out, size_t size);

/**
 * Calls fn for each index and combines the results, in the order of the indices. The pairs that are combined depend on the
 * number of indices only, not on ranks and workers: so the same bits come on one rank and on a thousand. (The cuts are those of
 * WS_REDUCE: at the largest power of two.)
 *
 * @param fn computes one result
 * @param lo, hi the indices are lo to hi - 1
 * @param arg for fn
 * @param value the result, on all ranks; for lo >= hi it stays
 * @param size of a result, in bytes, 1 to 4096
 * @param combine adds `other` to `into`; associative, need not be commutative. Several run at the same time
 * @return 0; EINVAL, EBUSY, ENOMEM and as above
 */
int ws_mpi_reduce(ws_mpi_element *fn, int64_t lo, int64_t hi, void *arg, void *value, size_t size,
                  void (*combine)(void *into, const void *other));

#ifdef __cplusplus
}
#endif

#endif
