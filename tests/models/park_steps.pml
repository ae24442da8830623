/* SPDX-License-Identifier: MIT */
/*
 * park_steps.pml - the steps of lib/idle/park.c, wake.c, idle_counts.c, guest.c, recheck.c and retire.c. park.pml has
 * the threads that take these steps.
 *
 * `ok` is a step's result, `w` the worker that was picked; n and s are scratch. All are 0 between two steps.
 */
#define park(w) (PARK + (w) - 1)
#define AWAKE 0
#define ASLEEP 1
#define RETIRED 2
#define GUEST 3
#define OFFERED 4
/* A limit: NULL (lowered) or not. */
#define LOWERED 0
#define SOFT 1
/* Queues: 0 and 1 are deques. */
#define RING 2
#define GLOBAL 3

/* The word of counts: read-modify-writes and loads only, sequentially consistent. */
short searching, sleeping;
byte taken[4], started;
byte makers; /* threads that still make changes */
byte resting; /* workers that wait */

#if WORKERS == 3
#define sleepers ((mem[park(1)] == ASLEEP) + (mem[park(2)] == ASLEEP) + (mem[park(3)] == ASLEEP))
#else
#define sleepers ((mem[park(1)] == ASLEEP) + (mem[park(2)] == ASLEEP))
#endif

/* One change of the word of counts. */
inline count(p, more_searching, more_sleeping)
{
    d_step {
        sb_flush(p);
        searching = searching + (more_searching);
        sleeping = sleeping + (more_sleeping);
        assert(searching >= 0)
    }
}

/* Takes one from the searchers; `ok` if none remains. */
inline uncount(p)
{
    d_step {
        sb_flush(p);
        searching--;
        ok = (searching == 0);
        assert(searching >= 0)
    }
}

/* The claim of wsfj_wake_one(): one more worker searches, unless `most` do. */
inline claim(p, most)
{
    d_step {
        seq_before_load(p);
        ok = (sleeping > 0 && searching < most);
        if
        :: ok ->
            sb_flush(p);
#ifndef BREAK_FIRST /* PARK-4 */
            searching++
#endif
        :: else
        fi
    }
}

/* Checks one word after the other: the first that says `from` becomes `to`. `w` is the worker, or 0. */
inline take_word(p, from, to)
{
    w = 1;
    do
    :: d_step {
           w > 0 && !ok ->
               sb_flush(p);
               ok = (mem[park(w)] == from);
               if
               :: ok -> mem[park(w)] = to
               :: else -> w = (w == WORKERS -> 0 : w + 1)
               fi
       }
    :: else -> break
    od;
    ok = 0
}

/* The same, but no worker is taken. */
inline pick(p)
{
    w = 1;
    do
    :: d_step {
           w > 0 && !ok ->
               sb_view(p, park(w), n);
               ok = (n == ASLEEP);
               n = 0;
               w = (ok -> w : (w == WORKERS -> 0 : w + 1))
       }
    :: else -> break
    od;
    ok = 0
}

/* wsfj_wake_one(), take_sleeper(); asleep() stands for the choice. `w` is the worker that it has woken, or 0. */
inline wake_one(p, most)
{
    do
    :: claim(p, most);
       if
       :: ok -> ok = 0
       :: else -> break
       fi;
#ifndef BREAK_FIRST
       count(p, 0, -1);
#endif
       take_word(p, ASLEEP, AWAKE);
       if
       :: w > 0 ->
#ifdef BREAK_FIRST
           count(p, 1, -1);
           assert(searching <= 1);
#endif
           break
       :: else ->
#ifndef BREAK_FIRST
           count(p, 0, 1)
#endif
       fi;
#ifdef BREAK_BACK /* PARK-4 */
       break;
#endif
       uncount(p);
#ifdef BREAK_RESCAN /* PARK-4 */
       break;
#endif
       if
       :: ok -> ok = 0; pick(p)
       :: else -> break
       fi;
       if
       :: w > 0 -> w = 0
       :: else -> break
       fi
    od;
    ok = 0
}

/* wsfj_wake_notify() */
inline notify(p)
{
    wake_one(p, 1);
    w = 0
}

/* The same by a searcher that has found work: it wakes a second one after the first. */
inline replace(p)
{
    wake_one(p, 1);
    if
    :: w > 0 -> w = 0; wake_one(p, 1)
    :: else
    fi;
    w = 0
}

/* Also `ok` if the queue shows something to thread p. */
inline pending(p, queue)
{
    d_step {
        seq_before_load(p);
        sb_view(p, MADE + queue, n);
        ok = (ok || n > taken[queue]);
        n = 0
    }
}

/* wsfj_deque_request() of stack s, and the barrier in wsfj_recheck(). wsfj_stack_refresh() ends a request that stands. */
inline request(p)
{
#ifndef PLAIN
    load_seq(p, ANSWERS + s - 1, n);
    d_step { sb_view(p, STANDS + s - 1, w); ok = (w == n + 1); w = 0 } /* PARK-10 */
#endif
    if
    :: !ok ->
        store(p, LIMIT + s - 1, LOWERED, REL); /* lower(): PARK-1. wsfj_suspended_ask(): PARK-2 */
#ifndef PLAIN
        store(p, STANDS + s - 1, n + 1, REL); /* PARK-10 */
        n = 0;
#endif
#ifndef BREAK_BARRIER
        heavy_barrier(p)
#else
        skip
#endif
    :: else -> d_step { n = 0; ok = 0 }
    fi
}

/* wsfj_recheck(): `ok` says whether there is work. wsfj_run_queue_pending() reads a run queue. */
inline look_around(p)
{
    ok = 0;
#ifdef FOREIGN
    pending(p, GLOBAL);
#if TASKS > 1
    pending(p, RING) /* PARK-5 */
#endif
#else
#ifndef BREAK_FLAG
    load_seq(p, STACK, s);
    if
    :: s > 0 ->
        request(p)
    :: else
    fi;
#endif
    load_seq(p, STACK, s);
    if
    :: s > 0 -> pending(p, s - 1)
    :: else
    fi;
    s = 0
#endif
}

/* wsfj_wake_recheck() without the wake-up: `ok` if there is work and no worker searches. */
inline is_left(p)
{
    d_step { seq_before_load(p); ok = (searching == 0) }
    if
    :: ok -> look_around(p)
    :: else
    fi
}

/* PARK-7: the limit as thread p sees it, `ok` if the worker may run: wsfj_allowed_to_run(), unless_surplus(). */
inline allows(p, who)
{
    d_step {
        seq_before_load(p);
        sb_view(p, ALLOWED, n);
        ok = ((who) < n);
        n = 0
    }
}

/* The word of a sleeper changes; `ok` if it was `from`. */
inline turn(p, who, from, to, change)
{
    d_step {
        seq_before_load(p);
        sb_view(p, park(who), n);
        ok = (n == from);
        n = 0
    }
    if
    :: ok -> cas(p, park(who), from, to, ok)
    :: else
    fi;
    if
    :: ok -> count(p, 0, change)
    :: else -> break
    fi
}

/* wsfj_retire_is_due(), adjust(): the park word of a sleeper follows the limit. */
inline update(p, who)
{
    do
    :: allows(p, who);
       if
       :: ok -> turn(p, who, RETIRED, ASLEEP, 1); recalled = 1
       :: else -> turn(p, who, ASLEEP, RETIRED, -1)
#ifdef BREAK_RETIRED /* PARK-7 */
           ;
           break
#endif
       fi
    od;
    ok = 0
}

/* wsfj_cpu_limit_change(), wsfj_retire_change() */
inline change(p, number)
{
#ifdef BREAK_NUMBER /* PARK-7 */
    store(p, ALLOWED, number, REL);
#else
    store_seq(p, ALLOWED, number); /* PARK-7 */
#endif
    update(p, 2);
#ifndef BREAK_RECALL
    if
    :: recalled -> is_left(p)
    :: else
    fi;
    if
    :: ok -> notify(p)
    :: else
    fi;
#endif
    recalled = 0;
    ok = 0
}

/* wsfj_park_fall_asleep(): `counted` says that the worker has been a searcher. By wsfj_park_lie_down(), which
 * wsfj_team_start() calls for each sleeper, and wsfj_guest_leave(). */
inline lie_down(p, who, counted)
{
    store_seq(p, park(who), ASLEEP); /* PARK-4: before it checks whether another worker searches */
    count(p, 0 - counted, 1);
#ifdef RETIRE
    update(p, who);
    recalled = 0
#endif
}

/* wsfj_park_lie_down(), wsfj_park_sleep(). leave_with_recheck() and wsfj_retire_change() recheck in the same way. */
inline sleep(me)
{
#if defined BREAK_EARLY /* PARK-2 */
    look_around(me);
    seen = ok;
    lie_down(me, me, counted);
    ok = (searching == 0 && seen);
    seen = 0;
#elif defined BREAK_ASLEEP /* PARK-4 */
    count(me, 0 - counted, 1);
    is_left(me);
    store_seq(me, park(me), ASLEEP);
#else
    lie_down(me, me, counted);
#ifdef STOP
#ifndef BREAK_STOP
    load_seq(me, STOPPING, ok);
#endif
    if
    :: ok -> store_seq(me, park(me), AWAKE); ok = 0
    :: else
    fi;
#endif
#if defined BREAK_ENOUGH /* PARK-6 */
    if
    :: counted -> is_left(me)
    :: else
    fi;
#elif defined BREAK_RESIGN /* PARK-7 */
    if
    :: mem[park(me)] != RETIRED -> is_left(me)
    :: else
    fi;
#else
    is_left(me); /* PARK-2, PARK-6 */
#endif
#endif
    if
    :: ok -> notify(me)
    :: else
    fi;
    ok = 0
}

/* wsfj_wake_found with has_the_only_work(). take_sleeper() counts the sleeper out before it wakes it. */
inline found(me)
{
#if MAKER == 0 && !defined BREAK_FOUND /* else worker 0 is awake */
    d_step {
        sb_flush(me);
        searching--;
        assert(searching >= 0);
        last = (searching == 0 && sleeping == WORKERS - 1);
        ok = !last
    }
    if
    :: last -> /* PARK-9: all others sleep */
        last = 0;
#ifndef BREAK_ONLY
        pending(me, GLOBAL)
#endif
    :: else
    fi;
    if
    :: ok -> ok = 0; replace(me)
    :: else
    fi
#else
    uncount(me);
    ok = 0;
#ifndef BREAK_FOUND
    replace(me)
#endif
#endif
}

/* wsfj_wake_carry_over() */
inline carry_over()
{
    d_step { seq_before_load(0); ok = (searching == 0 && sleeping > 0) }
    if
    :: ok ->
        store(0, LIMIT + s - 1, LOWERED, REL); /* PARK-3 */
        load(0, MADE + s - 1, n);
        ok = (n > taken[s - 1]);
        if
        :: ok -> notify(0)
        :: else
        fi
    :: else
    fi;
    n = 0;
    ok = 0
}

/* A guest enters; take_offered(): `w` is the slot, or 0. */
inline enter(p)
{
    take_word(p, ASLEEP, GUEST);
    if
    :: w > 0 -> count(p, 0, -1)
    :: else
#ifdef OFFER
        ->
        take_word(p, OFFERED, GUEST); /* PARK-8 */
        if
        :: w > 0 -> s = w; claimed(p); w = s; s = 0
        :: else
        fi
#endif
    fi
}

/* The guest has the slot of a searcher: wsfj_wake_found in take_offered(). */
inline claimed(p)
{
#ifdef BREAK_CLAIM /* PARK-8 */
    skip
#elif defined BREAK_REPLACE /* PARK-8 */
    uncount(p);
    ok = 0
#else
    found(p)
#endif
}

/* wsfj_park_offer(): `ok` if the slot is still the worker's. */
inline offer(me)
{
    store_seq(me, park(me), OFFERED);
#ifdef BREAK_OFFER /* PARK-8 */
    load(me, park(me), n);
    ok = (n == OFFERED);
    n = 0;
    if
    :: ok -> store_seq(me, park(me), AWAKE)
    :: else
    fi
#else
    cas(me, park(me), OFFERED, AWAKE, ok) /* PARK-8 */
#endif
}

/* wsfj_guest_leave(): the slot, `w`, is free. */
inline leave(p)
{
    lie_down(p, w, 0);
    w = 0;
#ifndef BREAK_LEAVE
#if MAKER == 0 /* else worker 0 is awake */
    d_step { seq_before_load(p); ok = (searching == 0 && sleeping == WORKERS) }
    if
    :: ok -> /* PARK-9: all sleep */
#ifdef BREAK_ALL
        ok = 0
#else
        load(p, MADE + GLOBAL, n);
        ok = (n > taken[GLOBAL]);
        n = 0
#endif
    :: else -> is_left(p)
    fi;
#else
    is_left(p);
#endif
    if
    :: ok -> notify(p)
    :: else
    fi;
#endif
    ok = 0
}
