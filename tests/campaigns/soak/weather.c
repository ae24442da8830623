/* SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* cpu_set_t */
#endif
#include "weather.h"

#include "base/chaos.h"
#include "idle/cpu_limit.h"

#include "../../random/ways.h"
#include "../../support/resources.h"
#include "../../stress/stress.h"
#include "page.h"

#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)
#define STRANGER 61234 /* a user id that no user has */

static void nap_us(long us)
{
    nanosleep(&(struct timespec){us / 1000000, us % 1000000 * 1000}, NULL);
}

/* For the storm's own draws. */
static unsigned roll(unsigned below)
{
    static uint64_t state;

    if (!state)
        state = now() | 1;
    return draw(&state, below);
}

/* All its threads stop wherever they are, and go on in any order; now and then after long. */
static void stop_and_go_on(pid_t child)
{
    static unsigned times;

    kill(child, SIGSTOP);
    nap_us(++times % 40 ? roll(20000) : 2000000);
    kill(child, SIGCONT);
    count(&page->strikes);
    nap_us(roll(3000));
}

/* Calls `act` with the id of each of this process's threads. */
static void for_each_thread(void (*act)(pid_t thread, void *context), void *context)
{
    DIR *dir = opendir("/proc/self/task");

    for (struct dirent *entry; dir && (entry = readdir(dir));)
        if (entry->d_name[0] != '.')
            act((pid_t)strtol(entry->d_name, NULL, 10), context);
    if (dir)
        closedir(dir);
}

struct choice {
    unsigned seen;
    pid_t chosen;
};

/* A thread of the library, or one that its tasks have made, with equal probability. */
static void choose(pid_t thread, void *context)
{
    struct choice *c = context;
    char path[64], name[16] = "";
    FILE *file;

    snprintf(path, sizeof path, "/proc/self/task/%d/comm", (int)thread);
    file = fopen(path, "r");
    if (file && fgets(name, sizeof name, file) && strncmp(name, "wsfj-", 5) == 0 && roll(++c->seen) == 0)
        c->chosen = thread;
    if (file)
        fclose(file);
}

static void repeat(void *(*body)(void *))
{
    pthread_t thread;
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, body, NULL) != 0)
        abort();
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void handle(int number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler}; /* without SA_RESTART: calls return early */

    sigemptyset(&action.sa_mask);
    if (sigaction(number, &action, NULL) != 0)
        abort();
}

static void doze(int number)
{
    static int times;
    int error = errno;

    (void)number;
    count(&page->strikes);
    nap_us(__atomic_fetch_add(&times, 1, __ATOMIC_RELAXED) % 8 ? 500 : 100000);
    errno = error;
}

static void *send_to_sleep(void *unused)
{
    for (;; nap_us(2000)) {
        struct choice c = {0, 0};

        for_each_thread(choose, &c);
        if (c.chosen)
            syscall(SYS_tgkill, getpid(), c.chosen, SIGPROF);
    }
    return unused;
}

/* Workers stop for at most 100 ms at any instruction: SIGPROF is the only signal they take. */
static void begin_dozing(void)
{
    handle(SIGPROF, doze);
    repeat(send_to_sleep);
}

/* The same between two steps of a protocol, where the library has a chaos point. */
#if CHAOS
#define AT_POINTS COUNT(200, 20)
#define POINTS_PER_ABSENCE 2000

static void stay_away(void)
{
    static unsigned points;
    int error = errno;

    if (mix(__atomic_fetch_add(&points, 1, __ATOMIC_RELAXED), 7) % POINTS_PER_ABSENCE == 0) {
        count(&page->strikes);
        nap_us(100000);
    }
    errno = error;
}

static void begin_absences(void)
{
    wsfj_chaos_too = stay_away;
}
#else
#define AT_POINTS 0
#define begin_absences NULL
#endif

static void touch_errno(int number)
{
    int error = errno;

    (void)number;
    count(&page->strikes);
    (void)close(-1);
    errno = error;
}

/* A signal to the process each 0.1 ms. */
static void begin_signals(void)
{
    struct itimerval often = {{0, 100}, {0, 100}};

    handle(SIGALRM, touch_errno);
    setitimer(ITIMER_REAL, &often, NULL);
}

static void crowd(struct setup *s, unsigned seed)
{
    (void)seed;
    s->config.num_workers = WORKERS_MOST;
}

static void move(pid_t thread, void *context)
{
    (void)sched_setaffinity(thread, sizeof(cpu_set_t), context);
}

/* As a system that makes room: moves the whole process at once, to one processor or more; now and then a single
 * thread. */
static void *move_threads(void *unused)
{
    cpu_set_t all, some;

    if (sched_getaffinity(0, sizeof all, &all) != 0)
        return unused;
    for (;; nap_us(roll(10000))) {
        struct choice c = {0, 0};

        CPU_ZERO(&some);
        for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++)
            if (CPU_ISSET(cpu, &all) && roll(2))
                CPU_SET(cpu, &some);
        if (CPU_COUNT(&some) == 0)
            continue;
        if (roll(4)) {
            for_each_thread(move, &some);
        } else {
            for_each_thread(choose, &c);
            move(c.chosen, &some);
        }
        count(&page->strikes);
    }
    return unused;
}

/* The number of workers follows the mask, which is read far more often than usual. */
static void begin_moves(void)
{
    wsfj_cpu_limit_period = 1000000;
    repeat(move_threads);
}

static void follow_mask(struct setup *s, unsigned seed)
{
    (void)seed;
    s->config.num_workers = 0;
}

/* malloc() has all the memory it needs: the library's own mappings fail. musl's malloc() gives back free memory. */
#ifdef M_ARENA_MAX
#define IN_SHORTAGE COUNT(800, 0)

static void begin_shortage(void)
{
    void *block;

    mallopt(M_ARENA_MAX, 1);
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    block = malloc(32 * MIB);
    if (!block)
        abort();
    memset(block, 1, 32 * MIB);
    free(block);
}
#else
#define IN_SHORTAGE 0
#define begin_shortage NULL
#endif

static void leave_little_memory(struct setup *s, unsigned seed)
{
    struct rlimit limit;
    unsigned mib = (unsigned)(mix(seed / GROUP, 5) % 500);

    s->may &= ~(unsigned)PROGRAM_HOLD;
    s->config.stack_size = 0;
    s->size_bits = 9;
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = address_space() + mib * MIB;
    if (setrlimit(RLIMIT_AS, &limit) != 0)
        abort();
}

/* Root has no limit: the number of another user's processes is limited. */
static void become_stranger(void)
{
    if (geteuid() == 0 && (setgroups(0, NULL) != 0 || setgid(STRANGER) != 0 || setuid(STRANGER) != 0))
        abort();
    prctl(PR_SET_DUMPABLE, 1);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static void leave_few_threads(struct setup *s, unsigned seed)
{
    struct rlimit limit;

    s->may &= ~(unsigned)PROGRAM_HOLD; /* a thread that calls in needs a slot whose worker has one */
    s->config.max_spares = WS_SPARES_DEFAULT;
    getrlimit(RLIMIT_NPROC, &limit);
    limit.rlim_cur = 1 + mix(seed / GROUP, 6) % (s->config.num_workers + 4);
    if (setrlimit(RLIMIT_NPROC, &limit) != 0)
        abort();
}

/* Not where a sanitizer takes errno in a handler for another fiber's. */
#define WITH_HANDLER(normal, sanitized) (SANITIZED_THREAD ? 0 : COUNT(normal, sanitized))

const struct storm storms[] = {
    {"stopped and continued", COUNT(200, 40), NULL, NULL, stop_and_go_on, false, true},
    {"workers away for up to 100 ms", WITH_HANDLER(200, 20), begin_dozing, NULL, NULL, false, true},
    {"workers away for 100 ms at protocol points", AT_POINTS, begin_absences, NULL, NULL, false, true},
    {"10000 signals a second", WITH_HANDLER(400, 40), begin_signals, NULL, NULL, false, true},
    {"33 workers", COUNT(200, 20), NULL, crowd, NULL, false, false},
    {"affinity that changes", COUNT(400, 40), begin_moves, follow_mask, NULL, false, true},
    {"few threads", COUNT(400, 40), become_stranger, leave_few_threads, NULL, true, false},
    {"little address space", IN_SHORTAGE, begin_shortage, leave_little_memory, NULL, true, false},
};
const int num_storms = sizeof storms / sizeof *storms;
