/* SPDX-License-Identifier: MIT */
/* Names of addresses: functions and lines from addr2line, which runs beside the program, variables from the symbol table. */
#define _GNU_SOURCE
#include "report.h"

#include "signals/task_name.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

struct module {
    const struct link_map *map;
    const char *file;
    FILE *ask, *answer;
    const Elf64_Sym *symbols;
    const char *strings;
    size_t n_symbols;
    struct module *next;
};

static struct module *modules;

static int spawn_addr2line(struct module *m)
{
    char name[] = "addr2line", flags[] = "-afiCe";
    char *file = strdup(m->file), *arguments[] = {name, flags, file, NULL};
    int to[2], from[2], error = -1;
    posix_spawn_file_actions_t actions;
    pid_t pid;

    if (!file || pipe2(to, O_CLOEXEC) != 0)
        return -1;
    if (pipe2(from, O_CLOEXEC) == 0 && posix_spawn_file_actions_init(&actions) == 0) {
        (void)posix_spawn_file_actions_adddup2(&actions, to[0], 0);
        (void)posix_spawn_file_actions_adddup2(&actions, from[1], 1);
        (void)posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
        error = posix_spawnp(&pid, name, &actions, NULL, arguments, environ);
        (void)posix_spawn_file_actions_destroy(&actions);
        (void)close(from[1]);
        if (error)
            (void)close(from[0]);
    }
    (void)close(to[0]);
    if (error) {
        (void)close(to[1]);
        return -1;
    }
    m->ask = fdopen(to[1], "w");
    m->answer = fdopen(from[0], "r");
    return m->ask && m->answer ? 0 : -1;
}

/* The symbol table of the file, which has static variables, too. */
static void read_symbols(struct module *m)
{
    int fd = open(m->file, O_RDONLY | O_CLOEXEC);
    struct stat s;
    const char *p;
    const Elf64_Ehdr *head;
    const Elf64_Shdr *sections;

    if (fd < 0)
        return;
    p = fstat(fd, &s) == 0 ? mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    (void)close(fd);
    if (p == MAP_FAILED)
        return;
    head = (const void *)p;
    sections = (const void *)(p + head->e_shoff);
    for (size_t i = 0; i < head->e_shnum; i++)
        if (sections[i].sh_type == SHT_SYMTAB) {
            m->symbols = (const void *)(p + sections[i].sh_offset);
            m->n_symbols = sections[i].sh_size / sizeof *m->symbols;
            m->strings = p + sections[sections[i].sh_link].sh_offset;
        }
}

static struct module *module_of(uintptr_t a)
{
    static int told;
    struct link_map *map = NULL;
    struct module *m;
    char *path;
    Dl_info info;

    if (!dladdr1((void *)a, &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
        return NULL;
    for (m = modules; m; m = m->next)
        if (m->map == map)
            return m;
    m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    path = map->l_name[0] ? strdup(map->l_name) : realpath("/proc/self/exe", NULL);
    m->map = map;
    m->file = path ? path : "";
    m->next = modules;
    modules = m;
    read_symbols(m);
    if (spawn_addr2line(m) != 0 && !told++)
        race_say("addr2line (binutils) cannot be started: the reports have no lines");
    return m;
}

/** A path as seen from the working folder. */
const char *race_relative(const char *file)
{
    static char *here;
    size_t n;

    if (!here && !(here = getcwd(NULL, 0)))
        return file;
    n = strlen(here);
    return strncmp(file, here, n) == 0 && file[n] == '/' ? file + n + 1 : file;
}

/* The name to show: of a task, its own. */
static char *shown_name(char *function)
{
    if (!wsfj_task_name(function) && !strchr(function, '(')) /* of gcc: fib.constprop.0 */
        function[strcspn(function, ".")] = 0;
    return function;
}

/* Whether a function's name begins so, behind the namespaces of C++. */
static int is_named(const char *function, const char *begin)
{
    const char *at = strstr(function, begin);

    return at && (at == function || at[-1] == ':');
}

struct answer {
    uintptr_t pc;
    struct place *places;
    size_t n;
    struct answer *next;
};

/* Two lines for each place: the function, file:line. A question about address 0 marks the end. */
static void ask(struct module *m, uintptr_t pc, struct answer *a)
{
    static char *line;
    static size_t room;
    int ended = 0;

    (void)fprintf(m->ask, "%#lx\n0\n", (unsigned long)(pc - 1 - m->map->l_addr));
    (void)fflush(m->ask);
    (void)getline(&line, &room, m->answer); /* the address */
    while (getline(&line, &room, m->answer) > 0) {
        struct place p = {NULL, NULL, 0, 0, 0};
        char *colon;

        line[strcspn(line, "\n")] = 0;
        if (strncmp(line, "0x", 2) == 0) {
            ended = 1; /* the answer about 0 follows */
            continue;
        }
        p.body = is_named(line, "wsfj_body_1_") ? 2 : is_named(line, "wsfj_body_");
        p.stores_result = is_named(line, "wsfj_raced_") || strstr(line, "wsfj_children::wsfj_push<") ||
                          strstr(line, "wsfj_children::wsfj_do<");
        p.function = strcmp(line, "??") == 0 ? NULL : strdup(shown_name(line));
        if (getline(&line, &room, m->answer) <= 0 || ended)
            return;
        colon = strrchr(line, ':');
        if (colon && line[0] != '?') {
            *colon = 0;
            p.file = strdup(race_relative(line));
            p.line = (unsigned)strtoul(colon + 1, NULL, 10);
        }
        a->places = realloc(a->places, (a->n + 1) * sizeof *a->places);
        if (!a->places)
            race_die("no memory");
        a->places[a->n++] = p;
    }
}

/** The places of the code before `pc`: the line, then those that have inlined it. At least one. */
size_t race_places(uintptr_t pc, const struct place **places)
{
    static struct answer *answers[4096];
    struct answer **slot = &answers[pc * UINT64_C(0x9e3779b97f4a7c15) >> 52], *a;
    struct module *m;

    for (a = *slot; a; a = a->next)
        if (a->pc == pc)
            break;
    if (!a) {
        a = calloc(1, sizeof *a);
        if (!a)
            race_die("no memory");
        a->pc = pc;
        m = module_of(pc);
        if (m && m->answer)
            ask(m, pc, a);
        if (!a->n) {
            a->places = calloc(1, sizeof *a->places);
            if (!a->places)
                race_die("no memory");
            a->n = 1;
        }
        a->next = *slot;
        *slot = a;
    }
    *places = a->places;
    return a->n;
}

/* Of C++: _ZL5total is `total`, and _ZN4bankL5totalE is `bank::total`. Other mangled names stay as they are. */
static const char *plain_name(const char *name)
{
    static char plain[200];
    const int nested = strncmp(name, "_ZN", 3) == 0;
    const char *s = name + (nested ? 3 : 2);
    size_t used = 0;

    if (strncmp(name, "_Z", 2) != 0)
        return name;
    do {
        char *part;
        size_t n = strtoul(s + (*s == 'L'), &part, 10);

        if (!n || strlen(part) < n || used + n + 3 > sizeof plain)
            return name;
        used += (size_t)sprintf(plain + used, "%s%.*s", used ? "::" : "", (int)n, part);
        s = part + n;
    } while (nested && *s && *s != 'E');
    return strcmp(s, nested ? "E" : "") == 0 ? plain : name;
}

/** The global variable at an address, and how far behind its begin; NULL: none. */
const char *race_variable(uintptr_t a, uintptr_t *offset)
{
    struct module *m = module_of(a);

    for (size_t i = 0; m && i < m->n_symbols; i++) {
        const Elf64_Sym *s = &m->symbols[i];
        const uintptr_t begin = s->st_value + m->map->l_addr;

        if (ELF64_ST_TYPE(s->st_info) == STT_OBJECT && s->st_size && a - begin < s->st_size) {
            *offset = a - begin;
            return plain_name(m->strings + s->st_name);
        }
    }
    return NULL;
}

/** Whether the code is the detector's. */
int race_is_own(uintptr_t pc)
{
    Dl_info here, there;

    return dladdr((void *)(uintptr_t)race_is_own, &here) && dladdr((void *)pc, &there) &&
           here.dli_fbase == there.dli_fbase;
}
