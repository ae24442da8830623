/* SPDX-License-Identifier: MIT */
/*
 * Names for addresses of code: the function and the file. Read from /proc/self/maps and from the symbol table of the
 * mapped file, which has static functions, too. Not by dladdr(): that takes the loader's lock, which a thread of the
 * program may hold for as long as a constructor runs, and knows no static function.
 */
#ifndef WSFJ_SIGNALS_SYMBOLS_H
#define WSFJ_SIGNALS_SYMBOLS_H

#include "base/base.h"

struct wsfj_symbol {
    char function[128]; /* of a task, its name; empty: not known */
    bool is_task;       /* the function is one that the macros have made of the task */
    uintptr_t offset;   /* into the function */
    uintptr_t address;  /* in the file's own addresses */
    char object[64];    /* the file's name, without its directory; empty: not known, because /proc is missing */
};

/* False if there is no code at this address. For a return address pass the address less 1, since a call may be the last
 * instruction of its function. Takes a mutex. */
bool wsfj_symbol_find(uintptr_t address, struct wsfj_symbol *symbol);

/* Empties the cache: objects may be loaded and unloaded. */
void wsfj_symbols_forget(void);

/* In the child of a fork: resets the mutex and the cache. */
void wsfj_symbols_forget_threads(void);

#endif
