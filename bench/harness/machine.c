/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE 1 /* sched_getaffinity() */
#include "machine.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <wsfj.h>

#define TEXT(macro) TEXT_OF(macro)
#define TEXT_OF(value) #value

#if defined __clang__
#define COMPILER "clang " TEXT(__clang_major__) "." TEXT(__clang_minor__) "." TEXT(__clang_patchlevel__)
#elif defined __GNUC__
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

/* More CPUs than any machine has; the kernel refuses a mask that is too short. */
#define CPUS_MOST (1 << 16)

size_t machine_cpus(void)
{
    for (int most = CPU_SETSIZE; most <= CPUS_MOST; most *= 2) {
        cpu_set_t *set = CPU_ALLOC((size_t)most);
        size_t bytes = CPU_ALLOC_SIZE((size_t)most);
        int n = set && sched_getaffinity(0, bytes, set) == 0 ? CPU_COUNT_S(bytes, set) : 0;

        CPU_FREE(set);
        if (n > 0)
            return (size_t)n;
    }
    return 1;
}

/* The text without blanks at its ends; bytes that are not printable ASCII become '?'. */
static void copy_clean(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from + strspn(from, " \t"));
    for (size_t n = strlen(to); n > 0 && strchr(" \t\r\n", to[n - 1]); n--)
        to[n - 1] = '\0';
    for (; *to; to++) {
        if (*to < ' ' || *to > '~')
            *to = '?';
    }
}

/* The first "model name" of /proc/cpuinfo; without one (aarch64) the kind of machine. */
static void read_cpu_model(char *to, size_t size, const char *otherwise)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256];

    copy_clean(to, size, otherwise);
    if (!file)
        return;
    while (fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');

        if (colon && strncmp(line, "model name", 10) == 0) {
            copy_clean(to, size, colon + 1);
            break;
        }
    }
    fclose(file);
}

void machine_read(struct machine *machine)
{
    struct utsname u;
    char kernel[sizeof u.sysname + sizeof u.release + 1];

    *machine = (struct machine){.cpus = machine_cpus(), .compiler = COMPILER};
    if (uname(&u) < 0)
        u = (struct utsname){.sysname = "unknown", .machine = "unknown"};
    snprintf(kernel, sizeof kernel, "%s %s", u.sysname, u.release);
    copy_clean(machine->kernel, sizeof machine->kernel, kernel);
    read_cpu_model(machine->cpu_model, sizeof machine->cpu_model, u.machine);
    (void)ws_version(&machine->version);
}

void machine_print(const struct machine *machine)
{
    printf("%s, %zu CPU%s; %s; %s; libwsfj %s", machine->cpu_model, machine->cpus, machine->cpus == 1 ? "" : "s",
           machine->kernel, machine->compiler, machine->version);
}
