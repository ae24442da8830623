/* SPDX-License-Identifier: MIT */
/*
 * pin_two.pml - PIN-1 and BLOCK-1 together: wsfj_pin_return() and wsfj_pin_hand_over() in lib/blocking/pin.c, lend()
 * and go_back() in blocking.c, lib/blocking/spare.c.
 *
 * Two pinned fibers in blocking sections on one slot, several times: fiber 0 on thread 0, fiber 1 on thread 1, which
 * begins it when it first gets the slot. Two more threads are spares. A fiber that comes back takes its slot back in
 * time, or waits in the queue until the thread at the slot hands it over.
 *
 * Checked: one thread at the slot, which knows that it has it; each fiber goes on on its own thread, after it was
 * handed the slot; no thread waits for ever.
 *
 * Not here: waits of pinned fibers outside blocking sections, guests (pin.pml). So each fiber has a reserve, which is
 * never needed.
 */
#ifndef TIMES
#define TIMES 2
#endif
#define NP 4
#define CAP 3

/* Locations. ORDER: of the threads; TURN: of threads 0 and 1. */
#define ORDER 0
#define TURN 4
#define PINNED 6
#define NLOC 8
#include "memory.pml"

bit idle[NP]; /* the list of spares, under a mutex */
bit queued[2]; /* the global queue, under a mutex */
byte at_slot; /* the thread at the slot, plus 1 */
byte server;   /* the last thread there, or the next one, which has an order or its turn; plus 1 */
bit begun;
byte ended;
#define all_ended (ended == 2 || ended == 1 && !begun)

#ifdef BREAK_NAME /* BLOCK-1: an order says only which slot */
#define NAME 9
#else
#define NAME (me + 1)
#endif

/* The thread has the slot, and knows from which thread. */
inline arrive()
{
    d_step { assert(at_slot == 0); at_slot = me + 1; server = me + 1 }
}

inline leave()
{
    d_step { assert(at_slot == me + 1); at_slot = 0 }
}

/* wsfj_spare_take() */
inline take_spare()
{
    d_step {
        spare = 0;
        do
        :: spare < NP && !idle[spare] -> spare++
        :: else -> break
        od;
        if
        :: spare < NP -> idle[spare] = 0
        :: else
        fi
    }
}

/* lend(), then go_back and wsfj_pin_return */
inline blocking_section()
{
    take_spare();
    if
    :: spare < NP ->
        leave();
        store(me, ORDER + spare, NAME, REL); /* BLOCK-1 */
        cas(me, ORDER + spare, NAME, 0, ok); /* wsfj_spare_recall */
        if
        :: ok ->
            d_step {
                assert(at_slot == 0 && server == me + 1); /* else another thread runs its loop */
                at_slot = me + 1;
                idle[spare] = 1
            }
        :: else ->
            store(me, PINNED + me, 1, RLX); /* expect_slot */
            store(me, TURN + me, 0, RLX);
            d_step { sb_flush(me); queued[me] = 1 }
            mem[TURN + me] == 1; /* await_slot */
            arrive()
        fi
    :: else
    fi;
    d_step { spare = 0; ok = 0 }
}

/* wsfj_pin_hand_over() */
inline hand_over(j)
{
    load(me, PINNED + j, value);
    assert(value == 1); /* else the fiber goes on here */
    leave();
#ifdef BREAK_TOUCH /* PIN-1: one more access to the fiber */
    store(me, TURN + j, 1, REL);
    store(me, PINNED + j, 0, REL);
#else
    store(me, PINNED + j, 0, RLX);
    store(me, TURN + j, 1, REL); /* PIN-1: the last access */
#endif
    d_step { value = 0; idle[me] = 1 }
}

proctype thread(byte me)
{
    byte spare, value, times;
    bit ok;

    if
    :: me == 0 -> arrive(); goto pinned
    :: else
    fi;
await: /* await_order() */
    if
    :: mem[ORDER + me] > 0 -> swap(me, ORDER + me, 0, value)
    :: all_ended -> goto end
    fi;
    if
    :: value -> value = 0; arrive()
    :: else -> goto await
    fi;
serve:
    if
    :: atomic { me == 1 && !begun -> begun = 1 }
        goto pinned
    :: d_step { queued[0] -> queued[0] = 0 }
        hand_over(0);
        goto await
    :: d_step { queued[1] -> queued[1] = 0 }
        hand_over(1);
        goto await
    :: all_ended -> goto end
    fi;
pinned:
    do
    :: times < TIMES -> times++; blocking_section()
    :: times == TIMES -> break
    od;
    ended++;
    goto serve;
end:
    skip
}

init
{
    d_step { idle[1] = 1; idle[2] = 1; idle[3] = 1 }
    atomic { run thread(0); run thread(1); run thread(2); run thread(3) }
}
