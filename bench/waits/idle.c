/* SPDX-License-Identifier: MIT */
/* Many waits are open and nothing comes: no thread of the process should run. */
#include "waits.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>
#include <wsfj.h>

#define SECOND UINT64_C(1000000000)

static ws_event end = WS_EVENT_INIT;

static void wait_for_event(void *unused)
{
    (void)unused;
    waits_check("ws_event_wait", ws_event_wait(&end));
}

static void wait_for_descriptor(void *unused)
{
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

    (void)unused;
    waits_check("eventfd", fd < 0 ? errno : 0);
    waits_check("ws_wait_fd", ws_wait_fd(fd, POLLIN, WS_FOREVER));
}

static void wait_for_time(void *unused)
{
    (void)unused;
    waits_check("ws_sleep_until", ws_sleep_until(ws_now() + 3600 * SECOND));
}

/* How often threads other than the calling one have left a processor so far. */
static double switches(void)
{
    DIR *threads = opendir("/proc/self/task");
    double sum = 0;

    for (struct dirent *entry; threads && (entry = readdir(threads));) {
        char name[300], line[128];
        FILE *file;

        snprintf(name, sizeof name, "/proc/self/task/%s/status", entry->d_name);
        file = atol(entry->d_name) > 0 && atol(entry->d_name) != (long)getpid() ? fopen(name, "re") : NULL;
        while (file && fgets(line, sizeof line, file)) {
            const char *number = strstr(line, "ctxt_switches:");

            sum += number ? strtod(number + strlen("ctxt_switches:"), NULL) : 0;
        }
        if (file)
            fclose(file);
    }
    if (threads)
        closedir(threads);
    return sum;
}

void waits_idle(size_t n, int seconds)
{
    static ws_function *const kinds[] = {wait_for_event, wait_for_descriptor, wait_for_time};
    double before;

    waits_check("ws_init", ws_init(NULL));
    for (size_t i = 0; i < n; i++)
        waits_check("ws_submit", ws_submit(kinds[i % 3], NULL));
    nanosleep(&(struct timespec){2, 0}, NULL);
    before = switches();
    nanosleep(&(struct timespec){seconds, 0}, NULL);
    printf("%.0f\n", switches() - before);
    fflush(stdout);
    _exit(0); /* tasks still wait */
}
