/* SPDX-License-Identifier: MIT */
/* Which functions take the place of the library's (seam.h). 0 and NULL: the library's own. */
#ifndef TOOLS_SIM_OTHERS_H
#define TOOLS_SIM_OTHERS_H

struct wsfj_stack;

/* The order of victims. Largest: the victim with the most tasks waiting, of those awake, and the nearest of equals; then as
 * the library. Uniform: a random start in a shuffled order. Round-robin: the victim after the last one tried. */
enum sim_victim { SIM_VICTIM_NEAR, SIM_VICTIM_UNIFORM, SIM_VICTIM_LARGEST, SIM_VICTIM_ROUND_ROBIN };

struct sim_others {
    unsigned victim;        /* enum sim_victim */
    unsigned waking;        /* 1: any sleeper is woken */
    unsigned queue_lifo;    /* 1: the owner of a run queue takes the newest first */
    unsigned submit_common; /* 1: what tasks submit goes to the global queue, too */
    unsigned common_most;   /* what a worker takes from the global queue at once, at most; 0: its share */
    unsigned never_steal;   /* 1 */

    /* In place of a parent's suspension: waits until its children have arrived. */
    void (*join)(struct wsfj_stack *own);
};
extern struct sim_others sim_others;

#endif
