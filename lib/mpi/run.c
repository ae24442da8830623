/* SPDX-License-Identifier: MIT */
#include "mpi/run.h"

#include "mpi/progress.h"
#include "mpi/record.h"

#include <errno.h>
#include <sched.h>

/* Whether the thread is in ws_mpi_run(). Release and acquire: what it did before. */
static bool served;
/* Wakes it: a record was queued, or the program's work is done. */
static ws_event wake = WS_EVENT_INIT;

uint64_t wsfj_mpi_source(void *unused)
{
    (void)unused;
    return wsfj_mpi_pause(wsfj_mpi_progress());
}

bool wsfj_mpi_is_served(void)
{
    return __atomic_load_n(&served, __ATOMIC_ACQUIRE);
}

/* After the push (MPI-2). */
void wsfj_mpi_call_progress(void)
{
    if (wsfj_mpi_is_funneled())
        ws_event_set(&wake);
    else
        (void)ws_poll_add(wsfj_mpi_source, NULL); /* it is there, and due at once now */
}

struct job {
    void (*fn)(void *);
    void *arg;
    ws_event ended;
};

static void run_job(void *arg)
{
    struct job *job = arg;

    job->fn(job->arg);
    ws_event_set(&job->ended);
    ws_event_set(&wake); /* MPI-2 */
}

/* MPI-2: the event is reset before the looks at the job and the records, and set after either has changed. So a change that the
 * looks miss ends the wait. */
static void serve(struct job *job)
{
    while (!ws_event_is_set(&job->ended)) {
        size_t found;
        uint64_t pause;

        ws_event_reset(&wake);
        found = wsfj_mpi_progress();
        if (ws_event_is_set(&job->ended))
            return;
        pause = wsfj_mpi_pause(found);
        if (pause == 0)
            sched_yield();
        else
            (void)ws_event_wait_until(&wake, pause == WS_FOREVER ? pause : ws_now() + pause);
    }
}

WSFJ_MPI_EXPORT int ws_mpi_run(void (*fn)(void *), void *arg)
{
    struct job job = {fn, arg, WS_EVENT_INIT};
    ws_group group = WS_GROUP_INIT;
    bool within = wsfj_mpi_is_served(); /* in a function of ws_mpi_call(): the outer one serves on */
    int error = wsfj_mpi_enter(__func__);

    if (error)
        return error;
    if (!wsfj_mpi_is_main() || ws_worker_id() >= 0)
        return EPERM;
    if (wsfj_mpi_is_funneled())
        __atomic_store_n(&served, true, __ATOMIC_RELEASE);
    error = ws_group_submit(&group, run_job, &job);
    if (!error && wsfj_mpi_is_funneled())
        serve(&job);
    if (!error)
        error = ws_group_wait(&group);
    __atomic_store_n(&served, within, __ATOMIC_RELEASE);
    return error;
}
