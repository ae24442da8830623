/* SPDX-License-Identifier: MIT */
/*
 * mpi.pml - MPI-1, MPI-2: lib/mpi/progress.c, lib/mpi/run.c.
 *
 * Two waiters, each with a record on its stack, for a request or for a call; waiter 0 may give up. The thread in ws_mpi_run()
 * makes progress; another thread does so, too: one that searches, or a function that is called and waits itself. MPI has the answer
 * at any time. Checked: nobody touches a record whose waiter has gone on; no record is lost, and none is counted after it has
 * ended; each waiter goes on; the thread in ws_mpi_run() does not sleep while there is a record, and ends with the job.
 *
 * A poll source that is asked anew and its answer are as the event `wake` and its reset are (explore/source).
 *
 * Elsewhere: the order of the queue, the places in the table, memory orders (explore/mpi).
 */
#ifndef ROUNDS
#define ROUNDS 2
#endif
#define N 2
#define NONE N

/* Where a record is. TAKEN: in the list that was taken over. RUNS: its function does. */
mtype = { AWAY, PUSHED, TAKEN, QUEUED, ASKED, RUNS };
mtype at[N] = AWAY;

byte pushed = NONE, next[N], records, back;
bool alive[N], calls[N], done[N], event[N], locked, wake, ended;

#define touch(r) assert(alive[r])

inline lock()
{
    atomic { !locked -> locked = true }
}

inline unlock()
{
    locked = false
}

/* The exchange, and then the list. */
inline take_over()
{
    d_step {
        r = pushed;
        pushed = NONE; /* MPI-1: take_over() */
        for (i : 0 .. N - 1) {
            at[i] = (at[i] == PUSHED -> TAKEN : at[i])
        }
    };
    do
    :: r == NONE -> break
    :: else -> d_step { touch(r); at[r] = QUEUED; r = next[r] }
    od;
    assert(at[0] != TAKEN && at[1] != TAKEN);
    r = 0; i = 0
}

/* The last touch is the event's. */
inline end()
{
#ifdef BREAK_LAST /* MPI-1 */
    event[r] = true;
#endif
    d_step { touch(r); done[r] = true; at[r] = AWAY };
    d_step { assert(records > 0); records-- };
#ifndef BREAK_LAST
    d_step { touch(r); event[r] = true } /* MPI-1: end() */
#endif
}

/* Record r is out of the queue. */
inline begin()
{
    if
    :: d_step { calls[r] -> at[r] = RUNS };
        unlock(); /* MPI-1: begin() */
        touch(r);
        lock();
        end()
    :: d_step { else -> at[r] = ASKED }
    fi
}

inline progress()
{
    if
    :: atomic { !locked -> locked = true };
        take_over();
        do
        :: d_step { at[0] == QUEUED -> touch(0); at[0] = AWAY; r = 0 }; begin()
        :: d_step { at[1] == QUEUED -> touch(1); at[1] = AWAY; r = 1 }; begin()
        :: else -> break
        od;
        do
        :: d_step { at[0] == ASKED -> touch(0); r = 0 }; end()
        :: d_step { at[1] == ASKED -> touch(1); r = 1 }; end()
        :: break
        od;
        r = 0;
        unlock()
    :: else
    fi
}

inline queue()
{
#ifndef BREAK_COUNT
    records++; /* MPI-1: wsfj_mpi_queue() */
#endif
    next[me] = pushed;
#ifdef BREAK_PUSH /* MPI-1 */
    d_step { pushed = me; at[me] = PUSHED };
#else
    do
    :: d_step { pushed == next[me] -> pushed = me; at[me] = PUSHED } -> break /* MPI-1: wsfj_mpi_queue() */
    :: d_step { pushed != next[me] -> next[me] = pushed }
    od;
#endif
#ifdef BREAK_COUNT /* MPI-1 */
    records++
#endif
}

/* known: nobody has the record any more. */
inline withdraw()
{
    lock(); /* MPI-1: wsfj_mpi_withdraw() */
#ifndef BREAK_TAKE
    take_over(); /* MPI-1: wsfj_mpi_withdraw() */
#endif
#ifdef BREAK_LOCK /* MPI-1 */
    unlock();
#endif
#ifdef BREAK_RUNS /* MPI-1 */
#define is_here (at[me] == QUEUED || !done[me])
#else
#define is_here (at[me] == QUEUED || (!calls[me] && !done[me])) /* MPI-1: wsfj_mpi_withdraw() */
#endif
    if
    :: is_here -> d_step { known = true; at[me] = AWAY; records-- }
    :: else
    fi;
#ifndef BREAK_LOCK
    unlock()
#endif
}

proctype waiter(byte me)
{
    byte round, r, i;
    bool known;

    do
    :: round == ROUNDS -> break
    :: else ->
        round++;
        if
        :: calls[me] = true
        :: calls[me] = false
        fi;
        d_step { alive[me] = true; done[me] = false; event[me] = false; known = false };
        queue();
#ifndef BREAK_WAKE /* MPI-2 */
        wake = true; /* MPI-2: wsfj_mpi_call_progress() */
#endif
        if
        :: event[me]
        :: me == 0 -> withdraw()
        fi;
        known || event[me];
        alive[me] = false
    od;
    back++
}

proctype server()
{
    byte r, i;

    do
    :: ended -> break
    :: else ->
#ifndef BREAK_RESET
        wake = false; /* MPI-2: serve() */
#endif
        progress();
        if
        :: ended -> break
        :: else
        fi;
        if
        :: records > 0 /* a pause that ends by itself */
        :: records == 0 ->
#ifdef BREAK_RESET /* MPI-2 */
            wake = false;
#endif
            wake
        fi
    od
}

proctype searcher()
{
    byte r, i;

    progress();
    progress()
}

/* run_job(): all waiters are back. */
proctype job()
{
    back == N;
#ifdef BREAK_ENDED /* MPI-2 */
    wake = true;
    ended = true
#else
    ended = true;
    wake = true /* MPI-2: run_job() */
#endif
}

init
{
    atomic {
        run waiter(0);
        run waiter(1);
        run server();
        run searcher();
        run job()
    }
}
