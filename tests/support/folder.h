/* SPDX-License-Identifier: MIT */
/* Folders for a test's files: one for each program, and in it one for each test. main() removes all of them, also after
 * failures. */
#ifndef TESTS_SUPPORT_FOLDER_H
#define TESTS_SUPPORT_FOLDER_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* nftw() */
#endif
#include "run.h"
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

static char folder_of_all[256], folder[300]; /* folder: of the running test */

/* In main(). 0, or -1 if there is no folder. */
static inline int folder_begin(const char *program)
{
    const char *where = getenv("TMPDIR");

    snprintf(folder_of_all, sizeof folder_of_all, "%.200s/wsfj-%s-XXXXXX", where && *where ? where : "/tmp", program);
    if (mkdtemp(folder_of_all))
        return 0;
    perror(folder_of_all);
    return -1;
}

static inline int folder_drop(const char *path, const struct stat *status, int type, struct FTW *at)
{
    (void)status;
    (void)type;
    (void)at;
    return remove(path);
}

static inline void folder_end(void)
{
    nftw(folder_of_all, folder_drop, 10, FTW_DEPTH | FTW_PHYS);
}

/* In a test. */
static inline void folder_make(void)
{
    snprintf(folder, sizeof folder, "%s/XXXXXX", folder_of_all);
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

/* Valid until the next call. */
static inline const char *folder_path(const char *name)
{
    static char path[512];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

#endif
