/* SPDX-License-Identifier: MIT */
/*
 * Experiment 14: thieves that find nothing. One thread works and gives away a task now and then; seven search for
 * tasks. They use the library's run queues and its counts of idle workers (idle_counts.c). Three ways: all search all
 * the time; at most as many as the cap allows; the same with a pause that doubles. A thread that may not search sleeps.
 * It is woken when a task is given away while no thread searches.
 */
#include "crew.h"
#include "rounds.h"

#include "core/team.h"
#include "arch/arch.h"
#include "base/atomic.h"
#include "idle/idle_counts.h"
#include "base/futex.h"
#include "queue/run_queue.h"
#include "task/item.h"
#include "work.h"
#include "core/worker.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 8
/* A sleeper checks again after this time in any case: no experiment hangs on a wake-up. */
#define NAP_NS 2000000
/* After so many fruitless searches a thief gives up, where there is a cap. */
#define PATIENCE 200
#define PAUSES_MOST 64u

enum mode { WITHOUT_CAP, CAP, CAP_AND_BACKOFF, MODES };
static const char *const names[MODES] = {"without a cap", "cap", "cap and backoff"};

struct member {
    _Alignas(WSFJ_CACHE_LINE) struct wsfj_run_queue ring;
    uint64_t tries, got, naps;
};

struct scene {
    struct member members[THREADS];
    enum mode mode;
    uint64_t turns; /* of a task; the producer works as long between two tasks */
    unsigned n;
    bool done;
    _Alignas(WSFJ_CACHE_LINE) uint32_t bell;
};

static void nothing(void *arg)
{
    (void)arg;
}

static bool never(void)
{
    return false;
}

/* Works, and gives away one task for each four of its own length. Runs the tasks that no thief has taken by the end. */
static void produce(struct scene *s)
{
    struct member *m = &s->members[0];
    struct wsfj_item item;

    for (unsigned i = 0; i < s->n; i++) {
        if (!wsfj_run_queue_push(&m->ring, (struct wsfj_item){nothing, s, NULL})) {
            m->got++; /* the run queue is full: runs this task itself */
            work(s->turns);
        }
        if (s->mode != WITHOUT_CAP && wsfj_idle_counts().searching == 0) {
            (void)add_acq_rel(&s->bell, 1u);
            wsfj_futex_wake(&s->bell);
        }
        work(4 * s->turns);
    }
    while (wsfj_run_queue_pop(&m->ring, &item)) {
        m->got++;
        work(s->turns);
    }
    store_release(&s->done, true);
    for (unsigned i = 0; i < THREADS; i++) {
        (void)add_acq_rel(&s->bell, 1u);
        wsfj_futex_wake(&s->bell);
    }
}

static void rest(struct scene *s, struct member *m)
{
    uint32_t bell = load_acquire(&s->bell);

    wsfj_idle_counts_fall_asleep(true);
    m->naps++;
    if (!load_acquire(&s->done))
        wsfj_futex_wait(&s->bell, bell, &(struct timespec){0, NAP_NS});
    wsfj_idle_counts_take_sleeper();
}

static bool look_around(struct scene *s, unsigned self)
{
    struct member *m = &s->members[self];
    struct wsfj_item item;

    for (unsigned i = 1; i < THREADS; i++) {
        unsigned n = wsfj_run_queue_steal(&s->members[(self + i) % THREADS].ring, &m->ring, &item);

        m->tries++;
        if (n) {
            do {
                m->got++;
                work(s->turns);
            } while (wsfj_run_queue_pop(&m->ring, &item));
            return true;
        }
    }
    return false;
}

/* A thread that searches until it has found nothing for too long. */
static void search(struct scene *s, unsigned self)
{
    unsigned pauses = 1;

    for (unsigned round = 0; !load_acquire(&s->done) && (s->mode == WITHOUT_CAP || round < PATIENCE); round++) {
        if (look_around(s, self)) {
            round = 0;
            pauses = 1;
        }
        if (s->mode == CAP_AND_BACKOFF) {
            for (unsigned i = 0; i < pauses; i++)
                wsfj_pause();
            pauses = pauses < PAUSES_MOST ? 2 * pauses : pauses;
            if (pauses == PAUSES_MOST)
                sched_yield();
        }
    }
}

static void play(void *context, unsigned self)
{
    struct scene *s = context;

    if (self == 0) {
        produce(s);
        return;
    }
    while (!load_acquire(&s->done)) {
        if (s->mode != WITHOUT_CAP && !wsfj_idle_counts_begin_search(never)) {
            s->members[self].naps++;
            wsfj_futex_wait(&s->bell, load_acquire(&s->bell), &(struct timespec){0, NAP_NS});
            continue;
        }
        search(s, self);
        if (s->mode != WITHOUT_CAP)
            rest(s, &s->members[self]);
    }
}

static void set_up(struct lab *lab, struct scene *s, enum mode mode)
{
    memset(s, 0, sizeof *s);
    s->mode = mode;
    s->turns = work_turns(lab_value(lab, LAB_LENGTH, 10000, 1000));
    s->n = (unsigned)lab_value(lab, LAB_COUNT, 1000, 200);
    wsfj_idle_counts_start(0);
}

enum figure { MS, TRIES, IDLE_MS, NAPS, FIGURES };

static void measure(struct lab *lab, void *context, size_t mode, double *figures)
{
    struct scene *s = context;
    uint64_t cpu[THREADS], got = 0, searchers_cpu = 0;

    set_up(lab, s, (enum mode)mode);
    figures[MS] = crew_run(lab, THREADS, play, s, cpu) * 1e3;
    figures[TRIES] = figures[NAPS] = 0;
    for (unsigned i = 0; i < THREADS; i++) {
        got += s->members[i].got;
        figures[TRIES] += (double)s->members[i].tries;
        figures[NAPS] += (double)s->members[i].naps;
        searchers_cpu += i ? cpu[i] : 0;
    }
    lab_must(lab, got == s->n, "each of %u tasks has run once", s->n);

    double useful = work_ns(s->turns) * (double)(got - s->members[0].got);

    figures[IDLE_MS] = (double)searchers_cpu > useful ? ((double)searchers_cpu - useful) * 1e-6 : 0;
}

void lab_livelock(struct lab *lab)
{
    unsigned workers_before = wsfj_num_workers;
    struct scene *s = aligned_alloc(WSFJ_CACHE_LINE, sizeof *s);
    double tries[MODES];
    struct rounds r;

    lab_need(lab, s != NULL, "memory");
    lab_table(lab, "", "search,ms,tries,tries_per_task,idle_cpu_ms,naps");
    wsfj_num_workers = THREADS; /* the cap depends on it; no runtime runs here */
    r = rounds_measure(lab, MODES, FIGURES, lab_size(lab, 15, 1), measure, s);
    wsfj_num_workers = workers_before;
    for (unsigned mode = 0; mode < MODES; mode++) {
        tries[mode] = rounds_median(lab, &r, mode, TRIES);
        lab_row(lab, "%s,%.1f,%.0f,%.0f,%.1f,%.0f", names[mode], rounds_median(lab, &r, mode, MS), tries[mode],
                tries[mode] / s->n, rounds_median(lab, &r, mode, IDLE_MS), rounds_median(lab, &r, mode, NAPS));
    }
    lab_saw(lab, tries[CAP] < tries[WITHOUT_CAP], "the cap leaves %.1f %% of the attempts, with backoff %.1f %%",
            100 * tries[CAP] / tries[WITHOUT_CAP], 100 * tries[CAP_AND_BACKOFF] / tries[WITHOUT_CAP]);
    (void)lab_differs(lab, rounds_values(&r, WITHOUT_CAP, MS), rounds_values(&r, CAP_AND_BACKOFF, MS), r.rounds,
                      "with cap and backoff the worker that has work takes");
    (void)lab_differs(lab, rounds_values(&r, CAP, MS), rounds_values(&r, CAP_AND_BACKOFF, MS), r.rounds,
                      "against the cap alone it takes");
    rounds_free(&r);
    free(s);
}
