/* SPDX-License-Identifier: MIT */
/*
 * A worker's run queue, with four entries, and the global queue: an owner and thieves, overflow, foreign threads that
 * wait for room. Each item is taken exactly once and whole (QUEUE-1 to QUEUE-3).
 */
#include "explore.h"

#include "queue/global_queue.h"
#include "queue/run_queue.h"
#include "task/item.h"

#include <string.h>

#define ITEMS 8

static struct wsfj_run_queue queue, own[EXPLORE_THREADS];
static struct wsfj_entry entries[1 + EXPLORE_THREADS][WSFJ_RUN_QUEUE_SIZE];
static unsigned taken[ITEMS];

static void function(void *arg)
{
    (void)arg;
}

/* Each word of an item holds its number. */
static struct wsfj_item item(uintptr_t i)
{
    return (struct wsfj_item){function, (void *)(i + 1), (ws_group *)(i + 1)};
}

static void took(struct wsfj_item it)
{
    uintptr_t i = (uintptr_t)it.arg - 1;

    explore_must(it.fn == function && i < ITEMS && (uintptr_t)it.group == i + 1, "an item is torn");
    explore_must(i >= ITEMS || taken[i]++ == 0, "an item is taken twice");
}

static void start(void)
{
    memset(&queue, 0, sizeof queue);
    memset(own, 0, sizeof own);
    memset(entries, 0, sizeof entries);
    memset(taken, 0, sizeof taken);
    queue.entries = entries[EXPLORE_THREADS];
    for (int t = 0; t < EXPLORE_THREADS; t++)
        own[t].entries = entries[t];
    explore_shared(entries, sizeof entries);
    explore_shared(&queue, sizeof queue);
    explore_shared(own, sizeof own);
    wsfj_global_queue_forget();
    explore_must(wsfj_global_queue_start(WSFJ_RUN_QUEUE_SIZE), "no memory");
}

/* Three items, and the indices are about to wrap. */
static void start_filled(void)
{
    start();
    queue.head = queue.tail = 3 * WSFJ_RUN_QUEUE_ONE;
    for (uintptr_t i = 0; i < 3; i++)
        (void)wsfj_run_queue_push(&queue, item(i));
}

/* Room for one item. */
static void start_small(void)
{
    start();
    wsfj_global_queue_forget();
    explore_must(wsfj_global_queue_start(1), "no memory");
}

/* A full run queue, and room for half of it in the global queue. */
static void start_full(void)
{
    start();
    wsfj_global_queue_forget();
    explore_must(wsfj_global_queue_start(WSFJ_RUN_QUEUE_SIZE / 2), "no memory");
    for (uintptr_t i = 0; i < WSFJ_RUN_QUEUE_SIZE; i++)
        (void)wsfj_run_queue_push(&queue, item(i));
}

static void empty(struct wsfj_run_queue *r)
{
    struct wsfj_item it;

    while (wsfj_run_queue_pop(r, &it))
        took(it);
}

static void owner_push_pop(void)
{
    struct wsfj_item it;

    for (uintptr_t i = 0; i < 3; i++)
        (void)wsfj_run_queue_push(&queue, item(i));
    it = item(0);
    if (explore_choose(2) ? wsfj_run_queue_pop(&queue, &it) : wsfj_run_queue_pop_of(&queue, it.group, &it.fn, &it.arg))
        took(it);
}

/* As in submit.c: an item that does not fit goes to the global queue, with the older half of the run queue. */
static void owner_overflow(void)
{
    for (uintptr_t i = 3; i < ITEMS; i++) {
        while (!wsfj_run_queue_push(&queue, item(i)))
            explore_must(wsfj_global_queue_overflow(&queue, &(unsigned){0}), "no room");
    }
}

static void thief(void)
{
    struct wsfj_run_queue *mine = &own[explore_self()];
    struct wsfj_item it;

    if (wsfj_run_queue_steal(&queue, mine, &it))
        took(it);
    empty(mine);
}

static void owner_pop(void)
{
    struct wsfj_item it;

    if (wsfj_run_queue_pop(&queue, &it))
        took(it);
}

/* Steals, although the owner may pop once meanwhile. */
static void persistent_thief(void)
{
    struct wsfj_run_queue *mine = &own[explore_self()];
    struct wsfj_item it;

    explore_must(wsfj_run_queue_steal(&queue, mine, &it) > 0, "a thief gives up");
    took(it);
    empty(mine);
}

static void taker(void)
{
    struct wsfj_item it;

    if (wsfj_global_queue_take(&it, 1, 1))
        took(it);
}

static void put_next(uintptr_t i)
{
    struct wsfj_item it = item(i);

    wsfj_run_queue_put_next(&queue, it.fn, it.arg, it.group);
}

/* As wsfj_dispatch_own_item(). */
static void take_next(uintptr_t i)
{
    struct wsfj_item it;

    if (!wsfj_run_queue_has_next(&queue)) {
        if (wsfj_run_queue_pop(&queue, &it))
            took(it);
    } else if (explore_choose(2) ? wsfj_run_queue_pop_next(&queue, &it)
                                 : wsfj_run_queue_pop_next_of(&queue, item(i).group, &it)) {
        took(it);
    }
}

static void owner_next(void)
{
    put_next(0);
    put_next(1);
    take_next(1);
}

static void owner_takes_next(void)
{
    take_next(1);
}

/* Puts another task in the place of the one that it has taken. */
static void owner_refill(void)
{
    take_next(1);
    put_next(2);
}

static void thief_next(void)
{
    struct wsfj_item it;

    for (int i = 0; i < 3; i++) {
        if (wsfj_run_queue_steal(&queue, &own[explore_self()], &it))
            took(it);
    }
}

/* Two items; a thief that sees the newest one alone takes it at once. */
static void start_next(void)
{
    start();
    put_next(0);
    put_next(1);
    queue.seen = queue.tail;
}

/* A thief has taken nothing and seen nothing so far. */
static void start_unseen(void)
{
    start_next();
    queue.seen = 0;
}

static void foreign(void)
{
    explore_must(wsfj_global_queue_put(item(explore_self()), true), "no room");
}

/* The overflow looks for room, and fills it, under one lock. */
static void overflow_once(void)
{
    (void)wsfj_global_queue_overflow(&queue, &(unsigned){0});
}

static void foreign_try(void)
{
    struct wsfj_item it = item(WSFJ_RUN_QUEUE_SIZE);

    if (!wsfj_global_queue_put(it, false))
        took(it);
}

static void foreign_taker(void)
{
    struct wsfj_item it;

    for (int n = 0; n < 2;) {
        if (wsfj_global_queue_take(&it, 1, 1)) {
            took(it);
            n++;
        } else {
            engine_pause();
        }
    }
}

static void check(unsigned n)
{
    struct wsfj_item it;

    empty(&queue);
    while (wsfj_global_queue_take(&it, 1, 1))
        took(it);
    for (unsigned i = 0; i < n; i++)
        explore_must(taken[i] == 1, "an item is lost");
}

static void check_two(void)
{
    check(2);
}

static void check_three(void)
{
    check(3);
}

static void check_five(void)
{
    check(WSFJ_RUN_QUEUE_SIZE + 1);
}

static void check_all(void)
{
    check(ITEMS);
}

static const struct explore_mutant queues[] = {
    {"an item is published relaxed (QUEUE-1)", "publish", "store", "&queue->tail", EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {"the tail is read relaxed (QUEUE-1)", "copy_share", "load", "&victim->tail", EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {"items are claimed in two steps (QUEUE-2)", "claim", "cas", "&queue->head", EXPLORE_SPLIT, 0},
    {"the owner pops in two steps (QUEUE-2)", "wsfj_run_queue_pop", "cas", "&queue->head", EXPLORE_SPLIT, 0},
    {"the owner pops a group's item in two steps (QUEUE-2)", "wsfj_run_queue_pop_of", "cas", "&queue->head",
     EXPLORE_SPLIT, 0},
    {NULL}};

static const struct explore_mutant again[] = {
    {"items are claimed in two steps (QUEUE-2)", "claim", "cas", "&queue->head", EXPLORE_SPLIT, 0},
    {NULL}};

static const struct explore_mutant overflow[] = {
    {"the owner does not check for room (QUEUE-2)", "wsfj_run_queue_room", "load", "&queue->head", EXPLORE_VALUE, 16},
    {"an overflow in two steps (QUEUE-2)", "claim", "cas", "&queue->head", EXPLORE_SPLIT, 0},
    {"the global queue without its lock", "wsfj_global_queue_overflow", "lock", "&mutex", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_mutant next[] = {
    {"a submitted item is published relaxed (QUEUE-1)", "wsfj_run_queue_put_next", "store", "&queue->tail",
     EXPLORE_WEAKER, __ATOMIC_RELAXED},
    {"items are claimed in two steps (QUEUE-2)", "claim", "cas", "&queue->head", EXPLORE_SPLIT, 0},
    {NULL}};

static const struct explore_mutant ends[] = {
    {"the owner lowers the tail with a release (QUEUE-3)", "wsfj_run_queue_pop_next", "store", "&queue->tail",
     EXPLORE_WEAKER, __ATOMIC_RELEASE},
    {"the owner reads the head with an acquire (QUEUE-3)", "wsfj_run_queue_pop_next", "load", "&queue->head",
     EXPLORE_WEAKER, __ATOMIC_ACQUIRE},
    {"the owner does not look at the head (QUEUE-3)", "wsfj_run_queue_pop_next", "load", "&queue->head", EXPLORE_VALUE,
     0},
    {"a claim is an acquire and a release (QUEUE-3)", "claim", "cas", "&queue->head", EXPLORE_WEAKER, __ATOMIC_ACQ_REL},
    {"a thief reads the tail with an acquire (QUEUE-3)", "copy_share", "load", "&victim->tail", EXPLORE_WEAKER,
     __ATOMIC_ACQUIRE},
    {"the owner does not lower the tail (QUEUE-3)", "wsfj_run_queue_pop_next", "store", "&queue->tail", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_mutant producers[] = {
    {"an item is put without the lock", "wsfj_global_queue_put", "lock", "&mutex", EXPLORE_SKIP, 0},
    {"a thread that waits releases the lock first", "wsfj_global_queue_put", "wait", "&room", EXPLORE_SPLIT, 0},
    {"waiting threads are not told of room", "wake_producers_locked", "broadcast", "&room", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_mutant room[] = {
    {"an overflow without the lock", "wsfj_global_queue_overflow", "lock", "&mutex", EXPLORE_SKIP, 0},
    {"an item is put without the lock", "wsfj_global_queue_put", "lock", "&mutex", EXPLORE_SKIP, 0},
    {NULL}};

static const struct explore_mutant refilled[] = {
    {"items are claimed in two steps (QUEUE-2)", "claim", "cas", "&queue->head", EXPLORE_SPLIT, 0},
    {NULL}};

static const struct explore_program programs[] = {
    {"push and pop, two thieves", start, {owner_push_pop, thief, thief}, check_three, {1, 1}, {3, 1}, queues},
    {"overflow, a thief, a taker", start_filled, {owner_overflow, thief, taker}, check_all, {1, 1}, {2, 2}, overflow},
    {"a pop, and a thief that tries again",
     start_filled,
     {owner_pop, persistent_thief},
     check_three,
     {2, 1},
     {4, 2},
     again},
    {"run-next, two thieves", start, {owner_next, thief_next, thief_next}, check_two, {1, 1}, {3, 1}, next},
    {"run-next, an owner and thieves",
     start_next,
     {owner_takes_next, thief_next, thief_next},
     check_two,
     {1, 1},
     {3, 1},
     ends},
    {"run-next, emptied and filled again",
     start_unseen,
     {owner_refill, thief_next, thief_next},
     check_three,
     {1, 1},
     {3, 1},
     refilled},
    {"an overflow, and a thread that does not wait",
     start_full,
     {overflow_once, foreign_try},
     check_five,
     {2, 1},
     {4, 2},
     room},
    {"the global queue, two threads that wait",
     start_small,
     {foreign, foreign, foreign_taker},
     check_two,
     {2, 1},
     {6, 4},
     producers},
    {NULL}};

int main(int argc, char **argv)
{
    return explore_main(argc, argv, programs);
}
