/* SPDX-License-Identifier: MIT */
/* The awake set: lib/idle/awake.c. In what order threads change it: explore/awake_set. */
#include "idle/awake.h"

#include "core/team.h"
#include "core/worker.h"
#include "task/item.h"

#include "../support/run.h"

enum { MANY = 200 };

static struct wsfj_worker all[MANY];

static void start(unsigned workers)
{
    wsfj_workers = all;
    wsfj_num_workers = workers;
    for (unsigned i = 0; i < workers; i++)
        all[i].id = i;
    wsfj_awake_start();
}

static unsigned count(void)
{
    unsigned n = 0;

    for (unsigned i = wsfj_awake_next(0); i < wsfj_num_workers; i = wsfj_awake_next(i + 1))
        n++;
    return n;
}

/* Catches: a walk that passes the first or last worker of a word by, comes to one twice, or does not end; a worker that
 * takes others out of the set. */
START_TEST(a_walk_visits_the_workers_in_the_set)
{
    static const unsigned in[] = {0, 1, 63, 64, 127, 130, MANY - 1};
    unsigned n = 0;

    start(MANY);
    ck_assert_uint_eq(wsfj_awake_next(0), MANY);
    wsfj_awake_enter(all[64].id);
    ck_assert_uint_eq(wsfj_awake_next(1), 64);
    for (unsigned i = 0; i < sizeof in / sizeof *in; i++)
        wsfj_awake_enter(all[in[i]].id);
    for (unsigned i = wsfj_awake_next(0); i < MANY; i = wsfj_awake_next(i + 1))
        ck_assert_uint_eq(i, in[n++]);
    ck_assert_uint_eq(n, sizeof in / sizeof *in);
    ck_assert_uint_eq(wsfj_awake_next(65), 127);
    for (unsigned i = 0; i < sizeof in / sizeof *in; i++) {
        ck_assert_uint_eq(count(), n - i);
        ck_assert(!wsfj_awake_leave(all[in[i]].id, &all[in[i]].detached.queue));
    }
    ck_assert_uint_eq(wsfj_awake_next(0), MANY);
}
END_TEST

/* Catches: a walk beyond the last worker, where their number fills the last word. */
START_TEST(a_walk_ends_with_the_last_worker)
{
    start(64);
    wsfj_awake_enter(all[63].id);
    ck_assert_uint_eq(wsfj_awake_next(63), 63);
    ck_assert_uint_eq(wsfj_awake_next(64), 64);
}
END_TEST

static void function(void *unused)
{
    (void)unused;
}

/* Catches: a worker that gives up its slot and is passed by, though it has tasks (PARK-11). */
START_TEST(a_worker_with_tasks_stays_in_the_set)
{
    const struct wsfj_item item = {function, NULL, NULL};
    struct wsfj_item out;

    start(3);
    for (unsigned i = 0; i < 3; i++)
        wsfj_awake_enter(all[i].id);
    ck_assert(wsfj_run_queue_push(&all[1].detached.queue, item));
    wsfj_run_queue_put_next(&all[2].detached.queue, item.fn, item.arg, item.group);
    ck_assert(!wsfj_awake_leave(all[0].id, &all[0].detached.queue));
    ck_assert(wsfj_awake_leave(all[1].id, &all[1].detached.queue));
    ck_assert(wsfj_awake_leave(all[2].id, &all[2].detached.queue));
    ck_assert_uint_eq(count(), 2);
    ck_assert_uint_eq(wsfj_awake_next(0), 1);
    wsfj_awake_enter(all[1].id); /* again */
    ck_assert_uint_eq(count(), 2);
    ck_assert(wsfj_run_queue_pop(&all[1].detached.queue, &out));
    ck_assert(!wsfj_awake_leave(all[1].id, &all[1].detached.queue));
    ck_assert_uint_eq(count(), 1);
}
END_TEST

/* Catches: a start that keeps the workers of the last one. */
START_TEST(a_start_empties_the_set)
{
    start(MANY);
    wsfj_awake_enter(all[0].id);
    wsfj_awake_enter(all[MANY - 1].id);
    wsfj_awake_start();
    ck_assert_uint_eq(wsfj_awake_next(0), MANY);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("awake");

    tcase_add_test(tcase, a_walk_visits_the_workers_in_the_set);
    tcase_add_test(tcase, a_walk_ends_with_the_last_worker);
    tcase_add_test(tcase, a_worker_with_tasks_stays_in_the_set);
    tcase_add_test(tcase, a_start_empties_the_set);
    return run_case("awake", tcase);
}
