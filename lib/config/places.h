/* SPDX-License-Identifier: MIT */
/*
 * The syntax of OMP_PLACES, for WSFJ_PLACES too. Pure: text in, numbers out; what they
 * mean on a machine is in placement.c.
 *
 *   places    = name [ "(" number ")" ] | item { "," item }
 *   name      = threads | cores | ll_caches | numa_domains | sockets
 *   item      = place [ ":" length [ ":" stride ] ] | "!" place
 *   place     = "{" part { "," part } "}" | number
 *   part      = number [ ":" length [ ":" stride ] ] | "!" number
 *
 * Numbers are the operating system's processor numbers. An interval is `length` copies, each `stride` (default 1, it
 * may be negative) after the one before. Lists are read from left to right; "!" takes back what came before it: a
 * number from its place, all equal places from the list. Blanks may stand between the signs, letters may be large.
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
    unsigned most;       /* of a name: take so many at most; 0: all */
    unsigned count;      /* of a list: place i is cpu[end[i - 1]..end[i]), ascending */
    unsigned *end, *cpu;
};

/* Far more than any machine has; what is larger is a mistake. */
#define WSFJ_PLACES_CPUS 65536u     /* processor numbers are below */
#define WSFJ_PLACES_COUNT 4096u     /* places in a list */
#define WSFJ_PLACES_MEMBERS 1048576u /* processors of all its places */

/* False if the text makes no sense or there is no memory (errno is ENOMEM, and else not touched); then *places is
 * unchanged. A former value is freed. */
bool wsfj_places_parse(const char *text, struct wsfj_places *places);
void wsfj_places_free(struct wsfj_places *places);

#endif
