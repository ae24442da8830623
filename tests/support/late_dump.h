/* SPDX-License-Identifier: MIT */
/* The runtime's dump in a process that has not asked for it at its start. */
#ifndef TESTS_SUPPORT_LATE_DUMP_H
#define TESTS_SUPPORT_LATE_DUMP_H

/* Starts the watching thread (lib/observe/monitor.h), which prints the dump to stderr a moment later. Returns NULL, or
 * why there is none. For a signal handler of a process that hangs and will be ended: it finds the library's private
 * functions in its symbol table, and leaves the runtime changed. */
const char *late_dump(void);

#endif
