/* SPDX-License-Identifier: MIT */
#include "runtime/callers.h"

#include "base/atomic.h"
#include "base/debug.h"
#include "base/thread.h"
#include "idle/idle_counts.h"
#include "machine/affinity.h"
#include "worker/items.h"
#include "worker/use.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

/* The last thread of a process runs the program's exit handlers, which expect as much stack as main has. */
#define STOP_STACK ((size_t)8 << 20)

static pthread_key_t key; /* has a value in each caller's thread */
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static bool has_key; /* false if there was no free key, or if this code is being unloaded */

static bool first_has_ended; /* the process's first thread has counted itself out; only that thread's */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static bool is_due; /* a thread has been made that will stop the runtime; under the mutex, as the next two */
static bool has_thread;
static pthread_t thread; /* the last one made */

/* The thread that makes this one may be a bound worker, and exit handlers may run here. */
static void unbind(void)
{
    struct wsfj_mask mask;

    if (wsfj_mask_read(&mask, getpid()))
        wsfj_affinity_add(&mask);
}

static void *stop(void *unused)
{
    (void)unused;
    pthread_setname_np(pthread_self(), "wsfj-stop");
    unbind();
    pthread_mutex_lock(&mutex);
    is_due = false; /* PARK-12: before it looks. A later end makes another thread */
    pthread_mutex_unlock(&mutex);
    if (load_seq(&wsfj_callers) == 0)
        (void)ws_fini(); /* EBUSY: the task's worker makes another thread when it sleeps, a new caller when it ends */
    return NULL;
}

/* On a thread of its own: a worker cannot wait for its own end, and other threads may wait for the end of a caller. 0
 * or the error of pthread_create(). */
static int stop_soon(void)
{
    int error = 0;

    pthread_mutex_lock(&mutex);
    if (!is_due) {
        if (has_thread)
            pthread_detach(thread);
        error = wsfj_thread_make(&thread, STOP_STACK, stop, NULL);
        has_thread = is_due = error == 0;
    }
    pthread_mutex_unlock(&mutex);
    return error;
}

void wsfj_callers_are_gone(void)
{
    int error = wsfj_items_busy() ? 0 : stop_soon();

    if (error)
        wsfj_say("main has ended by pthread_exit(), and no thread could be started that stops the runtime (%s): the "
                 "process goes on",
                 strerror(error));
}

void wsfj_callers_end(void)
{
    if (sub_seq(&wsfj_callers, 1) > 1 || !wsfj_use_is_up()) /* PARK-12 */
        return;
    while (ws_phase_end() == 0)
        ;                     /* no thread is there to end them, and they keep workers awake */
    (void)wsfj_idle_counts(); /* PARK-12: the stop sees the tasks of a worker that does not see this end */
    if (stop_soon() != 0)
        (void)ws_fini();
}

static void caller_ends(void *unused)
{
    (void)unused;
    wsfj_thread_is = WSFJ_THREAD_STRANGER; /* another destructor may call in */
    if (wsfj_thread_id() == getpid())
        first_has_ended = true;
    wsfj_callers_end();
}

static void make_key(void)
{
    store_relaxed(&has_key, pthread_key_create(&key, caller_ends) == 0);
}

/* Without a key, or without memory for its value, the end of the thread is not seen: it counts for ever. */
void wsfj_callers_add(void)
{
    pthread_once(&key_once, make_key);
    if (wsfj_thread_id() != getpid() || first_has_ended) /* the first thread counts from the beginning */
        (void)add_seq(&wsfj_callers, 1);
    if (load_relaxed(&has_key))
        (void)pthread_setspecific(key, &key);
    wsfj_thread_is = WSFJ_THREAD_CALLER;
}

/* The end of main is seen even if only other threads use the library. */
__attribute__((constructor)) static void add_main(void)
{
    if (wsfj_thread_id() == getpid())
        wsfj_callers_add();
}

void wsfj_callers_forget(void)
{
    pthread_mutex_init(&mutex, NULL);
    first_has_ended = is_due = has_thread = false;
    store_seq(&wsfj_callers, 1);
    wsfj_thread_is = load_relaxed(&has_key) && pthread_getspecific(key) ? WSFJ_THREAD_CALLER : WSFJ_THREAD_STRANGER;
}

void wsfj_callers_unload(void)
{
    bool joins;

    pthread_mutex_lock(&mutex);
    joins = has_thread && !pthread_equal(thread, pthread_self());
    has_thread = false;
    pthread_mutex_unlock(&mutex);
    if (joins)
        pthread_join(thread, NULL);
}

/* As this code is unloaded with its shared object, also if the runtime never was up. */
__attribute__((destructor)) static void delete_key(void)
{
    if (load_relaxed(&has_key)) {
        store_relaxed(&has_key, false);
        pthread_key_delete(key);
    }
}
