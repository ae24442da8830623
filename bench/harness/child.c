/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE 1 /* strsignal(), MAP_ANONYMOUS */
#include "child.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

void *child_memory(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    return memory == MAP_FAILED ? NULL : memory;
}

void child_memory_free(void *memory, size_t size)
{
    munmap(memory, size);
}

int child_run(void (*job)(void *), void *argument, char *why, size_t why_size)
{
    pid_t parent = getpid(), child;
    int status;

    fflush(NULL); /* or the child would write it again */
    child = fork();
    if (child < 0) {
        snprintf(why, why_size, "no child process: %s", strerror(errno));
        return 0;
    }
    if (child == 0) {
        /* A child whose parent is killed would go on and disturb the next measurement. */
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() == parent)
            job(argument);
        exit(EXIT_SUCCESS);
    }
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            snprintf(why, why_size, "the child process is lost: %s", strerror(errno));
            return 0;
        }
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS)
        return 1;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        snprintf(why, why_size, "has not come to an end");
    else if (WIFSIGNALED(status))
        snprintf(why, why_size, "ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(why, why_size, "ended with exit status %d", WEXITSTATUS(status));
    return 0;
}

long child_peak_rss_kb(void)
{
    struct rusage usage;

    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss : -1;
}
