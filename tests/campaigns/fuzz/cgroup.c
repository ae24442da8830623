/* SPDX-License-Identifier: MIT */
/*
 * The kernel's files about control groups, below a directory that stands for /: mountinfo, cgroup, then for each of
 * three groups below each other cpu.max, cpu.cfs_quota_us and cpu.cfs_period_us, with a zero byte between them
 * (lib/machine/cgroup.h). Reads are interrupted and short, by how much the length of the input says. Catches: a line or path that
 * is longer than its buffer; a limit that stands in none of the files, or changes with the way it is read; a file that
 * stays open; errno that changes.
 */
#include "fuzz.h"

#include "machine/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char fuzz_name[] = "cgroup";
const bool fuzz_memory_is_ours = true;

static const char *const names[] = {"proc/self/mountinfo",    "proc/self/cgroup",       "c/cpu.max",
                                    "c/cpu.cfs_quota_us",     "c/cpu.cfs_period_us",    "c/a/cpu.max",
                                    "c/a/cpu.cfs_quota_us",   "c/a/cpu.cfs_period_us",  "c/a/b/cpu.max",
                                    "c/a/b/cpu.cfs_quota_us", "c/a/b/cpu.cfs_period_us"};
#define FILES (sizeof names / sizeof *names)

static char top[256];

/* 0: reads are as ever. Else the most that a read gives, after one that is interrupted. */
static size_t piece;

ssize_t __real_read(int fd, void *to, size_t n);
ssize_t __wrap_read(int fd, void *to, size_t n);

ssize_t __wrap_read(int fd, void *to, size_t n)
{
    static bool again;

    if (!piece)
        return __real_read(fd, to, n);
    again = !again;
    if (again) {
        errno = EINTR;
        return -1;
    }
    return __real_read(fd, to, n < piece ? n : piece);
}

static void remove_all(void)
{
    static const char *const directories[] = {"c/a/b", "c/a", "c", "proc/self", "proc", "."};
    int at = open(top, O_PATH | O_DIRECTORY);

    for (size_t i = 0; i < FILES; i++)
        unlinkat(at, names[i], 0);
    for (size_t i = 0; i + 1 < sizeof directories / sizeof *directories; i++)
        unlinkat(at, directories[i], AT_REMOVEDIR);
    close(at);
    rmdir(top);
}

static void make_top(void)
{
    static const char *const directories[] = {"proc", "proc/self", "c", "c/a", "c/a/b"};
    const char *where = getenv("TMPDIR");
    int at;

    if (*top)
        return;
    snprintf(top, sizeof top, "%.200s/wsfj-fuzz-XXXXXX", where && *where ? where : "/tmp");
    must(mkdtemp(top));
    atexit(remove_all);
    at = open(top, O_PATH | O_DIRECTORY);
    for (size_t i = 0; i < sizeof directories / sizeof *directories; i++)
        must(mkdirat(at, directories[i], 0755) == 0);
    close(at);
}

static void write_files(const struct fuzz_texts *texts)
{
    int at = open(top, O_PATH | O_DIRECTORY);

    for (size_t i = 0; i < FILES; i++) {
        (void)unlinkat(at, names[i], 0);
        if (i >= texts->n)
            continue;

        int fd = openat(at, names[i], O_WRONLY | O_CREAT | O_EXCL, 0644);
        size_t n = strlen(texts->at[i]);

        must(fd >= 0 && write(fd, texts->at[i], n) == (ssize_t)n);
        close(fd);
    }
    close(at);
}

/* How many numbers the first line has, with one blank between them. 0 if it has anything else, or one too large. */
static size_t numbers(const char *text, unsigned long long value[2])
{
    size_t length = strcspn(text, "\n"), found = 0;

    if (strspn(text, "0123456789 ") < length)
        return 0;
    for (const char *end = text + length; text < end && found < 2; text++) {
        char *stop;

        errno = 0;
        value[found++] = strtoull(text, &stop, 10);
        if (errno || stop == text || *text == ' ')
            return 0;
        text = stop;
    }
    return found;
}

static bool stands(unsigned limit, unsigned long long quota, unsigned long long period)
{
    return quota && period && limit == (quota < period ? 1 : quota / period);
}

/* Whether the limit is that of one of the groups. */
static bool has_source(unsigned limit, const struct fuzz_texts *texts)
{
    for (size_t i = 2; i < texts->n && i < FILES; i += 3) {
        unsigned long long v2[2], quota[2], period[2];

        if (numbers(texts->at[i], v2) == 2 && stands(limit, v2[0], v2[1]))
            return true;
        if (i + 2 < texts->n && numbers(texts->at[i + 1], quota) == 1 && numbers(texts->at[i + 2], period) == 1 &&
            stands(limit, quota[0], period[0]))
            return true;
    }
    return false;
}

static unsigned open_files(void)
{
    unsigned n = 0;

    for (int fd = 0; fd < 64; fd++)
        n += fcntl(fd, F_GETFD) != -1;
    return n;
}

/* A file of the kernel's ends with its first line: where a read ends means nothing then. */
static bool are_lines(const struct fuzz_texts *texts)
{
    for (size_t i = 2; i < texts->n; i++) {
        const char *end = strchr(texts->at[i], '\n');

        if (end && end[1])
            return false;
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct wsfj_cgroup quota; /* 13 KiB */
    struct fuzz_texts texts = fuzz_cut(data, size);
    unsigned files;

    make_top();
    write_files(&texts);
    files = open_files();
    errno = ERANGE;
    piece = size % 97 + 1;
    wsfj_cgroup_find(&quota, top);
    must(quota.num_mounts <= WSFJ_CGROUP_MOUNTS && quota.text_used <= sizeof quota.text);

    unsigned limit = wsfj_cgroup_read(&quota);

    must(wsfj_cgroup_read(&quota) == limit);
    must(errno == ERANGE);
    piece = 0;
    must(wsfj_cgroup_read(&quota) == limit || !are_lines(&texts));
    must(limit >= 1);
    must(limit == WSFJ_CGROUP_NONE || has_source(limit, &texts));
    must(open_files() == files);
    fuzz_free(&texts);
    return 0;
}
