/* SPDX-License-Identifier: MIT */
/*
 * Loops with results. Each part of the range that a rank runs makes a piece: the results of its indices, side by side. At the
 * end all ranks send their pieces to rank 0, which stores each where it belongs.
 */
#include "mpi/bag_for.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A piece has so many bytes at most, because MPI counts in ints. A test has shorter ones. */
#ifndef PIECE_MOST
#define PIECE_MOST ((uint64_t)64 << 20)
#endif
#define ELEMENT_MOST ((size_t)1 << 20)
#define VALUE_MOST 4096
/* A reduction has so many blocks at most. Each is computed by one rank. */
#define BLOCKS_MOST 16384

struct piece {
    struct piece *next;
    int64_t lo, hi;
    _Alignas(16) char results[];
};

struct map {
    ws_mpi_bag *bag;
    ws_mpi_element *fn;
    void *arg;
    size_t size;
    struct piece *pieces; /* of this rank; workers push without a lock */
};

static void run_piece(struct map *m, int64_t lo, int64_t hi)
{
    struct piece *p = malloc(sizeof *p + (uint64_t)(hi - lo) * m->size);

    wsfj_bag_require(m->bag, p ? MPI_SUCCESS : MPI_ERR_NO_MEM);
    p->lo = lo;
    p->hi = hi;
    for (int64_t i = lo; i < hi; i++)
        m->fn(i, p->results + (uint64_t)(i - lo) * m->size, m->arg);
    p->next = __atomic_load_n(&m->pieces, __ATOMIC_RELAXED);
    /* Release: the results; the end of the run orders them before the gathering. */
    while (!__atomic_compare_exchange_n(&m->pieces, &p->next, p, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
}

static void run_part(int64_t lo, int64_t hi, void *arg)
{
    struct map *m = arg;
    int64_t most = (int64_t)(PIECE_MOST / m->size);

    for (; hi - lo > most; lo += most)
        run_piece(m, lo, lo + most);
    run_piece(m, lo, hi);
}

static int send_pieces(const struct map *m)
{
    int64_t none[2] = {0, 0};
    int error = 0;

    for (const struct piece *p = m->pieces; p && !error; p = p->next) {
        int64_t where[2] = {p->lo, p->hi};

        error = ws_mpi_send(where, 2, MPI_INT64_T, 0, 0, m->bag->values);
        if (!error)
            error = ws_mpi_send(p->results, (int)((uint64_t)(p->hi - p->lo) * m->size), MPI_BYTE, 0, 0, m->bag->values);
    }
    return error ? error : ws_mpi_send(none, 2, MPI_INT64_T, 0, 0, m->bag->values);
}

/* Messages of a rank come in their order. */
static int receive_pieces(const struct map *m, int from, int64_t first, char *out)
{
    int64_t where[2];
    int error;

    while (!(error = ws_mpi_recv(where, 2, MPI_INT64_T, from, 0, m->bag->values, MPI_STATUS_IGNORE)) &&
           where[0] < where[1])
        if ((error = ws_mpi_recv(out + (uint64_t)(where[0] - first) * m->size,
                                 (int)((uint64_t)(where[1] - where[0]) * m->size), MPI_BYTE, from, 0, m->bag->values,
                                 MPI_STATUS_IGNORE)))
            break;
    return error;
}

static int gather(const struct map *m, int64_t first, char *out)
{
    int error = 0;

    if (m->bag->me > 0)
        return send_pieces(m);
    for (const struct piece *p = m->pieces; p; p = p->next)
        memcpy(out + (uint64_t)(p->lo - first) * m->size, p->results, (uint64_t)(p->hi - p->lo) * m->size);
    for (int from = 1; from < m->bag->ranks && !error; from++)
        error = receive_pieces(m, from, first, out);
    return error;
}

static int give_to_all(const struct map *m, char *out, uint64_t bytes)
{
    int error = 0;

    for (uint64_t at = 0; at < bytes && !error; at += PIECE_MOST)
        error = ws_mpi_bcast(out + at, (int)(bytes - at < PIECE_MOST ? bytes - at : PIECE_MOST), MPI_BYTE, 0,
                             m->bag->values);
    return error;
}

/* Whether all ranks have room for the results. EINVAL: rank 0 has none. */
static int who_gets_them(const struct map *m, const char *out, bool *all)
{
    int room[2] = {out != NULL, m->bag->me > 0 || out != NULL}, least[2];
    int error = ws_mpi_allreduce(room, least, 2, MPI_INT, MPI_MIN, m->bag->values);

    *all = least[0];
    return error ? error : least[1] ? 0 : EINVAL;
}

static int run_map(struct map *m, int64_t lo, int64_t hi, char *out)
{
    bool all;
    int error = who_gets_them(m, out, &all);

    if (error)
        return error;
    error = wsfj_mpi_loop_run(m->bag, run_part, lo, hi, m, true);
    ws_blocking_begin();
    if (!error)
        error = gather(m, lo, out);
    if (!error && all)
        error = give_to_all(m, out, (uint64_t)(hi - lo) * m->size);
    ws_blocking_end();
    for (struct piece *p = m->pieces, *next; p; p = next) {
        next = p->next;
        free(p);
    }
    return error;
}

BAG_EXPORT int ws_mpi_map(ws_mpi_element *fn, int64_t lo, int64_t hi, void *arg, void *out, size_t size)
{
    const uint64_t same[] = {(uint64_t)lo, (uint64_t)hi, size, 1};
    struct map m = {.fn = fn, .arg = arg, .size = size};
    int error = fn && size >= 1 && size <= ELEMENT_MOST ? 0 : EINVAL;

    if (!error)
        error = wsfj_mpi_loop_begin(&m.bag, same, sizeof same / sizeof *same);
    if (error)
        return error;
    if (lo < hi)
        error = run_map(&m, lo, hi, out);
    wsfj_mpi_loop_end();
    return error;
}

/* A reduction is a map whose elements are blocks of 2^bits indices: nodes of the tree whose leaves are the indices. */
struct reduction {
    ws_mpi_element *fn;
    void *arg;
    size_t size;
    void (*combine)(void *, const void *);
    int64_t lo;
    uint64_t n;
    int bits;
    const char *blocks; /* their values, for the upper part of the tree */
};

/* The largest power of two at which a node from p to e - 1 can be cut. */
static uint64_t cut(uint64_t p, uint64_t e)
{
    return (e - 1) & ~(uint64_t)0 << (63 - __builtin_clzll(p ^ (e - 1)));
}

/* The value of the tree over p to e - 1: of indices, or of blocks whose values are there. */
static void fold(const struct reduction *r, uint64_t p, uint64_t e, char *value)
{
    _Alignas(16) char right[VALUE_MOST];

    if (e - p > 1) {
        fold(r, p, cut(p, e), value);
        fold(r, cut(p, e), e, right);
        r->combine(value, right);
    } else if (r->blocks) {
        memcpy(value, r->blocks + p * r->size, r->size);
    } else {
        r->fn((int64_t)((uint64_t)r->lo + p), value, r->arg);
    }
}

static void run_block(int64_t block, void *value, void *arg)
{
    const struct reduction *r = arg;
    uint64_t p = (uint64_t)block << r->bits, e = p + ((uint64_t)1 << r->bits);

    fold(r, p, e < r->n ? e : r->n, value);
}

BAG_EXPORT int ws_mpi_reduce(ws_mpi_element *fn, int64_t lo, int64_t hi, void *arg, void *value, size_t size,
                             void (*combine)(void *into, const void *other))
{
    struct reduction r = {
        .fn = fn, .arg = arg, .size = size, .combine = combine, .lo = lo, .n = (uint64_t)hi - (uint64_t)lo};
    const uint64_t same[] = {(uint64_t)lo, (uint64_t)hi, size, 2};
    struct map m = {.fn = run_block, .arg = &r, .size = size};
    uint64_t blocks;
    char *values;
    int error = fn && combine && value && size >= 1 && size <= VALUE_MOST ? 0 : EINVAL;

    if (!error)
        error = wsfj_mpi_loop_begin(&m.bag, same, sizeof same / sizeof *same);
    if (error || lo >= hi) {
        if (!error)
            wsfj_mpi_loop_end();
        return error;
    }
    while ((r.n - 1) >> r.bits >= BLOCKS_MOST)
        r.bits++;
    blocks = ((r.n - 1) >> r.bits) + 1;
    values = malloc(blocks * size);
    wsfj_bag_require(m.bag, values ? MPI_SUCCESS : MPI_ERR_NO_MEM);
    error = run_map(&m, 0, (int64_t)blocks, values);
    if (!error) {
        r.blocks = values;
        fold(&r, 0, blocks, value);
    }
    free(values);
    wsfj_mpi_loop_end();
    return error;
}
