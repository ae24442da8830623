/* SPDX-License-Identifier: MIT */
/*
 * Makes a task resume on another thread, not by chance: with two workers, the thread that a task leaves is kept busy by
 * a detached task, a blocker, until the task has resumed on the other one.
 *
 *   task on thread 1                      thread 2
 *   moves.begin(); spawns a child
 *   await(moves.begun, 1)                 steals the child: moves.child() begins
 *   syncs: suspended                      waits for the suspension; submits a blocker
 *   steals and runs the blocker           has seen it run: the child ends, and the task resumes here
 *                                         moves.end() ends the blocker
 */
#ifndef TESTS_CXX_MOVES_H
#define TESTS_CXX_MOVES_H

#include "test.h"

#include <exception>

/* Not inlined, as this_thread(). */
__attribute__((noinline)) inline int uncaught()
{
    return std::uncaught_exceptions();
}

__attribute__((noinline)) inline std::exception_ptr current()
{
    return std::current_exception();
}

struct moves_state {
    std::atomic<int> begun{0}, blocking{0}, resumed{0};
    long from = 0;
    int moved = 0;
    ws_group detached = WS_GROUP_INIT;

    static uint64_t waits()
    {
        struct ws_stats stats = {};

        stats.size = sizeof stats;
        CHECK(ws_stats_get(&stats) == 0);
        return stats.suspensions + stats.waits;
    }

    uint64_t before = 0;

    /* The task, before it spawns or submits what it will wait for. */
    void begin()
    {
        begun = blocking = resumed = 0;
        from = this_thread();
        before = waits();
    }

    /* A fresh fiber, on the thread that the task has left: the task's exceptions are not here. */
    static void blocker(void *state)
    {
        auto self = static_cast<moves_state *>(state);

        CHECK(uncaught() == 0);
        CHECK(!current());
        self->blocking++;
        await(self->resumed, 1);
        CHECK(uncaught() == 0);
        CHECK(!current());
    }

    /* What the task waits for; on the other thread. */
    void child()
    {
        begun = 1;
        CHECK(this_thread() != from);
        CHECK(uncaught() == 0);
        CHECK(!current());
        while (waits() == before)
            sched_yield();
        CHECK(ws_group_submit(&detached, blocker, this) == 0);
        await(blocking, 1);
    }

    /* The task has resumed. */
    void end()
    {
        moved += this_thread() != from;
        resumed = 1;
        CHECK(ws_group_wait(&detached) == 0);
    }
};

#endif
