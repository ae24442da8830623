/* SPDX-License-Identifier: MIT */
/*
 * park_steps.pml - what threads do in lib/park.c, census.c, look.c and retire.c; park.pml says who does it when.
 *
 * `ok` is a step's result; n, s and last are scratch, and 0 between two steps.
 */
#define park(w) (PARK + (w) - 1)
#define AWAKE 0
#define ASLEEP 1
#define RETIRED 2
/* A limit: NULL (lowered) or not. */
#define LOWERED 0
#define SOFT 1
/* Queues: 0 and 1 are deques. */
#define RING 2
#define GLOBAL 3

byte searching, sleeping; /* the word of counts: read-modify-writes and loads only, sequentially consistent */
byte taken[4], started;
byte claims; /* taken from the count of sleepers, and no park word changed yet */
byte makers; /* threads that still change something */
byte resting; /* workers that wait */

#define sleepers ((mem[park(1)] == ASLEEP) + (mem[park(2)] == ASLEEP))

/* wsfj_census_claim_searcher(): one less asleep, one more searching, unless `most` search. */
inline claim(p, most)
{
    d_step {
        seq_before_load(p);
        ok = (sleeping > 0 && searching < most);
        if
        :: ok ->
            sb_flush(p);
            sleeping--;
            searching++;
            claims++;
            assert(sleepers >= sleeping + claims) /* PARK-4 */
        :: else
        fi
    }
}

inline wake_claimed(p)
{
    if
    :: d_step { mem[park(1)] == ASLEEP -> sb_flush(p); mem[park(1)] = AWAKE; claims-- }
    :: d_step { mem[park(2)] == ASLEEP -> sb_flush(p); mem[park(2)] = AWAKE; claims-- }
    fi;
    ok = 0
}

/* wsfj_park_notify() */
inline notify(p)
{
    claim(p, 1);
    if
    :: ok -> wake_claimed(p)
    :: else
    fi
}

/* `ok` too if the queue shows something to thread p. */
inline pending(p, queue)
{
    load_seq(p, MADE + queue, n);
    if
    :: n > taken[queue] -> ok = 1
    :: else
    fi;
    n = 0
}

/* wsfj_look(): `ok` says whether there is work. */
inline look_around(p)
{
    ok = 0;
#ifndef BREAK_FLAG
    load_seq(p, STACK, s);
    if
    :: s > 0 ->
        store(p, LIMIT + s - 1, LOWERED, REL); /* PARK-2 */
#if !defined FOREIGN && !defined BREAK_BARRIER
        heavy_barrier(p)
#endif
    :: else
    fi;
#endif
    load_seq(p, STACK, s);
    if
    :: s > 0 -> pending(p, s - 1)
    :: else
    fi;
    pending(p, GLOBAL);
    pending(p, RING); /* PARK-5 */
    s = 0
}

/* cancel(): a sleeper has seen work. */
inline cancel(me)
{
    claim(me, 99);
    if
    :: ok ->
        d_step {
            sb_flush(me);
            ok = (mem[park(me)] == ASLEEP);
            if
            :: ok -> mem[park(me)] = AWAKE; claims--
            :: else
            fi
        }
        if
        :: ok
        :: else -> wake_claimed(me) /* a waker was faster */
        fi
    :: else
    fi
}

/* resign(): `last` is PARK-7's look. */
inline resign(p)
{
    d_step { sb_flush(p); searching--; last = (searching == 0 && sleeping > 0) }
#ifndef BREAK_RESIGN
    if
    :: last ->
        look_around(p);
        if
        :: ok -> notify(p)
        :: else
        fi
    :: else
    fi;
#endif
    last = 0;
    ok = 0
}

/* recall(): worker w is wanted back. */
inline recall(p, w)
{
    load_seq(p, park(w), n);
    if
    :: n == RETIRED ->
        d_step { sb_flush(p); searching++ }
        cas(p, park(w), RETIRED, AWAKE, ok);
        if
        :: ok
        :: else -> resign(p)
        fi
    :: else
    fi;
    n = 0;
    ok = 0
}

/* wsfj_retire() */
inline retire(me)
{
#ifdef BREAK_RETIRED /* PARK-7 */
    load_seq(me, ALLOWED, n);
    store_seq(me, park(me), RETIRED);
#else
    store_seq(me, park(me), RETIRED);
    load_seq(me, ALLOWED, n); /* PARK-7 */
#endif
    if
    :: me < n -> recall(me, me)
    :: else
    fi;
    resign(me)
}

/* wsfj_park_sleep(): `counted` says that it has been a searcher. */
inline sleep(me)
{
#ifdef BREAK_EARLY /* PARK-2 */
    look_around(me);
    seen = ok;
#endif
#ifndef BREAK_ASLEEP
    store_seq(me, park(me), ASLEEP); /* PARK-4: before it is counted */
#endif
    d_step { sb_flush(me); searching = searching - counted; sleeping++; last = (searching == 0) }
#ifdef BREAK_ASLEEP
    store_seq(me, park(me), ASLEEP);
#endif
#ifdef BREAK_ENOUGH /* PARK-6 */
    last = last && counted;
#endif
#ifdef BREAK_EARLY
    ok = last && seen;
    seen = 0;
#else
    if
    :: last -> look_around(me) /* PARK-2, PARK-6 */
    :: else
    fi;
#endif
    last = 0;
    if
    :: ok -> cancel(me)
    :: else
    fi;
    ok = 0
}

/* wsfj_park_found() */
inline found(me)
{
    d_step { sb_flush(me); searching--; ok = (sleeping > 0) }
#ifndef BREAK_FOUND
    if
    :: ok -> notify(me)
    :: else
    fi
#endif
}

/* wsfj_park_carry_over() */
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
