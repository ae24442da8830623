/* SPDX-License-Identifier: MIT */
/* WSFJ_SCHEDTRACE: what is printed while time goes by. Neighbour: watchdog.c. */
#include "monitored.h"

#include <time.h>

static void do_nothing(void *unused)
{
    (void)unused;
}

static void submit_and_wait(void *n)
{
    for (long i = 0; i < (long)n; i++)
        ck_assert_int_eq(ws_submit(do_nothing, NULL), 0);
    wait_for_flag(NULL);
}

/* The period's first line must be as documented, and a line for each worker must follow. Returns what comes after. */
static const char *check_block(const char *at, unsigned n, unsigned long long *ms)
{
    unsigned workers_, running, guests, searching, sleeping, retired, stacks, used, waiting;
    unsigned long long global, fibers, roots, submitted, finished, steals_;
    int fields =
        sscanf(at,
               "WSFJ %llums: workers=%u running=%u guests=%u searching=%u sleeping=%u retired=%u stacks=%u used=%u "
               "waiting=%u globalqueue=%llu fibers=%llu roots=%llu submitted=%llu finished=%llu steals=%llu",
               ms, &workers_, &running, &guests, &searching, &sleeping, &retired, &stacks, &used, &waiting, &global,
               &fibers, &roots, &submitted, &finished, &steals_);

    ck_assert_msg(fields == 16, "%d fields in %.300s", fields, at);
    ck_assert_uint_eq(workers_, n);
    ck_assert_uint_le(running, n);
    ck_assert_uint_le(searching, n); /* a worker that is being woken counts as searching and sleeping */
    ck_assert_uint_le(guests + sleeping + retired, n);
    ck_assert_uint_le(waiting, used);
    ck_assert_uint_le(used, stacks);
    ck_assert(finished <= submitted);
    for (unsigned i = 0; i < n; i++) {
        unsigned id, queue, next;
        unsigned long long deque, dispatched;
        char state[40], *task;

        at = strchr(at, '\n') + 1;
        ck_assert_msg(sscanf(at, "  W%u: %39[a-z ]=%llu queue=%u next=%u dispatched=%llu steals=%llu", &id, state,
                             &deque, &queue, &next, &dispatched, &steals_) == 7,
                      "%.200s", at);
        ck_assert_uint_eq(id, i);
        ck_assert_uint_le(next, 1);
        ck_assert(strncmp(state, "running", 7) == 0 || strncmp(state, "searching", 9) == 0 ||
                  strncmp(state, "parked", 6) == 0);
        task = strstr(at, " task=");
        ck_assert_msg((strncmp(state, "running", 7) == 0) == (task && task < strchr(at, '\n')), "%.200s", at);
    }
    return strchr(at, '\n') + 1;
}

static unsigned long long ms_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (unsigned long long)t.tv_sec * 1000 + (unsigned long long)t.tv_nsec / 1000000;
}

/* Catches: lines of two periods that mix, a worker without a line, a field that is missing, a count that cannot be;
 * time that does not pass, or faster than the clock's. */
START_TEST(each_period_has_a_block_of_lines)
{
    unsigned n = (unsigned)workers[_i];
    unsigned long long ms, before = 0, began = ms_now();

    begin("10", "0", n);
    for (int i = 0; i < 20; i++) {
        check_fib(20);
        pass_periods(1);
    }
    end();
    for (const char *at = heard; *at; before = ms) {
        at = check_block(at, n, &ms);
        ck_assert(ms >= before);
    }
    ck_assert(before >= 200);
    ck_assert_uint_le(before, ms_now() - began + 1);
}
END_TEST

/* Catches: a queue's length, run-next, the global queue's length or a total that is not what is there. */
START_TEST(lengths_are_what_was_submitted)
{
    begin("10", "0", 1);
    ck_assert_int_eq(ws_submit(submit_and_wait, (void *)5L), 0);
    ck_assert(hear_until("submitted=6 finished=0"));
    hear_nothing();
    pass_periods(2);
    ck_assert(hear_until("globalqueue=0 fibers=0 roots=0 submitted=6 finished=0 steals=0\n"));
    ck_assert(hear_until("  W0: running deque=0 queue=4 next=1 dispatched=1 steals=0 stack="));
    ck_assert(hear_until(" task=submit_and_wait ("));
    release();
    ck_assert(hear_until("running=0 guests=0 searching=0 sleeping=1 retired=0"));
    ck_assert(hear_until("submitted=6 finished=6"));
    reset();
    hear_nothing();
    ck_assert_int_eq(ws_submit(submit_and_wait, (void *)300L), 0);
    ck_assert(hear_until("globalqueue=128 fibers=0 roots=0 submitted=307 finished=6 steals=0\n"));
    ck_assert(hear_until(" queue=171 next=1 "));
    end();
}
END_TEST

/* Catches: a watcher that a stop waits for until its next period, or that is not there after another start. */
START_TEST(a_stop_does_not_wait_for_the_period)
{
    for (int i = 0; i < 20; i++) {
        begin("86400000", "86400", 2);
        check_fib(15);
        end();
        ck_assert_str_eq(heard, "");
    }
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("watch");

    tcase_add_loop_test(tcase, each_period_has_a_block_of_lines, 0, WORKERS);
    tcase_add_test(tcase, lengths_are_what_was_submitted);
    tcase_add_test(tcase, a_stop_does_not_wait_for_the_period);
    return run_case("watch", tcase);
}
