/* SPDX-License-Identifier: MIT */
/*
 * lookout.pml - PARK-13, the lookout: lib/idle/outside.c, lookout.c, timer.c.
 *
 * A worker sleeps as the lookout, until a deadline that never comes here. A waker makes it AWAKE; with ADDER a task elsewhere
 * waits until an earlier time instead; with WITHDRAWN the first deadline is withdrawn, and a later one, which comes, follows. Checked:
 * the lookout wakes up for all. With SOURCE a thread that serves no worker adds the
 * first poll source while the worker falls asleep. Checked: the worker becomes the lookout, or is woken.
 *
 * Elsewhere: who becomes the lookout, and its descriptors, which the kernel shows at any time.
 */
#define NP 2
#define CAP 3

/* Locations. PARK: 1 is AWAKE. FIRST: the first deadline. UNTIL: wsfj_lookout_until. WAITS: 1: there is something to look for.
 * ASLEEP: the worker is counted as a sleeper. */
#define PARK 0
#define LOOKOUT 1
#define UNTIL 2
#define FIRST 3
#define WAITS 4
#define ASLEEP 5
#define NLOC 6
#include "memory.pml"

#define SOON 1
#define LATE 2
#define NEVER 3
#ifdef WITHDRAWN
#define COMES LATE
#else
#define COMES SOON
#endif

bool poked; /* the eventfd */

proctype sleeper()
{
    byte x, until, park;
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
            load_seq(0, FIRST, until);
            store_seq(0, UNTIL, until); /* PARK-13: sleep_as_lookout() */
            x = until;
#ifndef BREAK_FIRST            /* PARK-13 */
            load_seq(0, FIRST, x); /* PARK-13: sleep_as_lookout() */
#endif
#ifndef BREAK_LONGER /* PARK-13 */
            if
            :: until < x -> x = until
            :: else
            fi;
#endif
            if
            :: x <= COMES
            :: x > COMES -> poked; poked = false
            fi
        fi;
#ifdef WITHDRAWN
        load_seq(0, FIRST, x);
        if
        :: x == LATE -> break
        :: else
        fi;
#elif defined ADDER
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

/* Becomes the lookout if there is something to look for; else it sleeps until it is woken. */
proctype faller()
{
    byte x;

    store_seq(0, ASLEEP, 1);
    load_seq(0, WAITS, x); /* PARK-13: wsfj_lookout_has_to() */
    if
    :: x
    :: else -> poked
    fi
}

proctype source()
{
    byte x;

#ifdef BREAK_WAITS /* PARK-13 */
    load_seq(1, ASLEEP, x);
    store_seq(1, WAITS, 1)
#else
    store_seq(1, WAITS, 1); /* PARK-13: wsfj_lookout_begin() */
    load_seq(1, ASLEEP, x)
#endif
    ;
    if
    :: x -> poked = true
    :: else
    fi
}

/* The first deadline is withdrawn, and a later one comes. */
proctype withdrawer()
{
    byte x, until;

    store_seq(1, FIRST, NEVER);
    store_seq(1, FIRST, LATE);
    load_seq(1, LOOKOUT, x);
    load_seq(1, UNTIL, until);
    if
    :: x && until > LATE -> poked = true
    :: else
    fi
}

init
{
    atomic {
#ifdef WITHDRAWN
        mem[FIRST] = SOON;
#else
        mem[FIRST] = LATE;
#endif
#ifdef WITHDRAWN
        run sleeper();
        run withdrawer()
#elif defined SOURCE
        run faller();
        run source()
#elif defined ADDER
        run sleeper();
        run adder()
#else
        run sleeper();
        run waker()
#endif
    }
}
