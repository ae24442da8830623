/* SPDX-License-Identifier: MIT */
#include "child.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define EXIT_FAILED 1
/* While a thread that fails writes its message, another thread that fails waits this long. */
#define PATIENCE_MS 1000

/* Shared with the test's processes. File names are constants, and so have the same address in all. */
static struct record {
    int failed;    /* set to 1 by the first thread that fails; only that thread writes the account */
    bool written;  /* set by that thread when it has done so */
    bool finished; /* the test has reached its end */
    struct account account;
} * record;

static bool forks = true;
static volatile sig_atomic_t group; /* of the test that runs; 0: none */

void child_start(void)
{
    const char *text = getenv("CK_FORK");

    forks = !text || strcmp(text, "no") != 0;
    record = mmap(NULL, sizeof *record, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (record == MAP_FAILED) {
        perror("mmap");
        exit(EXIT_FAILURE);
    }
}

/* Relaxed: the last line of any thread will do. */
void minicheck_mark(const char *file, int line)
{
    __atomic_store_n(&record->account.file, file, __ATOMIC_RELAXED);
    __atomic_store_n(&record->account.line, line, __ATOMIC_RELAXED);
}

void minicheck_fail(const char *file, int line, const char *format, ...)
{
    va_list arguments;

    if (__atomic_exchange_n(&record->failed, 1, __ATOMIC_ACQ_REL)) {
        for (int i = 0; i < PATIENCE_MS && !__atomic_load_n(&record->written, __ATOMIC_ACQUIRE); i++)
            nanosleep(&(struct timespec){0, 1000000}, NULL);
        _exit(EXIT_FAILED);
    }
    minicheck_mark(file, line);
    va_start(arguments, format);
    vsnprintf(record->account.text, sizeof record->account.text, format, arguments);
    va_end(arguments);
    __atomic_store_n(&record->written, true, __ATOMIC_RELEASE);
    if (!forks) {
        fprintf(stderr, "%s:%d: %s\n", file, line, record->account.text);
        abort();
    }
    _exit(EXIT_FAILED);
}

static void run_here(const struct run *run)
{
    if (run->setup)
        run->setup();
    run->test->body(run->i);
    if (run->teardown)
        run->teardown();
    record->finished = true;
}

/* Kills the test when the runner is ended. */
static void end_group(int signal_number)
{
    if (group)
        kill((pid_t)-group, SIGKILL);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Waits for the child. SIGCHLD is blocked, so that none is lost between the check and the sleep. False if the time was
 * over; the child has then been killed. */
static bool await(pid_t pid, double seconds, int *status)
{
    sigset_t child_ended;

    sigemptyset(&child_ended);
    sigaddset(&child_ended, SIGCHLD);
    for (double end = now() + seconds, left; waitpid(pid, status, WNOHANG) == 0;) {
        if ((left = end - now()) <= 0) {
            kill(-pid, SIGKILL);
            waitpid(pid, status, 0);
            return false;
        }
        /* A second at most: if a signal is lost after all, only time is lost. */
        sigtimedwait(&child_ended, NULL, &(struct timespec){left < 1 ? 0 : 1, left < 1 ? (long)(left * 1e9) : 0});
    }
    return true;
}

__attribute__((format(printf, 3, 4))) static enum verdict tell(struct account *account, enum verdict verdict,
                                                               const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(account->text, sizeof account->text, format, arguments);
    va_end(arguments);
    return verdict;
}

static enum verdict judge(const struct run *run, bool in_time, int status, struct account *a)
{
    int by = WIFSIGNALED(status) ? WTERMSIG(status) : 0, code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;

    *a = record->account;
    if (record->failed)
        return FAILED;
    if (!in_time)
        return tell(a, DIED, "(after this) no end within %g seconds", run->timeout);
    if (by != run->signal)
        return by ? tell(a, DIED, "(after this) signal %d (%s)", by, strsignal(by))
                  : tell(a, FAILED, "(after this) exit code %d instead of signal %d (%s)", code, run->signal,
                         strsignal(run->signal));
    if (by)
        return PASSED;
    if (code != run->code)
        return tell(a, run->code ? FAILED : DIED, "(after this) exit code %d instead of %d", code, run->code);
    if (!run->code && !record->finished)
        return tell(a, DIED, "(after this) exit before the end of the test");
    return PASSED;
}

static void watch_signals(sigset_t *before)
{
    struct sigaction end = {.sa_handler = end_group};
    sigset_t child_ended;

    sigemptyset(&child_ended);
    sigaddset(&child_ended, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child_ended, before);
    sigaction(SIGINT, &end, NULL);
    sigaction(SIGTERM, &end, NULL);
}

/* Restores the child's signals to those of the runner's start. */
static _Noreturn void be_the_test(const struct run *run, const sigset_t *mask)
{
    setpgid(0, 0);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    sigprocmask(SIG_SETMASK, mask, NULL);
    run_here(run);
    exit(EXIT_SUCCESS);
}

enum verdict child_run(const struct run *run, struct account *account)
{
    sigset_t before;
    int status = 0;
    bool in_time;

    *record = (struct record){.account = {.file = "start", .line = 0}};
    if (!forks) {
        if (run->signal == 0 && run->code == 0)
            run_here(run);
        return PASSED;
    }
    fflush(NULL); /* or the child would write it, too */
    watch_signals(&before);

    pid_t pid = fork();

    if (pid == 0)
        be_the_test(run, &before);
    if (pid < 0)
        return tell(account, DIED, "fork: %s", strerror(errno));
    setpgid(pid, pid); /* in both processes: either may be first */
    group = (sig_atomic_t)pid;
    in_time = await(pid, run->timeout, &status);
    kill(-pid, SIGKILL); /* what it has left running */
    group = 0;
    sigprocmask(SIG_SETMASK, &before, NULL);
    return judge(run, in_time, status, account);
}
