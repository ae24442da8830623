/* SPDX-License-Identifier: MIT */
/*
 * What the library has taken and not given back, counted exactly: the linker turns its calls of malloc, mmap and
 * pthread_create, and their opposites, into those of ledger.c (-Wl,--wrap). Those of other libraries are not seen.
 */
#ifndef TESTS_STRESS_LEDGER_H
#define TESTS_STRESS_LEDGER_H

/* Blocks of memory, mappings, and threads that nobody has joined; at most what there is just now. */
long ledger_blocks(void);
long ledger_mappings(void);
long ledger_threads(void);

/* How often each was taken. */
long ledger_taken(void);

#endif
