/* SPDX-License-Identifier: MIT */
/* A sync frees the room of its children in the argument area when all of them are stolen and done: collect() in
 * lib/sched/sync.c. Neighbours: tests/stress/area.c, the same in a program; one_deque.h, the fixture. */
#include "task/join.h"

#include "task/stack.h"
#include "one_deque.h"

#define BYTES 128
#define MANY 5000

static const struct wsfj_kind large = {.wsfj_name = "large", .wsfj_in_area = 1, .wsfj_result_size = BYTES};
static const struct wsfj_kind small = {.wsfj_name = "small", .wsfj_result_size = sizeof(uint64_t)};

/* The owner spawns; false if a large child finds no room. */
static bool spawn(const struct wsfj_kind *child)
{
    struct wsfj_descriptor *desc = stack->deque.wsfj_tail;

    if (child->wsfj_in_area) {
        void *block = wsfj_area_take(&stack->deque, BYTES, sizeof(uint64_t));

        if (!block)
            return false;
        desc->wsfj_args[0] = (uintptr_t)block;
    }
    desc->wsfj_word = (uintptr_t)child;
    desc->wsfj_rp = NULL;
    wsfj_publish_tail(&stack->deque, desc + 1);
    return true;
}

/* A thief takes all pending tasks and finishes them. */
static void steal_and_finish(long n)
{
    for (long i = 0; i < n; i++) {
        ck_assert_int_eq(wsfj_deque_expose(stack, stack->deque.wsfj_tail), WSFJ_EXPOSE_DONE);
        ck_assert_int_eq(steal(false), WSFJ_STEAL_GOT);
        ck_assert_ptr_null(wsfj_join_finish(stolen.desc, stolen.kind));
    }
}

/* The owner's sync, which pops the newest child first. False if all are stolen. */
static bool sync_from(struct wsfj_descriptor *base)
{
    struct wsfj_descriptor *desc = stack->deque.wsfj_tail - 1;

    wsfj_publish_tail(&stack->deque, desc);
    return wsfj_sync_slow(&stack->deque, base, desc);
}

/* Large children among small ones, in every order: bit i of the number says whether the i-th is large. */
#define CHILDREN 3

/* Catches: room in the area that a sync does not free after steals, in part or at all. A few hundred large children
 * then fill the area; from then on every child is called, and nothing runs in parallel. */
START_TEST(the_area_is_as_before_when_stolen_children_are_done)
{
    struct wsfj_descriptor *base;
    char *area;

    start(WSFJ_MODE_NORMAL);
    ck_assert(spawn(&large)); /* a child of an outer frame: its room stays */
    area = stack->deque.wsfj_area;
    base = stack->deque.wsfj_tail;
    steal_and_finish(1);
    for (int round = 0; round < MANY; round++) {
        for (int i = 0; i < CHILDREN; i++)
            ck_assert_msg(spawn(_i >> i & 1 ? &large : &small), "no room in round %d", round);
        steal_and_finish(CHILDREN);
        ck_assert(!sync_from(base));
        ck_assert_ptr_eq(stack->deque.wsfj_area, area);
        ck_assert_ptr_eq(stack->deque.wsfj_tail, base);
    }
    stop();
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("area");

    tcase_add_loop_test(tcase, the_area_is_as_before_when_stolen_children_are_done, 0, 1 << CHILDREN);
    return run_case("area", tcase);
}
