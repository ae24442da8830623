/* SPDX-License-Identifier: MIT */
/*
 * run_queue.pml - QUEUE-1 to QUEUE-3: lib/queue/run_queue.c, the overflow in lib/queue/global_queue.c, and the users of
 * both in lib/api/submit.c and dispatch.c.
 *
 * Worker 0 submits to its run queue, and half of a full run queue to the global queue. It takes from both, the newest item of
 * its run queue or the oldest. Worker 1 steals halves into a run queue of its own and pops from it; worker 2 steals from both
 * run queues. A foreign thread submits an item, too. Checked: each item is run once, no copy is torn or stale, an overflow has
 * room, all items are run in the end.
 *
 * Narrower than the code: to put an item into the global queue or to take one is one step, under its mutex;
 * with DIRECT no item is in run-next. Elsewhere: which worker is woken (park.pml).
 */
#ifndef SIZE
#define SIZE 2
#endif
#ifndef ITEMS
#ifdef DIRECT
#define ITEMS 5
#else
#define ITEMS 3
#endif
#endif
#ifndef OWN
#define OWN (ITEMS - 1) /* the last item is the foreign thread's */
#endif
#ifndef ROOM
#define ROOM 1 /* of the global queue */
#endif
#ifndef CAP
#define CAP 4
#endif
#define NP 3

/* Locations of run queue r. */
#define HEAD(r) ((r) * (SIZE + 2))
#define TAIL(r) ((r) * (SIZE + 2) + 1)
#define SLOT(r, i) ((r) * (SIZE + 2) + 2 + (i) % SIZE)
#define NLOC (2 * (SIZE + 2))
#include "memory.pml"

#ifdef BREAK_FULL /* QUEUE-2 */
#define FULL_AT (SIZE + 1)
#else
#define FULL_AT SIZE
#endif

byte ran[ITEMS + 1], done;
byte global[ROOM], num_global;
bit held; /* the global queue's mutex, by the overflow */

inline execute(i)
{
    d_step { assert(i >= 1 && i <= ITEMS && ran[i] == 0); ran[i] = 1; done++; i = 0 }
}

#include "run_queue_steps.pml"

/* wsfj_global_queue_overflow(): `ok` if it was possible. */
inline overflow()
{
    d_step {
#ifndef BREAK_ROOM
        !held -> held = 1;
#endif
        ok = (num_global + SIZE / 2 <= ROOM)
    }
    if
    :: ok ->
        load(0, HEAD(0), x);
        load(0, TAIL(0), n);
        if
        :: n / 2 - x == SIZE -> n = SIZE / 2; claim(0, 0)
        :: else -> n = 0
        fi
    :: else
    fi;
    d_step {
        skip;
        if
        :: ok ->
            assert(num_global + n <= ROOM);
            k = 0;
            do
            :: k < n -> global[num_global] = items[k]; items[k] = 0; num_global++; k++
            :: else -> break
            od;
            k = 0;
            n = 0;
            x = 0
        :: else
        fi;
        held = 0
    }
}

/* submit_inside() */
inline submit(i)
{
    do
    :: ring_room(0, 0, n);
        if
        :: n > 0 -> break
        :: else -> overflow()
        fi;
        if
        :: ok
        :: else -> /* the submitter yields: its worker runs what is queued */
            take_one()
        fi;
        ok = 0
    od;
    atomic { n = 0; ok = 0 }
#ifdef DIRECT
    ring_push(0, 0, i); assert(ok); ok = 0
#else
    put_next(i)
#endif
}

/* Worker 0 takes what it has: wsfj_dispatch_own_item(), common_item(). */
inline take_one()
{
    if
#ifndef DIRECT
    :: own_next(j)
#endif
    :: ring_pop(0, 0, j)
    :: global_pop(j)
    fi;
    if
    :: j > 0 -> execute(j)
    :: else
    fi
}

inline global_pop(i)
{
    d_step {
        !held ->
        if
        :: num_global > 0 ->
            i = global[0];
            k = 1;
            do
            :: k < num_global -> global[k - 1] = global[k]; k++
            :: else -> break
            od;
            num_global--;
            global[num_global] = 0;
            k = 0
        :: else -> i = 0
        fi
    }
}

proctype owner()
{
    byte i, j, k, n, x;
    byte items[SIZE];
    bit ok;

    do
    :: i < OWN -> i++; submit(i)
    :: i > 0 && done < ITEMS -> take_one()
    :: i == OWN && done == ITEMS -> break
    od
}

#if OWN < ITEMS
proctype foreign()
{
    /* wsfj_global_queue_put(), waits */
    d_step { !held && num_global < ROOM -> global[num_global] = ITEMS; num_global++ }
}
#endif

/* Worker 1: half of the stolen items go to its run queue. */
proctype robber()
{
    byte i, k, n, x, most;
    byte items[SIZE];
    bit ok;

    do
    :: done == ITEMS -> break
    :: done < ITEMS ->
        ring_room(1, 1, n);
        most = n + 1;
        steal(1, 0, most);
        if
        :: n > 0 -> execute(items[0])
        :: else
        fi;
        if
        :: n > 1 ->
            k = 1;
            load(1, TAIL(1), x);
            do
            :: k < n - 1 -> store(1, SLOT(1, x / 2), items[k], RLX); items[k] = 0; x = x + 2; k++
            :: else -> break
            od;
            ring_publish(1, 1, x, 0, items[k]);
            items[k] = 0
        :: else
        fi;
        d_step { k = 0; x = 0; n = 0; most = 0 }
    :: done < ITEMS ->
        ring_pop(1, 1, i);
        if
        :: i > 0 -> execute(i)
        :: else
        fi
    od
}

/* Worker 2 runs all stolen items at once. */
proctype thief()
{
    byte k, n, x;
    byte items[SIZE];
    bit ok;

    do
    :: done == ITEMS -> break
    :: done < ITEMS ->
        if
        :: steal(2, 0, SIZE)
        :: steal(2, 1, SIZE)
        fi;
        do
        :: n > 0 -> n--; execute(items[n])
        :: else -> break
        od
    od
}

init
{
    atomic {
        run owner();
        run robber();
        run thief();
#if OWN < ITEMS
        run foreign()
#endif
    }
}
