/* SPDX-License-Identifier: MIT */
/*
 * A program that binds threads of its own, as DPDK, MPI and OpenMP do, and means only those: the workers have the CPUs of
 * the first thread and of the thread that starts the runtime, taken together. Neighbours: placement.c, where workers are
 * bound; cpu_limit.c, masks that change later.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_setaffinity() */
#endif
#include "idle/allowed.h"
#include "idle/cpu_limit.h"
#include "machine/affinity.h"

#include "../support/fib.h"
#include "../support/flags.h"
#include "../support/process.h"
#include "../support/runtime.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

#define PATIENCE_NS (UINT64_C(60) * 1000000000)

static cpu_set_t before, one, others; /* all CPUs, the first, the rest */
static unsigned all;                  /* CPUs */

static bool has(pid_t thread, const cpu_set_t *expected)
{
    cpu_set_t mask;

    return sched_getaffinity(thread, sizeof mask, &mask) == 0 && CPU_EQUAL(&mask, expected);
}

/* Outside tests, too, where Check cannot be told. */
static void must(bool condition)
{
    if (!condition)
        abort();
}

static void bind_to(const cpu_set_t *mask)
{
    must(sched_setaffinity(0, sizeof *mask, mask) == 0);
}

static cpu_set_t of_thread;

static void *call(void *body)
{
    bind_to(&of_thread);
    (*(void (**)(void))body)();
    must(has(0, &of_thread));
    return NULL;
}

/* Calls the function on a thread with that mask, which must not change. */
static void on_thread(const cpu_set_t *mask, void (*body)(void))
{
    pthread_t thread;

    of_thread = *mask;
    must(pthread_create(&thread, NULL, call, &body) == 0 && pthread_join(thread, NULL) == 0);
}

/* The number of the library's threads whose names begin so, and their CPUs: of all, and the most that one has. */
struct threads {
    unsigned count, most;
    cpu_set_t sum;
};

static struct threads threads_named(const char *name)
{
    DIR *tasks = opendir("/proc/self/task");
    struct threads found = {0, 0, before};

    ck_assert_ptr_nonnull(tasks);
    CPU_ZERO(&found.sum);
    for (struct dirent *entry; (entry = readdir(tasks));) {
        char path[300], text[32] = "";
        cpu_set_t mask;
        FILE *file;

        snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
        file = fopen(path, "r");
        if (!file)
            continue;
        if (fgets(text, sizeof text, file) && strncmp(text, name, strlen(name)) == 0 &&
            sched_getaffinity(atoi(entry->d_name), sizeof mask, &mask) == 0) {
            unsigned n = (unsigned)CPU_COUNT(&mask);

            found.count++;
            found.most = n > found.most ? n : found.most;
            CPU_OR(&found.sum, &found.sum, &mask);
        }
        fclose(file);
    }
    closedir(tasks);
    return found;
}

/* Threads name and bind themselves, a moment after they are made. */
static void await_threads(const char *name, unsigned count, unsigned most)
{
    uint64_t end = now() + PATIENCE_NS;
    struct threads t = threads_named(name);

    while ((t.count != count || t.most != most || !CPU_EQUAL(&t.sum, &before)) && now() < end) {
        nanosleep(&(struct timespec){0, 1000000}, NULL);
        t = threads_named(name);
    }
    ck_assert_uint_eq(t.count, count);
    ck_assert_uint_eq(t.most, most);
    ck_assert(CPU_EQUAL(&t.sum, &before));
}

static void nothing(void *unused)
{
    (void)unused;
}

static void by_init(void)
{
    ck_assert_int_eq(ws_init(NULL), 0);
}

static void by_run(void)
{
    long r;

    ck_assert_int_eq(ws_run(fib, &r, 12), 0);
    ck_assert_int_eq(r, 144);
}

static void by_submit(void)
{
    ck_assert_int_eq(ws_submit(nothing, NULL), 0);
}

static void (*const starts[])(void) = {by_init, by_run, by_submit};
#define STARTS ((int)(sizeof starts / sizeof *starts))

/* The masks of the first thread and of the caller, from one start to the next. */
static const struct {
    const cpu_set_t *first, *caller;
} masks[] = {{&before, &one}, {&before, &one}, {&one, &before}, {&one, &others}};

/* Catches: one worker for the whole process, for ever, because the first call came from a thread that had bound itself; workers
 * that are bound to its CPU; its mask changed. */
START_TEST(the_first_call_may_come_from_a_bound_thread)
{
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        bind_to(masks[i].first);
        on_thread(masks[i].caller, starts[_i]);
        ck_assert_uint_eq(ws_num_workers(), all);
        await_threads("wsfj-", all, 1);
        stop_runtime();
        ck_assert(has(0, masks[i].first));
    }
}
END_TEST

static void init_unbound(void)
{
    ws_config config;

    ws_config_default(&config);
    config.bind = WS_BIND_NONE;
    ck_assert_int_eq(ws_init(&config), 0);
    ck_assert_uint_eq(ws_num_workers(), all);
}

static void init_many(void)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = all + 1; /* too many to bind */
    ck_assert_int_eq(ws_init(&config), 0);
}

/* Catches: workers that are not bound by the library, but have inherited the one CPU of the thread that has made them. */
START_TEST(workers_that_are_not_bound_have_all_cpus)
{
    on_thread(&one, init_unbound);
    await_threads("wsfj-", all, all);
    stop_runtime();
    on_thread(&one, init_many);
    await_threads("wsfj-", all + 1, all);
    stop_runtime();
}
END_TEST

static long met;

/* Waits for the others, for which each needs a worker. */
static void meet(void *failed)
{
    uint64_t end = now() + PATIENCE_NS;

    add(&met, 1);
    while (get(&met) < (long)all)
        if (now() > end)
            raise_flag(failed);
        else
            sched_yield();
}

static void all_meet(void)
{
    ws_group group = WS_GROUP_INIT;
    int failed = 0;

    met = 0;
    for (unsigned i = 0; i < all; i++)
        ck_assert_int_eq(ws_group_submit(&group, meet, &failed), 0);
    while (ws_group_wait(&group) != 0)
        ;
    ck_assert_int_eq(failed, 0);
}

/* Catches: workers that retire at the first reading of the masks, a second after the start, because only one of the two
 * threads counts there. */
START_TEST(the_cpus_at_the_start_are_those_of_the_cpu_limit)
{
    wsfj_cpu_limit_period = 1000000;
    if (_i & 1)
        bind_to(&one);
    on_thread(_i & 1 ? &before : &one, _i & 2 ? init_unbound : by_init);
    for (int i = 0; i < 50; i++) {
        nanosleep(&(struct timespec){0, 2000000}, NULL);
        by_run(); /* reads the masks */
        ck_assert(wsfj_allowed_to_run(all - 1));
        all_meet();
    }
    stop_runtime();
}
END_TEST

static int busy;

static void keep_busy(void *unused)
{
    (void)unused;
    (void)__atomic_fetch_add(&busy, 1, __ATOMIC_ACQ_REL);
    ck_assert_int_eq(ws_submit(nothing, NULL), 0);
    await_threads("wsfj-preempt", 1, all);
}

/* Catches: a thread that is to interrupt workers and has only the CPU of the first thread, which has bound itself and may
 * poll there, or that of the worker that has made it. */
START_TEST(the_preempting_thread_has_all_cpus_of_the_workers)
{
    ws_group group = WS_GROUP_INIT;

    by_init();
    bind_to(&one);
    for (unsigned i = 0; i < all; i++)
        ck_assert_int_eq(ws_group_submit(&group, keep_busy, NULL), 0);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    stop_runtime();
}
END_TEST

static int count_workers(long expected)
{
    long r;

    return ws_run(fib, &r, 12) == 0 && r == 144 && ws_num_workers() == (size_t)expected && ws_fini() == 0 ? 0 : 1;
}

static void forks(void)
{
    struct outcome o = in_child(count_workers, 1);

    expect_exit(&o, 0);
    ck_assert_str_eq(o.text, ""); /* a server whose children bind themselves means it so */
}

/* Catches: a line for each child of a server whose children bind themselves. In the child, the bound thread is the first. */
START_TEST(the_child_of_a_bound_thread_has_its_cpu)
{
    on_thread(&one, forks);
    by_init();
    on_thread(&one, forks);
    stop_runtime();
}
END_TEST

/* What this program does instead of testing: run WHO, in a process that has forked nothing. */
static void run_on_a_bound_thread(void)
{
    if (count_workers(all) != 0)
        exit(1);
}

static int play(const char *who)
{
    if (strcmp(who, "thread") == 0) {
        on_thread(&one, run_on_a_bound_thread);
        return 0;
    }
    if (strcmp(who, "first") == 0)
        bind_to(&one);
    if (strcmp(who, "no thread of another machine") == 0)
        setenv("WSFJ_DISPLAY", "1", 1);
    return count_workers(strcmp(who, "no thread") == 0 ? all : 1);
}

#define ONE_WORKER "libwsfj: there is one worker, because the program has bound its first thread to one CPU of "
#define LEAVES "libwsfj: the affinity mask leaves "

static const struct {
    const char *who; /* of the program binds itself */
    bool launched;   /* with one CPU */
    const char *name, *value;
    bool line, shown;
} lines[] = {
    {"no thread", false, "WSFJ_CGROUP", "0", false, false},
    {"first", false, "WSFJ_CGROUP", "0", true, false},
    {"thread", false, "WSFJ_CGROUP", "0", false, false},
    {"as launched", true, "WSFJ_CGROUP", "0", false, false},
    {"first", false, "WSFJ_NUM_WORKERS", "1", false, false},
    {"first", false, "WSFJ_NUM_WORKERS", "cores", true, false},
    {"first", false, "WSFJ_DISPLAY", "1", true, true},
    {"as launched", true, "WSFJ_DISPLAY", "1", false, true},
    {"thread", false, "WSFJ_DISPLAY", "1", false, false},
#ifndef WITHOUT_HWLOC
    {"no thread of another machine", false, "HWLOC_SYNTHETIC", "core:1 pu:1", false, false},
#endif
};

static int become(long i)
{
    char name[] = "bound", *arguments[] = {name, (char *)(uintptr_t)lines[i].who, NULL};

    setenv(lines[i].name, lines[i].value, 1);
    if (lines[i].launched)
        bind_to(&one);
    (void)execv("/proc/self/exe", arguments);
    return errno;
}

/* Catches: one worker without a line, if the program has bound its first thread; a line for all who use taskset, or where one
 * worker is what was asked for; WSFJ_DISPLAY=1 that does not say how many CPUs there are besides. */
START_TEST(one_worker_costs_a_line_if_the_program_has_bound_its_first_thread)
{
    struct outcome o = in_child(become, _i);

    expect_exit(&o, 0);
    ck_assert_msg(!strstr(o.text, ONE_WORKER) == !lines[_i].line, "%s", o.text);
    if (wsfj_affinity_online() == all)
        ck_assert_msg(!strstr(o.text, LEAVES) == !lines[_i].shown, "%s", o.text);
    ck_assert_msg(strstr(o.text, "libwsfj: version") || o.lines == lines[_i].line, "%s", o.text);
}
END_TEST

int main(int argc, char **argv)
{
    static const char *const ours[] = {"WSFJ_NUM_WORKERS", "WSFJ_PLACES",     "WSFJ_BIND",    "OMP_NUM_THREADS",
                                       "OMP_PROC_BIND",    "HWLOC_SYNTHETIC", "HWLOC_XMLFILE"};
    TCase *tcase;

    if (sched_getaffinity(0, sizeof before, &before) == 0)
        all = (unsigned)CPU_COUNT(&before);
    for (size_t cpu = 0; CPU_COUNT(&one) == 0; cpu++)
        if (CPU_ISSET(cpu, &before))
            CPU_SET(cpu, &one);
    CPU_XOR(&others, &before, &one);
    if (argc > 1)
        return play(argv[1]);
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        unsetenv(ours[i]);
    setenv("WSFJ_BIND", "close", 1); /* strict, however busy the machine is */
    if (all < 2 || ws_init(NULL) != 0 || ws_num_workers() < all || ws_fini() != 0) {
        puts("bound: fewer than two CPUs for us: no thread has fewer than another");
        return EXIT_SKIPPED;
    }
    tcase = new_case("bound");
    tcase_add_loop_test(tcase, the_first_call_may_come_from_a_bound_thread, 0, STARTS);
    tcase_add_test(tcase, workers_that_are_not_bound_have_all_cpus);
    tcase_add_loop_test(tcase, the_cpus_at_the_start_are_those_of_the_cpu_limit, 0, 4);
    tcase_add_test(tcase, the_preempting_thread_has_all_cpus_of_the_workers);
    ADD_TEST_UNLESS(SANITIZED ? "other threads hold locks of the sanitizers' allocators" : emulated(NO_THREADS), tcase,
                    the_child_of_a_bound_thread_has_its_cpu);
    if (can_test("one_worker_costs_a_line_if_the_program_has_bound_its_first_thread",
                 emulated("/proc/self/exe is the emulator")))
        tcase_add_loop_test(tcase, one_worker_costs_a_line_if_the_program_has_bound_its_first_thread, 0,
                            sizeof lines / sizeof *lines);
    return run_case("bound", tcase);
}
