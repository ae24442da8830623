/* SPDX-License-Identifier: MIT */
/*
 * pin.pml - PIN-1: lib/blocking/pin.c, run() in serve.c, lib/blocking/spare.c.
 *
 * A pinned fiber waits several times. Each time it is in the queue at once, and the thread that finds it there hands
 * over its own slot; the fiber's thread, 0, gave its slot away before. Two slots; another thread serves the other slot,
 * and one thread is in reserve. With BLOCKING there is a spare thread, to which a slot is lent before the fiber comes
 * back, in some of the waits. With GUEST thread 0 is a guest, behind which the slot's own thread sleeps; the other
 * slot's thread works.
 *
 * Checked: the fiber goes on only on thread 0; one thread serves a slot; no thread gives away the slot of another, and
 * there is a thread to give it to; no slot stays without a thread for ever.
 *
 * Elsewhere: lending, and taking back in time (block.pml); waking (park.pml). Not here: a fiber that can go on at once,
 * several pinned fibers, a guest that finds one and leaves it in the queue.
 */
#ifndef TIMES
#define TIMES 3
#endif
#ifndef SLOTS
#define SLOTS 2
#endif
#ifdef BLOCKING
#define NP 4
#else
#define NP 3
#endif
#define CAP 4

/* Locations. TURN, SLOT: of thread 0; PINNED, RESERVE: of the fiber; ORDER: of the threads, a slot plus 1; PARK: of the
 * slots. */
#define TURN 0
#define SLOT 1
#define PINNED 2
#define RESERVE 3
#define ORDER 4
#define PARK 8
#define NLOC 10
#include "memory.pml"

#define AWAKE 0
#define BEHIND 1

byte server[SLOTS]; /* the thread that serves a slot, plus 1; 0: none */
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

/* expect_slot() */
inline expect_slot()
{
#ifndef BREAK_ANNOUNCE
    store(0, PINNED, 1, RLX);
#endif
    store(0, TURN, 0, RLX)
}

/* `left`: the queue has a mutex. Another thread finds the fiber there: wsfj_pin_hand_over(). */
inline enqueue()
{
    d_step { sb_flush(0); queued = 1 }
#ifdef BREAK_ANNOUNCE /* PIN-1 */
    ; store(0, PINNED, 1, RLX)
#endif
}

/* await_slot() */
inline await_slot()
{
    mem[TURN] == 1; /* PIN-1 */
    load(0, SLOT, slot);
    arrive(0, slot)
}

/* wsfj_pin_after_switch, then await_slot() */
inline wait_for_something()
{
    load(0, RESERVE, reserve);
    store(0, RESERVE, 0, RLX);
    expect_slot();
    enqueue();
#ifdef BREAK_SAVED /* PIN-1: the slot that the thread has now */
    load(0, SLOT, slot);
#endif
    leave(0, slot);
#ifdef GUEST
    store_seq(0, PARK + slot, AWAKE); /* wsfj_park_lend */
#else
    assert(reserve > 0);
    store(0, ORDER + reserve, slot + 1, REL); /* wsfj_spare_send */
#endif
    await_slot()
}

/* lend() in blocking.c, and wsfj_pin_return() */
inline block()
{
    d_step { reserve = idle; idle = NP }
    leave(0, slot);
    store(0, ORDER + reserve, slot + 1, REL);
    expect_slot();
    enqueue();
    await_slot()
}

proctype pinned()
{
    byte slot, reserve, times;

    arrive(0, 0);
    do
    :: times < TIMES ->
        times++;
        if
        :: wait_for_something()
#ifdef BLOCKING
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
    assert(value == 1); /* else the fiber goes on here */
    leave(me, slot);
#ifdef GUEST
#ifndef BREAK_GUEST
    store_seq(me, PARK + slot, BEHIND); /* PIN-1: before the guest may leave */
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
    store(me, SLOT, slot, RLX);
#ifdef BREAK_RELEASE /* PIN-1 */
    store(me, TURN, 1, RLX);
#else
    store(me, TURN, 1, REL); /* PIN-1: the last access */
#endif
#ifdef BREAK_RESERVE /* PIN-1 */
    if
    :: value == 0 -> store(me, RESERVE, me, RLX)
    :: else
    fi;
#endif
#if defined GUEST && defined BREAK_GUEST /* PIN-1 */
    store_seq(me, PARK + slot, BEHIND);
#endif
    value = 0
}

/* A thread that has no slot. */
proctype thread(byte me)
{
    byte slot, value;

    do
#ifdef GUEST
    :: sb_n[me] == 0 && mem[PARK + me - 1] == AWAKE -> slot = me - 1; /* wsfj_park_sleep_on(): it sees its own stores */
#else
    :: mem[ORDER + me] > 0 ->
        swap(me, ORDER + me, 0, slot); /* await_order() */
        slot--;
#endif
        arrive(me, slot);
        if
        :: hand_over(me)
        :: fin -> break
        fi;
        slot = 0
    :: fin -> break
    od
}

init
{
    atomic {
        mem[RESERVE] = 2;
#ifdef BLOCKING
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
#if !defined GUEST || SLOTS > 1
        run thread(2)
#endif
    }
}
