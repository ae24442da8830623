/* SPDX-License-Identifier: MIT */
/* Addresses and offsets for a debugger that has only the library's symbol table. tools/gdb.py reads them, in live
 * processes and in cores. */
#ifndef WSFJ_OBSERVE_DEBUGGER_H
#define WSFJ_OBSERVE_DEBUGGER_H

#include "base/base.h"

/* An address, an offset or another number, by name. */
struct wsfj_fact {
    const char *name; /* NULL: the end */
    const void *address;
    size_t number;
};

extern const struct wsfj_fact wsfj_debugger[];

#endif
