/* SPDX-License-Identifier: MIT */
/* The signals that may ask for a dump (WSFJ_DUMP_SIGNAL), and their names. */
#ifndef WSFJ_CONFIG_SIGNAME_H
#define WSFJ_CONFIG_SIGNAME_H

#include "base/base.h"

#define WSFJ_SIGNAME_EXPECTED                                                                                          \
    "none, or HUP, INT, QUIT, USR1, USR2, ALRM, TERM, URG, WINCH, IO, PWR, RTMIN+n, RTMAX-n, or its number"

/* Parses a name, with or without SIG, in any case, or a number; "none" gives 0. False for other texts, and for signals
 * that cannot be caught, that report faults, or that have a meaning to the kernel, the shell or the library. */
bool wsfj_signame_parse(const char *text, int *signal);

/* Stores the signal's name; the number of one that wsfj_signame_parse() refuses. `name` has room for 16 characters. */
void wsfj_signame_show(int signal, char *name);

#endif
