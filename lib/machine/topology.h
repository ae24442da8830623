/* SPDX-License-Identifier: MIT */
/*
 * The machine as plain arrays. Who lists them is behind the seam topology.h; what workers make of the arrays is in
 * placement.c.
 *
 * Listed are the processing units that this process may use: online, allowed by the cgroup's cpuset, in the affinity
 * mask of the thread that reads. A machine that is not this one (HWLOC_SYNTHETIC, HWLOC_XMLFILE, wsfj-info) is listed
 * whole, and nobody is ever bound to it.
 */
#ifndef WSFJ_MACHINE_TOPOLOGY_H
#define WSFJ_MACHINE_TOPOLOGY_H

#include "base/base.h"
#include "machine/affinity.h"

/* What a unit lies in, from the outside in. */
enum wsfj_level { WSFJ_LEVEL_PACKAGE, WSFJ_LEVEL_NUMA, WSFJ_LEVEL_CACHE, WSFJ_LEVEL_CORE, WSFJ_LEVELS };

struct wsfj_unit {
    unsigned cpu;             /* operating system number */
    unsigned in[WSFJ_LEVELS]; /* numbered from 0 in the machine's order. Units without a NUMA node share one number;
                                 without a last-level cache each core has its own */
    unsigned kind;            /* 0: the fastest kind of core */
    unsigned rank;            /* which of its core's listed units it is */
    unsigned index;           /* place in the machine's order */
};

struct wsfj_topology {
    /* In binding order: one unit of each core first, fast cores before slow ones, in the machine's order; then the second
     * unit of each core, and so on. */
    struct wsfj_unit *units;
    unsigned num_threads;         /* units */
    unsigned num_cores;           /* cores with at least one of them */
    unsigned num_kinds;           /* of cores */
    unsigned count[WSFJ_LEVELS];  /* of each level's numbers */
    bool can_bind;                /* this is the machine we run on */
};

/* Whose description is read. */
enum wsfj_machine {
    WSFJ_MACHINE_THIS,      /* what hwloc or the kernel finds; text: NULL */
    WSFJ_MACHINE_XML,       /* text: the name of a file that hwloc has exported */
    WSFJ_MACHINE_SYNTHETIC  /* text: hwloc's synthetic description */
};

/* Whether other machines can be read: not without hwloc. */
extern const bool wsfj_topology_imagines;

/* Reads the machine. Without hwloc's help (it may fail) this machine is a flat list of the CPUs in the affinity mask.
 * False if there is no memory, or the description makes no sense to hwloc. */
bool wsfj_topology_read(struct wsfj_topology *topology, enum wsfj_machine machine, const char *text);
void wsfj_topology_free(struct wsfj_topology *topology);

/*
 * The seam: who lists the units. topology_hwloc.c is the only file that includes hwloc; topology_sys.c takes its place in a
 * library without.
 */

/* The name of what a unit is not in. */
#define WSFJ_NOWHERE UINT32_MAX

/* Prime, big and little, or performance, efficient and low power: more kinds than this are favoured cores of one kind,
 * which differ in turbo frequency, and not worth tearing neighbours apart. */
#define WSFJ_KINDS_MOST 4

/* Lists the units in the machine's order: `cpu`, `kind`, and any names in `in`; sets num_threads, num_kinds, can_bind.
 * With the machine we run on only those of the mask; NULL: all. No units if the machine or the description cannot be
 * read; false if there is no memory. */
bool wsfj_topology_list(struct wsfj_topology *topology, enum wsfj_machine machine, const char *text,
                        const struct wsfj_affinity *mask);

/* What wsfj_topology_read() does, for a given mask; without a set: the kernel does not tell. */
bool wsfj_topology_make(struct wsfj_topology *topology, enum wsfj_machine machine, const char *text,
                        const struct wsfj_affinity *mask);

/* topology_sys.c only: the directory that it takes for /. */
extern const char *wsfj_topology_root;

/* True if hwloc must not be called: the process has more rights than the user that started it (set-uid, set-gid, file
 * capabilities), and an HWLOC_* variable is set. hwloc reads those by getenv(), and HWLOC_PLUGINS_PATH names code to run. */
bool wsfj_topology_must_skip_hwloc(void);

/* Makes room for `n` units. False if there is no memory. */
bool wsfj_topology_allocate(struct wsfj_topology *topology, unsigned n);

#endif
