/* SPDX-License-Identifier: MIT */
/* Who waits for what: a table by address. Its order of addresses is never looked at, so it decides nothing. */
#include "engine.h"

#include "cpu.h"

#define BUCKETS 16384 /* a power of two: 4096 sleepers on 4096 addresses share few */

static struct {
    struct sim_thread *first, *end;
} table[BUCKETS];

static unsigned bucket(const void *on)
{
    return (unsigned)((uintptr_t)on * UINT64_C(0x9e3779b97f4a7c15) >> 50) % BUCKETS;
}

static void remove_waiter(struct sim_thread *t)
{
    unsigned b = bucket(t->on);

    *(t->before ? &t->before->next : &table[b].first) = t->next;
    *(t->next ? &t->next->before : &table[b].end) = t->before;
    t->next = t->before = NULL;
    t->on = NULL;
}

bool sim_wait(const void *on, const struct engine_site *site, uint64_t most)
{
    struct sim_thread *t = sim_self;
    unsigned b = bucket(on);

    t->on = on;
    t->site = site;
    t->timed_out = false;
    t->before = table[b].end;
    t->next = NULL;
    *(t->before ? &t->before->next : &table[b].first) = t;
    table[b].end = t;
    sim_cpu_leave(t);
    t->state = SIM_WAITS;
    if (most != UINT64_MAX) {
        t->event.time += most;
        sim_heap_put(&sim_heap, &t->event);
    }
    sim_leave();
    return !t->timed_out;
}

void sim_wait_over(struct sim_thread *t)
{
    remove_waiter(t);
    t->timed_out = true;
}

unsigned sim_wake(const void *on, unsigned most, uint64_t (*delay)(void))
{
    struct sim_thread *t = table[bucket(on)].first, *next;
    unsigned woken = 0;

    for (; t && woken < most; t = next) {
        next = t->next;
        if (t->on != on)
            continue;
        remove_waiter(t);
        sim_arrive_after(t, delay ? delay() : 0);
        woken++;
    }
    return woken;
}
