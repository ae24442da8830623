/* SPDX-License-Identifier: MIT */
/*
 * suspended.pml - BLOCK-2: lib/task/suspended.c, lend() and go_back() in blocking.c, recheck.c, expose.c, run() in
 * serve.c.
 *
 * Tasks with children, and threads that serve slots, search, give up and sleep. One task runs at slot 0; with TASKS=2
 * another one is in the queue. Each task spawns or not, and then opens a blocking section or, with GROUP, waits for a
 * group. In the blocking section it spawns and syncs, in any order, and waits until all its children are stolen. A sync
 * there that finds its child stolen and not done takes a slot, waits, and lends the slot again. A group stands for a
 * long task that the slot of its waiter runs next, and that waits until the waiter's children are stolen.
 *
 * SLOTS=1: two blocking sections on one slot. SLOTS=2: the other slot's thread gives up its search at any moment.
 *
 * Checked: no thread waits for ever.
 *
 * Wider than the code: a thief finds what it finds, or gives up, at any moment; it leaves no request (deque.c), so the
 * only requests are those of BLOCK-2 and PARK-n. Elsewhere: which thread serves a slot (block.pml), which thread has a
 * child (deque.pml), the join (join.pml), requests of running stacks and the choice of a sleeper (park.pml; here a
 * waker takes a sleeper in one step), requests that stand (PARK-10 in park.pml; here each recheck makes its own). A
 * switch of stacks writes out the thread's stores.
 */
#ifndef TASKS
#define TASKS 2
#endif
#ifndef SLOTS
#define SLOTS 1
#endif
#ifndef SPAWNS
#define SPAWNS 2 /* of each task */
#endif
#define NP (2 + SLOTS) /* the threads of tasks and of slots */
#define CAP 3

/* Locations. STACK, PARK: of the slots; LISTED, TAIL, LIMIT: of the tasks. LISTED stands for the list's count. */
#define STACK 0
#define PARK 2
#define LISTED 4
#define TAIL 6
#define LIMIT 8
#define QUEUE 10
#define NLOC 11
#include "memory.pml"

#define THREAD(p) (2 + (p)) /* the thread that serves slot p */
#define ASLEEP 1
#define REQUESTED 0 /* a limit; else 1 */

byte searching, sleeping; /* idle_counts.c: one word */
byte first[2], done[2];   /* children: stolen so far (under the deque's lock), and run */
bit listed[2];            /* under the list's mutex */
bit queued[2];            /* under the global queue's mutex */
bit waits[2];             /* at a sync, for its last child */
bit goes_on[2];           /* it has a slot: */
byte at[2];
byte sent[2];            /* of a slot: the task that has lent it, plus 1, until the slot's next thread begins there */
byte left[2];             /* of a slot: 1: its task has switched away; 2, 3: task 0, 1 waits for a group */
byte ended;
#ifdef BREAK_SLOT
byte shown[2];
#endif

#include "suspended_steps.pml"

#define reachable(s) (mem[STACK] == (s) + 1 || SLOTS > 1 && mem[STACK + 1] == (s) + 1 || listed[s])
#define all_stolen(s) (sb_n[s] == 0 && mem[TAIL + s] == first[s])
#define take_child(x) :: d_step { reachable(x) && mem[TAIL + x] > first[x] -> first[x]++; s = x }
#define take_strand(x) :: d_step { queued[x] -> queued[x] = 0; mem[QUEUE]--; s = x; runs = 1 }

/* The thread that serves slot p: wsfj_serve(). */
proctype server(byte slot)
{
    byte s, x, y, sb_other;
    bit ok, work, runs;

    if
    :: slot == 0 -> goto running
    :: else
    fi;
search:
    if
    take_child(0)
    take_child(1)
    take_strand(0)
    take_strand(1)
    :: skip ->
        sleep(THREAD(slot), slot, 1);
asleep:
        if
        :: mem[PARK + slot] == 0 -> goto search
        :: ended == TASKS -> goto end
        fi
    fi;
    found(THREAD(slot));
    if
    :: runs
    :: else ->
        d_step { /* wsfj_join_finish() */
            done[s]++;
            runs = (waits[s] && done[s] == mem[TAIL + s]);
            waits[s] = waits[s] && !runs
        }
    fi;
next:
    if
    :: runs ->
        at[s] = slot;
        publish(THREAD(slot), slot, s);
        d_step { sb_flush(THREAD(slot)); goes_on[s] = 1; runs = 0; s = 0; x = 0; ok = 0 }
    :: else -> goto idle
    fi;
running:
    if
    :: d_step { left[slot] == 1 -> left[slot] = 0 }
    :: d_step { left[slot] > 1 -> s = left[slot] - 2; left[slot] = 0 }
        if
        :: skip -> all_stolen(s) /* the long task */
        :: skip
        fi;
        runs = 1;
        goto next
    :: d_step { sent[slot] -> sent[slot] = 0 } /* await_order() */
        goto search
    :: ended == TASKS -> goto end
    fi;
idle: /* wsfj_park_search() */
    atomic {
        s = 0;
        x = 0;
        ok = (searching == 0);
        searching = searching + ok
    }
    if
    :: ok -> goto search
    :: else -> sleep(THREAD(slot), slot, 0); goto asleep
    fi;
end:
    skip
}

inline go_back()
{
    if
    :: lends ->
        lends = 0;
#ifdef BREAK_SLOT
        shown[slot] = (shown[slot] == own + 1 -> 0 : shown[slot]);
#endif
        if
        :: d_step { sent[slot] == own + 1 -> sb_flush(own); sent[slot] = 0 } /* wsfj_spare_recall() */
            store_seq(own, STACK + slot, own + 1);
            remove(own, own);
            found(own);
            carry_over(own, own)
        :: sent[slot] != own + 1 ->
            d_step { sb_flush(own); queued[own] = 1; mem[QUEUE]++ } /* wsfj_resume_last() */
            notify(own);
            await_slot()
        fi;
        x = 0
    :: else
    fi
}

/* A sync in the blocking section: wait_for() and collect() in sync.c. */
inline sync()
{
    d_step {
        sb_flush(own);
        ok = (t > first[own] || t == done[own]);
        if
        :: t > first[own] -> t--; mem[TAIL + own] = t
        :: else
        fi
    }
    if
    :: ok
    :: else ->
        go_back();
        store(own, STACK + slot, 0, REL);
        d_step {
            sb_flush(own);
            ok = (t == done[own]);
            waits[own] = !ok;
            left[slot] = !ok
        }
        if
        :: ok -> publish(own, slot, own)
        :: else -> await_slot()
        fi;
#ifndef BREAK_AGAIN
        lend()
#endif
    fi;
    ok = 0
}

/* A wait for a group: the fiber leaves, and after_suspension() in the loop. */
inline wait_for_a_group()
{
    has_work(own, own);
#ifdef BREAK_LISTED /* BLOCK-2: the stack is at neither slot */
    store(own, STACK + slot, 0, REL);
#endif
    if
    :: x -> add(own, own) /* BLOCK-2: while it is still the running stack */
    :: else
    fi;
#ifndef BREAK_LISTED
#ifdef BREAK_CLEARED
    store(own, STACK + slot, 0, RLX); /* BLOCK-2: no release */
#else
    store(own, STACK + slot, 0, REL); /* BLOCK-2 */
#endif
#endif
    d_step { sb_flush(own); left[slot] = 2 + own; x = 0 }
    await_slot()
}

proctype task(byte own)
{
    byte slot, t, n, x;
    bit ok, lends, synced;

    await_slot();
    if
    :: spawn()
    :: skip
    fi;
#ifdef GROUP
    wait_for_a_group();
#else
    lend();
    do
    :: n < SPAWNS -> spawn()
    :: t > 0 && !synced -> synced = 1; sync()
    :: break
    od;
#if SLOTS > 1
    if
    :: skip -> all_stolen(own) /* the task blocks until this */
    :: skip
    fi;
#else
    all_stolen(own);
#endif
    go_back();
#endif
    all_stolen(own); /* the task's next work is long */
    store(own, STACK + slot, 0, REL);
    d_step { sb_flush(own); left[slot] = 1; ended++ }
}

init
{
    d_step {
        mem[LIMIT] = 1;
        mem[LIMIT + 1] = 1;
        mem[STACK] = 1;
        goes_on[0] = 1;
        searching = SLOTS - 1;
        queued[1] = (TASKS > 1);
        mem[QUEUE] = queued[1]
    }
    atomic {
        run task(0);
        if
        :: TASKS > 1 -> run task(1)
        :: else
        fi;
        run server(0);
        if
        :: SLOTS > 1 -> run server(1)
        :: else
        fi
    }
}
