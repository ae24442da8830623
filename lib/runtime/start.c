/* SPDX-License-Identifier: MIT */
#include "runtime/start.h"

#include "api/guest_root.h"
#include "base/atomic.h"
#include "base/debug.h"
#include "base/failpoint.h"
#include "base/fence.h"
#include "base/thread.h"
#include "base/tsan.h"
#include "config/settings.h"
#include "idle/cpu_limit.h"
#include "idle/preempt.h"
#include "machine/affinity.h"
#include "machine/placement.h"
#include "machine/report.h"
#include "machine/topology.h"
#include "observe/monitor.h"
#include "observe/stats.h"
#include "observe/trace.h"
#include "queue/global_queue.h"
#include "sched/fiber.h"
#include "sched/load.h"
#include "sched/team.h"
#include "signals/stack_overflow.h"
#include "task/pool.h"
#include "task/stack.h"
#include "worker/items.h"
#include "worker/team_cpus.h"
#include "worker/workers.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>

/* Reading the machine and its control groups takes 9 KiB of stack, more than a small thread or a coroutine may have. */
#define START_STACK ((size_t)1 << 20)

/* Weak: NULL in a process without MemorySanitizer. */
extern void __msan_init(void) __attribute__((weak));

static unsigned limit; /* if the CPU quota made the workers fewer, its whole CPUs; else 0 */

static void display(const struct wsfj_topology *t, const struct wsfj_placement *l)
{
    unsigned online = wsfj_affinity_online();

    wsfj_say("version %s, %u worker%s%s", WSFJ_VERSION_STRING, wsfj_num_workers, wsfj_num_workers == 1 ? "" : "s",
             wsfj_heavy_works() ? "" : ", without membarrier");
    if (limit)
        wsfj_say("the CPU quota of the control groups leaves %u worker%s (WSFJ_CGROUP=0: ignore it)", limit,
                 limit == 1 ? "" : "s");
    wsfj_report_machine(wsfj_say, t);
    if (t->can_bind && t->num_threads < online)
        wsfj_say("the affinity mask leaves %u of %u CPUs: set by taskset, a launcher or a cpuset, or by the program",
                 t->num_threads, online);
    wsfj_report_settings(wsfj_say);
    wsfj_report_workers(wsfj_say, t, l);
}

static bool number_is_given(void)
{
    return wsfj_settings.num_workers != WSFJ_WORKERS_CORES && wsfj_settings.num_workers != WSFJ_WORKERS_THREADS;
}

/* What the number of running workers follows. Nothing if the program set a number, or if the topology is not this
 * machine's. */
static enum wsfj_cpu_limit to_follow(const struct wsfj_topology *t)
{
    if (number_is_given() || !t->can_bind)
        return WSFJ_CPU_LIMIT_FIXED;
    return wsfj_settings.cgroup ? WSFJ_CPU_LIMIT_QUOTA : WSFJ_CPU_LIMIT_MASKS;
}

/* In OpenMP, primary says only where the threads are. Here it also limits their number, often to 1. */
static void warn_of_primary(const struct wsfj_placement *l, const struct wsfj_topology *t, unsigned n)
{
    if (l->bind == WS_BIND_PRIMARY && wsfj_settings.from[WSFJ_SET_BIND] == WSFJ_FROM_OMP && l->places > 1 &&
        !number_is_given())
        wsfj_say("OMP_PROC_BIND=primary: the first place has room for %u worker%s, of %u CPUs (WSFJ_OMP=0: ignore it)",
                 n, n == 1 ? "" : "s", t->num_threads);
}

/* Set for OpenMP regions inside tasks, OMP_NUM_THREADS=1 makes this library serial, too. A user who says WSFJ_OMP=1 knows. */
static void warn_of_omp(const struct wsfj_placement *l, const struct wsfj_topology *t, unsigned n)
{
    if (wsfj_settings.from[WSFJ_SET_WORKERS] == WSFJ_FROM_OMP &&
        wsfj_settings.from[WSFJ_SET_OMP] == WSFJ_FROM_DEFAULT && n < wsfj_placement_wanted(l, t, WSFJ_WORKERS_THREADS))
        wsfj_say("OMP_NUM_THREADS alone decides: %u worker%s, of %u CPUs (WSFJ_OMP=0: ignore it; WSFJ_OMP=1: no line)",
                 n, n == 1 ? "" : "s", t->num_threads);
}

/* taskset, mpirun and the like set the mask before the library is loaded. A program that binds its first thread later
 * may mean only that thread. */
static void warn_of_mask(const struct wsfj_topology *t)
{
    unsigned before = wsfj_affinity_at_load();

    if (t->can_bind && t->num_threads == 1 && before > 1 && !number_is_given())
        wsfj_say("there is one worker, because the program has bound its first thread to one CPU of %u (call ws_init() "
                 "earlier, or set WSFJ_NUM_WORKERS=1)",
                 before);
}

/* A function of libgcc, in programs with -fsplit-stack. Their code compares the stack pointer with the limit of the thread's
 * first stack, and switches to a new stack in the middle of a task. No macro tells the headers of it. */
extern void *__splitstack_find(void *, void *, size_t *, void **, void **, void **) __attribute__((weak));

static void warn_of_split_stack(void)
{
    if (__splitstack_find)
        wsfj_say("the program has code compiled with -fsplit-stack, which crashes in tasks: compile it without");
}

/* Finds the places, and returns how many workers are wanted. 0 if there is no memory. */
static unsigned plan_workers(struct wsfj_placement *l, const struct wsfj_topology *t)
{
    unsigned n, most = wsfj_cpu_limit_open(to_follow(t));

    if (!wsfj_placement_places(l, t, &wsfj_settings.places, wsfj_settings.bind))
        return 0;
    if (wsfj_settings.places.what != WSFJ_PLACES_UNSET && wsfj_settings.bind != WS_BIND_NONE && !l->chosen)
        wsfj_say("%s: none of these places has a CPU that may be used here; using each CPU",
                 wsfj_settings_name(WSFJ_SET_PLACES));
    n = wsfj_placement_wanted(l, t, wsfj_settings.num_workers);
    warn_of_primary(l, t, n);
    warn_of_omp(l, t, n);
    warn_of_mask(t);
    warn_of_split_stack();
    limit = most < n ? most : 0;
    if (!limit)
        return n;
    /* Not bound: otherwise all containers of a machine would share its first CPUs. */
    if (wsfj_settings.from[WSFJ_SET_BIND] == WSFJ_FROM_DEFAULT && !l->chosen) {
        wsfj_settings.bind = WS_BIND_NONE;
        wsfj_placement_free(l);
        if (!wsfj_placement_places(l, t, &wsfj_settings.places, wsfj_settings.bind))
            return 0;
    }
    return most;
}

/* Makes `wanted` workers, or as many as there is memory for, and a thread for each. If not all threads can be started,
 * there are fewer workers; if none can, one worker on which nothing runs. False if there is no memory. */
static bool make_team(const struct wsfj_topology *t, struct wsfj_placement *l, unsigned wanted)
{
    unsigned n = wanted, threads;

    while (n && !(wsfj_placement_workers(l, t, n) && wsfj_team_make(t, l)))
        n /= 2;
    if (!n)
        return false;
    if (n < wanted)
        wsfj_say("WSFJ_NUM_WORKERS: no memory for %u workers; going on with %u", wanted, n);
    wsfj_team_note_process();
    threads = wsfj_team_recruit();
    if (threads == n || (wsfj_placement_workers(l, t, threads ? threads : 1) && wsfj_workers_shrink(t, l)))
        return true;
    wsfj_team_join();
    wsfj_team_free();
    return false;
}

/* Without a single stack nothing can run. */
static bool probe_stack(void)
{
    struct wsfj_cache cache = {.free = NULL};
    struct wsfj_stack *s = wsfj_pool_take(&cache);

    if (!s)
        return false;
    wsfj_pool_give(&cache, s);
    wsfj_pool_flush(&cache);
    return true;
}

/* Starts all that comes after the settings and membarrier(). */
static int start_locked(void)
{
    struct wsfj_topology topology;
    struct wsfj_placement placement = {.places = 0};
    int error = 0;

    wsfj_pool_start(wsfj_settings.stack_size, !wsfj_heavy_works(), wsfj_settings.max_stacks,
                    wsfj_tsan_watches() ? wsfj_fiber_main_watched : wsfj_fiber_main);
    if (!probe_stack()) {
        wsfj_say("WSFJ_STACK_SIZE=%zuK: there is not even one task stack: %s() failed (%s)",
                 wsfj_settings.stack_size >> 10, load_relaxed(&wsfj_stack_refused), strerror(errno));
        wsfj_pool_stop();
        return ENOMEM;
    }
    if (!wsfj_global_queue_start(wsfj_settings.max_pending)) {
        wsfj_say("ws_config.max_pending = %zu: no memory for so many", wsfj_settings.max_pending);
        wsfj_pool_stop();
        return ENOMEM;
    }
    wsfj_load_start();
    wsfj_items_start();
    wsfj_guest_root_begin();
    if (!wsfj_topology_read(&topology, WSFJ_MACHINE_THIS, NULL) ||
        !make_team(&topology, &placement, plan_workers(&placement, &topology))) {
        error = ENOMEM;
    } else {
        wsfj_preempt_start();
        wsfj_overflow_start();
        wsfj_stats_reset();
        wsfj_cpu_limit_start(wsfj_num_workers);
        wsfj_monitor_start();
        wsfj_trace_start(); /* after the monitor: the signal of a dump must not look fatal to trace_on_crash.c */
        wsfj_team_start(topology.num_threads);
        wsfj_cpu_limit_follow();
        if (wsfj_settings.display)
            display(&topology, &placement);
    }
    if (error) {
        wsfj_global_queue_stop();
        wsfj_pool_stop();
    }
    wsfj_placement_free(&placement);
    wsfj_topology_free(&topology);
    return error;
}

static void *start_main(void *error)
{
    wsfj_thread_begin("wsfj-start");
    wsfj_team_spread(); /* the caller may have bound itself, and mean only itself */
    *(int *)error = start_locked();
    return NULL;
}

/* Whether the caller is on the stack that the process began with, and enough of it is left. AT_RANDOM is an address at the
 * beginning of that stack. */
static bool on_first_stack(void)
{
    uintptr_t used = (uintptr_t)getauxval(AT_RANDOM) - (uintptr_t)__builtin_frame_address(0);
    struct rlimit size;

    return getrlimit(RLIMIT_STACK, &size) == 0 && size.rlim_cur > 2 * START_STACK && used < START_STACK;
}

/* Starts on a thread of its own if the caller's stack may be too small: that of another thread, or of a coroutine. */
static int start_with_stack(void)
{
    pthread_t thread;
    int error;

    if (!on_first_stack() && wsfj_thread_make(&thread, START_STACK, start_main, &error) == 0)
        pthread_join(thread, NULL);
    else
        error = start_locked();
    return error;
}

static sigset_t mask; /* the signal mask of the thread that has started the runtime */

/* MemorySanitizer sees neither what the library stores nor that its calls of tasks pass arguments. */
static void warn_of_memory_sanitizer(void)
{
    static bool warned;

    if (__msan_init && !warned)
        wsfj_say("this program has MemorySanitizer, which does not see what the library stores: its reports may be "
                 "false (compile with -DWSFJ_SERIAL, or use Valgrind)");
    warned = true;
}

int wsfj_start(const ws_config *config)
{
    int before = errno, error;

    warn_of_memory_sanitizer();
    wsfj_thread_block_signals(&mask); /* no handler of the program may interrupt the start */
    error = wsfj_settings_read(config);
    /* Before any thread is made: with several threads the kernel takes some milliseconds to tell all CPUs. */
    if (!error && !wsfj_heavy_start(wsfj_settings.membarrier) && wsfj_settings.membarrier)
        wsfj_say("membarrier() is refused here: each sync takes a lock (WSFJ_MEMBARRIER=0 avoids the attempt)");
    if (!error)
        error = start_with_stack();
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    errno = before;
    return error;
}

void wsfj_start_restore_signals(void)
{
    if (wsfj_thread_is == WSFJ_THREAD_OURS)
        wsfj_thread_restore_signals(&mask, wsfj_settings.dump_signal);
}
