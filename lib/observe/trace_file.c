/* SPDX-License-Identifier: MIT */
#include "observe/trace_file.h"

#include "base/atomic.h"
#include "base/debug.h"
#include "base/output.h"
#include "config/parse.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int file = -1;
static dev_t device; /* which file that is: a program may close all descriptors and open files of its own */
static ino_t inode;
static int failed; /* the error number of the first failed write; nothing is written after it */
static char path[PATH_MAX];
static char buffer[1 << 16];
static size_t used;

/* How often the runtime has opened a trace in this process; whether this process is a child, which must not write to
 * its parent's file. */
static unsigned runs;
static bool is_child;

/* Makes the path from the name. False if it is too long. */
static bool expand(const char *name)
{
    const char *process = strstr(name, "%p"), *suffix = WSFJ_TRACE_SUFFIX;
    char number[16] = "", run[16] = "";
    size_t stem = strlen(name) - strlen(suffix), before = process ? (size_t)(process - name) : stem;
    size_t after = process ? before + 2 : stem;
    int length;

    if (process)
        snprintf(number, sizeof number, "%ld", (long)getpid());
    if (runs > 1)
        snprintf(run, sizeof run, ".%u", runs);
    length = snprintf(path, sizeof path, "%.*s%s%.*s%s%s", (int)before, name, number, (int)(stem - after), name + after,
                      run, suffix);
    return length > 0 && (size_t)length < sizeof path;
}

static bool is_ours(void)
{
    struct stat now;

    return fstat(file, &now) == 0 && now.st_dev == device && now.st_ino == inode;
}

bool wsfj_trace_file_open(const char *name)
{
    const char *error = "the name is too long";
    struct stat status = {0};

    if (is_child && !strstr(name, "%p"))
        return false; /* the file is the parent's */
    runs++;
    if (expand(name))
        file = wsfj_output_open(path, false, &error);
    if (file < 0) {
        wsfj_say("WSFJ_TRACE=%.200s: %s; no trace", name, error);
        return false;
    }
    (void)fstat(file, &status); /* cannot fail: the file is open */
    device = status.st_dev;
    inode = status.st_ino;
    return true;
}

void wsfj_trace_file_close(void)
{
    if (file >= 0 && is_ours())
        close(file);
    file = -1;
}

void wsfj_trace_file_forget(void)
{
    is_child = true;
    runs = 0;
    wsfj_trace_file_close();
}

static void flush(void)
{
    if (!failed)
        failed = wsfj_output_write(file, buffer, used);
    used = 0;
}

void wsfj_trace_file_begin(void)
{
    used = 0;
    failed = !is_ours() ? EBADF : lseek(file, 0, SEEK_SET) != 0 || ftruncate(file, 0) != 0 ? errno : 0;
}

void wsfj_trace_file_end(void)
{
    flush();
    if (failed)
        wsfj_say("WSFJ_TRACE: %.400s was cut short (%s)", path, wsfj_output_reason(failed));
}

void wsfj_put_bytes(const void *bytes, size_t size)
{
    while (size > 0) {
        size_t room = sizeof buffer - used, n = size < room ? size : room;

        memcpy(buffer + used, bytes, n);
        used += n;
        bytes = (const char *)bytes + n;
        size -= n;
        if (used == sizeof buffer)
            flush();
    }
}

void wsfj_put_text(const char *text)
{
    wsfj_put_bytes(text, strlen(text));
}

void wsfj_put_number(uint64_t number)
{
    char digits[20];
    size_t n = sizeof digits;

    do
        digits[--n] = (char)('0' + number % 10);
    while (number /= 10);
    wsfj_put_bytes(digits + n, sizeof digits - n);
}
