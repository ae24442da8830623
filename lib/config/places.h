/* SPDX-License-Identifier: MIT */
/*
 * Parses OMP_PLACES and WSFJ_PLACES, which have the same syntax. Text in, numbers out: placement.c applies them to a
 * machine.
 *
 *   places    = name [ "(" number ")" ] | item { "," item }
 *   name      = threads | cores | ll_caches | numa_domains | sockets
 *   item      = place [ ":" length [ ":" stride ] ] | "!" place
 *   place     = "{" part { "," part } "}" | number
 *   part      = number [ ":" length [ ":" stride ] ] | "!" number
 *
 * Numbers are the operating system's processor numbers. An interval is `length` copies, each `stride` (default 1, may
 * be negative) after the one before. Lists are read from left to right. "!" removes what an earlier part has added: a
 * number from its place, or all equal places from the list. Blanks may separate the signs; letters may have any case.
 */
#ifndef WSFJ_CONFIG_PLACES_H
#define WSFJ_CONFIG_PLACES_H

#include "base/base.h"

enum wsfj_places_what {
    WSFJ_PLACES_UNSET,
    WSFJ_PLACES_THREADS,
    WSFJ_PLACES_CORES,
    WSFJ_PLACES_LL_CACHES,
    WSFJ_PLACES_NUMA_DOMAINS,
    WSFJ_PLACES_SOCKETS,
    WSFJ_PLACES_LIST
};

struct wsfj_places {
    enum wsfj_places_what what;
    unsigned most;  /* with a name: at most this many places; 0: all */
    unsigned count; /* with a list: place i is cpu[end[i - 1]..end[i]), ascending */
    unsigned *end, *cpu;
};

/* Limits far above any machine; larger values are mistakes. */
#define WSFJ_PLACES_CPUS 65536u      /* processor numbers are smaller */
#define WSFJ_PLACES_COUNT 4096u      /* places in a list */
#define WSFJ_PLACES_MEMBERS 1048576u /* processors of all its places */

/* Parses the text into *places and frees its former value. Returns false, with *places unchanged, if the text is
 * invalid (errno unchanged) or there is no memory (errno is ENOMEM). */
bool wsfj_places_parse(const char *text, struct wsfj_places *places);
void wsfj_places_free(struct wsfj_places *places);

#endif
