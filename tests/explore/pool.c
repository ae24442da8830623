/* SPDX-License-Identifier: MIT */
/*
 * The pool's warm stacks (POOL-1): each stack has one user at a time, who finds what the last one left, and no stack is
 * lost or out of reach.
 */
#include "explore.h"

#include "task/pool.h"
#include "task/stack.h"

enum { CALL_STACK = 1024, NODES = 2, FAR = 1 };

static struct wsfj_cache caches[NODES][EXPLORE_THREADS];
static struct wsfj_stack *held[EXPLORE_THREADS];
static unsigned mapped;

/* In place of lib/task/stack.c: the same memory in each execution. */
bool wsfj_stack_map(struct wsfj_stack *s, size_t size, enum wsfj_mode mode)
{
    static _Alignas(64) char memory[EXPLORE_THREADS][CALL_STACK];

    s->memory.low = memory[mapped++];
    s->memory.size = size;
    s->deque.wsfj_mode = mode;
    explore_shared(s, sizeof *s);
    return true;
}

void wsfj_stack_unmap(struct wsfj_stack *s)
{
    (void)s;
}

void wsfj_stack_trim(struct wsfj_stack *s)
{
    (void)s;
}

void wsfj_context_renew(struct wsfj_context *context, void (*entry)(void *), void *argument)
{
    (void)context;
    (void)entry;
    (void)argument;
}

static void entry(void *argument)
{
    (void)argument;
}

static void start(unsigned stacks)
{
    mapped = 0;
    for (unsigned i = 0; i < NODES * EXPLORE_THREADS; i++)
        caches[i / EXPLORE_THREADS][i % EXPLORE_THREADS] = (struct wsfj_cache){.node = i / EXPLORE_THREADS};
    wsfj_pool_start(CALL_STACK, false, stacks, entry);
    for (unsigned i = 0; i < stacks; i++)
        held[i] = wsfj_pool_take(&caches[0][i]);
}

static void give(struct wsfj_cache *cache, struct wsfj_stack *s)
{
    s->job.runs++; /* a plain access: a race with another user of the stack, or with the last one if its give is no release */
    wsfj_pool_give(cache, s);
    wsfj_pool_flush(cache);
}

/* One free stack, the only one. */
static void start_one(void)
{
    start(1);
    give(&caches[0][0], held[0]);
}

/* Two threads have a stack each. */
static void start_two(void)
{
    start(2);
}

static void guest_of(unsigned node)
{
    struct wsfj_cache *cache = &caches[node][explore_self()];
    struct wsfj_stack *s = wsfj_pool_take(cache);

    if (s)
        give(cache, s);
}

static void guest(void)
{
    guest_of(0);
}

static void far_guest(void)
{
    guest_of(FAR);
}

static void giver(void)
{
    give(&caches[0][explore_self()], held[explore_self()]);
}

/* A worker of the other node gets all stacks, each once. */
static void check(unsigned stacks)
{
    struct wsfj_cache last = {.node = FAR};
    struct wsfj_stack *s[2] = {NULL, NULL};

    for (unsigned i = 0; i < stacks; i++)
        s[i] = wsfj_pool_take(&last);
    explore_must(s[stacks - 1] != NULL, "a stack is lost");
    explore_must(s[0] != s[1], "a stack is there twice");
    explore_must(!wsfj_pool_take(&last), "a stack too many");
}

static void check_one(void)
{
    check(1);
}

static void check_two(void)
{
    check(2);
}

static const struct explore_mutant taken[] = {
    {"a warm stack is taken in two steps (POOL-1)", "take_warm", "exchange", "&warm[node].stack", EXPLORE_SPLIT, 0},
    {"a warm stack is taken without an acquire (POOL-1)", "take_warm", "exchange", "&warm[node].stack", EXPLORE_WEAKER,
     __ATOMIC_RELEASE},
    {"a warm stack is given without a release (POOL-1)", "give_warm", "cas", "slot", EXPLORE_WEAKER, __ATOMIC_ACQUIRE},
    {NULL}};

static const struct explore_mutant given[] = {
    {"a warm stack is given in two steps (POOL-1)", "give_warm", "cas", "slot", EXPLORE_SPLIT, 0},
    {NULL}};

static const struct explore_program programs[] = {
    {"one stack, three guests", start_one, {guest, guest, guest}, check_one, {2, 1}, {4, 2}, taken},
    {"one stack, a guest of another node", start_one, {guest, far_guest}, check_one, {2, 1}, {4, 2}, taken},
    {"two stacks are given back", start_two, {giver, giver, guest}, check_two, {2, 1}, {4, 2}, given},
    {NULL}};

int main(int argc, char **argv)
{
    return explore_main(argc, argv, programs);
}
