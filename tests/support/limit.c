/* SPDX-License-Identifier: MIT */
#include "limit.h"

#include "late_dump.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A signal that no test uses. */
#define LATE (SIGRTMIN + 6)

static unsigned limit;  /* of this process; 0: none */
static int log_fd = -1; /* stderr, as it was at the start */
static unsigned forked; /* how many forks this process is away from the program's first */
static time_t end_s;    /* when this process is late, by CLOCK_MONOTONIC */

unsigned limit_seconds(void)
{
    const char *text = getenv("WSFJ_TEST_LIMIT");
    char *end = NULL;
    long seconds = text && *text ? strtol(text, &end, 10) : TEST_LIMIT_S;

    if (seconds < 1 || seconds > 999999 || (end && *end)) {
        fprintf(stderr, "invalid value WSFJ_TEST_LIMIT=%s (expected seconds, 1 to 999999)\n", text ? text : "");
        exit(2);
    }
    return (unsigned)seconds;
}

/* The second time the process ends. */
static void is_late(int signal_number)
{
    static volatile sig_atomic_t times;
    static char line[200]; /* the handler may run on a small stack */
    const char *why_not;

    (void)signal_number;
    if (times++) {
        sigset_t alarms;

        sigemptyset(&alarms);
        sigaddset(&alarms, SIGALRM);
        signal(SIGALRM, SIG_DFL);
        pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
        raise(SIGALRM);
    }
    dup2(log_fd, STDERR_FILENO); /* the test may read its own stderr, but reads no more */
    snprintf(line, sizeof line, "out of time: process %d has run for %u s\n", (int)getpid(), limit);
    (void)!write(STDERR_FILENO, line, strlen(line));
    why_not = late_dump();
    if (!why_not)
        return;
    snprintf(line, sizeof line, "no dump: %s\n", why_not);
    (void)!write(STDERR_FILENO, line, strlen(line));
}

static void limit_this(void)
{
    struct sigaction action = {.sa_handler = is_late};
    struct sigevent late = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = LATE};
    struct itimerspec end = {.it_interval = {.tv_sec = LIMIT_GRACE_S}};
    struct timespec now;
    sigset_t set;
    timer_t timer;

    clock_gettime(CLOCK_MONOTONIC, &now);
    end_s = ++forked == 1 ? now.tv_sec + limit_seconds() : end_s - 1; /* a child is late before its parent */
    limit = end_s > now.tv_sec ? (unsigned)(end_s - now.tv_sec) : 1;
    end.it_value.tv_sec = limit;
    sigemptyset(&set);
    sigaddset(&set, LATE);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    if (sigaction(LATE, &action, NULL) != 0 || timer_create(CLOCK_MONOTONIC, &late, &timer) != 0 ||
        timer_settime(timer, 0, &end, NULL) != 0) {
        perror("a test's time limit");
        _exit(2);
    }
}

void limit_children(void)
{
    const char *fork = getenv("CK_FORK");

    if (log_fd >= 0 || (fork && strcmp(fork, "no") == 0))
        return;
    (void)limit_seconds(); /* complains here, not in each child */
    log_fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
    if (log_fd < 0 || pthread_atfork(NULL, NULL, limit_this) != 0) {
        perror("a test's time limit");
        exit(2);
    }
}
