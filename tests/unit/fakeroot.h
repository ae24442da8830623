/* SPDX-License-Identifier: MIT */
/* A directory that stands for /: files with text as the kernel's, made for one test and removed after it. */
#ifndef TESTS_UNIT_FAKEROOT_H
#define TESTS_UNIT_FAKEROOT_H

#include "../support/run.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char fakeroot[512];

static inline void fakeroot_make(void)
{
    const char *where = getenv("TMPDIR");

    snprintf(fakeroot, sizeof fakeroot, "%s/wsfj-root-XXXXXX", where && *where ? where : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(fakeroot));
    ck_assert_int_eq(chmod(fakeroot, 0755), 0);
}

/* Removes the content of the directory `name` of `above`, then the directory. Level by level: a whole path may be
 * longer than the kernel accepts. */
static inline void fakeroot_empty(int above, const char *name)
{
    int fd = openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    DIR *directory = fd >= 0 ? fdopendir(fd) : NULL;

    for (struct dirent *entry; directory && (entry = readdir(directory));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && unlinkat(fd, entry->d_name, 0) != 0)
            fakeroot_empty(fd, entry->d_name);
    if (directory)
        closedir(directory);
    ck_assert_int_eq(unlinkat(above, name, AT_REMOVEDIR), 0);
}

static inline void fakeroot_remove(void)
{
    fakeroot_empty(AT_FDCWD, fakeroot);
}

/* The directory of `path` below the root, open, with all directories above it; *name is what follows the last slash. */
static inline int fakeroot_directory(const char *path, const char **name)
{
    int at = open(fakeroot, O_PATH | O_DIRECTORY);

    ck_assert_int_ge(at, 0);
    for (const char *slash; path += strspn(path, "/"), (slash = strchr(path, '/')); path = slash) {
        char component[256];

        snprintf(component, sizeof component, "%.*s", (int)(slash - path), path);
        (void)mkdirat(at, component, 0755);

        int next = openat(at, component, O_PATH | O_DIRECTORY);

        ck_assert_msg(next >= 0, "%s", path);
        close(at);
        at = next;
    }
    *name = path;
    return at;
}

/* Writes the file; replaces an old one. */
static inline void fakeroot_file(const char *path, const char *text)
{
    const char *name;
    int directory = fakeroot_directory(path, &name);
    int fd = openat(directory, name, O_WRONLY | O_CREAT | O_TRUNC, 0644);

    ck_assert_msg(fd >= 0, "%s", path);
    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    close(directory);
}

/* For tests that what reads the files closes them. */
static inline unsigned open_files(void)
{
    DIR *directory = opendir("/proc/self/fd");
    unsigned n = 0;

    while (readdir(directory))
        n++;
    closedir(directory);
    return n;
}

#endif
