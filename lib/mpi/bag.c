/* SPDX-License-Identifier: MIT */
/* Bags: made, compared, combined, freed. */
#include "bag.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT ((size_t)64 << 20)
#define CHUNK ((size_t)64 << 10)
#define FIELDS 4

static const char *const call_names[] = {"ws_mpi_bag_create", "ws_mpi_bag_run", "ws_mpi_bag_reduce", "ws_mpi_bag_free"};

static uint64_t mix(uint64_t hash, const void *bytes, size_t n)
{
    const unsigned char *byte = bytes;

    for (size_t i = 0; i < n; i++) /* FNV-1a */
        hash = (hash ^ byte[i]) * 0x100000001b3;
    return hash;
}

/* Of the names, in their order. */
static uint64_t hash_functions(const ws_mpi_bag *bag)
{
    uint64_t hash = 0xcbf29ce484222325;

    for (size_t i = 0; i < bag->count; i++)
        hash = mix(hash, bag->functions[i].name, strlen(bag->functions[i].name) + 1);
    return hash;
}

static uint64_t hash_config(const ws_mpi_bag *bag)
{
    const uint64_t values[] = {bag->config.limit, bag->config.chunk, bag->config.seed};

    return mix(0xcbf29ce484222325, values, sizeof values);
}

/* The line about the lowest rank that differs from rank 0, which that rank writes. */
static void tell_difference(ws_mpi_bag *bag, const uint64_t mine[FIELDS])
{
    uint64_t *all = calloc((size_t)bag->ranks, FIELDS * sizeof *all);
    MPI_Request request;
    int other = 1;

    if (!all)
        wsfj_bag_require(bag, MPI_ERR_NO_MEM);
    wsfj_bag_require(bag, MPI_Iallgather(mine, FIELDS, MPI_UINT64_T, all, FIELDS, MPI_UINT64_T, bag->comm, &request));
    wsfj_bag_wait(bag, &request);
    while (memcmp(all, all + FIELDS * other, FIELDS * sizeof *all) == 0)
        other++;
    const uint64_t *his = all + FIELDS * other;

    if (other != bag->me)
        ;
    else if (all[0] != his[0])
        fprintf(stderr, "libwsfj-mpi: bag: rank %d calls %s, rank 0 calls %s\n", other, call_names[his[0]], call_names[all[0]]);
    else if (all[1] != his[1])
        fprintf(stderr, "libwsfj-mpi: bag: rank %d has other functions than rank 0\n", other);
    else if (all[2] != his[2])
        fprintf(stderr, "libwsfj-mpi: bag: rank %d has other settings than rank 0\n", other);
    else
        fprintf(stderr, "libwsfj-mpi: %s: rank %d has size %llu, rank 0 has %llu\n", call_names[his[0]], other,
                (unsigned long long)his[3], (unsigned long long)all[3]);
    free(all);
}

int wsfj_bag_agree(ws_mpi_bag *bag, enum bag_call call, uint64_t size)
{
    const uint64_t mine[FIELDS] = {call, hash_functions(bag), hash_config(bag), size};
    uint64_t in[2 * FIELDS], least[2 * FIELDS];
    MPI_Request request;
    bool same = true;

    for (int i = 0; i < FIELDS; i++) {
        in[i] = mine[i];
        in[FIELDS + i] = ~mine[i]; /* the least of these is the greatest value */
    }
    wsfj_bag_require(bag, MPI_Iallreduce(in, least, 2 * FIELDS, MPI_UINT64_T, MPI_MIN, bag->comm, &request));
    wsfj_bag_wait(bag, &request);
    for (int i = 0; i < FIELDS; i++)
        same &= least[i] == ~least[FIELDS + i];
    if (!same)
        tell_difference(bag, mine);
    return same ? 0 : EINVAL;
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

static bool may_call(void)
{
    int begun = 0, ended = 0;

    MPI_Initialized(&begun);
    if (begun)
        MPI_Finalized(&ended);
    if (!begun || ended)
        fprintf(stderr, "libwsfj-mpi: ws_mpi_bag_create: MPI is %s\n", ended ? "finalised" : "not initialised");
    return begun && !ended;
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

int ws_mpi_bag_create(ws_mpi_bag **result, MPI_Comm comm, const struct ws_mpi_function *functions, size_t count,
                      const struct ws_mpi_bag_config *config)
{
    if (!result)
        return EINVAL;
    *result = NULL;
    if (!functions || !count || count > UINT16_MAX || !may_call())
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
    ws_blocking_begin();
    MPI_Request request;
    int error = MPI_Comm_idup(comm, &bag->comm, &request);

    if (error == MPI_SUCCESS) {
        wsfj_bag_wait(bag, &request);
        MPI_Comm_set_errhandler(bag->comm, MPI_ERRORS_RETURN);
        MPI_Comm_rank(bag->comm, &bag->me);
        MPI_Comm_size(bag->comm, &bag->ranks);
        error = wsfj_bag_agree(bag, BAG_CREATE, 0);
        if (error)
            MPI_Comm_free(&bag->comm);
    } else
        error = EINVAL;
    ws_blocking_end();
    if (error) {
        release(bag);
        return error;
    }
    bag->open = 2;
    bag->requests[1] = MPI_REQUEST_NULL;
    wsfj_bag_listen(bag);
    *result = bag;
    return 0;
}

int ws_mpi_bag_free(ws_mpi_bag **pointer)
{
    ws_mpi_bag *bag = pointer ? *pointer : NULL;

    if (!bag)
        return EINVAL;
    if (atomic_load(&bag->runs) || !wsfj_bag_empty(bag))
        return EBUSY;
    ws_blocking_begin();
    int error = wsfj_bag_agree(bag, BAG_FREE, 0);

    if (!error) {
        MPI_Cancel(&bag->requests[0]);
        wsfj_bag_wait(bag, &bag->requests[0]);
        MPI_Comm_free(&bag->comm);
        *pointer = NULL;
    }
    ws_blocking_end();
    if (!error)
        release(bag);
    return error;
}

void *ws_mpi_bag_local(const ws_mpi_bag *bag)
{
    return bag->config.local;
}

int ws_mpi_bag_stats(const ws_mpi_bag *bag, struct ws_mpi_bag_stats *stats)
{
    if (!bag || !stats)
        return EINVAL;
    const struct bag_counts *c = &bag->step.counts;

    *stats = (struct ws_mpi_bag_stats){.steals = c->chunks_received,
                                       .stolen = c->chunks_sent,
                                       .refusals = c->refusals,
                                       .lifelines = c->lifelines,
                                       .messages = c->sent,
                                       .bytes = c->bytes,
                                       .waves = c->waves,
                                       .idle = bag->idle,
                                       .end = bag->end,
                                       .inlined = atomic_load(&bag->inlined)};
    stats->tasks = stats->inlined;
    for (size_t i = 0; i < bag->slots; i++)
        stats->tasks += bag->stores[i].begun;
    return 0;
}

int ws_mpi_bag_line(const ws_mpi_bag *bag, char *text, size_t size)
{
    uint64_t tasks = 0;
    const char *state = !atomic_load(&bag->runs)     ? "not running"
                        : atomic_load(&bag->live)    ? "active"
                        : atomic_load(&bag->in_wave) ? "passive, in a wave"
                                                     : "passive";

    for (size_t i = 0; i < bag->slots; i++)
        tasks += bag->stores[i].count;
    int n = snprintf(text, size, "bag: rank %d of %d is %s, %llu tasks wait, %d runners", bag->me, bag->ranks, state,
                     (unsigned long long)tasks, atomic_load(&bag->live));

    for (int b = 0; b < bag->step.lines; b++)
        if (bag->step.waits[b])
            n += snprintf(text && (size_t)n < size ? text + n : NULL, text && (size_t)n < size ? size - (size_t)n : 0,
                          "; rank %d waits for tasks of this one", bag->me ^ 1 << b);
    return n;
}
