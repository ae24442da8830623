/* SPDX-License-Identifier: MIT */
/* loops: loops over ranks. "loops bad" calls them with other ranges on each rank. */
#include "ranks.h"

#include <wsfj/mpi_loop.h>

enum { N = 3001 };
static unsigned char ran[N];

#ifdef PIECE_MOST /* then results go in many messages: no longer ones, and no byte twice */
static uint64_t given_to_all;

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    CHECK(type != MPI_BYTE || count <= PIECE_MOST);
    return PMPI_Isend(data, count, type, to, tag, comm, request);
}

int MPI_Ibcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request)
{
    CHECK(count <= PIECE_MOST);
    given_to_all += (uint64_t)count;
    return PMPI_Ibcast(data, count, type, root, comm, request);
}
#endif

static void spend(uint64_t ns)
{
    uint64_t began = ws_now();

    while (ws_now() - began < ns)
        ;
}

static void count_part(int64_t lo, int64_t hi, void *arg)
{
    CHECK(lo < hi && arg == ran);
    for (int64_t i = lo; i < hi; i++)
        __atomic_fetch_add(&ran[i + 7], 1, __ATOMIC_RELAXED);
}

/* All work is at the end, on the last rank: the others must come for it. */
static void count_uneven(int64_t lo, int64_t hi, void *arg)
{
    for (int64_t i = lo; i < hi; i++)
        spend(i > N - 400 ? 100000 : 100);
    count_part(lo, hi, arg);
}

/* Each index ran once, on one of the ranks. Returns how many ran here. */
static int check_counts(int n)
{
    static unsigned char all[N];
    int here = 0;

    MPI_Reduce(ran, all, N, MPI_UNSIGNED_CHAR, MPI_SUM, 0, MPI_COMM_WORLD);
    for (int i = 0; i < N; i++) {
        CHECK(rank > 0 || all[i] == (i < n));
        here += ran[i];
    }
    memset(ran, 0, sizeof ran);
    return here;
}

static void fail_part(int64_t lo, int64_t hi, void *arg)
{
    (void)arg;
    CHECK(lo > hi);
}

/* The first numbers and the last ones that there are. */
static uint64_t counted;

static void add_count(int64_t lo, int64_t hi, void *arg)
{
    CHECK(lo < hi && (lo < 0) == (arg == NULL));
    __atomic_fetch_add(&counted, (uint64_t)(hi - lo), __ATOMIC_RELAXED);
}

static void check_ends(void)
{
    uint64_t all = 0;

    case_name = "ends";
    CHECK_IS(ws_mpi_for(add_count, INT64_MIN, INT64_MIN + 500, NULL), 0);
    CHECK_IS(ws_mpi_for(add_count, INT64_MAX - 500, INT64_MAX, ran), 0);
    MPI_Reduce(&counted, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    CHECK(rank > 0 || all == 1000);
}

static void check_for(void)
{
    int here;

    case_name = "for";
    CHECK_IS(ws_mpi_for(count_part, -7, N - 7, ran), 0);
    (void)check_counts(N);
    CHECK_IS(ws_mpi_for(count_uneven, -7, N - 7, ran), 0);
    here = check_counts(N);
    CHECK(here > 0);
    CHECK_IS(ws_mpi_for_static(count_part, -7, N - 7, ran), 0);
    here = check_counts(N);
    CHECK_IS(here, N / ranks + (rank < N % ranks));
    CHECK_IS(ws_mpi_for(count_part, -7, -6, ran), 0); /* fewer indices than ranks */
    (void)check_counts(1);
    CHECK_IS(ws_mpi_for(fail_part, 5, 5, NULL), 0);
    CHECK_IS(ws_mpi_for(fail_part, 6, 5, NULL), 0);
    CHECK_IS(ws_mpi_for_static(fail_part, 6, 5, NULL), 0);
    CHECK_IS(ws_mpi_for(NULL, 0, 5, NULL), EINVAL);
}

/* A cancelled scope of the caller drops no part: other ranks count on it. */
static WS_TASK_VOID(loops_in_scope)
{
    ws_scope scope;

    ws_scope_begin(&scope);
    ws_scope_cancel(&scope, 3);
    CHECK_IS(ws_mpi_for(count_part, -7, N - 7, ran), 0);
    (void)check_counts(N);
    CHECK_IS(ws_mpi_for_static(count_part, -7, N - 7, ran), 0);
    (void)check_counts(N);
    CHECK_IS(ws_scope_end(&scope), 3);
}

static void nested(int64_t lo, int64_t hi, void *arg)
{
    CHECK_IS(ws_mpi_for(count_part, lo, hi, arg), EBUSY);
}

struct big {
    int64_t i, square;
    char rest[1008];
};

static void fill(int64_t i, void *out, void *arg)
{
    struct big *b = out;

    CHECK(arg == ran && (uintptr_t)out % 16 == 0);
    spend(i % 50 == 0 ? 20000 : 100);
    *b = (struct big){.i = i, .square = i * i};
    memset(b->rest, (int)(i & 127), sizeof b->rest);
}

static void check_results(const struct big *all, int64_t lo)
{
    for (int64_t i = 0; i < N; i++) {
        CHECK_IS(all[i].i, lo + i);
        CHECK_IS(all[i].square, (lo + i) * (lo + i));
        CHECK_IS(all[i].rest[999], (lo + i) & 127);
    }
}

static void check_map(void)
{
    struct big *all = calloc(N, sizeof *all);

    case_name = "map";
    CHECK(all);
    CHECK_IS(ws_mpi_map(fill, -100, N - 100, ran, rank ? NULL : all, sizeof *all), 0);
    if (rank == 0)
        check_results(all, -100);
    memset(all, 0, N * sizeof *all);
#ifdef PIECE_MOST
    given_to_all = 0;
#endif
    CHECK_IS(ws_mpi_map(fill, 50, N + 50, ran, all, sizeof *all), 0);
    check_results(all, 50);
#ifdef PIECE_MOST
    CHECK_IS(given_to_all, N * sizeof *all);
#endif
    CHECK_IS(ws_mpi_map(fill, 9, 9, ran, all, sizeof *all), 0);
    CHECK_IS(ws_mpi_map(fill, 0, 9, ran, rank ? all : NULL, sizeof *all), EINVAL);
    CHECK_IS(ws_mpi_map(fill, 0, 9, ran, all, 0), EINVAL);
    CHECK_IS(ws_mpi_map(fill, 0, 9, ran, all, ((size_t)1 << 20) + 1), EINVAL);
    free(all);
}

static void to_double(int64_t i, void *out, void *arg)
{
    (void)arg;
    *(double *)out = 1.0 / (double)(3 * i + 1);
}

static void add(void *into, const void *other)
{
    *(double *)into += *(const double *)other;
}

/* The tree of WS_REDUCE. */
static double tree(int64_t lo, uint64_t p, uint64_t e)
{
    double value;
    uint64_t m;

    if (e - p == 1) {
        to_double(lo + (int64_t)p, &value, NULL);
        return value;
    }
    m = (e - 1) & ~(uint64_t)0 << (63 - __builtin_clzll(p ^ (e - 1)));
    value = tree(lo, p, m);
    return value + tree(lo, m, e);
}

static WS_REDUCE(double, 0.0, WS_ADD, local_sum, int64_t, i)
{
    return 1.0 / (double)(3 * i + 1);
}

/* The first and the last value, which need the order. */
struct ends {
    int64_t first, last;
};

static void own_ends(int64_t i, void *out, void *arg)
{
    (void)arg;
    *(struct ends *)out = (struct ends){i, i};
}

static void join_ends(void *into, const void *other)
{
    struct ends *a = into;
    const struct ends *b = other;

    CHECK_IS(b->first, a->last + 1);
    a->last = b->last;
}

static void check_reduce(void)
{
    static const int64_t sizes[] = {1, 2, 7, 1000, 16384, 16385, 100003};

    case_name = "reduce";
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        double sum = -1, serial = tree(5, 0, (uint64_t)sizes[k]), local;
        struct ends ends = {0, 0};

        CHECK_IS(ws_mpi_reduce(to_double, 5, 5 + sizes[k], NULL, &sum, sizeof sum, add), 0);
        CHECK(memcmp(&sum, &serial, sizeof sum) == 0);
        CHECK_IS(ws_for(local_sum, &local, 5, 5 + sizes[k]), 0);
        CHECK(memcmp(&sum, &local, sizeof sum) == 0);
        CHECK_IS(ws_mpi_reduce(own_ends, -3, sizes[k] - 3, NULL, &ends, sizeof ends, join_ends), 0);
        CHECK(ends.first == -3 && ends.last == sizes[k] - 4);
    }
    double sum = 9;

    CHECK_IS(ws_mpi_reduce(to_double, 5, 5, NULL, &sum, sizeof sum, add), 0);
    CHECK(sum == 9);
    CHECK_IS(ws_mpi_reduce(to_double, 5, 6, NULL, &sum, 0, add), EINVAL);
    CHECK_IS(ws_mpi_reduce(to_double, 5, 6, NULL, &sum, 4097, add), EINVAL);
}

static void bad(void)
{
    case_name = "bad";
    static char out[1000];

    CHECK_IS(ws_mpi_for(fail_part, 0, 10 + rank, NULL), EINVAL);
    CHECK_IS(ws_mpi_map(fill, 0, 10, ran, out, 8 + (size_t)rank), EINVAL);
    CHECK_IS(ws_mpi_reduce(fill, 0, 10, ran, out, 8 + (size_t)rank, join_ends), EINVAL);
    CHECK_IS(rank ? ws_mpi_for(fail_part, 0, 10, NULL) : ws_mpi_for_static(fail_part, 0, 10, NULL), EINVAL);
    CHECK_IS(ws_mpi_for(count_part, -7, N - 7, ran), 0); /* the next one is all right */
}

static void run_all(void *arg)
{
    if (strcmp(arg, "bad") == 0) {
        bad();
        return;
    }
    check_for();
    check_ends();
    CHECK_IS(ws_mpi_for(nested, 0, 10, ran), 0);
    case_name = "scope";
    CHECK_IS(ws_run(loops_in_scope), 0);
    check_map();
    check_reduce();
    case_name = "end";
}

int main(int argc, char **argv)
{
#ifndef WSFJ_SERIAL
    CHECK_IS(ws_mpi_for(count_part, 0, 1, NULL), EINVAL);
#endif
    CHECK_IS(ws_mpi_init(&argc, &argv), 0);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    CHECK_IS(ws_mpi_run(run_all, argc > 1 ? argv[1] : (char[]){""}), 0);
    CHECK_IS(ws_mpi_fini(), 0);
    return 0;
}
