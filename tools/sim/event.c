/* SPDX-License-Identifier: MIT */
#include "event.h"

#include "check.h"
#include "costs.h"
#include "engine.h"
#include "fail.h"
#include "machine.h"

void (*sim_listener)(const struct sim_note *note);

static unsigned *cpu_of; /* by worker: the CPU on which it last had an event */
static uint32_t room;

static void note_cpu(uint32_t worker)
{
    if (worker >= room) {
        uint32_t more = worker < 32 ? 64 : 2 * worker;

        cpu_of = sim_again(cpu_of, more * sizeof *cpu_of);
        while (room < more)
            cpu_of[room++] = sim_self->cpu;
    }
    cpu_of[worker] = sim_self->cpu;
}

/* The distance of the calling thread from a worker. */
static enum wsfj_tier tier_to(uint32_t worker)
{
    return worker < room ? sim_machine_tier(sim_self->cpu, cpu_of[worker]) : WSFJ_TIER_MACHINE;
}

static uint64_t cost(const struct sim_note *n)
{
    switch (n->event) {
    case WSFJ_EVENT_steal: return sim_costs.steal[tier_to(n->a)];
    case WSFJ_EVENT_steal_fail: return sim_costs.attempt[tier_to(n->a)];
    case WSFJ_EVENT_task_begin: return sim_costs.task;
    case WSFJ_EVENT_expose_request: return sim_costs.asked;
    case WSFJ_EVENT_expose: return sim_costs.answered;
    case WSFJ_EVENT_expose_force: return sim_costs.forced;
    case WSFJ_EVENT_suspend:
    case WSFJ_EVENT_wait: return sim_costs.suspend;
    case WSFJ_EVENT_resume: return sim_costs.resume;
    default: return 0;
    }
}

/* Tries, sleeps and yields are no progress: a program that has only those is stuck. */
static bool is_progress(enum wsfj_event event)
{
    return event == WSFJ_EVENT_task_begin || event == WSFJ_EVENT_task_end;
}

void engine_event(unsigned event, uint32_t worker, unsigned detail, uint32_t a, uint32_t b, uint32_t c)
{
    struct sim_note note = {sim_moment, (enum wsfj_event)event, worker, detail, a, b, c};
    uint64_t ns;

    if (!sim_self)
        return;
    if (worker != UINT32_MAX)
        note_cpu(worker);
    sim_progress += is_progress(note.event);
    sim_check_event(&note);
    if (sim_listener)
        sim_listener(&note);
    ns = cost(&note);
    if (ns)
        sim_point(ns);
}
