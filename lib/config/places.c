/* SPDX-License-Identifier: MIT */
#include "config/places.h"

#include "base/alloc.h"
#include "base/lexer.h"

#include <stdlib.h>
#include <string.h>

/* One place while it is read: a bit for each processor. */
#define WORD_BITS 64u
#define WORDS (WSFJ_PLACES_CPUS / WORD_BITS)
struct place {
    uint64_t bits[WORDS];
};

/* `length` copies, each `stride` after the one before. */
struct interval {
    long length, stride;
};

/* A list within the limits of places.h takes two thirds of this. More is needed only by lists that remove most of
 * it. */
#define STEPS_MOST ((uint64_t)1 << 24)

struct reader {
    const char *at;
    uint64_t steps; /* words and numbers visited: without a limit, a text of 100 KiB could take hours */
    struct wsfj_places list;
    unsigned room; /* for members */
    struct place place;
};

static bool number(struct reader *r, unsigned most, long *value)
{
    uint64_t n;

    if (!wsfj_lexer_number(&r->at, most, &n))
        return false;
    *value = (long)n;
    return true;
}

static bool spend(struct reader *r, uint64_t steps)
{
    r->steps += steps;
    return r->steps <= STEPS_MOST;
}

/* ":" length [ ":" stride ], or nothing, which means one copy. */
static bool interval(struct reader *r, struct interval *i)
{
    *i = (struct interval){1, 1};
    if (!wsfj_lexer_sign(&r->at, ':'))
        return true;
    if (!number(r, WSFJ_PLACES_CPUS, &i->length) || i->length < 1)
        return false;
    if (!wsfj_lexer_sign(&r->at, ':'))
        return true;

    bool negative = wsfj_lexer_sign(&r->at, '-');

    if (!number(r, WSFJ_PLACES_CPUS, &i->stride))
        return false;
    if (negative)
        i->stride = -i->stride;
    return true;
}

static bool has(const struct place *p, long cpu)
{
    return p->bits[(unsigned long)cpu / WORD_BITS] >> ((unsigned long)cpu % WORD_BITS) & 1;
}

static void set(struct place *p, long cpu, bool in)
{
    uint64_t bit = UINT64_C(1) << ((unsigned long)cpu % WORD_BITS), *word = &p->bits[(unsigned long)cpu / WORD_BITS];

    *word = in ? *word | bit : *word & ~bit;
}

/* A part of a place in braces. */
static bool part(struct reader *r)
{
    bool out = wsfj_lexer_sign(&r->at, '!');
    struct interval copies = {1, 1};
    long cpu;

    if (!number(r, WSFJ_PLACES_CPUS - 1, &cpu) || (!out && !interval(r, &copies)) || !spend(r, (uint64_t)copies.length))
        return false;
    for (long i = 0; i < copies.length; i++, cpu += copies.stride) {
        if (cpu < 0 || cpu >= (long)WSFJ_PLACES_CPUS)
            return false;
        set(&r->place, cpu, !out);
    }
    return true;
}

static bool place(struct reader *r)
{
    long cpu;

    memset(&r->place, 0, sizeof r->place);
    if (!spend(r, WORDS))
        return false;
    if (!wsfj_lexer_sign(&r->at, '{')) {
        if (!number(r, WSFJ_PLACES_CPUS - 1, &cpu))
            return false;
        set(&r->place, cpu, true);
        return true;
    }
    do {
        if (!part(r))
            return false;
    } while (wsfj_lexer_sign(&r->at, ','));
    return wsfj_lexer_sign(&r->at, '}');
}

static bool grow(struct reader *r)
{
    unsigned room = r->room ? 2 * r->room : 256;
    unsigned *more = wsfj_realloc(r->list.cpu, room * sizeof *more);

    if (!more)
        return false;
    r->list.cpu = more;
    r->room = room;
    return true;
}

/* Appends the place, moved by `shift`, unless it has no processors. */
static bool add_place(struct reader *r, long shift)
{
    struct wsfj_places *list = &r->list;
    unsigned used = list->count ? list->end[list->count - 1] : 0, start = used;

    if (!spend(r, WORDS))
        return false;
    for (long cpu = 0; cpu < (long)WSFJ_PLACES_CPUS; cpu++) {
        if (cpu % (long)WORD_BITS == 0 && r->place.bits[cpu / (long)WORD_BITS] == 0) {
            cpu += (long)WORD_BITS - 1;
            continue;
        }
        if (!has(&r->place, cpu))
            continue;
        if (cpu + shift < 0 || cpu + shift >= (long)WSFJ_PLACES_CPUS || used == WSFJ_PLACES_MEMBERS ||
            (used == r->room && !grow(r)))
            return false;
        list->cpu[used++] = (unsigned)(cpu + shift);
    }
    if (used == start)
        return true;
    if (list->count == WSFJ_PLACES_COUNT || !spend(r, used - start))
        return false;
    list->end[list->count++] = used;
    return true;
}

static bool same(const struct reader *r, unsigned start, unsigned end)
{
    for (unsigned i = start; i < end; i++)
        if (!has(&r->place, r->list.cpu[i]))
            return false;
    return true;
}

/* Removes from the list all places equal to the one just read. */
static bool remove_places(struct reader *r)
{
    struct wsfj_places *list = &r->list;
    unsigned start = 0, kept = 0, used = 0, size = 0;

    for (unsigned i = 0; i < WORDS; i++)
        size += (unsigned)__builtin_popcountll(r->place.bits[i]);
    for (unsigned i = 0; i < list->count; i++) {
        unsigned end = list->end[i];

        if (end - start != size || !same(r, start, end)) {
            memmove(list->cpu + used, list->cpu + start, (end - start) * sizeof *list->cpu);
            used += end - start;
            list->end[kept++] = used;
        }
        start = end;
    }
    list->count = kept;
    return spend(r, WORDS + kept + start);
}

static bool item(struct reader *r)
{
    bool out = wsfj_lexer_sign(&r->at, '!');
    struct interval copies = {1, 1};

    if (!place(r) || (!out && !interval(r, &copies)))
        return false;
    if (out)
        return remove_places(r);
    for (long i = 0; i < copies.length; i++) {
        unsigned before = r->list.count;

        if (!add_place(r, i * copies.stride))
            return false;
        if (r->list.count == before)
            break; /* without processors, as its copies */
    }
    return true;
}

static bool list(struct reader *r)
{
    r->list.what = WSFJ_PLACES_LIST;
    r->list.end = wsfj_calloc(WSFJ_PLACES_COUNT, sizeof *r->list.end);
    if (!r->list.end)
        return false;
    do {
        if (!item(r))
            return false;
    } while (wsfj_lexer_sign(&r->at, ','));
    return wsfj_lexer_end(&r->at) && r->list.count > 0;
}

static bool name(struct reader *r)
{
    static const char *const names[] = {"threads", "cores", "ll_caches", "numa_domains", "sockets"};
    int found = wsfj_lexer_word(&r->at, names, sizeof names / sizeof *names);
    long most = 0;

    if (found < 0)
        return false;
    if (wsfj_lexer_sign(&r->at, '(') &&
        (!number(r, WSFJ_PLACES_CPUS, &most) || most < 1 || !wsfj_lexer_sign(&r->at, ')')))
        return false;
    r->list.what = (enum wsfj_places_what)(WSFJ_PLACES_THREADS + found);
    r->list.most = (unsigned)most;
    return wsfj_lexer_end(&r->at);
}

bool wsfj_places_parse(const char *text, struct wsfj_places *places)
{
    struct reader *r = wsfj_calloc(1, sizeof *r);
    bool ok;

    if (!r)
        return false;
    r->at = text;
    ok = name(r);
    if (!ok) {
        r->at = text;
        ok = list(r);
    }
    if (ok) {
        wsfj_places_free(places);
        *places = r->list;
    } else {
        wsfj_places_free(&r->list);
    }
    free(r);
    return ok;
}

void wsfj_places_free(struct wsfj_places *p)
{
    free(p->end);
    free(p->cpu);
    *p = (struct wsfj_places){.what = WSFJ_PLACES_UNSET};
}
