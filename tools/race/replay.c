/* SPDX-License-Identifier: MIT */
/* wsfj-race --stacks: a first run that notes which accesses race, and a second one that knows them in advance. */
#define _GNU_SOURCE
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int run_with_stacks(char **program)
{
    struct words words = {NULL, 0};
    char wanted[128];
    const char *out = getenv("WSFJ_RACE_OUT");
    char *kept = out ? strdup(out) : NULL;
    int status;

    (void)snprintf(wanted, sizeof wanted, "%s/accesses", temporary_folder());
    for (; *program; program++)
        words_add(&words, *program);
    if (setenv("WSFJ_RACE_WANT", wanted, 1) != 0 || unsetenv("WSFJ_RACE_OUT") != 0)
        die("no memory");
    status = run_words(&words, "/dev/null");
    (void)unsetenv("WSFJ_RACE_WANT");
    if (kept)
        (void)setenv("WSFJ_RACE_OUT", kept, 1);
    if (status != FOUND && status >= 128)
        say("the first run was ended by signal %d", status - 128);
    if (lseek(0, 0, SEEK_SET) != 0 && !isatty(0))
        say("the second run cannot read the first one's input again: give it as a file");
    if (access(wanted, R_OK) == 0)
        (void)setenv("WSFJ_RACE_STACKS", wanted, 1);
    return run_words(&words, NULL);
}
