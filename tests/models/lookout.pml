/* SPDX-License-Identifier: MIT */
/*
 * lookout.pml - PARK-13, the lookout: lib/idle/outside.c, lookout.c, timer.c.
 *
 * A worker sleeps as the lookout, until a deadline that never comes here. A waker makes it AWAKE; with ADDER a task elsewhere
 * waits until an earlier time instead. Checked: the lookout wakes up for both.
 *
 * Elsewhere: who becomes the lookout, and its descriptors, which the kernel shows at any time.
 */
#define NP 2
#define CAP 3

/* Locations. PARK: 1 is AWAKE. FIRST: the first deadline. UNTIL: wsfj_lookout_until. */
#define PARK 0
#define LOOKOUT 1
#define UNTIL 2
#define FIRST 3
#define NLOC 4
#include "memory.pml"

#define SOON 1
#define LATE 2

bool poked; /* the eventfd */

proctype sleeper()
{
    byte x, park;
    bit ok;

    do
    :: load(0, PARK, park);
        if
        :: park -> break
        :: else
        fi;
#ifdef BREAK_PARK /* PARK-13 */
        load_seq(0, PARK, park); /* before it is the lookout */
        cas(0, LOOKOUT, 0, 1, ok);
#else
        cas(0, LOOKOUT, 0, 1, ok);
        load_seq(0, PARK, park); /* PARK-13: sleep_as_lookout() */
#endif
        if
        :: park
        :: else ->
            load_seq(0, FIRST, x);
            store_seq(0, UNTIL, x); /* PARK-13: sleep_as_lookout() */
#ifndef BREAK_FIRST            /* PARK-13 */
            load_seq(0, FIRST, x); /* PARK-13: sleep_as_lookout() */
#endif
            if
            :: x == SOON
            :: x == LATE -> poked; poked = false
            fi
        fi;
#ifdef ADDER
        load_seq(0, FIRST, x);
        if
        :: x == SOON -> break
        :: else
        fi;
#endif
        store_seq(0, LOOKOUT, 0)
    od
}

proctype waker()
{
    byte x;

#ifdef BREAK_WAKE /* PARK-13 */
    load_seq(1, LOOKOUT, x);
    d_step { sb_flush(1); mem[PARK] = 1 }
#else
    d_step { sb_flush(1); mem[PARK] = 1 }
    load_seq(1, LOOKOUT, x); /* PARK-13: wsfj_lookout_rouse() */
#endif
    if
    :: x -> poked = true
    :: else
    fi
}

proctype adder()
{
    byte x, until;

#ifdef BREAK_ADD /* PARK-13 */
    load_seq(1, LOOKOUT, x);
    load_seq(1, UNTIL, until);
    store_seq(1, FIRST, SOON);
#else
    store_seq(1, FIRST, SOON); /* PARK-13: show_first() */
    load_seq(1, LOOKOUT, x);    /* PARK-13: wsfj_lookout_sooner() */
    load_seq(1, UNTIL, until);  /* PARK-13: wsfj_lookout_sooner() */
#endif
    if
    :: x && until > SOON -> poked = true
    :: else
    fi
}

init
{
    atomic {
        mem[FIRST] = LATE;
        run sleeper();
#ifdef ADDER
        run adder()
#else
        run waker()
#endif
    }
}
