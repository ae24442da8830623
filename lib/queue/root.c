/* SPDX-License-Identifier: MIT */
#include "queue/root.h"

#include "base/chaos.h"
#include "base/futex.h"
#include "base/tsan.h"

#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct wsfj_region *first, **end = &first; /* under the mutex */
size_t wsfj_roots;                                /* the same; searchers read it without */

size_t wsfj_root_length(void)
{
    return load_relaxed(&wsfj_roots);
}

void wsfj_root_push(struct wsfj_region *region)
{
    region->next = NULL;
    pthread_mutex_lock(&mutex);
    *end = region;
    end = &region->next;
    store_seq(&wsfj_roots, wsfj_roots + 1);
    pthread_mutex_unlock(&mutex);
}

struct wsfj_region *wsfj_root_pop(void)
{
    struct wsfj_region *region = NULL;

    if (!wsfj_root_pending())
        return NULL;
    pthread_mutex_lock(&mutex);
    region = first;
    if (region) {
        first = region->next;
        if (!first)
            end = &first;
        store_seq(&wsfj_roots, wsfj_roots - 1);
    }
    pthread_mutex_unlock(&mutex);
    return region;
}

void wsfj_root_finish(struct wsfj_region *region, enum wsfj_region_state state)
{
    uint32_t *futex = &region->state;

    wsfj_tsan_release(futex);
    store_release(futex, state); /* with the results (acquire in wait_for); now the region may be gone */
    wsfj_chaos();
    wsfj_futex_wake(futex);
}

void wsfj_root_reset(void)
{
    pthread_mutex_init(&mutex, NULL);
    first = NULL;
    end = &first;
    store_seq(&wsfj_roots, 0);
}
