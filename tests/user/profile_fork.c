/* SPDX-License-Identifier: MIT */
/* Profiles of processes that fork, in units. Neighbour: profile.c. */
#include "../support/sanitizer.h"
#include "profile_fib.h"

#include <glob.h>
#include <pthread.h>

/* n leaves in a row. */
static WS_TASK(long, chain, long, n)
{
    for (long i = 1; i < n; i++)
        ws_call(leaf);
    return n;
}

static int run_and_fork(long n)
{
    int status = -1;
    pid_t pid;

    if (run_fib(n))
        return 1;
    pid = fork();
    if (pid == 0)
        exit(run_fib(n - 1));
    return waitpid(pid, &status, 0) != pid || status || run_fib(2);
}

static WS_TASK(int, forks)
{
    pid_t pid;
    int status = -1;

    ws_call(leaf);
    pid = fork();
    if (pid == 0)
        exit(0);
    return waitpid(pid, &status, 0) != pid || status;
}
static int run_forks(long i)
{
    int wrong = 1;

    (void)i;
    return ws_run(forks, &wrong) || wrong;
}

/* The profile of a process that has forked; `childs` becomes its child's, which has the child's number behind its name. */
static struct profile units_of_fork(int (*body)(long), long argument, struct row *childs)
{
    struct profile p = units_of(body, argument);
    char pattern[100];
    glob_t names;

    snprintf(pattern, sizeof pattern, "/tmp/wsfj-profile-%ld.csv.*", (long)getpid());
    ck_assert_int_eq(glob(pattern, 0, NULL, &names), 0);
    ck_assert_uint_eq(names.gl_pathc, 1);
    ck_assert_int_eq(read_rows(names.gl_pathv[0], childs), 2);
    unlink(names.gl_pathv[0]);
    globfree(&names);
    return p;
}

/* Catches: a child of fork() that counts what its parent did, begins where that has ended, or writes over its file. */
START_TEST(a_fork_has_a_profile_of_its_own)
{
    struct row rows[ROWS_MOST];
    struct profile p = units_of_fork(run_and_fork, 10, rows);

    ck_assert_double_eq(p.row[0].work, 2 * number(11) - 1 + 3);
    ck_assert_double_eq(p.row[0].span, 10 + 2);
    ck_assert_uint_eq(p.row[0].regions, 2);
    ck_assert_double_eq(rows[0].work, 2 * number(10) - 1);
    ck_assert_double_eq(rows[0].span, 9);
    ck_assert_uint_eq(rows[0].regions, 1);

    p = units_of(run_forks, 0);
    ck_assert_double_eq(p.row[0].work, 2);
    ck_assert_uint_eq(p.row[0].unfinished, 0);
}
END_TEST

static pid_t forked = -1;

/* The child goes on in its parent's region, and ends it. */
static WS_TASK_VOID(forks_inside)
{
    ws_spawn(chain, NULL, 30);
    forked = fork();
    ws_spawn(chain, NULL, 20);
    ws_sync();
}

static int run_forks_inside(long n)
{
    int status = -1;

    if (run_fib(n) || ws_run(forks_inside))
        return 1;
    if (forked == 0)
        exit(run_fib(n - 1) || ws_fini());
    return waitpid(forked, &status, 0) != forked || status;
}

/* Catches: a region of the parent's, which the child ends, counted in the child's profile, or before it. */
START_TEST(the_region_of_a_fork_is_its_parents)
{
    struct row rows[ROWS_MOST];
    struct profile p = units_of_fork(run_forks_inside, 10, rows);

    ck_assert_double_eq(p.row[0].work, 2 * number(11) - 1 + 1 + 30 + 20);
    ck_assert_double_eq(p.row[0].span, 10 + 1 + 30);
    ck_assert_double_eq(rows[0].work, 2 * number(10) - 1);
    ck_assert_double_eq(rows[0].span, 9);
    ck_assert_uint_eq(rows[0].regions, 1);
    ck_assert_uint_eq(rows[0].unfinished, 0);
}
END_TEST

static int is_inside, may_end;

static WS_TASK_VOID(waits_inside)
{
    ws_spawn(chain, NULL, 30);
    ws_sync();
    __atomic_store_n(&is_inside, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&may_end, __ATOMIC_ACQUIRE))
        usleep(100);
}

static void *stay_inside(void *unused)
{
    (void)unused;
    return (void *)(intptr_t)ws_run(waits_inside);
}

static int run_forks_beside(long n)
{
    pthread_t thread;
    pid_t pid;
    int status = -1;
    void *error = NULL;

    if (pthread_create(&thread, NULL, stay_inside, NULL))
        return 1;
    while (!__atomic_load_n(&is_inside, __ATOMIC_ACQUIRE))
        usleep(100);
    pid = fork();
    if (pid == 0)
        exit(run_fib(n));
    if (waitpid(pid, &status, 0) != pid || status)
        return 2;
    __atomic_store_n(&may_end, 1, __ATOMIC_RELEASE);
    return pthread_join(thread, &error) || error;
}

/* Catches: what another thread of the parent has done in its region, counted by the child's first region; that region,
 * counted as one that never ends. */
START_TEST(regions_beside_a_fork_are_its_parents)
{
    struct row rows[ROWS_MOST];
    struct profile p = units_of_fork(run_forks_beside, 10, rows);

    ck_assert_double_eq(p.row[0].work, 1 + 30);
    ck_assert_double_eq(rows[0].work, 2 * number(11) - 1);
    ck_assert_double_eq(rows[0].span, 10);
    ck_assert_str_eq(rows[1].task, "fib");
    ck_assert_uint_eq(rows[0].regions, 1);
    ck_assert_uint_eq(rows[0].unfinished, 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("profile_fork");

    if (can_test("profiles of forks", SANITIZED_THREAD    ? "it knows no threads after fork()"
                                      : SANITIZED_ADDRESS ? "it looks for the parent's threads in the child"
                                                          : emulated(NO_THREADS))) {
        tcase_add_test(tcase, a_fork_has_a_profile_of_its_own);
        tcase_add_test(tcase, the_region_of_a_fork_is_its_parents);
        tcase_add_test(tcase, regions_beside_a_fork_are_its_parents);
    }
    return run_case("profile_fork", tcase);
}
