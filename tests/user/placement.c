/* SPDX-License-Identifier: MIT */
/* The processors of a program's threads: ws_config.places and bind. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* cpu_set_t */
#endif
#include "../support/fib.h"
#include "../support/process.h"
#include "workers.h"

#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SECONDS 20

static cpu_set_t before;

static unsigned last_cpu(void)
{
    unsigned last = 0;

    CPU_ZERO(&before);
    ck_assert_int_eq(sched_getaffinity(0, sizeof before, &before), 0);
    for (unsigned i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &before))
            last = i;
    return last;
}

/* How many threads of the runtime have exactly this mask. */
static unsigned bound_to(const cpu_set_t *mask)
{
    DIR *tasks = opendir("/proc/self/task");
    unsigned found = 0;

    ck_assert_ptr_nonnull(tasks);
    for (struct dirent *entry; (entry = readdir(tasks));) {
        char name[300], text[32] = "";
        cpu_set_t own;
        FILE *file;

        snprintf(name, sizeof name, "/proc/self/task/%s/comm", entry->d_name);
        file = fopen(name, "r");
        if (!file)
            continue;
        if (fgets(text, sizeof text, file) && strncmp(text, "wsfj-", 5) == 0 &&
            sched_getaffinity(atoi(entry->d_name), sizeof own, &own) == 0)
            found += CPU_EQUAL(&own, mask) ? 1 : 0;
        fclose(file);
    }
    closedir(tasks);
    return found;
}

/* The threads bind themselves, a moment later. */
static void await_bound(const cpu_set_t *mask, unsigned n)
{
    const struct timespec moment = {0, 1000000};

    for (int i = 0; i < SECONDS * 1000 && bound_to(mask) != n; i++)
        nanosleep(&moment, NULL);
    ck_assert_uint_eq(bound_to(mask), n);
}

static void start_at(const char *places, enum ws_bind bind, size_t n)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = n;
    config.places = places;
    config.bind = bind;
    ck_assert_int_eq(ws_init(&config), 0);
    ck_assert_uint_eq(ws_num_workers(), n);
}

/* Catches: places that are read and not used; a worker that sleeps and is not bound; the caller bound with the workers
 * (then one CPU is left for its program). */
START_TEST(workers_are_bound_to_their_places_and_the_caller_is_not)
{
    unsigned cpu = last_cpu();
    cpu_set_t mask, after;
    char places[32];
    long r;

    CPU_ZERO(&mask);
    CPU_SET(cpu, &mask);
    snprintf(places, sizeof places, "{%u}", cpu);
    start_at(places, WS_BIND_CLOSE, 40); /* most begin asleep */
    await_bound(&mask, 40);
    ck_assert_int_eq(ws_run(fib, &r, 20), 0);
    ck_assert_int_eq(r, 6765);
    ck_assert_int_eq(sched_getaffinity(0, sizeof after, &after), 0);
    ck_assert(CPU_EQUAL(&before, &after));
    ck_assert_int_eq(ws_fini(), 0);

    /* no thread is bound: all have the program's mask */
    start_at(places, WS_BIND_NONE, 3);
    await_bound(&before, 3);
    ck_assert_int_eq(ws_fini(), 0);

    /* no such processor: as without places, and 40 workers are too many to bind */
    start_at("{7999}", WS_BIND_CLOSE, 40);
    if (CPU_COUNT(&before) < 40)
        await_bound(&before, 40);
    ck_assert_int_eq(ws_run(fib, &r, 20), 0);
    ck_assert_int_eq(r, 6765);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

static int wanted, inside, leave;

/* The first such task on the wanted worker blocks until the test has looked. */
static void block_on_the_wanted(void *unused)
{
    (void)unused;
    if (ws_worker_id() != __atomic_load_n(&wanted, __ATOMIC_RELAXED) ||
        __atomic_exchange_n(&inside, 1, __ATOMIC_ACQ_REL))
        return;
    WS_BLOCKING
    {
        while (!__atomic_load_n(&leave, __ATOMIC_ACQUIRE))
            sched_yield();
    }
}

/* Catches: a spare that stays bound to the place of its former worker. The first blocking section makes the spare; in the
 * second it serves the worker of the other place. */
START_TEST(a_spare_is_bound_to_the_place_of_its_worker)
{
    unsigned last = last_cpu(), first = 0;
    char places[64];

    while (!CPU_ISSET(first, &before))
        first++;
    snprintf(places, sizeof places, "{%u},{%u}", first, last);
    start_at(places, WS_BIND_CLOSE, 2);
    for (int worker = 0; worker < 2; worker++) {
        ws_group group = WS_GROUP_INIT;
        cpu_set_t mask;

        CPU_ZERO(&mask);
        CPU_SET(worker ? last : first, &mask);
        __atomic_store_n(&wanted, worker, __ATOMIC_RELAXED);
        inside = leave = 0;
        while (!__atomic_load_n(&inside, __ATOMIC_ACQUIRE)) {
            ck_assert_int_eq(ws_group_submit(&group, block_on_the_wanted, NULL), 0);
            nanosleep(&(struct timespec){0, 1000000}, NULL);
        }
        await_bound(&mask, 2);
        __atomic_store_n(&leave, 1, __ATOMIC_RELEASE);
        ck_assert_int_eq(ws_group_wait(&group), 0);
    }
    stop_runtime();
}
END_TEST

static WS_TASK(int, whose_place)
{
    return ws_worker_id();
}

static void await_all_asleep(size_t n)
{
    const struct timespec moment = {0, 1000000};
    struct ws_stats stats = {.size = sizeof stats};

    for (int i = 0; i < SECONDS * 1000 && stats.parks < n; i++) {
        nanosleep(&moment, NULL);
        ck_assert_int_eq(ws_stats_get(&stats), 0);
    }
    ck_assert_uint_eq(stats.parks, n);
}

/* Catches: a caller that takes a slot on another processor than its own, and shares that processor with the worker
 * bound there. */
START_TEST(the_caller_takes_the_place_on_its_own_processor)
{
    unsigned last = last_cpu();
    cpu_set_t mask;
    char places[64];
    unsigned first = 0;
    int id = -1;

    while (!CPU_ISSET(first, &before))
        first++;
    snprintf(places, sizeof places, "{%u},{%u}", first, last);
    start_at(places, WS_BIND_CLOSE, 2);
    await_all_asleep(2);
    for (int i = 0; i < 2 && first != last; i++) {
        CPU_ZERO(&mask);
        CPU_SET(i ? first : last, &mask);
        ck_assert_int_eq(sched_setaffinity(0, sizeof mask, &mask), 0);
        ck_assert_int_eq(ws_run(whose_place, &id), 0);
        ck_assert_int_eq(id, i ? 0 : 1);
    }
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

/* Catches: distances of an imagined machine used for binding on this machine. */
START_TEST(a_machine_that_is_not_ours_gives_workers_but_no_binding)
{
    long r;

    (void)last_cpu();
    setenv("HWLOC_SYNTHETIC", "pack:2 numa:2 l3:2 core:2 pu:2", 1);
    ck_assert_int_eq(ws_init(NULL), 0);
    ck_assert_uint_eq(ws_num_workers(), 32);
    await_bound(&before, 32);
    for (int round = 0; round < 10; round++) {
        ck_assert_int_eq(ws_run(fib, &r, 22), 0);
        ck_assert_int_eq(r, 17711);
    }
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

static const struct {
    const char *omp_bind, *omp_threads, *own_bind, *machine;
    size_t workers;
    const char *said, *own_omp;
} few[] = {
    {NULL, "1", NULL, "pack:1 core:4 pu:2", 1, "OMP_NUM_THREADS alone decides: 1 worker, of 8 CPUs (WSFJ_OMP=0:", NULL},
    {NULL, "3", NULL, "pack:1 core:4 pu:2", 3, "decides: 3 workers, of 8", NULL},
    {NULL, "8", NULL, "pack:1 core:4 pu:2", 8, "", NULL}, /* as without it */
    {NULL, "1", NULL, "pack:1 core:1 pu:1", 1, "", NULL},
    {NULL, "1", NULL, "pack:1 core:4 pu:2", 1, "", "1"}, /* asked for */
    {NULL, "1", NULL, "pack:1 core:4 pu:2", 8, "", "0"},
    {"master", NULL, NULL, "pack:1 core:4 pu:2", 1, "OMP_PROC_BIND=primary: the first place has room for 1 ", NULL},
    {"primary,close", NULL, NULL, "pack:1 core:4 pu:1", 1, "1 worker, of 4 CPUs", NULL},
    {"master", NULL, NULL, "pack:1 core:1 pu:1", 1, "", NULL},      /* there is only one */
    {"master", "3", NULL, "pack:1 core:4 pu:2", 3, "", NULL},       /* the given number */
    {"master", NULL, "primary", "pack:1 core:4 pu:2", 1, "", NULL}, /* set by the program */
    {"spread", NULL, NULL, "pack:1 core:4 pu:2", 8, "", NULL},
};

static void set_or_not(const char *name, const char *value)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

static int start_with_variables(long i)
{
    set_or_not("OMP_PROC_BIND", few[i].omp_bind);
    set_or_not("OMP_NUM_THREADS", few[i].omp_threads);
    set_or_not("WSFJ_BIND", few[i].own_bind);
    set_or_not("WSFJ_OMP", few[i].own_omp);
    setenv("HWLOC_SYNTHETIC", few[i].machine, 1);
    return ws_init(NULL) == 0 && ws_num_workers() == few[i].workers && ws_fini() == 0 ? 0 : 1;
}

/* Catches: a variable meant for OpenMP that silently leaves one worker; a message about a setting that has its
 * effect. */
START_TEST(few_workers_by_an_OMP_variable_cost_one_line)
{
    struct outcome o = in_child(start_with_variables, _i);

    expect_exit(&o, 0);
    ck_assert_int_eq(o.lines, *few[_i].said ? 1 : 0);
    ck_assert_msg(strstr(o.text, few[_i].said), "%s", o.text);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("placement");

    tcase_add_test(tcase, workers_are_bound_to_their_places_and_the_caller_is_not);
    (void)sched_getaffinity(0, sizeof before, &before);
    ADD_TEST_UNLESS(CPU_COUNT(&before) < 2 ? "there is one processor" : NULL, tcase,
                    a_spare_is_bound_to_the_place_of_its_worker);
    tcase_add_test(tcase, the_caller_takes_the_place_on_its_own_processor);
    ADD_TEST_UNLESS(WITHOUT_MACHINES, tcase, a_machine_that_is_not_ours_gives_workers_but_no_binding);
    if (can_test("few_workers_by_an_OMP_variable_cost_one_line", WITHOUT_MACHINES))
        tcase_add_loop_test(tcase, few_workers_by_an_OMP_variable_cost_one_line, 0, sizeof few / sizeof *few);
    return run_case("placement", tcase);
}
