/* SPDX-License-Identifier: MIT */
/*
 * join.pml - JOIN-1 to JOIN-4 and MAIL-1: lib/task/join.c, sync.c, short_wait.c, mailbox.c, leave.c, the loop of serve.c.
 *
 * A parent with two stolen children at its sync, twice, on three threads: any thread runs any child, and the parent
 * goes on wherever it is resumed. Checked: one thread at a time is on the parent's stack, with the registers and the
 * results that were saved; each child runs once; the parent reaches its end, so each resumption happens exactly once.
 *
 * Elsewhere: how a child is stolen, and the order of a descriptor's first word (deque.pml).
 */
#define NP 3
#ifndef CAP
#define CAP 4
#endif
#ifndef SYNCS
#define SYNCS 2
#endif
#ifndef PAUSES
#define PAUSES 1
#endif

/* Locations. WORD, RESULT: of the two descriptors; MAILBOX: of the three workers. */
#define WORD 0
#define RESULT 2
#define JOIN 4
#define SAVED 5
#define MAILBOX 6
#define NLOC 9
#include "memory.pml"

/* A word: the kind of the child, with DONE as in include/wsfj/inline/abi.h. */
#define KIND 4
#define FINISHED 1
#define PARENT 2

/* A mailbox. Only the parent's stack is ever sent. */
#define CLOSED 0
#define OPEN 1
#define SENT 2

byte round;     /* of the parent; what its registers hold once they are loaded */
byte switches;      /* switches away from the parent's stack */
byte stealable; /* one bit for each child */
byte on_stack;  /* threads on the parent's stack */
byte worker;    /* stack.worker: the last worker, read by the thread that resumes; ordered by the join counter */
bit fin;

#ifdef BREAK_RELEASE /* JOIN-2, JOIN-3: an arrival releases nothing */
#define ARRIVE_ORDER(p) rmw_acquire(p, JOIN)
#else
#define ARRIVE_ORDER(p) sb_flush(p)
#endif

/* wsfj_join_arrive(): `last` says that the caller must resume the parent. */
inline arrive(p, n)
{
    d_step {
        ARRIVE_ORDER(p);
        assert(mem[JOIN] >= n);
        last = (mem[JOIN] == n);
        mem[JOIN] = mem[JOIN] - n
    }
}

/* wsfj_join_finish() */
inline finish(c)
{
#ifdef BREAK_RESULT /* JOIN-1 */
    swap(me, WORD + c, FINISHED, old);
    store(me, RESULT + c, round, RLX);
#else
    store(me, RESULT + c, round, RLX);
#ifdef BREAK_EXCHANGE /* JOIN-1 */
    load(me, WORD + c, old);
    store(me, WORD + c, FINISHED, REL);
#else
    swap(me, WORD + c, FINISHED, old); /* JOIN-1 */
#endif
#endif
    last = 0;
    if
    :: old == PARENT -> arrive(me, 1)
    :: else
    fi
}

inline spawn_two()
{
    round++;
    store(me, WORD, KIND, RLX);
    store(me, WORD + 1, KIND, RLX);
    fence(me); /* thieves have synchronised with the parent at the deque's lock */
    stealable = 3
}

/* look_on() with open_child(): looks at the children as often as it likes; `last` says that all are done. JOIN-4 */
inline short_wait()
{
    c = 2;
    last = 0;
    do
    :: c > 0 ->
        load(me, WORD + c - 1, old); /* JOIN-4 */
        if
        :: old == FINISHED -> c--
#ifdef BREAK_LOOK /* JOIN-4 */
        :: c == 1 -> c--
#endif
        :: old != FINISHED /* looks again */
        :: old != FINISHED -> break
        fi
    :: else -> last = 1; break
    od;
    c = 0;
    old = 0
}

/* JOIN-2: how many children are done already. */
inline register_parent()
{
    c = 2;
    done = 0;
    do
    :: c > 0 ->
        c--;
        load(me, WORD + c, old);
        if
        :: old == FINISHED -> done++
        :: else ->
            cas(me, WORD + c, old, PARENT, ok);
            if
            :: ok
            :: else -> done++
            fi
        fi
    :: else -> break
    od;
    c = 0;
    ok = 0
}

/* Saves the registers on the stack; the thread goes to its loop. */
inline leave()
{
    switches++;
    store(me, SAVED, switches, RLX);
    worker = me;
    on_stack--
}

/* wsfj_sync_suspend(), with register_parent(), then after_suspension(): `last` says that the fiber goes on here at once. */
inline wait_for()
{
#ifdef BREAK_COUNT /* JOIN-2 */
    register_parent();
    store(me, JOIN, 3, RLX);
#else
    store(me, JOIN, 3, RLX); /* JOIN-2: two children and the parent itself */
    register_parent();
#endif
    last = 0;
    if
    :: done == 2 -> last = 1
    :: done == 1 -> /* subtracts one; if the other child has arrived only the parent's own unit remains */
        d_step {
            sb_flush(me);
            assert(mem[JOIN] >= 1);
            last = (mem[JOIN] == 2);
            mem[JOIN] = mem[JOIN] - 1
        }
    :: else
    fi;
    if
    :: last
    :: else ->
#ifdef BREAK_LEAVE /* JOIN-3 */
        arrive(me, 1);
        if
        :: !last -> leave()
        :: else
        fi;
#else
        leave();
        arrive(me, 1); /* JOIN-3 */
        if
        :: last -> resume()
        :: else
        fi;
#endif
    fi;
    done = 0
}

/* The parent's sync: wait_for() comes second. */
inline collect()
{
    short_wait();
    if
    :: last
    :: else -> wait_for()
    fi
}

inline resume()
{
    d_step { assert(on_stack == 0); on_stack = 1 }
    load(me, SAVED, old);
    assert(old == switches)
}

/* The fiber, from its resumption to its next switch or its end. */
inline fiber()
{
    do
    :: round > 0 ->
        load(me, RESULT, old);
        assert(old == round);
        load(me, RESULT + 1, old);
        assert(old == round);
        if
        :: round == SYNCS -> on_stack--; fin = 1; break
        :: else
        fi;
        spawn_two();
        collect();
        if
        :: last
        :: else -> break
        fi
    :: round == 0 ->
        spawn_two();
        collect();
        if
        :: last
        :: else -> break
        fi
    od;
    atomic { last = 0; old = 0 }
}

/* wsfj_mailbox_send(): `ok` if the stack is sent. */
inline send()
{
    ok = 0;
    home = worker;
    if
    :: home != me ->
        load(me, MAILBOX + home, old);
        if
        :: old == OPEN -> cas(me, MAILBOX + home, OPEN, SENT, ok)
        :: else
        fi
    :: else
    fi;
    home = 0
}

/* wsfj_mailbox_pause(): `old` is what has arrived. */
inline pause()
{
    store(me, MAILBOX + me, OPEN, REL);
    if
    :: mem[MAILBOX + me] == SENT
    :: pauses < PAUSES -> pauses++ /* as long as it likes */
    :: stealable > 0
    :: fin
    fi;
#ifdef BREAK_CLOSE /* MAIL-1 */
    load(me, MAILBOX + me, old);
    store(me, MAILBOX + me, CLOSED, REL);
#else
    swap(me, MAILBOX + me, CLOSED, old) /* MAIL-1 */
#endif
}

proctype thread(byte me)
{
    byte c, old, done, home, pauses;
    bit last, ok;

    if
    :: me == 0 -> on_stack = 1; fiber()
    :: else
    fi;
    do
    :: fin -> break
    :: else ->
        if
        :: atomic { stealable & 1 -> stealable = stealable - 1; c = 0 }; finish(c)
        :: atomic { stealable & 2 -> stealable = stealable - 2; c = 1 }; finish(c)
        :: pause();
            if
            :: old == SENT -> resume(); fiber()
            :: else
            fi
        fi;
        c = 0;
        if
        :: last ->
            send();
            if
            :: ok
            :: else -> resume(); fiber()
            fi
        :: else
        fi;
        d_step { last = 0; ok = 0; old = 0 }
    od
}

init
{
    atomic { run thread(0); run thread(1); run thread(2) }
}
