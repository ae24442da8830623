/* SPDX-License-Identifier: MIT */
#include "profile/profile.h"

#include "arch/ticks.h"

#include <fcntl.h>
#include <unistd.h>

/* The first measurement of a tick takes this long; later ones are more exact. */
#define BASE_NS 2000000

static bool has_counter;
static uint64_t ticks_then, ns_then;

void wsfj_clock_start(void)
{
    has_counter = wsfj_ticks_count();
    ns_then = wsfj_now();
    ticks_then = wsfj_clock_read();
}

uint64_t wsfj_clock_read(void)
{
    return wsfj_ticks(has_counter) | 1; /* 0 means "not timed" */
}

double wsfj_clock_tick(void)
{
    uint64_t now = wsfj_now();

    if (!has_counter)
        return 1;
    while (now - ns_then < BASE_NS)
        now = wsfj_now();
    return (double)(now - ns_then) / (double)(wsfj_clock_read() - ticks_then);
}

/* The second number of schedstat. */
bool wsfj_clock_waited(uint64_t *waited)
{
    char text[80];
    unsigned long long ran, then;
    int file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    ssize_t n = file < 0 ? -1 : read(file, text, sizeof text - 1);

    if (file >= 0)
        close(file);
    if (n <= 0)
        return false;
    text[n] = '\0';
    if (sscanf(text, "%llu %llu", &ran, &then) != 2)
        return false;
    *waited = then;
    return true;
}
