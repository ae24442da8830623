/* SPDX-License-Identifier: MIT */
/*
 * Experiment 6: the run-next slot. Older tasks wait; a chain of tasks begins, each of which submits the next one. How
 * many of the older tasks run before the chain's next link? With the slot, and without: then a task that does nothing
 * displaces each link from the slot at once.
 */
#include "flood.h"

#include "base/atomic.h"
#include "work.h"

#include <string.h>

#define OLDER 200
#define LINKS 30

struct scene {
    ws_group group;
    bool with_slot;
    uint64_t turns;
    unsigned older;             /* that have begun */
    unsigned link;              /* the last one submitted */
    unsigned at[LINKS + 1];     /* how many older ones had begun when each was submitted; */
    unsigned waited[LINKS + 1]; /* and until it began */
};

static void older(void *arg)
{
    struct scene *s = arg;

    (void)add_relaxed(&s->older, 1u);
    work(s->turns);
}

static void empty(void *arg)
{
    (void)arg;
}

static void link(void *arg)
{
    struct scene *s = arg;
    unsigned i = s->link; /* one link at a time: each link submits the next */

    s->waited[i] = load_relaxed(&s->older) - s->at[i];
    work(s->turns);
    if (i == LINKS)
        return;
    s->link = i + 1;
    s->at[i + 1] = load_relaxed(&s->older);
    (void)ws_group_submit(&s->group, link, s);
    if (!s->with_slot)
        (void)ws_group_submit(&s->group, empty, NULL);
}

static void begin(void *arg)
{
    struct scene *s = arg;

    for (unsigned i = 0; i < OLDER; i++)
        (void)ws_group_submit(&s->group, older, s);
    s->at[0] = load_relaxed(&s->older);
    (void)ws_group_submit(&s->group, link, s);
    if (!s->with_slot)
        (void)ws_group_submit(&s->group, empty, NULL);
}

/* Runs it once; the links' waits are in s->waited[1..LINKS]. */
static void play(struct lab *lab, struct scene *s, unsigned workers, bool with_slot, double task_ns)
{
    memset(s, 0, sizeof *s);
    s->with_slot = with_slot;
    s->turns = work_turns(task_ns);
    flood_start(lab, workers, WS_VICTIM_DEFAULT);
    lab_need(lab, ws_group_submit(&s->group, begin, s) == 0, "a task");
    lab_need(lab, ws_group_wait(&s->group) == 0, "an end");
    flood_stop(lab);
}

void lab_next(struct lab *lab)
{
    static const unsigned workers[] = {1, 2, 4};
    size_t rounds = lab_size(lab, 15, 1);
    double task_ns = (double)lab_size(lab, 20000, 1000), alone[2] = {0, 0};
    struct scene s;

    lab_table(lab, "", "workers,slot,links,older_before_first,older_before_last,most_between_two");
    for (unsigned k = 0; k < 3; k++) {
        for (unsigned with_slot = 0; with_slot < 2; with_slot++) {
            double first[16], most[16], all[16];

            for (size_t r = 0; r < rounds; r++) {
                unsigned sum = 0, longest = 0;

                play(lab, &s, workers[k], with_slot, task_ns);
                lab_must(lab, s.link == LINKS && s.older == OLDER, "%u links and %u older tasks have run", s.link,
                         s.older);
                for (unsigned i = 1; i <= LINKS; i++) {
                    sum += s.waited[i];
                    longest = s.waited[i] > longest ? s.waited[i] : longest;
                }
                first[r] = s.waited[0];
                most[r] = longest;
                all[r] = sum + s.waited[0];
            }
            if (workers[k] == 1)
                alone[with_slot] = lab_median(all, rounds);
            lab_row(lab, "%u,%s,%d,%.0f,%.0f,%.0f", workers[k], with_slot ? "with" : "without", LINKS,
                    lab_median(first, rounds), lab_median(all, rounds), lab_median(most, rounds));
        }
    }
    /* Three links in a row, then one older task (dispatch.c). */
    lab_must(lab, alone[1] >= LINKS / 3.0 - 1 && alone[1] <= LINKS / 3.0 + 1,
             "one worker, with the slot: %.0f older tasks run before the last of %d links", alone[1], LINKS);
    lab_must(lab, alone[0] >= OLDER - 2, "one worker, without: %.0f of %d do", alone[0], OLDER);
}
