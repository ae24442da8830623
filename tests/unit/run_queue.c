/* SPDX-License-Identifier: MIT */
/* The run queue of detached tasks: lib/queue/run_queue.c. Items are numbers; a group pointer in each item reveals a
 * torn copy. */
#include "base/policy.h"
#include "queue/run_queue.h"
#include "task/item.h"

#include "../support/run.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct wsfj_policy wsfj_policy = WSFJ_POLICY;

static struct wsfj_run_queue *queue, *other;

static struct wsfj_run_queue *make(void)
{
    struct wsfj_run_queue *made = aligned_alloc(WSFJ_CACHE_LINE, sizeof *made);

    ck_assert_ptr_nonnull(made);
    memset(made, 0, sizeof *made);
    made->entries = calloc(WSFJ_RUN_QUEUE_SIZE, sizeof *made->entries);
    ck_assert_ptr_nonnull(made->entries);
    return made;
}

static void discard(struct wsfj_run_queue *made)
{
    free(made->entries);
    free(made);
}

static void start(void)
{
    queue = make();
    other = make();
}

static void stop(void)
{
    discard(queue);
    discard(other);
}

static void nothing(void *arg)
{
    (void)arg;
}

static struct wsfj_item item_of(uintptr_t number)
{
    return (struct wsfj_item){nothing, (void *)number, (ws_group *)(number * 8)};
}

/* The number of an item. The item must be whole. */
static uintptr_t number_of(struct wsfj_item item)
{
    ck_assert(item.fn == nothing && (uintptr_t)item.group == 8 * (uintptr_t)item.arg);
    return (uintptr_t)item.arg;
}

static void push(uintptr_t from, uintptr_t to)
{
    for (; from < to; from++)
        ck_assert(wsfj_run_queue_push(queue, item_of(from)));
}

static void put_next(uintptr_t number)
{
    struct wsfj_item item = item_of(number);

    wsfj_run_queue_put_next(queue, item.fn, item.arg, item.group);
}

static void expect_pops(struct wsfj_run_queue *from, uintptr_t first, uintptr_t end)
{
    struct wsfj_item item;

    for (; first < end; first++) {
        ck_assert(wsfj_run_queue_pop(from, &item));
        ck_assert_uint_eq(number_of(item), first);
    }
    ck_assert(!wsfj_run_queue_pop(from, &item));
}

/* Catches: a task that overtakes another; indices that break when they wrap. */
START_TEST(alone_it_is_first_in_first_out)
{
    struct wsfj_item item;

    start();
    for (uintptr_t i = 0; i < 3 * WSFJ_RUN_QUEUE_SIZE; i++) {
        push(2 * i, 2 * i + 1);
        ck_assert(wsfj_run_queue_pop(queue, &item));
        ck_assert_uint_eq(number_of(item), 2 * i);
    }
    push(0, WSFJ_RUN_QUEUE_SIZE);
    expect_pops(queue, 0, WSFJ_RUN_QUEUE_SIZE);
    ck_assert(!wsfj_run_queue_pending(queue));
    stop();
}
END_TEST

/* Catches: a full run queue that overwrites its oldest task. */
START_TEST(a_full_ring_refuses_and_gives_its_older_half)
{
    struct wsfj_item half[WSFJ_RUN_QUEUE_SIZE / 2];

    start();
    push(0, WSFJ_RUN_QUEUE_SIZE);
    ck_assert(!wsfj_run_queue_push(queue, item_of(1000)));
    ck_assert_uint_eq(wsfj_run_queue_take_half(queue, half), WSFJ_RUN_QUEUE_SIZE / 2);
    for (uintptr_t i = 0; i < WSFJ_RUN_QUEUE_SIZE / 2; i++)
        ck_assert_uint_eq(number_of(half[i]), i);
    ck_assert_uint_eq(wsfj_run_queue_take_half(queue, half), 0);
    push(WSFJ_RUN_QUEUE_SIZE, WSFJ_RUN_QUEUE_SIZE * 3 / 2);
    expect_pops(queue, WSFJ_RUN_QUEUE_SIZE / 2, WSFJ_RUN_QUEUE_SIZE * 3 / 2);
    stop();
}
END_TEST

/* Catches: a share that is rounded down (a single task could never be stolen), or taken from the wrong end. */
START_TEST(one_steal_takes_its_share_of_the_oldest)
{
    static const struct {
        unsigned quarters, pushed, expected;
    } cases[] = {{0, 100, 1}, {2, 100, 50}, {1, 100, 25}, {3, 100, 75},  {4, 100, 100}, {2, 1, 1},
                 {1, 1, 1},   {2, 3, 2},    {0, 0, 0},    {2, 256, 128}, {4, 256, 256}};
    struct wsfj_item item;

    start();
    wsfj_policy.queue_quarters = cases[_i].quarters;
    push(0, cases[_i].pushed);
    ck_assert_uint_eq(wsfj_run_queue_steal(queue, other, &item), cases[_i].expected);
    if (cases[_i].expected) {
        ck_assert_uint_eq(number_of(item), 0);
        expect_pops(other, 1, cases[_i].expected);
    }
    expect_pops(queue, cases[_i].expected, cases[_i].pushed);
    stop();
}
END_TEST

/* Catches: a task of another group that is taken; a task that is taken and stays in the queue. */
START_TEST(a_task_of_a_group_is_taken_if_it_comes_first)
{
    struct wsfj_item item;

    start();
    item.group = item_of(1).group;
    ck_assert(!wsfj_run_queue_pop_of(queue, item_of(1).group, &item.fn, &item.arg));
    push(1, 3);
    ck_assert(!wsfj_run_queue_pop_of(queue, item_of(2).group, &item.fn, &item.arg));
    ck_assert(!wsfj_run_queue_pop_of(queue, NULL, &item.fn, &item.arg));
    ck_assert(wsfj_run_queue_pop_of(queue, item_of(1).group, &item.fn, &item.arg));
    ck_assert_uint_eq(number_of(item), 1);
    put_next(5);
    ck_assert(!wsfj_run_queue_pop_next_of(queue, item_of(2).group, &item));
    ck_assert(wsfj_run_queue_pop_next_of(queue, item_of(5).group, &item));
    ck_assert_uint_eq(number_of(item), 5);
    expect_pops(queue, 2, 3);
    put_next(6);
    ck_assert(wsfj_run_queue_pop_of(queue, item_of(6).group, &item.fn, &item.arg));
    ck_assert_uint_eq((uintptr_t)item.arg, 6);
    ck_assert(!wsfj_run_queue_pop_of(queue, item_of(6).group, &item.fn, &item.arg));
    ck_assert(!wsfj_run_queue_pop_of(queue, NULL, &item.fn, &item.arg)); /* the entry at the tail has no group */
    stop();
}
END_TEST

/* Catches: a newest task that waits behind all others; one that is lost when a newer one comes; a task that counts as the
 * newest though it is not, or though no submit has put it there. */
START_TEST(the_newest_task_is_next_until_a_newer_one_comes)
{
    struct wsfj_item item;

    start();
    push(10, 11);
    ck_assert(!wsfj_run_queue_has_next(queue) && !wsfj_run_queue_next_full(queue));
    put_next(1);
    ck_assert_uint_eq(wsfj_run_queue_length(queue), 2);
    put_next(2);
    ck_assert_uint_eq(wsfj_run_queue_length(queue), 3);
    ck_assert(wsfj_run_queue_pending(queue));
    ck_assert(wsfj_run_queue_has_next(queue) && wsfj_run_queue_next_full(queue));
    ck_assert(wsfj_run_queue_pop_next(queue, &item));
    ck_assert_uint_eq(number_of(item), 2);
    ck_assert(!wsfj_run_queue_has_next(queue) && !wsfj_run_queue_next_full(queue));
    ck_assert(wsfj_run_queue_pop(queue, &item));
    ck_assert_uint_eq(number_of(item), 10);
    ck_assert(wsfj_run_queue_pop(queue, &item));
    ck_assert_uint_eq(number_of(item), 1);
    ck_assert(!wsfj_run_queue_pending(queue));
    put_next(3);
    for (uintptr_t i = 4; i < 9; i++) { /* however many are older */
        push(i, i + 1);
        ck_assert(!wsfj_run_queue_has_next(queue));
    }
    expect_pops(queue, 3, 9);
    stop();
}
END_TEST

/* Catches: a queue that counts the task in run-next twice, or forgets it; one that seems to have a task when a thief has
 * taken the last. */
START_TEST(the_task_in_run_next_takes_room_as_others_do)
{
    struct wsfj_item item;

    start();
    for (unsigned i = 0; i < WSFJ_RUN_QUEUE_SIZE; i++) {
        ck_assert_uint_eq(wsfj_run_queue_room(queue), WSFJ_RUN_QUEUE_SIZE - i);
        put_next(i);
    }
    ck_assert(wsfj_run_queue_is_full(queue));
    wsfj_policy.queue_quarters = 4;
    ck_assert_uint_eq(wsfj_run_queue_steal(queue, other, &item), WSFJ_RUN_QUEUE_SIZE - 1);
    ck_assert_uint_eq(wsfj_run_queue_length(queue), 1);
    ck_assert(!wsfj_run_queue_has_next(queue) && wsfj_run_queue_next_full(queue));
    ck_assert_uint_eq(wsfj_run_queue_steal(queue, other, &item), 0);
    ck_assert_uint_eq(wsfj_run_queue_steal(queue, other, &item), 1);
    ck_assert_uint_eq(number_of(item), WSFJ_RUN_QUEUE_SIZE - 1);
    ck_assert(!wsfj_run_queue_pending(queue) && !wsfj_run_queue_length(queue));
    ck_assert_uint_eq(wsfj_run_queue_steal(queue, other, &item), 0);
    ck_assert(!wsfj_run_queue_pop(queue, &item));
    stop();
}
END_TEST

/* A thief takes all other tasks while the owner takes the newest, which ends at the head then. */
START_TEST(the_newest_task_is_alone_when_the_owner_takes_it)
{
    struct wsfj_item item;

    start();
    put_next(1);
    put_next(2);
    ck_assert(wsfj_run_queue_has_next(queue));
    ck_assert_uint_eq(wsfj_run_queue_steal(queue, other, &item), 1);
    if (_i > 0)
        ck_assert_uint_eq(wsfj_run_queue_steal(queue, other, &item), 0);
    if (_i > 1)
        ck_assert_uint_eq(wsfj_run_queue_steal(queue, other, &item), 1);
    ck_assert_int_eq(wsfj_run_queue_pop_next(queue, &item), _i < 2);
    ck_assert_uint_eq(number_of(item), 2);
    ck_assert(!wsfj_run_queue_pending(queue) && !wsfj_run_queue_length(queue));
    push(3, 5);
    expect_pops(queue, 3, 5);
    stop();
}
END_TEST

/* Catches: a copy that does not wrap where its own queue or the victim's does. */
START_TEST(a_share_wraps_where_each_ring_does)
{
    static const unsigned places[] = {0, 1, 200, 225, WSFJ_RUN_QUEUE_SIZE - 1};
    enum { PLACES = sizeof places / sizeof *places };
    struct wsfj_item item;

    start();
    queue->head = queue->tail = WSFJ_RUN_QUEUE_ONE * places[_i / PLACES];
    other->head = other->tail = WSFJ_RUN_QUEUE_ONE * places[_i % PLACES];
    push(0, 200);
    ck_assert_uint_eq(wsfj_run_queue_steal(queue, other, &item), 100);
    ck_assert_uint_eq(number_of(item), 0);
    expect_pops(other, 1, 100);
    expect_pops(queue, 100, 200);
    stop();
}
END_TEST

/* Catches: a stolen task that overwrites the thief's own. */
START_TEST(a_thief_takes_no_more_than_it_has_room_for)
{
    struct wsfj_item item;

    start();
    push(0, WSFJ_RUN_QUEUE_SIZE);
    for (uintptr_t i = 0; i < 200; i++)
        ck_assert(wsfj_run_queue_push(other, item_of(1000 + i)));
    ck_assert_uint_eq(wsfj_run_queue_steal(queue, other, &item), WSFJ_RUN_QUEUE_SIZE - 200 + 1);
    ck_assert_uint_eq(number_of(item), 0);
    ck_assert(!wsfj_run_queue_push(other, item_of(1)));
    ck_assert_uint_eq(wsfj_run_queue_length(queue), 200 - 1);
    ck_assert(wsfj_run_queue_pop(other, &item));
    ck_assert_uint_eq(number_of(item), 1000);
    stop();
}
END_TEST

/* Catches: an old head read together with a new tail: a copy of more items than there is room for. */
START_TEST(a_ring_that_looks_too_long_is_left_alone)
{
    struct wsfj_item item;

    start();
    push(0, WSFJ_RUN_QUEUE_SIZE);
    queue->tail += WSFJ_RUN_QUEUE_ONE;
    ck_assert_uint_eq(wsfj_run_queue_steal(queue, other, &item), 0);
    ck_assert_uint_eq(wsfj_run_queue_length(other), 0);
    ck_assert_uint_eq(queue->head, 0);
    stop();
}
END_TEST

/* Catches: a task that ping-pongs between workers because thieves take what its owner is about to run; a task that is
 * never stolen though its owner is busy for long; an owner that is held up by a thief's mark. */
START_TEST(run_next_is_not_stolen_at_first_sight)
{
    struct wsfj_item item, newest;

    start();
    ck_assert_uint_eq(wsfj_run_queue_steal(queue, other, &item), 0);
    put_next(1);
    ck_assert_uint_eq(wsfj_run_queue_steal(queue, other, &item), 0);
    if (_i == 0) {
        ck_assert_uint_eq(wsfj_run_queue_steal(queue, other, &item), 1);
    } else if (_i == 1) {
        ck_assert(wsfj_run_queue_pop(queue, &item));
    } else {
        put_next(2);
        ck_assert(wsfj_run_queue_pop(queue, &item));
        ck_assert_uint_eq(wsfj_run_queue_steal(queue, other, &newest), 0); /* another task, seen for the first time */
        ck_assert(wsfj_run_queue_pop(queue, &newest));
    }
    ck_assert_uint_eq(number_of(item), 1);
    ck_assert_uint_eq(wsfj_run_queue_steal(queue, other, &item), 0);
    ck_assert(!wsfj_run_queue_pop(queue, &item));
    stop();
}
END_TEST

/* One owner and some thieves; each marks what it takes. */
enum { THIEVES = 2, ITEMS = 200000 };
static unsigned char taken[ITEMS];
static unsigned torn, twice;
static bool owner_is_done;

static void mark(struct wsfj_item item)
{
    uintptr_t number = (uintptr_t)item.arg;

    if (item.fn != nothing || (uintptr_t)item.group != 8 * number || number >= ITEMS)
        __atomic_fetch_add(&torn, 1, __ATOMIC_RELAXED);
    else if (__atomic_fetch_add(&taken[number], 1, __ATOMIC_RELAXED))
        __atomic_fetch_add(&twice, 1, __ATOMIC_RELAXED);
}

static void *thief(void *argument)
{
    struct wsfj_run_queue *own = make();
    struct wsfj_item item;
    bool last = false;

    (void)argument;
    while (!last) {
        last = __atomic_load_n(&owner_is_done, __ATOMIC_ACQUIRE);
        if (wsfj_run_queue_steal(queue, own, &item)) {
            do
                mark(item);
            while (wsfj_run_queue_pop(own, &item));
        }
    }
    discard(own);
    return NULL;
}

static void overflow(void)
{
    struct wsfj_item half[WSFJ_RUN_QUEUE_SIZE / 2];
    unsigned n = wsfj_run_queue_take_half(queue, half);

    while (n)
        mark(half[--n]);
}

static bool take(struct wsfj_item *item)
{
    return wsfj_run_queue_has_next(queue) ? wsfj_run_queue_pop_next(queue, item) : wsfj_run_queue_pop(queue, item);
}

/* Submits as a worker does, and runs some of the tasks. */
static void own(void)
{
    struct wsfj_item item;

    for (uintptr_t i = 0; i < ITEMS; i++) {
        while (wsfj_run_queue_is_full(queue))
            overflow();
        put_next(i);
        if (i % 3 == 0 && take(&item))
            mark(item);
    }
    while (wsfj_run_queue_pop(queue, &item))
        mark(item);
}

/* Catches: a task that is lost, runs twice or is copied in part, by any taker: owner, overflow, two thieves. */
START_TEST(each_task_goes_to_exactly_one_taker)
{
    pthread_t threads[THIEVES];

    start();
    for (int t = 0; t < THIEVES; t++)
        ck_assert_int_eq(pthread_create(&threads[t], NULL, thief, NULL), 0);
    own();
    __atomic_store_n(&owner_is_done, true, __ATOMIC_RELEASE);
    for (int t = 0; t < THIEVES; t++)
        pthread_join(threads[t], NULL);
    ck_assert_uint_eq(torn, 0);
    ck_assert_uint_eq(twice, 0);
    for (int i = 0; i < ITEMS; i++)
        ck_assert_msg(taken[i] == 1, "item %d: %d times", i, taken[i]);
    stop();
}
END_TEST

/* Catches: a thief that takes everything, so that a second thief gets nothing. */
START_TEST(two_thieves_both_get_a_share)
{
    struct wsfj_item item;
    struct wsfj_run_queue *third = make();

    start();
    push(0, 100);
    ck_assert_uint_eq(wsfj_run_queue_steal(queue, other, &item), 50);
    ck_assert_uint_eq(wsfj_run_queue_steal(queue, third, &item), 25);
    ck_assert_uint_eq(number_of(item), 50);
    expect_pops(queue, 75, 100);
    discard(third);
    stop();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("run_queue");

    tcase_add_test(tcase, alone_it_is_first_in_first_out);
    tcase_add_test(tcase, a_full_ring_refuses_and_gives_its_older_half);
    tcase_add_loop_test(tcase, one_steal_takes_its_share_of_the_oldest, 0, 11);
    tcase_add_test(tcase, a_task_of_a_group_is_taken_if_it_comes_first);
    tcase_add_test(tcase, the_newest_task_is_next_until_a_newer_one_comes);
    tcase_add_test(tcase, the_task_in_run_next_takes_room_as_others_do);
    tcase_add_loop_test(tcase, the_newest_task_is_alone_when_the_owner_takes_it, 0, 3);
    tcase_add_loop_test(tcase, run_next_is_not_stolen_at_first_sight, 0, 3);
    tcase_add_loop_test(tcase, a_share_wraps_where_each_ring_does, 0, 25);
    tcase_add_test(tcase, a_thief_takes_no_more_than_it_has_room_for);
    tcase_add_test(tcase, a_ring_that_looks_too_long_is_left_alone);
    tcase_add_test(tcase, two_thieves_both_get_a_share);
    tcase_add_test(tcase, each_task_goes_to_exactly_one_taker);
    return run_case("run_queue", tcase);
}
