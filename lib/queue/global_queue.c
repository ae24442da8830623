/* SPDX-License-Identifier: MIT */
#include "queue/global_queue.h"

#include "base/alloc.h"
#include "base/atomic.h"
#include "base/policy.h"
#include "queue/run_queue.h"
#include "task/stack.h"

#include <pthread.h>
#include <sys/mman.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t room = PTHREAD_COND_INITIALIZER;

/* All under the mutex; other threads read the two counts without it. */
static struct wsfj_item *items; /* a circular buffer; only pages that were ever filled take memory */
static size_t capacity, oldest, sleepers;
size_t wsfj_global_items, wsfj_global_fibers;
static struct wsfj_stack *first, **end = &first; /* fibers, linked by pool.next */

bool wsfj_global_queue_start(size_t n)
{
    void *map = wsfj_map_shown(n * sizeof *items, MAP_NORESERVE);

    if (!map)
        return false;
    items = map;
    capacity = n;
    oldest = sleepers = 0;
    return true;
}

void wsfj_global_queue_stop(void)
{
    wsfj_unmap_shown(items, capacity * sizeof *items);
    items = NULL;
}

void wsfj_global_queue_forget(void)
{
    pthread_mutex_init(&mutex, NULL);
    pthread_cond_init(&room, NULL);
    if (items)
        wsfj_global_queue_stop();
    first = NULL;
    end = &first;
    store_seq(&wsfj_global_items, 0);
    store_seq(&wsfj_global_fibers, 0);
}

static void append_fiber_locked(struct wsfj_stack *s)
{
    s->pool.next = NULL;
    *end = s;
    end = &s->pool.next;
    store_seq(&wsfj_global_fibers, wsfj_global_fibers + 1); /* PARK-5 */
}

/* The index in the buffer that is `n` behind, at most the capacity. By no division: it takes longer than the copy of an item. */
static inline size_t behind(size_t index, size_t n)
{
    return index + n < capacity ? index + n : index + n - capacity;
}

/* Fibers go to their own queue: a worker that has no stack for a task must find them. */
static void append_locked(const struct wsfj_item *from, size_t n)
{
    size_t tasks = wsfj_global_items, at = behind(oldest, tasks);

    for (size_t i = 0; i < n; i++) {
        if (wsfj_item_fiber(from[i])) {
            append_fiber_locked(wsfj_item_fiber(from[i]));
        } else {
            items[at] = from[i];
            at = behind(at, 1);
            tasks++;
        }
    }
    store_seq(&wsfj_global_items, tasks); /* PARK-5: before the submitter counts the sleepers */
}

bool wsfj_global_queue_put(struct wsfj_item item, bool wait)
{
    bool fits;

    pthread_mutex_lock(&mutex);
    while (!(fits = wsfj_global_items < capacity) && wait) {
        sleepers++;
        pthread_cond_wait(&room, &mutex);
        sleepers--;
    }
    if (fits)
        append_locked(&item, 1);
    pthread_mutex_unlock(&mutex);
    return fits;
}

static void wake_producers_locked(void)
{
    if (sleepers && wsfj_global_items <= capacity - capacity / wsfj_policy.room_part)
        pthread_cond_broadcast(&room);
}

bool wsfj_global_queue_overflow(struct wsfj_run_queue *queue, unsigned *moved)
{
    struct wsfj_item half[WSFJ_RUN_QUEUE_SIZE / 2];
    bool fits;

    pthread_mutex_lock(&mutex);
    fits = wsfj_global_items + WSFJ_RUN_QUEUE_SIZE / 2 <= capacity;
    if (fits) {
        *moved = wsfj_run_queue_take_half(queue, half); /* none: thieves have made room */
        append_locked(half, *moved);
    }
    pthread_mutex_unlock(&mutex);
    return fits;
}

void wsfj_global_queue_put_fiber(struct wsfj_stack *s)
{
    pthread_mutex_lock(&mutex);
    append_fiber_locked(s);
    pthread_mutex_unlock(&mutex);
}

static bool runs_for(const struct wsfj_stack *s, const struct wsfj_region *guest)
{
    return !guest || (load_relaxed(&s->job.region) == guest && !s->pin.server);
}

struct wsfj_stack *wsfj_global_queue_take_fiber(const struct wsfj_region *guest)
{
    struct wsfj_stack **at = &first, *s;

    if (load_relaxed(&wsfj_global_fibers) == 0)
        return NULL;
    pthread_mutex_lock(&mutex);
    while (*at && !runs_for(*at, guest))
        at = &(*at)->pool.next;
    s = *at;
    if (s) {
        *at = s->pool.next;
        if (!*at)
            end = at;
        store_seq(&wsfj_global_fibers, wsfj_global_fibers - 1);
    }
    pthread_mutex_unlock(&mutex);
    return s;
}

bool wsfj_global_queue_has_others(const struct wsfj_region *guest)
{
    struct wsfj_stack *s;

    if (load_relaxed(&wsfj_global_fibers) == 0)
        return false;
    pthread_mutex_lock(&mutex);
    for (s = first; s && runs_for(s, guest);)
        s = s->pool.next;
    pthread_mutex_unlock(&mutex);
    return s != NULL;
}

unsigned WSFJ_POLICY_FUNCTION(wsfj_global_queue_take)(struct wsfj_item *to, unsigned most, unsigned workers)
{
    size_t n;

    if (load_relaxed(&wsfj_global_items) == 0)
        return 0;
    pthread_mutex_lock(&mutex);
    n = wsfj_global_items / workers + 1;
    n = n > most ? most : n;
    n = n > wsfj_global_items ? wsfj_global_items : n;
    for (size_t i = 0; i < n; i++) {
        to[i] = items[oldest];
        oldest = behind(oldest, 1);
    }
    store_seq(&wsfj_global_items, wsfj_global_items - n);
    wake_producers_locked();
    pthread_mutex_unlock(&mutex);
    return (unsigned)n;
}

struct wsfj_global_queue_length wsfj_global_queue_length(void)
{
    return (struct wsfj_global_queue_length){load_relaxed(&wsfj_global_items), load_relaxed(&wsfj_global_fibers)};
}
