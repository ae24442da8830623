/* SPDX-License-Identifier: MIT */
/*
 * Which CPUs have a copy of a cache line, if the costs name any `line.TIER`: an access to a line that another CPU has
 * changed fetches it, and so does an access that changes a line which others have read. A plain store takes the line,
 * and costs nothing: the processor does not wait for it. Nothing is ever evicted.
 *
 * The table is by address. It only compares addresses for equality.
 */
#include "costs.h"
#include "cpu.h"
#include "engine.h"
#include "fail.h"
#include "machine.h"

#include <stdlib.h>
#include <string.h>

#define LINE 64

struct line {
    uintptr_t number;     /* 0: free */
    unsigned last, other; /* the CPU that took it last, and the one before that was another */
    bool alone;           /* `last` has the only copy */
    uint64_t *has_copy;   /* a bit for each CPU */
};

bool engine_lines;

static struct line *lines;
static size_t room, used; /* room: a power of two */

static struct line *slot_of(uintptr_t number)
{
    size_t i = (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (room - 1);

    while (lines[i].number && lines[i].number != number)
        i = (i + 1) & (room - 1);
    return &lines[i];
}

static void grow(void)
{
    struct line *before = lines;
    size_t n = room;

    room = room ? 2 * room : 4096;
    lines = sim_new(room, sizeof *lines);
    for (size_t i = 0; i < n; i++)
        if (before[i].number)
            *slot_of(before[i].number) = before[i];
    free(before);
}

/* A line of which nothing is known is the caller's. */
static struct line *line_of(uintptr_t number, unsigned cpu)
{
    struct line *l;

    if (2 * used >= room)
        grow();
    l = slot_of(number);
    if (!l->number) {
        used++;
        *l = (struct line){number, cpu, cpu, true, sim_new(sim_bit_words(sim_cpu_end()), sizeof *l->has_copy)};
        l->has_copy[cpu / 64] = UINT64_C(1) << cpu % 64;
    }
    return l;
}

static void take(struct line *l, unsigned cpu, bool alone)
{
    if (alone)
        memset(l->has_copy, 0, sim_bit_words(sim_cpu_end()) * sizeof *l->has_copy);
    l->has_copy[cpu / 64] |= UINT64_C(1) << cpu % 64;
    l->alone = alone;
    if (l->last != cpu) {
        l->other = l->last;
        l->last = cpu;
    }
}

void engine_line(const volatile void *p, enum engine_access access)
{
    unsigned cpu;
    struct line *l;

    if (!sim_self || sim_self->cpu >= sim_cpu_end()) /* the thread outside of the machine */
        return;
    cpu = sim_self->cpu;
    l = line_of((uintptr_t)p / LINE, cpu);
    if (access == ENGINE_LOAD ? sim_bit(l->has_copy, cpu) : l->alone && l->last == cpu)
        return;
    if (access != ENGINE_STORE)
        sim_owe(sim_costs.line[sim_machine_tier(cpu, l->last == cpu ? l->other : l->last)]);
    take(l, cpu, access != ENGINE_LOAD);
}

void sim_lines_start(void)
{
    for (unsigned tier = 0; tier < WSFJ_TIER_COUNT; tier++)
        engine_lines |= sim_costs.line[tier] > 0;
}
