/* SPDX-License-Identifier: MIT */
/*
 * awake.pml - PARK-11, the awake set: lib/worker/awake.h, wsfj_recheck(), take_asleep() and wsfj_guest_leave() in guest.c,
 * wsfj_park_sleep_on() and wsfj_wake_found().
 *
 * Two guests take the slot of worker 0 one after the other. Each submits a task to the worker's run queue, or none, and
 * leaves at once. With WOKEN the first of them is the worker's own thread, which a waker has counted as a searcher; it
 * moves a task to its run queue. Worker 1 searches everywhere, and falls asleep at any moment; then it visits worker 0 only
 * if that is in the set. Checked: worker 1 runs each task.
 *
 * Elsewhere: what a guest that leaves looks at, and how sleepers are woken (park.pml). Worker 0 is never woken here, so it is
 * not counted as a sleeper. The set is changed by read-modify-writes, which are full fences (memory.pml).
 */
#define NP 3
#define CAP 3

/* Locations. SLOT: worker 0's park word. SET: whether worker 0 is in the set. TAIL: of worker 0's run queue. PARK: worker
 * 1's park word. */
#define SLOT 0
#define SET 1
#define TAIL 2
#define PARK 3
#define NLOC 4
#include "memory.pml"

#define SEARCHER 2
#define AWAKE 0
#define ASLEEP 1

#ifdef WOKEN
byte searching = 2, sleeping; /* idle_counts.c: one word */
#else
byte searching = 1, sleeping;
#endif
byte taken, submitted, guests = 2;

inline change_set(p, to)
{
    d_step { sb_flush(p); mem[SET] = to }
}

/* wsfj_awake_members(), the walk over the set: `x` if worker 0 is visited and has a task. */
inline visit(p)
{
    load_seq(p, SET, x); /* PARK-11 */
    if
    :: x -> d_step { seq_before_load(p); sb_view(p, TAIL, x); x = (x > taken) }
    :: else
    fi
}

/* wsfj_wake_notify() */
inline notify(p)
{
    d_step {
        seq_before_load(p);
        x = (sleeping > 0 && searching == 0);
        if
        :: x -> sb_flush(p); sleeping--; searching++
        :: else
        fi
    }
    if
    :: x -> d_step { mem[PARK] == ASLEEP -> sb_flush(p); mem[PARK] = AWAKE }
    :: else
    fi;
    x = 0
}

inline submit(p)
{
    load(p, TAIL, x);
    submitted++;
    store_seq(p, TAIL, x + 1);
    x = 0;
#ifdef WOKEN
    if
    :: p == 0 -> /* wsfj_wake_found() */
        d_step { sb_flush(p); searching--; x = (searching == 0 && sleeping > 0) }
        if
        :: x -> visit(p)
        :: else
        fi;
        if
        :: x -> notify(p)
        :: else
        fi
    :: else -> notify(p)
    fi
#else
    notify(p)
#endif
}

/* wsfj_awake_enter() of take_asleep(), wsfj_awake_leave() of wsfj_guest_leave(). The worker's own thread does them in
 * wsfj_park_sleep_on() and wsfj_park_sleep(). */
proctype guest(byte me)
{
    byte x;

    d_step { mem[SLOT] == ASLEEP && (me == 0 || guests == 1) -> sb_flush(me); mem[SLOT] = AWAKE }
#ifndef BREAK_ENTER /* PARK-11 */
    change_set(me, 1);
#endif
    if
    :: submit(me)
#ifdef WOKEN
    :: me > 0
#else
    :: true
#endif
    fi;
#ifdef BREAK_ENTER
    change_set(me, 1);
#endif
    d_step { sb_view(me, TAIL, x); x = (x > taken) }
#ifdef BREAK_KEEP /* PARK-11 */
    x = 0;
#endif
#ifdef BREAK_LEAVE /* PARK-11 */
    store_seq(me, SLOT, ASLEEP);
    guests--;
#endif
    if
    :: x
    :: else -> change_set(me, 0) /* PARK-11 */
    fi;
    x = 0;
#ifndef BREAK_LEAVE
    store_seq(me, SLOT, ASLEEP);
    guests--
#endif
}

proctype searcher()
{
    byte x;

    do
    :: d_step { mem[TAIL] > taken -> sb_flush(SEARCHER); taken++ }
    :: true -> /* wsfj_park_sleep() */
        store_seq(SEARCHER, PARK, ASLEEP);
        d_step { sb_flush(SEARCHER); searching--; sleeping++; x = (searching == 0) }
        if
        :: x -> visit(SEARCHER)
        :: else
        fi;
        if
        :: x -> notify(SEARCHER)
        :: else
        fi;
        x = 0;
        if
        :: mem[PARK] == AWAKE
        :: guests == 0 && taken == submitted -> break
        fi
    :: guests == 0 && taken == submitted -> break
    od
}

init
{
    atomic {
        mem[SLOT] = ASLEEP;
        run guest(0);
        run guest(1);
        run searcher()
    }
}
