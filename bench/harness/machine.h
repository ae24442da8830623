/* SPDX-License-Identifier: MIT */
/* The machine of a measurement. */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include <stddef.h>

struct machine {
    char cpu_model[128]; /* printable ASCII */
    char kernel[128];    /* the operating system's */
    size_t cpus;         /* that this process may use */
    const char *compiler, *version;
};

void machine_read(struct machine *machine);

/* Prints all of it on standard output, as the head of a line. */
void machine_print(const struct machine *machine);

/* The CPUs this process may use, by its affinity. */
size_t machine_cpus(void);

#endif
