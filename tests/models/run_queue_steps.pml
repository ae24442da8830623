/* SPDX-License-Identifier: MIT */
/*
 * run_queue_steps.pml - the steps of lib/queue/run_queue.c; run_queue.pml says which thread takes them. The head counts items,
 * the tail counts them in twos.
 */
#define next(tail) ((tail) & 1)
#define length(head, tail) ((tail) / 2 > (head) -> (tail) / 2 - (head) : 0)

/* wsfj_run_queue_room() */
inline ring_room(p, r, n)
{
    load(p, TAIL(r), n);
    load(p, HEAD(r), x); /* QUEUE-2 */
    d_step { n = FULL_AT - (n / 2 - x); x = 0 }
}

/* wsfj_run_queue_push(): `ok` if there is room. */
inline ring_push(p, r, i)
{
    ring_room(p, r, n);
    ok = (n > 0);
    if
    :: ok -> load(p, TAIL(r), n); ring_publish(p, r, n, 0, i)
    :: else
    fi;
    n = 0
}

/* publish(): the item i goes behind the tail n; wsfj_run_queue_put_next(): into run-next if `newest` is 1. */
inline ring_publish(p, r, n, newest, i)
{
#ifdef BREAK_REVERSED /* QUEUE-1 */
    store_seq(p, TAIL(r), (n / 2 + 1) * 2 + newest);
    store(p, SLOT(r, n / 2), i, RLX);
#else
    store(p, SLOT(r, n / 2), i, RLX);
#ifdef BREAK_RELEASE /* QUEUE-1 */
    store(p, TAIL(r), (n / 2 + 1) * 2 + newest, RLX)
#else
    store_seq(p, TAIL(r), (n / 2 + 1) * 2 + newest) /* QUEUE-1 */
#endif
#endif
}

/* wsfj_run_queue_put_next() */
inline put_next(i)
{
    load(0, TAIL(0), n);
    ring_publish(0, 0, n, 1, i);
    n = 0
}

/* wsfj_run_queue_pop(), wsfj_run_queue_pop_of(): the item goes to i; 0 if there is none. */
inline ring_pop(p, r, i)
{
    do
    :: load(p, TAIL(r), n);
        load(p, HEAD(r), x);
        if
        :: x == n / 2 -> i = 0; break
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

/* wsfj_run_queue_pop_next(), if there is an older item besides. */
inline own_next(i)
{
    i = 0;
    load(0, TAIL(0), n);
    load(0, HEAD(0), x);
    if
    :: next(n) && length(x, n) > 1 ->
        load(0, SLOT(0, n / 2 - 1), i);
#ifdef BREAK_LOWER /* QUEUE-3 */
        store(0, TAIL(0), (n / 2 - 1) * 2, REL);
#else
        store_seq(0, TAIL(0), (n / 2 - 1) * 2); /* QUEUE-3 */
#endif
        load_seq(0, HEAD(0), x); /* QUEUE-3 */
#ifdef BREAK_LOOK /* QUEUE-3 */
        x = 0;
#endif
        if
        :: x < n / 2 - 1
        :: else -> store(0, TAIL(0), n, REL); i = 0; ring_pop(0, 0, i)
        fi
    :: else
    fi;
    atomic { n = 0; x = 0 }
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

/* thief_share(): n, the tail, becomes the number of items; the head is x. */
inline thief_share()
{
    if
    :: length(x, n) == 0 || length(x, n) > SIZE -> n = 0
#ifdef BREAK_SHARE /* QUEUE-3 */
    :: length(x, n) > 0 && length(x, n) <= SIZE -> n = length(x, n)
#else
    :: length(x, n) > 0 && length(x, n) <= SIZE && (length(x, n) > 1 || !next(n)) -> /* QUEUE-3 */
        n = (2 * (length(x, n) - next(n)) + 3) / 4
    :: length(x, n) == 1 && next(n) -> /* whatever the hint `seen` says */
        if
        :: n = 0
        :: n = 1
        fi
#endif
    fi
}

/* A steal: copy_share(), claim(); the items are in items[0 .. n - 1]. wsfj_run_queue_pending() reads head
 * and tail in this order, too. */
inline steal(p, r, most)
{
#ifdef BREAK_ORDER /* QUEUE-3 */
    load_seq(p, TAIL(r), n);
    load(p, HEAD(r), x);
#else
    load(p, HEAD(r), x);
    load_seq(p, TAIL(r), n); /* QUEUE-1, QUEUE-3: the two values may be of different moments */
#endif
    thief_share();
    n = (n < most -> n : most);
    assert(n <= SIZE);
    if
    :: n > 0 -> claim(p, r)
    :: else
    fi;
    d_step { x = 0; ok = 0 }
}
