/* SPDX-License-Identifier: MIT */
/*
 * park.pml - PARK-1 to PARK-7: lib/park.c, census.c, look.c, retire.c, attend.c, the loop of worker.c.
 *
 * Worker 0 makes work and is busy until all of it has been started; workers 1 and 2 search, run and sleep. What is made:
 *
 *   SPAWN   tasks on worker 0's stack (PARK-1, PARK-2)
 *   CARRY   the same after a change to a stack that has been suspended, with or without children (PARK-3)
 *   SUBMIT  one task by a foreign thread in the global queue, and unless TASKS is 1 one in worker 0's ring (PARK-5)
 *   RETIRE  the same, while worker 2 becomes surplus, and with RAISE is allowed again (PARK-7)
 *
 * A task ends at once, or the last but one waits until the last one has been started. So a task that lies while a worker
 * sleeps, for ever, is an invalid end state; so are a claim or a searcher too many in the counts at the end, and a worker
 * that stays retired. Checked by assertion: for each claim there is a sleeper (PARK-4).
 * Narrower than the code: a steal is one step (deque.pml, ring.pml), so an owner that exposes never finds the lock taken;
 * at most one searches (PARK-6, fewer than 8 workers); no guests, phases and polls; no barrier is refused; only worker 0's
 * stacks have tasks. Where only submitting is looked at there is no barrier: it needs none.
 */
#ifndef TASKS
#define TASKS 2
#endif
#ifndef CAP
#define CAP 3
#endif
#if defined SUBMIT || defined RETIRE
#define FOREIGN
#define NP 4
#else
#define NP 3
#endif

/* Locations. PARK: of workers 1 and 2. STACK: what worker 0 runs. LIMIT: of stacks 1 and 2. MADE: tasks ever put into a
 * queue: the deques of stacks 1 and 2, worker 0's ring, the global queue. */
#define PARK 0
#define STACK 2
#define LIMIT 3
#define MADE 5
#define ALLOWED 9
#define NLOC 10
#include "memory.pml"
#include "park_steps.pml"

/* One look everywhere: `ok` if a task is ours. */
inline take(me, queue)
{
    if
    :: !ok ->
        load(me, MADE + queue, n);
        d_step {
            ok = (n > taken[queue]);
            if
            :: ok -> taken[queue]++
            :: else
            fi;
            n = 0
        }
    :: else
    fi
}

inline look(me)
{
    ok = 0;
    load(me, STACK, s);
    if
    :: s > 0 -> take(me, s - 1)
    :: else
    fi;
    s = 0;
#ifdef FOREIGN
    take(me, GLOBAL);
    take(me, RING)
#endif
}

inline execute()
{
    d_step { ok = 0; started++; last = (started + 1 == TASKS) }
    if
    :: skip
#ifndef SHORT
    :: last -> started == TASKS /* there is one worker for the one task left */
#endif
    fi;
    last = 0
}

proctype worker(byte me)
{
    byte s, n, sb_other;
    bit ok, last, counted, seen;

    counted = 1;
    do
    :: counted ->
        load_seq(me, ALLOWED, n);
        if
        :: me < n -> n = 0; look(me)
        :: else -> n = 0
        fi;
        if
        :: ok ->
            found(me);
            execute();
            /* wsfj_park_search(), PARK-6 */
            d_step {
                sb_flush(me);
                counted = (searching < 1);
                searching = searching + counted
            }
        :: else -> goto idle
        fi
    :: !counted ->
idle:
        load_seq(me, ALLOWED, n);
        if
        :: me < n -> n = 0; sleep(me)
        :: else ->
            n = 0;
            if
            :: !counted -> d_step { sb_flush(me); searching++ }
            :: else
            fi;
            retire(me)
        fi;
        d_step { counted = 0; resting++ }
        if
        :: d_step { mem[park(me)] == AWAKE -> counted = 1; resting-- }
        :: makers == 0 && resting == 2 && searching == 0 && claims == 0 && sleeping == sleepers &&
           mem[park(1)] == ASLEEP && (mem[park(2)] == ASLEEP || (mem[park(2)] == RETIRED && mem[ALLOWED] == 2)) ->
            break /* all is done, and the counts are right */
        fi
    od
}

/* A spawn on stack s; T is what its owner knows the tail to be. */
inline spawn()
{
    t++;
#ifdef BREAK_LIMIT /* PARK-1 */
    load(0, LIMIT + s - 1, n);
    store(0, MADE + s - 1, t, REL);
#else
    store(0, MADE + s - 1, t, REL);
    load(0, LIMIT + s - 1, n); /* PARK-1 */
#endif
    if
    :: n == LOWERED -> attend()
    :: else
    fi;
    n = 0
}

/* wsfj_spawn_slow() */
inline attend()
{
#ifdef BREAK_OVERWRITE /* PARK-1: the counts of before the request */
    claim(0, 1);
    if
    :: ok -> wake_claimed(0)
    :: else
    fi;
    swap(0, LIMIT + s - 1, SOFT, n);
#else
    swap(0, LIMIT + s - 1, SOFT, n);
    if
    :: t > taken[s - 1] -> notify(0)
    :: t <= taken[s - 1]
#ifndef BREAK_REQUEST /* PARK-1 */
        -> store(0, LIMIT + s - 1, LOWERED, REL)
#endif
    fi;
#endif
    ok = 0
}

inline submit(p, queue)
{
#ifdef BREAK_SUBMIT /* PARK-5 */
    store(p, MADE + queue, 1, REL);
#else
    store_seq(p, MADE + queue, 1); /* PARK-5 */
#endif
    notify(p);
    ok = 0
}

proctype maker()
{
    byte s, n, t, sb_other;
    bit ok;

    s = 1;
#ifdef CARRY
    /* The task ends; the worker runs another stack instead, that has been suspended without or with a child. */
    store(0, STACK, 0, RLX);
    s = 2;
    if
    :: t = 0
    :: t = 1; store(0, MADE + 1, 1, RLX); fence(0) /* whoever resumes it has it from a queue or a join counter */
    fi;
#ifdef BREAK_PUBLISH /* PARK-3 */
    store(0, STACK, s, REL);
#else
    store_seq(0, STACK, s); /* PARK-3 */
#endif
#ifndef BREAK_CARRY
    carry_over();
#endif
#endif
#ifdef FOREIGN
#if TASKS > 1
    submit(0, RING);
#endif
#else
    do
    :: t < TASKS -> spawn()
    :: else -> break
    od;
#endif
    started == TASKS;
    makers--
}

#ifdef FOREIGN
proctype foreign()
{
    byte s, n, sb_other;
    bit ok, last;

#ifdef RETIRE
    store_seq(3, ALLOWED, 2);
#endif
    submit(3, GLOBAL);
#ifdef RAISE
    store_seq(3, ALLOWED, 3);
    recall(3, 2);
#endif
    makers--
}
#endif

init
{
    atomic {
        mem[STACK] = 1;
        mem[LIMIT] = LOWERED; /* wsfj_stack_refresh() */
        mem[LIMIT + 1] = SOFT;
        mem[ALLOWED] = 3;
        searching = 2;
        makers = 1;
        run maker();
#ifdef FOREIGN
        makers = 2;
        run foreign();
#endif
        run worker(1);
        run worker(2)
    }
}
