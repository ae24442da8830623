/* SPDX-License-Identifier: MIT */
/* The heap of deadlines: lib/wait/timer.c, against a plain list. */
#include "wait/timer.h"

#include "../support/run.h"

enum { TIMERS = 64 };

static struct wsfj_timer timers[TIMERS];
static uint64_t last;
static int came;

static void expired(struct wsfj_timer *timer, void *now)
{
    ck_assert_uint_le(timer->at, *(uint64_t *)now);
    ck_assert_uint_ge(timer->at, last); /* in order */
    ck_assert(!timer->queued);
    last = timer->at;
    came++;
}

static uint64_t first_of_all(void)
{
    uint64_t first = WSFJ_FOREVER;

    for (int i = 0; i < TIMERS; i++)
        if (timers[i].queued && timers[i].at < first)
            first = timers[i].at;
    return first;
}

static int due(uint64_t now)
{
    int n = 0;

    for (int i = 0; i < TIMERS; i++)
        n += timers[i].queued && timers[i].at <= now;
    return n;
}

/* Catches: timers that are lost, come early, late, twice or out of order; a first deadline that is another one's. */
START_TEST(the_heap_is_like_a_list)
{
    uint32_t random = 1 + (uint32_t)_i;
    uint64_t now = 0;

    for (int step = 0; step < 3000; step++) {
        struct wsfj_timer *timer;

        random = random * 1664525 + 1013904223;
        timer = &timers[(random >> 8) % TIMERS];
        if (random >> 30 == 0) {
            int n;

            now += (random >> 16) % 50;
            n = due(now);
            last = 0;
            came = 0;
            wsfj_timer_expire(now, expired, &now);
            ck_assert_int_eq(came, n);
        } else if (timer->queued) {
            wsfj_timer_remove(timer);
            ck_assert(!timer->queued);
            wsfj_timer_remove(timer); /* nothing */
        } else {
            timer->at = now + (random >> 16) % 500;
            wsfj_timer_add(timer);
        }
        ck_assert_uint_eq(wsfj_timer_first, first_of_all());
    }
    wsfj_timer_forget();
    ck_assert_uint_eq(wsfj_timer_first, WSFJ_FOREVER);
    now = WSFJ_FOREVER - 1;
    came = 0;
    wsfj_timer_expire(now, expired, &now);
    ck_assert_int_eq(came, 0);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("timer");

    tcase_add_loop_test(tcase, the_heap_is_like_a_list, 0, 20);
    return run_case("timer", tcase);
}
