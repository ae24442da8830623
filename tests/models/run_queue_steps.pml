/* SPDX-License-Identifier: MIT */
/*
 * run_queue_steps.pml - the steps of lib/queue/run_queue.c; run_queue.pml says which thread takes them.
 */
inline ring_length(p, r, n)
{
    load(p, TAIL(r), n);
    load(p, HEAD(r), x);
    d_step { n = (n > x -> n - x : 0); x = 0 }
}

/* append(): `ok` if there is room. */
inline ring_push(p, r, i)
{
    load(p, TAIL(r), n);
    load(p, HEAD(r), x);
    ok = (n - x < FULL_AT); /* QUEUE-2 */
    if
    :: ok -> ring_publish(p, r, n, i)
    :: else
    fi;
    d_step { n = 0; x = 0 }
}

inline ring_publish(p, r, n, i)
{
#ifdef BREAK_REVERSED /* QUEUE-1 */
    store_seq(p, TAIL(r), n + 1);
    store(p, SLOT(r, n), i, RLX);
#else
    store(p, SLOT(r, n), i, RLX);
#ifdef BREAK_RELEASE /* QUEUE-1 */
    store(p, TAIL(r), n + 1, RLX)
#else
    if
    :: p == 0 -> store(p, TAIL(r), n + 1, REL) /* QUEUE-1: worker 0 displaces an item */
    :: else -> store_seq(p, TAIL(r), n + 1)
    fi
#endif
#endif
}

/* wsfj_run_queue_pop(): the item goes to i; 0 if there is none. */
inline ring_pop(p, r, i)
{
    do
    :: load(p, TAIL(r), n);
        load(p, HEAD(r), x);
        if
        :: x == n -> i = 0; break
        :: else
        fi;
        load(p, SLOT(r, x), i);
#ifdef BREAK_POP /* QUEUE-2 */
        store(p, HEAD(r), x + 1, REL);
        break
#else
        cas(p, HEAD(r), x, x + 1, ok); /* QUEUE-2 */
        if
        :: ok -> break
        :: else -> i = 0
        fi
#endif
    od;
    atomic { n = 0; x = 0; ok = 0 }
}

inline copy(p, r)
{
    k = 0;
    do
    :: k < n -> load(p, SLOT(r, x + k), items[k]); k++
    :: else -> break
    od;
    k = 0
}

/* claim(): n items from x on; n is 0 if another thread was faster. */
inline claim(p, r)
{
#ifndef BREAK_COPY
    copy(p, r);
#endif
    cas(p, HEAD(r), x, x + n, ok); /* QUEUE-2 */
    if
    :: ok ->
#ifdef BREAK_COPY /* QUEUE-2 */
        copy(p, r)
#else
        skip
#endif
    :: else ->
        d_step {
            do
            :: n > 0 -> n--; items[n] = 0
            :: else -> break
            od
        }
    fi
}

/* take_next(): the item in run-next, whose state was s, goes to i. */
inline take_next(p, s, i)
{
#ifndef BREAK_READ
    load(p, NEXT, i);
#endif
#ifdef BREAK_COUNT /* QUEUE-3 */
    cas(p, STATE, s, 0, ok);
#else
    cas(p, STATE, s, (s | 3) + 1, ok); /* QUEUE-3 */
#endif
    if
    :: ok ->
#ifdef BREAK_READ /* QUEUE-3 */
        load(p, NEXT, i)
#else
        skip
#endif
    :: else -> i = 0
    fi
}

/* wsfj_run_queue_take_next() */
inline own_next(i)
{
    i = 0;
    do
    :: load(0, STATE, n);
        if
        :: full(n) -> take_next(0, n, i)
        :: else -> break
        fi;
        if
        :: ok -> break
        :: else
        fi
    od;
    atomic { ok = 0; n = 0 }
}

/* wsfj_run_queue_put_next(): the item that is displaced goes to the ring. */
inline put_next(i)
{
    own_next(j);
    if
    :: j > 0 -> ring_push(0, 0, j); assert(ok); j = 0; ok = 0
    :: else
    fi;
    load(0, STATE, n);
#ifdef BREAK_NEXT /* QUEUE-3 */
    store_seq(0, STATE, n + FULL);
    store(0, NEXT, i, RLX);
#else
    store(0, NEXT, i, RLX);
#ifdef BREAK_RELEASE /* QUEUE-3 */
    store(0, STATE, n + FULL, RLX);
#else
    store_seq(0, STATE, n + FULL); /* QUEUE-3 */
#endif
#endif
    n = 0
}

/* wsfj_run_queue_steal() up to the claim: the items are in items[0 .. n - 1]. */
inline steal(p, r, most)
{
    load(p, HEAD(r), x);
    load(p, TAIL(r), n); /* QUEUE-1: the two values may be of different moments */
    ok = (n > x && n - x <= SIZE);
    d_step { n = (ok -> (2 * (n - x) + 3) / 4 : 0); n = (n < most -> n : most); ok = 0 }
    assert(n <= SIZE);
    if
    :: n > 0 -> claim(p, r)
    :: else
    fi;
    d_step { x = 0; ok = 0 }
}

/* wsfj_run_queue_steal_next() */
inline steal_next(p)
{
    load(p, STATE, n);
    if
    :: !full(n)
    :: full(n) && (n & SEEN) -> take_next(p, n, items[0])
    :: full(n) && !(n & SEEN) -> cas(p, STATE, n, n | SEEN, ok)
    fi;
    d_step { n = 0; ok = 0 }
    if
    :: items[0] > 0 -> execute(items[0])
    :: else
    fi
}
