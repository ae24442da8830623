/* SPDX-License-Identifier: MIT */
/*
 * group.pml - GROUP-1 to GROUP-4: lib/queue/group.c, wait_inside() in lib/api/wait.c, lib/sched/detached.c, the loop of
 * serve.c.
 *
 * A fiber waits for a group of two tasks on two other threads. When it goes on the group is gone: the fiber reuses its
 * memory. With ADDER the group stays, and a foreign thread submits task 2 at any time. Checked: no thread touches the
 * group after it is gone; one thread at a time is on the waiter's stack, with its registers and all results; the waiter
 * is resumed exactly once.
 *
 * With ROW another task follows task 1 on its stack: a third one of the group, or one that relies on the waiter.
 *
 * Elsewhere: the claim by a second waiter, which only gets EBUSY; foreign waiters.
 */
#define NP 3
#define CAP 3

/* Locations. COUNT: wsfj_state, WAITER: wsfj_waiter. */
#define COUNT 0
#define WAITER 1
#define RESULT 2
#define SAVED 5
#define NLOC 6
#include "memory.pml"

#define WAITING 1
#define ONE 2
#define GONE 99

bit gone;
byte on_stack = 1;
byte added;
#ifdef ROW
bit same; /* the task that follows is of the group */
#endif

#ifdef ADDER
#define touch skip
#else
#define touch assert(!gone)
#endif

/* wsfj_group_finish(): `last` says that the caller must resume the waiter. */
inline finish(me, tasks)
{
    touch;
    load(me, COUNT, state);
#ifdef BREAK_STEPS /* GROUP-2 */
    d_step { touch; sb_flush(me); state = mem[COUNT]; mem[COUNT] = state - ONE }
    last = (state == (ONE | WAITING));
    if
    :: last -> cas(me, COUNT, WAITING, 0, ok)
    :: else
    fi;
#else
    do
    :: next = (state == (tasks * ONE | WAITING) -> 0 : state - tasks * ONE);
        touch;
        cas(me, COUNT, state, next, ok); /* GROUP-1, GROUP-2 */
        if
        :: ok -> break
        :: else -> load(me, COUNT, state)
        fi
    od;
    last = (state == (tasks * ONE | WAITING));
#endif
#ifdef BREAK_TOUCH /* GROUP-1: a waiter that has arrived meanwhile */
    touch;
    load(me, COUNT, next);
#endif
    if
    :: last ->
        touch;
        load(me, WAITER, state);
        assert(state == 1);
        store(me, WAITER, 0, RLX)
    :: else
    fi;
    atomic { next = 0; ok = 0; state = 0 }
}

/* The waiter goes on, on thread p. */
inline resume(p)
{
    d_step { assert(on_stack == 0); on_stack = 1 }
    load(p, SAVED, state);
    assert(state == 1);
    go_on(p)
}

inline go_on(p)
{
    if
    :: added == 2 -> load(p, RESULT + 1, state); assert(state == 1)
    :: else
    fi;
#ifdef ROW
    if
    :: same -> load(p, RESULT + 2, state); assert(state == 1)
    :: else
    fi;
#endif
    load(p, RESULT, state);
    assert(state == 1);
    gone = 1;
#ifndef ADDER
    store(p, COUNT, GONE, RLX);
    store(p, WAITER, GONE, RLX);
    fence(p)
#endif
}

proctype task(byte me)
{
    byte state, next;
    bit ok, last;

#ifdef ADDER
    if
    :: me == 2 -> d_step { mem[COUNT] = mem[COUNT] + ONE }
    :: else
    fi;
#endif
    store(me, RESULT + me - 1, 1, RLX);
    finish(me, 1);
    if
    :: last -> resume(me)
    :: else
    fi
}

#ifdef ROW
/* wsfj_detached_run() */
proctype row(byte me)
{
    byte state, next;
    bit ok, last;

    store(me, RESULT, 1, RLX);
    if
    :: same -> store(me, RESULT + 2, 1, RLX); finish(me, 2) /* GROUP-4 */
    :: else ->
#ifdef BREAK_ROW /* GROUP-4 */
        gone;
#endif
        finish(me, 1)
    fi;
    if
    :: last -> resume(me)
    :: else
    fi;
    gone
}
#endif

/* Saves the registers on the stack; the thread goes to its loop. */
inline leave()
{
    store(0, SAVED, 1, RLX);
    on_stack--
}

/* begin_waiting(): `ok` says that the fiber is suspended. */
inline begin_waiting()
{
    load(0, COUNT, state);
    do
    :: state < ONE -> store(0, WAITER, 0, RLX); ok = 0; break
    :: state >= ONE ->
        cas(0, COUNT, state, state | WAITING, ok); /* GROUP-3 */
        if
        :: ok -> break
        :: else -> load(0, COUNT, state)
        fi
    od
}

/* wait_after_switch(), which after_suspension() calls. */
proctype waiter()
{
    byte state;
    bit ok;

    load(0, COUNT, state);
    if
    :: state < ONE -> go_on(0)
    :: else ->
        cas(0, WAITER, 0, 1, ok);
#ifdef BREAK_LEAVE /* GROUP-3 */
        begin_waiting();
        leave();
#else
        leave();
        begin_waiting(); /* GROUP-3 */
#endif
        if
        :: ok
        :: else -> resume(0)
        fi
    fi;
    gone /* the waiter goes on elsewhere */
}

init
{
    atomic {
#ifdef ADDER
        mem[COUNT] = ONE;
        added = 1;
#else
        mem[COUNT] = 2 * ONE;
        added = 2;
#endif
        run waiter();
#ifdef ROW
        if
        :: same = 1; mem[COUNT] = 3 * ONE
        :: skip
        fi;
        run row(1);
#else
        run task(1);
#endif
        run task(2)
    };
    _nr_pr == 2; /* drain() and this process */
    fence(0);
    fence(1);
    fence(2);
#ifdef ADDER
    assert(mem[COUNT] == 0)
#else
    assert(mem[COUNT] == GONE && mem[WAITER] == GONE)
#endif
}
