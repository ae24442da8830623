/* SPDX-License-Identifier: MIT */
/*
 * Blaming steals for a latency tail. Bursts of short tasks with a long task among them. Mistake: steals are believed to
 * be expensive, and each worker gets its own part (here: one worker, half of every burst). Remedy: measure. Stolen
 * tasks wait less than those that stay behind the long one.
 */
#include "mistake.h"

#define BURSTS 100
#define SHORT 40

static struct task {
    uint64_t submitted, begun;
    unsigned from, on;
    double ns;
} tasks[BURSTS * SHORT];

static void run(void *arg)
{
    struct task *t = arg;

    t->begun = sample_now();
    t->on = (unsigned)ws_worker_id();
    mistake_work(t->ns);
}

struct burst {
    struct task *first;
    unsigned n;
    ws_group *group;
};

static void submit_all(void *arg)
{
    struct burst *b = arg;

    for (unsigned i = 0; i < b->n; i++) {
        b->first[i] = (struct task){.submitted = sample_now(), .from = (unsigned)ws_worker_id(), .ns = 10000};
        /* The first to run in its worker's queue, which is not the first submitted. */
        if (i == 1)
            b->first[i].ns = 4000000;
        mistake_need(ws_group_submit(b->group, run, &b->first[i]) == 0, "a task");
    }
}

/* The short tasks of one kind: 0: all, 1: those that stayed, 2: those that were stolen. */
static void show(const char *name, unsigned n, int kind)
{
    static double us[BURSTS * SHORT];
    size_t many = 0;

    for (unsigned i = 0; i < BURSTS * n; i++) {
        const struct task *t = &tasks[i];

        if (t->ns < 100000 && (kind == 0 || (kind == 2) == (t->from != t->on)))
            us[many++] = (double)(t->begun - t->submitted) * 1e-3;
    }
    if (many >= 100) /* else there is no p99 */
        mistake_figure(name, sample_of(us, many).p99);
}

void mistake_run(bool remedied)
{
    unsigned n = remedied ? SHORT : SHORT / 2;

    mistake_start(remedied ? 2 : 1);
    for (unsigned i = 0; i < BURSTS; i++) {
        ws_group source = WS_GROUP_INIT, group = WS_GROUP_INIT;
        struct burst b = {&tasks[i * n], n, &group};

        mistake_need(ws_group_submit(&source, submit_all, &b) == 0 && ws_group_wait(&source) == 0, "a burst");
        mistake_need(ws_group_wait(&group) == 0, "an end");
    }
    show("p99_us", n, 0);
    show("p99_stayed_us", n, 1);
    show("p99_stolen_us", n, 2);
}
