/* SPDX-License-Identifier: MIT */
/* Nodes by their words, so that equal subtrees are written once. The memory is mapped at once and touched as nodes come.
 * When it is full, further nodes are not found again. */
#include "base/alloc.h"
#include "profile/record.h"

#include <string.h>

/* A head: the node's number, and how many words follow. */
#define HEAD_BITS 12

static size_t size_of_slots(const struct wsfj_node_table *t)
{
    return sizeof *t->slots << t->slots_log;
}

bool wsfj_node_table_init(struct wsfj_node_table *t, size_t most_words, unsigned slots_log)
{
    *t = (struct wsfj_node_table){.most_words = most_words, .num_words = 1, .slots_log = slots_log};
    t->words = wsfj_map(most_words * sizeof *t->words, PROT_READ | PROT_WRITE, MAP_NORESERVE);
    t->slots = wsfj_map(size_of_slots(t), PROT_READ | PROT_WRITE, MAP_NORESERVE);
    if (t->words && t->slots)
        return true;
    wsfj_node_table_free(t);
    return false;
}

void wsfj_node_table_free(struct wsfj_node_table *t)
{
    if (t->words)
        munmap(t->words, t->most_words * sizeof *t->words);
    if (t->slots)
        munmap(t->slots, size_of_slots(t));
    *t = (struct wsfj_node_table){0};
}

static uint64_t hash(const uint64_t *words, size_t n)
{
    uint64_t h = n;

    for (size_t i = 0; i < n; i++) {
        h = (h ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 29;
    }
    return h * UINT64_C(0xbf58476d1ce4e5b9);
}

static bool has_room(const struct wsfj_node_table *t, size_t n)
{
    return n < (size_t)1 << HEAD_BITS && t->most_words - t->num_words > n &&
           t->num_nodes < ((size_t)1 << t->slots_log) / 4 * 3;
}

uint64_t wsfj_node_table_find(struct wsfj_node_table *t, const uint64_t *words, size_t n, uint64_t number)
{
    size_t mask = ((size_t)1 << t->slots_log) - 1, i = (size_t)(hash(words, n) >> (64 - t->slots_log));

    for (; t->slots[i]; i = (i + 1) & mask) {
        const uint64_t *node = &t->words[t->slots[i]];

        if ((node[0] & (((uint64_t)1 << HEAD_BITS) - 1)) == n && memcmp(node + 1, words, n * sizeof *words) == 0)
            return node[0] >> HEAD_BITS;
    }
    if (has_room(t, n)) {
        t->slots[i] = (uint32_t)t->num_words;
        t->words[t->num_words++] = number << HEAD_BITS | n;
        memcpy(&t->words[t->num_words], words, n * sizeof *words);
        t->num_words += n;
        t->num_nodes++;
    }
    return number;
}
