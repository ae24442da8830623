/* SPDX-License-Identifier: MIT */
#include "base/failpoint.h"

#include "base/atomic.h"
#include "base/chaos.h"
#include "base/debug.h"
#include "base/lexer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[WSFJ_FAILPOINTS] = {
    [WSFJ_AT_ALLOC] = "alloc",     [WSFJ_AT_MMAP] = "mmap",
    [WSFJ_AT_STACK] = "stack",     [WSFJ_AT_MPROTECT] = "mprotect",
    [WSFJ_AT_MADVISE] = "madvise", [WSFJ_AT_THREAD] = "thread",
    [WSFJ_AT_FUTEX] = "futex",     [WSFJ_AT_MEMBARRIER] = "membarrier",
    [WSFJ_AT_BARRIER] = "barrier", [WSFJ_AT_EPOLL] = "epoll",
    [WSFJ_AT_MACHINE] = "machine",
};

static const int errors[WSFJ_FAILPOINTS] = {
    [WSFJ_AT_STACK] = ENOMEM,   [WSFJ_AT_ALLOC] = ENOMEM,  [WSFJ_AT_MMAP] = ENOMEM,    [WSFJ_AT_MPROTECT] = ENOMEM,
    [WSFJ_AT_MADVISE] = EINVAL, [WSFJ_AT_THREAD] = EAGAIN, [WSFJ_AT_FUTEX] = EINTR,    [WSFJ_AT_MEMBARRIER] = EPERM,
    [WSFJ_AT_BARRIER] = ENOMEM, [WSFJ_AT_EPOLL] = EMFILE,  [WSFJ_AT_MACHINE] = ENOSYS,
};

/* Calls number `first` to `last` fail, or `percent` of all calls. All zero: none fails. */
struct rule {
    uint64_t first, last, percent;
};

/* Relaxed: rules change only while the runtime is stopped, and no other data depends on a count. */
static struct rule rules[WSFJ_FAILPOINTS];
static uint64_t calls[WSFJ_FAILPOINTS], failures[WSFJ_FAILPOINTS];
static bool planned; /* WSFJ_CHAOS_FAIL has been read; under the init lock */

static bool read_rule(const char **at, struct rule *all)
{
    int kind = wsfj_lexer_word(at, names, WSFJ_FAILPOINTS);
    struct rule r = {0};

    if (kind < 0 || !wsfj_lexer_sign(at, ':'))
        return false;
    if (wsfj_lexer_sign(at, '%')) {
        if (!wsfj_lexer_number(at, 100, &r.percent) || !r.percent)
            return false;
    } else {
        if (!wsfj_lexer_number(at, UINT64_MAX, &r.first) || !r.first)
            return false;
        r.last = wsfj_lexer_sign(at, '+') ? UINT64_MAX : r.first;
    }
    all[kind] = r;
    return true;
}

static bool read_rules(const char *at, struct rule *all)
{
    do {
        if (!read_rule(&at, all))
            return false;
    } while (wsfj_lexer_sign(&at, ','));
    return wsfj_lexer_end(&at);
}

static void set_rules(const struct rule *all)
{
    for (int kind = 0; kind < WSFJ_FAILPOINTS; kind++) {
        store_relaxed(&rules[kind].first, all[kind].first);
        store_relaxed(&rules[kind].last, all[kind].last);
        store_relaxed(&rules[kind].percent, all[kind].percent);
        store_relaxed(&calls[kind], 0);
        store_relaxed(&failures[kind], 0);
    }
}

void wsfj_failpoint_forget(void)
{
    set_rules((struct rule[WSFJ_FAILPOINTS]){{0}});
    planned = false;
}

void wsfj_failpoint_start(void)
{
    const char *text = planned ? NULL : secure_getenv("WSFJ_CHAOS_FAIL");
    struct rule all[WSFJ_FAILPOINTS] = {{0}};

    planned = true;
    if (!text || !*text)
        return;

    if (!read_rules(text, all)) {
        wsfj_say("invalid value WSFJ_CHAOS_FAIL=%.80s (expected rules like mmap:7, thread:3+, alloc:%%5); nothing fails",
                 text);
        return;
    }
    set_rules(all);
    if (strchr(text, '%') && wsfj_chaos_seed_is_own())
        wsfj_say("WSFJ_CHAOS_SEED=%llu draws the calls that fail", (unsigned long long)wsfj_chaos_seed());
}

bool wsfj_failpoint(enum wsfj_failpoint kind)
{
    uint64_t first = load_relaxed(&rules[kind].first), percent = load_relaxed(&rules[kind].percent), n;
    bool fails;

    if (!first && !percent)
        return false;
    n = add_relaxed(&calls[kind], 1) + 1;
    fails = first ? n >= first && n <= load_relaxed(&rules[kind].last)
                  : wsfj_chaos_mix(wsfj_chaos_seed() + (uint64_t)kind, n) % 100 < percent;
    if (fails) {
        (void)add_relaxed(&failures[kind], 1);
        errno = errors[kind];
    }
    return fails;
}

uint64_t wsfj_failpoint_count(enum wsfj_failpoint kind)
{
    return load_relaxed(&failures[kind]);
}
