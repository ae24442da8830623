/* SPDX-License-Identifier: MIT */
/*
 * bag_trees: what a bag promises, on any number of ranks and workers.
 *
 * Catches: a task that is lost or runs twice, bytes that change on the way or are not aligned, a bag that does not end or ends early, a second
 * run that takes messages of the first, two bags that mix, a limit that is not kept, a waiting task that keeps a worker.
 */
#include "bag_user.h"

#include <errno.h>
#include <stdatomic.h>

/* A tree: a node of depth d has children of all smaller depths, so there are 2^d nodes. */
struct node {
    int depth;
    unsigned char padding[60]; /* each byte is the depth */
};

static atomic_uint_fast64_t nodes, wrong, most_nested;
static _Thread_local int nested;

static void spin(int us)
{
    for (uint64_t end = ws_now() + (uint64_t)us * 1000; ws_now() < end;)
        ;
}

static void add_node(ws_mpi_bag *bag, int depth)
{
    struct node n = {.depth = depth};

    memset(n.padding, depth, sizeof n.padding);
    REQUIRE(ws_mpi_bag_add(bag, 0, &n, sizeof n) == 0);
    REQUIRE(n.depth == depth); /* the task has had a copy */
}

static void visit(ws_mpi_bag *bag, void *bytes, size_t n)
{
    struct node *node = bytes;

    atomic_fetch_add(&nodes, 1);
    atomic_fetch_add(&wrong, n != sizeof *node || (uintptr_t)bytes % 16 != 0);
    for (size_t i = 0; i < sizeof node->padding; i++)
        atomic_fetch_add(&wrong, node->padding[i] != node->depth);
    nested++;
    if ((uint64_t)nested > most_nested)
        most_nested = (uint64_t)nested;
    for (int depth = 0; depth < node->depth; depth++)
        add_node(bag, depth);
    nested--;
    node->depth = -1;
    spin(ranks > 1 ? 5 : 0);
}

/* Any number of bytes. */
static void bytes_of(ws_mpi_bag *bag, void *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        atomic_fetch_add(&wrong, ((unsigned char *)bytes)[i] != (unsigned char)(n + i));
    atomic_fetch_add(&nodes, n + 1);
    spin(20);
    (void)bag;
}

/* A task that waits for one that it has submitted. */
static void set_event(void *event)
{
    ws_event_set(event);
}

static void waits(ws_mpi_bag *bag, void *bytes, size_t n)
{
    ws_event event = WS_EVENT_INIT;

    REQUIRE(ws_submit(set_event, &event) == 0);
    REQUIRE(ws_event_wait(&event) == 0);
    atomic_fetch_add(&nodes, 1);
    (void)bag, (void)bytes, (void)n;
}

WS_TASK(long, fib, int, n)
{
    long a, b;

    if (n < 2)
        return n;
    ws_spawn(fib, &a, n - 1);
    b = ws_call(fib, n - 2);
    ws_sync();
    return a + b;
}

static void spawns(ws_mpi_bag *bag, void *bytes, size_t n)
{
    long result;

    REQUIRE(ws_run(fib, &result, 15) == 0);
    atomic_fetch_add(&nodes, (uint64_t)result);
    (void)bag, (void)bytes, (void)n;
}

/* A range that a thief halves: a task adds up the first index, and adds the rest before. */
struct range {
    uint64_t lo, hi;
};

static int split_range(void *kept, void *given, size_t n)
{
    struct range *mine = kept, *his = given;

    if (n != sizeof *mine || mine->hi - mine->lo < 2)
        return 0;
    *his = (struct range){mine->lo + (mine->hi - mine->lo) / 2, mine->hi};
    mine->hi = his->lo;
    return 1;
}

static void range(ws_mpi_bag *bag, void *bytes, size_t n)
{
    struct range r = *(struct range *)bytes;

    if (r.hi - r.lo > 1)
        REQUIRE(ws_mpi_bag_add(bag, 4, &(struct range){r.lo + 1, r.hi}, sizeof r) == 0);
    spin(10);
    atomic_fetch_add(&nodes, r.lo);
    (void)n;
}

/* At rank 0 it waits until other ranks have got tasks. With WSFJ_SERIAL nobody gives any meanwhile. */
static void until_stolen(ws_mpi_bag *bag, void *bytes, size_t n)
{
    struct ws_mpi_bag_stats s = {0};

    atomic_fetch_add(&nodes, 1);
#ifndef WSFJ_SERIAL
    for (uint64_t end = ws_now() + 20000000000; rank == 0 && ranks > 1 && !s.stolen;) {
        REQUIRE(ws_now() < end);
        REQUIRE(ws_sleep_until(ws_now() + 1000000) == 0);
        REQUIRE(ws_mpi_bag_stats_get(bag, &s) == 0);
    }
#endif
    (void)bag, (void)bytes, (void)n, (void)s;
}

static const struct ws_mpi_function functions[] = {{"visit", visit, NULL},        {"bytes", bytes_of, NULL},
                                                   {"waits", waits, NULL},        {"spawns", spawns, NULL},
                                                   {"range", range, split_range}, {"until stolen", until_stolen, NULL}};
#define FUNCTIONS (sizeof functions / sizeof *functions)

static ws_mpi_bag *make(size_t limit, size_t chunk)
{
    struct ws_mpi_bag_config config = {.limit = limit, .chunk = chunk, .seed = 3};
    ws_mpi_bag *bag;

    REQUIRE(ws_mpi_bag_create(&bag, MPI_COMM_WORLD, functions, FUNCTIONS, &config) == 0);
    return bag;
}

/* Runs the bag and requires the sum of all ranks. */
static void run(ws_mpi_bag *bag, uint64_t expected)
{
    struct ws_mpi_bag_stats s;

    REQUIRE(ws_mpi_bag_run(bag) == 0);
    uint64_t found = sum(bag, nodes);

    REQUIRE(found == expected);
    REQUIRE(sum(bag, wrong) == 0);
    REQUIRE(ws_mpi_bag_stats_get(bag, &s) == 0);
    REQUIRE(s.waves >= 2);
    REQUIRE(sum(bag, s.steals) == sum(bag, s.stolen));
    REQUIRE(sum(bag, s.bytes) % 16 == 0 && sum(bag, s.bytes) >= 16 * sum(bag, s.stolen));
    REQUIRE(sum(bag, s.messages) >= sum(bag, s.stolen) + sum(bag, s.refusals) + sum(bag, s.lifelines));
    nodes = 0;
}

static void trees(void)
{
    ws_mpi_bag *bag = make(0, 0);

    run(bag, 0); /* nobody has a task */
    for (int round = 0; round < 3; round++) {
        if (rank == round % ranks)
            add_node(bag, 14);
        run(bag, 1 << 14);
    }
    struct ws_mpi_bag_stats s;

    add_node(bag, 10); /* all have one */
    run(bag, (uint64_t)ranks << 10);
    REQUIRE(ws_mpi_bag_stats_get(bag, &s) == 0);
    REQUIRE(sum(bag, s.tasks) == (uint64_t)ranks << 10);
    REQUIRE(ws_mpi_bag_free(&bag) == 0 && !bag);
}

static void kinds(void)
{
    ws_mpi_bag *bag = make(0, 0);
    static unsigned char bytes[WS_MPI_TASK_MOST];
    uint64_t expected = 0;

    static const size_t sizes[] = {0, 1, 15, 16, 17, 1000, WS_MPI_TASK_MOST - 1, WS_MPI_TASK_MOST};

    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        size_t n = sizes[k];

        for (size_t i = 0; i < n; i++)
            bytes[i] = (unsigned char)(n + i);
        if (rank == ranks - 1)
            REQUIRE(ws_mpi_bag_add(bag, 1, n ? bytes : NULL, n) == 0);
        expected += n + 1;
    }
    run(bag, expected);
    for (int i = 0; i < 300 && rank == 0; i++)
        REQUIRE(ws_mpi_bag_add(bag, 2 + (unsigned)i % 2, NULL, 0) == 0);
    run(bag, 150 + 150 * 610);
    REQUIRE(ws_mpi_bag_free(&bag) == 0);
}

/* On a busy machine the other ranks may come too late for the whole range: then it comes again. */
static void ranges(void)
{
    enum { INDICES = 20000, TRIES = 50 };
    ws_mpi_bag *bag = make(0, 0);
    uint64_t steals = ranks == 1;

    for (int i = 0; i < TRIES && (i == 0 || !steals); i++) {
        struct ws_mpi_bag_stats s;

        if (rank == 0)
            REQUIRE(ws_mpi_bag_add(bag, 4, &(struct range){0, INDICES}, sizeof(struct range)) == 0);
        run(bag, (uint64_t)INDICES * (INDICES - 1) / 2);
        REQUIRE(ws_mpi_bag_stats_get(bag, &s) == 0);
        steals += sum(bag, s.steals);
    }
    REQUIRE(steals > 0);
    REQUIRE(ws_mpi_bag_free(&bag) == 0);
}

/* Tasks that are longer than a chunk go one by one: there are more than rank 0 begins at once. */
static void long_tasks(void)
{
    enum { TASKS = 300 };
    static char bytes[1000];
    ws_mpi_bag *bag = make(0, 64);
    struct ws_mpi_bag_stats s;

    for (int i = 0; i < TASKS && rank == 0; i++)
        REQUIRE(ws_mpi_bag_add(bag, 5, bytes, sizeof bytes) == 0);
    run(bag, TASKS);
    REQUIRE(ws_mpi_bag_stats_get(bag, &s) == 0);
    REQUIRE(rank == 0 || !s.tasks || s.steals);
    REQUIRE(sum(bag, s.stolen) >= sum(bag, rank ? s.tasks : 0));
    REQUIRE(ws_mpi_bag_free(&bag) == 0);
}

/* With room for few tasks `add` runs them: no deeper than the tree. */
static void limits(void)
{
    ws_mpi_bag *bag = make(2000, 300);
    struct ws_mpi_bag_stats s;

    if (rank == 0)
        add_node(bag, 13);
    run(bag, 1 << 13);
    REQUIRE(ws_mpi_bag_stats_get(bag, &s) == 0);
    REQUIRE(sum(bag, s.inlined) > 0);
    REQUIRE(most_nested <= 14);
    REQUIRE(ws_mpi_bag_add(bag, 99, NULL, 0) == EINVAL);
    REQUIRE(ws_mpi_bag_free(&bag) == 0);
}

/* Two bags at the same time, one in a task of its own. */
static void run_in_task(void *arg)
{
    REQUIRE(ws_mpi_bag_run(arg) == 0);
}

static void two(void)
{
    ws_mpi_bag *a = make(0, 0), *b = make(0, 64);
    ws_group group = WS_GROUP_INIT;
    if (rank == 0)
        add_node(a, 12);
    if (rank == ranks - 1)
        add_node(b, 12);
    REQUIRE(ws_group_submit(&group, run_in_task, a) == 0);
    run_in_task(b);
    ws_group_wait(&group);
    REQUIRE(sum(a, nodes) == 2 << 12);
    REQUIRE(ws_mpi_bag_free(&b) == 0);
    REQUIRE(ws_mpi_bag_free(&a) == 0);
    nodes = 0;
}

static void all(void *unused)
{
    (void)unused;
    trees();
    kinds();
    ranges();
    long_tasks();
    limits();
    two();
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    REQUIRE(ws_mpi_run(all, NULL) == 0); /* in a task; the calls of MPI may belong to this thread */
    if (!getenv("WSFJ_MPI_THREADS"))
        all(NULL);
    if (rank == 0)
        printf("%d ranks: all well\n", ranks);
    REQUIRE(ws_mpi_fini() == 0);
    return 0;
}
