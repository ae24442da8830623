/* SPDX-License-Identifier: MIT */
#include "things.h"

#include "base/hooks.h"
#include "idle/wake.h"
#include "wait/table.h"
#include "wait/timer.h"
#include "worker/own.h"

/* Nobody sleeps: threads wait by the futex of their waiter. */
__attribute__((weak)) void wsfj_wake_notify(struct wsfj_worker *self)
{
    (void)self;
}

void things_start(void)
{
    wsfj_table_forget();
    wsfj_timer_forget();
    explore_thread_local(&wsfj_tls);
    explore_tick = 1;
}

void things_share(void *object, size_t size)
{
    struct wsfj_bucket *bucket = wsfj_table_lock(object);

    wsfj_table_unlock(bucket);
    explore_shared(bucket, WSFJ_CACHE_LINE / 2);
    explore_shared(object, size);
}

/* Not memset(), which is not seen as an access. */
void things_reuse(void *object, size_t size)
{
    volatile uint32_t *word = object;

    for (size_t i = 0; i < size / sizeof *word; i++)
        word[i] = 0x55555555;
}

void things_forgotten(const void *object)
{
    struct wsfj_bucket *bucket = wsfj_table_lock(object);

    explore_must(!wsfj_table_next(bucket, object, NULL), "a node stays in the table");
    wsfj_table_unlock(bucket);
}
