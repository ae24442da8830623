/* SPDX-License-Identifier: MIT */
/*
 * One stack with its deque: a header, struct wsfj_stack, and one mapping elsewhere:
 *
 *   low                                                            high
 *   | argument area | descriptors of the deque ... | guard | ... call stack |
 *
 * The descriptors grow up, the call stack grows down, and one guard catches both. The whole mapping is reserved at once
 * and touched lazily; a free stack can give back every page. A header stays at its address until the end of the
 * runtime. So a thief may read the header of a stack that has returned to the pool: it finds H = T there, and reads no
 * descriptor.
 *
 * pool.c keeps the headers and hands out stacks, deque.c works on the deque, stack_overflow.c reports hits of the
 * guard.
 */
#ifndef WSFJ_TASK_STACK_H
#define WSFJ_TASK_STACK_H

#include "arch/context.h"
#include "arch/exceptions.h"
#include "base/atomic.h"
#include "base/base.h"
#include "base/debug.h"
#include "task/item.h"
#include "task/mode.h"

#include <string.h>
#include <sys/types.h>

_Static_assert(sizeof(unsigned) == 4, "two of them are read together");

struct wsfj_worker;
struct wsfj_region;
struct wsfj_server;
struct wsfj_thread;

/* What the fiber on a stack does. */
enum wsfj_life {
    WSFJ_LIFE_FREE,    /* no fiber: in the pool, or about to begin */
    WSFJ_LIFE_RUNS,    /* or is about to resume */
    WSFJ_LIFE_JOIN,    /* waits at a sync, */
    WSFJ_LIFE_WAIT,    /* for something else: wsfj_waiting says for what, */
    WSFJ_LIFE_YIELDED, /* for a worker, after ws_yield() or after it gave way at a sync, */
    WSFJ_LIFE_SLOT     /* for a worker's slot, after a blocking section */
};

/* The largest number of frames in an answer. */
#define WSFJ_FRAMES_MOST 16

/* What a running fiber reports of itself (frame_request.c). */
struct wsfj_answer {
    uint32_t state; /* futex */
    uint32_t count;
    pid_t tid;      /* the thread that is asked; only the monitor's thread uses it */
    uint64_t moves; /* shown.moves at the answer; if that has changed since, the frames are outdated */
    bool shown;     /* in the present dump; only the thread that dumps uses it */
    uintptr_t pc[WSFJ_FRAMES_MOST];
};

/* What the fiber runs, and for whom. Written before the stack is published. */
struct wsfj_job {
    struct wsfj_region *region;     /* of the tasks here; thieves read it under the lock. NULL: a plain call, outside */
    struct wsfj_descriptor *stolen; /* the stolen task to run; NULL: the region's root */
    const struct wsfj_kind *kind;   /* of the stolen task or the root; NULL: a detached one */
    struct wsfj_stack *parent;      /* the stack whose task has spawned it; NULL: not a stolen task (unwind_link.c) */
    struct wsfj_item item; /* the detached task to run, if `fn` is set and `stolen` is not; its `group` is that of the
                                     * innermost detached task that runs here (group_wait.c); NULL: none */
    const char *code;      /* of the task; NULL: no task runs (unwind_link.c) */
    uint32_t name;         /* of the task in a trace (trace.h) */
    uint32_t runs;         /* how often a worker has run it so far; 0: it begins */
};

/* Waits other than at a sync (leave.c, api/wait.c). */
struct wsfj_waiting {
    bool (*commit)(struct wsfj_stack *stack, void *arg); /* of the suspension that is under way (leave.h), */
    void *arg;                                           /* and its argument */
    bool must_help;                                      /* it waits for a group, and must run a task itself first */
    bool alone; /* no other fiber has run between the last two switches to this one */

    /* What the fiber waits for. Others may look. */
    uint32_t kind;   /* enum wsfj_wait_kind */
    uint32_t detail; /* waiter.h */
    const void *on;  /* the object */
    uint64_t since;  /* by wsfj_coarse_now() */
    uint64_t until;  /* the deadline, by wsfj_now(); WSFJ_FOREVER: none */
};

/* So many of the mutexes that a task has locked are known by address. */
#define WSFJ_HELD_MOST 4

/* ws_blocking_begin() and ws_blocking_end() (blocking.c). */
struct wsfj_lending {
    __attribute__((aligned(8))) unsigned sections; /* how many are open */
    unsigned mutexes; /* how many its tasks have locked (mutex.c): read together with `sections` (wsfj_stack_has_open()) */
    struct wsfj_server *lender; /* the thread that lent its worker's slot in the outermost section; NULL: none */
    struct wsfj_thread *spare;  /* the thread that has the slot, unless it is the worker's own */
    pid_t thread;               /* the thread that blocks; 0: not known */
};

/* ws_pin() and ws_unpin() (pin.c). */
struct wsfj_pinning {
    unsigned count;              /* how many are open */
    struct wsfj_thread *reserve; /* gets the thread's slot while the fiber waits; a guest's thread has none */
    struct wsfj_server *server;  /* the thread that must run the fiber next; NULL: any thread may */
};

/* The list of deques whose fibers do not run (suspended.c). */
struct wsfj_listing {
    bool listed;                      /* one thread at a time; atomic only for ThreadSanitizer */
    struct wsfj_stack *next, *before; /* under the list's mutex */
};

/* For dumps and the preempting thread: any thread may read it. */
struct wsfj_shown {
    uint32_t life;  /* enum wsfj_life */
    uint64_t runs;  /* how often a fiber has begun or resumed here */
    uint64_t moves; /* how often a fiber here has made progress (watchdog.h) */
};

/* The mapping. Set when it is made, then constant. */
struct wsfj_memory {
    struct wsfj_descriptor *soft; /* a loop whose tail passes this calls its children */
    struct wsfj_descriptor *full; /* a loop whose tail passes this while all its children are stolen waits for them */
    struct wsfj_descriptor *last; /* the end of the deque, where the guard starts */
    char *map;                    /* the argument area comes first */
    char *guard, *low;            /* the guard ends where the call stack starts */
    size_t size, map_size;        /* of the call stack, and of the mapping */
};

/* Used by the pool (pool.c). */
struct wsfj_pooled {
    struct wsfj_stack *next;     /* in a list of free stacks, or of fibers in the global queue */
    struct wsfj_stack *next_all; /* in the list of all stacks, only ever prepended to */
    bool trimmed;                /* the pages, with the frames of `context`, went back to the kernel */
    unsigned node;               /* the NUMA node whose list it belongs to */
};

struct wsfj_stack {
    /* The owner's cache line. Thieves read `tail`, and write `exposed` and `limit`. */
    struct wsfj_deque deque;

    /* The thieves' cache line: under the lock; thieves also peek. */
    __attribute__((aligned(WSFJ_CACHE_LINE))) struct wsfj_descriptor *first; /* H: the oldest task that is not stolen */
    struct wsfj_descriptor *offered; /* P: the tasks below it are public (THE-7) */
    uint32_t lock;
    uint32_t answering; /* not read: the owner stores it to fetch this line before it needs it (brief.c) */
    ws_scope *scope;    /* the innermost open scope of what runs here; the owner writes it. NULL: none */
    uint64_t answers;   /* how many requests the owner has answered */
    uint64_t stands;    /* answers + 1 at the last recheck that left a request (PARK-10); 0: none */

    /* The joiners' cache line. The join counter: stolen children that the owner waits for, plus 1 for the owner until
     * it has left the stack (sync.c). */
    __attribute__((aligned(WSFJ_CACHE_LINE))) uint64_t join;

    /* Written by the worker that runs the stack, before the stack is published. */
    __attribute__((aligned(WSFJ_CACHE_LINE))) struct wsfj_worker *worker;
    struct wsfj_job job;
    struct wsfj_context context;
    struct wsfj_exceptions exceptions; /* of the fiber, while it does not run */
    struct wsfj_waiting wait;
    uint64_t exposed_at; /* when the owner made tasks public, by wsfj_rough_now() */
    struct wsfj_lending blocking;
    struct wsfj_listing suspended;
    struct wsfj_pinning pin;
    struct wsfj_shown shown;
    uint64_t preempt; /* the run (by shown.runs) that shall give up its worker (preempt.c); 0: none */

    struct wsfj_descriptor *bottom; /* the deque's first descriptor; the one before it takes stores that are not read */
    struct wsfj_memory memory;
    const void *held[WSFJ_HELD_MOST]; /* mutexes that its tasks have locked, and perhaps unlocked: by how many were locked */
    unsigned number;                  /* for users: from 1, in the order of making */
    int cancel_state;                 /* to restore when a call outside any region ends (serial.c) */
    struct wsfj_pooled pool;
    const void *overflowed_at; /* where a handler has returned to the overflow (stack_overflow.c); NULL: nowhere */

    struct wsfj_answer answer;
};

/* Maps a stack whose header is `stack`, all zero, with a call stack of `size` bytes (a multiple of the page size);
 * `size` 0 makes a deque without a call stack. False if the kernel refuses: errno has the error. */
bool wsfj_stack_map(struct wsfj_stack *stack, size_t size, enum wsfj_mode mode);

/* The system call that the kernel has refused last, for a line at the start. Relaxed: any thread may make a stack. */
extern const char *wsfj_stack_refused;

/* Unmaps it; the header is the caller's. */
void wsfj_stack_unmap(struct wsfj_stack *stack);

/* The same with a header of its own, from malloc(). NULL if there is no memory. */
struct wsfj_stack *wsfj_stack_make(size_t size, enum wsfj_mode mode);
void wsfj_stack_destroy(struct wsfj_stack *stack);

/* Gives the pages of a free stack back to the kernel, and sets `trimmed`: before the next use the pool makes its
 * context anew. With ThreadSanitizer a few pages and the context stay, because it keeps records of the frames on a
 * stack as long as its context exists. */
void wsfj_stack_trim(struct wsfj_stack *stack);

/* Puts a request for the first task into a stack before its next use. Does not touch the deque, which is
 * empty, with H = T = the first descriptor: a thief that came for an earlier fiber may hold the lock with E raised. Its
 * barrier then holds for the new fiber; lowering E here would let owner and thief run the same task (THE-6). */
static inline void wsfj_stack_refresh(struct wsfj_stack *s)
{
    wsfj_assert(load_relaxed(&s->deque.wsfj_tail) == s->bottom && load_relaxed(&s->first) == s->bottom);
    /* A request: the first task that a stolen task spawns becomes public, so the next thief need not ask or force. E
     * stays (THE-6). */
    if (s->deque.wsfj_mode == WSFJ_MODE_NORMAL) {
        store_relaxed(&s->deque.wsfj_limit, NULL);
    } else {
        store_relaxed(&s->deque.wsfj_limit, s->memory.soft);
        /* PARK-10: no request stands. Release: after the limit, which a recheck may lower between two tasks of a row. */
        store_release(&s->answers, s->answers + 1);
    }
}

/* The same for a stack from the pool, and its code is a member of no scope. */
static inline void wsfj_stack_renew(struct wsfj_stack *s)
{
    store_relaxed(&s->scope, NULL);
    store_relaxed(&s->deque.wsfj_scopes, 0u);
    wsfj_stack_refresh(s);
}

/* The fiber on the stack records what it does next; other threads may read that at any time. A yield and the resumption
 * after it do not count as progress, nor do the repeated checks of a waiter that must help (group_wait.c). */
static inline void wsfj_stack_lives(struct wsfj_stack *own, enum wsfj_life life)
{
    bool yields = life == WSFJ_LIFE_YIELDED || load_relaxed(&own->shown.life) == WSFJ_LIFE_YIELDED;

    store_relaxed(&own->shown.life, (uint32_t)life);
    if (life == WSFJ_LIFE_RUNS)
        count_one(&own->shown.runs);
    if (!yields && !load_relaxed(&own->wait.must_help))
        count_one(&own->shown.moves);
}

/* The same for a fiber that runs, and begins another task; `run`: the number of its next run. */
static inline void wsfj_stack_lives_on(struct wsfj_stack *own, uint64_t run)
{
    store_relaxed(&own->shown.runs, run);
    count_one(&own->shown.moves);
}

/* Stores the detached task that the stack is to run. Dumps may read it meanwhile. */
static inline void wsfj_stack_put_item(struct wsfj_stack *s, struct wsfj_item item)
{
    store_relaxed(&s->job.item.fn, item.fn);
    s->job.item.arg = item.arg;
    store_relaxed(&s->job.item.group, item.group);
}

/* Whether the task has left a blocking section, a mutex or a pin open: all three in one look. */
static inline bool wsfj_stack_has_open(const struct wsfj_stack *own)
{
    uint64_t both;

    memcpy(&both, &own->blocking.sections, sizeof both);
    return (both | own->pin.count) != 0;
}

/* Whether the preempter has asked the running fiber to give up its worker (preempt.c). */
static inline bool wsfj_stack_is_asked(const struct wsfj_stack *own)
{
    uint64_t asked = load_relaxed(&own->preempt);

    return asked && asked == load_relaxed(&own->shown.runs);
}

/* Whether fork() has left this fiber alone in the child process (fork_child.h). */
static inline bool wsfj_stack_is_fork_child(const struct wsfj_stack *s)
{
    return s->deque.wsfj_mode == WSFJ_MODE_PRIVATE && s->memory.size > 0; /* deques outside regions have no call stack */
}

static inline struct wsfj_stack *wsfj_stack_of(struct wsfj_deque *deque)
{
    return WSFJ_CONTAINER(deque, struct wsfj_stack, deque);
}

#endif
