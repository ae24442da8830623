/* SPDX-License-Identifier: MIT */
#include "guard.h"

#include "../../stress/stress.h"

#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOK_NS 5000000
/* Two nodes of a program are microseconds apart: this limit is for machines that stand still. */
#define HUNG_S COUNT(120u, 400u)

struct page *page;

void page_open(void)
{
    if (page)
        return;
    page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        abort();
}

/* Counters that grow in a healthy child. */
static long progress(void)
{
    const struct program_log *log = &page->log;

    return __atomic_load_n(&log->ran, __ATOMIC_RELAXED) + __atomic_load_n(&log->strays_done, __ATOMIC_RELAXED) +
           __atomic_load_n(&page->programs, __ATOMIC_RELAXED) + __atomic_load_n(&page->starts, __ATOMIC_RELAXED);
}

static void print_stacks(pid_t child)
{
    char command[200];

    snprintf(command, sizeof command, "gdb -p %d -batch -nx -ex 'thread apply all backtrace' 2>/dev/null", (int)child);
    fflush(stdout);
    if (system(command) != 0)
        puts("no gdb: no stacks");
}

/* The child's status after it has ended, by itself or killed because it hung. */
static int watch(pid_t child, void (*disturb)(pid_t child), bool *hung)
{
    long before = -1, moved;
    uint64_t since = now();
    int status;

    *hung = false;
    while (waitpid(child, &status, WNOHANG) == 0) {
        moved = progress();
        if (moved != before)
            since = now();
        before = moved;
        if (!*hung && now() - since > HUNG_S * UINT64_C(1000000000)) {
            *hung = true;
            print_stacks(child);
            kill(child, SIGKILL);
        } else if (disturb) {
            disturb(child);
        }
        nanosleep(&(struct timespec){0, LOOK_NS}, NULL);
    }
    return status;
}

bool guard_run(int (*body)(const void *argument), const void *argument, void (*disturb)(pid_t child))
{
    pid_t parent = getpid(), child;
    bool hung;
    int status;

    page->wrong[0] = 0;
    fflush(stdout);
    child = fork();
    if (child < 0)
        abort();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        _exit(getppid() == parent ? body(argument) : 1);
    }
    status = watch(child, disturb, &hung);
    if (status == 0)
        return true;
    page->failures++;
    if (hung)
        printf("seed %u: nothing has moved for %u s\n", page->seed, HUNG_S);
    else if (WIFSIGNALED(status))
        printf("seed %u: died of signal %d\n", page->seed, WTERMSIG(status));
    else
        printf("seed %u: %s\n", page->seed, page->wrong);
    return false;
}
