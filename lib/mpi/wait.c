/* SPDX-License-Identifier: MIT */
#include "mpi/wait.h"

#include "mpi/ask.h"
#include "mpi/pause.h"
#include "mpi/progress.h"
#include "mpi/run.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

/* A task asks for so long before it is suspended, unless other tasks wait for its worker. */
#define PATIENCE_NS 2000
/* A thread asks so often before it sleeps between two looks. */
#define LOOKS 200
/* Records with more requests have their entries on the heap. */
#define FEW 4

/* The worker, if there is one, does other work meanwhile. For those who must not be cancelled and are. */
static void nap(void)
{
    ws_blocking_begin();
    nanosleep(&(struct timespec){0, WSFJ_MPI_PAUSE_LONG}, NULL);
    ws_blocking_end();
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* How many callers ask MPI themselves. Relaxed: ws_mpi_fini() looks when the program uses the library no more, or is wrong. */
static size_t here;

size_t wsfj_mpi_waits_here(void)
{
    return __atomic_load_n(&here, __ATOMIC_RELAXED);
}

static int ask_until(struct wsfj_mpi_wait *wait, uint64_t until)
{
    uint64_t pause = 0, now;

    for (unsigned looks = 0; !wsfj_mpi_ask(wait); looks++) {
        int error;

        if (wsfj_mpi_is_funneled())
            (void)wsfj_mpi_progress();
        now = ws_now();
        if (now >= until)
            return ETIMEDOUT;
        if (looks >= LOOKS)
            pause = wsfj_mpi_longer(pause);
        else
            sched_yield();
        error = ws_sleep_until(earlier(now + pause, until));
        if (error && !wait->lasting)
            return error;
        if (error)
            nap();
    }
    return 0;
}

/* The wait was given up: what has completed is no longer the caller's. Returns the error, unless that is all. */
static int give_up(struct wsfj_mpi_wait *wait, int error)
{
    return wait->entries && wsfj_mpi_ask_each(wait) ? wait->error : error;
}

/* The caller asks MPI itself until the record is done. */
static int wait_here(struct wsfj_mpi_wait *wait, uint64_t until)
{
    int error;

    __atomic_fetch_add(&here, 1, __ATOMIC_RELAXED);
    error = ask_until(wait, until);
    error = error ? error : wait->error;
    __atomic_fetch_sub(&here, 1, __ATOMIC_RELAXED);
    return error;
}

static void outlast(struct wsfj_mpi_wait *wait)
{
    while (!ws_event_is_set(&wait->event))
        nap();
}

static char *add_text(char *at, const char *text)
{
    while (*text)
        *at++ = *text++;
    *at = '\0';
    return at;
}

static char *add_number(char *at, int n)
{
    char digits[12];
    size_t i = sizeof digits - 1;

    digits[i] = '\0';
    for (unsigned u = n < 0 ? 0 : (unsigned)n; i == sizeof digits - 1 || u; u /= 10)
        digits[--i] = (char)('0' + u % 10);
    return add_text(at, digits + i);
}

/* What dumps say of the wait. By hand: snprintf() would take longer than the suspension. */
static void describe(const struct wsfj_mpi_wait *wait, char *at)
{
    if (!wait->preposition) {
        (void)add_text(at, wait->what ? wait->what : wait->n == 1 ? "a request of MPI" : "requests of MPI");
        return;
    }
    at = add_text(add_text(at, wait->what), wait->preposition);
    if (wait->from == MPI_ANY_SOURCE)
        at = add_text(at, " any rank");
    else
        at = add_number(add_text(at, " rank "), wait->from);
    if (wait->tag == MPI_ANY_TAG)
        (void)add_text(at, ", any tag");
    else
        (void)add_number(add_text(at, ", tag "), wait->tag);
}

static int wait_queued(struct wsfj_mpi_wait *wait, uint64_t until)
{
    char what[100];
    int error;

    describe(wait, what);
    wsfj_mpi_queue(wait);
    wsfj_mpi_call_progress();
    error = ws_event_wait_named(&wait->event, what, until);
    if (error == 0 || (error == ECANCELED && wait->lasting) || !wsfj_mpi_withdraw(wait)) {
        outlast(wait);
        return wait->error;
    }
    return wsfj_mpi_is_funneled() ? error : give_up(wait, error);
}

/* Makes the request and asks about it, for a moment. True: the record is done. */
static bool is_soon_done(struct wsfj_mpi_wait *wait, bool in_task)
{
    uint64_t began = ws_now();

    if (!wsfj_mpi_begin(wait))
        return true;
    while (!wsfj_mpi_ask(wait))
        if (!in_task || ws_others_wait() || ws_now() - began > PATIENCE_NS)
            return false;
    return true;
}

bool wsfj_mpi_may_call(void)
{
    return !wsfj_mpi_is_funneled() || wsfj_mpi_is_main() || wsfj_mpi_is_served();
}

static int wait_as_possible(struct wsfj_mpi_wait *wait, uint64_t until)
{
    bool in_task = ws_worker_id() >= 0;

    if (!wsfj_mpi_may_call()) {
        wsfj_mpi_say("%s: the thread of ws_mpi_init() is not in ws_mpi_run(), so nobody may call MPI: EDEADLK",
                     wait->name);
        return EDEADLK;
    }
    if (wsfj_mpi_is_funneled() && !wsfj_mpi_is_main())
        return wait_queued(wait, until);
    if (wait->kind == WSFJ_MPI_CALL) {
        wait->call(wait->arg);
        return 0;
    }
    if (is_soon_done(wait, in_task))
        return wait->error;
    /* A thread that runs no task need not hang on workers. Nor may the thread that makes all calls hang on itself. */
    return in_task && !wsfj_mpi_is_funneled() ? wait_queued(wait, until) : wait_here(wait, until);
}

int wsfj_mpi_wait(struct wsfj_mpi_wait *wait, uint64_t until)
{
    struct wsfj_mpi_entry few[FEW] = {{false}};
    int error = wsfj_mpi_enter(wait->name);

    if (error)
        return error;
    if (wait->kind == WSFJ_MPI_ALL && wait->n > 0)
        wait->entries = wait->n <= FEW ? few : calloc((size_t)wait->n, sizeof few[0]);
    error = wait_as_possible(wait, until);
    if (wait->entries != few)
        free(wait->entries);
    return error;
}
