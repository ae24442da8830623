/* SPDX-License-Identifier: MIT */
/*
 * scope.pml - SCOPE-1 and SCOPE-2: lib/task/scope.c, scope_of() of lib/task/deque.c.
 *
 * An owner spawns tasks, takes them back, begins scopes, cancels and ends them in any order that blocks allow; a thief
 * takes tasks. What comes into the memory of a scope after its end looks like a cancelled scope around everything.
 * Checked: a task is dropped only if a scope that it is a member of is cancelled; a thief that takes a member of a scope
 * that was cancelled before the spawn drops it.
 *
 * Elsewhere: private tasks (deque.pml: here every pop takes the lock), the join (join.pml), chains that lead to other
 * stacks: their scopes end after the task.
 */
#ifndef STEPS
#define STEPS 5
#endif
#define NP 2
#ifndef CAP
#define CAP 4
#endif
#define TASKS 2
#define SCOPES 2

/* Locations. W: the descriptors; FIRST, OUTER, CODE: of scopes 1 to SCOPES; the chain is 0 or the number of a scope. */
#define T 0
#define H 1
#define LK 2
#define CHAIN 3
#define W 4
#define FIRST (W + TASKS - 1)
#define OUTER (FIRST + SCOPES)
#define CODE (OUTER + SCOPES)
#define NLOC (CODE + SCOPES + 1)
#include "memory.pml"

/* A descriptor's word. */
#define PENDING 1
#define RAN 2
#define DROPPED 3

/* What is so, whatever the threads see. */
byte open[SCOPES + 1]; /* the scope around each open one; CLOSED */
byte innermost;
bit cancelled[SCOPES + 1];
byte member[TASKS]; /* the innermost scope of the task */
bit before[TASKS];  /* cancelled before its spawn */
byte begins[SCOPES + 1];
bit fin;
#define CLOSED 9

#ifdef BREAK_RELEASE /* SCOPE-1 */
#define CHAIN_ORDER RLX
#else
#define CHAIN_ORDER REL
#endif

inline lock(p)
{
    d_step { mem[LK] == 0 -> rmw_acquire(p, LK); mem[LK] = 1 }
}

inline unlock(p)
{
    store(p, LK, 0, REL)
}

/* Whether a scope from `from` outwards is cancelled. Inside d_step. */
inline any_cancelled(from, found)
{
    found = 0;
    around = from;
    do
    :: around != 0 && around != CLOSED ->
        found = found | cancelled[around];
        around = open[around]
    :: else -> break
    od;
    around = 0
}

inline spawn()
{
    d_step {
        member[t] = innermost;
        any_cancelled(innermost, before[t])
    }
    store(0, W + t, PENDING, RLX);
    t++;
    store(0, T, t, REL)
}

/* wsfj_deque_open_scope(): `s` is closed. */
inline begin(s)
{
    store(0, FIRST + s, t, RLX);
    store(0, OUTER + s, innermost, RLX);
    store(0, CODE + s, 0, RLX);
    d_step { open[s] = innermost; innermost = s; cancelled[s] = 0; begins[s] = t }
    store(0, CHAIN, s, CHAIN_ORDER) /* SCOPE-1 */
}

inline cancel(s)
{
    d_step { sb_flush(0); mem[CODE + s] = 1; cancelled[s] = 1 }
}

/* wsfj_deque_close_scopes(): all members are done. Then its memory is used for something else. */
inline end()
{
    s = innermost;
#ifndef BREAK_LOCK
    lock(0); /* SCOPE-2 */
#endif
    store(0, CHAIN, open[s], RLX);
#ifndef BREAK_LOCK
    unlock(0);
#endif
    d_step { innermost = open[s]; open[s] = CLOSED; cancelled[s] = 0 }
    store(0, FIRST + s, 0, RLX);
    store(0, OUTER + s, 0, RLX);
    store(0, CODE + s, 1, RLX)
}

inline pop()
{
    t--;
    store(0, T, t, REL);
    lock(0);
    load(0, H, h);
    unlock(0);
    if
    :: h > t ->
        mem[W + t] >= RAN;
        load(0, W + t, h);
        if
        :: h == DROPPED ->
            d_step {
                any_cancelled(member[t], found);
                assert(found);
                found = 0
            }
        :: else
        fi;
        lock(0);
        store(0, H, t, RLX); /* wsfj_deque_rebase(): older tasks are stolen, too, and are done when they are popped */
        unlock(0)
    :: else
    fi;
    h = 0
}

#ifdef BREAK_SYNC /* SCOPE-2 */
#define MAY_END 1
#else
#define MAY_END (t == begins[innermost])
#endif

proctype owner()
{
    byte t, h, s, n, around;
    bit found;

    do
    :: n < STEPS && t < TASKS -> n++; spawn()
    :: n < STEPS && open[1] == CLOSED -> n++; begin(1)
    :: n < STEPS && open[2] == CLOSED -> n++; begin(2)
    :: n < STEPS && innermost != 0 && !cancelled[innermost] -> n++; cancel(innermost)
    :: t > 0 && (innermost == 0 || t > begins[innermost]) -> pop()
    :: innermost != 0 && MAY_END -> end()
    :: n == STEPS && t == 0 && innermost == 0 -> break
    od;
    fin = 1
}

/* scope_of(): the innermost scope that the task at h is a member of. */
inline scope_of()
{
    load(1, CHAIN, s); /* SCOPE-1 */
    do
    :: s != 0 ->
#ifdef BREAK_POSITION
        break
#else
        load(1, FIRST + s, v);
        if
        :: v > h -> load(1, OUTER + s, s)
        :: else -> break
        fi
#endif
    :: else -> break
    od
}

/* wsfj_scope_drops(): after the unlock, from `s` outwards. */
inline drops()
{
    v = 0;
    do
    :: s != 0 && v == 0 ->
        load(1, CODE + s, v);
        if
        :: v == 0 -> load(1, OUTER + s, s)
        :: else
        fi
    :: else -> break
    od
}

proctype thief()
{
    byte h, s, v, old, sb_other;
    bit got;

    do
    :: fin -> break
    :: lock(1);
        load(1, H, h);
        load(1, T, v);
        got = v > h;
        if
        :: got ->
            store(1, H, h + 1, RLX);
            scope_of()
        :: else
        fi;
        unlock(1);
        if
        :: got ->
            drops();
            assert(v || !before[h]);
            swap(1, W + h, (v -> DROPPED : RAN), old)
        :: else
        fi;
        d_step { h = 0; s = 0; v = 0; old = 0; got = 0 }
    od
}

init
{
    atomic {
        open[1] = CLOSED;
        open[2] = CLOSED;
        run owner();
        run thief()
    }
}
