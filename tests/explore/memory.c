/* SPDX-License-Identifier: MIT */
/*
 * What loads return: C11's atomics as a machine. Each location keeps the messages written to it, in order. A load may
 * return any message that is not older than what its thread knows of the location; so a store may pass later loads,
 * other threads may see stores in another order, and a load may be early. A release message carries what its writer
 * knew, and an acquire load learns it. An exchange reads the newest message and passes on what that message carried. A
 * sequentially consistent load reads no older message than the last sequentially consistent store to the location.
 *
 * A compiler fence is where a heavy barrier may find the thread: the barrier publishes everything that each thread
 * wrote before its last fence (or before an exchange, or a sequentially consistent operation).
 *
 * Not modelled, as in most such machines: a load that returns a value written only later, and a store ordered before an
 * earlier store.
 */
#include "location.h"

#include <string.h>

struct view views[EXPLORE_THREADS];
static uint16_t fenced[EXPLORE_THREADS][EXPLORE_LOCATIONS]; /* seen at the last compiler fence */

static bool acquires(int order)
{
    return order == __ATOMIC_ACQUIRE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

static bool releases(int order)
{
    return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

enum change { STORE, EXCHANGE, ADD, OR, AND };

/* What EXPLORE_LATE has put off. */
static struct late {
    unsigned wait; /* for so many operations of the thread; 0: nothing is put off */
    volatile void *p;
    size_t size;
    enum change how;
    uint64_t value;
    int order;
} late[EXPLORE_THREADS];

void memory_begin(void)
{
    memset(late, 0, sizeof late);
    memset(views, 0, sizeof views);
    memset(fenced, 0, sizeof fenced);
    for (int i = 0; i < EXPLORE_THREADS; i++)
        views[i].clock[i] = 1;
}

void view_join(struct view *to, const struct view *from)
{
    for (int i = 0; i < EXPLORE_THREADS; i++)
        to->clock[i] = from->clock[i] > to->clock[i] ? from->clock[i] : to->clock[i];
    for (unsigned i = 0; i < location_count(); i++)
        to->seen[i] = from->seen[i] > to->seen[i] ? from->seen[i] : to->seen[i];
}

void view_release(struct view *to)
{
    view_join(to, &views[current]);
    views[current].clock[current]++;
}

static void learn(const struct message *m, int order)
{
    if (m->carries && acquires(order))
        view_join(&views[current], &m->view);
}

/* A heavy barrier finds everything above done. */
static void fence_compiler(void)
{
    memcpy(fenced[current], views[current].seen, sizeof fenced[current]);
}

static uint64_t read_newest(struct location *l, int order)
{
    const struct message *m = &l->message[l->n - 1];

    views[current].seen[location_index(l)] = (uint16_t)(l->n - 1);
    learn(m, order);
    return m->value;
}

static uint64_t read_any(const struct engine_site *site, struct location *l, int order)
{
    uint16_t *seen = &views[current].seen[location_index(l)];
    uint16_t oldest = order == __ATOMIC_SEQ_CST && l->last_seq > *seen ? l->last_seq : *seen;
    unsigned newest = l->n - 1u, older = 0;

    if (newest > oldest)
        older = search_choose(l->shared && budget.stale, STALE, newest - oldest + 1u);
    budget.stale -= older > 0;
    *seen = (uint16_t)(newest - older);

    const struct message *m = &l->message[newest - older];

    search_trace(site, "-> %#llx%s", (unsigned long long)m->value, older ? " (stale)" : "");
    learn(m, order);
    return m->value;
}

static void write_message(struct location *l, uint64_t value, int order, const struct message *before)
{
    struct message *m = location_append(l, value);

    if (before && before->carries) {
        m->carries = true;
        m->view = before->view;
    }
    if (releases(order)) {
        if (!m->carries)
            memset(&m->view, 0, sizeof m->view);
        m->carries = true;
        view_release(&m->view);
    }
    if (order == __ATOMIC_SEQ_CST)
        l->last_seq = (uint16_t)(l->n - 1);
    if (before || order == __ATOMIC_SEQ_CST)
        fence_compiler();
}

static int weaker(const struct explore_mutant *m, int order)
{
    return m && m->wrong == EXPLORE_WEAKER ? (int)m->value : order;
}

static bool is(const struct explore_mutant *m, enum explore_wrong wrong)
{
    return m && m->wrong == wrong;
}

static uint64_t changed(enum change how, uint64_t was, uint64_t value)
{
    switch (how) {
    case ADD: return was + value;
    case OR: return was | value;
    case AND: return was & value;
    default: return value;
    }
}

/* A store; or reads the newest value and writes in one step, with `split` in two. Returns the value before. */
static uint64_t apply(const struct engine_site *site, const struct late *o, bool split)
{
    struct location *l = location_access(o->p, o->size, true);
    struct message *before = &l->message[l->n - 1];
    uint64_t was = o->how == STORE ? 0 : read_newest(l, o->order), value = changed(o->how, was, o->value);

    if (o->how == STORE)
        search_trace(site, "= %#llx", (unsigned long long)value);
    else
        search_trace(site, "%#llx = %#llx", (unsigned long long)was, (unsigned long long)value);
    if (split)
        l = location_access(o->p, o->size, true);
    write_message(l, value, o->order, split || o->how == STORE ? NULL : before);
    return was;
}

/* Counts an operation of the current thread, and carries out what was put off until now. */
static void end_wait(void)
{
    struct late *o = &late[current];

    if (o->wait && --o->wait == 0)
        (void)apply(NULL, o, false);
}

/* Finds the mutant. An operation of a thread begins. */
static const struct explore_mutant *enter(struct engine_site *site, int order)
{
    orders_note(site, order);
    if (current >= 0)
        end_wait();
    return search_mutant(site);
}

uint64_t engine_load(struct engine_site *site, const volatile void *p, size_t size, int order)
{
    const struct explore_mutant *m = enter(site, order);

    if (current < 0)
        return location_peek(p, size);
    if (is(m, EXPLORE_VALUE) || is(m, EXPLORE_SKIP))
        return m->value;
    return read_any(site, location_access(p, size, false), weaker(m, order));
}

static uint64_t change(struct engine_site *site, volatile void *p, size_t size, enum change how, uint64_t value,
                       int order)
{
    const struct explore_mutant *m = enter(site, order);

    if (current < 0) {
        uint64_t was = location_peek(p, size);

        value = changed(how, was, value);
        memcpy((void *)(uintptr_t)p, &value, size);
        return was;
    }
    if (is(m, EXPLORE_SKIP))
        return location_peek(p, size);

    struct late o = {0, p, size, how, is(m, EXPLORE_VALUE) ? m->value : value, weaker(m, order)};

    if (!is(m, EXPLORE_LATE))
        return apply(site, &o, is(m, EXPLORE_SPLIT));
    o.wait = (unsigned)m->value + 1;
    late[current] = o;
    return location_peek(p, size);
}

void engine_store(struct engine_site *site, volatile void *p, size_t size, uint64_t value, int order)
{
    (void)change(site, p, size, STORE, value, order);
}

uint64_t engine_exchange(struct engine_site *site, volatile void *p, size_t size, uint64_t value, int order)
{
    return change(site, p, size, EXCHANGE, value, order);
}

uint64_t engine_add(struct engine_site *site, volatile void *p, size_t size, uint64_t value, int order)
{
    return change(site, p, size, ADD, value, order);
}

uint64_t engine_or(struct engine_site *site, volatile void *p, size_t size, uint64_t value, int order)
{
    return change(site, p, size, OR, value, order);
}

uint64_t engine_and(struct engine_site *site, volatile void *p, size_t size, uint64_t value, int order)
{
    return change(site, p, size, AND, value, order);
}

bool engine_cas(struct engine_site *site, volatile void *p, size_t size, uint64_t *expected, uint64_t value, int order,
                int failure)
{
    const struct explore_mutant *m = enter(site, order);

    if (current < 0 && location_peek(p, size) != *expected) {
        *expected = location_peek(p, size);
        return false;
    }
    if (current < 0)
        memcpy((void *)(uintptr_t)p, &value, size);
    if (current < 0 || is(m, EXPLORE_SKIP))
        return true;

    struct location *l = location_access(p, size, true);
    struct message *before = &l->message[l->n - 1];
    bool same = before->value == *expected;

    search_trace(site, "%#llx: %s %#llx", (unsigned long long)before->value, same ? "=" : "not",
                 (unsigned long long)value);
    *expected = read_newest(l, weaker(m, same ? order : failure));
    if (same && is(m, EXPLORE_SPLIT))
        write_message(location_access(p, size, true), value, order, NULL);
    else if (same)
        write_message(l, value, weaker(m, order), before);
    return same;
}

void engine_compiler_fence(struct engine_site *site)
{
    orders_note(site, __ATOMIC_SEQ_CST);
    if (current >= 0 && !is(search_mutant(site), EXPLORE_SKIP))
        fence_compiler();
}

void memory_heavy_barrier(void)
{
    uint16_t all[EXPLORE_LOCATIONS];

    fence_compiler();
    memset(all, 0, sizeof all);
    for (int t = 0; t < EXPLORE_THREADS; t++) {
        for (unsigned i = 0; i < location_count(); i++)
            all[i] = fenced[t][i] > all[i] ? fenced[t][i] : all[i];
    }
    for (int t = 0; t < EXPLORE_THREADS; t++) {
        for (unsigned i = 0; i < location_count(); i++)
            views[t].seen[i] = all[i] > views[t].seen[i] ? all[i] : views[t].seen[i];
    }
}

/* The thread learns the newest value of every location, and nothing else. True if one of them was new to it. */
bool memory_freshen(int t)
{
    bool news = false;

    for (unsigned i = 0; i < location_count(); i++) {
        uint16_t newest = location_newest(i);

        if (views[t].seen[i] < newest) {
            views[t].seen[i] = newest;
            news = true;
        }
    }
    return news;
}
