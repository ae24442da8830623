/* SPDX-License-Identifier: MIT */
/*
 * deque.pml - THE-1 to THE-7: one owner, two thieves, include/wsfj/inline/fastpath.h, lib/sched/expose.c,
 * lib/task/deque.c.
 *
 * Checked: each task is run once, by the thread that has read that task's content of the descriptor; the owner reaches
 * its end.
 *
 * Wider than the code: a thief needs no hint to try, any spawn may find a request, any try may be forced, any heavy
 * barrier may be refused, a sync may wait for any number of the frame's descriptors. LOCKED: the mode without
 * membarrier.
 *
 * Elsewhere: which fiber may wait where (join.pml), requests (park.pml).
 */
#ifndef TASKS
#define TASKS 3
#endif
#ifndef DESCRIPTORS
#define DESCRIPTORS 2
#endif
#ifndef CAP
#define CAP 4
#endif
#define NP 3
#define DONE 99

/* Locations. W: the descriptors, each with its word only, which stands for the arguments, too. */
#define T 0
#define E 1
#define H 2
#define LK 3
#define P 4
#define W 5
#define NLOC (W + DESCRIPTORS)
#include "memory.pml"

byte ran[TASKS + 1];
bit fin;

inline execute(v)
{
    d_step { assert(v >= 1 && v <= TASKS && ran[v] == 0); ran[v] = 1 }
}

/* expose_to(): the owner holds the lock. THE-7 */
inline expose_to(end)
{
    store(0, E, end, RLX);
    store(0, P, end, RLX)
}

/* Waits for the lock. A location that only the holder writes is read in the same step. */
inline lock(p, h, e)
{
    d_step { mem[LK] == 0 -> rmw_acquire(p, LK); mem[LK] = 1; h = mem[H]; e = mem[E] }
}

#ifdef BREAK_UNLOCK /* THE-4 */
#define UNLOCK_ORDER RLX
#else
#define UNLOCK_ORDER REL
#endif
inline unlock(p)
{
    store(p, LK, 0, UNLOCK_ORDER)
}

#ifdef BREAK_RELEASE /* THE-1 */
#define PUBLISH RLX
#else
#define PUBLISH REL
#endif

/* wsfj_deque_expose(): tries the lock. */
inline expose(t)
{
    if
    :: d_step { mem[LK] == 0 -> rmw_acquire(0, LK); mem[LK] = 1; h = mem[H]; e = mem[E] };
        d_step {
            if
            :: e < h -> e = h
            :: else
            fi
        }
        if
        :: t > e -> expose_to(e + (t - e + 1) / 2)
        :: else
        fi;
        unlock(0)
    :: mem[LK] == 1
    fi
}

/* wsfj_publish_tail(). Another thread reads the tail as wsfj_deque_has_work() does. */
inline push()
{
    n++;
    store(0, W + t, n, RLX);
    store(0, T, t + 1, PUBLISH); /* THE-1 */
    t++;
    if
    :: skip
#ifndef LOCKED
    :: expose(t)
#endif
#ifdef PREEMPT
    :: publish_all()
#endif
    fi
}

/* wsfj_deque_publish_all(), THE-4. PREEMPT-1: wsfj_spawn_slow() calls it, if ask() has asked the fiber. BLOCK-2: so does
 * wsfj_suspended_add(). */
inline publish_all()
{
    lock(0, h, e);
    store(0, E, DESCRIPTORS + 1, RLX);
    unlock(0)
}

/* PREEMPT-1: the owner gives way, other threads run, and a thief may take the child: wsfj_sync_slow(); in a loop
 * wsfj_spawn_full(), wsfj_spawn_brief() and wsfj_loop_turn(). */
inline give_way()
{
    store(0, T, t + 1, REL);
#ifndef BREAK_PREEMPT /* PREEMPT-1 */
    store(0, T, t, REL)
#endif
}

/* reclaim_locked(), wsfj_deque_reclaim_brief(): h <= t says that the descriptor is the owner's. THE-7: expose_to(). */
inline reclaim()
{
#ifdef BREAK_LOCK /* THE-4 */
    load(0, H, h);
#else
    lock(0, h, e);
#ifndef LOCKED
    if
    :: h <= t ->
#ifdef ANY
        select(e : h .. t); /* any value from H to the tail is correct */
        expose_to(e)
#else
#ifdef BREAK_RECLAIM /* THE-7 */
        store(0, E, h + (t - h) / 2, RLX)
#else
        expose_to(h + (t - h) / 2)
#endif
#endif
    :: else
    fi;
#endif
    unlock(0);
#endif
}

/* wsfj_deque_rebase(). THE-7: expose_to(). */
inline rebase()
{
#ifndef BREAK_REBASE
    store(0, T, base, REL); /* THE-5 */
#endif
#ifndef BREAK_REBASE_LOCK
    lock(0, h, e);
#endif
    store(0, H, base, RLX);
#ifndef LOCKED
#ifdef BREAK_OFFER /* THE-7 */
    store(0, E, base, RLX);
#else
    expose_to(base);
#endif
#endif
#ifndef BREAK_REBASE_LOCK
    unlock(0);
#endif
#ifdef BREAK_REBASE
    store(0, T, base, REL);
#endif
}

/* The descriptor and all older ones are stolen. */
inline collect()
{
    assert(h == t + 1);
    select(base : 0 .. t);
    e = base;
    do
    :: e <= t -> mem[W + e] == DONE -> e++
    :: else -> break
    od;
    rebase();
    t = base;
    base = 0
}

/* THE-1: wsfj_publish_tail(), take_back(). THE-2: WSFJ_SYNC_EXIT(), and what force_locked() expects of it. */
inline pop()
{
    t--;
#ifdef BREAK_CHECK /* THE-2 */
    load(0, E, e);
    store(0, T, t, REL);
#else
    store(0, T, t, REL);
    load(0, E, e); /* THE-2 */
#endif
    if
    :: t >= e -> h = 0
    :: else ->
#ifdef PREEMPT
        if
        :: give_way()
        :: skip
        fi;
#endif
        reclaim()
    fi;
    if
    :: h <= t ->
        load(0, W + t, v);
        execute(v)
    :: else -> collect()
    fi;
    d_step { h = 0; e = 0; v = 0 }
}

/* A stack of the pool keeps H, E and T: wsfj_stack_map() sets them once, wsfj_stack_refresh() does not. */
proctype owner()
{
    byte t, n, e, h, v, base;

    do
    :: n < TASKS && t < DESCRIPTORS -> push()
    :: t > 0 -> pop()
#ifdef BREAK_REUSE
    /* THE-6: the stack ends and is taken again. The code keeps H, E and T, so this step does nothing. */
    :: t == 0 && n > 0 && n < TASKS -> store(0, E, 0, RLX)
#endif
    :: n == TASKS && t == 0 -> break
    od;
    do
    :: n > 0 -> assert(ran[n] == 1); n--
    :: else -> break
    od;
    fin = 1
}

/* take_locked(): the descriptor's word is read under the lock. */
inline take(me)
{
    store(me, H, h + 1, RLX);
    load(me, W + h, v)
}

/* force_locked() */
inline force(me)
{
    store_seq(me, E, h + 1);
    ok = 1;
    if
#ifdef BREAK_BARRIER
    :: fence(me) /* THE-3: only a fence of its own */
#else
    :: heavy_barrier(me) /* THE-3 */
#endif
#ifdef BREAK_REFUSAL
    :: skip
#else
    :: ok = 0
#endif
    fi;
    load(me, T, t);
    if
    :: ok && t > h -> take(me)
#ifdef RAISED /* costs time only */
    :: ok && t <= h
#else
    :: ok && t <= h -> store(me, E, e, RLX)
#endif
#ifdef BREAK_PUT_BACK /* THE-3 */
    :: !ok
#else
    :: !ok -> store(me, E, e, RLX)
#endif
    fi
}

/* wsfj_deque_steal() */
proctype thief(byte me)
{
    byte h, e, t, v, old, sb_other;
    bit ok;

    do
    :: fin -> break
    :: lock(me, h, e);
        load(me, P, t);
        if
        :: h < t -> take(me) /* THE-7: without a look at the tail */
        :: else ->
            load(me, T, t);
            if
            :: t > h ->
                if
                :: h < e -> take(me)
#ifndef LOCKED
                :: h >= e -> force(me)
#endif
                :: h >= e
                fi
            :: else
            fi
        fi;
        unlock(me);
        if
        :: v > 0 -> execute(v); swap(me, W + h, DONE, old)
        :: else
        fi;
        d_step { h = 0; e = 0; t = 0; v = 0; old = 0; ok = 0 }
    od
}

init
{
    atomic {
#ifdef LOCKED
        mem[E] = DESCRIPTORS + 1; /* the end of all descriptors */
#endif
        run owner();
        run thief(1);
        run thief(2)
    }
}
