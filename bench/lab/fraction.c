/* SPDX-License-Identifier: MIT */
/*
 * Experiment 8: how much of a victim's queue a thief takes: 1/4, 1/2, 3/4, all. Four threads, each with a run queue of
 * the library; one of them has a burst of tasks. A thread without tasks tries the others one after the other.
 */
#include "crew.h"

#include "base/atomic.h"
#include "queue/run_queue.h"
#include "task/item.h"
#include "work.h"

#include <stdlib.h>
#include <string.h>

#define THREADS 4
#define BURST 250

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
    uint64_t ran = 0;

    memset(s, 0, sizeof *s);
    s->turns = work_turns(task_ns);
    s->left = BURST;
    for (unsigned i = 0; i < THREADS; i++)
        s->members[i].ring.quarters = quarters;
    for (unsigned i = 0; i < BURST; i++)
        lab_need(lab, wsfj_run_queue_push(&s->members[0].ring, (struct wsfj_item){nothing, s, NULL}),
                 "room in the ring");

    double seconds = crew_run(lab, THREADS, play, s, NULL);

    for (unsigned i = 0; i < THREADS; i++)
        ran += s->members[i].run;
    lab_must(lab, ran == BURST, "%llu of %d tasks have run", (unsigned long long)ran, BURST);
    return seconds;
}

void lab_fraction(struct lab *lab)
{
    static const double lengths_us[] = {1, 20};
    size_t rounds = lab_size(lab, 101, 2);
    struct scene *s = aligned_alloc(WSFJ_CACHE_LINE, sizeof *s);
    double(*values)[4][128] = lab_alloc(lab, 4, sizeof *values); /* of each fraction: ms, steals, moved, moved again */

    lab_need(lab, s != NULL, "memory");
    lab_table(lab, "", "task_us,fraction,ms,steals,items_per_steal,moved_again");
    for (unsigned k = 0; k < 2; k++) {
        for (size_t r = 0; r < rounds; r++) {
            for (unsigned q = 0; q < 4; q++) {
                double steals = 0, moved = 0, distinct = 0;

                values[q][0][r] = burst(lab, s, q + 1, lengths_us[k] * 1e3) * 1e3;
                for (unsigned i = 0; i < THREADS; i++) {
                    steals += (double)s->members[i].steals;
                    moved += (double)s->members[i].moved;
                    distinct += (double)s->members[i].moved_and_run;
                }
                lab_must(lab, moved >= distinct, "no task runs elsewhere without having been moved");
                values[q][1][r] = steals;
                values[q][2][r] = steals > 0 ? moved / steals : 0;
                values[q][3][r] = moved - distinct;
            }
        }
        for (unsigned q = 0; q < 4; q++)
            lab_row(lab, "%g,%.2f,%.3f,%.0f,%.1f,%.0f", lengths_us[k], (q + 1) / 4.0, lab_median(values[q][0], rounds),
                    lab_median(values[q][1], rounds), lab_median(values[q][2], rounds),
                    lab_median(values[q][3], rounds));
        if (k == 1)
            lab_saw(
                lab, lab_median(values[3][3], rounds) > lab_median(values[1][3], rounds),
                "tasks of %g us: who takes all is robbed of it again: %.0f tasks move a second time, %.0f with a half",
                lengths_us[k], lab_median(values[3][3], rounds), lab_median(values[1][3], rounds));
    }
    free(values);
    free(s);
}
