/* SPDX-License-Identifier: MIT */
#include "mpi/bag_for.h"

#include <errno.h>

/* A part takes about so long; one that took less than a quarter is followed by a longer one. */
#define PART_NS 1000000
/* The rest of a range is divided into this many parts for each worker at least. */
#define PARTS 4

struct range {
    int64_t lo, hi;
};

/* The loop that runs. */
static struct {
    atomic_int used;
    ws_mpi_bag *bag;
    ws_mpi_part *fn;
    void *arg;
    _Atomic(uint64_t) part; /* how many iterations take about PART_NS; relaxed: an estimate */
} loop;

static uint64_t count(struct range r)
{
    return (uint64_t)r.hi - (uint64_t)r.lo;
}

static WS_RANGE(call_part, int64_t, lo, hi)
{
    loop.fn(lo, hi, loop.arg);
}

static void run_block(void *range)
{
    struct range *r = range;

    (void)ws_for(call_part, r->lo, r->hi);
}

/* How many of n iterations come next. */
static uint64_t next_part(uint64_t n)
{
    uint64_t part = atomic_load_explicit(&loop.part, memory_order_relaxed);
    uint64_t most = n / (PARTS * ((uint64_t)ws_num_workers() + 1)) + 1;

    return part < most ? part : most;
}

static void learn(uint64_t n, uint64_t ns)
{
    uint64_t part = atomic_load_explicit(&loop.part, memory_order_relaxed);

    if (ns < PART_NS / 4)
        part = n >= part ? 4 * part : part; /* no overflow: n is an eighth of a range at most */
    else
        part = (uint64_t)((double)n * PART_NS / (double)ns) + 1;
    atomic_store_explicit(&loop.part, part, memory_order_relaxed);
}

/* The rest goes back into the bag before the part runs, so that other workers and ranks can take it. */
static void run_range(ws_mpi_bag *bag, void *bytes, size_t size)
{
    struct range r = *(struct range *)bytes;
    uint64_t n = next_part(count(r)), began;
    struct range rest = {(int64_t)((uint64_t)r.lo + n), r.hi};

    if (rest.lo < rest.hi)
        wsfj_bag_require(bag, ws_mpi_bag_add(bag, 0, &rest, size) ? MPI_ERR_NO_MEM : MPI_SUCCESS);
    began = wsfj_bag_now();
    (void)ws_for(call_part, r.lo, rest.lo);
    learn(n, wsfj_bag_now() - began);
}

static int split_range(void *kept, void *given, size_t size)
{
    struct range *mine = kept, *its = given;
    uint64_t n = count(*mine);

    (void)size;
    if (n < 2)
        return 0;
    its->hi = mine->hi;
    its->lo = mine->hi = (int64_t)((uint64_t)mine->lo + (n + 1) / 2);
    return 1;
}

int wsfj_mpi_loop_begin(ws_mpi_bag **bag, const uint64_t *same, size_t n)
{
    static const struct ws_mpi_function functions[] = {{"a loop's range", run_range, split_range}};
    int error = 0;

    if (atomic_exchange(&loop.used, 1))
        return EBUSY;
    if (!loop.bag)
        error = ws_mpi_bag_create(&loop.bag, MPI_COMM_WORLD, functions, 1, NULL);
    if (!error)
        error = wsfj_bag_agree(loop.bag, BAG_LOOP, wsfj_bag_hash(WSFJ_BAG_HASH, same, n * sizeof *same));
    *bag = loop.bag;
    if (error)
        wsfj_mpi_loop_end();
    return error;
}

void wsfj_mpi_loop_end(void)
{
    atomic_store(&loop.used, 0);
}

/* The rank's block. */
static struct range block_of(const ws_mpi_bag *bag, int64_t lo, int64_t hi)
{
    uint64_t n = count((struct range){lo, hi}), each = n / (uint64_t)bag->ranks, more = n % (uint64_t)bag->ranks;
    uint64_t me = (uint64_t)bag->me, first = each * me + (me < more ? me : more);

    return (struct range){(int64_t)((uint64_t)lo + first), (int64_t)((uint64_t)lo + first + each + (me < more))};
}

int wsfj_mpi_loop_run(ws_mpi_bag *bag, ws_mpi_part *fn, int64_t lo, int64_t hi, void *arg, bool moves)
{
    struct range mine = lo < hi ? block_of(bag, lo, hi) : (struct range){0, 0};
    int error = 0;

    loop.fn = fn;
    loop.arg = arg;
    atomic_store_explicit(&loop.part, 1, memory_order_relaxed);
    if (!moves) {
        ws_group group = WS_GROUP_INIT;

        /* A detached task is outside the caller's scopes. */
        wsfj_bag_require(bag, ws_group_submit(&group, run_block, &mine) ? MPI_ERR_NO_MEM : MPI_SUCCESS);
        (void)ws_group_wait(&group);
        return ws_mpi_barrier(bag->values);
    }
    if (mine.lo < mine.hi)
        error = ws_mpi_bag_add(bag, 0, &mine, sizeof mine);
    wsfj_bag_require(bag, error ? MPI_ERR_NO_MEM : MPI_SUCCESS); /* the other ranks run the loop already */
    return ws_mpi_bag_run(bag);
}

static int run_loop(ws_mpi_part *fn, int64_t lo, int64_t hi, void *arg, bool moves)
{
    const uint64_t same[] = {(uint64_t)lo, (uint64_t)hi, moves};
    ws_mpi_bag *bag;
    int error = fn ? wsfj_mpi_loop_begin(&bag, same, sizeof same / sizeof *same) : EINVAL;

    if (error)
        return error;
    error = wsfj_mpi_loop_run(bag, fn, lo, hi, arg, moves);
    wsfj_mpi_loop_end();
    return error;
}

BAG_EXPORT int ws_mpi_for(ws_mpi_part *fn, int64_t lo, int64_t hi, void *arg)
{
    return run_loop(fn, lo, hi, arg, true);
}

BAG_EXPORT int ws_mpi_for_static(ws_mpi_part *fn, int64_t lo, int64_t hi, void *arg)
{
    return run_loop(fn, lo, hi, arg, false);
}

bool wsfj_mpi_loop_runs(void)
{
    return atomic_load(&loop.used);
}

void wsfj_mpi_loops_free(void)
{
    if (loop.bag)
        (void)ws_mpi_bag_free(&loop.bag);
}
