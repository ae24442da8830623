/* SPDX-License-Identifier: MIT */
/*
 * Names for addresses of code: the function, from the symbol table of the file that is mapped there, static ones too, and
 * the file. Read from /proc/self/maps and from the file. Not by dladdr(): that takes the loader's lock, which a thread of
 * the program may hold for as long as a constructor runs, and knows no static function.
 */
#ifndef WSFJ_SIGNALS_SYMBOLS_H
#define WSFJ_SIGNALS_SYMBOLS_H

#include "base/base.h"

struct wsfj_symbol {
    char function[128]; /* empty: not known */
    uintptr_t offset;   /* into the function, */
    uintptr_t address;  /* and as the file counts */
    char object[64];    /* the file's name, without its directory; empty: not known, without /proc */
};

/* False if there is no code at this address. A return address less one, for a call may be the last thing in its function.
 * One after the other, if several threads ask. */
bool wsfj_symbol_find(uintptr_t address, struct wsfj_symbol *symbol);

/* What was found so far is forgotten: objects may come and go. */
void wsfj_symbols_forget(void);

/* In the child of a fork: nobody asks. */
void wsfj_symbols_forget_threads(void);

#endif
