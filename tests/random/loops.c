/* SPDX-License-Identifier: MIT */
#include "loops.h"

#include "tasks.h"
#include "ways.h"

/* What all iterations share. */
struct family {
    const struct node *nodes;
    struct place *places;
};

static WS_TASK_VOID(child, struct node, node, struct place *, place)
{
    program_check(program_run(node, place) == 0);
}

static WS_TASK_VOID(late, struct node, node, uint64_t *, out)
{
    struct place place;

    child(node, open_for(&place, node));
    *out = value_of(&place);
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

/* Each kind of loop; half of them as spawned tasks. */
static void run_loop(struct node node, struct family f, unsigned n, uint64_t parity)
{
    struct span span = none;
    uint64_t any = 0;
    int error = 0;

    ws_frame();
    switch (pick(node, 31, 12)) {
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
    default: any = ws_call(unordered, 0, (int)n, f);
    }
    way_pause(node, 32);
    ws_sync();
    program_check(error == 0);
    if (n > 0 && (pick(node, 31, 12) == 8 || pick(node, 31, 12) == 9))
        program_check(span.from == 0 && span.to == n && span.parity == parity);
    if (pick(node, 31, 12) >= 10)
        program_check(any == parity);
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

    program_spawned(&brood);
    for (int i = 0; brood.late; i++)
        ws_spawn(late, next_child(&brood), &own->late[i]);
    return sum;
}
