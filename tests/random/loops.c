/* SPDX-License-Identifier: MIT */
#include "loops.h"

#include "tasks.h"
#include "ways.h"

#include <string.h>

/* What all iterations share. */
struct family {
    const struct node *nodes;
    struct place *places;
};

static WS_TASK_VOID(child, struct node, node, struct place *, place)
{
    program_check(program_run(node, place) == 0);
}

static void run_child(struct family f, unsigned k)
{
    struct node node = f.nodes[k];
    struct place *place = open_for(&f.places[k], node);

    if (pick(node, 27, 3) == 0) {
        child(node, place);
    } else {
        ws_frame();
        ws_spawn(child, node, place);
        way_pause(node, 28);
        ws_sync();
    }
}

static WS_LOOP(each, unsigned, k, struct family, f)
{
    run_child(f, k);
}

/* Its children stay pending at the end of each iteration. */
static WS_LOOP_GRAIN(2, spawns_each, long, k, struct family, f)
{
    ws_spawn(child, f.nodes[k], open_for(&f.places[k], f.nodes[k]));
    way_pause(f.nodes[k], 29);
}

static WS_RANGE(ranges, signed char, from, to, struct family, f)
{
    for (signed char k = from; k < to; k++)
        ws_spawn(child, f.nodes[k], open_for(&f.places[k], f.nodes[k]));
    for (signed char k = from; k < to; k++)
        way_pause(f.nodes[k], 30);
    ws_sync();
}

static WS_LOOP_STATIC(slices, uint64_t, k, struct family, f)
{
    run_child(f, (unsigned)k);
}

/* The last row may be shorter. */
static WS_LOOP2(plane, int, i, short, j, struct family, f, int, n)
{
    int k = i * 4 + j;

    if (k < n)
        run_child(f, (unsigned)k);
}

static WS_LOOP3(box, int, i, short, j, uint64_t, l, struct family, f, int, n)
{
    int k = (i * 2 + j) * 2 + (int)l;

    if (k < n)
        run_child(f, (unsigned)k);
}

/* Intervals of children, which must be combined in order. */
struct span {
    unsigned from, to;
    uint64_t parity, pad[4];
};
static const struct span none;

static struct span unite(struct span a, struct span b)
{
    program_check(a.to == b.from && a.from < a.to && b.from < b.to);
    return (struct span){.from = a.from, .to = b.to, .parity = a.parity ^ b.parity};
}
static WS_REDUCE(struct span, none, unite, ordered, unsigned, k, struct family, f)
{
    run_child(f, k);
    return (struct span){.from = k, .to = k + 1, .parity = f.nodes[k].hash};
}
static WS_REDUCE_ANY(uint64_t, 0, WS_BIT_XOR, unordered, int, k, struct family, f)
{
    run_child(f, (unsigned)k);
    return f.nodes[k].hash;
}

/* The iterations in the order of the merges, behind what was there before. */
struct record {
    unsigned char n, k[CHILDREN + 1];
};
#define BEFORE 255

static void clear(struct record *r)
{
    memset(r, BEFORE - 1, sizeof *r);
    r->n = 0;
}

static void append(struct record *into, struct record *from)
{
    for (int i = 0; i < from->n; i++)
        into->k[into->n++] = from->k[i];
}

static bool is_in_order(const struct record *r, unsigned n)
{
    bool right = r->n == n + 1 && r->k[0] == BEFORE;

    for (unsigned i = 0; right && i < n; i++)
        right = r->k[i + 1] == i;
    return right;
}

static WS_FOLD(struct record, clear, append, recorded, struct record *, r, unsigned char, k, struct family, f)
{
    run_child(f, k);
    r->k[r->n++] = k;
}

/* Fails at iteration `first`, and at some behind it. */
static WS_TRY(attempts, short, k, struct family, f, unsigned char *, tried, unsigned, first)
{
    tried[k]++;
    run_child(f, (unsigned)k);
    return (unsigned)k == first || ((unsigned)k > first && pick(f.nodes[k], 33, 3) == 0) ? 1 + k : 0;
}

/* What has not been tried, because it is behind a failure, runs now. */
static void check_attempts(WS_TRIED(short) r, const unsigned char *tried, struct family f, unsigned n, unsigned first)
{
    const unsigned end = first < n ? first : n;

    program_check((unsigned)r.at == end && r.status == (first < n ? 1 + (int)first : 0));
    for (unsigned k = 0; k < n; k++) {
        program_check(k <= end ? tried[k] == 1 : tried[k] <= 1);
        if (!tried[k])
            run_child(f, k);
    }
}

/* Each kind of loop; half of them as spawned tasks. */
static void run_loop(struct node node, struct family f, unsigned n, uint64_t parity)
{
    const unsigned kind = pick(node, 31, 16), first = pick(node, 34, 2 * n + 1);
    struct span span = none;
    struct record record = {1, {BEFORE}};
    unsigned char tried[CHILDREN] = {0};
    WS_TRIED(short) r = {-1, -1};
    uint64_t any = 0;
    int error = 0;

    ws_frame();
    switch (kind) {
    case 0: ws_spawn(each, 0, n, f); break;
    case 1: error = ws_for(each, 0, n, f); break;
    case 2: ws_spawn(spawns_each, 0, n, f); break;
    case 3: ws_call(ranges, 0, (signed char)n, f); break;
    case 4: ws_spawn(slices, 0, n, f); break;
    case 5: ws_call(slices, 0, n, f); break;
    case 6: ws_call(plane, 0, (int)(n + 3) / 4, 0, 4, f, (int)n); break;
    case 7: ws_spawn(box, 0, (int)(n + 3) / 4, 0, 2, 0, 2, f, (int)n); break;
    case 8: ws_spawn(ordered, &span, 0, n, f); break;
    case 9: error = ws_for(ordered, &span, 0u, n, f); break;
    case 10: ws_spawn(unordered, &any, 0, (int)n, f); break;
    case 11: any = ws_call(unordered, 0, (int)n, f); break;
    case 12: ws_spawn(recorded, &record, 0, (unsigned char)n, f); break;
    case 13: error = ws_for(recorded, &record, 0, (unsigned char)n, f); break;
    case 14: ws_spawn(attempts, &r, 0, (short)n, f, tried, first); break;
    default: error = ws_for(attempts, &r, 0, (short)n, f, tried, first);
    }
    way_pause(node, 32);
    ws_sync();
    program_check(error == 0);
    if (n > 0 && (kind == 8 || kind == 9))
        program_check(span.from == 0 && span.to == n && span.parity == parity);
    if (kind == 10 || kind == 11)
        program_check(any == parity);
    if (kind == 12 || kind == 13)
        program_check(is_in_order(&record, n));
    if (kind >= 14)
        check_attempts(r, tried, f, n, first);
}

WS_TASK(uint64_t, program_loops, struct node, node, struct place *, own)
{
    struct brood brood = brood_of(node);
    struct node nodes[CHILDREN];
    struct place places[CHILDREN];
    uint64_t parity = 0;
    unsigned n = 0;

    program_work(node);
    for (; brood.children; n++) {
        nodes[n] = next_child(&brood);
        parity ^= nodes[n].hash;
    }
    brood.spawns = n;
    run_loop(node, (struct family){nodes, places}, n, parity);

    uint64_t sum = values_of(node.hash, places, n);

    WAY_SPAWN_LATE(brood, own);
    return sum;
}
