/* SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dl_iterate_phdr() */
#endif
#include "late_dump.h"

#include "config/settings.h"
#include "worker/workers.h"

#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Workers do not block it, whatever the settings are. */
#define ASKING_SIGNAL SIGPROF

enum { SETTINGS, WORKERS, START, ASK, NAMES };
static const char *const names[NAMES] = {
    [SETTINGS] = "wsfj_settings",
    [WORKERS] = "wsfj_num_workers",
    [START] = "wsfj_monitor_start",
    [ASK] = "wsfj_monitor_ask",
};
static void *found[NAMES];

static bool found_all(void)
{
    for (int i = 0; i < NAMES; i++)
        if (!found[i])
            return false;
    return true;
}

static void look_up(const char *file, size_t size, const ElfW(Shdr) * table, const char *texts, ElfW(Addr) base)
{
    const ElfW(Sym) *symbols = (const void *)(file + table->sh_offset);

    if (table->sh_offset > size || table->sh_size > size - table->sh_offset)
        return;
    for (size_t i = 0; i < table->sh_size / sizeof *symbols; i++)
        for (int j = 0; symbols[i].st_value && j < NAMES; j++)
            if (strcmp(texts + symbols[i].st_name, names[j]) == 0)
                found[j] = (void *)(base + symbols[i].st_value);
}

static void look_into(const char *file, size_t size, ElfW(Addr) base)
{
    const ElfW(Ehdr) *head = (const void *)file;
    const ElfW(Shdr) *section = (const void *)(file + head->e_shoff);

    if (size < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_shoff > size ||
        head->e_shnum > (size - head->e_shoff) / sizeof *section)
        return;
    for (unsigned i = 0; i < head->e_shnum; i++)
        if (section[i].sh_type == SHT_SYMTAB && section[i].sh_link < head->e_shnum)
            look_up(file, size, &section[i], file + section[section[i].sh_link].sh_offset, base);
}

/* One loaded object: the program, or a library. */
static int look_at(struct dl_phdr_info *object, size_t unused, void *nothing)
{
    const char *path = object->dlpi_name;
    struct stat status;
    int fd;

    (void)unused;
    (void)nothing;
    if (*path && !strstr(path, "libwsfj"))
        return 0;
    memset(found, 0, sizeof found); /* all from the same object */
    fd = open(*path ? path : "/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status) != 0)
        return 0;

    size_t size = (size_t)status.st_size;
    char *file = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);

    close(fd);
    if (file == MAP_FAILED)
        return 0;
    look_into(file, size, object->dlpi_addr);
    munmap(file, size);
    return found_all();
}

const char *late_dump(void)
{
    struct wsfj_settings *settings;
    void (*start)(void), (*ask)(void);

    dl_iterate_phdr(look_at, NULL);
    if (!found_all())
        return "the program has no runtime, or no symbols";
    settings = found[SETTINGS];
    memcpy(&start, &found[START], sizeof start);
    memcpy(&ask, &found[ASK], sizeof ask);
    if (!*(const volatile unsigned *)found[WORKERS])
        return "its runtime is not started";
    if (!settings->dump_signal && !settings->watchdog && !settings->schedtrace) {
        settings->dump_signal = ASKING_SIGNAL;
        start();
        settings->dump_signal = SIGALRM; /* only for the first line: what ends the process */
    }
    ask();
    return NULL;
}
