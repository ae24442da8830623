/* SPDX-License-Identifier: MIT */
/*
 * preempt.pml - PREEMPT-2: lib/idle/preempt.c and queued.c, and the counts of lib/idle/idle_counts.c that it reads.
 *
 * Two foreign threads put a task each into a queue, and a spawn wakes a sleeper. Meanwhile a worker, which at first
 * searches or sleeps, begins work that never ends; and the preempter begins to watch, finds nothing for a while and
 * sleeps. A task that waits for ever while the preempter sleeps and no worker is idle is an invalid end state.
 *
 * A waker counts a searcher first, then takes the worker out of its sleep, or finds it awake, and then counts it out
 * (PARK-4).
 *
 * Narrower than the code: one worker; a search that finds a task takes it (deque.pml shows that the task's owner gives
 * way); the worker begins its work at once and stays there; no poll, no stop. Here it makes no difference whether an
 * idle worker or the preempter takes a task.
 */
#define NP 5
#define CAP 3

/* Locations. MADE: tasks, by maker. */
#define STATE 0
#define MADE 1
#define NLOC 3
#include "memory.pml"

#define QUIET 0
#define READY 1
#define INSPECTS 2

short searching, sleeping; /* the word of counts: read-modify-writes and loads only, sequentially consistent */
bit asleep;               /* the park word: the same */
byte taken, makers = 3;

/* get_ready, and its first look in wsfj_queued_must_tell(); `inspects` if nothing is to be done when the counts are read. */
inline get_ready(p)
{
    load_seq(p, STATE, n);
#ifdef BREAK_AGAIN /* PREEMPT-2 */
    inspects = (n == INSPECTS || n == QUIET);
#else
    inspects = (n == INSPECTS);
#endif
    if
    :: n == QUIET -> cas(p, STATE, QUIET, READY, ok)
    :: else
    fi;
    n = 0;
    ok = 0
}

/* begin_to_inspect(): wakes the thread, which waits for the state to change. */
inline begin_to_inspect(p)
{
    load_seq(p, STATE, n);
    if
    :: n == READY -> cas(p, STATE, READY, INSPECTS, ok)
    :: else
    fi;
    n = 0;
    ok = 0
}

/* Whether the queues hold a task: `ok`. */
inline pending(p)
{
    load_seq(p, MADE, n);
    ok = (n == 1);
    load_seq(p, MADE + 1, n);
    ok = (n == 1 || ok);
    n = 0
}

/* must_stay_ready(): `ok` if a task waits. */
inline must_stay_ready(p, from)
{
#ifdef BREAK_SETTLE /* PREEMPT-2 */
    pending(p);
    seen = ok;
    cas(p, STATE, from, QUIET, ok);
    ok = seen;
    seen = 0;
#else
    cas(p, STATE, from, QUIET, ok); /* PREEMPT-2: before the queues are read */
    if
    :: ok -> pending(p)
    :: else
    fi;
#endif
    if
    :: ok -> get_ready(p); inspects = 0; ok = 1
    :: else
    fi
}

/* Reads all queues once, and takes the tasks found. */
inline take_all(p)
{
    pending(p);
    if
    :: ok ->
        d_step {
            sb_flush(p);
            taken = taken + mem[MADE] + mem[MADE + 1];
            mem[MADE] = 0;
            mem[MADE + 1] = 0
        }
    :: else
    fi
}

/* One change of the word of counts; `idle` if a worker stays idle. */
inline count(p, more_searching, more_sleeping)
{
    d_step {
        sb_flush(p);
        searching = searching + (more_searching);
        sleeping = sleeping + (more_sleeping);
        idle = (searching > 0 || sleeping > 0)
    }
}

/* wsfj_preempt_fewer_idle() */
inline fewer_idle(p)
{
    if
    :: !idle ->
        load_seq(p, STATE, n);
        if
        :: n == READY ->
            n = 0;
            must_stay_ready(p, READY);
            if
            :: ok -> ok = 0; begin_to_inspect(p)
            :: else
            fi
        :: else -> n = 0
        fi
    :: else -> idle = 0
    fi
}

/* wsfj_wake_notify, then wsfj_preempt_fewer_idle(); a guest does so in take_asleep() */
inline notify(p)
{
    d_step {
        seq_before_load(p);
        ok = (searching == 0 && sleeping > 0);
        if
        :: ok -> sb_flush(p); searching++
        :: else
        fi
    }
    if
    :: ok ->
        d_step { sb_flush(p); ok = asleep; asleep = 0 }
        if
        :: ok -> count(p, 0, -1)
        :: else -> count(p, -1, 0)
        fi;
        ok = 0;
#ifdef BREAK_WAKER /* PREEMPT-2 */
        idle = 0
#else
        fewer_idle(p)
#endif
    :: else
    fi;
    ok = 0
}

/* wsfj_queued(), also after wsfj_queued_must_tell(), which reads the state once. PARK-5: then the counts. An
 * idle worker that leaves them is in the awake set already: wsfj_awake_enter(). */
proctype maker(byte me)
{
    byte n;
    bit ok, seen, idle, inspects;

#ifdef BREAK_PUBLISH /* PREEMPT-2 */
    store(me, MADE + me, 1, REL);
#else
    store_seq(me, MADE + me, 1); /* PREEMPT-2: before the state is read */
#endif
#ifndef BREAK_READY /* PREEMPT-2: before the counts are read */
    get_ready(me);
#endif
    notify(me);
    d_step { seq_before_load(me); ok = (searching == 0 && sleeping <= 0) }
#ifdef BREAK_READY
    get_ready(me);
#endif
    if
    :: ok -> ok = 0; begin_to_inspect(me)
    :: ok && inspects -> ok = 0 /* PREEMPT-2 */
    :: else
    fi;
    inspects = 0;
    makers--
}

/* wsfj_spawn_slow(): the worker gets work that is neither of the two tasks. */
proctype spawner()
{
    byte n;
    bit ok, seen, idle, inspects;

    notify(4);
    makers--
}

/* The worker searches once, or is woken to search, and then begins work without an end. */
proctype worker()
{
    byte n;
    bit ok, seen, idle, inspects;

    !asleep;
    take_all(2);
    ok = 0;
    count(2, -1, 0); /* wsfj_wake_found() */
#ifdef BREAK_LEFT
    idle = 0
#else
    fewer_idle(2)
#endif
}

proctype looker()
{
    byte n;
    bit ok, seen, inspects;

    do
    :: mem[STATE] == INSPECTS ->
        take_all(3);
        if
        :: ok -> ok = 0
        :: else -> /* often enough to rest, or not yet */
            if
            :: must_stay_ready(3, INSPECTS);
                if
                :: ok -> cas(3, STATE, READY, INSPECTS, ok); ok = 0
                :: else
                fi
            :: skip
            fi
        fi
    :: mem[STATE] != INSPECTS && taken == 2 && makers == 0 -> break
    od
}

init
{
    atomic {
        if
        :: searching = 1
        :: sleeping = 1; asleep = 1
        fi;
        if
        :: mem[STATE] = QUIET
        :: mem[STATE] = READY
        :: mem[STATE] = INSPECTS
        fi;
        run maker(0);
        run maker(1);
        run spawner();
        run worker();
        run looker()
    }
}
