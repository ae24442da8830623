/* SPDX-License-Identifier: MIT */
#include "advice.h"

#include "put.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

/* Smaller shares are not worth a sentence. */
#define SHARE_LEAST 0.03
/* A steal costs one to a few microseconds (wsfj-micro steal): shorter pieces are not worth a steal. */
#define STOLEN_LEAST_NS 10000
/* A detached task costs some hundred nanoseconds (wsfj-micro submit). */
#define PART_LEAST_NS 1000
#define MANY 100
/* From this share on workers are busy. */
#define BUSY 0.9
/* The likelier one of two causes. */
#define HALF 0.5

__attribute__((format(printf, 3, 4))) static void say(struct view_advice *a, double weight, const char *format, ...)
{
    struct view_sentence *to = &a->at[a->count];
    va_list arguments;

    if (a->count == VIEW_ADVICE_MOST)
        return;
    va_start(arguments, format);
    vsnprintf(to->text, sizeof to->text, format, arguments);
    va_end(arguments);
    to->weight = weight;
    a->count++;
}

/* The whole of which the numbers are shares: all workers' time from the first to the last moment. */
static double whole(const struct view_sums *s)
{
    return (double)s->trace->length * s->trace->workers;
}

static void say_what_there_is(struct view_advice *a, const struct view_sums *s)
{
    const uint64_t *time = s->all.time;
    uint64_t asleep = time[VIEW_PARK] + time[VIEW_SURPLUS];
    double all = whole(s), rest = all - (double)(time[VIEW_TASK] + time[VIEW_SEARCH] + time[VIEW_WOKEN] + asleep);
    char woken[100] = "";

    if (time[VIEW_WOKEN])
        snprintf(woken, sizeof woken, ", waited for a processor after they were woken %s",
                 view_percent((double)time[VIEW_WOKEN], all).at);
    say(a, 9,
        "%u worker%s, %s: they ran tasks %s of their time, searched for work %s, slept %s%s, and did neither %s. On "
        "average "
        "%.2f of %u ran a task.",
        s->trace->workers, VIEW_S(s->trace->workers), view_time((double)s->trace->length).at,
        view_percent((double)time[VIEW_TASK], all).at, view_percent((double)time[VIEW_SEARCH], all).at,
        view_percent((double)asleep, all).at, woken, view_percent(rest > 0 ? rest : 0, all).at,
        view_sums_used(s) * s->trace->workers, s->trace->workers);
    if (s->trace->dropped_all)
        say(a, 8,
            "The oldest %" PRIu64
            " event%s dropped. What follows is the end of the run, from where each worker's events are known: the "
            "first %s are left out. WSFJ_TRACE_EVENTS keeps more.",
            s->trace->dropped_all, s->trace->dropped_all == 1 ? " was" : "s were", view_time((double)s->trace->cut).at);
    if (s->all.parts == 0)
        say(a, 7, "There is no task in it: nothing came to the workers while it was recorded.");
}

/* The task that ran alone for the longest time. */
static const struct view_kind *loneliest(const struct view_sums *s)
{
    const struct view_kind *found = NULL;

    for (size_t i = 0; i < s->num_kinds; i++) {
        if (!found || s->kinds[i].alone > found->alone)
            found = &s->kinds[i];
    }
    return found;
}

/* How much of the time in which they seemed busy the workers had a processor; 1 if that is not known. Of a trace that
 * has lost events only the processor time of the whole is known. */
static double processor_share(const struct view_sums *s)
{
    const struct view_trace *t = s->trace;
    double busy = (double)s->all.time[VIEW_TASK] + (double)s->all.time[VIEW_SEARCH], sum = 0;

    if (!t->cpu || t->dropped_all || !(busy > 0))
        return 1;
    for (unsigned i = 0; i < t->workers; i++)
        sum += (double)t->cpu[i];
    return sum < busy ? sum / busy : 1;
}

static bool are_too_many(const struct view_trace *t)
{
    return t->cpus && t->workers > t->cpus;
}

/* Which part of the time without a processor the workers waited for one, because other threads had it: the kernel counts that.
 * What followed a wake-up is shown apart. Negative: not known. */
static double delayed_share(const struct view_sums *s)
{
    const struct view_trace *t = s->trace;
    double busy = (double)s->all.time[VIEW_TASK] + (double)s->all.time[VIEW_SEARCH],
           lost = busy * (1 - processor_share(s));
    double delay = -(double)s->all.time[VIEW_WOKEN];

    if (!t->delay || !(lost > 0))
        return -1;
    for (unsigned i = 0; i <= t->workers; i++)
        delay += (double)t->delay[i];
    return delay < 0 ? 0 : delay < lost ? delay / lost : 1;
}

static const char *why_without_processor(const struct view_sums *s)
{
    double delayed = delayed_share(s);

    if (are_too_many(s->trace) && (delayed < 0 || delayed >= HALF))
        return delayed < 0 ? "they had to take turns, or tasks sleep in the kernel." : "they had to take turns.";
    if (delayed >= HALF)
        return "other programs, or a quota, took the processors (the kernel counts for how long threads waited for one).";
    if (delayed >= 0)
        return "tasks sleep or wait in the kernel (WS_BLOCKING lets others run meanwhile).";
    return "tasks sleep or wait in the kernel (WS_BLOCKING lets others run meanwhile), or other programs and quotas took "
           "the processors.";
}

static void say_they_are_busy(struct view_advice *a, const struct view_trace *t)
{
    static const char start[] = "The workers are busy: more speed must come from the tasks themselves";

    if (t->cpus > t->workers)
        say(a, 1, "%s or from more workers: there are %u processors.", start, t->cpus);
    else if (t->cpus && t->cpu && !t->dropped_all)
        say(a, 1, "%s or from more processors.", start);
    else /* whether each has a processor is not known */
        say(a, 1, "%s.", start);
}

static void say_who_has_the_processors(struct view_advice *a, const struct view_sums *s)
{
    const struct view_trace *t = s->trace;
    double share = processor_share(s), used = view_sums_used(s);
    double busy = (double)s->all.time[VIEW_TASK] + (double)s->all.time[VIEW_SEARCH];

    if (are_too_many(t))
        say(a, used >= BUSY ? 1 : busy / whole(s) * (1 - (double)t->cpus / t->workers),
            "%u workers shared %u processor%s: more workers than processors bring nothing, unless tasks wait in the kernel "
            "(WSFJ_NUM_WORKERS=%u).",
            t->workers, t->cpus, VIEW_S(t->cpus), t->cpus);
    if (share < BUSY)
        say(a, busy / whole(s) * (1 - share),
            "Workers had a processor for %s of the time in which they ran tasks or searched: %s",
            view_percent(share, 1).at, why_without_processor(s));
    else if (used >= BUSY && !are_too_many(t))
        say_they_are_busy(a, t);
    if (s->all.time[VIEW_WOKEN])
        say(a, (double)s->all.time[VIEW_WOKEN] / whole(s),
            "Workers that had been woken waited %s in total until they ran (%" PRIu64
            " time%s): other threads had the processors. Meanwhile no task ran for %s.",
            view_time((double)s->all.time[VIEW_WOKEN]).at, s->all.idle[VIEW_WOKEN], VIEW_S(s->all.idle[VIEW_WOKEN]),
            s->sweep.idle_woken ? view_time((double)s->sweep.idle_woken).at : "0 ns");
}

static void say_where_it_is_serial(struct view_advice *a, const struct view_sums *s)
{
    double length = (double)s->trace->length, workers = s->trace->workers;
    uint64_t outside = s->sweep.idle_outside;
    double lost = 0, some = 0;

    say(a, (double)outside / length,
        s->sweep.detached ? "For %s of the time (%s) there was no task and no ws_run() under way: the threads that "
                            "submit tasks did something else, or waited."
                          : "For %s of the time (%s) no task ran and no ws_run() was under way: there the program "
                            "itself is serial, or waits.",
        view_percent((double)outside, length).at, view_time((double)outside).at);
    say(a, (double)s->sweep.idle_with_tasks / length,
        "For %s of the time (%s) no worker ran a task although detached tasks had begun and were not done: all of them "
        "were blocked, or waited.",
        view_percent((double)s->sweep.idle_with_tasks, length).at, view_time((double)s->sweep.idle_with_tasks).at);
    say(a, (double)s->sweep.idle_in_region / length,
        "For %s of the time (%s) a ws_run() was under way but no worker ran a task: all were blocked, or waited to be "
        "run.",
        view_percent((double)s->sweep.idle_in_region, length).at, view_time((double)s->sweep.idle_in_region).at);
    if (s->trace->workers == 1) {
        say(a, 1,
            "There is one worker, without any other to share work with (WSFJ_NUM_WORKERS, or the processors it may "
            "use).");
        return;
    }
    if (s->num_kinds) {
        const struct view_kind *kind = loneliest(s);
        const struct view_name *name = &s->trace->names.at[kind->name];
        double alone = (double)s->sweep.running[1];

        say(a, alone / length * (workers - 1) / workers,
            "For %s of the time (%s) only one worker ran a task: not enough parallelism there, or others had the "
            "processors. It was %s%s%s%s in %s of that time%s.",
            view_percent(alone, length).at, view_time(alone).at, view_short(name->text).at, *name->where ? " (" : "",
            view_short(name->where).at, *name->where ? ")" : "", view_percent((double)kind->alone, alone).at,
            s->sweep.longest_alone * 2 > s->sweep.running[1] ? ", most of it at one stretch" : "");
    }
    for (unsigned n = 2; n < s->trace->workers; n++) {
        some += (double)s->sweep.running[n];
        lost += (double)s->sweep.running[n] * (workers - n) / workers;
    }
    say(a, lost / length,
        "For %s of the time (%s) more than one worker ran tasks but not all: too few pieces, or pieces of unequal "
        "size, at "
        "the ends of parallel parts.",
        view_percent(some, length).at, view_time(some).at);
}

static void say_how_large_pieces_are(struct view_advice *a, const struct view_sums *s)
{
    uint64_t steals = s->all.events[VIEW_steal];
    double idle = 1 - view_sums_used(s);

    if (steals >= MANY && s->stolen_median >= 0 && s->stolen_median < STOLEN_LEAST_NS)
        say(a, 0.05 + idle / 2,
            "%" PRIu64
            " steals of pieces of %s (median): too small to be worth a steal, which costs some microseconds. Stop "
            "spawning at larger pieces.",
            steals, view_time(s->stolen_median).at);
    if (s->all.parts >= 10 * MANY && s->part_median >= 0 && s->part_median < PART_LEAST_NS)
        say(a, 0.05 + idle / 3,
            "Half of the %" PRIu64
            " pieces that ran are shorter than %s: what it costs to queue and start them is as much as "
            "they do. Put several into one.",
            s->all.parts, view_time(s->part_median).at);
    if (s->all.events[VIEW_expose_force] >= MANY / 10 &&
        s->all.events[VIEW_expose_force] * 2 > s->all.events[VIEW_expose_request])
        say(a, SHARE_LEAST,
            "Owners did not answer %" PRIu64 " of %" PRIu64
            " thieves, who then forced them: long pieces without a spawn.",
            s->all.events[VIEW_expose_force], s->all.events[VIEW_expose_request]);
}

static void say_who_stands_still(struct view_advice *a, const struct view_sums *s)
{
    double length = (double)s->trace->length;
    unsigned searcher = 0, busiest = 0, laziest = 0;
    const struct view_worker *w = s->workers;

    for (unsigned i = 1; i < s->trace->workers; i++) {
        searcher = w[i].time[VIEW_SEARCH] > w[searcher].time[VIEW_SEARCH] ? i : searcher;
        busiest = w[i].time[VIEW_TASK] > w[busiest].time[VIEW_TASK] ? i : busiest;
        laziest = w[i].time[VIEW_TASK] < w[laziest].time[VIEW_TASK] ? i : laziest;
    }
    if (s->trace->workers > 1 && (double)w[searcher].time[VIEW_SEARCH] > 0.2 * length)
        say(a, (double)s->all.time[VIEW_SEARCH] / whole(s),
            "Worker %s searched %s of the time (all together %s): it found too little that could be stolen.",
            view_sums_worker(s, searcher).at, view_percent((double)w[searcher].time[VIEW_SEARCH], length).at,
            view_percent((double)s->all.time[VIEW_SEARCH], whole(s)).at);
    if (busiest != laziest && w[laziest].time[VIEW_TASK] * 4 < w[busiest].time[VIEW_TASK] * 3)
        say(a, (double)(w[busiest].time[VIEW_TASK] - w[laziest].time[VIEW_TASK]) / whole(s),
            "Worker %s ran tasks for %s, worker %s for %s only.", view_sums_worker(s, busiest).at,
            view_time((double)w[busiest].time[VIEW_TASK]).at, view_sums_worker(s, laziest).at,
            view_time((double)w[laziest].time[VIEW_TASK]).at);
    if (s->all.time[VIEW_SURPLUS])
        say(a, (double)s->all.time[VIEW_SURPLUS] / whole(s),
            "Workers were surplus for %s of their time: the affinity mask or the CPU quota allowed fewer.",
            view_percent((double)s->all.time[VIEW_SURPLUS], whole(s)).at);
    if (s->blocked_time)
        say(a, (double)s->blocked_time / whole(s), "Tasks were blocked for %s in total, %.2f at once on average.",
            view_time((double)s->blocked_time).at, (double)s->blocked_time / length);
}

static void say_how_far_they_go(struct view_advice *a, const struct view_sums *s)
{
    uint64_t steals = s->all.events[VIEW_steal], far = s->distances[3] + s->distances[4], near = steals - far;

    if (far >= MANY && near > 0 && far > near)
        say(a, SHARE_LEAST, "%s of %" PRIu64 " steals came from another package or further away.",
            view_percent((double)far, (double)steals).at, steals);
    if (s->all.events[VIEW_overflow] >= MANY)
        say(a, SHARE_LEAST,
            "%" PRIu64 " times a run queue was full and half of it went to the global one: tasks come faster "
            "than they are run.",
            s->all.events[VIEW_overflow]);
}

static int compare(const void *a, const void *b)
{
    const struct view_sentence *x = a, *y = b;

    return x->weight > y->weight ? -1 : x->weight < y->weight;
}

void view_advise(struct view_advice *a, const struct view_sums *s)
{
    int kept = 0;

    a->count = 0;
    say_what_there_is(a, s);
    if (s->all.parts && s->trace->length) {
        say_who_has_the_processors(a, s);
        say_where_it_is_serial(a, s);
        say_how_large_pieces_are(a, s);
        say_who_stands_still(a, s);
        say_how_far_they_go(a, s);
    }
    for (int i = 0; i < a->count; i++) {
        if (a->at[i].weight >= SHARE_LEAST)
            a->at[kept++] = a->at[i];
    }
    a->count = kept;
    qsort(a->at, (size_t)kept, sizeof *a->at, compare);
}
