/* SPDX-License-Identifier: MIT */
/*
 * Experiment 6: run-next. Older tasks wait; a chain of tasks begins, each of which submits the next one. How
 * many of the older tasks run before the chain's next link? With run-next, and without: then a task that does nothing
 * takes the place of each link at once.
 */
#include "flood.h"
#include "rounds.h"

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
    flood_start(lab, workers);
    lab_need(lab, ws_group_submit(&s->group, begin, s) == 0, "a task");
    lab_need(lab, ws_group_wait(&s->group) == 0, "an end");
    flood_stop(lab);
}

enum figure { FIRST, ALL, MOST, FIGURES };

struct plan {
    struct scene scene;
    struct lab_list workers;
    double task_ns;
};

/* Two lines for each number of workers: without the slot and with it. */
static void measure(struct lab *lab, void *context, size_t line, double *figures)
{
    struct plan *p = context;
    struct scene *s = &p->scene;

    play(lab, s, (unsigned)p->workers.at[line / 2], line % 2, p->task_ns);
    lab_must(lab, s->link == LINKS && s->older == OLDER, "%u links and %u older tasks have run", s->link, s->older);
    figures[FIRST] = figures[ALL] = s->waited[0];
    figures[MOST] = 0;
    for (unsigned i = 1; i <= LINKS; i++) {
        figures[ALL] += s->waited[i];
        figures[MOST] = s->waited[i] > figures[MOST] ? s->waited[i] : figures[MOST];
    }
}

void lab_next(struct lab *lab)
{
    struct plan p = {.workers = lab_values(lab, LAB_WORKERS, (struct lab_list){3, {1, 2, 4}}, 3),
                     .task_ns = lab_value(lab, LAB_LENGTH, 20000, 1000)};
    static const char *const slots[] = {"without", "with"};
    struct rounds r;

    lab_table(
        lab, "",
        "workers,slot,links,older_before_first,older_before_last,before_last_p10,before_last_p90,most_between_two");
    r = rounds_measure(lab, 2 * p.workers.n, FIGURES, lab_size(lab, 15, 1), measure, &p);
    for (size_t line = 0; line < r.lines; line++) {
        struct sample all = rounds_sample(lab, &r, line, ALL);

        lab_row(lab, "%.0f,%s,%d,%.0f,%.0f,%.0f,%.0f,%.0f", p.workers.at[line / 2], slots[line % 2], LINKS,
                rounds_median(lab, &r, line, FIRST), all.median, all.p10, all.p90, rounds_median(lab, &r, line, MOST));
        if (p.workers.at[line / 2] != 1)
            continue;
        /* Three links in a row, then one older task (dispatch.c). */
        if (line % 2)
            lab_must(lab, all.median >= LINKS / 3.0 - 1 && all.median <= LINKS / 3.0 + 1,
                     "one worker, with the slot: %.0f older tasks run before the last of %d links", all.median, LINKS);
        else
            lab_must(lab, all.median >= OLDER - 2, "one worker, without: %.0f of %d do", all.median, OLDER);
    }
    rounds_free(&r);
}
