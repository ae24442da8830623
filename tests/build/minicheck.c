/* SPDX-License-Identifier: MIT */
/* Tests that fail in every possible way, between tests that pass, for minicheck.sh. The argument selects tests. */
#include <check.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOOPS 3

static int prepared;

static void prepare(void)
{
    prepared = 1;
}

static void clean(void)
{
    ck_assert_int_eq(prepared, 1);
}

START_TEST(holds)
{
    ck_assert_int_eq(prepared, 1);
    ck_assert_str_eq("one", "one");
    ck_assert_uint_gt(UINT64_MAX, INT64_MAX);
    prepared = 1;
}
END_TEST

START_TEST(integers)
{
    ck_assert_int_eq(2, -3);
}
END_TEST

START_TEST(strings)
{
    ck_assert_str_eq("one", "two");
}
END_TEST

START_TEST(nothing_is_no_string)
{
    const char *volatile none = NULL;

    ck_assert_str_eq(none, "two");
}
END_TEST

START_TEST(pointers)
{
    ck_assert_ptr_nonnull(NULL);
}
END_TEST

START_TEST(says)
{
    ck_assert_msg(prepared == 2, "a number: %d", 42);
}
END_TEST

START_TEST(dies)
{
    ck_assert(true);
    raise(SIGSEGV);
}
END_TEST

START_TEST(hangs)
{
    for (;;)
        pause();
}
END_TEST

START_TEST(leaves)
{
    exit(_i);
}
END_TEST

static void *fail_there(void *unused)
{
    ck_abort_msg("in a thread");
    return unused;
}

START_TEST(thread_fails)
{
    pthread_t thread;

    pthread_create(&thread, NULL, fail_there, NULL);
    pthread_join(thread, NULL);
}
END_TEST

/* Its parent ignores the child. */
START_TEST(child_fails)
{
    if (fork() == 0)
        ck_abort_msg("in a child");
    sleep(1);
}
END_TEST

START_TEST(every_second_fails)
{
    ck_assert_int_eq(_i % 2, 0);
}
END_TEST

START_TEST(leaves_a_child)
{
    FILE *file = fopen(getenv("CHILD"), "w");
    pid_t pid = fork();

    if (pid == 0)
        for (;;)
            pause();
    fprintf(file, "%d\n", (int)pid);
    fclose(file);
}
END_TEST

static void add(TCase *t, const char *what)
{
    tcase_add_test(t, holds);
    if (strcmp(what, "compare") == 0) {
        tcase_add_test(t, integers);
        tcase_add_test(t, strings);
        tcase_add_test(t, nothing_is_no_string);
        tcase_add_test(t, pointers);
        tcase_add_test(t, says);
    } else if (strcmp(what, "end") == 0) {
        tcase_add_test(t, dies);
        tcase_add_test(t, hangs);
        tcase_add_loop_test(t, leaves, 0, 2);
        tcase_add_test(t, thread_fails);
        tcase_add_test(t, child_fails);
    } else if (strcmp(what, "loop") == 0) {
        tcase_add_loop_test(t, every_second_fails, 0, LOOPS);
    } else if (strcmp(what, "expected") == 0) {
        tcase_add_test_raise_signal(t, dies, SIGSEGV);
        tcase_add_exit_test(t, thread_fails, 0);
        tcase_add_exit_test(t, leaves_a_child, 0);
        tcase_add_test_raise_signal(t, holds, SIGTERM);
        tcase_add_exit_test(t, holds, 3);
    }
    tcase_add_test(t, holds);
}

int main(int argc, char **argv)
{
    Suite *suite = suite_create("minicheck");
    TCase *tcase = tcase_create("all");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_set_timeout(tcase, 5);
    tcase_add_checked_fixture(tcase, prepare, clean);
    add(tcase, argc > 1 ? argv[1] : "");
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
