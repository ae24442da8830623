/* SPDX-License-Identifier: MIT */
/* What this process prints to stderr, read while it runs. */
#ifndef TESTS_SUPPORT_HEARD_H
#define TESTS_SUPPORT_HEARD_H

#include "run.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

#define PATIENCE_S 50 /* for a line that must come */

static int heard_end, heard_stderr = -1;
static char heard[1 << 18]; /* since the last hear_nothing() */
static size_t heard_length;

static inline void hear_nothing(void)
{
    heard_length = 0;
    heard[0] = '\0';
}

static inline void listen_begin(void)
{
    int ends[2];

    ck_assert_int_eq(pipe(ends), 0);
    heard_end = ends[0];
    heard_stderr = dup(STDERR_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
    hear_nothing();
}

/* Reads once, after at most `ms` milliseconds. False if nothing came. */
static inline bool hear(int ms)
{
    struct pollfd from = {.fd = heard_end, .events = POLLIN};
    ssize_t n = poll(&from, 1, ms) > 0 ? read(heard_end, heard + heard_length, sizeof heard - 1 - heard_length) : 0;

    heard_length += n > 0 ? (size_t)n : 0;
    heard[heard_length] = '\0';
    return n > 0;
}

/* Waits for a text. False if it has not come after PATIENCE_S. */
static inline bool hear_until(const char *text)
{
    for (int i = 0; i < PATIENCE_S * 10 && !strstr(heard, text); i++)
        (void)hear(100);
    return strstr(heard, text) != NULL;
}

/* The line that contains the text, and the lines after it that begin with more than `indent` blanks; "" if there is
 * none. A copy, valid until the next call. */
static inline const char *heard_part(const char *text, size_t indent)
{
    static char part[8192];
    const char *at = strstr(heard, text), *end;

    part[0] = '\0';
    if (!at)
        return part;
    while (at > heard && at[-1] != '\n')
        at--;
    end = at;
    do {
        end = strchr(end, '\n');
        end = end ? end + 1 : at + strlen(at);
    } while (*end && strspn(end, " ") > indent);
    snprintf(part, sizeof part, "%.*s", (int)(end - at), at);
    return part;
}

static inline void listen_end(void)
{
    dup2(heard_stderr, STDERR_FILENO);
    close(heard_stderr);
    while (hear(0))
        ;
    close(heard_end);
}

#endif
