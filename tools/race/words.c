/* SPDX-License-Identifier: MIT */
/* Finds words for a race: what it is, where, and the spawns on the way to both accesses. */
#define _GNU_SOURCE
#include "report.h"

#include <wsfj/inline/race_hooks.h>

#include <string.h>

static struct place place_of(uintptr_t pc)
{
    const struct place *places;

    (void)race_places(pc, &places);
    return places[0];
}

/* Of what is inlined there, the first that is not in the headers. */
static struct place users_place_of(uintptr_t pc)
{
    const struct place *places;
    const size_t n = race_places(pc, &places);

    for (size_t i = 0; i < n; i++)
        if (places[i].file && !strstr(places[i].file, "wsfj/inline/") && !strstr(places[i].file, "wsfj.hpp"))
            return places[i];
    return places[0];
}

static void add_step(struct side *side, const char *what, const struct wsfj_site *site, uintptr_t pc)
{
    struct step s = {what, site ? site->wsfj_task : NULL, {NULL, NULL, 0, 0, 0}, 1}, *last;

    if (site && site->wsfj_line) {
        s.at.file = race_relative(site->wsfj_file);
        s.at.line = site->wsfj_line;
    } else {
        s.at = users_place_of(pc);
        s.task = site ? site->wsfj_task : s.at.function;
    }
    last = side->n_steps ? &side->steps[side->n_steps - 1] : NULL;
    if (last && last->what == s.what && last->at.line == s.at.line && last->at.file && s.at.file &&
        strcmp(last->at.file, s.at.file) == 0)
        last->times++;
    else if (side->n_steps < MOST_STEPS)
        side->steps[side->n_steps++] = s;
    else
        side->cut = 1;
}

static const char CHILD[] = "child", LOOP[] = "iteration of loop", SUBMITTED[] = "submitted task";

static const char *what_is(const struct wsfj_spawned *s)
{
    return s->wsfj_loop ? LOOP : s->wsfj_site ? CHILD : SUBMITTED;
}

/* The spawns around an access, from `s` outwards. */
static void add_chain(struct side *side, const struct wsfj_spawned *s)
{
    for (; s; s = s->wsfj_outer)
        add_step(side, what_is(s), s->wsfj_site, s->wsfj_pc);
}

static int of_loop(const struct interval *in)
{
    const struct wsfj_spawned *s = race.inner;

    while (s && (const void *)s != in->owner)
        s = s->wsfj_outer;
    return s != NULL;
}

/* The innermost active child around the interval: the task that has spawned it, which runs still. */
static const struct wsfj_spawned *around(const struct interval *in)
{
    const struct wsfj_spawned *s = race.inner;

    while (s && ((const void *)s == in->owner || s->wsfj_begun > in->start))
        s = s->wsfj_outer;
    return s;
}

/* The child in which the later access is, if it has the same parent; NULL: it is in the parent's own code. */
static const struct wsfj_spawned *sibling(const struct conflict *c)
{
    const struct wsfj_spawned *s, *found = NULL;

    for (s = race.inner; s && s->wsfj_begun >= c->in->end; s = s->wsfj_outer)
        found = s;
    return found;
}

static void fill_side(struct side *side, uint32_t context, enum kind kind)
{
    side->kind = kind;
    side->flags = race_context_flags(context);
    side->at = place_of(race_context_pc(context));
}

static const char *verb(const struct side *side)
{
    return side->flags & WAS_FREE ? "frees" : side->kind == WRITE ? "writes" : "reads";
}

static int is_result(const struct side *side)
{
    return side->kind == WRITE && side->at.stores_result;
}

static const char *name_of(const struct interval *in)
{
    const char *submitted;

    if (in->site)
        return in->site->wsfj_task;
    submitted = place_of(in->pc).function;
    return submitted ? submitted : "a task";
}

static void find_title(struct report *r, const struct conflict *c)
{
    const char *child = name_of(c->in);
    const int loop = r->earlier.n_steps && r->earlier.steps[0].what == LOOP;
    const struct wsfj_spawned *s = c->ended ? NULL : sibling(c);

#define TITLE(...) (void)snprintf(r->title, sizeof r->title, __VA_ARGS__)
    if (c->ended)
        TITLE("%s returned without ws_sync: child %s keeps a dead local, which it %s", c->ended->wsfj_task, child,
              verb(&r->earlier));
    else if (r->later.flags & WAS_FREE)
        TITLE("free of what %s %s %s", loop ? "an earlier iteration of" : "child", child, verb(&r->earlier));
    else if (r->earlier.flags & WAS_FREE)
        TITLE("%s of what %s %s frees", r->later.kind == WRITE ? "write" : "read",
              loop ? "an earlier iteration of" : "child", child);
    else if (is_result(&r->earlier) && !s)
        TITLE("result of %s %s before ws_sync", child, r->later.kind == WRITE ? "written" : "read");
    else if (is_result(&r->earlier) && is_result(&r->later))
        TITLE("two children store their results in one variable");
    else if (race_on_stack(c->address) && s && s->wsfj_owner == c->in->owner && !loop)
        TITLE("two children keep one local variable until ws_sync, or a dead one of a block that is left or repeats");
    else
        TITLE("%s and %s", r->earlier.kind == WRITE ? "write" : "read", r->later.kind == WRITE ? "write" : "read");
#undef TITLE
}

static void find_location(struct report *r, const struct conflict *c)
{
    uintptr_t offset = 0;
    const char *name = race_on_stack(c->address) ? NULL : race_variable(c->address, &offset);

    if (race_on_stack(c->address))
        (void)snprintf(r->location, sizeof r->location, "the stack");
    else if (!name)
        (void)snprintf(r->location, sizeof r->location, "the heap");
    else if (offset)
        (void)snprintf(r->location, sizeof r->location, "%s + %lu", name, (unsigned long)offset);
    else
        (void)snprintf(r->location, sizeof r->location, "%s", name);
}

void race_fill(struct report *r, const struct conflict *c)
{
    const uintptr_t *pcs;
    uintptr_t here[MOST_STACK];
    size_t n = race_stack_here(here, MOST_STACK);

    r->size = c->size;
    fill_side(&r->earlier, c->earlier, c->earlier_kind);
    add_step(&r->earlier, of_loop(c->in) ? LOOP : c->in->site ? CHILD : SUBMITTED, c->in->site, c->in->pc);
    add_chain(&r->earlier, around(c->in));
    r->has_later = !c->ended;
    if (r->has_later)
        fill_side(&r->later, c->later, c->later_kind);
    add_chain(&r->later, race.inner);
    race_stack_places(&r->later, here, n);
    n = race_stack_of(c->earlier_time, c->earlier, &pcs);
    race_stack_places(&r->earlier, pcs, n);
    find_title(r, c);
    find_location(r, c);
}
