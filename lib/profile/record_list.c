/* SPDX-License-Identifier: MIT */
/*
 * Lists of words. A list may have millions: a loop that spawns. Each FOLD words of a list become a node, each FOLD of these
 * nodes another one, and equal neighbours one word and a number. So a list has few words at each level, and regular ones are
 * short.
 */
#include "profile/record_build.h"

#include "base/alloc.h"

#define FOLD 32

void wsfj_record_give_up(struct wsfj_record *r, const char *why)
{
    r->is_off = true;
    if (why)
        wsfj_record_fail(why);
}

/* Room for one more. */
static bool reserve(struct wsfj_record *r, void **array, size_t n, size_t *most, size_t size)
{
    size_t more = *most ? *most * 2 : 256;
    void *memory;

    if (n < *most)
        return true;
    memory = wsfj_realloc(*array, more * size);
    if (!memory) {
        wsfj_record_give_up(r, "no memory");
        return false;
    }
    *array = memory;
    *most = more;
    return true;
}

/* The list that has the words at the end. */
static struct wsfj_record_list *with_words(struct wsfj_record *r)
{
    struct wsfj_record_list *l = wsfj_record_last(r);

    while (l->kind == WSFJ_LIST_HALF)
        l--;
    return l;
}

bool wsfj_record_open_list(struct wsfj_record *r, enum wsfj_record_list_kind kind, const void *scope)
{
    struct wsfj_record_list *l;
    void *lists = r->lists;

    if (!reserve(r, &lists, r->num_lists, &r->max_lists, sizeof *r->lists))
        return false;
    r->lists = lists;
    l = &r->lists[r->num_lists++];
    *l = (struct wsfj_record_list){.kind = kind, .scope = scope};
    for (int i = 0; i < WSFJ_LIST_LEVELS; i++)
        l->at[i] = r->num_words;
    return true;
}

/* Adds a word behind the last one, which is at `from` or later, or counts it once more. */
static bool add(struct wsfj_record *r, size_t from, uint64_t word)
{
    size_t n = r->num_words;
    bool counts = n > from && (r->words[n - 1] & WSFJ_WORD_MASK) == WSFJ_WORD_TIMES;
    void *words = r->words;

    if (n > from + counts && r->words[n - 1 - counts] == word) {
        if (counts) {
            r->words[n - 1] += (uint64_t)1 << WSFJ_WORD_BITS;
            return true;
        }
        word = wsfj_word(WSFJ_WORD_TIMES, 2);
    }
    if (!reserve(r, &words, n, &r->max_words, sizeof *r->words))
        return false;
    r->words = words;
    r->words[r->num_words++] = word;
    return true;
}

static bool node_from(struct wsfj_record *r, size_t from, uint64_t *node)
{
    bool done = wsfj_record_node(&r->words[from], r->num_words - from, node);

    r->num_words = from;
    if (!done)
        wsfj_record_give_up(r, NULL);
    return done;
}

void wsfj_record_put(struct wsfj_record *r, uint64_t word)
{
    struct wsfj_record_list *l = with_words(r);
    uint64_t node;

    if (!add(r, l->at[0], word))
        return;
    for (int i = 0; i < WSFJ_LIST_LEVELS - 1 && r->num_words - l->at[i] >= FOLD; i++) {
        if (!node_from(r, l->at[i], &node) || !add(r, l->at[i + 1], wsfj_word(WSFJ_WORD_PART, node)))
            return;
        for (int j = 0; j <= i; j++)
            l->at[j] = r->num_words;
    }
}

void wsfj_record_close_list(struct wsfj_record *r)
{
    struct wsfj_record_list l = *wsfj_record_last(r);
    uint64_t node;

    if (l.kind == WSFJ_LIST_HALF) {
        r->num_lists--;
        return;
    }
    if (!node_from(r, l.at[WSFJ_LIST_LEVELS - 1], &node))
        return;
    r->num_lists--;
    if (l.post)
        wsfj_record_posted(l.post, node, l.group);
    else if (r->num_lists == 0)
        wsfj_record_region(r->region, r->epoch, r->thread, r->in_phase, node);
    else if (l.kind == WSFJ_LIST_TASK)
        wsfj_record_put(r, l.is_detached ? wsfj_word(WSFJ_WORD_SUBMIT, l.group << WSFJ_NODE_BITS | node)
                                         : wsfj_word(WSFJ_WORD_SPAWN, node));
    else
        wsfj_record_put(r, wsfj_word(l.kind == WSFJ_LIST_LOOP ? WSFJ_WORD_LOOP : WSFJ_WORD_CALL, node));
}

size_t wsfj_record_find(const struct wsfj_record *r, const void *scope)
{
    for (size_t i = r->num_lists; i > 0; i--) {
        const struct wsfj_record_list *l = &r->lists[i - 1];

        if (l->scope == scope && l->kind != WSFJ_LIST_TASK)
            return i;
        if (l->kind == WSFJ_LIST_TASK || l->kind == WSFJ_LIST_HALF)
            return 0;
    }
    return 0;
}

void wsfj_record_close_above(struct wsfj_record *r, size_t n)
{
    while (r->num_lists > n && !r->is_off)
        wsfj_record_close_list(r);
}
