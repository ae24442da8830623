/* SPDX-License-Identifier: MIT */
/* Tasks that files.c and files_other.c share. */
#ifndef TESTS_USER_FILES_H
#define TESTS_USER_FILES_H

#include <wsfj.h>

struct wide {
    long v[16];
};

/* Mutual recursion over the files: even is in files.c, odd in files_other.c. */
WS_DECLARE(long, even, long, n);
WS_DECLARE(long, odd, long, n);
WS_DECLARE(struct wide, widen, long, n);
WS_DECLARE_VOID(add_to, long *, sum, long, n);
WS_DECLARE_VOID(tick);
extern long ticks;
long same_name_there(void);

/* Steals of add_to (steals.h): before each region, and between spawns and sync. */
void others_begin(unsigned region);
void others_wait(void);

#endif
