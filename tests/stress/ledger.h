/* SPDX-License-Identifier: MIT */
/*
 * What the library has taken and not given back, counted exactly: the linker redirects its calls of malloc, mmap and
 * pthread_create, and their opposites, to ledger.c (-Wl,--wrap). Calls of other libraries do not count.
 */
#ifndef TESTS_STRESS_LEDGER_H
#define TESTS_STRESS_LEDGER_H

/* Blocks of memory, mappings, and threads not yet joined. */
long ledger_blocks(void);
long ledger_mappings(void);
long ledger_threads(void);

/* How often each was taken. */
long ledger_taken(void);

#endif
