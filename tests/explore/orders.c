/* SPDX-License-Identifier: MIT */
/*
 * PROGRAM orders: weakens each memory order and leaves out each compiler fence that the program reaches, one at a time,
 * and prints what the explorer finds: "file function operation place: order -> weaker order: found" or "... not found".
 * `found` means that the order is needed. EXPLORE=full searches with wide bounds.
 */
#include "engine.h"

#include <stdio.h>
#include <string.h>

#define MOST_SITES 512

static struct noted {
    const struct engine_site *site;
    int order;
} noted[MOST_SITES];
static unsigned num_noted, program_number;
static bool on;

static bool same(const struct engine_site *a, const struct engine_site *b)
{
    return strcmp(a->function, b->function) == 0 && strcmp(a->operation, b->operation) == 0 &&
           strcmp(a->place, b->place) == 0;
}

void orders_note(struct engine_site *site, int order)
{
    if (!on || current < 0 || order == __ATOMIC_RELAXED || site->noted == program_number)
        return;
    site->noted = program_number;
    for (unsigned i = 0; i < num_noted; i++) {
        if (same(noted[i].site, site))
            return;
    }
    if (num_noted == MOST_SITES)
        search_fail("too many sites");
    else
        noted[num_noted++] = (struct noted){site, order};
}

static const char *name_of(int order)
{
    switch (order) {
    case __ATOMIC_RELAXED: return "relaxed";
    case __ATOMIC_ACQUIRE: return "acquire";
    case __ATOMIC_RELEASE: return "release";
    case __ATOMIC_ACQ_REL: return "acq_rel";
    default: return "seq_cst";
    }
}

/* The next weaker orders of an access, the weakest last; RELAXED ends the list. */
static const int *weaker_than(const struct noted *n)
{
    static const int none[] = {__ATOMIC_RELAXED}, acquire[] = {__ATOMIC_ACQUIRE, __ATOMIC_RELAXED},
                     release[] = {__ATOMIC_RELEASE, __ATOMIC_RELAXED},
                     both[] = {__ATOMIC_ACQUIRE, __ATOMIC_RELEASE, __ATOMIC_RELAXED},
                     all[] = {__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE, __ATOMIC_RELEASE, __ATOMIC_RELAXED};

    if (n->order == __ATOMIC_ACQ_REL)
        return both;
    if (n->order != __ATOMIC_SEQ_CST)
        return none;
    return strcmp(n->site->operation, "load") == 0 ? acquire : strcmp(n->site->operation, "store") == 0 ? release : all;
}

static void weaken(const struct explore_program *p, const struct noted *n, struct explore_bounds most)
{
    static struct outcome o;
    const struct engine_site *s = n->site;
    struct explore_mutant m = {"", s->function, s->operation, s->place, EXPLORE_WEAKER, 0};
    bool fence = strcmp(s->operation, "compiler fence") == 0;
    const int *weaker = weaker_than(n);
    int order;

    if (fence)
        m.wrong = EXPLORE_SKIP;
    do {
        order = fence ? __ATOMIC_RELAXED : *weaker++;
        m.value = (uint64_t)order;
        search_find(p, &m, most, &o);
        printf("%s %s %s %s: %s -> %s: %s\n", s->file, s->function, s->operation, s->place, name_of(n->order),
               name_of(order), o.failure ? "found" : "not found");
    } while (order != __ATOMIC_RELAXED);
}

void orders_of(const struct explore_program *p, struct explore_bounds most)
{
    static struct outcome o;

    num_noted = 0;
    program_number++;
    on = true;
    search_all(p, most, NULL, &o);
    on = false;
    printf("# %s\n", p->name);
    for (unsigned i = 0; i < num_noted; i++)
        weaken(p, &noted[i], most);
}
