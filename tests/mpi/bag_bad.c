/* SPDX-License-Identifier: MIT */
/*
 * bag_bad: what goes wrong around a bag, for bag.sh: each argument is one condition. Ends with 0 if the result is the defined
 * one; "killed" must end by the launcher.
 */
#define _GNU_SOURCE 1
#include "bag_user.h"

#include "mpi/run.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>

static void nothing(ws_mpi_bag *bag, void *bytes, size_t n)
{
    (void)bag, (void)bytes, (void)n;
}

/* A task that comes again; rank 1 dies in the middle. The others steal from it. */
static void endless(ws_mpi_bag *bag, void *bytes, size_t n)
{
    if (rank == 1 && ws_now() > *(uint64_t *)bytes)
        raise(SIGKILL);
    for (uint64_t end = ws_now() + 20000; ws_now() < end;)
        ;
    REQUIRE(ws_mpi_bag_add(bag, 0, bytes, n) == 0);
}

static const struct ws_mpi_function functions[] = {{"nothing", nothing, NULL}};
static const struct ws_mpi_function others[] = {{"other", nothing, NULL}};
static const struct ws_mpi_function endless_ones[] = {{"endless", endless, NULL}};

static ws_mpi_bag *make(void)
{
    ws_mpi_bag *bag;

    REQUIRE(ws_mpi_bag_create(&bag, MPI_COMM_WORLD, functions, 1, NULL) == 0);
    return bag;
}

static void killed(void)
{
    uint64_t until = ws_now() + 300000000;
    ws_mpi_bag *bag;

    REQUIRE(ws_mpi_bag_create(&bag, MPI_COMM_WORLD, endless_ones, 1, NULL) == 0);
    for (int i = 0; i < 100 && rank == 1; i++)
        REQUIRE(ws_mpi_bag_add(bag, 0, &until, sizeof until) == 0);
    ws_mpi_bag_run(bag);
    REQUIRE(!"a run with a rank that was killed has ended");
}

static void other_functions(void)
{
    ws_mpi_bag *bag = NULL;

    REQUIRE(ws_mpi_bag_create(&bag, MPI_COMM_WORLD, rank == ranks - 1 ? others : functions, 1, NULL) == EINVAL);
    REQUIRE(!bag);
}

static void other_settings(void)
{
    struct ws_mpi_bag_config config = {.limit = rank ? 1000000 : 1000001};
    ws_mpi_bag *bag;

    REQUIRE(ws_mpi_bag_create(&bag, MPI_COMM_WORLD, functions, 1, &config) == EINVAL);
}

/* The same letters. */
static void other_names(void)
{
    static const struct ws_mpi_function ab[] = {{"ab", nothing, NULL}, {"c", nothing, NULL}};
    static const struct ws_mpi_function a[] = {{"a", nothing, NULL}, {"bc", nothing, NULL}};
    ws_mpi_bag *bag;

    REQUIRE(ws_mpi_bag_create(&bag, MPI_COMM_WORLD, rank == ranks - 1 ? a : ab, 2, NULL) == EINVAL);
}

static void other_seeds(void)
{
    struct ws_mpi_bag_config config = {.seed = rank == 1};
    ws_mpi_bag *bag;

    REQUIRE(ws_mpi_bag_create(&bag, MPI_COMM_WORLD, functions, 1, &config) == EINVAL);
}

/* What may not be called while the bag runs. */
static void call_within(ws_mpi_bag *bag, void *bytes, size_t n)
{
    ws_mpi_bag *same = bag;
    uint64_t value = 3;

    REQUIRE(ws_mpi_bag_run(bag) == EBUSY);
    REQUIRE(ws_mpi_bag_reduce(bag, &value, sizeof value, add_up) == EBUSY && value == 3);
    REQUIRE(ws_mpi_bag_free(&same) == EBUSY && same == bag);
    (void)bytes, (void)n;
}

static void within(void)
{
    static const struct ws_mpi_function tasks[] = {{"call within", call_within, NULL}};
    ws_mpi_bag *bag;

    REQUIRE(ws_mpi_bag_create(&bag, MPI_COMM_WORLD, tasks, 1, NULL) == 0);
    REQUIRE(ws_mpi_bag_add(bag, 0, NULL, 0) == 0);
    REQUIRE(ws_mpi_bag_run(bag) == 0);
    REQUIRE(ws_mpi_bag_free(&bag) == 0);
}

/* The runtime takes no task: the driver runs those of the bag itself. */
static int takes_none;

int ws_group_submit(ws_group *group, void (*fn)(void *), void *arg)
{
    int (*real)(ws_group *, void (*)(void *), void *);

    *(void **)&real = dlsym(RTLD_NEXT, "ws_group_submit");
    return takes_none ? EAGAIN : real(group, fn, arg);
}

static void no_room(void)
{
    struct ws_mpi_bag_stats s;
    ws_mpi_bag *bag = make();

    takes_none = 1;
    for (int i = 0; i < 100 && rank == 0; i++)
        REQUIRE(ws_mpi_bag_add(bag, 0, NULL, 0) == 0);
    REQUIRE(ws_mpi_bag_run(bag) == 0);
    REQUIRE(ws_mpi_bag_stats_get(bag, &s) == 0);
    REQUIRE(sum(bag, s.tasks) == 100);
    REQUIRE(ws_mpi_bag_free(&bag) == 0);
}

/* The last rank thinks that a round is left. */
static void other_times(void)
{
    ws_mpi_bag *bag = make();
    uint64_t one = 1;

    REQUIRE(ws_mpi_bag_run(bag) == 0);
    if (rank == ranks - 1)
        REQUIRE(ws_mpi_bag_run(bag) == EINVAL);
    else
        REQUIRE(ws_mpi_bag_reduce(bag, &one, sizeof one, add_up) == EINVAL);
    REQUIRE(one == 1);
    REQUIRE(ws_mpi_bag_run(bag) == 0);
    REQUIRE(sum(bag, 1) == (uint64_t)ranks);
    REQUIRE(ws_mpi_bag_free(&bag) == 0);
}

static void other_sizes(void)
{
    ws_mpi_bag *bag = make();
    uint64_t two[2] = {1, 2};

    REQUIRE(ws_mpi_bag_reduce(bag, two, rank ? 8 : 16, add_up) == EINVAL);
    REQUIRE(ws_mpi_bag_free(&bag) == 0);
}

static void large(void)
{
    ws_mpi_bag *bag = make();

    REQUIRE(ws_mpi_bag_add(bag, 0, bag, (size_t)1 << 30) == EMSGSIZE);
    REQUIRE(ws_mpi_bag_add(bag, 0, NULL, 1) == EINVAL);
    REQUIRE(ws_mpi_bag_add(bag, 1, NULL, 0) == EINVAL);
    REQUIRE(ws_mpi_bag_reduce(bag, bag, (size_t)INT_MAX + 1, add_up) == EINVAL);
    REQUIRE(ws_mpi_bag_run(bag) == 0);
    struct ws_mpi_bag_stats s;

    REQUIRE(ws_mpi_bag_stats_get(bag, &s) == 0 && s.tasks == 0);
    REQUIRE(ws_mpi_bag_free(&bag) == 0);
}

static void not_free(void)
{
    ws_mpi_bag *bag = make();

    REQUIRE(ws_mpi_bag_add(bag, 0, NULL, 0) == 0);
    REQUIRE(ws_mpi_bag_free(&bag) == EBUSY && bag);
    REQUIRE(ws_mpi_bag_run(bag) == 0);
    REQUIRE(ws_mpi_bag_free(&bag) == 0 && !bag);
    REQUIRE(ws_mpi_bag_free(&bag) == EINVAL);
}

/* In a cancelled scope the run goes on to its end. */
static void cancelled_member(void *bag)
{
    REQUIRE(ws_mpi_bag_add(bag, 0, NULL, 0) == 0);
    REQUIRE(ws_mpi_bag_run(bag) == 0);
}

static void cancelled(void)
{
    ws_mpi_bag *bag = make();
    ws_group group = WS_GROUP_INIT;
    struct ws_mpi_bag_stats s;

    REQUIRE(ws_group_submit(&group, cancelled_member, bag) == 0);
    ws_group_cancel(&group, 7);
    if (ws_group_wait(&group) == 7 && ws_mpi_bag_stats_get(bag, &s) == 0 && s.waves == 0)
        cancelled_member(bag); /* dropped before it began: the other ranks wait */
    REQUIRE(ws_mpi_bag_free(&bag) == 0);
}

static atomic_int dumped;

/* A dump calls it after the bag's, which was there before. */
static int note(void *unused, char *text, size_t size)
{
    atomic_store(&dumped, 1);
    (void)unused, (void)text, (void)size;
    return 0;
}

/* Rank 0 has a task that looks at the line, and makes a dump; the others wait for tasks. */
static void look(ws_mpi_bag *bag, void *bytes, size_t n)
{
    char text[400];

    do {
        ws_sleep_until(ws_now() + 1000000);
        REQUIRE(ws_mpi_bag_line(bag, text, sizeof text) < (int)sizeof text);
    } while (!strstr(text, "rank 1 waits") || !strstr(text, "rank 2 waits"));
    printf("%s\n", text);
    fflush(stdout);
    REQUIRE(ws_dump_add(note, NULL) == 0);
    raise(SIGUSR2);
    while (!atomic_load(&dumped))
        ws_sleep_until(ws_now() + 1000000);
    (void)bytes, (void)n;
}

static void line(void)
{
    static const struct ws_mpi_function looks[] = {{"look", look, NULL}};
    char text[400], little[10];
    ws_mpi_bag *bag;

    REQUIRE(ws_mpi_bag_create(&bag, MPI_COMM_WORLD, looks, 1, NULL) == 0);
    if (rank == 0)
        REQUIRE(ws_mpi_bag_add(bag, 0, NULL, 0) == 0);
    REQUIRE(ws_mpi_bag_run(bag) == 0);
    int length = ws_mpi_bag_line(bag, text, sizeof text);

    REQUIRE(length == (int)strlen(text) && strstr(text, "is not running") && !strstr(text, "waits for"));
    REQUIRE(ws_mpi_bag_line(bag, little, sizeof little) == length && strlen(little) == sizeof little - 1);
    REQUIRE(ws_mpi_bag_free(&bag) == 0);
}

/* Tasks that come when the other ranks have been silent for long. */
static void later(ws_mpi_bag *bag, void *bytes, size_t n)
{
    ws_sleep_until(ws_now() + (n ? 300000000 : 2000000));
    for (int i = 0; i < 200 && n; i++)
        REQUIRE(ws_mpi_bag_add(bag, 0, NULL, 0) == 0);
    (void)bytes;
}

static void late(void)
{
    static const struct ws_mpi_function tasks[] = {{"later", later, NULL}};
    struct ws_mpi_bag_stats s;
    ws_mpi_bag *bag;

    REQUIRE(ws_mpi_bag_create(&bag, MPI_COMM_WORLD, tasks, 1, NULL) == 0);
    if (rank == 0)
        REQUIRE(ws_mpi_bag_add(bag, 0, "late", 4) == 0);
    REQUIRE(ws_mpi_bag_run(bag) == 0);
    REQUIRE(ws_mpi_bag_stats_get(bag, &s) == 0);
    REQUIRE(sum(bag, s.steals) > 0 && sum(bag, s.tasks) == 201);
    REQUIRE(ws_mpi_bag_free(&bag) == 0);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } conditions[] = {{"killed", killed},
                      {"other-functions", other_functions},
                      {"other-names", other_names},
                      {"other-settings", other_settings},
                      {"other-seeds", other_seeds},
                      {"within", within},
                      {"no-room", no_room},
                      {"other-times", other_times},
                      {"other-sizes", other_sizes},
                      {"large", large},
                      {"not-free", not_free},
                      {"cancelled", cancelled},
                      {"line", line},
                      {"late", late}};
    int found = 0;

    begin(&argc, &argv);
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++)
        if (argc > 1 && strcmp(argv[1], conditions[i].name) == 0) {
            conditions[i].run();
            found = 1;
        }
    REQUIRE(found);
    REQUIRE(ws_mpi_fini() == 0);
    REQUIRE(ws_poll_remove(wsfj_mpi_source, NULL) == ENOENT); /* the runtime does not ask a library that has ended */
    return 0;
}
