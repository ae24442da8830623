/* SPDX-License-Identifier: MIT */
/*
 * wait.pml - WAIT-1 to WAIT-4: lib/wait/table.c, the loop of serve.c.
 *
 * A fiber waits for the first of two words; each is changed by a thread of its own, which wakes the fiber. When the
 * fiber is back, its stack with nodes and waiter is used for something else. Checked: the waiter goes on exactly once, after
 * it has left its stack, and what it says that it has waited for has come; no waker touches its nodes and its state after
 * that, and no node stays in the table.
 *
 * With ONE_KEY it waits for one word. With SAME the two nodes are in one bucket. With THREAD a thread waits. With TIMER the
 * second word is a time: a timer claims the waiter, under a lock of its own.
 */
#define NP 3
#define CAP 3

#ifdef ONE_KEY
#define KEYS 1
#else
#define KEYS 2
#endif
#ifdef TIMER
#define NODES 1
#else
#define NODES KEYS
#endif

/* Locations. QUEUED: whether the node is in its queue. */
#define LOCK 0
#define WORD 2
#define STATE 4
#define QUEUED 5
#define SAVED 7
#define NLOC 8
#include "memory.pml"

/* States. FIRST and above: the word with this number has changed. */
#define ARMING 0
#define WAITING 1
#define FIRST 2
#define GONE 99

#ifdef SAME
#define bucket(k) LOCK
#else
#define bucket(k) (LOCK + (k))
#endif

bit gone, timer_lock, timed;
byte on_stack = 1;
byte went_on;

#define touch assert(!gone)

/* wsfj_table_lock */
inline lock(p, k)
{
    d_step { mem[bucket(k)] == 0 -> sb_flush(p); mem[bucket(k)] = 1 }
}

inline unlock(p, k)
{
    store(p, bucket(k), 0, REL)
}

/* In wsfj_waiter_disarm(): takes a node out unless its waker has. */
inline unlink(p, k)
{
#ifndef BREAK_UNLOCKED /* WAIT-4 */
    lock(p, k); /* WAIT-4 */
#endif
    load(p, QUEUED + k, x);
    if
    :: x == 1 -> store(p, QUEUED + k, 0, RLX)
    :: else
    fi;
#ifndef BREAK_UNLOCKED
    unlock(p, k)
#endif
}

/* The waiter is back, on thread p. */
inline disarm(p)
{
    load(p, STATE, state);
    k = 0;
    do
    :: k < NODES ->
#ifndef BREAK_LEFT /* WAIT-4 */
        if
        :: state == FIRST + k
        :: else -> unlink(p, k)
        fi;
#endif
        k++
    :: else -> break
    od;
    k = 0;
#ifdef TIMER
    d_step { !timer_lock -> timed = 0 }
#endif
    skip
}

/* From here on the stack has something else. */
inline go_on(p)
{
    disarm(p);
    assert(state >= FIRST && state < FIRST + KEYS);
    load(p, WORD + state - FIRST, x);
    assert(x == 1);
    d_step { gone = 1; went_on++ }
    store(p, STATE, GONE, RLX);
    store(p, QUEUED, GONE, RLX);
    store(p, QUEUED + 1, GONE, RLX);
    fence(p)
}

/* The fiber goes on, on thread p. */
inline resume(p)
{
    d_step { assert(on_stack == 0); on_stack = 1 }
    load(p, SAVED, x);
    assert(x == 1);
    go_on(p)
}

/* `claimed`: the caller must resume the waiter. */
inline claim(p, as)
{
    claimed = 0;
    touch;
#ifdef BREAK_ALONE /* WAIT-2 */
    ok = 0;
#else
    cas(p, STATE, ARMING, as, ok); /* WAIT-2 */
#endif
#ifdef BREAK_RESUME /* WAIT-2 */
    claimed = ok;
#endif
    if
    :: ok
    :: else -> touch; cas(p, STATE, WAITING, as, claimed) /* WAIT-2, WAIT-3: the last touch */
    fi
}

/* wsfj_table_take: as much as concerns this key's node. */
inline take(p, k)
{
    lock(p, k);
    load(p, QUEUED + k, x);
    if
    :: x == 1 ->
#ifdef BREAK_LATE /* claims first */
        claim(p, FIRST + k);
        touch;
        store(p, QUEUED + k, 0, RLX);
#else
        touch;
        store(p, QUEUED + k, 0, RLX);
        claim(p, FIRST + k);
#endif
    :: else
    fi;
    unlock(p, k)
}

inline wake(p)
{
#ifdef THREAD
    skip /* the futex: the thread sees its state */
#else
    if
    :: claimed -> resume(p)
    :: else
    fi
#endif
}

proctype waker(byte me)
{
    byte state, x, k;
    bit ok, claimed;

#ifdef BREAK_CHANGE /* too late */
    take(me, me - 1);
    store(me, WORD + me - 1, 1, REL);
#else
    store(me, WORD + me - 1, 1, REL);
    take(me, me - 1);
#endif
    wake(me)
}

#ifdef TIMER
/* The timers, under their lock */
proctype timer(byte me)
{
    byte state, x, k;
    bit ok, claimed;

    store(me, WORD + 1, 1, REL);
    d_step { !timer_lock -> sb_flush(me); timer_lock = 1 };
    if
    :: timed -> claim(me, FIRST + 1)
    :: else
    fi;
    d_step { sb_flush(me); timer_lock = 0 };
    wake(me)
}
#endif

/* `ok`: the node is queued. */
inline arm_node(k)
{
#ifdef BREAK_TEST /* WAIT-1 */
    load(0, WORD + k, x);
    lock(0, k);
#else
    lock(0, k);
    load(0, WORD + k, x); /* WAIT-1 */
#endif
    ok = (x == 0);
    if
    :: ok -> store(0, QUEUED + k, 1, RLX)
    :: else
    fi;
    unlock(0, k)
}

/* wsfj_waiter_arm(): `ok` says that the waiter waits. */
inline arm()
{
    k = 0;
    do
    :: k < NODES ->
        arm_node(k);
        if
        :: ok -> k++
        :: else -> cas(0, STATE, ARMING, FIRST + k, ok); ok = 0; break
        fi
    :: else ->
        cas(0, STATE, ARMING, WAITING, ok); /* WAIT-2 */
        break
    od
}

/* Saves the registers on the stack; the thread goes to its loop. */
inline leave()
{
    store(0, SAVED, 1, RLX);
    on_stack--
}

#ifdef THREAD
/* wsfj_waiter_sleep */
proctype waiter()
{
    byte state, x, k;
    bit ok;

    arm();
    if
    :: ok -> mem[STATE] != WAITING
    :: else
    fi;
    go_on(0)
}
#else
/* In the loop after_suspension(), which arms: WAIT-2. */
proctype waiter()
{
    byte state, x, k;
    bit ok;

#ifdef BREAK_LEAVE /* WAIT-2 */
    arm();
    leave();
#else
    leave();
    arm();
#endif
    if
    :: ok
    :: else -> resume(0)
    fi
}
#endif

init
{
    atomic {
        timed = 1;
        run waiter();
        run waker(1);
#ifdef TIMER
        run timer(2)
#else
        if
        :: KEYS == 2 -> run waker(2)
        :: else
        fi
#endif
    };
    _nr_pr == 2; /* drain() and this process */
    d_step { sb_flush(0); sb_flush(1); sb_flush(2) };
    assert(went_on == 1);
    assert(mem[STATE] == GONE && mem[QUEUED] == GONE && mem[QUEUED + 1] == GONE)
}
