/* SPDX-License-Identifier: MIT */
#include "observe/monitor.h"

#include "arch/arch.h"
#include "base/atomic.h"
#include "base/debug.h"
#include "base/failpoint.h"
#include "base/futex.h"
#include "base/thread.h"
#include "config/settings.h"
#include "config/signame.h"
#include "observe/dump.h"
#include "observe/notes.h"
#include "observe/schedtrace.h"
#include "observe/snapshot.h"
#include "observe/watchdog.h"
#include "signals/frame_request.h"
#include "signals/symbols.h"
#include "worker/workers.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* The watchdog compares this often in its time. */
#define CHECKS 8
#define NEVER UINT64_MAX
#define MS UINT64_C(1000000)
#define SECOND UINT64_C(1000000000)

/* Set while only one thread is the library's. */
static pthread_t thread;
static bool watches;
static uint64_t began;

static uint32_t calls; /* futex: how often the watching thread was called */
static uint32_t asked; /* for a dump */
static bool stopping;

/* Only the watching thread's. */
static struct wsfj_textbuf text;
static bool told; /* the present stall was reported */

static void call(void)
{
    (void)add_acq_rel(&calls, 1u); /* after the store that says what for */
    wsfj_futex_wake(&calls);
}

void wsfj_monitor_ask(void)
{
    store_relaxed(&asked, 1u);
    call();
}

static void print_dump(const char *why, uint64_t now)
{
    wsfj_dump(&text, why, now, now - began);
    wsfj_textbuf_flush(&text);
}

static void dump_on_signal(uint64_t now)
{
    char name[16], why[32];

    wsfj_signame_show(wsfj_settings.dump_signal, name);
    snprintf(why, sizeof why, "SIG%s", name);
    print_dump(why, now);
}

static void dump_on_stall(uint64_t now, uint64_t still, uint64_t yields)
{
    char why[160], only[80] = "";

    if (wsfj_watchdog_all_wait())
        snprintf(only, sizeof only, "; the tasks wait for each other");
    else if (yields)
        snprintf(only, sizeof only, "; tasks have only yielded, %" PRIu64 " time%s", yields, yields == 1 ? "" : "s");
    snprintf(why, sizeof why, "WSFJ_WATCHDOG=%" PRIu64 ": nothing has moved for %" PRIu64 ".%" PRIu64 " s%s",
             wsfj_settings.watchdog, still / SECOND, still % SECOND / (100 * MS), only);
    print_dump(why, now);
}

/* For how long this thread has not run. A busy machine delays it by less than `check`: if it is later, the process was
 * stopped, or the thread has waited to print. Then the other threads have not run, either. */
static uint64_t missed(uint64_t due, uint64_t check, uint64_t now)
{
    return now - due > check ? now - due : 0;
}

static void dump_on_source(uint64_t now, uint64_t in_it)
{
    char why[100];

    snprintf(why, sizeof why, "WSFJ_WATCHDOG=%" PRIu64 ": a poll source has not returned for %" PRIu64 ".%" PRIu64 " s",
             wsfj_settings.watchdog, in_it / SECOND, in_it % SECOND / (100 * MS));
    print_dump(why, now);
}

static void watch(uint64_t now, uint64_t not_run)
{
    uint64_t still = wsfj_watchdog_check(now, not_run), in_source = wsfj_watchdog_source(now, not_run);
    uint64_t longest = still > in_source ? still : in_source;

    if (longest < wsfj_settings.watchdog * SECOND) {
        told = told && longest > 0;
    } else if (!told) {
        if (in_source == longest)
            dump_on_source(now, in_source);
        else
            dump_on_stall(now, still, wsfj_watchdog_yields());
        told = true;
    }
}

/* When a periodic action is due next. Missed periods are skipped. */
static uint64_t after(uint64_t due, uint64_t period, uint64_t now)
{
    return due + period > now ? due + period : now + period;
}

static void sleep_until(uint64_t due, uint32_t seen)
{
    uint64_t now = wsfj_now(), remaining = due > now ? due - now : 0;
    struct timespec time = {(time_t)(remaining / SECOND), (long)(remaining % SECOND)};

    wsfj_futex_wait(&calls, seen, due == NEVER ? NULL : &time);
}

static void *watch_main(void *unused)
{
    uint64_t period = wsfj_settings.schedtrace * MS, check = wsfj_settings.watchdog * SECOND / CHECKS;
    uint64_t next_trace = period ? began + period : NEVER, next_check = check ? began + check : NEVER;

    (void)unused;
    wsfj_thread_begin("wsfj-watch");
    for (;;) {
        uint32_t seen = load_acquire(&calls); /* before the loads of what it is called for */
        uint64_t now;

        if (load_relaxed(&stopping))
            return NULL;
        now = wsfj_now();
        if (load_relaxed(&asked)) {
            store_relaxed(&asked, 0u);
            dump_on_signal(now);
        }
        if (now >= next_trace) {
            wsfj_symbols_forget();
            wsfj_schedtrace(&text, now - began);
            wsfj_textbuf_flush(&text);
            next_trace = after(next_trace, period, now);
        }
        if (now >= next_check) {
            watch(now, missed(next_check, check, now));
            next_check = after(next_check, check, now);
        }
        sleep_until(next_trace < next_check ? next_trace : next_check, seen);
    }
}

static void give_up(const char *why)
{
    wsfj_say("%s: %s for the thread that watches; going on without it",
             wsfj_settings.dump_signal ? "WSFJ_DUMP_SIGNAL"
             : wsfj_settings.watchdog  ? "WSFJ_WATCHDOG"
                                       : "WSFJ_SCHEDTRACE",
             why);
    wsfj_settings.dump_signal = 0;
}

/* True if a thread is inside the stack and can walk its frames. */
static bool has_thread(const struct wsfj_stack *s)
{
    return wsfj_snapshot_runs(s) || wsfj_snapshot_blocks(s);
}

void wsfj_monitor_start(void)
{
    static const struct wsfj_frame_request_calls ours = {.dump = wsfj_monitor_ask, .runs = has_thread};
    int error;

    watches = false;
    if (!wsfj_settings.dump_signal && !wsfj_settings.watchdog && !wsfj_settings.schedtrace)
        return;
    began = wsfj_now();
    stopping = told = false;
    store_relaxed(&asked, 0u);
    text.used = text.last_line = 0;
    if (wsfj_settings.watchdog && !wsfj_watchdog_start(wsfj_num_workers, began)) {
        give_up("no memory");
        return;
    }
    wsfj_frame_request_start(wsfj_settings.dump_signal, &ours);
    error = wsfj_thread_make(&thread, WSFJ_LOOP_STACK, watch_main, NULL);
    if (error) {
        wsfj_frame_request_stop();
        wsfj_watchdog_stop();
        give_up(strerror(error));
        return;
    }
    watches = true;
}

void wsfj_monitor_stop(void)
{
    if (!watches)
        return;
    store_relaxed(&stopping, true);
    call();
    pthread_join(thread, NULL);
    watches = false;
    wsfj_frame_request_stop();
    wsfj_watchdog_stop();
}

void wsfj_monitor_forget(void)
{
    wsfj_notes_forget();
    if (!watches)
        return;
    watches = false;
    wsfj_frame_request_stop();
    wsfj_watchdog_stop();
}
