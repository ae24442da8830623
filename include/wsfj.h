/* SPDX-License-Identifier: MIT */
/**
 * @file wsfj.h
 * libwsfj: fork/join parallelism for plain C by work stealing.
 *
 * A task is an ordinary function defined with #WS_TASK. In a task, #ws_spawn says that a call may run in parallel with
 * the code after it, and #ws_sync waits until all children spawned in this task are done and their results are stored.
 * #ws_run runs a task from any ordinary thread.
 *
 * @code
 * #include <wsfj.h>
 *
 * WS_TASK(long, fib, long, n)
 * {
 *     if (n < 2)
 *         return n;
 *     long x, y;
 *     ws_spawn(fib, &x, n - 1);
 *     y = ws_call(fib, n - 2);
 *     ws_sync();
 *     return x + y;
 * }
 *
 * int main(void)
 * {
 *     long r;
 *     return ws_run(fib, &r, 40);
 * }
 * @endcode
 *
 * A task may continue on another thread after ws_sync(), after a call that syncs inside, and after a ws_spawn() with
 * more than 65536 pending children of the task (it runs some of them). So do not keep errno, thread-local addresses or
 * locked mutexes of threads across these; a ws_mutex belongs to the task. longjmp() and pthread_exit() must not leave a task, nor may a C++
 * exception; wsfj.hpp has tasks that may throw. A task may wait in a catch block. A task cannot be
 * variadic. With gcc, its body cannot contain setjmp() or the address of a label; put those in a function of their own.
 *
 * Thread-safe means that any number of threads may call a function at once. Signal handlers may call only
 * ws_worker_id(), ws_num_workers(), ws_version(), ws_strerror(), ws_config_default() and ws_group_init(). No function
 * is a cancellation point: a thread that is cancelled inside ws_run() ends after it. doc/process.md describes fork(),
 * dlclose() and more.
 */
#ifndef WSFJ_H
#define WSFJ_H

#include <stddef.h>
#include <stdint.h>

#ifdef WSFJ_PROFILE
#include "wsfj/inline/renamed.h"
#endif
#if defined WSFJ_SERIAL || defined WSFJ_RACE
#include <errno.h>
#include <string.h>
#endif

/** Version of these headers. */
#define WSFJ_VERSION_MAJOR 0
#define WSFJ_VERSION_MINOR 1 /**< the second number */
#define WSFJ_VERSION_PATCH 0 /**< the third number */
/** The version as one number, for comparisons: 0xMMmmpp. */
#define WSFJ_VERSION ((WSFJ_VERSION_MAJOR << 16) | (WSFJ_VERSION_MINOR << 8) | WSFJ_VERSION_PATCH)
/** The version as text. */
#define WSFJ_VERSION_STRING "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/** How workers are bound to processors. */
enum ws_bind {
    WS_BIND_DEFAULT = 0, /**< WSFJ_BIND, else close */
    WS_BIND_CLOSE = 1,   /**< near each other: workers fill a core or a cache before the next one */
    WS_BIND_SPREAD = 2,  /**< as far from each other as the machine allows */
    WS_BIND_NONE = 3,    /**< not bound: the kernel places them */
    WS_BIND_PRIMARY = 4, /**< all in the first place */
    WS_BIND_AUTO = 5     /**< as close; a worker may leave its place while other threads or processes use that */
};

/** Value of ws_config::spin_us: WSFJ_WAIT, else 50 microseconds. */
#define WS_SPIN_DEFAULT (-1L)
/** Value of ws_config::spin_us: while a region runs, idle workers search for work and never sleep. */
#define WS_SPIN_FOREVER (-2L)

/** Value of ws_config::max_spares: WSFJ_SPARES, else 256. */
#define WS_SPARES_DEFAULT (-1L)

/**
 * Settings for ws_init(). Fill the structure with ws_config_default(), then change fields. A field left at its default
 * is taken from the environment, or else from the machine.
 */
struct ws_config {
    size_t size;        /**< sizeof(struct ws_config); ws_config_default() sets it. Tells versions apart */
    size_t num_workers; /**< threads that run tasks at once; 0: WSFJ_NUM_WORKERS, else as mask and quota allow */
    enum ws_bind bind;  /**< placement of the workers */
    size_t stack_size;  /**< bytes of a task's call stack (reserved, touched lazily); 0: WSFJ_STACK_SIZE, else 8 MiB */
    long spin_us;      /**< microseconds an idle worker searches before it sleeps; #WS_SPIN_DEFAULT, #WS_SPIN_FOREVER */
    size_t max_stacks; /**< limit of the number of stacks; 0: only memory limits it */
    size_t max_pending; /**< detached tasks that the global queue may hold, beside 256 in each worker's; 0: 65536 */
    const char *places; /**< where workers may be bound, in the syntax of OMP_PLACES; NULL: WSFJ_PLACES, else each CPU.
                              Only ws_init() reads it */
    long max_spares;    /**< limit of the spare threads, for tasks in ws_blocking_begin() and ws_pin(): 0 to 4096, or
                              #WS_SPARES_DEFAULT */
    /**
     * A function that checks the program's own source of work, such as its sockets; NULL: none. A worker that has found
     * no work calls it before the worker sleeps. While workers are busy, a thread of the runtime calls it once a
     * millisecond. While all workers sleep, it is not called. Only one thread calls it at a time. It may submit tasks,
     * but no call waits there: ws_submit() returns EAGAIN instead. It must not start or stop the runtime or run a
     * region (EDEADLK). It should return at once: 0 if it found nothing; another value if it found work, and then it is
     * called again soon. Destructors of the program that run as a thread of the runtime ends are bound by the same
     * rules.
     */
    int (*poll)(void *wsfj_arg);
    void *poll_arg; /**< the argument of `poll` */
};
/** The same. */
typedef struct ws_config ws_config;

/** Counters of the workers since the runtime started. Set `size` to sizeof(struct ws_stats) before the call. */
struct ws_stats {
    size_t size;                    /**< sizeof(struct ws_stats) */
    uint64_t steals;                /**< tasks that went to another worker */
    uint64_t steals_failed;         /**< attempts that found no task or were too late */
    uint64_t exposures_asked;       /**< times a thief asked an owner to make tasks public */
    uint64_t exposures_answered;    /**< times an owner did so */
    uint64_t exposures_forced;      /**< times a thief took a private task without waiting for the owner */
    uint64_t suspensions;           /**< syncs that suspended the task, because a stolen child was not done */
    uint64_t parks;                 /**< times a worker went to sleep, or began asleep */
    uint64_t wakes;                 /**< times a worker woke another one */
    uint64_t stacks;                /**< the largest number of task stacks at once; ws_stats_get() only */
    uint64_t tasks;                 /**< finished tasks with a stack of their own: stolen, detached, of ws_run() */
    uint64_t regions;               /**< of these, the roots: calls of ws_run() that workers have done */
    uint64_t resumptions;           /**< times a task resumed after a wait or a yield */
    uint64_t waits;                 /**< times a task was suspended, but not at a sync: for a group, a mutex, ... */
    uint64_t yields;                /**< times a task let others run: ws_yield(), or full queues */
    uint64_t blockings;             /**< times ws_blocking_begin() lent a worker's slot */
    uint64_t overflows;             /**< times half of a full run queue moved to the global queue */
    uint64_t global_takes;          /**< times a worker took tasks from the global queue */
    uint64_t searches;              /**< times a worker ran out of its own work and began to search */
    uint64_t splits;                /**< times a thief took a part of a running loop */
    uint64_t slices;                /**< slices of static loops that workers have run */
    uint64_t slices_home;           /**< of these, those that ran on the worker that they are meant for */
    uint64_t steals_by_distance[5]; /**< `steals` by what both workers share: core, cache, NUMA node, package, machine */
    uint64_t cancelled;             /**< tasks dropped because a ws_scope or the group of theirs was cancelled */
    uint64_t short_waits;           /**< syncs that waited some microseconds for stolen children, which ended by then */
    uint64_t short_waits_vain;      /**< syncs that did so in vain */
    uint64_t timeouts;              /**< waits that their deadline has ended; not ws_sleep_until() */
    uint64_t cancelled_waits;       /**< waits that a cancellation has ended, or kept from beginning */
    uint64_t fd_events;             /**< waits of tasks for a file descriptor that an event has ended */
};

#if defined WSFJ_SERIAL || defined WSFJ_RACE

#include "wsfj/inline/serial_calls.h"

#else

/** Sets all fields of `config` to "from the environment, or else from the machine". */
void ws_config_default(ws_config *wsfj_config);

/**
 * Starts the runtime. Optional: the first ws_run() or ws_submit() starts it with the defaults.
 *
 * @param wsfj_config settings, or NULL for the defaults
 * @return 0; EALREADY if it is already running (nothing changes); EINVAL for an invalid setting (one line on stderr names
 *         it); ENOMEM if there is no memory for even one worker or stack; EDEADLK inside a task, in ws_config::poll and
 *         in a destructor that runs as a thread of the runtime ends
 * Thread-safe.
 */
int ws_init(const ws_config *wsfj_config);

/**
 * Stops the runtime: joins all its threads and frees everything that it has allocated. Does nothing if the runtime is
 * not running. A later ws_init() or ws_run() starts it again.
 *
 * @return 0; EBUSY (nothing changes) if a ws_run() or another call is under way in any thread, a detached task is pending or
 *         running, or a phase has not ended; so also inside a task. EDEADLK in ws_config::poll and in a destructor that
 *         runs as a thread of the runtime ends
 * Thread-safe.
 */
int ws_fini(void);

/**
 * Begins a phase of many short regions with little between them. Until ws_phase_end(), idle workers keep searching
 * instead of going to sleep: regions start faster, and the search takes processor time. A thread that calls ws_run()
 * takes the place of one of them, which sleeps until there is work for it. Starts the runtime if necessary. Phases may
 * overlap and nest. In a phase ws_fini() returns EBUSY.
 *
 * @return 0; ENOMEM if the runtime cannot be started; EDEADLK in ws_config::poll, and in a destructor that runs as a
 *         thread of the runtime ends, while the runtime is being stopped.
 *         Thread-safe.
 */
int ws_phase_begin(void);

/** Ends a phase. @return 0; EINVAL if no phase is open. Thread-safe. */
int ws_phase_end(void);

/**
 * The number of workers; 0 while the runtime is not running. If not all threads could be started, there is one worker
 * for each started thread; if none could be started, the number is 1. The number is constant until ws_fini(). Some
 * workers sleep while the affinity mask or the CPU quota is smaller than at the start. Thread-safe.
 */
size_t ws_num_workers(void);

/**
 * The worker that runs the calling code, 0 to ws_num_workers() - 1; -1 outside any task. It may change at every
 * ws_sync() and at every call that syncs inside. Thread-safe.
 */
int ws_worker_id(void);

/**
 * The number of slots of ws_slot(): ws_num_workers() + 1. Starts the runtime if necessary, so that an array with so many
 * elements is large enough until ws_fini(). If the runtime cannot be started, the number is 1. Thread-safe.
 */
size_t ws_num_slots(void);

/**
 * An index for data of which each worker has its own: the number of the worker, or, where ws_worker_id() is -1, the last
 * slot, ws_num_slots() - 1. In a task, nobody else uses the worker's slot until the next ws_sync() or call that syncs
 * inside. All other code shares the last slot: threads outside of tasks, and tasks in blocking sections. A slot that such
 * code uses needs a lock or atomics. Thread-safe.
 */
size_t ws_slot(void);

/**
 * Reads the counters. While a region runs, the values are of slightly different moments; without one they are exact.
 *
 * @return 0, or EINVAL if `stats` is NULL or its `size` too small. Thread-safe.
 */
int ws_stats_get(struct ws_stats *wsfj_stats);

/**
 * Reads the counters of one worker.
 *
 * @param wsfj_worker 0 to ws_num_workers() - 1
 * @param wsfj_stats as for ws_stats_get()
 * @return 0; EINVAL as ws_stats_get(); ERANGE if there is no such worker (then all counters are 0). Thread-safe.
 */
int ws_stats_worker(size_t wsfj_worker, struct ws_stats *wsfj_stats);

/** A one-line description of an error value that a function of this library returns. Thread-safe, never NULL. */
const char *ws_strerror(int wsfj_error);

/** The version of the linked library, as in #WSFJ_VERSION. Stores it as constant text in *text, unless `text` is
 * NULL. */
unsigned ws_version(const char **wsfj_text);

#endif

#ifdef __cplusplus
}
#endif

#include "wsfj/blocking.h"
#include "wsfj/local.h"
#include "wsfj/pin.h"
#include "wsfj/rng.h"
#include "wsfj/submit.h"
#include "wsfj/outside.h"
#include "wsfj/trace.h"
#include "wsfj/wait.h"

/**
 * @page task_macros The task macros
 * @verbatim
 * WS_TASK(R, f, T1, a1, ...) { body }        defines the function R f(T1 a1, ...) as a task: 0 to 16 parameters of any
 *                                            object types; arrays and pointers to functions need a typedef, and an array
 *                                            is passed as a pointer. They are copied byte by byte: a C++ type with a
 *                                            constructor or destructor of its own is refused (wsfj.hpp takes any).
 *                                            `static WS_TASK(...)` works.
 * WS_TASK_VOID(f, T1, a1, ...) { body }      the same without a result.
 * WS_DECLARE(R, f, T1, a1, ...);             declares a task: for headers and mutual recursion.
 * WS_DECLARE_VOID(f, T1, a1, ...);
 * WS_SPAWNABLE(R, f, T1, a1, ...);           makes an existing function spawnable in this file.
 * WS_SPAWNABLE_VOID(f, T1, a1, ...);
 *
 * Inside a task, or after ws_frame() in a block of any function:
 *
 * ws_spawn(f, &result, arguments...);        f(arguments...) may run in parallel with the code that follows. The result
 *                                            is valid after ws_sync(); a NULL pointer drops it. Arguments are evaluated
 *                                            once, before the spawn. Objects they point to must live until the sync.
 *                                            At most 24 pieces between commas: a compound literal such as (struct p){1, 2}
 *                                            is two pieces. Right after f it needs parentheses: ((struct p){1, 2}). In C++,
 *                                            put parentheses around a template's commas.
 * ws_spawn(f, arguments...);                 the same for a task without a result.
 * ws_spawn_if(condition, f, &result, ...);   ws_spawn if the condition holds, else a call. Evaluates its arguments once.
 * ws_call(f, arguments...)                   f(arguments...) as a plain call, a little faster.
 * ws_sync();                                 waits for all children spawned in this task (or block).
 * ws_invoke((f, &result, ...), (g, ...));    2 to 8 calls at once, the last one directly; returns when they are done. Each
 *                                            stands in parentheses, as it would in ws_spawn. Children spawned before are
 *                                            not waited for.
 * ws_frame();                                lets a block of any function spawn; leaving the block syncs.
 *
 * A task that returns with pending children waits for them and drops their results. Call ws_sync() first if a child
 * writes to local variables. With -DWSFJ_DEBUG, such a return is reported on stderr.
 *
 * ws_run(f, &result, arguments...)           runs the task from any thread and returns on the same thread when the
 * ws_run(f, arguments...)                    task is done. The first call starts the runtime. Any number of threads may
 *                                            call it at once. Inside a task it is ws_call. Value: 0; ENOMEM without
 *                                            memory for the runtime, the arguments or the task's spawns; EDEADLK in
 *                                            ws_config::poll, and on a thread that has left a task by longjmp(), where
 *                                            the library can know that (one line on stderr says so). On an error the
 *                                            task has not run. Without memory for a stack, the task runs serially on
 *                                            the caller's stack.
 *
 * ws_scope_begin(&s); ws_scope_end(&s)       children spawned between them can be cancelled: wsfj/scope.h.
 *
 * A block of code cannot be a task, nor the root of a region: standard C has no function inside a function (nested
 * functions are gcc's, blocks clang's), and a thief cannot run a block on a copy of the frame around it. So a task is a
 * function, and what it uses are its parameters:
 *
 *     static WS_TASK_VOID(scale, double *, a, size_t, n, double, by) { for (size_t i = 0; i < n; i++) a[i] *= by; }
 *     ...
 *     ws_spawn(scale, a, n / 2, 0.5);
 *
 * With -DWSFJ_SERIAL the macros make an ordinary serial program; with -DWSFJ_PROFILE a serial one that measures its
 * work and span (doc/profiling.md). `wsfj-race cc` compiles with -DWSFJ_RACE: a serial program that finds races
 * (doc/races.md).
 * @endverbatim
 */
#ifdef WSFJ_RACE
#include "wsfj/inline/race_task.h"
#elif defined WSFJ_PROFILE
#include "wsfj/inline/profile.h"
#elif defined WSFJ_SERIAL
#include "wsfj/inline/serial.h"
#else
#include "wsfj/inline/task.h"
#endif
#include "wsfj/fold.h"
#include "wsfj/loop.h"
#include "wsfj/reduce.h"
#include "wsfj/scope.h"
#include "wsfj/try.h"
#include "wsfj/invoke.h"

#endif
