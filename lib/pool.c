/* SPDX-License-Identifier: MIT */
#include "pool.h"

#include "atomic.h"
#include <pthread.h>

/* Free stacks a worker keeps to itself: going idle and stealing again then needs no lock. */
#define CACHE_MOST 4
/* Free stacks of the common list that keep their touched pages. */
#define WARM_MOST 16

#if WSFJ_TSAN
#define HARD_MOST 7000 /* gcc's ThreadSanitizer dies at 8128 fibers */
#else
#define HARD_MOST 0
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
/* Under the mutex. */
static struct wsfj_stack *common;
static size_t common_count, made, most_allowed;
/* Set at start, then constant. */
static size_t call_size;
static enum wsfj_mode deque_mode;
static void (*first_entry)(void *);
/* Every stack there is: prepended under the mutex, walked by signal handlers. */
static struct wsfj_stack *all;

void wsfj_pool_start(size_t stack_size, enum wsfj_mode mode, size_t most, void (*entry)(void *))
{
    call_size = stack_size;
    deque_mode = mode;
    most_allowed = HARD_MOST && (!most || most > HARD_MOST) ? HARD_MOST : most;
    first_entry = entry;
    made = common_count = 0;
}

void wsfj_pool_stop(void)
{
    struct wsfj_stack *s = load_relaxed(&all), *next;

    store_relaxed(&all, NULL);
    common = NULL;
    for (; s; s = next) {
        next = s->next_all;
        (void)load_acquire(&s->left); /* what its strand did to the workers, before they are freed */
        wsfj_stack_destroy(s);
    }
}

void wsfj_pool_forget(void)
{
    pthread_mutex_init(&mutex, NULL);
    store_relaxed(&all, NULL);
    common = NULL;
}

static struct wsfj_stack *make_locked(void)
{
    if (most_allowed && made >= most_allowed)
        return NULL;

    struct wsfj_stack *s = wsfj_stack_make(call_size, deque_mode);

    if (!s)
        return NULL;
    wsfj_context_make(&s->context, s->low, s->size, first_entry, s);
    s->next_all = load_relaxed(&all);
    store_release(&all, s); /* with wsfj_pool_find(), which may interrupt us */
    store_relaxed(&made, made + 1);
    return s;
}

struct wsfj_stack *wsfj_pool_take(struct wsfj_cache *cache)
{
    struct wsfj_stack *s = cache->free;

    if (s) {
        cache->free = s->next;
        cache->count--;
        return s;
    }
    pthread_mutex_lock(&mutex);
    s = common;
    if (s) {
        common = s->next;
        store_relaxed(&common_count, common_count - 1);
    } else {
        s = make_locked();
    }
    pthread_mutex_unlock(&mutex);
    return s;
}

static void give_common(struct wsfj_stack *s)
{
    if (load_relaxed(&common_count) >= WARM_MOST)
        wsfj_stack_trim(s); /* a system call: not under the mutex */
    pthread_mutex_lock(&mutex);
    s->next = common;
    common = s;
    store_relaxed(&common_count, common_count + 1);
    pthread_mutex_unlock(&mutex);
}

void wsfj_pool_give(struct wsfj_cache *cache, struct wsfj_stack *s)
{
    if (cache->count < CACHE_MOST) {
        s->next = cache->free;
        cache->free = s;
        cache->count++;
    } else {
        give_common(s);
    }
}

void wsfj_pool_flush(struct wsfj_cache *cache)
{
    struct wsfj_stack *s;

    while ((s = cache->free)) {
        cache->free = s->next;
        give_common(s);
    }
    cache->count = 0;
}

size_t wsfj_pool_high_water(void)
{
    return load_relaxed(&made);
}

struct wsfj_stack *wsfj_pool_find(const void *address)
{
    for (struct wsfj_stack *s = load_acquire(&all); s; s = s->next_all) {
        if ((const char *)address >= s->guard && (const char *)address < s->low + s->size)
            return s;
    }
    return NULL;
}
