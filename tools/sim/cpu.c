/* SPDX-License-Identifier: MIT */
#include "cpu.h"

#include "costs.h"
#include "fail.h"

#include <string.h>

struct cpu {
    struct sim_event slice;     /* in the heap while others wait: the end of the slice */
    struct sim_thread *current; /* NULL: idle, or throttled */
    const struct sim_thread *last;
    struct sim_thread *first, *end; /* the queue */
    unsigned waiting;
    uint64_t began; /* the slice */
};

static struct cpu *cpus; /* one more than exist: the last one is for the thread outside */
static const struct sim_thread *outside;
static unsigned num_cpus, num_exist;
static uint64_t *all, *idle; /* sets */
static unsigned all_waiting; /* in all queues */

/* The quota: in this period `used` nanoseconds were used until `then`. Since then `busy` CPUs run. */
static struct {
    struct sim_event event; /* the end of the quota, or of the period */
    uint64_t limit, period, began, used, then;
    unsigned busy;
    bool throttled;
} quota;

void sim_cpu_start(unsigned n, const uint64_t *exists)
{
    num_cpus = n;
    cpus = sim_new(n + 1, sizeof *cpus);
    all = sim_new(sim_bit_words(n + 1), sizeof *all);
    idle = sim_new(sim_bit_words(n + 1), sizeof *idle);
    memcpy(all, exists, sim_bit_words(n) * sizeof *all);
    memcpy(idle, exists, sim_bit_words(n) * sizeof *idle);
    for (unsigned i = 0; i < n; i++) {
        cpus[i].slice.id = SIM_EVENT_ID(SIM_OF_CPU, i);
        num_exist += sim_bit(all, i);
    }
    quota.event.id = SIM_EVENT_ID(SIM_OF_MACHINE, 0);
}

unsigned sim_cpu_count(void)
{
    return num_exist;
}

unsigned sim_cpu_end(void)
{
    return num_cpus;
}

bool sim_cpu_exists(unsigned cpu)
{
    return cpu < num_cpus && sim_bit(all, cpu);
}

static void settle(uint64_t now)
{
    quota.used += quota.busy * (now - quota.then);
    quota.then = now;
}

/* When the quota is used up if nothing changes, or the period ends. */
static void plan_quota(uint64_t now)
{
    uint64_t end = quota.began + quota.period, left = quota.limit > quota.used ? quota.limit - quota.used : 0;

    sim_heap_remove(&sim_heap, &quota.event);
    if (!quota.limit)
        return;
    quota.event.time = end;
    if (!quota.throttled && quota.busy && now + left / quota.busy < end)
        quota.event.time = now + (left + quota.busy - 1) / quota.busy;
    sim_heap_put(&sim_heap, &quota.event);
}

static void count_busy(int change, uint64_t now)
{
    if (!quota.limit) {
        quota.busy += (unsigned)change;
        return;
    }
    settle(now);
    quota.busy += (unsigned)change;
    plan_quota(now);
}

static void set_idle(unsigned c, bool is)
{
    if (is)
        idle[c / 64] |= UINT64_C(1) << c % 64;
    else
        idle[c / 64] &= ~(UINT64_C(1) << c % 64);
}

static void plan_slice(struct cpu *c, uint64_t now)
{
    uint64_t end = c->began + sim_costs.slice;

    if (c->slice.at || !c->waiting || !c->current)
        return;
    c->slice.time = end > now ? end : now;
    sim_heap_put(&sim_heap, &c->slice);
}

/* The CPU begins to run the thread. */
static void run(struct cpu *c, struct sim_thread *t, uint64_t now)
{
    unsigned number = (unsigned)(c - cpus);
    uint64_t cost = t->debt;

    if (c->last != t)
        cost += c->last ? sim_costs.change : 0;
    if (t->has_run && t->cpu != number)
        cost += sim_costs_migrate(t->cpu, number);
    t->used += cost - t->debt;
    t->debt = 0;
    t->has_run = true;
    t->cpu = number;
    t->state = SIM_ON_CPU;
    t->event.time = now + cost;
    sim_heap_put(&sim_heap, &t->event);
    t->turns++;
    if (t->queued) {
        t->waited += now - t->queued;
        t->queued = 0;
    }
    c->current = t;
    c->began = now;
    set_idle(number, false);
    count_busy(1, now);
    plan_slice(c, now);
}

static void enqueue(struct cpu *c, struct sim_thread *t, bool at_front, uint64_t now)
{
    t->state = SIM_READY;
    t->next = t->before = NULL;
    t->queue = (unsigned)(c - cpus);
    t->queued = now;
    if (!c->first)
        c->first = c->end = t;
    else if (at_front)
        t->next = c->first, c->first->before = t, c->first = t;
    else
        t->before = c->end, c->end->next = t, c->end = t;
    c->waiting++;
    all_waiting++;
}

static void dequeue(struct cpu *c, struct sim_thread *t)
{
    *(t->before ? &t->before->next : &c->first) = t->next;
    *(t->next ? &t->next->before : &c->end) = t->before;
    t->next = t->before = NULL;
    c->waiting--;
    all_waiting--;
}

static bool allowed(const struct sim_thread *t, unsigned cpu)
{
    return sim_bit(t->mask ? t->mask : all, cpu);
}

/* An idle CPU that the thread may use, from `from` on; num_cpus: there is none. */
static unsigned idle_cpu(const struct sim_thread *t, unsigned from)
{
    unsigned words = sim_bit_words(num_cpus);

    for (unsigned i = 0; i <= words; i++) {
        unsigned w = (from / 64 + i) % words;
        uint64_t found = idle[w] & (t->mask ? t->mask : all)[w];

        if (i == 0)
            found &= ~UINT64_C(0) << from % 64;
        if (found)
            return 64 * w + (unsigned)__builtin_ctzll(found);
    }
    return num_cpus;
}

/* The CPU with the shortest queue; of equals the thread's last one, or the next. */
static struct cpu *least_busy(const struct sim_thread *t)
{
    struct cpu *best = NULL;

    for (unsigned i = 0; i < num_cpus; i++) {
        unsigned number = (t->cpu + i) % num_cpus;

        if (sim_bit(all, number) && allowed(t, number) && (!best || cpus[number].waiting < best->waiting))
            best = &cpus[number];
    }
    return best;
}

void sim_cpu_arrive(struct sim_thread *t, uint64_t now)
{
    unsigned number = quota.throttled ? num_cpus : idle_cpu(t, t->cpu);
    struct cpu *c;

    if (t == outside) {
        run(&cpus[num_cpus], t, now);
        return;
    }
    if (number < num_cpus) {
        run(&cpus[number], t, now);
        return;
    }
    c = least_busy(t);
    enqueue(c, t, false, now);
    plan_slice(c, now);
}

/* A thread that waits in another queue and may come here; from the longest queue. */
static struct sim_thread *pull(unsigned number)
{
    struct cpu *longest = NULL;
    struct sim_thread *found = NULL;

    for (unsigned i = 0; i < num_cpus && all_waiting; i++) {
        struct sim_thread *t = cpus[i].first;

        while (t && !allowed(t, number))
            t = t->next;
        if (t && (!longest || cpus[i].waiting > longest->waiting)) {
            longest = &cpus[i];
            found = t;
        }
    }
    if (found)
        dequeue(longest, found);
    return found;
}

/* The CPU has no thread: what it does next. */
static void refill(struct cpu *c, uint64_t now)
{
    struct sim_thread *t = quota.throttled ? NULL : c->first;

    if (t)
        dequeue(c, t);
    else if (!quota.throttled)
        t = pull((unsigned)(c - cpus));
    if (t)
        run(c, t, now);
    else
        set_idle((unsigned)(c - cpus), true);
}

/* Takes the CPU away from its thread. */
static void vacate(struct cpu *c, uint64_t now)
{
    c->last = c->current;
    c->current = NULL;
    sim_heap_remove(&sim_heap, &c->slice);
    count_busy(-1, now);
}

/* Stops a thread that is on a CPU and in the heap. The rest of what it was paying becomes its debt. */
static void interrupt(struct sim_thread *t, uint64_t now)
{
    sim_heap_remove(&sim_heap, &t->event);
    t->debt = t->event.time - now;
}

void sim_cpu_leave(struct sim_thread *t)
{
    struct cpu *c = &cpus[t->cpu];

    vacate(c, t->event.time);
    if (t != outside)
        refill(c, t->event.time);
}

void sim_cpu_outside(void)
{
    sim_cpu_leave(sim_self);
    outside = sim_self;
    sim_self->has_run = false; /* it is nowhere: no migration */
    sim_arrive_after(sim_self, 0);
    sim_leave();
}

void sim_cpu_yield(struct sim_thread *t)
{
    struct cpu *c = &cpus[t->cpu];
    uint64_t now = t->event.time;

    if (t->moves) {
        t->moves = false;
        vacate(c, now);
        refill(c, now);
        sim_cpu_arrive(t, now);
        sim_leave();
    } else if (c->waiting) {
        vacate(c, now);
        enqueue(c, t, false, now);
        refill(c, now);
        sim_leave();
    }
}

static void slice_ends(struct cpu *c, uint64_t now)
{
    struct sim_thread *t = c->current;

    if (!t || !c->waiting)
        return;
    interrupt(t, now);
    t->switches++;
    vacate(c, now);
    enqueue(c, t, false, now);
    refill(c, now);
}

static void throttle(uint64_t now)
{
    quota.throttled = true;
    for (unsigned i = 0; i < num_cpus; i++) {
        struct sim_thread *t = cpus[i].current;

        if (!t)
            continue;
        interrupt(t, now);
        vacate(&cpus[i], now);
        enqueue(&cpus[i], t, true, now);
    }
    plan_quota(now);
}

static void new_period(uint64_t now)
{
    bool was = quota.throttled;

    /* What was used beyond the limit counts in the next period. */
    quota.used = quota.used > quota.limit ? quota.used - quota.limit : 0;
    quota.began = quota.then = now;
    quota.throttled = false;
    for (unsigned i = 0; i < num_cpus && was; i++)
        if (sim_bit(all, i) && !cpus[i].current)
            refill(&cpus[i], now);
    plan_quota(now);
}

void sim_cpu_event(struct sim_event *e)
{
    if (e != &quota.event) {
        slice_ends((struct cpu *)(void *)e, e->time);
        return;
    }
    settle(e->time);
    if (e->time >= quota.began + quota.period)
        new_period(e->time);
    else
        throttle(e->time);
}

void sim_cpu_quota(uint64_t limit, uint64_t period)
{
    uint64_t now = sim_moment;

    quota.limit = limit;
    quota.period = period;
    quota.used = 0;
    if (quota.throttled)
        new_period(now);
    quota.began = quota.then = now;
    plan_quota(now);
}

uint64_t sim_cpu_quota_now(uint64_t *period)
{
    *period = quota.period;
    return quota.limit;
}

void sim_cpu_moved(struct sim_thread *t)
{
    uint64_t now = sim_moment;
    unsigned at = t->cpu;

    if (t->state == SIM_ON_CPU && !allowed(t, at)) {
        if (t == sim_self) {
            t->moves = true;
            sim_cpu_yield(t);
            return;
        }
        interrupt(t, now);
        vacate(&cpus[at], now);
        refill(&cpus[at], now);
        sim_cpu_arrive(t, now);
    } else if (t->state == SIM_READY && !allowed(t, t->queue)) {
        dequeue(&cpus[t->queue], t);
        sim_cpu_arrive(t, now);
    }
}
