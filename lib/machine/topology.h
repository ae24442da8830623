/* SPDX-License-Identifier: MIT */
/*
 * The machine as plain arrays. placement.c uses them.
 *
 * The arrays list the processing units that this process may use: those in the affinity mask of the reading thread,
 * which are online and in the cgroup's cpuset. Another machine (HWLOC_SYNTHETIC, HWLOC_XMLFILE, wsfj-info) is listed
 * whole, and no thread is ever bound to it.
 */
#ifndef WSFJ_MACHINE_TOPOLOGY_H
#define WSFJ_MACHINE_TOPOLOGY_H

#include "base/base.h"
#include "machine/affinity.h"

/* The levels of the machine, from the outside in. A unit lies in one member of each. */
enum wsfj_level { WSFJ_LEVEL_PACKAGE, WSFJ_LEVEL_NUMA, WSFJ_LEVEL_CACHE, WSFJ_LEVEL_CORE, WSFJ_LEVELS };

struct wsfj_unit {
    unsigned cpu;             /* operating system number */
    unsigned in[WSFJ_LEVELS]; /* numbered from 0 in the machine's order. Units without a NUMA node share one number;
                                 without a last-level cache each core has its own */
    unsigned kind;            /* 0: the fastest kind of core */
    unsigned rank;            /* its number among the listed units of its core */
    unsigned index;           /* position in the machine's order */
};

struct wsfj_topology {
    /* In binding order: one unit of each core first, fast cores before slow ones, in the machine's order; then the
     * second unit of each core, and so on. */
    struct wsfj_unit *units;
    unsigned num_threads;        /* units */
    unsigned num_cores;          /* cores with at least one of them */
    unsigned num_kinds;          /* of cores */
    unsigned count[WSFJ_LEVELS]; /* members of each level */
    bool can_bind;               /* it is the machine of this process */
};

/* Where the description comes from. */
enum wsfj_machine {
    WSFJ_MACHINE_THIS,     /* or what wsfj_topology_variable() describes; text: NULL */
    WSFJ_MACHINE_XML,      /* text: the name of a file that hwloc has exported */
    WSFJ_MACHINE_SYNTHETIC /* text: hwloc's synthetic description */
};

/* True if other machines can be read: only with hwloc. */
extern const bool wsfj_topology_imagines;

/* Reads the machine. A CPU in the affinity mask of which the description says nothing is a core of its own; if the
 * structure of this machine is unknown, all are. False if there is no memory, or hwloc rejects the description. */
bool wsfj_topology_read(struct wsfj_topology *topology, enum wsfj_machine machine, const char *text);
void wsfj_topology_free(struct wsfj_topology *topology);

/* wsfj_topology_read() for a given mask; one without a set means that the mask is unknown. */
bool wsfj_topology_make(struct wsfj_topology *topology, enum wsfj_machine machine, const char *text,
                        const struct wsfj_affinity *mask);

/*
 * Listing the units in the machine's order: `cpu`, `kind`, and any names in `in`; sets num_threads and num_kinds. False
 * if there is no memory.
 */

/* The name of a level in which a unit has no member. */
#define WSFJ_NOWHERE UINT32_MAX

/* Prime, big and little, or performance, efficient and low power. More kinds than this are cores of one kind with
 * different turbo frequencies; then neighbours stay together, and all count as one kind. */
#define WSFJ_KINDS_MOST 4

/* topology_sys.c: the units in `mask`, from the kernel's files. */
bool wsfj_topology_list_this(struct wsfj_topology *topology, const struct wsfj_affinity *mask);

/* The root directory of those files; tests replace it. */
extern const char *wsfj_topology_root;

/* topology_hwloc.c: a described machine, by hwloc; also sets can_bind. If the description is of this machine, lists
 * only units in `mask`; NULL: all. Lists no units if the description cannot be read; topology_bare.c, in a library
 * without hwloc, reads none. */
bool wsfj_topology_list_described(struct wsfj_topology *topology, enum wsfj_machine machine, const char *text,
                                  const struct wsfj_affinity *mask);

/* The variable of hwloc by which the user describes another machine in place of this one; NULL: none is set. A set-uid
 * process believes none. */
const char *wsfj_topology_variable(void);

/* Makes room for `n` units. False if there is no memory. */
bool wsfj_topology_allocate(struct wsfj_topology *topology, unsigned n);

#endif
