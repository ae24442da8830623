/* SPDX-License-Identifier: MIT */
/*
 * The threads of an execution: contexts of this thread, scheduled one at a time. A switch away from a thread that could
 * go on is a preemption and costs one unit of the budget; a switch is free where a thread blocks, pauses or ends.
 *
 * A switch leaves a thread on whatever stack it is on, so the explored code may itself switch stacks.
 */
#include "engine.h"

#include "arch/context.h"

#include <stdlib.h>

#define STACK_BYTES ((size_t)128 << 10)
/* An execution with more steps counts as endless. */
#define MOST_STEPS 2000
/* A thread that reads so often while no thread writes counts as spinning. */
#define MOST_LOOKS 100

enum state { READY, PAUSED, BLOCKED, ENDED };

#define LOCALS 2

static struct thread {
    struct wsfj_context context;
    void (*main)(void);
    enum state state;
    const void *on;    /* BLOCKED */
    uint64_t messages; /* written before its last read or pause */
    unsigned looks;    /* reads since then */
    unsigned since;    /* PAUSED: the step */
    void *own[LOCALS]; /* its values of the thread-local words */
} threads[EXPLORE_THREADS];

static char stacks[EXPLORE_THREADS][STACK_BYTES] __attribute__((aligned(64)));
static struct wsfj_context outside;
static unsigned number;
static bool failed;
static void **locals[LOCALS]; /* the thread-local words; NULL: no more */

int current = -1;

void explore_thread_local(void *word)
{
    unsigned i = 0;

    while (locals[i] && locals[i] != word)
        if (++i == LOCALS)
            abort();
    locals[i] = word;
}

void explore_shared_stacks(void)
{
    explore_shared(stacks, sizeof stacks);
}

unsigned explore_self(void)
{
    return (unsigned)current;
}

static bool may_run(const struct thread *t)
{
    if (t->state == PAUSED)
        return t->messages != messages;
    return t->state == READY;
}

static void switch_to(int next)
{
    struct wsfj_context *from = current < 0 ? &outside : &threads[current].context;

    if (next == current)
        return;
    for (unsigned i = 0; i < LOCALS && locals[i]; i++) {
        if (current >= 0)
            threads[current].own[i] = *locals[i];
        *locals[i] = next < 0 ? NULL : threads[next].own[i];
    }
    current = next;
    wsfj_arch_switch(from, next < 0 ? &outside : &threads[next].context);
}

void thread_stop(void)
{
    failed = true;
    switch_to(-1);
}

/* The thread that goes on where another gives way: any of those that were preempted, or else the one that has paused
 * longest, first of all one that has missed a write. So spinning threads alternate. -1: there is none. */
static int choose_other(void)
{
    int ready[EXPLORE_THREADS], paused = -1;
    unsigned n = 0;

    for (int i = 0; i < (int)number; i++) {
        const struct thread *t = &threads[i], *best = paused < 0 ? NULL : &threads[paused];

        if (i != current && t->state == READY)
            ready[n++] = i;
        if (i != current && t->state == PAUSED &&
            (!best || may_run(t) > may_run(best) || (may_run(t) == may_run(best) && t->since < best->since)))
            paused = i;
    }
    return n ? ready[search_choose(true, WHOM, n)] : paused;
}

void thread_point(bool preempt)
{
    struct thread *t = &threads[current];
    int others[EXPLORE_THREADS];
    unsigned n = 0;

    if (++step > MOST_STEPS)
        search_fail("endless");
    if (t->messages != messages) {
        t->messages = messages;
        t->looks = 0;
    } else if (++t->looks > MOST_LOOKS) {
        t->looks = 0;
        engine_pause();
    }
    for (int i = 0; i < (int)number; i++) {
        if (i != current && may_run(&threads[i]))
            others[n++] = i;
    }

    unsigned choice = search_choose(preempt && budget.preemptions, PREEMPT, n + 1);

    if (choice == 0)
        return;
    budget.preemptions--;
    search_trace(NULL, "is preempted");
    switch_to(others[choice - 1]);
}

/* The current thread stops here; it goes on only if it pauses and no other thread can run. */
static void give_way(void)
{
    int next = choose_other();

    if (next < 0 && threads[current].state == PAUSED)
        next = current;
    for (unsigned i = 0; next < 0 && i < number; i++) {
        if (threads[i].state != ENDED)
            search_fail("deadlock: no thread can go on");
    }
    switch_to(next);
}

void engine_pause(void)
{
    struct thread *t = &threads[current];

    if (++step > MOST_STEPS)
        search_fail("endless");
    search_trace(NULL, "pauses");
    t->state = PAUSED;
    t->since = step;
    /* What it has missed so far counts as new. A spinning thread sees every write in the end. */
    t->messages = memory_freshen(current) ? messages - 1 : messages;
    give_way();
    t->state = READY;
    (void)memory_freshen(current);
}

void thread_block(const void *on)
{
    struct thread *t = &threads[current];

    search_trace(NULL, "sleeps");
    t->state = BLOCKED;
    t->on = on;
    give_way();
}

int thread_wake(const void *on)
{
    for (unsigned i = 0; i < number; i++) {
        if (threads[i].state == BLOCKED && threads[i].on == on) {
            threads[i].state = READY;
            return (int)i;
        }
    }
    return -1;
}

void thread_await(unsigned n)
{
    while (threads[n].state != ENDED)
        thread_block(&threads[n]);
    view_join(&views[current], &views[n]);
}

void explore_sleep(const void *on)
{
    step++; /* who goes on is a choice, as is who begins: a replay must tell them apart */
    thread_block(on);
}

bool explore_wake(const void *on)
{
    int woken = thread_wake(on);

    if (woken >= 0)
        view_join(&views[woken], &views[current]);
    return woken >= 0;
}

static void begin(void *argument)
{
    struct thread *t = argument;

    t->main();
    search_trace(NULL, "ends");
    t->state = ENDED;
    (void)thread_wake(t);
    give_way();
}

bool thread_run_all(const struct explore_program *program)
{
    failed = false;
    for (number = 0; number < EXPLORE_THREADS && program->thread[number]; number++) {
        struct thread *t = &threads[number];

        *t = (struct thread){.main = program->thread[number], .state = READY};
        t->context.stack_low = stacks[number];
        t->context.stack_size = STACK_BYTES;
        wsfj_arch_make(&t->context, begin, t);
    }
    switch_to((int)search_choose(true, WHOM, number));
    return !failed;
}
