/* SPDX-License-Identifier: MIT */
/*
 * pin_two.pml - PIN-1 and BLOCK-1 together: wsfj_pin_return() and wsfj_pin_hand_over() in lib/blocking/pin.c, lend() and go_back() in
 * blocking.c, lib/blocking/spare.c.
 *
 * Two pinned strands in brackets on one place, again and again: strand 0 on thread 0, strand 1 on thread 1, which begins it
 * when it first comes to the place. Two more threads are spares. A strand that comes back takes its place back in time, or
 * waits in the queue, and the thread at the place hands it over.
 * Checked: one thread at the place, which knows that it has it; each strand goes on on its own thread, when it has been
 * handed the place; nobody waits for ever.
 * Not here: waits of pinned strands outside brackets, guests (pin.pml). So each strand has a reserve, which nobody needs.
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
byte at_place; /* who is there, and one */
byte server;   /* who was there last, or has come to it with an order or its turn; and one */
bit begun;
byte ended;
#define all_ended (ended == 2 || ended == 1 && !begun)

#ifdef BREAK_NAME /* BLOCK-1: an order says only which place */
#define NAME 9
#else
#define NAME (me + 1)
#endif

/* With the place, from who had it. */
inline arrive()
{
    d_step { assert(at_place == 0); at_place = me + 1; server = me + 1 }
}

inline leave()
{
    d_step { assert(at_place == me + 1); at_place = 0 }
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

/* lend(), go_back(), wsfj_pin_return() */
inline bracket()
{
    take_spare();
    if
    :: spare < NP ->
        leave();
        store(me, ORDER + spare, NAME, REL); /* BLOCK-1 */
        cas(me, ORDER + spare, NAME, 0, ok); /* wsfj_spare_recall() */
        if
        :: ok ->
            d_step {
                assert(at_place == 0 && server == me + 1); /* else its loop is another thread's */
                at_place = me + 1;
                idle[spare] = 1
            }
        :: else ->
            store(me, PINNED + me, 1, RLX); /* announce() */
            store(me, TURN + me, 0, RLX);
            d_step { sb_flush(me); queued[me] = 1 }
            mem[TURN + me] == 1; /* await_place() */
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
    assert(value == 1); /* else it goes on here */
    leave();
#ifdef BREAK_TOUCH /* PIN-1: it touches the strand once more */
    store(me, TURN + j, 1, REL);
    store(me, PINNED + j, 0, REL);
#else
    store(me, PINNED + j, 0, RLX);
    store(me, TURN + j, 1, REL); /* PIN-1: the last touch */
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
    :: times < TIMES -> times++; bracket()
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
