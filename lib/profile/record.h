/* SPDX-License-Identifier: MIT */
/*
 * WSFJ_RECORD: the series-parallel graph of a profiled program, in a file (doc/graph.md). A task's strands, children and
 * calls become words in its thread's builder (record_build.h). When the task ends, its words become a node, which equal tasks
 * share (record_table.c), and the node a line of the file (record_file.c).
 */
#ifndef WSFJ_PROFILE_RECORD_H
#define WSFJ_PROFILE_RECORD_H

#include "base/base.h"

#include <wsfj.h>
#include <wsfj/inline/strands.h>

/* A word: its kind in the low bits, its value above. WSFJ_WORD_TIMES repeats the word before it. */
enum wsfj_word_kind {
    WSFJ_WORD_WORK, /* value: a cost */
    WSFJ_WORD_BLOCK,
    WSFJ_WORD_SPAWN, /* value: a node */
    WSFJ_WORD_CALL,  /* the node's children have ended when it returns */
    WSFJ_WORD_PART,  /* the node's words stand here */
    WSFJ_WORD_LOOP,
    WSFJ_WORD_RUN,    /* value: a cost, and above it how many iterations */
    WSFJ_WORD_SUBMIT, /* value: a node, and above it a group; 0: no group */
    WSFJ_WORD_POST,   /* value: a number */
    WSFJ_WORD_WAIT,   /* value: a group */
    WSFJ_WORD_YIELD,
    WSFJ_WORD_TIMES
};
#define WSFJ_WORD_BITS 4
#define WSFJ_WORD_MASK ((1u << WSFJ_WORD_BITS) - 1)
/* Costs below this, and nodes below that. */
#define WSFJ_COST_BITS 24
#define WSFJ_NODE_BITS 32
#define WSFJ_GROUP_MOST ((1u << (64 - WSFJ_WORD_BITS - WSFJ_NODE_BITS)) - 1)

static inline uint64_t wsfj_word(enum wsfj_word_kind kind, uint64_t value)
{
    return value << WSFJ_WORD_BITS | kind;
}

/* Costs. The first ones are lengths: all whole numbers below WSFJ_COSTS_WHOLE, and eight of each further octave. The
 * others are means: one for each end of each way in which a strand begins. */
#define WSFJ_COSTS_WHOLE 256u
#define WSFJ_COSTS_LENGTHS (WSFJ_COSTS_WHOLE + (64 - 8) * 8)

/* The longest length that is not above v. */
static inline uint32_t wsfj_cost_below(uint64_t v)
{
    unsigned octave;

    if (v < WSFJ_COSTS_WHOLE)
        return (uint32_t)v;
    octave = 63 - (unsigned)__builtin_clzll(v);
    return WSFJ_COSTS_WHOLE + (octave - 8) * 8 + (uint32_t)(v >> (octave - 3) & 7);
}

static inline uint64_t wsfj_cost_length(uint32_t cost)
{
    if (cost < WSFJ_COSTS_WHOLE)
        return cost;
    cost -= WSFJ_COSTS_WHOLE;
    return (uint64_t)(8 + cost % 8) << (cost / 8 + 5);
}

/* How long strands were that have only a mean. */
struct wsfj_cost {
    uint64_t sum, count;
};

struct wsfj_account;
struct wsfj_record;

/* record_build.c: an account's builder. Begins a region, or a detached task outside of one: `epoch` comes after all that have
 * a lower one, and within it those of a thread follow each other. */
void wsfj_record_enter(struct wsfj_account *account, uint64_t epoch);
/* Its end. */
void wsfj_record_leave(struct wsfj_account *account);
/* A strand has ended. */
void wsfj_record_strand(struct wsfj_account *account, enum wsfj_end end, const struct wsfj_scope *scope, bool is_timed);
/* The child that begins next is a detached task; `post`: of wsfj_record_post(), or 0. */
void wsfj_record_detach(struct wsfj_account *account, const ws_group *group, uint64_t post);
/* A detached task is queued here, and called later. */
uint64_t wsfj_record_post(struct wsfj_account *account);
void wsfj_record_group_wait(struct wsfj_account *account, const ws_group *group);
void wsfj_record_yield(struct wsfj_account *account);
/* In the child of a fork: what the account was recording is the parent's. */
void wsfj_record_drop(struct wsfj_account *account);
void wsfj_record_free(struct wsfj_account *account);

/* record_file.c: the file. Opens it the first time. False: nothing is recorded. */
bool wsfj_record_open(bool is_child);
/* A node's number. False: recording has ended. */
bool wsfj_record_node(const uint64_t *words, size_t n, uint64_t *node);
/* Numbers, from 0 up; under no lock of the caller's. */
uint64_t wsfj_record_next_region(void);
uint64_t wsfj_record_next_post(void);
void wsfj_record_region(uint64_t number, uint64_t epoch, unsigned thread, bool in_phase, uint64_t node);
void wsfj_record_posted(uint64_t post, uint64_t node, uint64_t group); /* `group` as in WSFJ_WORD_SUBMIT */
void wsfj_record_costs(struct wsfj_cost *costs, size_t n);             /* adds them, and clears them */
/* Recording ends: one line on stderr says why. */
void wsfj_record_fail(const char *why);
/* Writes the tables and the end. In the C locale. `scale`: from lengths to the unit, which the rest is in. */
void wsfj_record_end(double scale, bool is_unit, double work, double blocked, double span);
/* At exit of a process that has recorded nothing, though it was told to. */
void wsfj_record_missed(void);
/* In the child of a fork. */
void wsfj_record_forget(void);
/* At exit, when no region runs any more. */
void wsfj_record_clear(void);

/* record_site.c: a site's number, the same for all that have file, line and task in common. */
uint32_t wsfj_record_site(const struct wsfj_site *site);

/* record_table.c: nodes by their words, in bounded memory. */
struct wsfj_node_table {
    uint64_t *words; /* of each node a head, then its words. The first word is not used */
    uint32_t *slots; /* where a node begins; 0: free */
    size_t most_words, num_words;
    unsigned slots_log;
    size_t num_nodes;
};

/* False: no memory. */
bool wsfj_node_table_init(struct wsfj_node_table *table, size_t most_words, unsigned slots_log);
void wsfj_node_table_free(struct wsfj_node_table *table);
/* The number of the node with these words. Without one, adds `number` if there is room. */
uint64_t wsfj_node_table_find(struct wsfj_node_table *table, const uint64_t *words, size_t n, uint64_t number);

#endif
