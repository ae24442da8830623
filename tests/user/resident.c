/* SPDX-License-Identifier: MIT */
/* How much memory a process keeps after its tasks are done. Neighbours: tests/unit/stack.c and pool.c, which test
 * stacks alone. */
#include "../support/folder.h"

#include "../support/process.h"
#include "../support/resources.h"
#include "../support/runtime.h"
#include "steals.h"

#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>

#define STACK_SIZE ((size_t)64 << 10)
/* gcc's ThreadSanitizer allows some 8000 stacks. */
#define LINKS ((uintptr_t)(SANITIZED ? 1000 : 10000))
#define FEW_LINKS ((uintptr_t)200)
/* In KiB: the header of a stack; everything that does not depend on the number of stacks. 30,000 stacks then keep less
 * than 40 MiB. */
#define HEADER_MOST 1
#define REST_MOST 8192
/* In KiB: the mapping of a stack of STACK_SIZE has at least 768. */
#define LOCKED_MOST (FEW_LINKS * 100)
#define STARTS 80
#define STARTED_MOST (STARTS * (size_t)sysconf(_SC_PAGESIZE) / 1024) /* KiB */

/* Each link waits for the next; when the last one runs, all others wait. */
static void chain(void *links)
{
    uintptr_t n = (uintptr_t)links;
    ws_group next = WS_GROUP_INIT;

    if (n == 0)
        return;
    (void)ws_group_submit(&next, chain, (void *)(n - 1));
    (void)ws_group_wait(&next);
}

static int wait_in_chain(uintptr_t links)
{
    ws_group all = WS_GROUP_INIT;
    int error = ws_group_submit(&all, chain, (void *)links);

    return error ? error : ws_group_wait(&all);
}

/* Catches: free stacks that keep pages (with 8 KiB each, 237 MiB after 30,000 tasks have waited); a trimmed stack used
 * with the context from its lost pages. */
START_TEST(memory_goes_back_when_tasks_have_waited)
{
    size_t before;

    start_runtime(2, STACK_SIZE, WS_SPIN_DEFAULT);
    ck_assert_int_eq(wait_in_chain(10), 0);
    before = status_field("VmRSS");
    for (int round = 0; round < 3; round++) {
        ck_assert_int_eq(wait_in_chain(LINKS), 0);
        ck_assert_uint_gt(read_stats().stacks, LINKS / 2); /* they have waited at the same time */
        if (!SANITIZED && !emulated(NOT_OUR_MEMORY))
            ck_assert_uint_le(status_field("VmRSS"), before + HEADER_MOST * LINKS + REST_MOST);
    }
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

/* Returns 0; 1 after an error; EXIT_SKIPPED if the system allows no locked memory. */
static int wait_in_locked_memory(long unused)
{
    ws_config config;
    size_t before;

    (void)unused;
    ws_config_default(&config);
    config.num_workers = 2;
    config.stack_size = STACK_SIZE;
    if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0 || ws_init(&config) != 0)
        return EXIT_SKIPPED;
    if (wait_in_chain(10) != 0)
        return 1;
    before = status_field("VmRSS");
    if (wait_in_chain(FEW_LINKS) != 0)
        return 1;
    return status_field("VmRSS") > before + LOCKED_MOST;
}

/* Catches: stacks that the kernel fills with pages as soon as they are mapped: 50 MiB for each stack of the default
 * size. */
START_TEST(stacks_are_touched_lazily_after_mlockall)
{
    struct outcome o = in_child(wait_in_locked_memory, 0);

    if (WIFEXITED(o.status) && WEXITSTATUS(o.status) == EXIT_SKIPPED)
        printf("skipped: no memory may be locked here\n");
    else
        expect_exit(&o, 0);
}
END_TEST

/* Settings with which a start makes more. */
static const struct {
    const char *name, *value;
} settings[] = {
    {"WSFJ_MEMBARRIER", "1"}, {"WSFJ_TRACE", "run-%p.json"}, {"WSFJ_TRACE", "no/such.json"},
    {"WSFJ_WATCHDOG", "60"},  {"WSFJ_SCHEDTRACE", "10000"},  {"WSFJ_DUMP_SIGNAL", "USR2"},
    {"WSFJ_STATS", "1"},      {"WSFJ_PLACES", "{0:64}"},
};
#define SETTINGS ((int)(sizeof settings / sizeof *settings))

static void set(int which)
{
    bool is_file = strcmp(settings[which].name, "WSFJ_TRACE") == 0;

    folder_make();
    setenv(settings[which].name, is_file ? folder_path(settings[which].value) : settings[which].value, 1);
    ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
}

static void *meet(void *barrier)
{
    pthread_barrier_wait(barrier);
    return NULL;
}

/* The C library keeps as many stacks of ended threads as there were threads at the same time, and a busy machine needs a
 * thread more now and then. */
static void fill_stack_cache(void)
{
    enum { THREADS = 6 };
    pthread_barrier_t barrier;
    pthread_attr_t attributes;
    pthread_t threads[THREADS];

    pthread_barrier_init(&barrier, NULL, THREADS);
    pthread_attr_init(&attributes);
    ck_assert_int_eq(pthread_attr_setstacksize(&attributes, (size_t)1 << 20), 0);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], &attributes, meet, &barrier), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_attr_destroy(&attributes);
    pthread_barrier_destroy(&barrier);
}

/* Catches: what stays after ws_fini(), at least a page or an allocation for each start: headers of stacks, names and rings of
 * a trace that was written or refused, what another thread or a report has needed. */
START_TEST(a_stop_leaves_nothing)
{
    struct resources before, after;
    size_t heap = 0;
    int threads = count_threads();

    set(_i);
    use_one_arena();
    fill_stack_cache();
    for (int i = 0; i < STARTS; i++) {
        start_runtime(2, STACK_SIZE, WS_SPIN_DEFAULT);
        ck_assert_int_eq(wait_in_chain(10), 0);
        ck_assert_int_eq(ws_fini(), 0);
        if (i == STARTS / 10) {
            before = read_resources(threads);
            heap = allocated();
        }
    }
    after = read_resources(threads);
    ck_assert_int_eq(after.threads, threads);
    ck_assert_int_eq(after.files, before.files);
    ck_assert_uint_le(after.mapped, before.mapped + STARTED_MOST);
    ck_assert_uint_le(allocated(), heap + STARTS * 16);
}
END_TEST

/* Catches: stacks of many threads, half a MiB each, that stay after ws_fini(). The C library may keep 40 MiB of stacks. */
START_TEST(a_stop_gives_back_many_threads_stacks)
{
    enum { MANY = 100, TIMES = 5 };
    size_t before = 0;

    use_one_arena();
    for (int i = 0; i < TIMES; i++) {
        start_runtime(MANY, STACK_SIZE, 0);
        ck_assert_int_eq(wait_in_chain(10), 0);
        ck_assert_int_eq(ws_fini(), 0);
        if (i == 0)
            before = status_field("VmSize");
    }
    ck_assert_uint_le(status_field("VmSize"), before + (40 << 10));
}
END_TEST

static uint64_t stacks_meanwhile;

/* Waits until the other worker searches in vain: its task waits at the sync for this one. Then reads the number of stacks:
 * the moment in which that task goes on may rightly cost one more, since a thief looks at its deque without the lock. */
static WS_TASK_VOID(stolen_child)
{
    uint64_t end = now() + STEALS_NS, failed;

    steals_in();
    while (suspensions() == 0 && now() < end)
        sched_yield();
    failed = read_stats().steals_failed;
    while (read_stats().steals_failed == failed && now() < end)
        sched_yield();
    stacks_meanwhile = read_stats().stacks;
}

static WS_TASK_VOID(parent_of_one)
{
    ws_spawn(stolen_child);
    steals_wait(1);
    ws_sync();
}

/* Catches: a worker that takes a stack before it knows of a task for it. Then each searcher maps a stack in vain. */
START_TEST(a_search_in_vain_maps_no_stack)
{
    start_runtime(8, STACK_SIZE, WS_SPIN_FOREVER);
    ck_assert_int_eq(ws_phase_begin(), 0);
    nanosleep(&(struct timespec){0, 20000000}, NULL);
    ck_assert_uint_eq(read_stats().stacks, 1); /* with which the start sees that there is memory */
    ck_assert_int_eq(ws_phase_end(), 0);
    ck_assert_int_eq(ws_fini(), 0);
    for (int i = 0; i < 5; i++) {
        start_runtime(2, STACK_SIZE, WS_SPIN_FOREVER);
        steals_begin(STEALS_BEGUN);
        ck_assert_int_eq(ws_run(parent_of_one), 0);
        ck_assert_uint_le(stacks_meanwhile, 2); /* the parent's and the stolen child's */
        ck_assert_int_eq(ws_fini(), 0);
    }
}
END_TEST

struct large {
    char bytes[1000];
};

static WS_TASK(int, last_byte, struct large, l)
{
    return l.bytes[999];
}

/* Catches: arguments of ws_run() that are allocated and not freed. */
START_TEST(large_arguments_are_given_back)
{
    struct large l = {.bytes[999] = 7};
    size_t before = 0;
    int r = 0;

    use_one_arena();
    start_runtime(2, STACK_SIZE, WS_SPIN_DEFAULT);
    for (int i = 0; i < 1000; i++) {
        ck_assert_int_eq(ws_run(last_byte, &r, l), 0);
        ck_assert_int_eq(r, 7);
        if (i == 100)
            before = allocated();
    }
    ck_assert_uint_le(allocated(), before + 100 * sizeof l);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

int main(int argc, char **argv)
{
    (void)argc;
    count_exactly(argv);

    TCase *tcase = new_case("resident");

    if (folder_begin("resident") != 0)
        return EXIT_FAILURE;
    tcase_add_test(tcase, a_search_in_vain_maps_no_stack);

    tcase_add_test(tcase, memory_goes_back_when_tasks_have_waited);
    ADD_TEST_UNLESS(SANITIZED ? "the sanitizers lock no memory" : emulated(NOT_OUR_MEMORY), tcase,
                    stacks_are_touched_lazily_after_mlockall);
    tcase_add_test(tcase, large_arguments_are_given_back);
    if (can_test("a_stop_leaves_nothing",
                 SANITIZED ? "the sanitizers map memory of their own" : emulated(NOT_OUR_MEMORY))) {
        tcase_add_loop_test(tcase, a_stop_leaves_nothing, 0, SETTINGS);
        tcase_add_test(tcase, a_stop_gives_back_many_threads_stacks);
    }

    int status = run_case("resident", tcase);

    folder_end();
    return status;
}
