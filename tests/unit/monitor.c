/* SPDX-License-Identifier: MIT */
/* The start and the end of the thread that watches, which the system may refuse: lib/observe/monitor.c. Neighbours:
 * user/monitor.c, user/watchdog.c, what that thread prints. */
#include "observe/monitor.h"

#include "observe/schedtrace.h"

#include "../support/fib.h"
#include "../support/process.h"
#include "../support/runtime.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

/* One worker, and then the thread that watches. */
#define WATCHER 2

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument);

static int calls;
static bool refuses;

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument)
{
    return ++calls == WATCHER && refuses ? EAGAIN : __real_pthread_create(thread, attributes, body, argument);
}

int __real_pthread_join(pthread_t thread, void **value);
int __wrap_pthread_join(pthread_t thread, void **value);

/* A thread that was refused has never got its handle, and glibc refuses to join that one without a word. */
int __wrap_pthread_join(pthread_t thread, void **value)
{
    static const pthread_t none;

    if (memcmp(&thread, &none, sizeof none) == 0)
        abort();
    return __real_pthread_join(thread, value);
}

/* The settings, and the one that the line names. */
static const struct {
    const char *name, *value, *named;
} settings[] = {
    {"WSFJ_WATCHDOG", "1", "WSFJ_WATCHDOG"},
    {"WSFJ_SCHEDTRACE", "1", "WSFJ_SCHEDTRACE"},
    {"WSFJ_DUMP_SIGNAL", "USR2", "WSFJ_DUMP_SIGNAL"},
};
#define SETTINGS ((int)(sizeof settings / sizeof *settings))

static int run_without(long which)
{
    struct sigaction now;
    long r = 0;

    refuses = true;
    setenv(settings[which].name, settings[which].value, 1);
    setenv("WSFJ_NUM_WORKERS", "1", 1);
    if (ws_run(fib, &r, 12L) || r != 144)
        return 1;
    if (sigaction(SIGUSR2, NULL, &now) || now.sa_handler != SIG_DFL)
        return 2;
    return ws_fini() || ws_run(fib, &r, 12L) || ws_fini() ? 3 : 0; /* then the system has a thread for it */
}

/* Catches: a line that names another setting or reason; a program that ends, or waits for the thread at its stop, because
 * it is missing; a handler that stays installed for it; a runtime that does not try again after its next start. */
START_TEST(without_its_thread_nothing_is_watched)
{
    struct outcome o = in_child(run_without, _i);
    char line[200];

    snprintf(line, sizeof line, "libwsfj: %s: %s for the thread that watches; going on without it\n",
             settings[_i].named, strerror(EAGAIN));
    expect_exit(&o, 0);
    ck_assert_msg(strncmp(o.text, line, strlen(line)) == 0, "%s", o.text);
    ck_assert(settings[_i].value[0] == '1' || o.lines == 1); /* the others may print after the next start */
}
END_TEST

void __real_wsfj_schedtrace(struct wsfj_textbuf *text, uint64_t uptime);
void __wrap_wsfj_schedtrace(struct wsfj_textbuf *text, uint64_t uptime);
void __real_wsfj_symbols_forget(void);
void __wrap_wsfj_symbols_forget(void);

static int forgotten, traced; /* by the thread that watches */
static bool has_old_names;

void __wrap_wsfj_schedtrace(struct wsfj_textbuf *text, uint64_t uptime)
{
    __real_wsfj_schedtrace(text, uptime);
    if (forgotten <= traced)
        has_old_names = true;
    __atomic_add_fetch(&traced, 1, __ATOMIC_RELEASE);
}

void __wrap_wsfj_symbols_forget(void)
{
    __real_wsfj_symbols_forget();
    forgotten++;
}

static int run_twice(long unused)
{
    long r = 0;

    (void)unused;
    setenv("WSFJ_DUMP_SIGNAL", "USR2", 1);
    setenv("WSFJ_SCHEDTRACE", "1", 1);
    setenv("WSFJ_NUM_WORKERS", "1", 1);
    wsfj_monitor_ask(); /* nobody hears it */
    for (int i = 0; i < 2; i++) {
        forgotten = traced = 0;
        if (ws_run(fib, &r, 12L))
            return 1;
        while (__atomic_load_n(&traced, __ATOMIC_ACQUIRE) < 3)
            sched_yield();
        if (ws_fini())
            return 2;
        if (has_old_names)
            return 3;
        wsfj_monitor_ask(); /* too late */
    }
    return 0;
}

/* Catches: a dump that was asked for in an earlier run of the runtime; names of modules that are no longer there. */
START_TEST(each_start_begins_anew)
{
    struct outcome o = in_child(run_twice, 0);

    expect_exit(&o, 0);
    ck_assert_ptr_nonnull(strstr(o.text, " dispatched="));
    ck_assert_msg(!strstr(o.text, "SIGUSR2"), "%s", o.text);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("monitor");

    tcase_add_loop_test(tcase, without_its_thread_nothing_is_watched, 0, SETTINGS);
    tcase_add_test(tcase, each_start_begins_anew);
    return run_case("monitor", tcase);
}
