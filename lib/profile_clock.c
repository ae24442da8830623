/* SPDX-License-Identifier: MIT */
#include "profile.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#if defined __x86_64__
#include <cpuid.h>
#endif

/* A tick is known this well at the first look, and better later. */
#define BASE_NS 2000000

static bool has_counter;
static uint64_t ticks_then, ns_then;

static uint64_t monotonic(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Whether the processor's counter goes on at the same pace whatever the processor does. */
static bool counter_is_steady(void)
{
#if defined __x86_64__
    unsigned a, b, c, d;

    return __get_cpuid(0x80000007, &a, &b, &c, &d) && d >> 8 & 1;
#elif defined __aarch64__
    return true;
#else
    return false;
#endif
}

static inline uint64_t counter(void)
{
#if defined __x86_64__
    return __builtin_ia32_rdtsc();
#elif defined __aarch64__
    uint64_t ticks;

    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return 0;
#endif
}

void wsfj_clock_start(void)
{
    has_counter = counter_is_steady();
    ns_then = monotonic();
    ticks_then = wsfj_clock_read();
}

uint64_t wsfj_clock_read(void)
{
    return (has_counter ? counter() : monotonic()) | 1; /* 0 is for "not timed" */
}

double wsfj_clock_tick(void)
{
    uint64_t now = monotonic();

    if (!has_counter)
        return 1;
    while (now - ns_then < BASE_NS)
        now = monotonic();
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
