/* SPDX-License-Identifier: MIT */
/*
 * A detached task or a root that is called on the stack of a task or thread which waits, submits or calls ws_run(), because
 * there are too few stacks or the program is serial. It begins without the caller's exceptions, and leaves them as they were.
 *
 * Catches: a task_scope that drops results or exceptions of its children because the caller unwinds; a task that sees the
 * caller's handler; a caller that goes on with the exceptions of the called task, or of the thread that it has left.
 */
#include <wsfj.hpp>

#include "moves.h"
#include "thrown.h"

#include <csetjmp>
#include <stdexcept>

#if defined WSFJ_SERIAL || defined WSFJ_PROFILE
#define CALLS_AT_ONCE true
#else
#define CALLS_AT_ONCE false
#endif

static std::atomic<int> ran{0};

static int seven()
{
    return 7;
}

/* Nothing in here is in a handler or destructor. */
static void innocent()
{
    int x = 0;

    CHECK(uncaught() == 0);
    CHECK(!current());
    {
        ws::task_scope s;
        s.spawn(x, seven);
    }
    CHECK(x == 7);
    CHECK(number_of([] {
              ws::task_scope s;
              s.spawn([] { throw thrown(3); });
          }) == 3);
    CHECK(uncaught() == 0);
    CHECK(!current());
    ran++;
}

static void innocent_c(void *)
{
    innocent();
}

#ifndef __SANITIZE_ADDRESS__ /* the jump leaks the exception */
/* What is left of the handler belongs to this task alone. */
static __attribute__((noinline)) void leaves_a_handler_by_a_jump(void *)
{
    jmp_buf out;

    innocent();
    if (setjmp(out) == 0) {
        try {
            throw 1;
        } catch (int) {
            longjmp(out, 1);
        }
    }
}
#endif

static void by_class()
{
    ws::group g;

    g.submit(innocent);
    g.wait();
}

static void by_group()
{
    ws_group g = WS_GROUP_INIT;

    CHECK(ws_group_submit(&g, innocent_c, nullptr) == 0);
#ifndef __SANITIZE_ADDRESS__
    CHECK(ws_group_submit(&g, leaves_a_handler_by_a_jump, nullptr) == 0);
#endif
    CHECK(ws_group_submit(&g, innocent_c, nullptr) == 0);
    CHECK(ws_group_wait(&g) == 0);
}

static void by_yield()
{
    const int before = ran;

    ws::submit(innocent);
    while (ran == before)
        ws_yield();
}

static void by_root()
{
#if !CALLS_AT_ONCE
    if (ws_worker_id() >= 0)
        return; /* a ws_run() inside a task is a call */
    ws::run(innocent);
#endif
}

using way = void (*)();
static const way ways[] = {by_class, by_group, by_yield, by_root};

static void in_a_handler(way leave)
{
    try {
        throw std::runtime_error("handled");
    } catch (...) {
        auto before = current();

        leave();
        CHECK(current() == before);
        CHECK(uncaught() == 0);
    }
    CHECK(!current());
}

static void while_unwinding(way leave)
{
    struct leaves_at_end {
        way leave;
        ~leaves_at_end()
        {
            leave();
            CHECK(uncaught() == 1);
            CHECK(!current());
        }
    };
    CHECK(number_of([&] {
              leaves_at_end here{leave};
              throw thrown(5);
          }) == 5);
    CHECK(uncaught() == 0);
}

static void all_ways()
{
    for (auto leave : ways) {
        in_a_handler(leave);
        while_unwinding(leave);
    }
}

static void inside_and_outside()
{
    all_ways();
    ws::run(all_ways);
}

#if !CALLS_AT_ONCE
/* A thread of the library, and the only stack, until it is told. */
static std::atomic<int> holds{0}, told{0};

static void holds_the_stack()
{
    holds = 1;
    await(told, 1);
}

/* A region without a stack is run by its caller. */
static void roots_without_stacks()
{
    const int before = ran;

    ws::submit(holds_the_stack);
    await(holds, 1);
    in_a_handler(by_root);
    while_unwinding(by_root);
    CHECK(ran == before + 2);
    told = 1;
}

/*
 * The called task ends on another thread than it has begun on. One worker, two stacks: the waiter and `other` have them.
 *
 *   waiter, on thread 1          thread 2
 *   calls the task
 *     lends its slot             runs `other`, which keeps the slot while the task's section ends
 *     waits for a slot           `other` yields: the task goes on here, and ends
 *                                the waiter goes on here
 */
static std::atomic<int> in_section, kept, other_runs, at_an_end;
static int moved;

static void other(void *)
{
    other_runs = 1;
    while (!at_an_end) {
        if (in_section.exchange(0)) {
            kept = 1;
            for (int i = 0; i < 100; i++)
                sched_yield();
        }
        ws_yield();
    }
}

static void moves(void *)
{
    const long from = this_thread();

    innocent();
    try {
        throw thrown(1);
    } catch (const thrown &) {
        auto before = current();

        kept = 0;
        in_section = 1;
        WS_BLOCKING
        {
            await(kept, 1);
        }
        CHECK(current() == before);
        moved += this_thread() != from;
    }
    innocent();
}

static void by_moving()
{
    ws_group g = WS_GROUP_INIT;

    CHECK(ws_group_submit(&g, moves, nullptr) == 0);
    CHECK(ws_group_wait(&g) == 0);
}

static void waits_for_movers()
{
    ws_group others = WS_GROUP_INIT;

    at_an_end = moved = other_runs = 0;
    CHECK(ws_group_submit(&others, other, nullptr) == 0);
    while (!other_runs)
        ws_yield();
    /* `other` has the last stack now. */
    while (moved < 20) {
        in_a_handler(by_moving);
        while_unwinding(by_moving);
    }
    at_an_end = 1;
    CHECK(ws_group_wait(&others) == 0);
}

static void movers()
{
    ws::run(waits_for_movers);
}
#endif

int main()
{
    for (size_t workers : {1, 2})
        for (size_t stacks : {1, 2, 0})
            with_workers("called", workers, inside_and_outside, stacks);
#if !CALLS_AT_ONCE
    with_workers("roots", 2, roots_without_stacks, 1);
    with_workers("movers", 1, movers, 2);
#endif
    CHECK(thrown::live == 0);
    return ended("called");
}
