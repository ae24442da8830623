/* SPDX-License-Identifier: MIT */
/*
 * memory.pml - shared memory behind store buffers, for all models: what lib/base/atomic.h and lib/base/fence.h promise.
 *
 * A model sets NP (threads), NLOC (locations) and CAP (entries of a buffer), then includes this file. Each thread
 * stores into its own buffer. It reads its own newest entry or, without one, the memory. The process drain() writes
 * entries to memory at any time:
 *
 * default (TSO): the oldest entry first, as on x86.
 *
 * WEAK: any of the four oldest. Entries of one location keep their order, and a release entry is written only when it
 * is the oldest. So stores are reordered as C11 allows; loads are not, and neither is a load with a later store.
 *
 * A read-modify-write acts on the memory. With release it first writes out the buffer; with acquire alone (rmw_acquire)
 * under WEAK only the entries up to the last one of its location. A sequentially consistent store is a release entry
 * that a later sequentially consistent load must find written; under TSO it is written at once. A heavy barrier writes
 * out the buffers of all threads, one after the other, while the others go on.
 *
 * A thread whose buffer is full waits: errors that need more than CAP entries are not found.
 */
#define RLX 0
#define REL 1
#define SEQ 2

byte mem[NLOC];
byte sb_loc[NP * CAP], sb_val[NP * CAP], sb_order[NP * CAP], sb_n[NP];
hidden byte sb_i, sb_x;

/* Writes entry k of thread p to memory and closes the gap. Inside d_step. */
inline sb_write(p, k)
{
    mem[sb_loc[(p) * CAP + k]] = sb_val[(p) * CAP + k];
    sb_n[p]--;
    sb_i = k;
    do
    :: sb_i < sb_n[p] ->
        sb_loc[(p) * CAP + sb_i] = sb_loc[(p) * CAP + sb_i + 1];
        sb_val[(p) * CAP + sb_i] = sb_val[(p) * CAP + sb_i + 1];
        sb_order[(p) * CAP + sb_i] = sb_order[(p) * CAP + sb_i + 1];
        sb_i++
    :: else -> break
    od;
    sb_loc[(p) * CAP + sb_n[p]] = 0;
    sb_val[(p) * CAP + sb_n[p]] = 0;
    sb_order[(p) * CAP + sb_n[p]] = 0;
    sb_i = 0
}

/* Writes out the whole buffer. Inside d_step. */
inline sb_flush(p)
{
    do
    :: sb_n[p] > 0 -> sb_write(p, 0)
    :: else -> break
    od
}

/* Writes out the oldest entries up to the last one, sb_i, for which `last` is true. Inside d_step. */
inline sb_flush_to(p, last)
{
    sb_x = 0;
    sb_i = 0;
    do
    :: sb_i < sb_n[p] ->
        if
        :: last -> sb_x = sb_i + 1
        :: else
        fi;
        sb_i++
    :: else -> break
    od;
    do
    :: sb_x > 0 -> sb_write(p, 0); sb_x--
    :: else -> break
    od;
    sb_i = 0
}

/* Inside d_step. */
inline sb_append(p, loc, v, order)
{
    sb_loc[(p) * CAP + sb_n[p]] = loc;
    sb_val[(p) * CAP + sb_n[p]] = v;
    sb_order[(p) * CAP + sb_n[p]] = order;
    sb_n[p]++
}

/* Inside d_step. */
inline sb_view(p, loc, to)
{
    sb_x = mem[loc];
    sb_i = 0;
    do
    :: sb_i < sb_n[p] ->
        if
        :: sb_loc[(p) * CAP + sb_i] == loc -> sb_x = sb_val[(p) * CAP + sb_i]
        :: else
        fi;
        sb_i++
    :: else -> break
    od;
    to = sb_x;
    sb_i = 0;
    sb_x = 0
}

inline store(p, loc, v, order)
{
    d_step { sb_n[p] < CAP -> sb_append(p, loc, v, order) }
}

inline load(p, loc, to)
{
    d_step { sb_view(p, loc, to) }
}

#ifdef WEAK
inline store_seq(p, loc, v)
{
    store(p, loc, v, SEQ)
}
inline seq_before_load(p) /* inside d_step */
{
    sb_flush_to(p, sb_order[(p) * CAP + sb_i] == SEQ)
}
inline rmw_acquire(p, loc) /* inside d_step; the access to mem[loc] follows */
{
    sb_flush_to(p, sb_loc[(p) * CAP + sb_i] == loc)
}
#else
inline store_seq(p, loc, v)
{
    d_step { sb_flush(p); mem[loc] = v }
}
inline seq_before_load(p)
{
    skip
}
inline rmw_acquire(p, loc)
{
    sb_flush(p)
}
#endif

inline load_seq(p, loc, to)
{
    d_step { seq_before_load(p); sb_view(p, loc, to) }
}

/* Exchange, acquire and release. */
inline swap(p, loc, v, old)
{
    d_step { sb_flush(p); old = mem[loc]; mem[loc] = v }
}

/* Compare and swap, acquire and release; `ok` if it succeeded. */
inline cas(p, loc, from, v, ok)
{
    d_step {
        sb_flush(p);
        ok = (mem[loc] == (from));
        if
        :: ok -> mem[loc] = v
        :: else
        fi
    }
}

/* A full fence of this thread only. */
inline fence(p)
{
    d_step { sb_flush(p); skip }
}

/* wsfj_heavy_barrier() */
inline heavy_barrier(p)
{
    fence(p);
    sb_other = 0;
    do
    :: sb_other < NP -> d_step { sb_flush(sb_other); sb_other++ }
    :: else -> break
    od;
    sb_other = 0
}

#define sb_oldest(p) :: d_step { sb_n[p] > 0 -> sb_write(p, 0) }
#ifdef WEAK
#define sb_at(p, k) sb_loc[(p) * CAP + k]
#define sb_free(p, k) (sb_n[p] > k && sb_order[(p) * CAP + k] == RLX)
#define sb_any(p) \
    sb_oldest(p) \
    :: d_step { sb_free(p, 1) && sb_at(p, 1) != sb_at(p, 0) -> sb_write(p, 1) } \
    :: d_step { sb_free(p, 2) && sb_at(p, 2) != sb_at(p, 0) && sb_at(p, 2) != sb_at(p, 1) -> sb_write(p, 2) } \
    :: d_step { CAP > 3 && sb_free(p, 3) && sb_at(p, 3) != sb_at(p, 0) && sb_at(p, 3) != sb_at(p, 1) \
                && sb_at(p, 3) != sb_at(p, 2) -> sb_write(p, 3) }
#else
#define sb_any(p) sb_oldest(p)
#endif

active proctype drain()
{
end:
    do
    sb_any(0)
    sb_any(1)
#if NP > 2
    sb_any(2)
#endif
#if NP > 3
    sb_any(3)
#endif
    od
}
