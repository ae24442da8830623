/* SPDX-License-Identifier: MIT */
/* What the blocks of doc/process.md take for granted: the headers, and a worker to try them on. */
#ifndef TESTS_BUILD_PROGRAMS_H
#define TESTS_BUILD_PROGRAMS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_setaffinity() */
#endif
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wsfj.h>

/* Ends with 7 if SIGTERM, the signal of bit 14, is not blocked, and there are as many CPUs as in the first thread. The shell itself
 * reads its mask: dash unblocks all signals before it starts a program. */
static char command[300];

struct trial {
    int (*run)(char *command);
    int status;
};

static void try_it(void *trial)
{
    ((struct trial *)trial)->status = ((struct trial *)trial)->run(command);
}

/* Whether what `run` starts in a detached task ends so. */
static __attribute__((unused)) int starts_free(int (*run)(char *command))
{
    struct trial trial = {run, 0};
    ws_group group = WS_GROUP_INIT;
    cpu_set_t cpus;

    if (sched_getaffinity(getpid(), sizeof cpus, &cpus) != 0)
        return 0;
    unsetenv("OMP_NUM_THREADS"); /* nproc obeys these */
    unsetenv("OMP_THREAD_LIMIT");
    snprintf(command, sizeof command,
             "while read -r key value; do case $key in SigBlk:) mask=$value ;; esac; done </proc/$$/status; "
             "case $mask in *[0-389ab][0-9a-f][0-9a-f][0-9a-f]) test $(nproc) = %d && exit 7 ;; esac; exit 1",
             CPU_COUNT(&cpus));
    if (ws_group_submit(&group, try_it, &trial) != 0 || ws_group_wait(&group) != 0)
        return 0;
    return WIFEXITED(trial.status) && WEXITSTATUS(trial.status) == 7;
}

#endif
