/* SPDX-License-Identifier: MIT */
/* Bags: made, compared, combined, freed. */
#include "mpi/bag.h"
#ifndef WSFJ_SERIAL
#include "mpi/wait.h"
#endif

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT ((size_t)64 << 20)
#define CHUNK ((size_t)64 << 10)
#define FIELDS 4

static const char *const call_names[] = {"ws_mpi_bag_create", "ws_mpi_bag_run", "ws_mpi_bag_reduce", "ws_mpi_bag_free",
                                         "a loop"};

uint64_t wsfj_bag_hash(uint64_t hash, const void *bytes, size_t n)
{
    const unsigned char *byte = bytes;

    for (size_t i = 0; i < n; i++) /* FNV-1a */
        hash = (hash ^ byte[i]) * 0x100000001b3;
    return hash;
}

/* Of the names, in their order. */
static uint64_t hash_functions(const ws_mpi_bag *bag)
{
    uint64_t hash = WSFJ_BAG_HASH;

    for (size_t i = 0; i < bag->count; i++)
        hash = wsfj_bag_hash(hash, bag->functions[i].name, strlen(bag->functions[i].name) + 1);
    return hash;
}

static uint64_t hash_config(const ws_mpi_bag *bag)
{
    const uint64_t values[] = {bag->config.limit, bag->config.chunk, bag->config.seed};

    return wsfj_bag_hash(WSFJ_BAG_HASH, values, sizeof values);
}

/* Rank 0 writes a line about the lowest rank that differs. */
static int tell_difference(const ws_mpi_bag *bag, const uint64_t mine[FIELDS])
{
    uint64_t *all = calloc((size_t)bag->ranks, FIELDS * sizeof *all);
    int error = all ? ws_mpi_gather(mine, FIELDS, MPI_UINT64_T, all, FIELDS, MPI_UINT64_T, 0, bag->values) : ENOMEM,
        other = 1;

    if (error || bag->me) {
        free(all);
        return error;
    }
    while (memcmp(all, all + FIELDS * other, FIELDS * sizeof *all) == 0)
        other++;
    const uint64_t *its = all + FIELDS * other;

    if (all[0] != its[0])
        fprintf(stderr, "libwsfj-mpi: bag: rank %d calls %s, rank 0 calls %s\n", other, call_names[its[0]],
                call_names[all[0]]);
    else if (all[1] != its[1])
        fprintf(stderr, "libwsfj-mpi: bag: rank %d has other functions than rank 0\n", other);
    else if (all[2] != its[2])
        fprintf(stderr, "libwsfj-mpi: bag: rank %d has other settings than rank 0\n", other);
    else if (all[0] == BAG_LOOP)
        fprintf(stderr, "libwsfj-mpi: a loop: rank %d has another range or size than rank 0\n", other);
    else
        fprintf(stderr, "libwsfj-mpi: %s: rank %d has size %llu, rank 0 has %llu\n", call_names[its[0]], other,
                (unsigned long long)its[3], (unsigned long long)all[3]);
    free(all);
    return 0;
}

int wsfj_bag_agree(ws_mpi_bag *bag, enum bag_call call, uint64_t size)
{
    const uint64_t mine[FIELDS] = {call, hash_functions(bag), hash_config(bag), size};
    uint64_t in[2 * FIELDS], least[2 * FIELDS];
    bool same = true;
    int error;

    for (int i = 0; i < FIELDS; i++) {
        in[i] = mine[i];
        in[FIELDS + i] = ~mine[i]; /* the least of these is the greatest value */
    }
    error = ws_mpi_allreduce(in, least, 2 * FIELDS, MPI_UINT64_T, MPI_MIN, bag->values);
    if (error)
        return error;
    for (int i = 0; i < FIELDS; i++)
        same &= least[i] == ~least[FIELDS + i];
    if (same)
        return 0;
    error = tell_difference(bag, mine);
    return error ? error : EINVAL;
}

/* What makes, and ends, the bag's communicators, where MPI may be called. */
#ifdef WSFJ_SERIAL
static int duplicate(MPI_Comm from, MPI_Comm *to)
{
    return MPI_Comm_dup(from, to) == MPI_SUCCESS ? 0 : EINVAL; /* SMPI has no MPI_Comm_idup() */
}
#else
struct duplicate {
    MPI_Comm from, *to;
    MPI_Request request;
    int error;
};

static void begin_duplicate(void *arg)
{
    struct duplicate *d = arg;

    d->error = MPI_Comm_idup(d->from, d->to, &d->request);
}

static int duplicate(MPI_Comm from, MPI_Comm *to)
{
    struct duplicate d = {from, to, MPI_REQUEST_NULL, 0};
    int error = wsfj_mpi_call_always(begin_duplicate, &d);

    if (error || d.error)
        return error ? error : EINVAL;
    do
        error = ws_mpi_wait(&d.request, MPI_STATUS_IGNORE);
    while (error == ECANCELED);
    return error;
}
#endif

static void prepare(void *arg)
{
    ws_mpi_bag *bag = arg;

    MPI_Comm_set_errhandler(bag->comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(bag->values, MPI_ERRORS_RETURN);
    MPI_Comm_rank(bag->comm, &bag->me);
    MPI_Comm_size(bag->comm, &bag->ranks);
    bag->open = 1;
}

static void leave(void *arg)
{
    ws_mpi_bag *bag = arg;

    if (bag->is_listening) {
        MPI_Cancel(&bag->requests[0]);
        MPI_Wait(&bag->requests[0], MPI_STATUS_IGNORE); /* a cancelled receive is complete at once */
    }
    MPI_Comm_free(&bag->comm);
    if (bag->values != MPI_COMM_NULL)
        MPI_Comm_free(&bag->values);
}

static void release(ws_mpi_bag *bag)
{
    for (size_t i = 0; i < bag->slots && bag->stores; i++)
        bag_store_free(&bag->stores[i]);
    free(bag->stores);
    free(bag->in);
    free(bag->out);
    free(bag->requests);
    free(bag->sent);
    free(bag);
}

/* Memory for all that does not grow. */
static bool allocate(ws_mpi_bag *bag)
{
    size_t one = bag_item_bytes(WS_MPI_TASK_MOST), bytes = bag->slots * sizeof *bag->stores;

    bag->chunk_bytes = bag->config.chunk > one ? bag->config.chunk : one;
    bag->room = BAG_REQUESTS;
    bag->stores = aligned_alloc(_Alignof(struct bag_store), bytes);
    bag->in = malloc(bag->chunk_bytes);
    bag->out = malloc(bag->chunk_bytes);
    bag->requests = malloc(BAG_REQUESTS * sizeof *bag->requests);
    bag->sent = malloc(BAG_REQUESTS * sizeof *bag->sent);
    if (bag->stores)
        memset(bag->stores, 0, bytes);
    return bag->stores && bag->in && bag->out && bag->requests && bag->sent;
}

/* Room for the tasks of each worker. */
static size_t slots_now(void)
{
#ifdef WSFJ_SERIAL
    return 1;
#else
    return ws_num_slots();
#endif
}

BAG_EXPORT int ws_mpi_bag_create(ws_mpi_bag **result, MPI_Comm comm, const struct ws_mpi_function *functions,
                                 size_t count, const struct ws_mpi_bag_config *config)
{
    if (!result)
        return EINVAL;
    *result = NULL;
    if (!functions || !count || count > UINT16_MAX)
        return EINVAL;
    for (size_t i = 0; i < count; i++)
        if (!functions[i].name || !functions[i].run)
            return EINVAL;
    ws_mpi_bag *bag = aligned_alloc(_Alignof(ws_mpi_bag), sizeof *bag);

    if (!bag)
        return ENOMEM;
    memset(bag, 0, sizeof *bag);
    bag->functions = functions;
    bag->count = count;
    if (config)
        bag->config = *config;
    if (!bag->config.limit)
        bag->config.limit = LIMIT;
    if (!bag->config.chunk)
        bag->config.chunk = CHUNK;
    ws_group_init(&bag->group);
    bag->slots = slots_now();
    bag->runners_most = (int)bag->slots + BAG_RUNNERS_MORE;
    if (!allocate(bag)) {
        release(bag);
        return ENOMEM;
    }
    bag->values = MPI_COMM_NULL;
    ws_blocking_begin();
    int error = duplicate(comm, &bag->comm);
    bool has_one = !error;

    if (!error)
        error = duplicate(comm, &bag->values);
    if (!error) {
        wsfj_bag_call(bag, prepare);
        error = wsfj_bag_agree(bag, BAG_CREATE, 0);
    }
    if (has_one)
        wsfj_bag_call(bag, error ? leave : wsfj_bag_listen);
    bag->is_listening = true;
    ws_blocking_end();
    if (error) {
        release(bag);
        return error;
    }
    (void)ws_dump_add(wsfj_bag_say, bag); /* ENOMEM: the program has many lines; a dump has none of this bag */
    *result = bag;
    return 0;
}

BAG_EXPORT int ws_mpi_bag_free(ws_mpi_bag **pointer)
{
    ws_mpi_bag *bag = pointer ? *pointer : NULL;

    if (!bag)
        return EINVAL;
    if (atomic_load(&bag->runs) || !wsfj_bag_empty(bag))
        return EBUSY;
    ws_blocking_begin();
    int error = wsfj_bag_agree(bag, BAG_FREE, 0);

    if (!error) {
        (void)ws_dump_remove(wsfj_bag_say, bag);
        wsfj_bag_call(bag, leave);
        *pointer = NULL;
    }
    ws_blocking_end();
    if (!error)
        release(bag);
    return error;
}

BAG_EXPORT void *ws_mpi_bag_local(const ws_mpi_bag *bag)
{
    return bag->config.local;
}
