/* SPDX-License-Identifier: MIT */
#include "idle/source.h"

#include "arch/arch.h"
#include "base/alloc.h"
#include "base/atomic.h"
#include "base/chaos.h"
#include "base/thread.h"
#include "base/tsan.h"
#include "config/settings.h"
#include "idle/lookout.h"
#include "idle/queued.h"
#include "worker/use.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>

/* Values of `due` that are no times. A thread is in the source; it is to be asked again at once when that thread is back. */
#define ASKED (WSFJ_FOREVER - 1)
#define ASKED_AGAIN (WSFJ_FOREVER - 2)

/* Who changes `due` to ASKED is in the source, and alone there. Sources are never freed: any thread may look. */
struct source {
    uint64_t due; /* WSFJ_FOREVER: not before ws_poll_add() is called anew, or removed */
    ws_poll_function *fn;
    void *arg;
    uint64_t since; /* when the thread that is in it has asked; 0: none is */
    struct source *next;
};

WSFJ_OF_THREAD const void *wsfj_source_inside;

/* ws_config.poll. While the runtime does not run, the program may have freed what its function needs. */
static uint64_t ask_config(void *unused)
{
    (void)unused;
    return wsfj_use_is_up() && wsfj_settings.poll(wsfj_settings.poll_arg) ? 0 : WSFJ_FOREVER;
}

static struct source config = {.due = WSFJ_FOREVER, .fn = ask_config}; /* rests until wsfj_source_poll() */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;              /* for those who add and remove */
static struct source *sources = &config;

void wsfj_source_forget(void)
{
    pthread_mutex_init(&mutex, NULL);
    config.due = WSFJ_FOREVER;
    sources = &config;
}

uint64_t wsfj_source_first(void)
{
    uint64_t first = WSFJ_FOREVER;

    for (const struct source *s = load_acquire(&sources); s; s = s->next) {
        uint64_t due = load_seq(&s->due); /* as wsfj_timer_first */

        first = due < ASKED_AGAIN && due < first ? due : first;
    }
    return first;
}

/* The source is asked no more: nobody need look for it. */
static void rest(void)
{
    wsfj_lookout_end();
}

static void ask(struct source *s, uint64_t now)
{
    size_t is = wsfj_thread_is;
    uint64_t asked = ASKED, pause, due;

    wsfj_source_inside = s;
    store_relaxed(&s->since, now);
    wsfj_tsan_acquire(s);
    wsfj_thread_is = WSFJ_THREAD_OURS; /* a guest's thread, too, must not wait in the function */
    pause = s->fn(s->arg);
    wsfj_thread_is = is;
    wsfj_source_inside = NULL;
    wsfj_tsan_release(s);
    store_relaxed(&s->since, (uint64_t)0);
    due = pause >= ASKED_AGAIN ? WSFJ_FOREVER : wsfj_now() + pause;
    due = pause < ASKED_AGAIN && due >= ASKED_AGAIN ? ASKED_AGAIN - 1 : due;
    wsfj_chaos();
    if (!cas_seq(&s->due, &asked, due)) {
        due = 0;
        store_seq(&s->due, due);
    }
    if (due == WSFJ_FOREVER)
        rest();
    else
        wsfj_lookout_sooner(due); /* it may have fallen asleep while the source had no time */
}

void wsfj_source_ask(uint64_t now)
{
    for (struct source *s = load_acquire(&sources); s; s = s->next) {
        uint64_t due = load_relaxed(&s->due);

        if (due <= now && cas_acq_rel(&s->due, &due, ASKED)) /* acquire: what the last asker has done */
            ask(s, now);
    }
}

bool wsfj_source_poll(void)
{
    uint64_t due = load_relaxed(&config.due);

    if (!wsfj_settings.poll || (due < WSFJ_FOREVER && due >= ASKED_AGAIN) || !cas_acq_rel(&config.due, &due, ASKED))
        return false;
    if (due == WSFJ_FOREVER)
        wsfj_lookout_begin();
    ask(&config, wsfj_now());
    return load_relaxed(&config.due) < ASKED_AGAIN;
}

/* For those who look for its symbol. */
static ws_poll_function *function_of(const struct source *s)
{
    return s == &config ? (ws_poll_function *)(void (*)(void))wsfj_settings.poll : load_relaxed(&s->fn);
}

ws_poll_function *wsfj_source_longest(uint64_t *since)
{
    ws_poll_function *fn = NULL;

    for (const struct source *s = load_acquire(&sources); s; s = s->next) {
        uint64_t at = load_relaxed(&s->since);

        if (at && (!fn || at < *since)) {
            fn = function_of(s);
            *since = at;
        }
    }
    return fn;
}

static struct source *find(ws_poll_function *fn, const void *arg)
{
    struct source *s = sources;

    while (s && (s->fn != fn || s->arg != arg))
        s = s->next;
    return s;
}

/* A source that was removed, or a new one. */
static struct source *make(void)
{
    struct source *s = find(NULL, NULL);

    if (s)
        return s;
    s = wsfj_calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->due = WSFJ_FOREVER;
    s->next = sources;
    store_release(&sources, s);
    return s;
}

/* A source is due. If the runtime is up and there is no lookout, tells a worker that will ask it. */
static void tell(void)
{
    wsfj_lookout_sooner(0);
    if (wsfj_lookout_is_missing() && wsfj_use_try_enter()) {
        wsfj_queued(NULL); /* nothing is queued, but who hears of it looks outside, too */
        wsfj_use_leave();
    }
}

/* The source is to be asked at once. */
static void make_due(struct source *s)
{
    uint64_t due = load_acquire(&s->due);

    do {
        wsfj_chaos();
        if (due == ASKED_AGAIN)
            return;
    } while (!cas_seq(&s->due, &due, due == ASKED ? ASKED_AGAIN : (uint64_t)0));
    if (due == WSFJ_FOREVER)
        wsfj_lookout_begin();
    if (due != ASKED)
        tell();
}

WSFJ_EXPORT int ws_poll_add(ws_poll_function *fn, void *arg)
{
    struct source *s;

    if (!fn)
        return EINVAL;
    pthread_mutex_lock(&mutex);
    s = find(fn, arg);
    if (!s && (s = make())) {
        s->arg = arg;
        store_relaxed(&s->fn, fn);
    }
    if (s)
        make_due(s);
    pthread_mutex_unlock(&mutex);
    return s ? 0 : ENOMEM;
}

/* Keeps all threads out of the source from now on. EBUSY: one is in it; EDEADLK: the caller itself is. */
static int stop(struct source *s)
{
    uint64_t due = load_acquire(&s->due);

    while (due < ASKED_AGAIN || due == WSFJ_FOREVER) {
        if (cas_acq_rel(&s->due, &due, WSFJ_FOREVER)) {
            if (due != WSFJ_FOREVER)
                rest();
            return 0;
        }
    }
    return wsfj_source_inside == s ? EDEADLK : EBUSY;
}

static int try_remove(ws_poll_function *fn, void *arg)
{
    struct source *s;
    int error;

    pthread_mutex_lock(&mutex);
    s = find(fn, arg);
    error = s ? stop(s) : ENOENT;
    if (!error) {
        s->arg = NULL;
        store_relaxed(&s->fn, (ws_poll_function *)NULL);
    }
    pthread_mutex_unlock(&mutex);
    return error;
}

WSFJ_EXPORT int ws_poll_remove(ws_poll_function *fn, void *arg)
{
    int error = fn ? try_remove(fn, arg) : EINVAL;

    for (; error == EBUSY; error = try_remove(fn, arg))
        sched_yield(); /* without the mutex: the function may call ws_poll_add() */
    return error;
}
