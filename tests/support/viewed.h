/* SPDX-License-Identifier: MIT */
/* Whether the events of a trace fit together: `wsfj-view --check`, where the tool has been built (it needs jansson). */
#ifndef TESTS_SUPPORT_VIEWED_H
#define TESTS_SUPPORT_VIEWED_H

#include "run.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static inline void trace_fits(const char *path)
{
    const char *emulator = getenv("TEST_EMULATOR");
    char command[1024], said[1024] = "";
    FILE *output;

    if (access("wsfj-view", X_OK) != 0)
        return;
    snprintf(command, sizeof command, "%s ./wsfj-view --check '%s' 2>&1", emulator ? emulator : "", path);
    output = popen(command, "r");
    ck_assert_ptr_nonnull(output);
    said[fread(said, 1, sizeof said - 1, output)] = '\0';
    ck_assert_msg(pclose(output) == 0, "%s", said);
    ck_assert_ptr_nonnull(strstr(said, "nothing wrong"));
}

#endif
