/* SPDX-License-Identifier: MIT */
/* A thief's search, in the place of a worker that sleeps, on a deque that no thread owns: lib/sched/steal.h. Neighbours:
 * deque_thief.c, what happens in the deque; mailbox.c, the pause that an answer ends. */
#include "sched/steal.h"

#include "idle/idle_counts.h"
#include "task/pool.h"
#include "task/stack.h"
#include "worker/awake.h"
#include "worker/worker.h"
#include "one_deque.h"

#include <time.h>

static struct wsfj_worker *thief, *owner;

/* Called when the thief has made its request. */
static void (*asked)(void);

enum wsfj_steal __wrap_wsfj_deque_peek(struct wsfj_stack *s, bool force);
enum wsfj_steal __real_wsfj_deque_peek(struct wsfj_stack *s, bool force);

enum wsfj_steal __wrap_wsfj_deque_peek(struct wsfj_stack *s, bool force)
{
    enum wsfj_steal got = __real_wsfj_deque_peek(s, force);

    if (asked)
        asked();
    asked = NULL;
    return got;
}

static WS_TASK_VOID(nothing)
{
}

/* Two workers, both asleep; one of them has the stack, with so many private tasks. */
static void begin(unsigned tasks)
{
    ws_config config;

    ws_config_default(&config);
    config.num_workers = 2;
    config.spin_us = 0;
    ck_assert_int_eq(ws_init(&config), 0);
    ck_assert_int_eq(ws_run(nothing), 0);
    while (wsfj_idle_counts().sleeping < 2 || wsfj_idle_counts().searching > 0)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    start(WSFJ_MODE_NORMAL);
    push(tasks);
    stack->answers = 7;
    thief = &wsfj_workers[0];
    owner = &wsfj_workers[1];
    store_release(&stack->worker, owner);
    wsfj_awake_enter(owner->victims.position);
    store_release(&owner->stack, stack);
}

static void end(void)
{
    store_release(&owner->stack, NULL);
    stop();
    ck_assert_int_eq(ws_fini(), 0);
}

/* The owner answers a request as it does in wsfj_spawn_slow(). */
static void answer(void)
{
    wsfj_deque_answer(stack);
    ck_assert_int_eq(wsfj_deque_expose(stack, stack->deque.wsfj_tail), WSFJ_EXPOSE_DONE);
}

/* Catches: a searcher that pauses on after the answer to its request; one that watches a request of an earlier search. */
START_TEST(a_search_in_vain_watches_the_owner_that_it_has_asked)
{
    begin(0);
    ck_assert_ptr_null(wsfj_steal(thief, NULL));
    ck_assert_ptr_eq(thief->watch.stack, stack);
    ck_assert_uint_eq(thief->watch.answers, 7);
    store_release(&owner->stack, NULL);
    ck_assert_ptr_null(wsfj_steal(thief, NULL));
    ck_assert_ptr_null(thief->watch.stack);
    end();
}
END_TEST

static void answer_nothing(void)
{
    wsfj_deque_answer(stack);
}

/* Catches: a thief that counts the answer to its own request as an earlier one, and pauses on. */
START_TEST(an_answer_that_comes_at_once_is_not_missed)
{
    begin(0);
    asked = answer_nothing;
    ck_assert_ptr_null(wsfj_steal(thief, NULL));
    ck_assert_ptr_eq(thief->watch.stack, stack);
    ck_assert_uint_eq(thief->watch.answers, 7);
    ck_assert_uint_eq(stack->answers, 8);
    end();
}
END_TEST

/* Catches: a thief that forces though the owner has answered it in time. */
START_TEST(a_thief_that_gets_an_answer_does_not_force)
{
    struct wsfj_stack *fresh;

    begin(2);
    asked = answer;
    fresh = wsfj_steal(thief, NULL);
    ck_assert_ptr_nonnull(fresh);
    ck_assert_ptr_eq(fresh->job.stolen, stack->bottom);
    ck_assert_uint_eq(thief->log.count[WSFJ_EVENT_expose_force], 0);
    ck_assert_uint_eq(thief->log.count[WSFJ_EVENT_expose_request], 1);
    wsfj_pool_give(&thief->cache, fresh);
    end();
}
END_TEST

/* Catches: a thief that waits for an owner that never answers; one that forces at once. */
START_TEST(a_thief_without_an_answer_forces)
{
    struct wsfj_stack *fresh;

    begin(2);
    if (wsfj_heavy_works()) {
        fresh = wsfj_steal(thief, NULL);
        ck_assert_ptr_nonnull(fresh);
        ck_assert_ptr_eq(fresh->job.stolen, stack->bottom);
        ck_assert_uint_eq(thief->log.count[WSFJ_EVENT_expose_force], 1);
        wsfj_pool_give(&thief->cache, fresh);
    }
    end();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("steal");

    tcase_add_test(tcase, a_search_in_vain_watches_the_owner_that_it_has_asked);
    tcase_add_test(tcase, an_answer_that_comes_at_once_is_not_missed);
    tcase_add_test(tcase, a_thief_that_gets_an_answer_does_not_force);
    tcase_add_test(tcase, a_thief_without_an_answer_forces);
    return run_case("steal", tcase);
}
