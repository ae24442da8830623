/* SPDX-License-Identifier: MIT */
/*
 * transit.pml - PARK-5, items between two queues: wsfj_dispatch() in lib/sched/dispatch.c, wsfj_run_queue_steal(),
 * sleep in park.c.
 *
 * A submitter puts two items into its run queue, and then runs a long task, to the end. A worker between two tasks of
 * its own, which is not counted as searching, takes both items: it runs one, which is long, too, and puts the other
 * into its run queue. A third thread searches, and gives up at any moment. Checked: the second item is run.
 *
 * Elsewhere: how items are taken (run_queue.pml), claims and other ways to sleep (park.pml).
 */
#define NP 3
#define CAP 3

/* Locations. SOURCE: items in the submitter's run queue or the global queue; OWN: in the thief's run queue. */
#define SOURCE 0
#define OWN 1
#define PARK 2
#define NLOC 3
#include "memory.pml"

#define SUBMITTER 0
#define THIEF 1
#define SEARCHER 2
#define ASLEEP 1

byte searching = 1, sleeping; /* idle_counts.c: one word */
byte ran;

/* wsfj_wake_notify() */
inline notify(me)
{
    d_step {
        seq_before_load(me);
        claimed = (sleeping > 0 && searching == 0);
        if
        :: claimed -> sb_flush(me); sleeping--; searching++
        :: else
        fi
    }
    if
    :: claimed -> d_step { mem[PARK] == ASLEEP -> mem[PARK] = 0 }
    :: else
    fi
}

/* publish() */
proctype submitter()
{
    bit claimed;

    store_seq(SUBMITTER, SOURCE, 2); /* PARK-5 */
    notify(SUBMITTER);
    ran == 2 /* its own task is long; other threads must run its items */
}

/* A worker that steals now and then, or takes its share of the global queue: publish(), then counted(). */
proctype thief()
{
    bit claimed;
    byte n;

    d_step { mem[SOURCE] > 0 -> sb_flush(THIEF); n = mem[SOURCE]; mem[SOURCE] = 0 } /* the claim, or the queue's mutex */
    if
    :: n > 1 ->
#ifdef BREAK_RELEASE /* PARK-5: the tail is written with a release */
        store(THIEF, OWN, n - 1, REL);
#else
        store_seq(THIEF, OWN, n - 1); /* PARK-5 */
#endif
#ifndef BREAK_TOLD
        notify(THIEF) /* PARK-5: for the second item */
#else
        skip
#endif
    :: else
    fi;
    ran++;
    ran == 2 /* the item that it runs is long */
}

/* wsfj_recheck() */
inline look()
{
    load_seq(SEARCHER, SOURCE, x);
    if
    :: x
    :: else -> load_seq(SEARCHER, OWN, x) /* PARK-5 */
    fi
}

/* Searches until it has an item; sleeps in between. */
proctype searcher()
{
    byte x;

    do
    :: d_step { mem[OWN] > 0 -> sb_flush(SEARCHER); mem[OWN]--; ran++; searching-- }
        break
    :: d_step { mem[SOURCE] > 0 -> mem[SOURCE]--; ran++; searching-- }
        break
    :: skip -> /* wsfj_park_sleep() */
        store_seq(SEARCHER, PARK, ASLEEP);
        d_step { sb_flush(SEARCHER); searching--; sleeping++ }
        look();
        if
        :: x -> /* cancel() */
            d_step {
                if
                :: sleeping > 0 -> sleeping--; searching++; mem[PARK] = 0
                :: else
                fi
            }
        :: else
        fi;
        x = 0;
        mem[PARK] == 0 || ran == 2
    :: ran == 2 -> break
    od
}

init
{
    atomic {
        run thief();
        run submitter();
        run searcher()
    }
}
