/* SPDX-License-Identifier: MIT */
/*
 * park.pml - PARK-1 to PARK-10: lib/idle/park.c, wake.c, idle_counts.c, guest.c, recheck.c, retire.c, expose.c, the
 * loop of serve.c.
 *
 * Worker 0 makes work and is busy until all of it has started; WORKERS others, 2 or 3, search, run and sleep. The work:
 *
 * SPAWN: tasks on worker 0's stack (PARK-1, PARK-2).
 *
 * CARRY: the same after a change to a stack that has been suspended, with or without children (PARK-3).
 *
 * SUBMIT: one task by a foreign thread in the global queue, and unless TASKS is 1 one in worker 0's run queue (PARK-5).
 *
 * PAIR: two tasks by a foreign thread in the global queue, and worker 0 does nothing (PARK-9).
 *
 * RETIRE: as SUBMIT, while worker 2 becomes surplus, and with RAISE is allowed again (PARK-7).
 *
 * Meanwhile GUESTS threads take a sleeper's slot, if they find one, TIMES times; with LONG the last of them stays until
 * the tasks have started (PARK-4). With OFFER searchers offer their slots (PARK-8). With STOP the runtime stops at the end.
 *
 * A task ends at once, or the last but one waits until the last one has started. So a queued task that waits for ever
 * while a worker sleeps is an invalid end state; so are wrong counts at the end, a worker that stays retired, and a
 * worker that sleeps through the stop. An assertion checks that the number of searchers is never below zero.
 *
 * With PLAIN each recheck makes its request and executes a barrier; else it relies on requests that stand (PARK-10).
 *
 * Narrower than the code: a steal is one step (deque.pml, run_queue.pml), so an owner that exposes never finds the lock
 * taken; at most one worker searches (PARK-6, fewer than 8 workers); no phases and polls; no barrier is refused; only
 * worker 0's stacks have tasks, and no guest has; a thread reads a park word and, if it says ASLEEP, changes it in one
 * step, else goes on to the next word. Runs that only submit tasks have no barrier: they need none.
 */
#ifndef TASKS
#define TASKS 2
#endif
#ifndef CAP
#define CAP 3
#endif
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef GUESTS
#define GUESTS 0
#endif
#ifndef TIMES
#define TIMES 1
#endif
#if defined SUBMIT || defined RETIRE
#define FOREIGN
#define OTHERS 1
#else
#define OTHERS 0
#endif
#if defined FOREIGN && (TASKS == 1 || defined PAIR) && !defined STOP
#define MAKER 0 /* worker 0 has nothing to do */
#else
#define MAKER 1
#endif
#define FIRST_OTHER (1 + WORKERS)
#define FIRST_GUEST (1 + WORKERS + OTHERS)
#define NP (1 + WORKERS + OTHERS + GUESTS)

/* Locations. PARK: of the workers but worker 0. STACK: the stack that worker 0 runs. LIMIT: of stacks 1 and 2. MADE:
 * tasks ever put into a queue: the deques of stacks 1 and 2, worker 0's run queue, the global queue. ANSWERS, STANDS: of
 * stacks 1 and 2. */
#define PARK 0
#define STACK WORKERS
#define LIMIT (STACK + 1)
#define MADE (LIMIT + 2)
#define ALLOWED (MADE + 4)
#define STOPPING (ALLOWED + 1)
#define ANSWERS (STOPPING + 1)
#define STANDS (ANSWERS + 2)
#if defined FOREIGN || defined PLAIN
#define NLOC (STOPPING + 1)
#else
#define NLOC (STANDS + 2)
#endif
#include "memory.pml"
#include "park_steps.pml"

/* Searches everywhere once: `ok` if a task is found. */
inline take(me, queue)
{
    if
    :: !ok ->
        d_step {
            sb_view(me, MADE + queue, n);
            ok = (n > taken[queue]);
            if
            :: ok -> taken[queue]++
            :: else
            fi;
            n = 0
        }
    :: else
    fi
}

inline look(me)
{
    ok = 0;
#ifdef FOREIGN
    take(me, GLOBAL);
#if TASKS > 1
    take(me, RING)
#endif
#else
    load(me, STACK, s);
    if
    :: s > 0 -> take(me, s - 1)
    :: else
    fi;
    s = 0
#endif
}

inline execute()
{
    d_step { ok = 0; started++; last = (started + 1 == TASKS) }
    if
    :: skip
#ifndef SHORT
    :: last -> started == TASKS /* one worker is there for the last task */
#endif
    fi;
    last = 0
}

/* Everything is done, and the counts are right. */
#define at_rest (makers == 0 && started == TASKS && resting == WORKERS && searching == 0 && sleeping == sleepers)
#define right(w) (mem[park(w)] == ((w) < mem[ALLOWED] -> ASLEEP : RETIRED))

proctype worker(byte me)
{
    byte s, n, w, sb_other;
    bit ok, last, counted, seen, recalled;

    counted = 1;
    do
    :: counted ->
#ifdef STOP
        load_seq(me, STOPPING, ok);
        if
        :: ok -> break
        :: else
        fi;
#endif
#ifdef RETIRE
        allows(me, me);
        if
        :: ok -> look(me)
        :: else
        fi;
#else
        look(me);
#endif
        if
        :: ok ->
            found(me);
            execute();
            /* PARK-6: wsfj_park_search(), else wsfj_park_sleep() */
            d_step {
                sb_flush(me);
                counted = (searching < 1);
                searching = searching + counted
            }
        :: else ->
#ifdef OFFER
            offer(me);
            if
            :: ok -> ok = 0
            :: else -> goto behind
            fi;
#endif
            goto idle
        fi
    :: !counted ->
idle:
        sleep(me);
#ifdef OFFER
behind:
        skip;
#endif
        d_step { counted = 0; resting++ }
        if
        :: d_step { mem[park(me)] == AWAKE -> counted = 1; resting-- }
#ifndef STOP
        :: at_rest && right(me) -> break
#endif
        fi
    od
}

/* A spawn on stack s: WSFJ_SPAWN_EXIT(), in a loop also wsfj_asked(). T is the tail as its owner knows it. */
inline spawn()
{
    t++;
#ifdef BREAK_LIMIT /* PARK-1 */
    load(0, LIMIT + s - 1, n);
    store(0, MADE + s - 1, t, REL);
#else
    store(0, MADE + s - 1, t, REL);
    load(0, LIMIT + s - 1, n); /* PARK-1 */
#endif
    if
    :: n == LOWERED -> expose()
    :: else
    fi;
    n = 0
}

/* wsfj_deque_answer() */
inline answer()
{
    swap(0, LIMIT + s - 1, SOFT, n);
#if !defined BREAK_ANSWER && !defined PLAIN /* PARK-10 */
    load(0, ANSWERS + s - 1, n);
#ifdef BREAK_ANSWERED /* PARK-10 */
    store(0, ANSWERS + s - 1, n + 1, REL);
#else
    store_seq(0, ANSWERS + s - 1, n + 1); /* PARK-10 */
#endif
#endif
    n = 0
}

/* wsfj_spawn_slow(); wsfj_spawn_brief() does the same steps, and leaves the rest to it */
inline expose()
{
#ifdef BREAK_OVERWRITE /* PARK-1: the counts from before the request */
    notify(0);
    answer();
#else
    answer();
    if
    :: t > taken[s - 1] -> notify(0)
    :: t <= taken[s - 1]
#ifndef BREAK_REQUEST /* PARK-1 */
        -> store(0, LIMIT + s - 1, LOWERED, REL)
#endif
    fi;
#endif
    ok = 0
}

/* append_locked(), append_fiber_locked(); publish(), wsfj_run_queue_put_next() */
inline submit(p, queue, number)
{
#ifdef BREAK_SUBMIT /* PARK-5 */
    store(p, MADE + queue, number, REL);
#else
    store_seq(p, MADE + queue, number); /* PARK-5 */
#endif
    notify(p);
    ok = 0
}

#ifdef STOP
/* wsfj_park_stop() */
inline stop()
{
    store_seq(0, STOPPING, 1);
    n = 1;
    do
    :: n <= WORKERS -> store_seq(0, park(n), AWAKE); n++
    :: else -> break
    od;
    n = 0
}
#endif

proctype maker()
{
    byte s, n, t, w, sb_other;
    bit ok;

    s = 1;
#ifdef CARRY
    /* The task ends. The worker then runs another stack, which was suspended without or with a child: run_once(),
     * run_root(), go_back(); wsfj_fiber_run_show(). */
    store(0, STACK, 0, RLX);
    s = 2;
    if
    :: t = 0
    :: t = 1; store(0, MADE + 1, 1, RLX); fence(0) /* ordered by the queue or join counter it came from */
    fi;
#ifdef BREAK_PUBLISH /* PARK-3 */
    store(0, STACK, s, REL);
#else
    store_seq(0, STACK, s); /* PARK-3 */
#endif
#ifndef BREAK_CARRY
    carry_over();
#endif
#endif
#ifdef FOREIGN
#if TASKS > 1
    submit(0, RING, 1);
#endif
#else
    do
    :: t < TASKS -> spawn()
    :: else -> break
    od;
#endif
    makers--;
#ifdef STOP
    makers == 0 && started == TASKS; /* no thread is inside */
    stop()
#endif
}

#ifdef FOREIGN
proctype foreign()
{
    byte n, s, w, sb_other;
    bit ok, recalled;

#ifdef RETIRE
    change(FIRST_OTHER, 2);
#endif
    submit(FIRST_OTHER, GLOBAL, 1);
#ifdef PAIR
    submit(FIRST_OTHER, GLOBAL, 2);
#endif
#ifdef RAISE
    change(FIRST_OTHER, 3);
#endif
    makers--
}
#endif

#if GUESTS > 0
proctype guest(byte me)
{
    byte s, n, w, times, sb_other;
    bit ok, last, recalled;

    do
    :: times < TIMES ->
        times++;
        enter(me);
        if
        :: w > 0 ->
#ifdef LONG
            me < NP - 1 || started == TASKS;
#endif
            leave(me)
        :: else
        fi
    :: else -> break
    od;
    times = 0;
    makers--
}
#endif

init
{
    atomic {
        mem[STACK] = 1;
        mem[LIMIT] = LOWERED; /* wsfj_stack_refresh() */
        mem[LIMIT + 1] = SOFT;
        mem[ALLOWED] = 1 + WORKERS;
        searching = WORKERS;
        makers = MAKER + OTHERS + GUESTS;
#if MAKER
        run maker();
#endif
#ifdef FOREIGN
        run foreign();
#endif
#if GUESTS > 0
        run guest(FIRST_GUEST);
#endif
#if GUESTS > 1
        run guest(FIRST_GUEST + 1);
#endif
#if WORKERS > 2
        run worker(3);
#endif
        run worker(1);
        run worker(2)
    }
}
