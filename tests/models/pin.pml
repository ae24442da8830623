/* SPDX-License-Identifier: MIT */
/*
 * pin.pml - PIN-1: lib/blocking/pin.c, run() in worker.c, lib/blocking/spare.c.
 *
 * A pinned strand waits again and again. Whoever finds it in the queue, which is at once, hands its own place over; the
 * strand's thread, 0, gives away what it had. Two places, a thread at the other one, and one in reserve; with BRACKET a
 * spare thread, to which a place is lent before the strand comes back, in some of the waits. With GUEST thread 0 is a
 * guest, behind whom the place's own thread sleeps; that of the other place works.
 * Checked: the strand goes on on thread 0 only; one thread at a place; nobody gives away a place that is another's, and
 * there is somebody to give it to; no place is served by nobody for ever.
 * Elsewhere: lending, and taking back in time (block.pml); waking (park.pml). Not here: a strand that can go on at once,
 * several pinned ones, a guest that finds one and leaves it in the queue.
 */
#ifndef TIMES
#define TIMES 3
#endif
#ifndef PLACES
#define PLACES 2
#endif
#ifdef BRACKET
#define NP 4
#else
#define NP 3
#endif
#define CAP 4

/* Locations. TURN, PLACE: of thread 0; PINNED, RESERVE: of the strand; ORDER: of the threads, a place and one; PARK: of the
 * places. */
#define TURN 0
#define PLACE 1
#define PINNED 2
#define RESERVE 3
#define ORDER 4
#define PARK 8
#define NLOC 10
#include "memory.pml"

#define AWAKE 0
#define BEHIND 1

byte server[PLACES]; /* who serves a place, and one; 0: nobody */
bit queued, fin;
byte idle = NP; /* a spare thread; NP: none */

inline arrive(p, at)
{
    d_step { assert(server[at] == 0); server[at] = (p) + 1 }
}

inline leave(p, at)
{
    d_step { assert(server[at] == (p) + 1); server[at] = 0 }
}

/* announce() */
inline announce()
{
#ifndef BREAK_ANNOUNCE
    store(0, PINNED, 1, RLX);
#endif
    store(0, TURN, 0, RLX)
}

/* `left`: the queue has a mutex. */
inline enqueue()
{
    d_step { sb_flush(0); queued = 1 }
#ifdef BREAK_ANNOUNCE /* PIN-1 */
    ; store(0, PINNED, 1, RLX)
#endif
}

/* await_place() */
inline await_place()
{
    mem[TURN] == 1; /* PIN-1 */
    load(0, PLACE, place);
    arrive(0, place)
}

/* wsfj_pin_left() */
inline wait_for_something()
{
    load(0, RESERVE, reserve);
    store(0, RESERVE, 0, RLX);
    announce();
    enqueue();
#ifdef BREAK_SAVED /* PIN-1: the place it has now */
    load(0, PLACE, place);
#endif
    leave(0, place);
#ifdef GUEST
    store_seq(0, PARK + place, AWAKE); /* wsfj_guest_lend() */
#else
    assert(reserve > 0);
    store(0, ORDER + reserve, place + 1, REL); /* wsfj_spare_send() */
#endif
    await_place()
}

/* lend() in blocking.c, and wsfj_pin_return() */
inline block()
{
    d_step { reserve = idle; idle = NP }
    leave(0, place);
    store(0, ORDER + reserve, place + 1, REL);
    announce();
    enqueue();
    await_place()
}

proctype pinned()
{
    byte place, reserve, times;

    arrive(0, 0);
    do
    :: times < TIMES ->
        times++;
        if
        :: wait_for_something()
#ifdef BRACKET
        :: idle < NP -> block()
#endif
        fi;
        reserve = 0
    :: times == TIMES -> break
    od;
    fin = 1
}

/* wsfj_pin_hand_over() */
inline hand_over(me)
{
    d_step { queued -> queued = 0 } /* the mutex */
    load(me, PINNED, value);
    assert(value == 1); /* else it goes on here */
    leave(me, place);
#ifdef GUEST
#ifndef BREAK_GUEST
    store_seq(me, PARK + place, BEHIND); /* PIN-1: before the guest may leave */
#endif
#else
    load(me, RESERVE, value);
    if
    :: value == 0 ->
#ifndef BREAK_RESERVE
        store(me, RESERVE, me, RLX)
#else
        skip
#endif
    :: else -> assert(idle == NP); idle = me
    fi;
#endif
    store(me, PINNED, 0, RLX);
    store(me, PLACE, place, RLX);
#ifdef BREAK_RELEASE /* PIN-1 */
    store(me, TURN, 1, RLX);
#else
    store(me, TURN, 1, REL); /* PIN-1: the last touch */
#endif
#ifdef BREAK_RESERVE /* PIN-1 */
    if
    :: value == 0 -> store(me, RESERVE, me, RLX)
    :: else
    fi;
#endif
#if defined GUEST && defined BREAK_GUEST /* PIN-1 */
    store_seq(me, PARK + place, BEHIND);
#endif
    value = 0
}

/* A thread, from when it has no place. */
proctype thread(byte me)
{
    byte place, value;

    do
#ifdef GUEST
    :: sb_n[me] == 0 && mem[PARK + me - 1] == AWAKE -> place = me - 1; /* wsfj_park_sleep_on(): it sees its own stores */
#else
    :: mem[ORDER + me] > 0 ->
        swap(me, ORDER + me, 0, place); /* await_order() */
        place--;
#endif
        arrive(me, place);
        if
        :: hand_over(me)
        :: fin -> break
        fi;
        place = 0
    :: fin -> break
    od
}

init
{
    atomic {
        mem[RESERVE] = 2;
#ifdef BRACKET
        idle = 3;
        run thread(3);
#endif
#ifdef GUEST
        mem[RESERVE] = 0;
        mem[PARK] = BEHIND;
#else
        mem[ORDER + 1] = 2;
#endif
        run pinned();
        run thread(1);
#if !defined GUEST || PLACES > 1
        run thread(2)
#endif
    }
}
