/* SPDX-License-Identifier: MIT */
/*
 * cancel.pml - SCOPE-3, SCOPE-4: lib/api/wait.c, and ws_scope_cancel() and ws_scope_deadline() of include/wsfj/scope.h, which
 * call wsfj_scope_wake().
 *
 * A task waits as a member of a scope, which another thread cancels, or gives an earlier deadline (DEADLINE). Checked: the task
 * does not wait for ever.
 *
 * Elsewhere: the table and its claims (wait.pml).
 */
#define NP 2
#define CAP 3

#define CODE 0   /* with DEADLINE: until when */
#define WAITED 1
#define NLOC 2
#include "memory.pml"

bool locked, queued, woken;

proctype waiter()
{
    byte x;

    atomic { !locked -> locked = true };
#ifdef BREAK_WAITED /* SCOPE-3 */
    store(0, WAITED, 1, REL);
    load(0, CODE, x);
#else
    store_seq(0, WAITED, 1); /* SCOPE-3, SCOPE-4: is_not_cancelled() */
    load_seq(0, CODE, x);    /* SCOPE-3, SCOPE-4: is_not_cancelled() */
#endif
    queued = (x == 0);
    locked = false;
    if
    :: x
    :: else -> woken
    fi
}

proctype canceller()
{
    byte x;

#ifdef BREAK_CODE /* SCOPE-3 */
    load_seq(1, WAITED, x);
    d_step { sb_flush(1); mem[CODE] = 1 }
#elif defined BREAK_DEADLINE /* SCOPE-4 */
    store(1, CODE, 1, REL);
    load(1, WAITED, x);
#else
#ifdef DEADLINE
    store_seq(1, CODE, 1); /* SCOPE-4: wsfj_scope_wake() */
#else
    d_step { sb_flush(1); mem[CODE] = 1 } /* SCOPE-3: wsfj_scope_wake() */
#endif
    load_seq(1, WAITED, x); /* SCOPE-3, SCOPE-4: wsfj_scope_wake() */
#endif
    if
    :: x ->
        atomic { !locked -> locked = true };
        woken = queued;
        locked = false
    :: else
    fi
}

init
{
    atomic { run waiter(); run canceller() }
}
