/* SPDX-License-Identifier: MIT */
/* The program's own lines in a dump: ws_dump_add() and ws_dump_remove(). Neighbours: dump.c, dump_signal.c. */
#include "../support/process.h"
#include "../support/resources.h"
#include "dumps.h"

#include <errno.h>
#include <wsfj/trace.h>

#define MOST 16

static int says(void *arg, char *text, size_t size)
{
    return snprintf(text, size, "the program says %d\nand no more", *(int *)arg);
}

static int says_much(void *arg, char *text, size_t size)
{
    memset(text, *(char *)arg, size - 1);
    text[size - 1] = '\0';
    return 4000; /* as snprintf() does if the text is longer */
}

static int says_nothing(void *arg, char *text, size_t size)
{
    (void)arg;
    (void)text;
    return (int)(size > 100000); /* it knows that there is less room */
}

/* Catches: a line that is lost, or of another argument; a second line of a text; a line that is left after its removal. */
START_TEST(a_dump_has_the_lines)
{
    int numbers[] = {11, 12, 13};

    ck_assert_int_eq(ws_dump_add(NULL, NULL), EINVAL);
    ck_assert_int_eq(ws_dump_add(says, &numbers[0]), 0);
    begin("QUIT", 2); /* before and after the start */
    ck_assert_int_eq(ws_dump_add(says, &numbers[1]), 0);
    ck_assert_int_eq(ws_dump_add(says_nothing, NULL), 0);
    ck_assert_int_eq(ws_dump_add(says, &numbers[2]), 0);
    ck_assert(dump_shows(SIGQUIT, "\n  the program says 11\n  the program says 12\n  the program says 13\n"));
    ck_assert_int_eq(ws_dump_remove(says, NULL), ENOENT);
    ck_assert_int_eq(ws_dump_remove(says_much, &numbers[1]), ENOENT);
    ck_assert_int_eq(ws_dump_remove(says, &numbers[1]), 0);
    ck_assert_int_eq(ws_dump_remove(says, &numbers[1]), ENOENT);
    ck_assert(dump_shows(SIGQUIT, "\n  the program says 11\n  the program says 13\n"));
    end();
    ck_assert_int_eq(ws_dump_remove(says, &numbers[0]), 0);
    ck_assert_int_eq(ws_dump_remove(says, &numbers[2]), 0);
    ck_assert_int_eq(ws_dump_remove(says_nothing, NULL), 0);
}
END_TEST

/* Catches: a long text that is written behind the end of its room, or all of it; the seventeenth line. */
START_TEST(there_is_room_for_so_much)
{
    char letters[MOST + 1] = "abcdefghijklmnop", line[258] = "  ";

    for (int i = 0; i < MOST; i++)
        ck_assert_int_eq(ws_dump_add(says_much, &letters[i]), 0);
    ck_assert_int_eq(ws_dump_add(says_much, &letters[MOST]), ENOMEM);
    memset(line + 2, 'p', 255);
    line[257] = '\0';
    begin("QUIT", 2);
    ck_assert(dump_shows(SIGQUIT, line));
    ck_assert_ptr_eq(strchr(strstr(heard, line), '\n'), strstr(heard, line) + 257);
    end();
    for (int i = 0; i < MOST; i++)
        ck_assert_int_eq(ws_dump_remove(says_much, &letters[i]), 0);
    ck_assert_int_eq(ws_dump_add(says_much, &letters[0]), 0);
    ck_assert_int_eq(ws_dump_remove(says_much, &letters[0]), 0);
}
END_TEST

static sem_t may_return;
static int is_inside, is_removed;

static int waits_inside(void *arg, char *text, size_t size)
{
    __atomic_store_n(&is_inside, 1, __ATOMIC_RELEASE);
    while (sem_wait(&may_return) != 0)
        ;
    return snprintf(text, size, "removed: %d%s", __atomic_load_n(&is_removed, __ATOMIC_ACQUIRE), arg ? "" : ".");
}

static void *removes(void *unused)
{
    (void)unused;
    ck_assert_int_eq(ws_dump_remove(waits_inside, NULL), 0);
    __atomic_store_n(&is_removed, 1, __ATOMIC_RELEASE);
    return NULL;
}

static void ask_and_await(void)
{
    __atomic_store_n(&is_inside, 0, __ATOMIC_RELEASE);
    ck_assert_int_eq(kill(getpid(), SIGQUIT), 0);
    while (!__atomic_load_n(&is_inside, __ATOMIC_ACQUIRE))
        sched_yield();
}

/* Catches: a removal that does not wait for a function that runs. */
START_TEST(a_removal_waits_for_the_function)
{
    pthread_t thread;

    sem_init(&may_return, 0, 0);
    ck_assert_int_eq(ws_dump_add(waits_inside, NULL), 0);
    begin("QUIT", 2);
    ask_and_await();
    ck_assert_int_eq(pthread_create(&thread, NULL, removes, NULL), 0);
    for (int i = 0; i < 100; i++)
        sched_yield();
    sem_post(&may_return);
    ck_assert(hear_until(END));
    ck_assert_ptr_nonnull(strstr(heard, "\n  removed: 0.\n"));
    pthread_join(thread, NULL);
    end();
}
END_TEST

/* Catches: an entry that the child of a fork finds taken for ever, as a dump was in it. */
START_TEST(a_child_of_fork_may_remove_it)
{
    struct outcome o;

    sem_init(&may_return, 0, 0);
    ck_assert_int_eq(ws_dump_add(waits_inside, NULL), 0);
    begin("QUIT", 2);
    ask_and_await();

    pid_t pid = fork();

    if (pid == 0) {
        alarm(PATIENCE_S);
        _exit(ws_dump_remove(waits_inside, NULL));
    }
    ck_assert_int_eq(waitpid(pid, &o.status, 0), pid);
    expect_exit(&o, 0);
    sem_post(&may_return);
    ck_assert(hear_until(END));
    end();
    ck_assert_int_eq(ws_dump_remove(waits_inside, NULL), 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("dump lines");

    tcase_add_test(tcase, a_dump_has_the_lines);
    tcase_add_test(tcase, there_is_room_for_so_much);
    tcase_add_test(tcase, a_removal_waits_for_the_function);
    ADD_TEST_UNLESS(SANITIZED ? "sanitizers do not survive a fork with threads" : emulated(NO_THREADS), tcase,
                    a_child_of_fork_may_remove_it);
    return run_case("dump lines", tcase);
}
