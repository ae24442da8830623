/* SPDX-License-Identifier: MIT */
/*
 * One stack with its deque: a header, struct wsfj_stack, and one mapping elsewhere:
 *
 *   low                                                            high
 *   | argument area | lines of the deque ... | guard | ... call stack |
 *
 * The lines grow up, the call stack grows down, and the one guard catches both. The whole mapping is reserved at once and
 * touched lazily; a free stack can give back every page of it. Headers are type-stable: once made, a header stays where it
 * is until the end of the runtime, so a thief may look at the header of a stack that has meanwhile gone back to the pool.
 * It finds H = T there, and looks at no line.
 * Neighbours: pool.c keeps the headers and hands stacks out, deque.c works on the deque, stack_overflow.c reports what hits the
 * guard.
 */
#ifndef WSFJ_STACK_H
#define WSFJ_STACK_H

#include "arch/context.h"
#include "base/atomic.h"
#include "base/base.h"
#include "task/item.h"

#include <sys/types.h>

struct wsfj_worker;
struct wsfj_region;
struct wsfj_server;
struct wsfj_thread;

/* What a deque is for. Constant for a stack. */
enum wsfj_mode {
    WSFJ_MODE_NORMAL,  /* private tasks above E, public ones below; needs the heavy barrier */
    WSFJ_MODE_LOCKED,  /* no heavy barrier: E stays at the end, every sync takes the lock */
    WSFJ_MODE_PRIVATE  /* outside any region: no thief will ever look */
};

/* What the strand on a stack does. */
enum wsfj_life {
    WSFJ_LIFE_FREE,    /* there is none: in the pool, or about to begin */
    WSFJ_LIFE_RUNS,    /* or is about to go on */
    WSFJ_LIFE_JOIN,    /* waits at a sync, */
    WSFJ_LIFE_GROUP,   /* for a group, */
    WSFJ_LIFE_YIELDED, /* for a worker, after ws_yield() or after it gave way at a sync, */
    WSFJ_LIFE_PLACE    /* after a bracket, for a worker's place */
};

/* The most frames that are looked at. */
#define WSFJ_FRAMES_MOST 16

/* What a running strand has said of itself (frame_request.c). */
struct wsfj_answer {
    uint32_t state; /* futex */
    uint32_t count;
    pid_t tid;      /* the thread that is asked; only the watching thread */
    uint64_t moves; /* of the stack when it answered; if they have changed since, the frames are not those of now */
    bool shown; /* in the dump that is being made; only who makes it */
    uintptr_t pc[WSFJ_FRAMES_MOST];
};

struct wsfj_stack {
    struct wsfj_head head;

    /* Under the lock; thieves also peek. */
    __attribute__((aligned(WSFJ_CACHE_LINE))) struct wsfj_line *first; /* H: the oldest task that is not stolen */
    uint32_t lock;

    /* The join counter: stolen children that the owner waits for, and one for itself until it has left (join.c). */
    __attribute__((aligned(WSFJ_CACHE_LINE))) uint64_t join;

    /* Written by the worker that runs the stack, before the stack is published. */
    __attribute__((aligned(WSFJ_CACHE_LINE))) struct wsfj_worker *worker;
    struct wsfj_region *region; /* whose root the tasks on it descend from; thieves read it under the lock */
    struct wsfj_line *job;      /* the stolen task to run; NULL: the region's root */
    const struct wsfj_kind *kind; /* of the stolen task or the root; NULL: a detached one */
    struct wsfj_stack *parent;    /* whose task has spawned it; NULL: it is not a stolen one (unwind_link.c) */
    struct wsfj_item item;        /* the detached task to run, if `fn` is set and `job` is not */
    ws_group *waits_for;          /* suspended until this group is done (group.c) */
    bool must_help;               /* ... but has to run a task itself first (submit.c) */
    const char *code;             /* of the task that runs on it; NULL: none does (unwind_link.c) */
    struct wsfj_context context;
    uint64_t answered_at;         /* when the owner made tasks public, by wsfj_now() */
    uint32_t turn;                /* how often its task has been run on so far, 0: it begins */
    uint32_t name;                /* of its task in a trace (trace.h) */
    bool alone;                   /* nothing else has run between its last switch and this one (submit.c) */
    bool left;                    /* for checkers: the strand's last word */
    unsigned brackets;            /* ws_blocking_begin()s that are open */
    struct wsfj_server *lender;   /* whose place has been lent away in the outermost one; NULL: it has not (blocking.c), */
    struct wsfj_thread *spare;    /* to whom, unless to the place's own thread */
    bool suspended;               /* its deque is listed (suspended.c); atomic only for checkers: one thread at a time */
    struct wsfj_stack *suspended_next, *suspended_before; /* in that list; under its mutex */
    unsigned pins;                /* ws_pin()s that are open (pin.c): */
    struct wsfj_thread *reserve;  /* who will have its thread's place while it waits; a guest's has its own thread; */
    struct wsfj_server *pinned;   /* the thread it waits on for a place, to go on there; NULL: it can go on anywhere */
    uint32_t life;                /* enum wsfj_life; with the next three, for dumps: any thread may look */
    uint64_t turns;               /* how often a strand has begun or gone on here */
    uint64_t moves;               /* how often a strand here has made progress (watchdog.h) */
    uint64_t preempt;             /* the turn in which it is asked to give up its worker (preempt.c); 0: none */
    pid_t thread;                 /* in a bracket: the thread that blocks; 0: not known */

    /* Set when made, then constant. */
    struct wsfj_line *lines; /* the first line; the one before it takes stores that nobody reads */
    struct wsfj_line *soft;  /* a loop whose tail passes this calls its children */
    struct wsfj_line *full;  /* a loop whose tail passes this, all its children being stolen, waits for them */
    struct wsfj_line *last;  /* the end of the lines, where the guard starts */
    char *map;               /* the mapping; the argument area comes first */
    char *guard, *low;       /* the guard ends where the call stack starts */
    size_t size, map_size;   /* of the call stack, and of the mapping */
    unsigned node;   /* whose list in the pool it belongs to */
    unsigned number; /* for people: from 1, in the order in which stacks were made */

    /* The pool's. */
    struct wsfj_stack *next;     /* in a list of free stacks, or of strands in the global queue */
    struct wsfj_stack *next_all; /* in the list of all stacks, only ever prepended to */
    bool trimmed;                /* its pages went back to the kernel, and with them what `context` had saved there */

    struct wsfj_answer answer; /* frame_request.c */
};

/* Maps a stack whose header is `stack`, all zero, with a call stack of `size` bytes (a multiple of the page size); `size`
 * 0 makes a deque without a call stack. False if there is no memory. */
bool wsfj_stack_map(struct wsfj_stack *stack, size_t size, enum wsfj_mode mode);

/* Unmaps it; the header is the caller's. */
void wsfj_stack_unmap(struct wsfj_stack *stack);

/* The same with a header of its own, from malloc(). NULL if there is no memory. */
struct wsfj_stack *wsfj_stack_make(size_t size, enum wsfj_mode mode);
void wsfj_stack_destroy(struct wsfj_stack *stack);

/* Gives the pages of a free stack back to the kernel, and sets `trimmed`: before the next use the pool makes its context
 * anew. With sanitizers a few pages and the context stay, because the sanitizers keep records of the frames on a stack as
 * long as its context exists. */
void wsfj_stack_trim(struct wsfj_stack *stack);

/* Leaves a request for the first task, before a stack from the pool is used. Its deque is empty already, H = T = the
 * first line, and is left alone: a thief that looked at the stack's former life may hold the lock with E raised. Its
 * barrier is then for the new life; lowering E here would let owner and thief run the same task (THE-6). */
void wsfj_stack_refresh(struct wsfj_stack *stack);

/* The strand on the stack says what it does next; other threads may look at any time. A yield and going on after it are no
 * progress, nor is the repeated look of a waiter that has to help (submit.c). */
static inline void wsfj_stack_lives(struct wsfj_stack *own, enum wsfj_life life)
{
    bool yields = life == WSFJ_LIFE_YIELDED || load_relaxed(&own->life) == WSFJ_LIFE_YIELDED;

    store_relaxed(&own->life, (uint32_t)life);
    if (life == WSFJ_LIFE_RUNS)
        count_one(&own->turns);
    if (!yields && !load_relaxed(&own->must_help))
        count_one(&own->moves);
}

static inline struct wsfj_stack *wsfj_stack_of(struct wsfj_head *head)
{
    return WSFJ_CONTAINER(head, struct wsfj_stack, head);
}

#endif
