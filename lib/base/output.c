/* SPDX-License-Identifier: MIT */
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* What descriptor 2 was when the library was loaded. */
static struct {
    bool known, closed;
    dev_t device;
    ino_t inode;
} at_load;

/* Also called by a program that contains the library and writes a line before this constructor has run. */
__attribute__((constructor)) static void look_at_stderr(void)
{
    struct stat file = {.st_ino = 0};

    if (at_load.known)
        return;
    at_load.closed = fstat(STDERR_FILENO, &file) != 0 && errno == EBADF;
    at_load.device = file.st_dev;
    at_load.inode = file.st_ino;
    at_load.known = true;
}

/* True of a file that got the number 2 by chance, because it was free: a database, which is read, too. A log is only
 * written. */
static bool is_by_chance(const struct stat *file)
{
    int flags;

    if (!S_ISREG(file->st_mode) && !S_ISBLK(file->st_mode))
        return false;
    if (file->st_dev == at_load.device && file->st_ino == at_load.inode)
        return false;
    flags = fcntl(STDERR_FILENO, F_GETFL);
    return flags >= 0 && (flags & O_ACCMODE) != O_WRONLY;
}

int wsfj_output_stderr(void)
{
    int before = errno, fd = STDERR_FILENO;
    struct stat now;

    look_at_stderr();
    if (at_load.closed || (fstat(STDERR_FILENO, &now) == 0 && is_by_chance(&now)))
        fd = -1;
    errno = before;
    return fd;
}

/* The stream that the name means, or -1. The caller duplicates the stream: opening the name would truncate the file
 * that the stream may lead to. */
static int stream_of(const char *path)
{
    if (strcmp(path, "/dev/stderr") == 0)
        return STDERR_FILENO;
    return strcmp(path, "/dev/stdout") == 0 ? STDOUT_FILENO : -1;
}

/* In a program that has closed stderr, our file must not get stderr's number. */
static int beyond_stderr(int fd)
{
    int other = fd >= 0 && fd <= STDERR_FILENO ? fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : fd;

    if (other != fd)
        close(fd);
    return other;
}

/* Why an existing file must not be overwritten; NULL: it may be. */
static const char *refusal(int fd, bool or_device)
{
    struct stat status;

    if (fstat(fd, &status) != 0)
        return strerror(errno);
    if (or_device && S_ISCHR(status.st_mode))
        return NULL;
    if (!S_ISREG(status.st_mode))
        return "it exists and is not a regular file";
    if (status.st_uid != geteuid())
        return "it exists and belongs to another user";
    return status.st_nlink == 1 ? NULL : "it exists and has a second name";
}

/* O_NONBLOCK: open() would wait for a reader of a pipe. */
static int open_existing(const char *path, bool or_device, const char **why)
{
    int fd = beyond_stderr(open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));

    if (fd < 0) {
        *why = errno == ELOOP ? "it is a symbolic link" : strerror(errno);
        return -1;
    }
    *why = refusal(fd, or_device);
    if (!*why && ftruncate(fd, 0) != 0 && errno != EINVAL) /* EINVAL: a device */
        *why = strerror(errno);
    if (!*why)
        return fd;
    close(fd);
    return -1;
}

int wsfj_output_open(const char *path, bool or_stream, const char **why)
{
    int stream = or_stream ? stream_of(path) : -1, fd;

    if (stream >= 0)
        fd = fcntl(stream == STDERR_FILENO ? wsfj_output_stderr() : stream, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    else
        fd = beyond_stderr(open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOCTTY | O_CLOEXEC, 0666));
    if (fd < 0 && stream < 0 && errno == EEXIST)
        return open_existing(path, or_stream, why);
    if (fd < 0)
        *why = strerror(errno);
    return fd;
}

/* The kernel sends SIGXFSZ and SIGPIPE to the thread whose write fails. They are blocked during the write. */
struct hushed {
    sigset_t before, pending;
};

static void hush(struct hushed *h)
{
    sigset_t both;

    sigemptyset(&both);
    sigaddset(&both, SIGXFSZ);
    sigaddset(&both, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &both, &h->before);
    sigpending(&h->pending); /* signals pending before belong to the program */
}

/* Removes the signal that the write has raised, then restores the mask. */
static void unhush(const struct hushed *h, int error)
{
    int signal = error == EFBIG ? SIGXFSZ : error == EPIPE ? SIGPIPE : 0;
    sigset_t one;

    sigemptyset(&one);
    if (signal && !sigismember(&h->pending, signal)) {
        sigaddset(&one, signal);
        while (sigtimedwait(&one, NULL, &(struct timespec){0}) < 0 && errno == EINTR)
            ;
    }
    pthread_sigmask(SIG_SETMASK, &h->before, NULL);
}

int wsfj_output_write(int fd, const void *bytes, size_t size)
{
    const char *at = bytes;
    int before = errno, error = 0;
    struct hushed h;

    hush(&h);
    while (size > 0 && !error) {
        ssize_t n = write(fd, at, size);

        if (n > 0) {
            at += n;
            size -= (size_t)n;
        } else if (n == 0 || errno != EINTR) {
            error = n == 0 ? EIO : errno;
        }
    }
    unhush(&h, error);
    errno = before;
    return error;
}

const char *wsfj_output_reason(int error)
{
    switch (error) {
    case EFBIG: return "the limit of a file's size is reached";
    case ENOSPC: return "no space left on the device";
    case EDQUOT: return "the disk quota is used up";
    case EPIPE: return "no process reads it";
    case EBADF: return "the program has closed it";
    case ENOMEM: return "no memory";
    default: return "the write failed";
    }
}
