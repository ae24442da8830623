/* SPDX-License-Identifier: MIT */
/*
 * block.pml - BLOCK-1: lib/blocking/blocking.c, lib/blocking/spare.c.
 *
 * Three threads, one slot. A task that blocks lends the slot to a spare thread and tries to take it back; a thread that
 * comes too late becomes a spare. Checked: one thread at a time serves the slot, and a thread that takes it back was
 * the last to serve it; the slot always has a thread or an order.
 *
 * Elsewhere: what the tasks have spawned (suspended.pml). Not here: guests, whose slot goes to the thread that sleeps
 * behind them.
 */
#define NP 3
#define CAP 3
#ifndef TIMES
#define TIMES 4
#endif

/* Locations. ORDER: of the three threads; SERVER: the thread that serves the slot. */
#define ORDER 0
#define SERVER 3
#define NLOC 4
#include "memory.pml"

bit idle[NP]; /* the list of spares, under a mutex */
byte at_slot, blocked;
bit fin;

#ifdef BREAK_NAME /* BLOCK-1: an order says only which slot */
#define NAME(task) 9
#else
#define NAME(task) (task)
#endif

inline arrive(p)
{
    d_step { assert(at_slot == 0); at_slot = 1 }
}

/* wsfj_spare_take() */
inline take_spare()
{
    d_step {
        spare = (idle[0] -> 0 : (idle[1] -> 1 : (idle[2] -> 2 : NP)));
        if
        :: spare < NP -> idle[spare] = 0
        :: else
        fi
    }
}

/* A task blocks, lend(), and comes back, as in go_back. `ok` if it still has the slot. */
inline block(me)
{
    take_spare();
    ok = 1;
    if
    :: spare < NP ->
        at_slot--;
        store(me, ORDER + spare, NAME(task), REL); /* BLOCK-1: the last access to the worker */
        /* wsfj_spare_recall */
        cas(me, ORDER + spare, NAME(task), 0, ok); /* BLOCK-1 */
        if
        :: ok ->
            arrive(me);
            idle[spare] = 1;
            load(me, SERVER, order);
            assert(order == me) /* else another thread runs its loop */
        :: else -> idle[me] = 1
        fi
    :: else
    fi;
    d_step { spare = 0; order = 0 }
}

/* wsfj_serve() */
inline serve(me)
{
    store(me, SERVER, me, REL);
    do
    :: d_step { blocked < TIMES -> blocked++; task = blocked }
        block(me);
        if
        :: ok
        :: else -> break
        fi
    :: blocked == TIMES -> fin = 1; at_slot--; break
    od;
    atomic { ok = 0; task = 0 }
}

/* await_order() */
inline await(me)
{
    if
    :: mem[ORDER + me] > 0 ->
#ifdef BREAK_EXCHANGE /* BLOCK-1 */
        load(me, ORDER + me, order);
        store(me, ORDER + me, 0, RLX)
#else
        swap(me, ORDER + me, 0, order) /* BLOCK-1 */
#endif
    :: fin
    fi
}

proctype thread(byte me)
{
    byte spare, order, task;
    bit ok;

    if
    :: me == 0 -> arrive(me); serve(me)
    :: else -> idle[me] = 1
    fi;
    do
    :: !fin ->
        await(me);
        if
        :: order > 0 -> order = 0; arrive(me); serve(me)
        :: else
        fi
    :: fin -> break
    od
}

init
{
    atomic { run thread(0); run thread(1); run thread(2) }
}
