/* SPDX-License-Identifier: MIT */
/*
 * callers.pml - PARK-12, the last caller: lib/runtime/callers.c, wsfj_park_sleep().
 *
 * Main has ended. The last thread that has called in ends while a worker runs the last detached task, which may submit one
 * more. Both may make a thread that stops the runtime; it looks whether a task remains, as ws_fini() does. Checked: the
 * runtime stops, and not before the last task has ended.
 *
 * Elsewhere: how the counts of tasks are summed (explore/submit). The counts of callers and of idle workers are changed by
 * read-modify-writes, which are full fences (memory.pml).
 */
#define NP 3
#define CAP 3

/* Locations. FINISHED: tasks that have ended. CALLERS: threads that may call in. */
#define FINISHED 0
#define CALLERS 1
#define NLOC 2
#include "memory.pml"

byte submitted = 1, ended;
bool is_due, down;

/* Under the mutex of callers.c. The thread that is made sees all that its maker has seen. */
inline stop_soon(p)
{
    atomic {
        d_step { sb_flush(p) };
        if
        :: is_due
        :: else -> is_due = true; run stop()
        fi
    }
}

/* The thread of stop(), in ws_fini between CLOSING and its decision. */
proctype stop()
{
    byte x;

#ifndef BREAK_DUE /* PARK-12 */
    is_due = false;
#endif
    d_step { sb_view(2, FINISHED, x); x = (x == submitted) }
    if
    :: x -> assert(ended == submitted); down = true
    :: else
    fi
#ifdef BREAK_DUE
    ;
    is_due = false
#endif
}

proctype worker()
{
    byte x;

    do
    :: ended < submitted ->
        if
        :: submitted < 2 -> submitted++ /* the task submits another one */
        :: true
        fi;
        ended++;
        store(0, FINISHED, ended, REL)
    :: else -> break
    od;
#ifdef BREAK_SLEEPER /* PARK-12 */
    load(0, CALLERS, x); /* before it counts itself asleep */
#else
    x = 0;
    d_step { sb_flush(0) } /* wsfj_park_sleep() */
    load_seq(0, CALLERS, x); /* PARK-12 */
#endif
    if
    :: x == 0 -> stop_soon(0)
    :: else
    fi;
    down
}

/* wsfj_callers_end() */
proctype caller()
{
#ifdef BREAK_CALLER /* PARK-12 */
    stop_soon(1);
    d_step { sb_flush(1); mem[CALLERS] = 0 }
#else
    d_step { sb_flush(1); mem[CALLERS] = 0 } /* PARK-12 */
    stop_soon(1)
#endif
}

init
{
    atomic {
        mem[CALLERS] = 1;
        run worker();
        run caller()
    }
}
