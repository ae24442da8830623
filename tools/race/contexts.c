/* SPDX-License-Identifier: MIT */
/*
 * Contexts: what a cell says of an access in 32 bits. Mostly the place in the program, as a distance from its begin. With a
 * lock, a flag, or in a shared library, it is the number of an entry of a table, with the highest bit set. The bit below says
 * that the task had a view (views.c).
 */
#include "detector.h"

#define INTERNED UINT32_C(0x80000000)
#define NUMBER (HAS_VIEW - 1)

struct context {
    uintptr_t pc;
    uint32_t locks, flags;
};

enum { FIRST_BITS = 12 };

static struct context *contexts;
static uint32_t *table, n_contexts, table_bits;

static uint32_t *slot_of(const struct context *c)
{
    uint64_t h = ((uint64_t)c->pc ^ (uint64_t)c->locks << 40 ^ (uint64_t)c->flags << 60) * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t i = (uint32_t)(h >> (64 - table_bits));

    for (;; i = (i + 1) & ((1u << table_bits) - 1)) {
        const struct context *at = &contexts[table[i]];

        if (!table[i] || (at->pc == c->pc && at->locks == c->locks && at->flags == c->flags))
            return &table[i];
    }
}

/* The old table stays mapped: it is half as large as the next one. */
static void grow(void)
{
    if (!contexts)
        contexts = race_map(sizeof *contexts << 28);
    table_bits = table_bits ? table_bits + 1 : FIRST_BITS;
    table = race_map(sizeof *table << table_bits);
    for (uint32_t i = 1; i <= n_contexts; i++)
        *slot_of(&contexts[i]) = i;
}

COLD uint32_t race_context_make(uintptr_t pc, uint32_t locks, uint32_t flags)
{
    static struct context last;
    static uint32_t last_number;
    const struct context c = {pc, locks, flags};
    uint32_t *slot;

    if (last_number && last.pc == pc && last.locks == locks && last.flags == flags)
        return last_number | INTERNED;
    if (n_contexts + 1 >= (table_bits ? 1u << (table_bits - 1) : 0))
        grow();
    slot = slot_of(&c);
    if (!*slot) {
        contexts[++n_contexts] = c;
        *slot = n_contexts;
    }
    last = c;
    last_number = *slot;
    return *slot | INTERNED;
}

uintptr_t race_context_pc(uint32_t context)
{
    return context & INTERNED ? contexts[context & NUMBER].pc : race.base + (context & NUMBER);
}

uint32_t race_context_locks(uint32_t context)
{
    return context & INTERNED ? contexts[context & NUMBER].locks : 0;
}

uint32_t race_context_flags(uint32_t context)
{
    return context & INTERNED ? contexts[context & NUMBER].flags : 0;
}
