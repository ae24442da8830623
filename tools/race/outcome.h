/* SPDX-License-Identifier: MIT */
/* A run of a program by a schedule, and how two of them differ. For schedules.c. */
#ifndef RACE_OUTCOME_H
#define RACE_OUTCOME_H

#include <stddef.h>

struct outcome {
    int status;  /**< of waitpid() */
    int is_late; /**< it was killed after `seconds` */
    unsigned seconds;
    size_t n_out, n_kept; /**< of its standard output, the first bytes are kept */
    char *out;
    char said[1000]; /**< the last line of libwsfj-race, if the run ended with it */
};

/**
 * Runs the program by a schedule, a seed or "serial", for at most `seconds`.
 *
 * @param most   how many bytes of the standard output are kept
 * @param tells  its standard error is seen, too
 */
void outcome_of(struct outcome *o, char **program, const char *schedule, unsigned seconds, size_t most, int tells);

/** Says how an outcome differs from the serial one. @return 0: it does not */
int outcome_differs(const struct outcome *o, const struct outcome *serial, char *text, size_t size);

#endif
