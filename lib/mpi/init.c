/* SPDX-License-Identifier: MIT */
/* The beginning and the end, and whether MPI may be called. */
#include "mpi/bag_for.h"
#include "mpi/cpus.h"
#include "mpi/progress.h"
#include "mpi/run.h"
#include "mpi/trace.h"
#include "mpi/wait.h"
#include "mpi/record.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Written while ws_mpi_init() and ws_mpi_fini() run, which the program calls when no other thread uses the library. */
static bool up, started_mpi, funneled, in_child;
static pthread_t main_thread;

bool wsfj_mpi_is_funneled(void)
{
    return funneled;
}

bool wsfj_mpi_is_main(void)
{
    return pthread_equal(pthread_self(), main_thread);
}

static void note_child(void)
{
    in_child = true;
}

static bool is_finalized(void)
{
    int flag;

    return MPI_Finalized(&flag) == MPI_SUCCESS && flag;
}

/* Each reason is said once: it is relaxed, because the same line twice does no harm. */
#define REFUSED(name, error, why)                                                                                      \
    ({                                                                                                                 \
        static int said;                                                                                               \
        if (!__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))                                                          \
            wsfj_mpi_say("%s: %s: " #error, name, why);                                                                \
        error;                                                                                                         \
    })

int wsfj_mpi_enter(const char *name)
{
    if (in_child)
        return REFUSED(name, ECHILD, "the child of a fork may not call MPI");
    if (!up)
        return REFUSED(name, EINVAL, "call ws_mpi_init() first");
    if (is_finalized())
        return REFUSED(name, EINVAL, "MPI_Finalize() was called before");
    if (ws_sleep_until(0) == EDEADLK)
        return REFUSED(name, EDEADLK, "a poll source, or a thread that ends, must not wait");
    return 0;
}

/* WSFJ_MPI_THREADS. False: it has another value. */
static bool lower(int *level)
{
    static const struct {
        const char *name;
        int level;
    } all[] = {
        {"funneled", MPI_THREAD_FUNNELED}, {"serialized", MPI_THREAD_SERIALIZED}, {"multiple", MPI_THREAD_MULTIPLE}};
    const char *text = getenv("WSFJ_MPI_THREADS");

    if (!text || !*text)
        return true;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strcmp(text, all[i].name) == 0) {
            *level = all[i].level < *level ? all[i].level : *level;
            return true;
        }
    }
    wsfj_mpi_say("WSFJ_MPI_THREADS=%s: it takes funneled, serialized or multiple", text);
    return false;
}

/* MPI shall run, with at least MPI_THREAD_FUNNELED. */
static int start_mpi(int *argc, char ***argv, int *level)
{
    int flag, code = MPI_Initialized(&flag);

    if (code == MPI_SUCCESS && !flag) {
        code = wsfj_mpi_keep_cpus(argc, argv, level);
        started_mpi = code == MPI_SUCCESS;
    } else if (code == MPI_SUCCESS) {
        code = MPI_Query_thread(level);
    }
    return wsfj_mpi_error(code);
}

/* The runtime shall run. */
static int start_runtime(void)
{
    ws_config config;
    int node, error;
    bool shared = wsfj_mpi_share_cpus(&node);

    ws_config_default(&config);
    if (shared && !getenv("WSFJ_BIND"))
        config.bind = WS_BIND_NONE;
    wsfj_mpi_trace_name();
    error = ws_init(&config);
    wsfj_mpi_trace_start(error, node);
    return error == EALREADY ? 0 : error;
}

static int begin(int level)
{
    int flag = 1, error;

    if (level < MPI_THREAD_FUNNELED) {
        wsfj_mpi_say("MPI has MPI_THREAD_SINGLE: ask for MPI_THREAD_MULTIPLE, or MPI_THREAD_FUNNELED at least");
        return ENOTSUP;
    }
    if (MPI_Is_thread_main(&flag) == MPI_SUCCESS && !flag) {
        wsfj_mpi_say("ws_mpi_init: call it in the thread that has called MPI_Init()");
        return EPERM;
    }
    error = start_runtime();
    funneled = level < MPI_THREAD_MULTIPLE;
    if (!error && !funneled)
        error = ws_poll_add(wsfj_mpi_source, NULL);
    return error;
}

WSFJ_MPI_EXPORT int ws_mpi_init(int *argc, char ***argv)
{
    static bool watches_forks;
    int level, error;

    if (in_child)
        return REFUSED("ws_mpi_init", ECHILD, "the child of a fork may not call MPI");
    if (up)
        return EALREADY;
    if (is_finalized())
        return REFUSED("ws_mpi_init", EINVAL, "MPI_Finalize() was called before");
    error = start_mpi(argc, argv, &level);
    if (error)
        return error;
    if (!lower(&level))
        error = EINVAL;
    if (!error && !watches_forks)
        error = pthread_atfork(NULL, NULL, note_child);
    watches_forks = watches_forks || !error;
    main_thread = pthread_self();
    if (!error)
        error = begin(level);
    up = !error;
    if (error && started_mpi)
        MPI_Finalize();
    return error;
}

WSFJ_MPI_EXPORT int ws_mpi_fini(void)
{
    int error = wsfj_mpi_enter(__func__);
    size_t open = wsfj_mpi_open() + wsfj_mpi_waits_here() + wsfj_mpi_loop_runs();

    if (error)
        return error;
    if (!wsfj_mpi_is_main() || ws_worker_id() >= 0)
        return EPERM;
    if (open) {
        wsfj_mpi_say("ws_mpi_fini: %zu wait%s for MPI %s not over: EBUSY", open, open == 1 ? "" : "s",
                     open == 1 ? "is" : "are");
        return EBUSY;
    }
    wsfj_mpi_loops_free();
    if (!funneled)
        (void)ws_poll_remove(wsfj_mpi_source, NULL);
    wsfj_mpi_forget();
    up = false;
    return started_mpi ? wsfj_mpi_error(MPI_Finalize()) : 0;
}
