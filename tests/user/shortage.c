/* SPDX-License-Identifier: MIT */
/* All stacks wait, and tasks need one: what is said of it. Neighbour: unit/shortage.c. */
#include "../support/heard.h"
#include "waits.h"

enum { STACKS = 3, MORE = 5 };
#define LINE "libwsfj: all 3 stacks wait and 5 tasks need one (max_stacks, vm.max_map_count)\n"

static ws_event event = WS_EVENT_INIT;
static ws_group group = WS_GROUP_INIT;
static long ended;

static void start_with(size_t workers)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = workers;
    config.max_stacks = STACKS;
    ck_assert_int_eq(ws_init(&config), 0);
}

static void wait_for_event(void *unused)
{
    (void)unused;
    ck_assert_int_eq(ws_event_wait(&event), 0);
    add(&ended, 1);
}

static void set_event(void *unused)
{
    (void)unused;
    ws_event_set(&event);
    add(&ended, 1);
}

static uint64_t processor_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Catches: a program that hangs for want of stacks without a word, or with too many; numbers that are not true; a worker that
 * searches all the time while there is no stack. */
START_TEST(that_all_stacks_wait_is_said_once)
{
    listen_begin();
    start_with((size_t)_i);
    for (int i = 0; i < STACKS; i++)
        ck_assert_int_eq(ws_group_submit(&group, wait_for_event, NULL), 0);
    while (read_stats().waits < STACKS)
        sched_yield();
    for (int i = 0; i < MORE; i++)
        ck_assert_int_eq(ws_group_submit(&group, set_event, NULL), 0);
    ck_assert_msg(hear_until("\n"), "nothing was said");
    uint64_t before = processor_ns();

    usleep(1500000);
    ck_assert_msg(processor_ns() - before < 750000000, "%.2f s of 1.5 s", (double)(processor_ns() - before) / 1e9);
    ck_assert_int_eq(get(&ended), 0);
    ws_event_set(&event);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    ck_assert_int_eq(ended, STACKS + MORE);
    stop_runtime();
    listen_end();
    ck_assert_str_eq(heard, LINE);
}
END_TEST

static void sleep_a_while(void *unused)
{
    (void)unused;
    ck_assert_int_eq(ws_sleep_until(now() + 100000000), 0);
    add(&ended, 1);
}

/* Catches: a line in a program that only has to wait for its stacks. One worker looks for stacks and for the deadlines, so both
 * are late on a busy machine. */
START_TEST(it_is_not_said_where_stacks_come_free)
{
    listen_begin();
    start_with(1);
    for (int i = 0; i < 20 * STACKS; i++)
        ck_assert_int_eq(ws_group_submit(&group, sleep_a_while, NULL), 0);
    ck_assert_int_eq(ws_group_wait(&group), 0);
    ck_assert_int_eq(ended, 20 * STACKS);
    stop_runtime();
    listen_end();
    ck_assert_str_eq(heard, "");
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("shortage");

    tcase_add_loop_test(tcase, that_all_stacks_wait_is_said_once, 1, 3);
    tcase_add_test(tcase, it_is_not_said_where_stacks_come_free);
    return run_case("shortage", tcase);
}
