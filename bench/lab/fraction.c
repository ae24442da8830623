/* SPDX-License-Identifier: MIT */
/*
 * Experiment 8: how much of a victim's queue a thief takes: 1/4, 1/2, 3/4, all. Four threads, each with a run queue of
 * the library; one of them has a burst of tasks. A thread without tasks tries the others one after the other.
 */
#include "crew.h"
#include "rounds.h"

#include "base/atomic.h"
#include "base/policy.h"
#include "queue/run_queue.h"
#include "task/item.h"
#include "work.h"

#include <stdlib.h>
#include <string.h>

#define THREADS 4
#define BURST 250
#define FRACTIONS 4 /* quarters of a queue */
#define HALF 1      /* of these */

struct member {
    _Alignas(WSFJ_CACHE_LINE) struct wsfj_run_queue ring;
    uint64_t tries, steals, moved, moved_and_run, run;
};

struct scene {
    struct member members[THREADS];
    uint64_t turns;
    unsigned left; /* tasks that have not run */
};

static void nothing(void *arg)
{
    (void)arg;
}

static void run(struct scene *s, struct member *m, bool was_moved)
{
    work(s->turns);
    m->run++;
    m->moved_and_run += was_moved;
    (void)sub_acq_rel(&s->left, 1u);
}

/* Tries the others once; true if it found tasks. */
static bool look_around(struct scene *s, unsigned self)
{
    struct member *m = &s->members[self];
    struct wsfj_item item;

    for (unsigned i = 1; i < THREADS; i++) {
        unsigned n = wsfj_run_queue_steal(&s->members[(self + i) % THREADS].ring, &m->ring, &item);

        m->tries++;
        if (n) {
            m->steals++;
            m->moved += n;
            run(s, m, true);
            return true;
        }
    }
    return false;
}

static void play(void *context, unsigned self)
{
    struct scene *s = context;
    struct member *m = &s->members[self];
    struct wsfj_item item;
    bool stolen = self != 0; /* the own run queue holds stolen tasks; the owner starts with its burst */

    for (unsigned turn = 0; load_acquire(&s->left); turn++) {
        while (wsfj_run_queue_pop(&m->ring, &item))
            run(s, m, stolen);
        stolen = true;
        if (!look_around(s, self))
            crew_pause(turn);
    }
}

static double burst(struct lab *lab, struct scene *s, unsigned quarters, double task_ns)
{
    unsigned n = (unsigned)lab_value(lab, LAB_COUNT, BURST, BURST);
    uint64_t ran = 0;

    memset(s, 0, sizeof *s);
    s->turns = work_turns(task_ns);
    s->left = n;
    wsfj_policy.ring_quarters = quarters;
    for (unsigned i = 0; i < n; i++)
        lab_need(lab, wsfj_run_queue_push(&s->members[0].ring, (struct wsfj_item){nothing, s, NULL}),
                 "room in the ring");

    double seconds = crew_run(lab, THREADS, play, s, NULL);

    wsfj_policy = (struct wsfj_policy)WSFJ_POLICY;
    for (unsigned i = 0; i < THREADS; i++)
        ran += s->members[i].run;
    lab_must(lab, ran == n, "%llu of %u tasks have run", (unsigned long long)ran, n);
    return seconds;
}

enum figure { MS, STEALS, PER_STEAL, MOVED_AGAIN, FIGURES };

struct plan {
    struct scene *scene;
    struct lab_list lengths;
};

/* A line for each length, and of each length for each fraction. */
static void measure(struct lab *lab, void *context, size_t line, double *figures)
{
    struct plan *p = context;
    struct scene *s = p->scene;
    double moved = 0, distinct = 0;

    figures[MS] = burst(lab, s, (unsigned)(line % FRACTIONS) + 1, p->lengths.at[line / FRACTIONS]) * 1e3;
    figures[STEALS] = 0;
    for (unsigned i = 0; i < THREADS; i++) {
        figures[STEALS] += (double)s->members[i].steals;
        moved += (double)s->members[i].moved;
        distinct += (double)s->members[i].moved_and_run;
    }
    lab_must(lab, moved >= distinct, "no task runs elsewhere without having been moved");
    figures[PER_STEAL] = figures[STEALS] > 0 ? moved / figures[STEALS] : 0;
    figures[MOVED_AGAIN] = moved - distinct;
}

/* Against a half: is another fraction slower or faster? */
static void compare(struct lab *lab, const struct rounds *r, size_t first, double us)
{
    static const char *const names[FRACTIONS] = {"a quarter", "a half", "three quarters", "everything"};

    for (unsigned q = 0; q < FRACTIONS; q++)
        if (q != HALF)
            (void)lab_differs(lab, rounds_values(r, first + HALF, MS), rounds_values(r, first + q, MS), r->rounds,
                              "tasks of %g us: a burst whose thieves take %s takes", us, names[q]);
}

void lab_fraction(struct lab *lab)
{
    struct plan p = {.lengths = lab_values(lab, LAB_LENGTH, (struct lab_list){2, {1e3, 2e4}}, 2)};
    struct rounds r;

    p.scene = aligned_alloc(WSFJ_CACHE_LINE, sizeof *p.scene);
    lab_need(lab, p.scene != NULL, "memory");
    lab_table(lab, "", "task_us,fraction,ms,times_half,least,most,steals,items_per_steal,moved_again");
    r = rounds_measure(lab, FRACTIONS * p.lengths.n, FIGURES, lab_size(lab, 101, 2), measure, &p);
    for (unsigned line = 0; line < r.lines; line++) {
        unsigned first = line - line % FRACTIONS;
        struct sample_ratio ratio =
            sample_compare(rounds_values(&r, first + HALF, MS), rounds_values(&r, line, MS), r.rounds);

        lab_row(lab, "%g,%.2f,%.3f,%s,%.0f,%.1f,%.0f", p.lengths.at[line / FRACTIONS] * 1e-3,
                (line % FRACTIONS + 1) / 4.0, rounds_median(lab, &r, line, MS), lab_ratio(ratio).text,
                rounds_median(lab, &r, line, STEALS), rounds_median(lab, &r, line, PER_STEAL),
                rounds_median(lab, &r, line, MOVED_AGAIN));
    }
    for (unsigned k = 0; k < p.lengths.n; k++) {
        compare(lab, &r, k * FRACTIONS, p.lengths.at[k] * 1e-3);
        lab_saw(lab,
                rounds_median(lab, &r, k * FRACTIONS + FRACTIONS - 1, MOVED_AGAIN) >
                    rounds_median(lab, &r, k * FRACTIONS + HALF, MOVED_AGAIN),
                "tasks of %g us: a thief that takes everything is robbed of it again: %.0f tasks move a second time, "
                "%.0f with a half",
                p.lengths.at[k] * 1e-3, rounds_median(lab, &r, k * FRACTIONS + FRACTIONS - 1, MOVED_AGAIN),
                rounds_median(lab, &r, k * FRACTIONS + HALF, MOVED_AGAIN));
    }
    rounds_free(&r);
    free(p.scene);
}
