/* SPDX-License-Identifier: MIT */
/*
 * Timing a strand, or not. Timing a strand takes two readings of the clock, some 20 to 50 ns, which are subtracted. Of
 * strands that begin in the same way at the same site, all are timed while one of the last was long or their mean is;
 * else fewer and fewer, at random, down to 1 of 256. An untimed strand counts as the recent mean of timed ones that
 * ended in the same way.
 *
 * A long strand among short ones may be missed. It is noticed when the next strand is timed: since the last reading
 * more time has passed than was counted. The difference is added to the work, and if it is too long for an interrupt
 * also to the span from there on. A long strand that was timed among short ones counts in the same way. It enters the
 * mean only if there was another not long before: what delays one strand of thousands is not the program.
 *
 * The span is the longest of many paths, so each disturbance makes it longer and none makes it shorter: among millions of
 * strands some meet a cold cache or an interrupt, and one of these decides the span of a program of short strands. So a
 * path has a second length, without what is in doubt: of a strand shorter than an interrupt, or as long as one among
 * short strands, what exceeds the median of the last ones of its kind (of the first three, all of it); and a single long
 * strand among thousands of short ones.
 *
 * A thread that waits for a processor does not work. The wait that the kernel has counted is subtracted, except for the
 * part that may have been before or after the strand.
 */
#include "profile/profile.h"
#include "profile/record.h"

#include <stdlib.h>

#define LONG_NS 200
#define INTERRUPT_NS 20000
/* Asking the kernel takes 3 us. */
#define WAIT_NS 100000
#define WATCH_NS 300000
/* A query that takes long is repeated. */
#define QUERIES 4
/* How many strands in a row must be short before fewer are timed. */
#define QUIET 16
/* A strand as long as an interrupt enters the mean if there is one among so many. */
#define CALM 1000
/* After so many strands their length counts as known. */
#define KNOWN 50
#define CALIBRATIONS 501

/* Lengths. Written once, before the first region, like the two that follow. */
static uint64_t cost, long_length, interrupt_length, wait_length, watch_length;
static double tick_ns;
static bool has_units;

void wsfj_strands_init(struct wsfj_strands *s)
{
    *s = (struct wsfj_strands){
        .wsfj_left = has_units ? UINT64_MAX : 1, .wsfj_period = 1, .wsfj_drawn = 1, .wsfj_calm = CALM - KNOWN};
}

/* The next number of Marsaglia's xorshift generator. */
static uint64_t draw(struct wsfj_account *a)
{
    a->random ^= a->random << 13;
    a->random ^= a->random >> 7;
    a->random ^= a->random << 17;
    return a->random;
}

static uint64_t longest_period(uint64_t mean)
{
    return mean >= long_length ? 1 : mean >= long_length / 4 ? 16 : mean >= long_length / 16 ? 64 : 256;
}

/* Decides when the next strand is timed. `length`: of the last strand; `mean`: of those that ended in the same way. */
static void plan(struct wsfj_account *a, struct wsfj_strands *s, uint64_t length, uint64_t mean)
{
    uint64_t most = longest_period(mean);

    if (length >= long_length || most == 1) {
        s->wsfj_period = 1;
        s->wsfj_quiet = 0;
    } else if (++s->wsfj_quiet >= QUIET) {
        s->wsfj_quiet = 0;
        s->wsfj_period *= 2;
    }
    if (s->wsfj_period > most)
        s->wsfj_period = (uint32_t)most;
    s->wsfj_drawn = s->wsfj_period == 1 ? 1 : s->wsfj_period / 2 + (uint32_t)(draw(a) % s->wsfj_period) + 1;
    s->wsfj_left = s->wsfj_drawn;
}

/* Whether an interrupt may be the cause: the strand is much longer than others of its kind, and no recent one was. */
static bool is_odd(struct wsfj_strands *s, uint64_t length, uint64_t mean)
{
    bool is_odd = length >= interrupt_length && mean < long_length && s->wsfj_calm >= CALM;

    s->wsfj_calm = length >= interrupt_length ? 0 : s->wsfj_calm + (s->wsfj_calm < CALM);
    return is_odd;
}

/* How much of a timed strand may be no part of the program. An odd strand that is not long is in no span at all. */
static uint64_t in_doubt(const struct wsfj_strands *s, enum wsfj_end end, uint64_t length, bool odd)
{
    uint64_t usual = wsfj_sample_usual(&s->wsfj_sample[end]);

    if (odd)
        return length >= wait_length ? length : 0;
    if (length < interrupt_length || (length < wait_length && usual && usual < long_length))
        return wsfj_sample_beyond(length, usual);
    return 0;
}

/* The thread may wait for a processor in here, too, before or after the kernel answers. */
void wsfj_strands_query(struct wsfj_account *a)
{
    for (int i = 0; i == 0 || (i < QUERIES && a->query >= interrupt_length); i++) {
        uint64_t before = wsfj_clock_read();

        a->knows_wait = wsfj_clock_waited(&a->waited);
        a->query = (wsfj_clock_read() - before) * WSFJ_PROFILE_TICK;
    }
}

/*
 * `length`, which ends `now`, without the time that the thread has waited for a processor. A wait that may have been
 * inside the last query or this one is not subtracted. If the wait since the last query is longer than `length`, the
 * strand counts as `usual`.
 */
static uint64_t without_wait(struct wsfj_account *a, uint64_t now, uint64_t length, uint64_t usual)
{
    bool knows_wait = a->knows_wait;
    uint64_t then = a->waited, query = a->query;
    double wait;

    wsfj_strands_query(a);
    if (!knows_wait || !a->knows_wait || a->waited <= then)
        return length;
    wait = (double)(a->waited - then) / tick_ns * WSFJ_PROFILE_TICK - (double)query -
           (double)((wsfj_clock_read() - now) * WSFJ_PROFILE_TICK);
    if (wait <= 0)
        return length;
    if (wait >= (double)length)
        return usual < length ? usual : length;
    return length - (uint64_t)wait;
}

static void count(struct wsfj_account *a, uint64_t length, bool in_span)
{
    struct wsfj_profile *p = &a->profile;

    if (in_span || a->blocking)
        p->wsfj_span += length;
    if (a->blocking) {
        p->wsfj_blocked += length;
    } else {
        p->wsfj_work += length;
        a->timed += length;
    }
}

/* Adds what was missed since the last reading of the clock, if anything. */
static void find_hidden(struct wsfj_account *a, uint64_t now)
{
    uint64_t passed = (now - a->last) * WSFJ_PROFILE_TICK, known = a->profile.wsfj_work - a->work_then, hidden;

    /* `now` may be smaller on another processor, if the counters are not synchronous. */
    if (!a->last || now < a->last || passed < known + interrupt_length)
        return;
    a->last = 0;
    hidden = without_wait(a, now, passed - known, 0);
    if (hidden < interrupt_length)
        return;
    count(a, hidden, hidden >= wait_length);
    a->profile.wsfj_doubt += hidden >= wait_length ? hidden : 0;
    a->hidden += hidden;
}

static bool may_be_long(const struct wsfj_strands *s)
{
    return s->wsfj_mean[WSFJ_END_SPAWN] >= watch_length || s->wsfj_mean[WSFJ_END_CHILD] >= watch_length ||
           s->wsfj_mean[WSFJ_END_SYNC] >= watch_length;
}

/* No strand of the kind was timed yet. */
static bool is_new(const struct wsfj_strands *s)
{
    for (int end = 0; end < WSFJ_ENDS; end++)
        if (s->wsfj_mean[end] || s->wsfj_sample[end].wsfj_timed)
            return false;
    return true;
}

/* Times the strand that has just begun. */
WSFJ_EXPORT void wsfj_profile_time(struct wsfj_profile *p)
{
    struct wsfj_account *a = wsfj_account_of(p);
    uint64_t now = wsfj_clock_read();

    if (WSFJ_UNLIKELY((now - a->last) * WSFJ_PROFILE_TICK > p->wsfj_work - a->work_then + interrupt_length)) {
        find_hidden(a, now);
        now = wsfj_clock_read();
    }
    if (WSFJ_UNLIKELY(may_be_long(p->wsfj_now) ||
                      is_new(p->wsfj_now))) { /* the wait from before does not belong to it */
        wsfj_strands_query(a);
        now = wsfj_clock_read();
    }
    p->wsfj_started = now;
}

static void end_timed(struct wsfj_account *a, enum wsfj_end end, uint64_t now)
{
    struct wsfj_profile *p = &a->profile;
    uint64_t length = (now - p->wsfj_started) * WSFJ_PROFILE_TICK;
    bool queried, odd;

    length = now < p->wsfj_started || length < cost ? 0 : length - cost;
    p->wsfj_started = 0;
    queried = length >= interrupt_length && (length >= wait_length || p->wsfj_now->wsfj_mean[end] < long_length);
    if (queried)
        length = without_wait(a, now, length, p->wsfj_now->wsfj_mean[end]);
    odd = is_odd(p->wsfj_now, length, p->wsfj_now->wsfj_mean[end]);
    count(a, length, !odd || length >= wait_length);
    p->wsfj_doubt += in_doubt(p->wsfj_now, end, length, odd);
    if (odd)
        length = p->wsfj_now->wsfj_mean[end];
    wsfj_strands_learn(p->wsfj_now, end, length);
    plan(a, p->wsfj_now, length, p->wsfj_now->wsfj_mean[end]);
    a->work_then = p->wsfj_work;
    a->last = queried ? wsfj_clock_read() : now; /* the thread may have waited in the query */
}

/* The strand has ended, which was timed or is recorded. What recording takes is not missed. */
WSFJ_EXPORT void wsfj_profile_timed(struct wsfj_profile *p, enum wsfj_end end, const struct wsfj_scope *scope)
{
    uint64_t now = wsfj_clock_read();
    struct wsfj_account *a = wsfj_account_of(p);
    bool is_timed = p->wsfj_started != WSFJ_RECORDED;

    if (is_timed) {
        end_timed(a, end, now);
    } else {
        p->wsfj_started = 0;
        wsfj_strand_end(p, end);
    }
    if (!p->wsfj_records)
        return;
    if (is_timed)
        now = wsfj_clock_read();
    wsfj_record_strand(a, end, scope, is_timed);
    p->wsfj_started = WSFJ_RECORDED;
    if (a->last)
        a->last += wsfj_clock_read() - now;
}

void wsfj_strands_resume(struct wsfj_account *a)
{
    a->last = 0;
}

void wsfj_strands_check(struct wsfj_account *a)
{
    if (!has_units)
        find_hidden(a, wsfj_clock_read());
}

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* What timing an empty strand costs: the median of many. */
static uint64_t cost_of_timing(void)
{
    static uint64_t lengths[CALIBRATIONS];
    static struct wsfj_account a;
    struct wsfj_strands strands;

    a = (struct wsfj_account){.random = 1};
    wsfj_strands_init(&strands);
    for (int i = 0; i < CALIBRATIONS; i++) {
        uint64_t before = a.timed;

        strands.wsfj_left = 1;
        wsfj_strand_begin(&a.profile, &strands);
        wsfj_strand_end(&a.profile, WSFJ_END_CHILD);
        lengths[i] = a.timed - before;
    }
    qsort(lengths, CALIBRATIONS, sizeof *lengths, by_size);
    return lengths[CALIBRATIONS / 2];
}

void wsfj_strands_start(bool unit)
{
    has_units = unit;
    if (unit)
        return;
    tick_ns = wsfj_clock_tick();
    long_length = (uint64_t)(LONG_NS / tick_ns * WSFJ_PROFILE_TICK);
    interrupt_length = (uint64_t)(INTERRUPT_NS / tick_ns * WSFJ_PROFILE_TICK);
    wait_length = (uint64_t)(WAIT_NS / tick_ns * WSFJ_PROFILE_TICK);
    watch_length = (uint64_t)(WATCH_NS / tick_ns * WSFJ_PROFILE_TICK);
    cost = 0;
    cost = cost_of_timing();
}
