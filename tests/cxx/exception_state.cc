/* SPDX-License-Identifier: MIT */
/*
 * A task that is suspended in a `catch` block, or by a destructor while an exception unwinds, has the same exceptions
 * when it resumes on another thread, and the threads that it leaves and enters have none of them. Uses the C interface
 * only. moves.h forces each move: a test that has seen too few of them fails.
 *
 * Catches: exceptions that stay with the thread; a fresh task that begins with those of another one; a thread that
 * calls ws_run() in a handler and finds other exceptions after it.
 */
#include "moves.h"

#include <csetjmp>
#include <stdexcept>
#include <string>

static moves_state moves;
static constexpr int rounds = 20;

static WS_TASK_VOID(child)
{
    moves.child();
}

static void member(void *)
{
    moves.child();
}

/* Leaves the thread, in one of the ways in which a task waits for others. */
static void by_sync()
{
    ws_frame();
    ws_spawn(child);
    await(moves.begun, 1);
    ws_sync();
}

/* The child is awaited because its frame ends. */
static void by_end_of_frame()
{
    ws_frame();
    ws_spawn(child);
    await(moves.begun, 1);
}

static void by_group()
{
    ws_group group = WS_GROUP_INIT;

    CHECK(ws_group_submit(&group, member, nullptr) == 0);
    await(moves.begun, 1);
    CHECK(ws_group_wait(&group) == 0);
}

using way = void (*)();

static void wait(way leave)
{
    moves.begin();
    leave();
    moves.end();
}

static bool is(const std::exception_ptr &thrown, const char *what)
{
    try {
        if (thrown)
            std::rethrow_exception(thrown);
    } catch (const std::exception &e) {
        return std::string(e.what()) == what;
    }
    return false;
}

static void in_handler(way leave)
{
    try {
        throw std::runtime_error("outer");
    } catch (const std::exception &e) {
        auto before = current();
        wait(leave);
        CHECK(current() == before);
        CHECK(std::string(e.what()) == "outer");
        CHECK(uncaught() == 0);
    }
    CHECK(!current());
}

static void in_nested_handlers(way leave)
{
    try {
        try {
            throw std::runtime_error("outer");
        } catch (...) {
            auto outer = current();
            try {
                throw std::logic_error("inner");
            } catch (...) {
                auto inner = current();
                wait(leave);
                CHECK(current() == inner);
            }
            CHECK(current() == outer);
            wait(leave);
            CHECK(current() == outer);
            throw; /* needs the handler's exception */
        }
    } catch (const std::runtime_error &e) {
        CHECK(std::string(e.what()) == "outer");
        CHECK(is(current(), "outer"));
    }
    CHECK(!current());
}

struct waits_at_end {
    way leave;
    int count;
    ~waits_at_end()
    {
        CHECK(uncaught() == count);
        wait(leave);
        CHECK(uncaught() == count);
    }
};

static void while_unwinding(way leave)
{
    try {
        waits_at_end here{leave, 1};
        throw std::runtime_error("on its way");
    } catch (const std::exception &e) {
        CHECK(uncaught() == 0);
        CHECK(std::string(e.what()) == "on its way");
    }
    CHECK(!current());
}

/* An exception in a destructor that another exception has called, and one in a handler. */
static void in_all_at_once(way leave)
{
    struct throws_inside {
        way leave;
        ~throws_inside()
        {
            try {
                waits_at_end here{leave, 2};
                throw std::logic_error("second");
            } catch (...) {
                CHECK(uncaught() == 1);
                CHECK(is(current(), "second"));
                wait(leave);
                CHECK(uncaught() == 1);
                CHECK(is(current(), "second"));
            }
            CHECK(uncaught() == 1);
        }
    };
    try {
        throws_inside here{leave};
        throw std::runtime_error("first");
    } catch (...) {
        CHECK(is(current(), "first"));
        CHECK(uncaught() == 0);
    }
}

struct place {
    const char *name;
    void (*code)(way);
    int waits;
};
static const place places[] = {{"in a handler", in_handler, 1},
                               {"in nested handlers", in_nested_handlers, 2},
                               {"while unwinding", while_unwinding, 1},
                               {"in all at once", in_all_at_once, 2}};
static const way ways[] = {by_sync, by_end_of_frame, by_group};

/* A thread that calls ws_run() while a worker sleeps takes that worker's place. */
static bool caller_is_worker;

static WS_TASK_VOID(all_moves, long, caller)
{
    caller_is_worker = this_thread() == caller;
    for (auto &p : places) {
        for (auto leave : ways) {
            running = p.name;
            moves.moved = 0;
            for (int i = 0; i < rounds; i++)
                p.code(leave);
            CHECK(moves.moved == rounds * p.waits);
        }
    }
}

/* The calling thread has exceptions of its own, is a worker, and the task leaves it in a handler. */
static void moves_from_a_handler_of_the_caller()
{
    try {
        throw std::runtime_error("caller");
    } catch (...) {
        auto before = current();
        do {
            CHECK(ws_run(all_moves, this_thread()) == 0);
            CHECK(current() == before);
            CHECK(uncaught() == 0);
        } while (!caller_is_worker);
    }
    CHECK(!current());
}

/* A pinned task keeps its thread, where the loop meanwhile has another state. */
static WS_TASK_VOID(pinned)
{
    try {
        throw std::runtime_error("pinned");
    } catch (...) {
        ws_pinned();
        auto before = current();
        long self = this_thread();
        moves.begin();
        ws_frame();
        ws_spawn(child);
        await(moves.begun, 1);
        ws_sync();
        moves.end();
        CHECK(this_thread() == self);
        CHECK(current() == before);
    }
    CHECK(!current());
}

static void pins()
{
    CHECK(ws_run(pinned) == 0);
}

/* Until the task has moved `rounds` times: which worker takes which task is not known here. */
static void until_moved(void (*leave)())
{
    try {
        throw std::runtime_error("handler");
    } catch (...) {
        auto before = current();
        for (moves.moved = 0; moves.moved < rounds;) {
            moves.begin();
            leave();
            moves.end();
            CHECK(current() == before);
        }
    }
    CHECK(!current());
}

/* Keeps the thread that the task has left, until the task resumes elsewhere. */
static void holds_thread(void *)
{
    CHECK(!current());
    if (this_thread() == moves.from)
        await(moves.resumed, 1);
}

static WS_TASK_VOID(yields)
{
    until_moved([] {
        CHECK(ws_group_submit(&moves.detached, holds_thread, nullptr) == 0);
        ws_yield();
    });
}

/* The slot's new thread is in a task when the section ends. */
static void takes_slot(void *)
{
    CHECK(!current());
    moves.blocking = 1;
    for (int i = 0; i < 100 && !moves.resumed; i++)
        sched_yield();
}

static WS_TASK_VOID(blocks)
{
    until_moved([] {
        CHECK(ws_group_submit(&moves.detached, takes_slot, nullptr) == 0);
        CHECK(ws_group_submit(&moves.detached, takes_slot, nullptr) == 0);
        WS_BLOCKING
        {
            await(moves.blocking, 1);
        }
    });
}

static void yields_in_a_handler()
{
    CHECK(ws_run(yields) == 0);
}

static void blocks_in_a_handler()
{
    CHECK(ws_run(blocks) == 0);
}

static __attribute__((noinline)) void leave_a_handler_by_a_jump()
{
    jmp_buf out;

    if (setjmp(out) == 0) {
        try {
            throw 1;
        } catch (int) {
            longjmp(out, 1);
        }
    }
    CHECK(current()); /* the C++ runtime does not notice the jump */
}

static WS_TASK_VOID(jumps)
{
    leave_a_handler_by_a_jump();
}

static WS_TASK_VOID(begins)
{
    CHECK(!current());
}

[[maybe_unused]] static void jumps_out_of_a_handler()
{
    for (int i = 0; i < rounds; i++) {
        CHECK(ws_run(jumps) == 0);
        CHECK(!current());
        CHECK(ws_run(begins) == 0);
    }
}

int main()
{
    with_workers("moves", 2, moves_from_a_handler_of_the_caller);
    with_workers("pins", 2, pins);
    with_workers("yields", 2, yields_in_a_handler);
    with_workers("blocking sections", 1, blocks_in_a_handler);
#ifndef __SANITIZE_ADDRESS__ /* the jumps leak the exceptions */
    with_workers("jumps", 1, jumps_out_of_a_handler);
#endif
    return ended("exception_state");
}
