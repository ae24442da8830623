/* SPDX-License-Identifier: MIT */
#include "machine/delay.h"

#include "base/procfile.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

uint64_t wsfj_delay_switches(void)
{
    struct rusage usage;

    return getrusage(RUSAGE_THREAD, &usage) == 0 ? (uint64_t)usage.ru_nivcsw : 0;
}

void wsfj_delay_read(struct wsfj_delay *d, pid_t thread)
{
    char name[48], text[80];
    const char *at = text;
    ssize_t n;
    int fd;

    snprintf(name, sizeof name, "/proc/self/task/%d/schedstat", (int)thread);
    fd = wsfj_procfile_open(AT_FDCWD, name, 0);
    n = fd < 0 ? -1 : wsfj_procfile_read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    d->known = wsfj_procfile_number(&at, &d->ran) && *at++ == ' ' && wsfj_procfile_number(&at, &d->waited) &&
               *at++ == ' ' && wsfj_procfile_number(&at, &d->turns);
}
