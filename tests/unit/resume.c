/* SPDX-License-Identifier: MIT */
/* Where a resumed fiber goes: lib/idle/resume.c, step by step. No thread runs here, and no stack. The linker puts a function
 * in place of the wake-up of other workers. Neighbours: mailbox.c; dispatch_order.c, what comes out of the queues; explore/group. */
#include "idle/resume.h"

#include "base/atomic.h"
#include "idle/preempt.h"
#include "queue/global_queue.h"
#include "queue/run_queue.h"
#include "task/item.h"
#include "task/stack.h"
#include "worker/mailbox.h"
#include "worker/own.h"
#include "worker/worker.h"
#include "worker/workers.h"

#include "../support/run.h"

#include <string.h>

#define OPEN ((uintptr_t)1) /* mailbox.c */

enum { OWN, OTHER, WORKERS, FIBERS = 3 };

static _Alignas(4096) struct wsfj_worker crew[WORKERS];
static _Alignas(4096) struct wsfj_stack caller, fibers[FIBERS];
static struct wsfj_entry entries[WORKERS][WSFJ_RUN_QUEUE_SIZE];
static struct wsfj_server server;
static int told;
static struct wsfj_worker *told_by;

/* The linker's name. */
void __wrap_wsfj_queued(struct wsfj_worker *worker);

void __wrap_wsfj_queued(struct wsfj_worker *worker)
{
    told++;
    told_by = worker;
}

static void nothing(void *unused)
{
    (void)unused;
}

/* The caller is a task on worker OWN, which a thread of the runtime serves. The fibers have been on worker `last`. */
static void start(unsigned last)
{
    wsfj_workers = crew;
    wsfj_num_workers = WORKERS;
    for (unsigned i = 0; i < WORKERS; i++) {
        crew[i].id = i;
        crew[i].detached.queue.entries = entries[i];
    }
    for (unsigned i = 0; i < FIBERS; i++)
        fibers[i].worker = &crew[last];
    ck_assert(wsfj_global_queue_start(10));
    server.thread = (void *)&server;
    crew[OWN].server = &server;
    caller.worker = &crew[OWN];
    wsfj_tls = &caller.deque;
    wsfj_preempt_state = WSFJ_PREEMPT_QUIET; /* so that something is told */
}

static void stop(void)
{
    wsfj_tls = NULL;
    wsfj_global_queue_stop();
}

static bool is_queued(struct wsfj_stack *s)
{
    struct wsfj_item item;

    return wsfj_run_queue_pop(&crew[OWN].detached.queue, &item) && wsfj_item_fiber(item) == s &&
           item.group == WSFJ_ITEM_FIBER;
}

/* Catches: a fiber that stays where it is, goes elsewhere than into run-next of the caller's worker, or that no worker hears
 * of; a group that a task has, too. */
START_TEST(a_fiber_comes_next_on_the_callers_worker)
{
    struct wsfj_run_queue *queue = &crew[OWN].detached.queue;

    start((unsigned)_i);
    ck_assert(wsfj_run_queue_push(queue, (struct wsfj_item){nothing, NULL, NULL}));
    ck_assert(!wsfj_run_queue_next_full(queue));
    wsfj_resume(&fibers[0]);
    ck_assert(wsfj_run_queue_next_full(queue));
    ck_assert_uint_eq(wsfj_run_queue_length(queue), 2);
    ck_assert(told == 1 && told_by == &crew[OWN]);
    ck_assert(!is_queued(&fibers[0])); /* the task */
    ck_assert(is_queued(&fibers[0]));
    ck_assert(!wsfj_global_queue_has_fibers());
    stop();
}
END_TEST

/* Catches: a system call for each resumption. */
START_TEST(nobody_is_told_without_need)
{
    start(OWN);
    wsfj_preempt_state = WSFJ_PREEMPT_INSPECTS;
    wsfj_resume(&fibers[0]);
    ck_assert_int_eq(told, 0);
    ck_assert(is_queued(&fibers[0]));
    stop();
}
END_TEST

/* Catches: a fiber that does not go back to its worker, which searches; one that is there and in the run queue as well; one that
 * the caller's worker, which does not look there, has in its mailbox. */
START_TEST(a_worker_that_searches_gets_its_fiber_back)
{
    start((unsigned)_i);
    crew[_i].mailbox = OPEN;
    wsfj_resume(&fibers[0]);
    ck_assert_uint_eq(crew[_i].mailbox, _i == OTHER ? (uintptr_t)&fibers[0] : OPEN);
    ck_assert_int_eq(told, _i == OTHER ? 0 : 1);
    ck_assert(is_queued(&fibers[0]) == (_i == OWN));
    ck_assert(!wsfj_global_queue_has_fibers());
    stop();
}
END_TEST

/* Catches: a full run queue that loses a fiber or an item. */
START_TEST(a_full_run_queue_takes_no_fiber)
{
    struct wsfj_run_queue *queue = &crew[OWN].detached.queue;

    start(OWN);
    for (int i = 0; i < WSFJ_RUN_QUEUE_SIZE; i++)
        ck_assert(wsfj_run_queue_push(queue, (struct wsfj_item){nothing, NULL, NULL}));
    wsfj_resume(&fibers[0]);
    ck_assert_uint_eq(wsfj_run_queue_length(queue), WSFJ_RUN_QUEUE_SIZE);
    ck_assert_ptr_eq(wsfj_global_queue_take_fiber(NULL), &fibers[0]);
    ck_assert(told == 1 && told_by == &crew[OWN]);
    stop();
}
END_TEST

/* Catches: a run queue that is filled by a thread that is not its owner, or by a guest, whose own region is all that it runs. */
START_TEST(other_threads_use_the_global_queue)
{
    enum { OUTSIDE, GUEST, SECTION };

    start(OTHER);
    switch (_i) {
    case OUTSIDE: wsfj_tls = NULL; break;
    case GUEST: server.thread = NULL; break;
    case SECTION: caller.blocking.lender = (void *)&server; break;
    }
    crew[OTHER].mailbox = OPEN;
    wsfj_resume(&fibers[0]);
    ck_assert_uint_eq(wsfj_run_queue_length(&crew[OWN].detached.queue), 0);
    ck_assert_ptr_eq(wsfj_global_queue_take_fiber(NULL), &fibers[0]);
    ck_assert(told == 1 && told_by == NULL);
    stop();
}
END_TEST

/* The caller is outside, so that each fiber gets another neighbour in the global queue at once. */
static struct wsfj_stack *start_list(void)
{
    start(OTHER);
    wsfj_tls = NULL;
    for (int i = 0; i + 1 < FIBERS; i++)
        fibers[i].pool.next = &fibers[i + 1];
    fibers[FIBERS - 1].pool.next = NULL;
    return &fibers[0];
}

/* Catches: fibers that are forgotten because the one before them may run already, or come in another order; one that is queued
 * although the caller resumes it itself. */
START_TEST(all_of_a_list_are_resumed)
{
    struct wsfj_stack *first = start_list();

    if (_i)
        ck_assert_ptr_eq(wsfj_resume_others(first), first);
    else
        wsfj_resume_all(first);
    for (int i = _i; i < FIBERS; i++)
        ck_assert_ptr_eq(wsfj_global_queue_take_fiber(NULL), &fibers[i]);
    ck_assert_ptr_null(wsfj_global_queue_take_fiber(NULL));
    ck_assert_int_eq(told, FIBERS - _i);
    ck_assert_ptr_null(wsfj_resume_others(NULL));
    stop();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("resume");

    tcase_add_loop_test(tcase, a_fiber_comes_next_on_the_callers_worker, OWN, WORKERS);
    tcase_add_test(tcase, nobody_is_told_without_need);
    tcase_add_loop_test(tcase, a_worker_that_searches_gets_its_fiber_back, OWN, WORKERS);
    tcase_add_test(tcase, a_full_run_queue_takes_no_fiber);
    tcase_add_loop_test(tcase, other_threads_use_the_global_queue, 0, 3);
    tcase_add_loop_test(tcase, all_of_a_list_are_resumed, 0, 2);
    return run_case("resume", tcase);
}
