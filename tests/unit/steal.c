/* SPDX-License-Identifier: MIT */
/* A thief's search, in the place of a worker that sleeps, on a deque that no thread owns: lib/sched/steal.h. Neighbours:
 * deque_thief.c, what happens in the deque; mailbox.c, the pause that an answer ends. */
#include "sched/steal.h"

#include "idle/idle_counts.h"
#include "queue/global_queue.h"
#include "queue/run_queue.h"
#include "task/join.h"
#include "task/pool.h"
#include "task/scope.h"
#include "task/stack.h"
#include "task/suspended.h"
#include "worker/awake.h"
#include "worker/victim.h"
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

/* The two workers are so far from each other, whatever the machine. */
static struct wsfj_victim_order apart;

static void move_apart(enum wsfj_tier distance)
{
    enum wsfj_tier gap[] = {WSFJ_TIER_CORE, distance};

    ck_assert(wsfj_victim_order_make(&apart, 2, thief->victims.order->near, gap, thief->victims.order->awake));
    wsfj_victims_make(&thief->victims, &apart, 0);
    memset(&thief->log, 0, sizeof thief->log);
}

static void detached(void *arg)
{
    (void)arg;
}

static struct wsfj_stack *steal_from(int where)
{
    struct wsfj_stack *fresh;

    switch (where) {
    case 0: /* a deque whose owner answers */ asked = answer; return wsfj_steal(thief, NULL);
    case 1: /* one that does not */ return wsfj_steal(thief, NULL);
    case 2: /* a suspended one */
        store_release(&owner->stack, NULL);
        wsfj_suspended_add(stack);
        fresh = wsfj_steal(thief, NULL);
        wsfj_suspended_remove(stack);
        return fresh;
    default: /* a run queue */
        wsfj_run_queue_put_next(&owner->detached.queue, detached, NULL, NULL);
        wsfj_run_queue_put_next(&owner->detached.queue, detached, NULL, NULL);
        store_release(&owner->stack, NULL);
        fresh = wsfj_steal(thief, NULL);
        store_release(&owner->detached.queue.head, owner->detached.queue.tail & ~(uint64_t)WSFJ_RUN_QUEUE_NEXT);
        store_release(&owner->detached.queue.tail, owner->detached.queue.head);
        return fresh;
    }
}
#define PLACES 4

/* Catches: a steal that is not counted, or at another distance: from the deque of a running fiber, from the one that was
 * asked before, from a suspended one, from a run queue. */
START_TEST(a_steal_is_counted_at_its_distance)
{
    int where = _i / WSFJ_TIER_COUNT;
    unsigned distance = (unsigned)_i % WSFJ_TIER_COUNT;

    begin(2);
    if (where != 1 || wsfj_heavy_works()) {
        struct wsfj_stack *fresh;

        move_apart((enum wsfj_tier)distance);
        fresh = steal_from(where);
        ck_assert_ptr_nonnull(fresh);
        ck_assert_uint_eq(thief->log.count[WSFJ_EVENT_steal], 1);
        ck_assert_uint_eq(thief->log.count[WSFJ_EVENT_expose_request], where < 2);
        ck_assert_uint_eq(thief->log.count[WSFJ_EVENT_steal_fail], where < 2);
        for (unsigned tier = 0; tier < WSFJ_TIER_COUNT; tier++)
            ck_assert_uint_eq(thief->log.steals[tier], tier == distance);
        wsfj_pool_give(&thief->cache, fresh);
        wsfj_victim_order_free(&apart);
    }
    end();
}
END_TEST

/* Catches: a thief that forgets that stacks were lacking while a task still waits for one, or remembers it when none does: a
 * task that waits for a group then runs others on its own stack without need. */
START_TEST(a_lack_of_stacks_is_forgotten_when_no_task_waits)
{
    struct wsfj_item waits = {detached, NULL, NULL};

    begin(0);
    store_release(&owner->stack, NULL);
    ck_assert(wsfj_global_queue_put(waits, false));
    thief->no_stack = 5;
    ck_assert_ptr_null(wsfj_steal(thief, NULL));
    ck_assert_uint_eq(thief->no_stack, 5);
    ck_assert_uint_eq(wsfj_global_queue_take(&waits, 1, 1), 1);
    ck_assert_ptr_null(wsfj_steal(thief, &region));
    ck_assert_uint_eq(thief->no_stack, 5); /* a guest does not look at the queues */
    ck_assert_ptr_null(wsfj_steal(thief, NULL));
    ck_assert_uint_eq(thief->no_stack, 0);
    end();
}
END_TEST

/* The parent of the tasks of a cancelled scope, and what happens while a thief drops one of them. */
static struct wsfj_stack *parent;
static bool parent_waits; /* it comes to its sync meanwhile, so that the thief resumes it */

bool __wrap_wsfj_scope_drops(const struct wsfj_stolen *stolen_task);
bool __real_wsfj_scope_drops(const struct wsfj_stolen *stolen_task);

bool __wrap_wsfj_scope_drops(const struct wsfj_stolen *stolen_task)
{
    bool drops = __real_wsfj_scope_drops(stolen_task);

    if (drops && parent_waits)
        store_relaxed(&stolen_task->desc->wsfj_word, (uintptr_t)parent | WSFJ_WORD_JOIN);
    return drops;
}

/* Catches: a thief that keeps the stack for a task that it has dropped: at the stop, one is missing. Odd _i: the thief goes
 * on with the parent instead. */
START_TEST(a_dropped_task_leaves_no_stack_behind)
{
    static ws_scope scope = {.wsfj_code = 1};

    begin(1);
    stack->scope = &scope;
    answer();
    parent = wsfj_pool_take(&owner->cache);
    store_release(&parent->worker, owner);
    parent->join = 1;
    parent_waits = _i;
    ck_assert_ptr_eq(wsfj_steal(thief, NULL), _i ? parent : NULL);
    ck_assert_uint_eq(thief->log.count[WSFJ_EVENT_cancel], 1);
    wsfj_pool_give(&owner->cache, parent);
    end();
}
END_TEST

/* Catches: a fiber in a run queue that a thief runs as a task, or for which it keeps a stack: at the stop, one is missing. */
START_TEST(a_fiber_in_a_run_queue_is_stolen_as_itself)
{
    static struct wsfj_stack fiber;

    begin(0);
    ck_assert(wsfj_run_queue_push(&owner->detached.queue, (struct wsfj_item){NULL, &fiber, WSFJ_ITEM_FIBER}));
    ck_assert_ptr_eq(wsfj_steal(thief, NULL), &fiber);
    ck_assert_uint_eq(thief->log.count[WSFJ_EVENT_steal], 1);
    ck_assert(!wsfj_run_queue_pending(&owner->detached.queue) && !wsfj_run_queue_pending(&thief->detached.queue));
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
    tcase_add_loop_test(tcase, a_steal_is_counted_at_its_distance, 0, PLACES * WSFJ_TIER_COUNT);
    tcase_add_test(tcase, a_lack_of_stacks_is_forgotten_when_no_task_waits);
    tcase_add_loop_test(tcase, a_dropped_task_leaves_no_stack_behind, 0, 2);
    tcase_add_test(tcase, a_fiber_in_a_run_queue_is_stolen_as_itself);
    return run_case("steal", tcase);
}
