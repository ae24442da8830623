/* SPDX-License-Identifier: MIT */
/*
 * An account's builder of nodes. What runs stands on a stack of lists: tasks, in each the scopes with children since
 * their last sync, and loops. All words of open lists stand one after the other, those of the last list at the end.
 * When a list ends, its words become a node, and the list below gets one word for it.
 *
 * A list may have millions of words: a loop that spawns. Each FOLD of them become a node, each FOLD of these nodes
 * another one, and equal neighbours one word and a number. So a list has few words at each level, and regular ones are
 * short.
 *
 * A strand that was timed and is long has its own length, of few different ones, which never exceeds what has passed;
 * the rest is carried on to the next such strand, and at the end to a mean. All other strands have a mean, so that the
 * sum over all words is exactly the work.
 *
 * The halves of a loop are no tasks here: its blocks stand in one list, in index order (WSFJ_WORD_RUN).
 */
#include "profile/record.h"

#include "base/alloc.h"
#include "profile/profile.h"

#include <string.h>

#define LONG_NS 1000
#define FOLD 32
#define LEVELS 6

enum kind {
    TASK,     /* spawned or detached, or a region's first */
    SCOPE,    /* children since the last sync, and what runs besides */
    LOOP,     /* the blocks of a loop, below its halves */
    HALF,     /* a half of a loop: it has no words of its own */
    ITERATION /* a block of a loop that is not one strand */
};

struct list {
    enum kind kind;
    bool is_detached, is_entered;
    uint64_t group, post; /* of a detached task, as in the file */
    const void *scope;    /* a scope's or a loop's own; NULL: not known, or none */
    const void *loop;     /* whose blocks these are */
    size_t at[LEVELS];    /* where the words of each level begin; the highest level first */
};

struct wsfj_record {
    bool is_off;
    uint64_t region, epoch;
    uint64_t *words;
    size_t num_words, max_words;
    struct list *lists;
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

static unsigned num_threads;
static __thread unsigned own_thread; /* 0: it has no number yet */

static void give_up(struct wsfj_record *r, const char *why)
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
        give_up(r, "no memory");
        return false;
    }
    *array = memory;
    *most = more;
    return true;
}

static struct list *last(struct wsfj_record *r)
{
    return &r->lists[r->num_lists - 1];
}

/* The list that has the words at the end. */
static struct list *with_words(struct wsfj_record *r)
{
    struct list *l = last(r);

    while (l->kind == HALF)
        l--;
    return l;
}

static bool open_list(struct wsfj_record *r, enum kind kind, const void *scope)
{
    struct list *l;
    void *lists = r->lists;

    if (!reserve(r, &lists, r->num_lists, &r->max_lists, sizeof *r->lists))
        return false;
    r->lists = lists;
    l = &r->lists[r->num_lists++];
    *l = (struct list){.kind = kind, .scope = scope};
    for (int i = 0; i < LEVELS; i++)
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
        give_up(r, NULL);
    return done;
}

static void put(struct wsfj_record *r, uint64_t word)
{
    struct list *l = with_words(r);
    uint64_t node;

    if (!add(r, l->at[0], word))
        return;
    for (int i = 0; i < LEVELS - 1 && r->num_words - l->at[i] >= FOLD; i++) {
        if (!node_from(r, l->at[i], &node) || !add(r, l->at[i + 1], wsfj_word(WSFJ_WORD_PART, node)))
            return;
        for (int j = 0; j <= i; j++)
            l->at[j] = r->num_words;
    }
}

/* The last list ends. */
static void close_list(struct wsfj_record *r)
{
    struct list l = *last(r);
    uint64_t node;

    if (l.kind == HALF) {
        r->num_lists--;
        return;
    }
    if (!node_from(r, l.at[LEVELS - 1], &node))
        return;
    r->num_lists--;
    if (l.post)
        wsfj_record_posted(l.post, node, l.group);
    else if (r->num_lists == 0)
        wsfj_record_region(r->region, r->epoch, own_thread, node);
    else if (l.kind == TASK)
        put(r, l.is_detached ? wsfj_word(WSFJ_WORD_SUBMIT, l.group << WSFJ_NODE_BITS | node)
                             : wsfj_word(WSFJ_WORD_SPAWN, node));
    else
        put(r, wsfj_word(l.kind == LOOP ? WSFJ_WORD_LOOP : WSFJ_WORD_CALL, node));
}

/* One more than the index of the list with that scope, in the task that runs; 0: there is none. */
static size_t find(const struct wsfj_record *r, const void *scope)
{
    for (size_t i = r->num_lists; i > 0; i--) {
        const struct list *l = &r->lists[i - 1];

        if (l->scope == scope && l->kind != TASK)
            return i;
        if (l->kind == TASK || l->kind == HALF)
            return 0;
    }
    return 0;
}

static void close_above(struct wsfj_record *r, size_t n)
{
    while (r->num_lists > n && !r->is_off)
        close_list(r);
}

/* A length for a strand that took `length`: at most that and what is carried. */
static uint32_t take_length(uint64_t length, uint64_t unit, uint64_t *carried)
{
    uint32_t cost = wsfj_cost_below(length / unit);

    *carried += length;
    if (wsfj_cost_length(cost + 1) * unit <= *carried && wsfj_cost_length(cost) * unit != length)
        cost++;
    *carried -= wsfj_cost_length(cost) * unit;
    return cost;
}

static bool has_cost(struct wsfj_record *r, size_t cost)
{
    size_t more = r->num_costs ? r->num_costs : 64;
    struct wsfj_cost *costs;

    if (cost < r->num_costs)
        return true;
    while (more <= cost)
        more *= 2;
    costs = wsfj_realloc(r->costs, more * sizeof *costs);
    if (!costs) {
        give_up(r, "no memory");
        return false;
    }
    memset(&costs[r->num_costs], 0, (more - r->num_costs) * sizeof *costs);
    r->costs = costs;
    r->num_costs = more;
    return true;
}

/* The mean of the strands that begin in one way and end in one way. */
static uint32_t take_mean(struct wsfj_record *r, uint32_t id, enum wsfj_end end, uint64_t length)
{
    size_t cost = (size_t)id * WSFJ_ENDS + end;

    if (!has_cost(r, cost))
        return 0;
    r->costs[cost].sum += length;
    r->costs[cost].count++;
    return (uint32_t)(WSFJ_COSTS_LENGTHS + cost);
}

/* The word of a strand; 0 iterations: of no loop. */
static void put_strand(struct wsfj_account *a, enum wsfj_end end, bool is_blocked, uint64_t length, bool has_length,
                       uint64_t iterations)
{
    struct wsfj_record *r = a->record;
    uint64_t unit = a->profile.wsfj_unit ? WSFJ_PROFILE_TICK : 1,
             *carried = is_blocked ? &r->carried_blocked : &r->carried;
    uint32_t cost;

    if (a->profile.wsfj_unit && length == 0 && iterations == 0)
        return;
    if (a->profile.wsfj_unit || (has_length && length >= r->least))
        cost = take_length(length, unit, carried);
    else
        cost = take_mean(r, a->profile.wsfj_now->wsfj_id, end, length);
    if (r->is_off)
        return;
    if (iterations)
        put(r, wsfj_word(WSFJ_WORD_RUN, iterations << WSFJ_COST_BITS | cost));
    else
        put(r, wsfj_word(is_blocked ? WSFJ_WORD_BLOCK : WSFJ_WORD_WORK, cost));
}

/* The block of a loop ends: one word, or a node for what it has called and spawned. */
static void put_block(struct wsfj_account *a, enum wsfj_end end, uint64_t work)
{
    struct wsfj_record *r = a->record;
    uint64_t iterations = r->ran;

    r->ran = 0;
    if (last(r)->kind == ITERATION) {
        put_strand(a, end, false, work, true, 0);
        close_list(r);
        if (!r->is_off)
            put(r, wsfj_word(WSFJ_WORD_RUN, iterations << WSFJ_COST_BITS));
    } else {
        put_strand(a, end, false, work, true, iterations);
    }
}

static bool is_loop(const struct list *l)
{
    return l->kind == LOOP || l->kind == HALF;
}

/* The strand's length since the last one, as words. */
static void put_lengths(struct wsfj_account *a, enum wsfj_end end, bool is_timed)
{
    struct wsfj_record *r = a->record;
    uint64_t work = a->profile.wsfj_work - r->work, blocked = a->profile.wsfj_blocked - r->blocked;

    r->work += work;
    r->blocked += blocked;
    if (blocked || a->blocking)
        put_strand(a, end, true, blocked, is_timed, 0);
    if (r->is_off || (a->blocking && !work))
        return;
    work += r->kept;
    r->kept = 0;
    if (r->ran)
        put_block(a, end, work);
    else if (is_loop(last(r)))
        r->kept = work;
    else
        put_strand(a, end, false, work, is_timed, 0);
}

static void begin_half(struct wsfj_record *r, const void *scope)
{
    if (r->divides == scope) {
        if (!open_list(r, LOOP, scope))
            return;
        last(r)->loop = r->divided_loop;
        r->divides = NULL;
    }
    if (open_list(r, HALF, NULL))
        last(r)->loop = r->lists[r->num_lists - 2].loop;
}

static void begin_child(struct wsfj_record *r, const void *scope)
{
    size_t n = r->detaches ? 0 : find(r, scope);

    if (!r->detaches) {
        if (n)
            close_above(r, n);
        else if (!open_list(r, SCOPE, scope))
            return;
    }
    if (r->is_off || !open_list(r, TASK, NULL))
        return;
    last(r)->is_detached = r->detaches;
    last(r)->group = r->detaches ? r->group : 0;
    last(r)->post = r->detaches ? r->post : 0;
    r->detaches = false;
}

static void end_child(struct wsfj_record *r)
{
    size_t n = r->num_lists;

    while (n > 1 && r->lists[n - 1].kind != TASK && r->lists[n - 1].kind != HALF)
        n--;
    if (n > 1)
        close_above(r, n - 1);
}

static void sync_scope(struct wsfj_record *r, const void *scope)
{
    size_t n = find(r, scope);

    if (n && r->lists[n - 1].kind != HALF)
        close_above(r, n - 1);
}

void wsfj_record_strand(struct wsfj_account *a, enum wsfj_end end, const struct wsfj_scope *scope, bool is_timed)
{
    struct wsfj_record *r = a->record;
    bool spawns = scope && end == WSFJ_END_SPAWN, halves;

    if (r->is_off)
        return;
    halves = spawns && !r->detaches && is_loop(last(r)) && last(r)->scope == scope;
    if (spawns && !halves && is_loop(last(r)) && !open_list(r, ITERATION, NULL))
        return;
    put_lengths(a, end, is_timed);
    if (!scope || r->is_off)
        return;
    if (spawns && (halves || (!r->detaches && r->divides == scope)))
        begin_half(r, scope);
    else if (spawns)
        begin_child(r, scope);
    else if (end == WSFJ_END_CHILD)
        end_child(r);
    else
        sync_scope(r, scope);
}

/* A task of a loop begins: as a half of the loop that runs, or as a loop, if it is going to spawn. */
WSFJ_EXPORT void wsfj_profile_loop(struct wsfj_scope *scope, const void *loop, int divides)
{
    struct wsfj_record *r = wsfj_account_of(scope->wsfj_profile)->record;
    struct list *l;

    if (!r || r->is_off)
        return;
    l = last(r);
    if (l->kind == HALF && l->loop == loop && !l->is_entered) {
        l->is_entered = true;
        l->scope = scope;
    } else if (divides) {
        r->divides = scope;
        r->divided_loop = loop;
    }
}

/* The task's block has run. */
WSFJ_EXPORT void wsfj_profile_loop_ran(struct wsfj_scope *scope, uint64_t n)
{
    struct wsfj_record *r = wsfj_account_of(scope->wsfj_profile)->record;
    struct list *l;

    if (!r || r->is_off)
        return;
    r->divides = NULL;
    l = last(r);
    if (l->kind == ITERATION)
        l--;
    if (is_loop(l) && l->scope == scope)
        r->ran = n < (uint64_t)1 << 36 ? n : ((uint64_t)1 << 36) - 1;
}

void wsfj_record_detach(struct wsfj_account *a, const ws_group *group, uint64_t post)
{
    struct wsfj_record *r = a->record;
    uint64_t number;

    if (!r || r->is_off)
        return;
    number = group ? wsfj_record_group(group) : 0;
    if (number == WSFJ_GROUP_MOST) {
        give_up(r, "too many groups");
        return;
    }
    r->detaches = true;
    r->group = group ? number + 1 : 0;
    r->post = post;
}

/* A word between strands: what the strand has done so far stands behind it. */
static void put_between(struct wsfj_record *r, uint64_t word)
{
    if (is_loop(last(r)) && !open_list(r, ITERATION, NULL))
        return;
    put(r, word);
}

uint64_t wsfj_record_post(struct wsfj_account *a)
{
    uint64_t number;

    if (!a->record || a->record->is_off)
        return 0;
    number = wsfj_record_next_post();
    put_between(a->record, wsfj_word(WSFJ_WORD_POST, number));
    return number;
}

void wsfj_record_group_wait(struct wsfj_account *a, const ws_group *group)
{
    uint64_t number;

    if (!a->record || a->record->is_off)
        return;
    number = wsfj_record_group(group);
    if (number == WSFJ_GROUP_MOST) {
        give_up(a->record, "too many groups");
        return;
    }
    put_between(a->record, wsfj_word(WSFJ_WORD_WAIT, number));
    wsfj_record_group_ends(group);
}

void wsfj_record_yield(struct wsfj_account *a)
{
    if (a->record && !a->record->is_off)
        put_between(a->record, wsfj_word(WSFJ_WORD_YIELD, 0));
}

void wsfj_record_enter(struct wsfj_account *a, uint64_t epoch)
{
    struct wsfj_record *r = a->record;

    if (!r)
        r = a->record = wsfj_calloc(1, sizeof *r);
    if (!r) {
        wsfj_record_fail("no memory");
        return;
    }
    if (!own_thread)
        own_thread = __atomic_add_fetch(&num_threads, 1, __ATOMIC_RELAXED); /* a number, and nothing else */
    *r = (struct wsfj_record){.region = wsfj_record_next_region(),
                              .epoch = epoch,
                              .words = r->words,
                              .max_words = r->max_words,
                              .lists = r->lists,
                              .max_lists = r->max_lists,
                              .costs = r->costs,
                              .num_costs = r->num_costs,
                              .work = a->profile.wsfj_work,
                              .blocked = a->profile.wsfj_blocked};
    r->least = (uint64_t)(LONG_NS / wsfj_clock_tick() * WSFJ_PROFILE_TICK);
    (void)open_list(r, TASK, NULL);
}

/* What is carried goes into a mean. */
static void put_rest(struct wsfj_account *a)
{
    struct wsfj_record *r = a->record;
    uint64_t rest = a->profile.wsfj_work - r->work + r->carried + r->kept,
             blocked = a->profile.wsfj_blocked - r->blocked + r->carried_blocked;

    r->carried = r->carried_blocked = r->kept = 0;
    if (rest && !r->is_off)
        put(r, wsfj_word(WSFJ_WORD_WORK, take_mean(r, 0, WSFJ_END_CHILD, rest)));
    if (blocked && !r->is_off)
        put(r, wsfj_word(WSFJ_WORD_BLOCK, take_mean(r, 2, WSFJ_END_SYNC, blocked)));
}

void wsfj_record_leave(struct wsfj_account *a)
{
    struct wsfj_record *r = a->record;

    if (!r || r->is_off)
        return;
    close_above(r, 1);
    if (!r->is_off)
        put_rest(a);
    if (!r->is_off)
        close_above(r, 0);
    if (!r->is_off)
        wsfj_record_costs(r->costs, r->num_costs);
    r->is_off = true;
}

void wsfj_record_drop(struct wsfj_account *a)
{
    struct wsfj_record *r = a->record;

    if (!r)
        return;
    r->is_off = true;
    if (r->costs)
        memset(r->costs, 0, r->num_costs * sizeof *r->costs);
}

void wsfj_record_free(struct wsfj_account *a)
{
    if (!a->record)
        return;
    free(a->record->words);
    free(a->record->lists);
    free(a->record->costs);
    free(a->record);
    a->record = NULL;
}
