/* SPDX-License-Identifier: MIT */
/* Detached tasks of a profiled program that are apart from what runs where they are submitted: from the scopes there,
 * and from ws_config.poll. Neighbour: profile_detached.c. */
#include "profile.h"

#include <stdatomic.h>

static atomic_long ran;

/* Whether a scope that begins here lies in a cancelled one. */
static int is_cancelled_here(void)
{
    ws_scope s;
    int code;

    ws_frame();
    ws_scope_begin(&s);
    code = ws_scope_cancelled(&s);
    (void)ws_scope_end(&s);
    return code;
}

static void is_outside(void *unused)
{
    (void)unused;
    ran += is_cancelled_here() == 0;
}

/* A task that is called in a scope is no member of it, and afterwards the submitter still is in it. */
static WS_TASK(int, submits_in_a_scope)
{
    ws_scope s;
    int error;

    ws_scope_begin(&s);
    (void)ws_scope_cancel(&s, 5);
    error = ws_submit(is_outside, NULL) || is_cancelled_here() != 5;
    return ws_scope_end(&s) != 5 || error || ran != 1;
}

static int run_in_a_scope(long unused)
{
    int is_wrong = 1;

    (void)unused;
    return ws_run(submits_in_a_scope, &is_wrong) || is_wrong;
}

/* Catches: a detached task that is dropped with a scope of its submitter; a submitter that is in no scope afterwards. */
START_TEST(a_detached_task_is_in_no_scope)
{
    struct profile p = units_of(run_in_a_scope, 0);

    ck_assert_double_eq(p.row[0].work, 2);
}
END_TEST

static WS_TASK_VOID(leaf)
{
}

static atomic_int is_inside, called_inside, was_asked;

static void is_queued(void *unused)
{
    (void)unused;
    called_inside += is_inside != 0;
    ran++;
}

static int submits_when_asked(void *unused)
{
    (void)unused;
    if (was_asked)
        return 0;
    is_inside = 1;
    if (ws_submit(is_queued, NULL))
        abort();
    is_inside = 0;
    was_asked = 1;
    return 1;
}

static int run_polled(long unused)
{
    ws_config config;

    (void)unused;
    ws_config_default(&config);
    config.num_workers = 1;
    config.poll = submits_when_asked;
    if (ws_init(&config))
        return 1;
    while (ran == 0)
        usleep(100);
    while (ws_fini())
        usleep(100);
    return called_inside != 0 || ws_run(leaf);
}

/* Catches: a task that ws_config.poll submits and that is called there, where it must not wait. */
START_TEST(what_poll_submits_is_not_profiled)
{
    struct profile p = units_of(run_polled, 0);

    ck_assert_double_eq(p.row[0].work, 1);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("profile_apart");

    tcase_add_test(tcase, a_detached_task_is_in_no_scope);
    tcase_add_test(tcase, what_poll_submits_is_not_profiled);
    return run_case("profile_apart", tcase);
}
