/* SPDX-License-Identifier: MIT */
/* Paths of a profiled program that are rarely taken: refusals, forks, queued tasks, groups that share a bucket. In
 * units. Neighbours: profile.c, profile_detached.c. */
#include "../support/resources.h"
#include "../support/sanitizer.h"
#include "profile.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>

static long ran;

static WS_TASK_VOID(leaf)
{
}

/* Costs n; a detached task costs 1 besides. */
static WS_TASK_VOID(chain, long, n)
{
    for (long i = 1; i < n; i++)
        ws_call(leaf);
}

static void costs(void *n)
{
    ran++;
    chain((long)(intptr_t)n);
}

static int run_chain(long n)
{
    return ws_run(chain, n);
}

/* Each calls the next; the last one submits two that must wait for it. All are in one region, and so in one thread. */
#define DEPTH 32
static void deep(void *left)
{
    long n = (long)(intptr_t)left;

    ran++;
    if (n > 1) {
        (void)ws_submit(deep, (void *)(intptr_t)(n - 1));
        chain(8);
    } else {
        (void)ws_submit(costs, (void *)4);
        chain(10);
        (void)ws_submit(costs, (void *)6);
    }
}

static WS_TASK_VOID(is_deep)
{
    (void)ws_submit(deep, (void *)DEPTH);
}

static int run_deep(long unused)
{
    (void)unused;
    return ws_run(is_deep) || ran != DEPTH + 2;
}

/* Catches: a queued task that is lost, begins elsewhere than where it was submitted, or takes what follows with it. */
START_TEST(queued_tasks_begin_where_they_were_submitted)
{
    struct profile p = units_of(run_deep, 0);

    ck_assert_double_eq(p.row[0].work, 1 + DEPTH + (DEPTH - 1) * 8 + 10 + (1 + 4) + (1 + 6));
    ck_assert_double_eq(p.row[0].span, 1 + DEPTH + 10 + (1 + 6));
}
END_TEST

/* Many groups, of which some share a bucket with the first. The others are waited for first. */
#define GROUPS 2100
static WS_TASK(int, has_many_groups)
{
    static ws_group groups[GROUPS];
    int error = 0;

    for (long i = 0; i < GROUPS; i++)
        error |= ws_group_submit(&groups[i], costs, (void *)(intptr_t)(i ? 1 : 50));
    for (int i = 1; i < GROUPS; i++)
        error |= ws_group_wait(&groups[i]);
    ws_call(chain, 30);
    return error | ws_group_wait(&groups[0]);
}

static int run_many_groups(long unused)
{
    int wrong = 1;

    (void)unused;
    return ws_run(has_many_groups, &wrong) || wrong;
}

/* Catches: groups that are mixed up. */
START_TEST(each_group_has_its_own_end)
{
    struct profile p = units_of(run_many_groups, 0);

    ck_assert_double_eq(p.row[0].span, 1 + 1 + 50);
}
END_TEST

static WS_TASK_VOID(has_longest, long, n)
{
    ws_spawn(chain, n);
    ws_sync();
}

static int run_longest(long unused)
{
    (void)unused;
    return ws_run(has_longest, 9) || ws_run(has_longest, 3);
}

/* Catches: the longest child of a site that is only that of the last region. */
START_TEST(the_longest_of_all_regions_is_told)
{
    struct profile p = units_of(run_longest, 0);

    ck_assert_double_eq(profile_site(&p, "chain")->longest, 9);
}
END_TEST

static int id_inside;

static WS_TASK_VOID(stays_in_a_section)
{
    ws_blocking_begin();
}

static WS_TASK_VOID(has_a_section)
{
    WS_BLOCKING
    {
        id_inside = ws_worker_id() < 0 && ws_slot() == ws_num_workers() ? -1 : 0;
    }
}

static int run_open_section(long unused)
{
    (void)unused;
    return ws_run(stays_in_a_section) || ws_run(has_a_section) || id_inside != -1;
}

/* Catches: a section that a region has left open, and that the next one is in; a slot of a worker in a section. */
START_TEST(a_section_ends_with_its_region)
{
    struct profile p = units_of(run_open_section, 0);

    ck_assert_double_eq(p.row[0].work, 2);
}
END_TEST

static ws_group shared = WS_GROUP_INIT;
static int is_running, may_end, begun;

static void outlasts(void *unused)
{
    (void)unused;
    __atomic_store_n(&is_running, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&may_end, __ATOMIC_ACQUIRE))
        sched_yield();
}

static void *submit_outlasting(void *unused)
{
    (void)unused;
    return (void *)(intptr_t)ws_group_submit(&shared, outlasts, NULL);
}

static WS_TASK(int, waits)
{
    __atomic_add_fetch(&begun, 1, __ATOMIC_ACQ_REL);
    return ws_group_wait(&shared);
}

static void *run_waits(void *unused)
{
    int error = -1;

    (void)unused;
    return (void *)(intptr_t)(ws_run(waits, &error) ? -1 : error);
}

/* Two regions and a detached task, with two workers' numbers: a region that waits for others has none, else the second one
 * would not begin. */
static int run_two_waits(long unused)
{
    pthread_t submits, waiters[2];
    void *error = NULL;
    int errors = 0;

    (void)unused;
    if (pthread_create(&submits, NULL, submit_outlasting, NULL))
        return 1;
    while (!__atomic_load_n(&is_running, __ATOMIC_ACQUIRE))
        sched_yield();
    for (int i = 0; i < 2; i++) {
        if (pthread_create(&waiters[i], NULL, run_waits, NULL))
            return 1;
        while (__atomic_load_n(&begun, __ATOMIC_ACQUIRE) <= i)
            sched_yield();
    }
    __atomic_store_n(&may_end, 1, __ATOMIC_RELEASE);
    pthread_join(submits, &error);
    errors += error != NULL;
    for (int i = 0; i < 2; i++) {
        pthread_join(waiters[i], &error);
        errors += error != NULL;
    }
    return errors;
}

/* Catches: one of two waiters that is forgotten or refused; a region that keeps its worker's number while it waits. */
START_TEST(two_regions_wait_for_one_group)
{
    struct profile p = units_of(run_two_waits, 0);

    ck_assert_uint_eq(p.row[0].regions, 2);
}
END_TEST

static void does_nothing(void *unused)
{
    (void)unused;
}

static ws_group own, called_from;
static int own_error, callers_error, other_error;

static void waits_for_caller(void *unused)
{
    (void)unused;
    callers_error = ws_group_wait(&own);
}

static void waits_for_own(void *unused)
{
    ws_group other = WS_GROUP_INIT;

    (void)unused;
    own_error = ws_group_wait(&own);
    (void)ws_group_submit(&called_from, waits_for_caller, NULL);
    (void)ws_group_submit(&other, does_nothing, NULL);
    other_error = ws_group_wait(&called_from) | ws_group_wait(&other);
}

static int run_waits_for_own(long unused)
{
    (void)unused;
    return ws_group_submit(&own, waits_for_own, NULL) || ws_group_wait(&own) || own_error != EDEADLK ||
           callers_error != EDEADLK || other_error;
}

/* Catches: a task that waits for itself, or for the one that has called it here, for ever; one that takes another group for
 * such a one. */
START_TEST(a_wait_for_the_own_group_is_refused)
{
    struct profile p = units_of(run_waits_for_own, 0);

    expect_exit(&p.outcome, 0);
}
END_TEST

static int run_refused(long unused)
{
    ws_group g = WS_GROUP_INIT;

    (void)unused;
    setrlimit(RLIMIT_AS, &(struct rlimit){(rlim_t)1 << 30, (rlim_t)1 << 30});
    setenv("WSFJ_STACK_SIZE", "1G", 1);
    return ws_run(leaf) != ENOMEM || ws_submit(costs, NULL) != ENOMEM || ws_group_submit(&g, costs, NULL) != ENOMEM ||
           ran || ws_num_workers() || ws_fini();
}

/* Catches: a refused start that is told as success, or after which a task is called nevertheless. */
START_TEST(a_refused_start_is_told)
{
    struct profile p = profile_of(run_refused, 0, "1", "2");

    expect_exit(&p.outcome, 0);
    ck_assert_int_eq(p.outcome.lines, 3);
    ck_assert_int_eq(p.rows, -1);
}
END_TEST

static int runs_in_poll, polled;

static int polls(void *unused)
{
    (void)unused;
    if (!__atomic_load_n(&polled, __ATOMIC_ACQUIRE))
        runs_in_poll = ws_run(leaf);
    __atomic_store_n(&polled, 1, __ATOMIC_RELEASE);
    return 0;
}

static int run_polls(long unused)
{
    ws_config config;

    (void)unused;
    ws_config_default(&config);
    config.num_workers = 1;
    config.poll = polls;
    if (ws_init(&config))
        return 1;
    while (!__atomic_load_n(&polled, __ATOMIC_ACQUIRE))
        sched_yield();
    return ws_fini() || runs_in_poll != EDEADLK;
}

/* Catches: a region in ws_config.poll, which could wait for ever. */
START_TEST(a_region_in_poll_is_refused)
{
    struct profile p = profile_of(run_polls, 0, "1", "1");

    expect_exit(&p.outcome, 0);
    ck_assert_int_eq(p.rows, -1);
}
END_TEST

static int run_traced(long n)
{
    setenv("WSFJ_TRACE", "no-such-folder/profiled.json", 1);
    return ws_run(chain, n);
}

/* Catches: a trace without tasks, and not a word. */
START_TEST(a_trace_has_no_profiled_tasks)
{
    struct profile p = profile_of(run_traced, 3, "1", "2");

    expect_exit(&p.outcome, 0);
    ck_assert_msg(strstr(p.outcome.text,
                         "libwsfj: WSFJ_TRACE=no-such-folder/profiled.json: tasks compiled with -DWSFJ_PROFILE run "
                         "serially and are not in the trace\n"),
                  "%s", p.outcome.text);
}
END_TEST

static int run_again_and_again(long n)
{
    int files;
    size_t before = 0;

    if (ws_run(chain, 3))
        return 1;
    files = count_files();
    for (long i = 0; i < n; i++) {
        if (ws_run(is_deep))
            return 1;
        if (i == n / 10)
            before = allocated();
    }
    return count_files() != files || allocated() > before + (size_t)n * 24;
}

/* Catches: a descriptor that each region, or an allocation that each queued task leaves behind; in units, and by the
 * clock. */
START_TEST(nothing_grows_with_the_regions)
{
    struct profile p = profile_of(run_again_and_again, 1000, _i ? "1" : "0", "2");

    expect_exit(&p.outcome, 0);
}
END_TEST

/* Ends a child of fork() and reads the profile of its own; the name has its number at the end. */
static struct row profile_of_child(pid_t pid, const char *out)
{
    struct row rows[ROWS_MOST];
    char path[200];
    int status = -1;

    snprintf(path, sizeof path, "%s.%ld", out, (long)pid);
    if (waitpid(pid, &status, 0) != pid || status || read_rows(path, rows) < 1)
        rows[0] = (struct row){.work = -1};
    unlink(path);
    return rows[0];
}

static ws_group before_fork = WS_GROUP_INIT;

/* The parent has come far when it forks: in a region, by a detached task, and in a group that nobody waits for. */
static int run_fork_far_away(long unused)
{
    pid_t pid;
    struct row r;

    (void)unused;
    if (run_chain(100) || ws_submit(costs, (void *)500) || ws_group_submit(&before_fork, costs, (void *)300))
        return 1;
    pid = fork();
    if (pid == 0)
        exit(ws_group_wait(&before_fork) || ws_submit(costs, (void *)2) || run_chain(5));
    r = profile_of_child(pid, getenv("WSFJ_PROFILE_OUT"));
    fprintf(stderr, "%g %g", r.work, r.span);
    return 0;
}

/* In the child, the region goes on, and is the parent's; the next one is not. */
static WS_TASK(pid_t, forks_inside)
{
    ws_call(chain, 100);
    return fork();
}

static int run_fork_inside(long unused)
{
    pid_t pid = -1;
    struct row r;

    (void)unused;
    if (ws_run(forks_inside, &pid) || pid < 0)
        return 1;
    if (pid == 0)
        exit(ws_submit(costs, (void *)2) || run_chain(5));
    r = profile_of_child(pid, getenv("WSFJ_PROFILE_OUT"));
    fprintf(stderr, "%g %g", r.work, r.span);
    return 0;
}

/* Another region runs, with the first worker's number, while this one forks. */
static int other_runs, other_may_end;

static WS_TASK_VOID(holds_a_number)
{
    __atomic_store_n(&other_runs, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&other_may_end, __ATOMIC_ACQUIRE))
        sched_yield();
}

static void *run_holder(void *unused)
{
    (void)unused;
    return (void *)(intptr_t)ws_run(holds_a_number);
}

static WS_TASK(pid_t, forks_beside)
{
    pid_t pid = fork();

    if (pid == 0 && ws_worker_id() != 0)
        _exit(9);
    return pid;
}

static WS_TASK(int, which_worker)
{
    return ws_worker_id();
}

static pthread_t holder;

static WS_TASK(int, starts_holder)
{
    int error = pthread_create(&holder, NULL, run_holder, NULL);

    while (!error && !__atomic_load_n(&other_runs, __ATOMIC_ACQUIRE))
        sched_yield();
    return error;
}

/* From a region, the other one has an account of its own, which the child uses next. */
static int run_fork_beside(long from_region)
{
    pid_t pid = -1;
    struct row r;
    int id = -1, error = -1;

    if (from_region ? ws_run(starts_holder, &error) || error : starts_holder())
        return 1;
    if (ws_run(forks_beside, &pid) || pid < 0)
        return 1;
    if (pid == 0)
        exit(ws_run(which_worker, &id) || id != 0 || ws_submit(costs, (void *)2) || run_chain(4));
    r = profile_of_child(pid, getenv("WSFJ_PROFILE_OUT"));
    __atomic_store_n(&other_may_end, 1, __ATOMIC_RELEASE);
    pthread_join(holder, NULL);
    fprintf(stderr, "%g %g", r.work, r.span);
    return 0;
}

static int (*const forks[])(long) = {run_fork_far_away, run_fork_inside, run_fork_beside, run_fork_beside};

/* Catches: work, a position or a worker's number of the parent in the profile of its child. */
START_TEST(a_child_of_fork_begins_at_0)
{
    struct profile p = profile_of(forks[_i], _i == 3, "1", "2");

    expect_exit(&p.outcome, 0);
    ck_assert_str_eq(p.outcome.text, "8 5");
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("profile_rare");

    tcase_add_test(tcase, queued_tasks_begin_where_they_were_submitted);
    tcase_add_test(tcase, each_group_has_its_own_end);
    tcase_add_test(tcase, the_longest_of_all_regions_is_told);
    tcase_add_test(tcase, a_section_ends_with_its_region);
    tcase_add_test(tcase, two_regions_wait_for_one_group);
    tcase_add_test(tcase, a_wait_for_the_own_group_is_refused);
    tcase_add_test(tcase, a_region_in_poll_is_refused);
    tcase_add_test(tcase, a_trace_has_no_profiled_tasks);
    if (can_test("nothing_grows_with_the_regions", SANITIZED ? "the sanitizers allocate on their own" : NULL))
        tcase_add_loop_test(tcase, nothing_grows_with_the_regions, 0, 2);
    ADD_TEST_UNLESS(SANITIZED ? "sanitizers need much address space" : emulated(NO_LIMITS), tcase,
                    a_refused_start_is_told);
    if (can_test("a_child_of_fork_begins_at_0", SANITIZED_THREAD    ? "it knows no threads after fork()"
                                                : SANITIZED_ADDRESS ? "it looks for the parent's threads in the child"
                                                                    : emulated(NO_THREADS)))
        tcase_add_loop_test(tcase, a_child_of_fork_begins_at_0, 0, (int)(sizeof forks / sizeof *forks));
    return run_case("profile_rare", tcase);
}
