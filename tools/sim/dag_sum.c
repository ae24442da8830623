/* SPDX-License-Identifier: MIT */
/* Adds up a plain graph: its work, and its longest chain. */
#include "dag.h"

#include <stdlib.h>

static double most(double a, double b)
{
    return a > b ? a : b;
}

/* When each task begins: `arrives` with arrivals. The end of the last one. */
static double longest(const struct dag *d, double *begins, bool arrives)
{
    double end = 0;

    for (size_t i = 0; i < d->num_tasks; i++) {
        const struct dag_task *t = &d->tasks[d->order[i]];
        double begin = arrives ? t->arrival : 0;

        if (t->parent != DAG_NONE)
            begin = most(begin, begins[t->parent]);
        for (size_t j = t->first; j < t->first + t->count; j++)
            begin = most(begin, begins[d->after[j]] + d->tasks[d->after[j]].cost);
        begins[d->order[i]] = begin;
        end = most(end, begin + t->cost);
    }
    return end;
}

bool dag_sum(const struct dag *d, struct dag_sums *sums)
{
    double *begins = malloc((d->num_tasks + 1) * sizeof *begins);

    *sums = (struct dag_sums){0};
    if (!begins)
        return false;
    for (size_t i = 0; i < d->num_tasks; i++)
        sums->work += d->tasks[i].cost;
    sums->span = longest(d, begins, false);
    sums->end = longest(d, begins, true);
    free(begins);
    return true;
}
