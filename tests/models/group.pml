/* SPDX-License-Identifier: MIT */
/*
 * group.pml - GROUP-1 to GROUP-4: lib/queue/group.c, wait_inside() in lib/api/group_wait.c, lib/sched/detached.c.
 *
 * A fiber waits for a group of two tasks on two other threads. When it goes on the group is gone: the fiber reuses its
 * memory. With ADDER task 2 is submitted at any time, by a thread that may be late: then the group stays. With TWO a thread
 * waits as well, and the group is gone when both are back. Checked: no thread touches the group after it is gone; one
 * thread at a time is on the waiter's stack, with its registers and all results; each waiter goes on exactly once.
 *
 * With ROW another task follows task 1 on its stack: a third one of the group, or one that relies on the waiter.
 *
 * Elsewhere: how a waiter comes into the wait table, and out of it (wait.pml). Here that is one step under the lock.
 */
#ifdef TWO
#define NP 4
#define WAITERS 2
#else
#define NP 3
#define WAITERS 1
#endif
#define CAP 3

/* Locations. COUNT: wsfj_state. */
#define COUNT 0
#define RESULT 1
#define SAVED 4
#define NLOC 5
#include "memory.pml"

#define WAITING 1
#define ONE 2
#define GONE 99

bit gone, locked, queued, queued_outside;
byte on_stack = 1;
byte added, went_on;
#ifdef ROW
bit same; /* the task that follows is of the group */
#endif

#define touch assert(!gone)

/* The bucket's lock. */
inline lock(me)
{
    d_step { !locked -> locked = 1; sb_flush(me) }
}

inline unlock(me)
{
    d_step { sb_flush(me); locked = 0 }
}

/* All tasks have ended. The last waiter uses the group's memory for something else. */
inline go_on(p)
{
    if
    :: seen == 2 -> load(p, RESULT + 1, state); assert(state == 1)
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
    d_step {
        went_on++;
        gone = (went_on == WAITERS && seen == 2)
    };
    if
    :: gone -> store(p, COUNT, GONE, RLX); fence(p)
    :: else
    fi
}

/* wsfj_group_done; `seen`: how many of the two tasks it tells of */
inline look(p)
{
    touch;
    d_step { sb_view(p, COUNT, state); seen = added }
}

/* Under the lock. `ok` says that the waiter is to wait. */
inline must_wait(me)
{
    touch;
    load(me, COUNT, state);
    do
    :: state < ONE -> ok = 0; break
    :: state >= ONE && (state & WAITING) -> ok = 1; break
    :: state >= ONE && !(state & WAITING) ->
        touch;
        cas(me, COUNT, state, state | WAITING, ok); /* GROUP-3 */
        if
        :: ok -> break
        :: else -> load(me, COUNT, state)
        fi
    od
}

#ifdef BREAK_LOCK /* GROUP-3 */
#define queue_unless_done(p, flag) \
    must_wait(p); \
    lock(p); \
    flag = ok; \
    unlock(p)
#else
#define queue_unless_done(p, flag) \
    lock(p); \
    must_wait(p); \
    flag = ok; \
    unlock(p)
#endif

/* The fiber is on thread p: it waits until no task remains. In the loop, wait_unless_wanted(): GROUP-3. */
inline wait_inside(p)
{
    do
    :: look(p);
        if
        :: state < ONE -> go_on(p); break
        :: else
        fi;
        store(p, SAVED, 1, RLX);
        on_stack--;
        queue_unless_done(p, queued);
        if
        :: ok -> break
        :: else -> on_stack++
        fi
    od
}

/* The fiber goes on, on thread p. */
inline resume(p)
{
    d_step { assert(on_stack == 0); on_stack = 1 }
    load(p, SAVED, state);
    assert(state == 1);
    wait_inside(p)
}

/* wsfj_table_take */
inline take(me)
{
    lock(me);
    d_step { fiber = queued; queued = 0; queued_outside = 0 }
    unlock(me);
    if
    :: fiber -> resume(me)
    :: else
    fi
}

/* wsfj_group_finish() */
inline finish(me, tasks)
{
    touch;
    load(me, COUNT, state);
#ifdef BREAK_STEPS /* GROUP-2 */
    d_step { touch; sb_flush(me); state = mem[COUNT]; mem[COUNT] = state - tasks * ONE }
    last = (state == (tasks * ONE | WAITING));
    if
    :: last -> touch; cas(me, COUNT, WAITING, 0, ok)
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
#ifdef BREAK_TOUCH /* GROUP-1: a waiter that has looked in meanwhile */
    touch;
    load(me, COUNT, next);
#endif
    if
    :: last -> take(me)
    :: else
    fi;
    atomic { next = 0; ok = 0; state = 0; fiber = 0 }
}

proctype task(byte me)
{
    byte state, next, seen;
    bit ok, last, fiber;

#ifdef ADDER
    if
    :: me == 2 -> d_step { touch; mem[COUNT] = mem[COUNT] + ONE; added = 2 }
    :: else
    fi;
#endif
    store(me, RESULT + me - 1, 1, RLX);
    finish(me, 1)
}

#ifdef ROW
/* wsfj_detached_run() */
proctype row(byte me)
{
    byte state, next, seen;
    bit ok, last, fiber;

    store(me, RESULT, 1, RLX);
    if
    :: same -> store(me, RESULT + 2, 1, RLX); finish(me, 2) /* GROUP-4 */
    :: else ->
#ifdef BREAK_ROW /* GROUP-4 */
        gone;
#endif
        finish(me, 1)
    fi;
    gone
}
#endif

proctype waiter()
{
    byte state, seen;
    bit ok;

    wait_inside(0)
}

#ifdef TWO
/* wsfj_group_wait_outside */
proctype outside()
{
    byte state, seen;
    bit ok;

    do
    :: look(3);
        if
        :: state < ONE -> go_on(3); break
        :: else
        fi;
        queue_unless_done(3, queued_outside);
        !queued_outside
    od
}
#endif

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
#ifdef TWO
        run outside();
#endif
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
    d_step { sb_flush(0); sb_flush(1); sb_flush(2) };
    assert(went_on == WAITERS);
    assert(mem[COUNT] == (gone -> GONE : 0))
}
