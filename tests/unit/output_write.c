/* SPDX-License-Identifier: MIT */
/* How the library writes: all bytes, and without a signal that could end the program. Neighbour: output.c, opening. */
#include "../support/folder.h"

#include "../support/process.h"
#include "base/output.h"
#include "observe/trace_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define BYTES 3000
#define LIMIT 1000

static char bytes[BYTES];

static long size_of(const char *name)
{
    struct stat status;

    return lstat(folder_path(name), &status) == 0 ? (long)status.st_size : -1;
}

static bool is_pending(int signal)
{
    sigset_t set;

    sigpending(&set);
    return sigismember(&set, signal);
}

static void block(int how, int signal)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, signal);
    pthread_sigmask(how, &set, NULL);
}

static int told;
static void tell(int signal)
{
    (void)signal;
    told++;
}

/* The program's disposition of the signal: the default, which would kill it; ignored; handled; blocked; blocked with
 * one pending (WAITING). */
enum { DEFAULT, IGNORED, HANDLED, BLOCKED, WAITING, WAYS };

static void prepare(int signal_, long way)
{
    signal(signal_, way == IGNORED ? SIG_IGN : way == HANDLED ? tell : SIG_DFL);
    block(way == BLOCKED || way == WAITING ? SIG_BLOCK : SIG_UNBLOCK, signal_);
    if (way == WAITING)
        raise(signal_);
}

/* 0 if the signal's disposition, mask and pending state are as prepare() left them. */
static int changed(int signal, long way)
{
    struct sigaction now;
    sigset_t mask;

    sigaction(signal, NULL, &now);
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    if (now.sa_handler != (way == IGNORED ? SIG_IGN : way == HANDLED ? tell : SIG_DFL))
        return 10;
    if (sigismember(&mask, signal) != (way == BLOCKED || way == WAITING))
        return 11;
    return told ? 12 : is_pending(signal) != (way == WAITING) ? 13 : 0;
}

static int write_beyond_limit(long way)
{
    const char *why;
    int fd = wsfj_output_open(folder_path("limited"), false, &why);

    setrlimit(RLIMIT_FSIZE, &(struct rlimit){LIMIT, RLIM_INFINITY});
    prepare(SIGXFSZ, way);
    errno = 7;
    if (fd < 0 || wsfj_output_write(fd, bytes, BYTES) != EFBIG || errno != 7)
        return 1;
    return changed(SIGXFSZ, way);
}

static int write_to_nobody(long way)
{
    int ends[2];

    if (pipe(ends) != 0)
        return 2;
    close(ends[0]);
    prepare(SIGPIPE, way);
    errno = 7;
    if (wsfj_output_write(ends[1], bytes, BYTES) != EPIPE || errno != 7)
        return 1;
    return changed(SIGPIPE, way);
}

/* Catches: a diagnostic that kills the process; a pending signal of the program that is lost; a disposition or a mask
 * that stays changed. */
START_TEST(no_write_ends_the_program)
{
    struct outcome o;

    folder_make();
    o = in_child(write_beyond_limit, _i);
    expect_exit(&o, 0);
    ck_assert_int_eq(size_of("limited"), LIMIT);
    o = in_child(write_to_nobody, _i);
    expect_exit(&o, 0);
}
END_TEST

static char heard[1 << 20];

static void *read_slowly(void *from)
{
    static size_t length;

    for (ssize_t n; (n = read(*(int *)from, heard + length, 5000)) > 0; length += (size_t)n)
        usleep(100);
    return &length;
}

static void *disturb(void *whom)
{
    for (int i = 0; i < 200; i++) {
        pthread_kill(*(pthread_t *)whom, SIGUSR1);
        usleep(300);
    }
    return NULL;
}

/* Catches: bytes lost or written twice, after the kernel has taken only a part or a handler has interrupted the
 * call. */
START_TEST(short_writes_are_continued)
{
    static char text[300000];
    pthread_t reader, alarm_clock, self = pthread_self();
    void *length;
    int ends[2];

    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)('a' + i * i % 23);
    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = tell}, NULL); /* without SA_RESTART */
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(pthread_create(&reader, NULL, read_slowly, &ends[0]), 0);
    ck_assert_int_eq(pthread_create(&alarm_clock, NULL, disturb, &self), 0);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(wsfj_output_write(ends[1], text, sizeof text), 0);
    close(ends[1]);
    pthread_join(reader, &length);
    pthread_join(alarm_clock, NULL);
    ck_assert_uint_eq(*(size_t *)length, 3 * sizeof text);
    for (size_t i = 0; i < 3; i++)
        ck_assert_int_eq(memcmp(heard + i * sizeof text, text, sizeof text), 0);
}
END_TEST

/* A trace file, which is written in several pieces. */
static int trace_beyond_limit(long unused)
{
    (void)unused;
    signal(SIGXFSZ, SIG_DFL);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){LIMIT, RLIM_INFINITY});
    if (!wsfj_trace_file_open(folder_path("limited.json")))
        return 1;
    wsfj_trace_file_begin();
    for (int i = 0; i < 100; i++)
        wsfj_put_bytes(bytes, BYTES);
    wsfj_trace_file_end();
    return 0;
}

/* Catches: a trace that is cut short without a line on stderr, or with more than one. */
START_TEST(what_is_cut_short_is_said_once)
{
    struct outcome o;

    folder_make();
    o = in_child(trace_beyond_limit, 0);
    expect_exit(&o, 0);
    ck_assert_int_eq(o.lines, 1);
    ck_assert_msg(strncmp(o.text, "libwsfj: WSFJ_TRACE: ", 21) == 0 &&
                      strstr(o.text, "limited.json was cut short (the limit of a file's size is reached)\n"),
                  "%s", o.text);
    ck_assert_int_eq(size_of("limited.json"), LIMIT);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("output_write");

    if (folder_begin("output") != 0)
        return EXIT_FAILURE;
    memset(bytes, 'x', sizeof bytes);
    tcase_add_loop_test(tcase, no_write_ends_the_program, 0, WAYS);
    tcase_add_test(tcase, short_writes_are_continued);
    tcase_add_test(tcase, what_is_cut_short_is_said_once);

    int status = run_case("output_write", tcase);

    folder_end();
    return status;
}
