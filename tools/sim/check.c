/* SPDX-License-Identifier: MIT */
#include "check.h"

#include "event.h"
#include "fail.h"
#include "options.h"
#include "work.h"

#include <wsfj.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* Which worker runs a fiber (by the number of its stack), and which fiber a worker runs. Numbers plus 1; 0: none. */
static struct {
    uint32_t *of;
    uint32_t room;
} stacks, workers;

static void run_of(uint32_t **array, uint32_t *room, uint32_t n)
{
    uint32_t more = n < 32 ? 64 : 2 * n;

    if (n < *room)
        return;
    *array = sim_again(*array, more * sizeof **array);
    while (*room < more)
        (*array)[(*room)++] = 0;
}

void sim_broken(const char *format, ...)
{
    char text[400];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    sim_fail(SIM_EXIT_BROKEN, "broken: %s", text);
}

static void begins(uint32_t worker, uint32_t stack)
{
    sim_check(stacks.of[stack] == 0, "stack %u begins to run on worker %u while it runs on worker %u", stack, worker,
              stacks.of[stack] - 1);
    sim_check(workers.of[worker] == 0, "worker %u begins to run stack %u while it runs stack %u", worker, stack,
              workers.of[worker] - 1);
    stacks.of[stack] = worker + 1;
    workers.of[worker] = stack + 1;
}

static void leaves(uint32_t worker, uint32_t stack)
{
    sim_check(stacks.of[stack] == worker + 1 && workers.of[worker] == stack + 1,
              "stack %u leaves worker %u, which does not run it", stack, worker);
    stacks.of[stack] = workers.of[worker] = 0;
}

void sim_check_event(const struct sim_note *n)
{
    switch (n->event) {
    case WSFJ_EVENT_task_begin:
    case WSFJ_EVENT_resume:
    case WSFJ_EVENT_task_end:
    case WSFJ_EVENT_suspend:
    case WSFJ_EVENT_wait:
    case WSFJ_EVENT_yield:
    case WSFJ_EVENT_block_begin:
    case WSFJ_EVENT_block_end: break;
    default: return;
    }
    if (n->worker == UINT32_MAX)
        return;
    run_of(&stacks.of, &stacks.room, n->a);
    run_of(&workers.of, &workers.room, n->worker);
    if (n->event == WSFJ_EVENT_task_begin || n->event == WSFJ_EVENT_resume)
        begins(n->worker, n->a);
    else if (n->event != WSFJ_EVENT_block_end)
        leaves(n->worker, n->a);
    else if (n->detail) /* else it was resumed like any other fiber, and runs already */
        begins(n->worker, n->a);
}

void sim_check_facts(void)
{
    const struct sim_facts *f = &sim_facts;
    uint64_t time = f->ended - f->began, workers_most = ws_num_workers();
    struct ws_stats stats = {.size = sizeof stats};

    sim_check(f->work / workers_most <= time,
              "%" PRIu64 " ns of work in %" PRIu64 " ns, which is less than a %" PRIu64 "th of it", f->work, time,
              workers_most);
    sim_check(f->span <= (double)time + (double)f->chain + 0.5,
              "the span is %.1f ns, but all was done in %" PRIu64 " ns", f->span, time);
    if (!f->depth || ws_stats_get(&stats) != 0)
        return;
    /* A fiber that waits has a child that runs, is about to, or waits itself. So each chain of waiting fibers, no longer
     * than spawns are deep, ends at a worker: at what it runs, what is in its mailbox, or the stack that it keeps. */
    sim_check(stats.stacks <= workers_most * (f->depth + 3),
              "%" PRIu64 " stacks, with %" PRIu64 " workers and depth %" PRIu64, stats.stacks, workers_most, f->depth);
}
