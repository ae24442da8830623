/* SPDX-License-Identifier: MIT */
/*
 * An account's builder of nodes, for the files record_*.c that make it up. What runs stands on a stack of lists: tasks, in each
 * the scopes with children since their last sync, and loops. All words of open lists stand one after the other, those of the
 * last list at the end. When a list ends, its words become a node, and the list below gets one word for it.
 */
#ifndef WSFJ_PROFILE_RECORD_BUILD_H
#define WSFJ_PROFILE_RECORD_BUILD_H

#include "profile/profile.h"
#include "profile/record.h"

#define WSFJ_LIST_LEVELS 6

enum wsfj_record_list_kind {
    WSFJ_LIST_TASK,     /* spawned or detached, or a region's first */
    WSFJ_LIST_SCOPE,    /* children since the last sync, and what runs besides */
    WSFJ_LIST_LOOP,     /* the blocks of a loop, below its halves */
    WSFJ_LIST_HALF,     /* a half of a loop: it has no words of its own */
    WSFJ_LIST_ITERATION /* a block of a loop that is not one strand */
};

struct wsfj_record_list {
    enum wsfj_record_list_kind kind;
    bool is_detached, is_entered;
    uint64_t group, post;        /* of a detached task, as in the file */
    const void *scope;           /* a scope's or a loop's own; NULL: not known, or none */
    const void *loop;            /* whose blocks these are */
    size_t at[WSFJ_LIST_LEVELS]; /* where the words of each level begin; the highest level first */
};

struct wsfj_record {
    bool is_off, in_phase;
    uint64_t region, epoch;
    unsigned thread;
    uint64_t *words;
    size_t num_words, max_words;
    struct wsfj_record_list *lists;
    size_t num_lists, max_lists;
    struct wsfj_cost *costs; /* means */
    size_t num_costs;
    uint64_t work, blocked;            /* of what is in the words, or carried */
    uint64_t carried, carried_blocked; /* lengths that are not yet in the words */
    uint64_t least;                    /* a timed strand as long as this has its own length */
    uint64_t ran;                      /* iterations of the block that ends with this strand; 0: none */
    uint64_t kept;                     /* work of strands between the halves of a loop: it counts for the next block */
    bool detaches;                     /* the child that begins next is a detached task of */
    uint64_t group, post;
    const void *divides, *divided_loop; /* the scope of a loop that is about to spawn its first half, and the loop */
};

/* record_list.c: lists and their words. A function that finds no memory ends the recording (`is_off`). */
bool wsfj_record_open_list(struct wsfj_record *r, enum wsfj_record_list_kind kind, const void *scope);
/* Adds a word to the last list that has words. */
void wsfj_record_put(struct wsfj_record *r, uint64_t word);
/* The last list ends. */
void wsfj_record_close_list(struct wsfj_record *r);
/* All lists but the first n end. */
void wsfj_record_close_above(struct wsfj_record *r, size_t n);
/* One more than the index of the list with that scope, in the task that runs; 0: there is none. */
size_t wsfj_record_find(const struct wsfj_record *r, const void *scope);
/* Recording ends; `why`: NULL if that was said. */
void wsfj_record_give_up(struct wsfj_record *r, const char *why);

static inline struct wsfj_record_list *wsfj_record_last(struct wsfj_record *r)
{
    return &r->lists[r->num_lists - 1];
}

static inline bool wsfj_record_is_loop(const struct wsfj_record_list *l)
{
    return l->kind == WSFJ_LIST_LOOP || l->kind == WSFJ_LIST_HALF;
}

/* record_strand.c: the word of a strand, with its own length if it has one, or a mean; 0 iterations: of no loop. */
void wsfj_record_put_strand(struct wsfj_account *a, enum wsfj_end end, bool is_blocked, uint64_t length,
                            bool has_length, uint64_t iterations);
/* What is carried goes into a mean. */
void wsfj_record_put_rest(struct wsfj_account *a);

/* record_loop.c: the block of a loop ends. One word, or a node for what it has called and spawned. */
void wsfj_record_put_block(struct wsfj_account *a, enum wsfj_end end, uint64_t work);
/* The scope of a loop spawns a half. */
void wsfj_record_begin_half(struct wsfj_record *r, const void *scope);

#endif
