/* SPDX-License-Identifier: MIT */
/* The order in which a plain graph's tasks can be played: each behind all that it needs. */
#include "dag.h"

#include "line.h"

#include <stdlib.h>

/* Visits a task: the needs of `at` from `next` on are still to be looked at. */
struct visit {
    uint32_t at;
    size_t next;
};

enum { UNSEEN, OPEN, DONE };

static size_t num_needs(const struct dag_task *t)
{
    return t->count + (t->parent != DAG_NONE);
}

static uint32_t need(const struct dag *d, const struct dag_task *t, size_t i)
{
    return i < t->count ? d->after[t->first + i] : t->parent;
}

/* Puts the task behind all that it needs. The stack is as deep as the longest chain. */
static bool visit(struct dag *d, struct line *l, uint32_t root, struct visit *stack, unsigned char *seen,
                  size_t *num_ordered)
{
    size_t depth = 1;

    stack[0] = (struct visit){root, 0};
    seen[root] = OPEN;
    while (depth > 0) {
        struct visit *v = &stack[depth - 1];
        const struct dag_task *t = &d->tasks[v->at];
        uint32_t next;

        if (v->next == num_needs(t)) {
            seen[v->at] = DONE;
            d->order[(*num_ordered)++] = v->at;
            depth--;
            continue;
        }
        next = need(d, t, v->next++);
        if (seen[next] == OPEN) {
            l->number = t->line;
            return line_fail(l, "a cycle: task %.40s needs %.40s, which needs it", t->id, d->tasks[next].id);
        }
        if (seen[next] == UNSEEN) {
            seen[next] = OPEN;
            stack[depth++] = (struct visit){next, 0};
        }
    }
    return true;
}

bool dag_order(struct dag *d, struct line *l)
{
    struct visit *stack = malloc(d->num_tasks * sizeof *stack);
    unsigned char *seen = calloc(d->num_tasks, 1);
    size_t num_ordered = 0;
    bool done;

    d->order = malloc(d->num_tasks * sizeof *d->order);
    done = (stack && seen && d->order) || line_fail(l, "no memory");
    for (size_t i = 0; done && i < d->num_tasks; i++)
        done = seen[i] == DONE || visit(d, l, (uint32_t)i, stack, seen, &num_ordered);
    free(stack);
    free(seen);
    return done;
}
