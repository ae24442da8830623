/* SPDX-License-Identifier: MIT */
#include "config/signame.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *name;
    int number;
} known[] = {{"none", 0},       {"HUP", SIGHUP},     {"INT", SIGINT},   {"QUIT", SIGQUIT},
             {"USR1", SIGUSR1}, {"USR2", SIGUSR2},   {"ALRM", SIGALRM}, {"TERM", SIGTERM},
             {"URG", SIGURG},   {"WINCH", SIGWINCH}, {"IO", SIGIO},     {"PWR", SIGPWR}};

#define KNOWN (sizeof known / sizeof *known)

static bool is_possible(long number)
{
    for (size_t i = 0; i < KNOWN; i++)
        if (known[i].number == number)
            return true;
    return number >= SIGRTMIN && number <= SIGRTMAX;
}

/* One to four digits and nothing else. */
static bool digits(const char *text, long *number)
{
    size_t length = strspn(text, "0123456789");

    if (length == 0 || length > 4 || text[length])
        return false;
    *number = strtol(text, NULL, 10);
    return true;
}

/* RTMIN, RTMIN+n, RTMAX, RTMAX-n. */
static bool real_time(const char *text, long *number)
{
    bool low = strncasecmp(text, "RTMIN", 5) == 0;
    long n = 0;

    if (!low && strncasecmp(text, "RTMAX", 5) != 0)
        return false;
    if (text[5] && (text[5] != (low ? '+' : '-') || !digits(text + 6, &n)))
        return false;
    *number = low ? SIGRTMIN + n : SIGRTMAX - n;
    return *number >= SIGRTMIN && *number <= SIGRTMAX;
}

bool wsfj_signame_parse(const char *text, int *signal)
{
    long number = -1;

    if (!digits(text, &number)) {
        bool has_prefix = strncasecmp(text, "SIG", 3) == 0;
        const char *name = has_prefix ? text + 3 : text;

        for (size_t i = has_prefix; i < KNOWN && number < 0; i++)
            if (strcasecmp(name, known[i].name) == 0)
                number = known[i].number;
        if (number < 0 && !real_time(name, &number))
            return false;
    }
    if (!is_possible(number))
        return false;
    *signal = (int)number;
    return true;
}

void wsfj_signame_show(int signal, char *name)
{
    for (size_t i = 0; i < KNOWN; i++) {
        if (known[i].number == signal) {
            snprintf(name, 16, "%s", known[i].name);
            return;
        }
    }
    if (signal == SIGRTMIN)
        snprintf(name, 16, "RTMIN");
    else if (signal > SIGRTMIN && signal <= SIGRTMAX)
        snprintf(name, 16, "RTMIN+%d", signal - SIGRTMIN);
    else
        snprintf(name, 16, "%d", signal);
}
