/* SPDX-License-Identifier: MIT */
/*
 * Timing a strand, or not. To time one costs two looks at the clock, some 20 to 50 ns, which is taken off. Strands that
 * begin in the same way at the same place are all timed as long as one of them was long or they are on average; else fewer
 * and fewer of them, at random, down to one of 256. Those that are not timed count as much as the timed ones that ended in
 * the same way have on average of late.
 *
 * A long strand among short ones may be missed. It is noticed when the next one is timed: more time has passed since the
 * last look than the strands between were taken for. The rest counts for the work, and if it is too long for an interrupt
 * also for the span from there on. In the same way a long strand among short ones counts if it is timed. It stands for
 * others only if there was another one not long before: what stops one of thousands is not the program.
 *
 * A thread that waits for a processor does not work: what the kernel has counted of that is taken off, but for what may
 * have been before the strand or after it.
 */
#include "profile/profile.h"

#include <stdlib.h>

#define LONG_NS 200
#define INTERRUPT_NS 20000
/* A look at what the kernel has counted takes 3 us. */
#define WAIT_NS 100000
#define WATCH_NS 300000
/* A look that is long is tried again. */
#define LOOKS 4
/* So many strands must be short in a row before fewer are timed. */
#define QUIET 16
/* The mean is that of the last ones, more or less. */
#define MEMORY 64
/* Strands as long as an interrupt are learned from if there is one among so many. */
#define CALM 1000
/* After so many strands it is known how long they are. */
#define KNOWN 50
#define CALIBRATIONS 501

/* In the unit of the lengths, but the last. Written once, before the first region. */
static uint64_t cost, long_length, interrupt_length, wait_length, watch_length;
static double tick_ns;
static bool has_units;

void wsfj_strands_init(struct wsfj_strands *s)
{
    *s = (struct wsfj_strands){.left = has_units ? UINT64_MAX : 1, .period = 1, .drawn = 1, .calm = CALM - KNOWN};
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

/* When the next one is timed. `length` is that of the last one, `mean` that of those like it. */
static void plan(struct wsfj_account *a, struct wsfj_strands *s, uint64_t length, uint64_t mean)
{
    uint64_t most = longest_period(mean);

    if (length >= long_length || most == 1) {
        s->period = 1;
        s->quiet = 0;
    } else if (++s->quiet >= QUIET) {
        s->quiet = 0;
        s->period *= 2;
    }
    if (s->period > most)
        s->period = (uint32_t)most;
    s->drawn = s->period == 1 ? 1 : s->period / 2 + (uint32_t)(draw(a) % s->period) + 1;
    s->left = s->drawn;
}

/* Whether it could be an interrupt: much longer than others of its kind, as no other one of late. */
static bool is_odd(struct wsfj_strands *s, uint64_t length, uint64_t mean)
{
    bool is_odd = length >= interrupt_length && mean < long_length && s->calm >= CALM;

    s->calm = length >= interrupt_length ? 0 : s->calm + (s->calm < CALM);
    return is_odd;
}

static void learn(struct wsfj_strands *s, enum wsfj_end end, uint64_t length)
{
    struct wsfj_sample *sample = &s->sample[end];
    int64_t n = ++sample->timed < MEMORY ? (int64_t)sample->timed : MEMORY;

    s->mean[end] = (uint64_t)((int64_t)s->mean[end] + ((int64_t)length - (int64_t)s->mean[end]) / n);
    sample->stands_for += s->drawn;
    sample->sum += (double)length;
    sample->squares += (double)length * (double)length;
}

/* The thread may wait in here, too: before it is told how long it has waited, or after that. */
void wsfj_strands_look(struct wsfj_account *a)
{
    for (int i = 0; i == 0 || (i < LOOKS && a->look >= interrupt_length); i++) {
        uint64_t before = wsfj_clock_read();

        a->knows_wait = wsfj_clock_waited(&a->waited);
        a->look = (wsfj_clock_read() - before) * WSFJ_PROFILE_TICK;
    }
}

/*
 * `length`, which ends `now`, without what the thread has waited for a processor. What it may have waited in the last look
 * and in this one is not taken off. If it waited longer than the length that was before, since the last look, and nothing
 * is known of this one: it has what is usual.
 */
static uint64_t without_wait(struct wsfj_account *a, uint64_t now, uint64_t length, uint64_t usual)
{
    bool knows_wait = a->knows_wait;
    uint64_t then = a->waited, look = a->look;
    double wait;

    wsfj_strands_look(a);
    if (!knows_wait || !a->knows_wait || a->waited <= then)
        return length;
    wait = (double)(a->waited - then) / tick_ns * WSFJ_PROFILE_TICK - (double)look -
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
        p->span += length;
    if (a->blocking) {
        p->blocked += length;
    } else {
        p->work += length;
        a->timed += length;
    }
}

/* What was missed since the last look, if anything. */
static void find_hidden(struct wsfj_account *a, uint64_t now)
{
    uint64_t passed = (now - a->last) * WSFJ_PROFILE_TICK, known = a->profile.work - a->work_then, hidden;

    /* Now may be before: on another processor, whose counter was not started with the first one's. */
    if (!a->last || now < a->last || passed < known + interrupt_length)
        return;
    a->last = 0;
    hidden = without_wait(a, now, passed - known, 0);
    if (hidden < interrupt_length)
        return;
    count(a, hidden, hidden >= wait_length);
    a->hidden += hidden;
}

static bool may_be_long(const struct wsfj_strands *s)
{
    return s->mean[WSFJ_END_SPAWN] >= watch_length || s->mean[WSFJ_END_CHILD] >= watch_length ||
           s->mean[WSFJ_END_SYNC] >= watch_length;
}

/* Nothing is known of its length. */
static bool is_new(const struct wsfj_strands *s)
{
    for (int end = 0; end < WSFJ_ENDS; end++)
        if (s->mean[end] || s->sample[end].timed)
            return false;
    return true;
}

/* The strand that has just begun is timed. */
WSFJ_EXPORT void wsfj_profile_time(struct wsfj_profile *p)
{
    struct wsfj_account *a = wsfj_account_of(p);
    uint64_t now = wsfj_clock_read();

    if (WSFJ_UNLIKELY((now - a->last) * WSFJ_PROFILE_TICK > p->work - a->work_then + interrupt_length)) {
        find_hidden(a, now);
        now = wsfj_clock_read();
    }
    if (WSFJ_UNLIKELY(may_be_long(p->now) || is_new(p->now))) { /* what was before is not its wait */
        wsfj_strands_look(a);
        now = wsfj_clock_read();
    }
    p->started = now;
}

/* It has ended. */
WSFJ_EXPORT void wsfj_profile_timed(struct wsfj_profile *p, enum wsfj_end end)
{
    uint64_t now = wsfj_clock_read(), length = (now - p->started) * WSFJ_PROFILE_TICK;
    struct wsfj_account *a = wsfj_account_of(p);
    bool looked, odd;

    length = now < p->started || length < cost ? 0 : length - cost;
    p->started = 0;
    looked = length >= interrupt_length && (length >= wait_length || p->now->mean[end] < long_length);
    if (looked)
        length = without_wait(a, now, length, p->now->mean[end]);
    odd = is_odd(p->now, length, p->now->mean[end]);
    count(a, length, !odd || length >= wait_length);
    if (odd)
        length = p->now->mean[end];
    learn(p->now, end, length);
    plan(a, p->now, length, p->now->mean[end]);
    a->work_then = p->work;
    a->last = looked ? wsfj_clock_read() : now; /* it may have waited in here */
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

/* The mean of n samples has the variance s^2 / n; it stands for all that were not timed. */
double wsfj_strands_variance(struct wsfj_strands *s)
{
    double variance = 0;

    for (int end = 0; end < WSFJ_ENDS; end++) {
        struct wsfj_sample *sample = &s->sample[end];
        double n = (double)sample->timed, others = sample->stands_for - n;

        if (n > 1 && others > 0)
            variance += others * others * (sample->squares - sample->sum * sample->sum / n) / (n - 1) / n;
    }
    return variance > 0 ? variance : 0;
}

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* What timing an empty strand shows. */
static uint64_t cost_of_timing(void)
{
    static uint64_t lengths[CALIBRATIONS];
    static struct wsfj_account a;
    struct wsfj_strands strands;

    a = (struct wsfj_account){.random = 1};
    wsfj_strands_init(&strands);
    for (int i = 0; i < CALIBRATIONS; i++) {
        uint64_t before = a.timed;

        strands.left = 1;
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
