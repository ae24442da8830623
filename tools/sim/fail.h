/* SPDX-License-Identifier: MIT */
/* How a simulation ends early: with one line on stderr that begins with wsfj-sim, and an exit status. */
#ifndef TOOLS_SIM_FAIL_H
#define TOOLS_SIM_FAIL_H

#include <stdbool.h>
#include <stddef.h>

enum sim_exit {
    SIM_EXIT_USAGE = 2,  /* wrong options or files */
    SIM_EXIT_STUCK = 3,  /* deadlock or livelock */
    SIM_EXIT_SYSTEM = 4, /* no memory */
    SIM_EXIT_BROKEN = 5  /* what must hold does not: an error of the library or the simulator */
};

__attribute__((format(printf, 2, 3))) _Noreturn void sim_fail(enum sim_exit status, const char *format, ...);

/* The end of a noun that is counted. */
#define SIM_S(n) ((n) == 1 ? "" : "s")

/* At the end: true if all that was printed has arrived. Else one line says so. */
bool sim_printed(void);

/* Memory, zeroed. Without memory the program ends. */
void *sim_new(size_t n, size_t size);
/* realloc(): what is added is not zeroed. */
void *sim_again(void *old, size_t size);

#endif
