/* SPDX-License-Identifier: MIT */
/* A number of units, under the lock of its bucket. While tasks or threads wait, there is none: a post serves them first. */
#include "sync/semaphore.h"

#include "base/tsan.h"
#include "idle/resume.h"
#include "sync/taker.h"

#include <errno.h>

#define TAKERS WSFJ_WAIT_FIRST

WSFJ_EXPORT void ws_semaphore_init(ws_semaphore *semaphore, uint64_t units)
{
    semaphore->wsfj_units = units;
}

static bool must_wait(struct wsfj_node *node)
{
    return ((const ws_semaphore *)node->key)->wsfj_units == 0;
}

struct wsfj_node wsfj_semaphore_node(const ws_semaphore *semaphore)
{
    return (struct wsfj_node){.key = semaphore, .must_wait = must_wait, .number = WSFJ_WAIT_FIRST};
}

/* Under the lock. */
static bool take(ws_semaphore *semaphore)
{
    if (!semaphore->wsfj_units)
        return false;
    semaphore->wsfj_units--;
    return true;
}

/* EAGAIN: the caller has waited, and tries again, or *refused says why it must not wait. */
static int take_or_wait(ws_semaphore *semaphore, uint64_t until, int *refused)
{
    struct wsfj_bucket *bucket = wsfj_table_lock(semaphore);
    struct wsfj_taker taker;
    bool taken = take(semaphore);

    *refused = taken ? 0 : wsfj_sync_refused(until);
    if (!taken && !*refused)
        wsfj_taker_queue(&taker, bucket, semaphore, TAKERS);
    wsfj_table_unlock(bucket);
    return taken ? 0 : *refused ? EAGAIN : wsfj_taker_wait(&taker, WSFJ_WAIT_SEMAPHORE, until);
}

WSFJ_EXPORT int ws_semaphore_wait_until(ws_semaphore *semaphore, uint64_t until)
{
    int error, refused;
    bool waited = false;

    for (; (error = take_or_wait(semaphore, until, &refused)) == EAGAIN; waited = true)
        if (refused && !wsfj_sync_again(&refused, semaphore, until))
            return refused;
    if (!error)
        wsfj_tsan_acquire(semaphore);
    if (waited)
        wsfj_sync_met(semaphore);
    return error;
}

WSFJ_EXPORT int ws_semaphore_wait(ws_semaphore *semaphore)
{
    return ws_semaphore_wait_until(semaphore, WSFJ_FOREVER);
}

WSFJ_EXPORT int ws_semaphore_try_wait(ws_semaphore *semaphore)
{
    struct wsfj_bucket *bucket = wsfj_table_lock(semaphore);
    bool taken = take(semaphore);

    wsfj_table_unlock(bucket);
    if (taken)
        wsfj_tsan_acquire(semaphore);
    return taken ? 0 : EAGAIN;
}

WSFJ_EXPORT void ws_semaphore_post(ws_semaphore *semaphore, uint64_t n)
{
    struct wsfj_woken woken = {NULL, NULL, 0, NULL};
    struct wsfj_taker *taker;
    struct wsfj_bucket *bucket;

    wsfj_tsan_release(semaphore);
    wsfj_sync_set(semaphore, false);
    bucket = wsfj_table_lock(semaphore);
    semaphore->wsfj_units += n;
    while (n && (taker = wsfj_taker_first(bucket, semaphore, TAKERS))) {
        semaphore->wsfj_units--; /* before: the last taker may be back at once, and free the semaphore */
        if (wsfj_taker_serve(taker, bucket, &woken))
            n--;
        else
            semaphore->wsfj_units++;
    }
    if (n)
        wsfj_taker_tell(bucket, semaphore, must_wait, &woken);
    wsfj_table_unlock(bucket);
    wsfj_resume_all(wsfj_table_wake(&woken));
}
