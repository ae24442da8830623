/* SPDX-License-Identifier: MIT */
/*
 * rgrep TEXT PATH... - prints the lines that contain TEXT in all files below the paths, as `grep -rIF` does, but
 * the files come in any order. It shows WS_BLOCKING: while one task waits for the disk, its worker runs other tasks.
 */
#define _GNU_SOURCE /* memmem, asprintf */
#include <dirent.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <wsfj.h>

static const char *wanted;
static atomic_bool matched, failed;

struct entry {
    char *text; /* of a file */
    size_t size;
    struct dirent **names; /* of a directory */
    int count;
};

/* Only this function reads errno, and it is not inlined: after a sync, a task may be on a thread with another errno. */
static __attribute__((noinline)) void report(const char *path)
{
    fprintf(stderr, "rgrep: %s: %s\n", path, strerror(errno));
    atomic_store(&failed, 1);
}

static void load(const char *path, struct entry *e)
{
    struct stat status;

    if (lstat(path, &status)) {
        report(path);
    } else if (S_ISREG(status.st_mode)) {
        FILE *file = fopen(path, "re");
        e->text = malloc((size_t)status.st_size + 1);
        e->size = file && e->text ? fread(e->text, 1, (size_t)status.st_size, file) : 0;
        if (!file || !e->text || ferror(file))
            report(path);
        if (file)
            fclose(file);
    } else if (S_ISDIR(status.st_mode) && (e->count = scandir(path, &e->names, NULL, alphasort)) < 0) {
        report(path);
    }
}

/* NULL: there is nothing below. */
static char *join(const char *path, const char *name)
{
    char *joined = NULL;

    if (strcmp(name, ".") && strcmp(name, "..") &&
        asprintf(&joined, "%s%s%s", path, path[strlen(path) - 1] == '/' ? "" : "/", name) < 0) {
        report(path);
        joined = NULL;
    }
    return joined;
}

/* The lock of stdout keeps the lines of a file together. No sync, no spawn and no blocking section is inside. */
static void print_matches(const char *path, const char *text, size_t size)
{
    if (size == 0 || memchr(text, 0, size) || !memmem(text, size, wanted, strlen(wanted)))
        return;
    flockfile(stdout);
    for (const char *line = text, *end = text + size, *next; line < end; line = next + 1) {
        next = memchr(line, '\n', (size_t)(end - line));
        next = next ? next : end;
        if (memmem(line, (size_t)(next - line), wanted, strlen(wanted))) {
            printf("%s:", path);
            fwrite(line, 1, (size_t)(next - line), stdout);
            putchar('\n');
            atomic_store(&matched, 1);
        }
    }
    funlockfile(stdout);
}

static WS_TASK_VOID(visit, char *, path) /* frees path */
{
    struct entry e = {NULL, 0, NULL, 0};

    WS_BLOCKING
    {
        load(path, &e);
    }
    print_matches(path, e.text, e.size);
    for (int i = 0; i < e.count; free(e.names[i++])) {
        char *below = join(path, e.names[i]->d_name);

        if (below)
            ws_spawn(visit, below);
    }
    free(e.names);
    free(e.text);
    free(path);
    ws_sync();
}

int main(int argc, char **argv)
{
    if (argc < 3 || strchr(argv[1], '\n'))
        return fputs("usage: rgrep TEXT PATH... (TEXT is one line)\n", stderr), 2;
    wanted = argv[1];
    for (char **path = argv + 2; *path; path++) {
        char *copy = strdup(*path);
        int error = copy ? ws_run(visit, copy) : ENOMEM;
        if (error)
            return fprintf(stderr, "rgrep: %s: %s\n", *path, ws_strerror(error)), 2;
    }
    if (ferror(stdout) || fclose(stdout))
        return fprintf(stderr, "rgrep: standard output: %s\n", strerror(errno)), 2;
    return failed ? 2 : !matched;
}
