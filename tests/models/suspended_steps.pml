/* SPDX-License-Identifier: MIT */
/*
 * suspended_steps.pml - for suspended.pml: the counts (park.c, wake.c, idle_counts.c), the list (suspended.c), the recheck
 * (recheck.c), spawning and lending.
 *
 * `th`: the thread; `tk`: a task; `pl`: a slot. The steps use their caller's variables.
 */
inline wake()
{
    d_step {
        if
        :: mem[PARK] == ASLEEP -> mem[PARK] = 0
        :: SLOTS > 1 && mem[PARK + 1] == ASLEEP -> mem[PARK + 1] = 0
        fi
    }
}

/* wsfj_wake_notify() */
inline notify(th)
{
    d_step {
        seq_before_load(th);
        ok = (sleeping > 0 && searching == 0);
        if
        :: ok -> sb_flush(th); sleeping--; searching++
        :: else
        fi
    }
    if
    :: ok -> wake()
    :: else
    fi
}

/* wsfj_wake_found() */
inline found(th)
{
    d_step {
        sb_flush(th);
        searching--;
        ok = (sleeping > 0 && searching == 0);
        if
        :: ok -> sleeping--; searching++
        :: else
        fi
    }
    if
    :: ok -> wake()
    :: else
    fi
}

/* wsfj_suspended_add(); the mutex orders the list's content */
inline add(th, tk)
{
    d_step { listed[tk] = 1 }
    store_seq(th, LISTED + tk, 1) /* BLOCK-2 */
}

/* wsfj_suspended_remove() */
inline remove(th, tk)
{
    if
    :: listed[tk] ->
        d_step { listed[tk] = 0 }
        store_seq(th, LISTED + tk, 0)
    :: else
    fi
}

/* `x`: whether the task has children that are not stolen, as this thread sees it. */
inline has_work(th, tk)
{
    load(th, TAIL + tk, x);
    x = (x > first[tk])
}

/* wsfj_fiber_run_show() in run_once(), or go_back(): the slot now runs this stack. */
inline publish(th, pl, tk)
{
#ifdef BREAK_COUNTS /* BLOCK-2: the counts are read earlier */
    carry_over(th, tk);
#endif
    store_seq(th, STACK + pl, (tk) + 1);
    remove(th, tk)
#ifndef BREAK_COUNTS
    ; carry_over(th, tk) /* BLOCK-2 */
#endif
}

/* wsfj_wake_carry_over() */
inline carry_over(th, tk)
{
    d_step { seq_before_load(th); ok = (searching == 0 && sleeping > 0) }
    if
    :: ok ->
        store(th, LIMIT + tk, REQUESTED, REL);
        has_work(th, tk);
        if
        :: x -> notify(th)
        :: else
        fi
    :: else
    fi
}

/* The walk over the list in wsfj_recheck() */
inline request_listed(th, tk)
{
#ifndef BREAK_REQUESTED /* BLOCK-2: only the running stacks */
    load_seq(th, LISTED + tk, x);
    if
    :: x && listed[tk] -> store(th, LIMIT + tk, REQUESTED, REL)
    :: else
    fi
#else
    skip
#endif
}

inline ask_running(th, pl)
{
    load_seq(th, STACK + pl, x);
    if
    :: x -> store(th, LIMIT + x - 1, REQUESTED, REL)
    :: else
    fi
}

inline look_running(th, pl)
{
    load_seq(th, STACK + pl, x);
    if
    :: x -> y = x - 1; has_work(th, y); work = work || x; y = 0
    :: else
    fi
}

inline recheck_listed(th, tk)
{
    load_seq(th, LISTED + tk, x);
    if
    :: x && listed[tk] -> has_work(th, tk); work = work || x
    :: else
    fi
}

/* wsfj_recheck() */
inline look(th)
{
    work = 0;
    ask_running(th, 0);
    ask_running(th, 1);
    request_listed(th, 0); /* BLOCK-2: in both passes after the running stacks */
    request_listed(th, 1);
    heavy_barrier(th);
#ifdef BREAK_ORDER /* BLOCK-2 */
    recheck_listed(th, 0);
    recheck_listed(th, 1);
#endif
    look_running(th, 0);
    look_running(th, 1);
#ifndef BREAK_ORDER
    recheck_listed(th, 0); /* BLOCK-2 */
    recheck_listed(th, 1);
#endif
    load_seq(th, QUEUE, x);
    work = work || x;
    x = 0
}

/* wsfj_park_sleep(); `was`: the worker has searched. */
inline sleep(th, pl, was)
{
    store_seq(th, PARK + pl, ASLEEP);
    d_step { sb_flush(th); sleeping++; searching = searching - was; ok = (searching == 0) }
    if
    :: ok ->
        look(th);
        if
        :: work -> /* cancel() */
            d_step {
                sb_flush(th);
                ok = (sleeping > 0);
                if
                :: ok -> sleeping--; searching++
                :: else
                fi;
                work = 0
            }
            if
            :: d_step { ok && mem[PARK + pl] == ASLEEP -> mem[PARK + pl] = 0 }
            :: ok && mem[PARK + pl] != ASLEEP -> wake()
            :: !ok
            fi
        :: else
        fi
    :: else
    fi
}

/* The inlined spawn, and wsfj_spawn_slow(). */
inline spawn()
{
    n++;
    t++;
    store(own, TAIL + own, t, REL);
    load(own, LIMIT + own, x);
    if
    :: x == REQUESTED ->
        swap(own, LIMIT + own, 1, x);
        if
        :: lends -> add(own, own) /* BLOCK-2 */
        :: else
        fi;
        notify(own)
    :: else
    fi;
    x = 0
}

inline lend()
{
    has_work(own, own);
#ifdef BREAK_SLOT /* BLOCK-2: a slot shows only one such stack */
    lends = (!x || shown[slot] == 0 || shown[slot] == own + 1);
    if
    :: lends && x -> shown[slot] = own + 1
    :: else
    fi;
#else
    lends = 1;
#endif
    if
    :: lends ->
        if
        :: x ->
#ifndef BREAK_LISTED
            add(own, own) /* BLOCK-2 */
#else
            skip
#endif
        :: else ->
#ifndef BREAK_LOWERED
            store(own, LIMIT + own, REQUESTED, REL) /* BLOCK-2 */
#else
            skip
#endif
        fi;
        store_seq(own, STACK + slot, 0);
#ifdef BREAK_LISTED
        if
        :: x -> add(own, own)
        :: else
        fi;
#endif
        d_step { sb_flush(own); searching++; sent[slot] = own + 1; x = 0 } /* wsfj_spare_send */
    :: else
    fi
}

inline await_slot()
{
    d_step { goes_on[own] -> goes_on[own] = 0; slot = at[own] }
}
