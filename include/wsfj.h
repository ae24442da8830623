/* SPDX-License-Identifier: MIT */
/**
 * @file wsfj.h
 * libwsfj: fork/join parallelism for plain C by work stealing.
 *
 * The whole interface. A task is an ordinary function defined with #WS_TASK. Inside it #ws_spawn says that a call may
 * run in parallel with what follows, and #ws_sync waits until all children spawned in this task are done and their
 * results are in place. #ws_run starts a task from any ordinary thread.
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
 * After ws_sync(), after a call of anything that syncs inside, and after a ws_spawn() with more than 65536 children of the
 * task pending (it runs some of them), the code may be on another thread: do not carry errno, thread-local addresses or
 * owned mutexes over these. longjmp, pthread_exit and C++ exceptions must not leave a
 * task. A task body cannot be variadic, and with gcc it cannot contain setjmp or the address of a label itself (put
 * those in a function of their own).
 *
 * Thread-safe means: from any number of threads at once. In signal handlers only ws_worker_id(), ws_num_workers(),
 * ws_version(), ws_strerror(), ws_config_default() and ws_group_init() may be called. No function is a point of
 * cancellation: a thread that is cancelled inside ws_run() ends after it. doc/process.md has the rest: fork(), dlclose().
 */
#ifndef WSFJ_H
#define WSFJ_H

#include <stddef.h>
#include <stdint.h>

#ifdef WSFJ_PROFILE
#include "wsfj/inline/renamed.h"
#endif

/** Version of these headers. */
#define WSFJ_VERSION_MAJOR 0
#define WSFJ_VERSION_MINOR 1
#define WSFJ_VERSION_PATCH 0
/** The version as one number that can be compared: 0xMMmmpp. */
#define WSFJ_VERSION ((WSFJ_VERSION_MAJOR << 16) | (WSFJ_VERSION_MINOR << 8) | WSFJ_VERSION_PATCH)
#define WSFJ_VERSION_STRING "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/** How workers are bound to processors. */
enum ws_bind {
    WS_BIND_DEFAULT = 0, /**< what WSFJ_BIND says, else close */
    WS_BIND_CLOSE = 1,   /**< neighbours first: workers fill a core's or cache's neighbours before going farther */
    WS_BIND_SPREAD = 2,  /**< as far from each other as the machine allows */
    WS_BIND_NONE = 3,    /**< leave placement to the kernel */
    WS_BIND_PRIMARY = 4  /**< all in the first place */
};

/** Whom a worker without work tries to steal from. All but WS_VICTIM_NEAR are there for comparison. */
enum ws_victim {
    WS_VICTIM_DEFAULT = 0,    /**< what WSFJ_VICTIM says, else near */
    WS_VICTIM_NEAR = 1,       /**< nearest first, the last success before all others; far ones have their turns too */
    WS_VICTIM_UNIFORM = 2,    /**< any worker with the same probability */
    WS_VICTIM_LARGEST = 3,    /**< whoever has most tasks waiting, after a look at all */
    WS_VICTIM_ROUND_ROBIN = 4 /**< one after the other */
};

/** Which of several sleeping workers is woken for new work. For comparison; near is what programs should use. */
enum ws_wake {
    WS_WAKE_DEFAULT = 0, /**< what WSFJ_WAKE says, else near */
    WS_WAKE_NEAR = 1,    /**< the nearest to where the work is; of equally near ones that which fell asleep last */
    WS_WAKE_RANDOM = 2   /**< any */
};

/** Value of ws_config::spin_us that stands for "what WSFJ_WAIT says, else the default". */
#define WS_SPIN_DEFAULT (-1L)
/** Value of ws_config::spin_us: search for work for ever while a region runs, never sleep. */
#define WS_SPIN_FOREVER (-2L)

/** Value of ws_config::max_spares that stands for "what WSFJ_SPARES says, else the default". */
#define WS_SPARES_DEFAULT (-1L)

/**
 * Settings for ws_init(). Fill it with ws_config_default() first, then change fields.
 * A field left at its default is taken from the environment, then from the machine.
 */
struct ws_config {
    size_t size;         /**< sizeof(struct ws_config): set by ws_config_default(), tells versions apart */
    size_t num_workers;  /**< threads that may run tasks at once; 0: WSFJ_NUM_WORKERS, else what mask and quota allow */
    enum ws_bind bind;   /**< placement of the workers */
    size_t stack_size;   /**< bytes of a task's call stack (reserved, touched lazily); 0: WSFJ_STACK_SIZE, else 8 MiB */
    long spin_us;        /**< microseconds an idle worker searches before it sleeps; #WS_SPIN_DEFAULT, #WS_SPIN_FOREVER */
    size_t max_stacks;   /**< most stacks that may exist at once; 0: no limit but memory */
    size_t max_pending;  /**< detached tasks the global queue may hold, beside 257 in each worker's own; 0: 65536 */
    enum ws_victim victim; /**< whom to steal from */
    const char *places;  /**< where workers may be bound, in the syntax of OMP_PLACES; NULL: WSFJ_PLACES, else each CPU.
                              Read by ws_init() only */
    enum ws_wake wake;   /**< whom to wake */
    long max_spares;     /**< most threads beside the workers' own, for tasks in ws_blocking_begin() and ws_pin(), 0 to 4096;
                              #WS_SPARES_DEFAULT: WSFJ_SPARES, else 256 */
    /**
     * The place for a program's own source of work, such as a poll of its sockets. A worker that has found nothing to do
     * calls it before it sleeps; while workers are busy a thread of the runtime calls it once a millisecond. Only one thread
     * calls it at a time. It may submit tasks (no call waits there: ws_submit() returns EAGAIN instead) and must not start,
     * stop or run anything (EDEADLK). It should return at once: 0 if there was nothing; another value if there was
     * something, and then it is called again soon. While all workers sleep nothing calls it. NULL: there is none.
     */
    int (*poll)(void *arg);
    void *poll_arg;      /**< what `poll` is called with */
};
typedef struct ws_config ws_config;

/** Fills `config` with "take everything from the environment and the machine". */
void ws_config_default(ws_config *config);

/**
 * Starts the runtime. Optional: the first ws_run() does it with the defaults.
 *
 * @param config settings, or NULL for the defaults
 * @return 0; EALREADY if it runs already (nothing changes); EINVAL for an impossible setting (one line on stderr names
 *         it); ENOMEM if there is no memory for even one worker or stack; EDEADLK inside a task
 * Thread-safe.
 */
int ws_init(const ws_config *config);

/**
 * Stops the runtime: joins all its threads and frees everything it has allocated. Stopping what does not run is fine.
 * A later ws_init() or ws_run() starts it anew.
 *
 * @return 0; EBUSY if a ws_run() is under way in any thread or a detached task is pending or running (nothing changes),
 *         so also inside a task
 * Thread-safe.
 */
int ws_fini(void);

/**
 * Begins a phase of many short regions with little between them: until ws_phase_end() workers without work go on searching
 * instead of going to sleep, and are spared the way from and to it, at the price of their processors' time. Starts the
 * runtime if need be. Phases may overlap and nest; ws_fini() returns EBUSY in a phase.
 *
 * @return 0, or the error of ws_init(). Thread-safe.
 */
int ws_phase_begin(void);

/** Ends a phase. @return 0; EINVAL if there is none. Thread-safe. */
int ws_phase_end(void);

/**
 * The number of workers; 0 while the runtime does not run. If fewer threads could be started than were asked for, there is
 * one worker for each of them; if none could be started the number is 1. It stays the same until ws_fini(), though some
 * workers sleep while the affinity mask or the CPU quota is smaller than at the start. Thread-safe.
 */
size_t ws_num_workers(void);

/**
 * The worker this code runs on, 0 to ws_num_workers() - 1; -1 outside any task. It may change at every ws_sync() and
 * at every call that syncs inside. Thread-safe.
 */
int ws_worker_id(void);

/** What workers have done since the runtime started. Set `size` to sizeof(struct ws_stats) before the call. */
struct ws_stats {
    size_t size;
    uint64_t steals;             /**< tasks that went to another worker */
    uint64_t steals_failed;      /**< attempts that found nothing or came too late */
    uint64_t exposures_asked;    /**< times a thief asked an owner to make tasks public */
    uint64_t exposures_answered; /**< times an owner did */
    uint64_t exposures_forced;   /**< times a thief did not wait for the owner */
    uint64_t suspensions;        /**< joins whose continuation was suspended because a stolen child was not done */
    uint64_t parks;              /**< times a worker went to sleep */
    uint64_t wakes;              /**< times a worker woke another one */
    uint64_t stacks;             /**< the most task stacks that have existed at once; ws_stats_get() only */
    uint64_t tasks;              /**< tasks that had a stack of their own and are done: stolen, detached, of ws_run() */
    uint64_t regions;            /**< of these, roots: calls of ws_run() that workers have done */
    uint64_t resumptions;        /**< times a task ran on after it had waited or yielded */
    uint64_t group_waits;        /**< times a task was suspended in ws_group_wait() */
    uint64_t yields;             /**< times a task let others run, by ws_yield() or because queues were full */
    uint64_t blockings;          /**< times a worker's place was lent in ws_blocking_begin() */
    uint64_t overflows;          /**< times half of a full run queue went to the global queue */
    uint64_t global_takes;       /**< times a worker took tasks from the global queue */
    uint64_t searches;           /**< times a worker ran out of work of its own and began to look for some */
    uint64_t steals_by_distance[5]; /**< `steals`, from SMT siblings, inside a cache, NUMA node, package, and machine */
};

/**
 * Reads the counters. While tasks run they are a moment's view; each is right once no region is under way.
 *
 * @return 0, or EINVAL if `stats` is NULL or its `size` too small. Thread-safe.
 */
int ws_stats_get(struct ws_stats *stats);

/**
 * Reads the counters of one worker.
 *
 * @param worker 0 to ws_num_workers() - 1
 * @param stats as for ws_stats_get()
 * @return 0; EINVAL as ws_stats_get(); ERANGE if there is no such worker (`stats` is all zeros then). Thread-safe.
 */
int ws_stats_worker(size_t worker, struct ws_stats *stats);

/** A one-line description of a value returned by ws_init(), ws_fini() or ws_run(). Thread-safe, never NULL. */
const char *ws_strerror(int error);

/** The version of the library that is linked, as #WSFJ_VERSION. `text` may be NULL; else it gets a constant string. */
unsigned ws_version(const char **text);

#ifdef __cplusplus
}
#endif

#include "wsfj/blocking.h"
#include "wsfj/pin.h"
#include "wsfj/submit.h"
#include "wsfj/trace.h"

/*
 * The task macros. What each of them takes and means:
 *
 * WS_TASK(R, f, T1, a1, ...) { body }        defines the function R f(T1 a1, ...) as a task: 0 to 8 parameters of any
 *                                            object types (array and function-pointer types need a typedef).
 *                                            `static WS_TASK(...)` works.
 * WS_TASK_VOID(f, T1, a1, ...) { body }      the same without a result.
 * WS_DECLARE(R, f, T1, a1, ...);             declares a task: for headers and mutual recursion.
 * WS_DECLARE_VOID(f, T1, a1, ...);
 * WS_SPAWNABLE(R, f, T1, a1, ...);           makes a function that exists already spawnable in this file.
 * WS_SPAWNABLE_VOID(f, T1, a1, ...);
 *
 * Inside a task, or after ws_frame() in a block of any function:
 *
 * ws_spawn(f, &result, arguments...);        f(arguments...) may run in parallel with what follows. The result is
 *                                            valid after ws_sync(); a NULL pointer drops it. Arguments are evaluated
 *                                            once, before the spawn; what they point to must live until the sync.
 * ws_spawn(f, arguments...);                 the same for a task without a result.
 * ws_call(f, arguments...)                   f(arguments...) as a plain call, with a look-up less.
 * ws_sync();                                 waits for all children spawned in this task (or block).
 * ws_frame();                                lets the block spawn; leaving the block syncs.
 *
 * A task that returns with children pending waits for them and drops their results: call ws_sync() first when a child
 * writes to locals. With -DWSFJ_DEBUG such a return is reported on stderr.
 *
 * ws_run(f, &result, arguments...)           runs the task from any thread, starting the runtime on first use, and
 * ws_run(f, arguments...)                    comes back on the same thread when it is done. Any number of threads
 *                                            may do so at once. Inside a task it is ws_call. Value: 0, or the error of
 *                                            ws_init() (then the task has not run). With no memory for a stack the
 *                                            task runs serially on the caller's stack.
 *
 * With -DWSFJ_SERIAL the macros make an ordinary serial program, with -DWSFJ_PROFILE one that measures its work and span
 * while it runs serially (doc/profiling.md).
 */
#ifdef WSFJ_PROFILE
#include "wsfj/profile.h"
#elif defined WSFJ_SERIAL
#include "wsfj/inline/serial.h"
#else
#include "wsfj/task.h"
#endif

#endif
