/* SPDX-License-Identifier: MIT */
/*
 * Scopes in random programs. The members of a scope are a tree of tasks, a loop, or a reduction, with one leaf for each
 * child of the node. A leaf submits its child as a detached task, which is no member. So a cancellation drops leaves only, and the
 * node calls the children of the leaves that have not run after the end of the scope: its value does not depend on what
 * was dropped. A result of a dropped member is 0; all others hold the number of leaves that have run below.
 */
#include "scopes.h"

#include "../stress/stress.h"
#include "tasks.h"
#include "ways.h"

#include <time.h>

#define RESULT UINT64_C(0x7e57ab1e00000000) /* of a member that has run, without the number of leaves */
#define DEPTH 4                             /* open scopes of one node, at most */

enum { NOBODY, OWNER_FIRST, OWNER_LAST, LEAF, GUEST, CANCELLERS };

/* A child of the node. */
struct guest {
    struct node node;
    struct place place;
    struct club *cancels; /* not NULL: the scope that the detached task cancels */
    bool visited;         /* its leaf has run */
    bool sent;            /* and has submitted it */
    bool excused;         /* it need not have run: an inner scope is cancelled */
};

/* A scope and its members. */
struct club {
    struct club *outer;
    ws_scope *scope;
    ws_group *group;
    struct guest *guests;
    unsigned by, at; /* who cancels it; which leaf or guest, if it is one */
    int code;        /* and the code, which is also its depth */
    bool cancelled;
};

/* A member or a guest of the club. */
static void cancel(struct club *c)
{
    c->cancelled = true;
    program_check(ws_scope_cancel(c->scope, c->code) == 1);
    program_check(ws_scope_cancel(c->scope, c->code + DEPTH) == 0);
}

static void run_guest(void *argument)
{
    struct guest *g = argument;

    if (g->cancels)
        cancel(g->cancels);
    program_check(program_run(g->node, open_for(&g->place, g->node)) == 0);
}

static void visit(struct club *c, unsigned k)
{
    struct guest *g = &c->guests[k];

    program_check(!g->visited);
    g->visited = true;
    for (struct club *any = c; any; any = any->outer) {
        if (any->at == k && any->by == LEAF)
            cancel(any);
        if (any->at == k && any->by == GUEST)
            g->cancels = any;
    }
    g->sent = pick(g->node, 33, 8) && ws_group_submit(c->group, run_guest, g) == 0;
    if (g->sent)
        count(&program_log->submits);
    else
        g->cancels = NULL; /* it runs after the end of the scope */
}

static WS_LOOP(visit_each, unsigned, k, struct club *, c)
{
    visit(c, k);
}

/* How many leaves have run. Whatever is dropped, combine() sees only such numbers. */
static uint64_t unite(uint64_t a, uint64_t b)
{
    program_check((a & b & RESULT) == RESULT);
    return a + b - RESULT;
}
static WS_REDUCE(uint64_t, RESULT, unite, count_each, unsigned, k, struct club *, c)
{
    if (pick(c->guests[k].node, 47, 8) == 0)
        nanosleep(&(struct timespec){0, 1}, NULL); /* a loop that is known to be short does not end early */
    visit(c, k);
    return RESULT + 1;
}

static unsigned visits(const struct club *c, unsigned from, unsigned to)
{
    unsigned n = 0;

    for (; from < to; from++)
        n += c->guests[from].visited;
    return n;
}

/* Whether a scope that is not cancelled has lost none of these leaves. */
static bool all_there(const struct club *c, unsigned from, unsigned to)
{
    while (from < to && (c->guests[from].visited || c->guests[from].excused))
        from++;
    return from == to;
}

/* Of a member for these leaves, which is done. */
static void check_result(const struct club *c, uint64_t result, unsigned from, unsigned to)
{
    bool dropped = result == 0;

    program_check(result == (dropped ? 0 : RESULT) + visits(c, from, to));
    program_check(!dropped || ws_scope_cancelled(c->scope));
}

static void open_inner(struct club *outer, unsigned from, unsigned to);

static WS_TASK(uint64_t, member, struct club *, c, unsigned, from, unsigned, to)
{
    struct node first = c->guests[from].node;
    uint64_t low = 1, high;

    if (c->code < DEPTH && pick(first, 34 + (unsigned)c->code, 6) == 0) {
        open_inner(c, from, to);
    } else if (to - from == 1) {
        visit(c, from);
    } else if (pick(first, 40, 4) == 0) {
        ws_call(visit_each, from, to, c);
        program_check(all_there(c, from, to) || ws_scope_cancelled(c->scope));
    } else if (pick(first, 40, 4) == 1) {
        high = ws_call(count_each, from, to, c);
        program_check(high == RESULT + (to - from) || (high == RESULT && ws_scope_cancelled(c->scope)));
    } else {
        ws_spawn(member, &low, c, from, (from + to) / 2);
        way_pause(first, 41);
        high = ws_call(member, c, (from + to) / 2, to);
        ws_sync();
        check_result(c, low, from, (from + to) / 2);
        program_check(high == RESULT + visits(c, (from + to) / 2, to));
    }
    return RESULT + visits(c, from, to);
}

/* What ws_scope_end() returns: the scope's own code, or that of an outer one that is cancelled. */
static void check_code(const struct club *c, int code, bool outer_was_cancelled)
{
    if (c->cancelled)
        program_check(code == c->code);
    else if (code)
        program_check(c->outer && code >= 1 && code <= c->outer->code);
    else
        program_check(!outer_was_cancelled);
    program_check(ws_scope_cancelled(c->scope) == code);
}

/* Opens the scope of a club for these leaves, and ends it. */
static void meet(struct club *c, unsigned from, unsigned to)
{
    uint64_t result = 1;
    bool outer_was_cancelled;
    ws_scope scope;
    int code;

    ws_frame();
    c->scope = &scope;
    ws_scope_begin(&scope);
    if (c->by == OWNER_FIRST)
        cancel(c);
    ws_spawn(member, &result, c, from, to);
    way_pause(c->guests[from].node, 42);
    if (c->by == OWNER_LAST)
        cancel(c);
    if (c->by == GUEST) { /* it needs the scope */
        ws_sync();
        program_check(ws_group_wait(c->group) == 0);
    }
    outer_was_cancelled = c->outer && ws_scope_cancelled(c->outer->scope);
    code = ws_scope_end(&scope);
    check_result(c, result, from, to);
    check_code(c, code, outer_was_cancelled);
    program_check(code || all_there(c, from, to));
    for (unsigned k = from; k < to; k++)
        c->guests[k].excused |= code != 0;
}

/* Only one task can wait for the group, so no guest cancels an inner scope. */
static void open_inner(struct club *outer, unsigned from, unsigned to)
{
    struct club c = {outer, NULL, outer->group, outer->guests, 0, 0, outer->code + 1, false};
    struct node first = c.guests[from].node;

    c.by = pick(first, 43, GUEST);
    c.at = from + pick(first, 44, to - from);
    meet(&c, from, to);
}

WS_TASK(uint64_t, program_scopes, struct node, node, struct place *, own)
{
    struct brood brood = brood_of(node);
    struct guest guests[CHILDREN] = {0};
    ws_group group = WS_GROUP_INIT;
    struct club c = {NULL, NULL, &group, guests, pick(node, 45, CANCELLERS), 0, 1, false};
    uint64_t sum = node.hash;
    unsigned n = 0;

    program_work(node);
    for (; brood.children; n++)
        guests[n].node = next_child(&brood);
    c.at = n ? pick(node, 46, n) : 0;
    if (n)
        meet(&c, 0, n);
    for (unsigned k = 0; k < n; k++)
        if (!guests[k].sent)
            run_guest(&guests[k]);
    program_check(ws_group_wait(&group) == 0);
    for (unsigned k = 0; k < n; k++)
        sum = values_of(sum, &guests[k].place, 1);
    WAY_SPAWN_LATE(brood, own);
    return sum;
}
