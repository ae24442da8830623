/* SPDX-License-Identifier: MIT */
#include "machine/report.h"

#include "config/settings.h"
#include "config/signame.h"
#include "machine/placement.h"
#include "machine/tier.h"
#include "machine/topology.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Longer texts are cut. */
#define TEXT_MOST 200

struct text {
    char chars[TEXT_MOST];
    size_t used;
    bool cut;
};

__attribute__((format(printf, 2, 3))) static void append(struct text *t, const char *format, ...)
{
    static const char dots[] = "...";
    size_t room = sizeof t->chars - sizeof dots - t->used;
    va_list arguments;
    int n;

    if (t->cut)
        return;
    va_start(arguments, format);
    n = vsnprintf(t->chars + t->used, room, format, arguments);
    va_end(arguments);
    if (n < 0 || (size_t)n >= room) {
        t->cut = true;
        memcpy(t->chars + t->used, dots, sizeof dots); /* drops the whole piece */
    } else {
        t->used += (size_t)n;
    }
}

static void counted(struct text *t, unsigned n, const char *what)
{
    append(t, "%s%u %s%s", t->used ? ", " : "", n, what, n == 1 ? "" : "s");
}

void wsfj_report_machine(wsfj_report_line *line, const struct wsfj_topology *t)
{
    struct text text = {.used = 0};

    counted(&text, t->count[WSFJ_LEVEL_PACKAGE], "package");
    counted(&text, t->count[WSFJ_LEVEL_NUMA], "NUMA node");
    if (t->count[WSFJ_LEVEL_CACHE] < t->num_cores)
        counted(&text, t->count[WSFJ_LEVEL_CACHE], "last-level cache");
    counted(&text, t->num_cores, "core");
    if (t->num_kinds > 1) {
        append(&text, " (");
        for (unsigned kind = 0; kind < t->num_kinds; kind++) {
            unsigned cores = 0;

            for (unsigned i = 0; i < t->num_cores; i++)
                cores += t->units[i].kind == kind;
            append(&text, "%s%u", kind ? " + " : "", cores);
        }
        append(&text, " by speed)");
    }
    counted(&text, t->num_threads, "CPU");
    line("machine: %s%s", text.chars, t->can_bind ? "" : "; not this machine: no worker is bound");
}

static void show_places(struct text *t, const struct wsfj_places *p)
{
    static const char *const names[] = {"each CPU", "threads", "cores", "ll_caches", "numa_domains", "sockets"};

    if (p->what != WSFJ_PLACES_LIST) {
        append(t, p->most ? "%s(%u)" : "%s", names[p->what], p->most);
        return;
    }
    for (unsigned i = 0, start = 0; i < p->count && !t->cut; start = p->end[i++]) {
        append(t, i ? ",{" : "{");
        for (unsigned j = start; j < p->end[i]; j++)
            append(t, "%s%u", j > start ? "," : "", p->cpu[j]);
        append(t, "}");
    }
}

static void show_workers(struct text *t)
{
    if (wsfj_settings.num_workers == WSFJ_WORKERS_THREADS)
        append(t, "threads");
    else if (wsfj_settings.num_workers == WSFJ_WORKERS_CORES)
        append(t, "cores");
    else
        append(t, "%zu", wsfj_settings.num_workers);
}

static void show(struct text *t, enum wsfj_setting setting)
{
    static const char *const binds[] = {"close", "close", "spread", "none", "primary", "auto"};
    char name[16];

    switch (setting) {
    case WSFJ_SET_WORKERS: show_workers(t); break;
    case WSFJ_SET_PLACES: show_places(t, &wsfj_settings.places); break;
    case WSFJ_SET_BIND: append(t, "%s", binds[wsfj_settings.bind]); break;
    case WSFJ_SET_SPARES: append(t, "%zu", wsfj_settings.max_spares); break;
    case WSFJ_SET_STACK: append(t, "%zuK", wsfj_settings.stack_size >> 10); break;
    case WSFJ_SET_WAIT:
        if (wsfj_settings.spin_ns == WSFJ_FOREVER)
            append(t, "active");
        else
            append(t, "%llu", (unsigned long long)(wsfj_settings.spin_ns / 1000));
        break;
    case WSFJ_SET_MEMBARRIER: append(t, "%d", wsfj_settings.membarrier); break;
    case WSFJ_SET_CGROUP: append(t, "%d", wsfj_settings.cgroup); break;
    case WSFJ_SET_OMP: append(t, "%d", wsfj_settings.omp); break;
    case WSFJ_SET_DISPLAY: append(t, "%d", wsfj_settings.display); break;
    case WSFJ_SET_STATS: append(t, "%d", wsfj_settings.stats); break;
    case WSFJ_SET_TRACE: append(t, "%.200s", wsfj_settings.trace ? wsfj_settings.trace : ""); break;
    case WSFJ_SET_RECORD: append(t, "%.200s", wsfj_settings.record ? wsfj_settings.record : ""); break;
    case WSFJ_SET_TRACE_EVENTS: append(t, "%zu", wsfj_settings.trace_events); break;
    case WSFJ_SET_SCHEDTRACE: append(t, "%llu", (unsigned long long)wsfj_settings.schedtrace); break;
    case WSFJ_SET_DUMP_SIGNAL:
        wsfj_signame_show(wsfj_settings.dump_signal, name);
        append(t, "%s", name);
        break;
    case WSFJ_SET_WATCHDOG: append(t, "%llu", (unsigned long long)wsfj_settings.watchdog); break;
    case WSFJ_SETTINGS: break;
    }
}

void wsfj_report_settings(wsfj_report_line *line)
{
    for (unsigned i = 0; i < WSFJ_SETTINGS; i++) {
        struct text text = {.used = 0};

        show(&text, (enum wsfj_setting)i);
        line("%s=%s (%s)", wsfj_settings_name((enum wsfj_setting)i), text.chars,
             wsfj_settings_origin((enum wsfj_setting)i));
    }
}

static void show_cpus(struct text *text, const struct wsfj_topology *t, const struct wsfj_placement *l, unsigned worker)
{
    unsigned n;
    const unsigned *units = wsfj_placement_units(l, worker, &n);

    append(text, n == 1 ? "CPU " : "CPUs ");
    for (unsigned i = 0; i < n && !text->cut; i++)
        append(text, "%s%u", i ? "," : "", t->units[units[i]].cpu);
}

/* How many other workers there are at each distance. */
static void show_tiers(struct text *text, const struct wsfj_topology *t, const struct wsfj_placement *l, unsigned worker)
{
    unsigned tiers[WSFJ_TIER_COUNT] = {0};
    bool any = false;

    for (unsigned i = 0; i < l->workers; i++)
        if (i != worker)
            tiers[wsfj_placement_tier(l, t, worker, i)]++;
    for (unsigned tier = 0; tier < WSFJ_TIER_COUNT; tier++) {
        if (tiers[tier])
            append(text, "%s%u %s", any ? ", " : "; others: ", tiers[tier], wsfj_tier_names[tier]);
        any = any || tiers[tier];
    }
}

void wsfj_report_places(wsfj_report_line *line, const struct wsfj_placement *l)
{
    if (l->lost)
        line("%u of the places %s no CPU that this process may use", l->lost, l->lost == 1 ? "has" : "have");
}

void wsfj_report_workers(wsfj_report_line *line, const struct wsfj_topology *t, const struct wsfj_placement *l)
{
    wsfj_report_places(line, l);
    for (unsigned i = 0; i < l->workers; i++) {
        const unsigned *in = t->units[l->unit[i]].in;
        struct text text = {.used = 0};

        if (l->settled) {
            show_cpus(&text, t, l, i);
            append(&text, " (package %u, node %u, cache %u, core %u)", in[WSFJ_LEVEL_PACKAGE], in[WSFJ_LEVEL_NUMA],
                   in[WSFJ_LEVEL_CACHE], in[WSFJ_LEVEL_CORE]);
        } else {
            append(&text, "not bound");
        }
        show_tiers(&text, t, l, i);
        line("worker %u: %s", i, text.chars);
    }
}
