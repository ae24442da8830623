/* SPDX-License-Identifier: MIT */
#include "signals/symbols.h"

#include "base/procfile.h"
#include "signals/task_name.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* How many symbols are read at once, and how many headers of a file at most. */
#define AT_ONCE 256

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* A cache by address, because stacks have many frames in common. Under the mutex. */
#define KEPT 64
static struct {
    uintptr_t address;
    bool found;
    struct wsfj_symbol symbol;
} kept[KEPT];

/* The mapping at an address. */
struct mapping {
    uintptr_t start, end, offset;
    char path[512]; /* empty: no file */
};

/* Without /proc, any address may be code: returns true, and `m` has no file. */
static bool find_mapping(uintptr_t address, struct mapping *m)
{
    struct wsfj_procfile file = {.fd = wsfj_procfile_open(AT_FDCWD, "/proc/self/maps", 0)};
    char line[640];
    bool found = false;

    m->path[0] = '\0';
    if (file.fd < 0)
        return true;
    while (!found && wsfj_procfile_line(&file, line, sizeof line)) {
        char rights[8] = "";
        int path = 0;

        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %7s %" SCNxPTR " %*s %*s %n", &m->start, &m->end, rights,
                   &m->offset, &path) < 4)
            continue;
        found = address >= m->start && address < m->end && strchr(rights, 'x');
        if (found)
            snprintf(m->path, sizeof m->path, "%s", path ? line + path : "");
    }
    close(file.fd);
    return found;
}

static bool read_at(int fd, void *to, size_t size, uint64_t offset)
{
    return pread(fd, to, size, (off_t)offset) == (ssize_t)size;
}

/* Turns an offset in the file into an address of its symbol table. */
static bool to_address(int fd, const Elf64_Ehdr *header, uint64_t offset, uint64_t *address)
{
    for (unsigned i = 0; i < header->e_phnum && i < AT_ONCE; i++) {
        Elf64_Phdr p;

        if (!read_at(fd, &p, sizeof p, header->e_phoff + (uint64_t)i * sizeof p))
            return false;
        if (p.p_type == PT_LOAD && offset >= p.p_offset && offset - p.p_offset < p.p_filesz) {
            *address = offset - p.p_offset + p.p_vaddr;
            return true;
        }
    }
    return false;
}

/* The function of one table that contains the address. */
static bool search_table(int fd, const Elf64_Shdr *table, uint64_t address, Elf64_Sym *found)
{
    Elf64_Sym symbols[AT_ONCE];
    uint64_t count = table->sh_size / sizeof *symbols;

    for (uint64_t first = 0; first < count; first += AT_ONCE) {
        size_t n = count - first < AT_ONCE ? (size_t)(count - first) : AT_ONCE;

        if (!read_at(fd, symbols, n * sizeof *symbols, table->sh_offset + first * sizeof *symbols))
            return false;
        for (size_t i = 0; i < n; i++) {
            const Elf64_Sym *s = &symbols[i];

            /* A function of size 0 (assembly) matches its first address only. */
            if (ELF64_ST_TYPE(s->st_info) == STT_FUNC && s->st_shndx != SHN_UNDEF && address >= s->st_value &&
                address - s->st_value < (s->st_size ? s->st_size : 1)) {
                *found = *s;
                return true;
            }
        }
    }
    return false;
}

static void read_name(int fd, uint64_t offset, char *name, size_t room)
{
    ssize_t n = pread(fd, name, room - 1, (off_t)offset);

    name[n < 0 ? 0 : n] = '\0';
}

static void name_function(int fd, const Elf64_Ehdr *header, uint64_t address, struct wsfj_symbol *symbol)
{
    static const uint32_t kinds[] = {SHT_SYMTAB, SHT_DYNSYM};

    for (size_t k = 0; k < 2; k++) {
        for (unsigned i = 0; i < header->e_shnum && i < AT_ONCE; i++) {
            Elf64_Shdr table, names;
            Elf64_Sym s;

            if (!read_at(fd, &table, sizeof table, header->e_shoff + (uint64_t)i * sizeof table))
                return;
            if (table.sh_type != kinds[k] || table.sh_link >= header->e_shnum ||
                !read_at(fd, &names, sizeof names, header->e_shoff + (uint64_t)table.sh_link * sizeof names) ||
                !search_table(fd, &table, address, &s))
                continue;
            read_name(fd, names.sh_offset + s.st_name, symbol->function, sizeof symbol->function);
            symbol->offset = (uintptr_t)(address - s.st_value);
            return;
        }
    }
}

/*
 * Finds where a spawn or sync continues after its slow-path exit. On x86-64 the exit lies outside of all functions
 * (include/wsfj/inline/fastpath.h), raises the stack pointer and jumps back. `offset` in the file and `address` are
 * those of the instruction after the call.
 */
static bool jumps_back(int fd, uint64_t offset, uint64_t *address)
{
#if defined __x86_64__
    static const unsigned char lea[] = {0x48, 0x8d, 0xa4, 0x24}; /* disp32(%rsp), %rsp */
    unsigned char code[14];
    size_t jump = sizeof lea + 4, length;
    int8_t near;
    int32_t far;

    if (!read_at(fd, code, sizeof code, offset) || memcmp(code, lea, sizeof lea) != 0)
        return false;
    switch (code[jump]) {
    case 0x74:
    case 0x75:
    case 0xeb: length = 2; break; /* je, jne, jmp */
    case 0xe9: length = 5; break;
    case 0x0f: length = code[jump + 1] == 0x84 || code[jump + 1] == 0x85 ? 6 : 0; break;
    default: length = 0;
    }
    if (length == 0)
        return false;
    memcpy(&near, &code[jump + 1], sizeof near);
    memcpy(&far, &code[jump + (length > 2 ? length - 4 : 0)], sizeof far);
    *address += jump + length + (uint64_t)(int64_t)(length > 2 ? far : near);
    return true;
#else
    (void)fd;
    (void)offset;
    (void)address;
    return false;
#endif
}

/* If the file was replaced since it was mapped, names are wrong or missing, and nothing worse happens. */
static void look_up(const struct mapping *m, uintptr_t address, struct wsfj_symbol *symbol)
{
    int fd = m->path[0] == '/' ? wsfj_procfile_open(AT_FDCWD, m->path, O_NONBLOCK) : -1;
    Elf64_Ehdr header;
    uint64_t offset = address - m->start + m->offset, in_file, back;

    if (fd < 0)
        return;
    if (read_at(fd, &header, sizeof header, 0) && memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
        header.e_ident[EI_CLASS] == ELFCLASS64 && to_address(fd, &header, offset, &in_file)) {
        symbol->address = (uintptr_t)in_file;
        name_function(fd, &header, in_file, symbol);
        back = in_file + 1;
        if (!symbol->function[0] && jumps_back(fd, offset + 1, &back)) {
            symbol->address = (uintptr_t)back;
            name_function(fd, &header, back, symbol);
        }
        symbol->is_task = wsfj_task_name(symbol->function);
    }
    close(fd);
}

static bool find(uintptr_t address, struct wsfj_symbol *symbol)
{
    struct mapping m;
    const char *slash;

    memset(symbol, 0, sizeof *symbol);
    if (!find_mapping(address, &m))
        return false;
    slash = strrchr(m.path, '/');
    snprintf(symbol->object, sizeof symbol->object, "%.63s", slash ? slash + 1 : m.path);
    look_up(&m, address, symbol);
    return true;
}

bool wsfj_symbol_find(uintptr_t address, struct wsfj_symbol *symbol)
{
    size_t i = (address ^ address >> 6 ^ address >> 12) % KEPT;
    bool found;

    if (!address)
        return false;
    pthread_mutex_lock(&mutex);
    if (kept[i].address != address) {
        kept[i].found = find(address, &kept[i].symbol);
        kept[i].address = address;
    }
    *symbol = kept[i].symbol;
    found = kept[i].found;
    pthread_mutex_unlock(&mutex);
    return found;
}

void wsfj_symbols_forget(void)
{
    pthread_mutex_lock(&mutex);
    memset(kept, 0, sizeof kept);
    pthread_mutex_unlock(&mutex);
}

void wsfj_symbols_forget_threads(void)
{
    pthread_mutex_init(&mutex, NULL);
    memset(kept, 0, sizeof kept);
}
