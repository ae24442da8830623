/* SPDX-License-Identifier: MIT */
#include "batch.h"

#include "../../random/compare.h"
#include "../../stress/stress.h"
#include "page.h"

#include <errno.h>
#include <stdio.h>

static int complain(const char *what, const char *why)
{
    snprintf(page->wrong, sizeof page->wrong, "%s: %s", what, why);
    return 1;
}

static void add_stats(void)
{
    struct ws_stats s = {.size = sizeof s}, *sum = &page->stats;

    if (ws_stats_get(&s) != 0)
        return;
    sum->steals += s.steals;
    sum->steals_failed += s.steals_failed;
    sum->exposures_asked += s.exposures_asked;
    sum->exposures_answered += s.exposures_answered;
    sum->exposures_forced += s.exposures_forced;
    sum->suspensions += s.suspensions;
    sum->parks += s.parks;
    sum->wakes += s.wakes;
    if (sum->stacks < s.stacks)
        sum->stacks = s.stacks;
}

/* Runs the programs that share a moment, from `seed` on; returns how many there are. */
static const char *run_crowd(const struct batch *b, const struct setup *s, unsigned seed, unsigned *n)
{
    unsigned end = seed - seed % GROUP + GROUP, last = b->first + b->programs;
    const char *wrong = NULL;

    *n = s->together;
    if (*n > end - seed)
        *n = end - seed;
    if (*n > last - seed)
        *n = last - seed;
    page->seed = seed;
    for (unsigned i = 0; i < b->times && !wrong; i++) {
        wrong = program_compare(seed, *n, s->size_bits);
        page->programs += *n;
    }
    if (s->nap_ms && seed % 4 == 0)
        nanosleep(&(struct timespec){0, (long)s->nap_ms * 1000000}, NULL);
    return wrong;
}

static int run_group(const struct batch *b, unsigned seed, unsigned end)
{
    const char *wrong = NULL;
    struct setup s;
    int error;

    setup_draw(&s, seed);
    if (b->change)
        b->change(&s, seed);
    page->seed = seed;
    error = setup_start(&s);
    if (error == ENOMEM && b->refuses)
        return 0;
    if (error)
        return complain("start", ws_strerror(error));
    for (unsigned n; seed < end && !wrong; seed += n)
        wrong = run_crowd(b, &s, seed, &n);
    if (wrong)
        return complain("result", wrong);
    add_stats();
    page->starts++;
    error = setup_stop(&s);
    return error ? complain("stop", ws_strerror(error)) : 0;
}

int batch_run(const struct batch *b)
{
    unsigned last = b->first + b->programs;
    int failed = 0;

    program_log = &page->log;
    program_waits_for_memory = b->refuses;
    page->processes++;
    setup_process(b->first);
    for (unsigned seed = b->first, end; seed < last && !failed; seed = end) {
        end = seed - seed % GROUP + GROUP;
        failed = run_group(b, seed, end < last ? end : last);
    }
    return failed;
}
