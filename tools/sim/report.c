/* SPDX-License-Identifier: MIT */
/* What one run prints. */
#include "fail.h"
#include "measures.h"
#include "options.h"
#include "watch.h"

#include "observe/snapshot.h"

#include <wsfj.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define TEXTS 8

const char *sim_ns_text(double ns)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    static char texts[TEXTS][32];
    static unsigned next;
    char *text = texts[next++ % TEXTS];
    int unit = 0;

    while (ns >= 1000 && unit < 3) {
        ns /= 1000;
        unit++;
    }
    snprintf(text, sizeof texts[0], "%.4g %s", ns, units[unit]);
    return text;
}

struct figures {
    int64_t executed;
    uint64_t stolen, lost, failed, left;
    double idle;
};

static struct figures figures_of(unsigned i, double time)
{
    const struct sim_watch_worker *w = i < sim_watch.num_workers ? &sim_watch.workers[i] : NULL;
    struct wsfj_snapshot now = {0};

    if (!w)
        return (struct figures){.idle = time > 0 ? 1 : 0};
    if (i < ws_num_workers())
        now = wsfj_snapshot(i);
    return (struct figures){sim_watch_executed(w),
                            w->stole,
                            w->lost,
                            w->failed,
                            now.deque + now.queue + now.next,
                            time > 0 ? (double)sim_watch_idle(w) / time : 0};
}

static void print_joins(const double *v)
{
    if (v[SIM_joins] == 0)
        return;
    printf("waiting at joins   %.0f time%s, %s in all, the longest %s", v[SIM_joins], SIM_S(v[SIM_joins]),
           sim_ns_text(v[SIM_join_wait_ns]), sim_ns_text(v[SIM_join_most_ns]));
    if (!isnan(v[SIM_span_ns]))
        printf(" (%.3g times the critical path)", v[SIM_join_most_ns] / v[SIM_span_ns]);
    printf("\n");
}

static void print_quantiles(const char *name, const double *at, size_t count)
{
    if (count)
        printf("%s  p50 %s, p99 %s, p99.9 %s of %zu\n", name, sim_ns_text(at[0]), sim_ns_text(at[1]),
               sim_ns_text(at[2]), count);
}

static void print_text(const double *v)
{
    double bound = v[SIM_work_ns] / v[SIM_workers];

    printf("workers            %.0f\n", v[SIM_workers]);
    printf("time               %s\n", sim_ns_text(v[SIM_time_ns]));
    printf("work               %s", sim_ns_text(v[SIM_work_ns]));
    if (!isnan(v[SIM_span_ns]))
        printf(", critical path %s: at least %s on so many workers", sim_ns_text(v[SIM_span_ns]),
               sim_ns_text(fmax(bound, v[SIM_span_ns])));
    printf("\n");
    if (!isnan(v[SIM_speedup]))
        printf("speed-up           %.3f, efficiency %.1f %%\n", v[SIM_speedup], 100 * v[SIM_efficiency]);
    printf("tasks              %.0f executed, %.0f stolen", v[SIM_tasks], v[SIM_stolen]);
    if (!isnan(v[SIM_steal_rate]))
        printf(" (%.2f %%)", 100 * v[SIM_steal_rate]);
    printf(" by %.0f steal%s, failed tries: %.0f\n", v[SIM_steals], SIM_S(v[SIM_steals]), v[SIM_failed]);
    printf("steals by distance");
    for (int tier = 0; tier < WSFJ_TIER_COUNT; tier++)
        printf("%s %s %.0f", tier ? "," : "", wsfj_tier_names[tier], v[SIM_steals_core + tier]);
    printf("\n");
    print_joins(v);
    print_quantiles("runnable to running", &v[SIM_ready_p50_ns], sim_watch.ready.count);
    print_quantiles("latency            ", &v[SIM_latency_p50_ns], sim_watch.latency.count);
    printf("stacks             %.0f at once\n", v[SIM_stacks]);
    if (isnan(v[SIM_all_busy_ns]))
        printf("all workers busy   never: not every worker had a task\n");
    else
        printf("all workers busy   after %s\n", sim_ns_text(v[SIM_all_busy_ns]));
    printf("\nworker   executed     stolen       lost     failed   left     idle\n");
    for (unsigned i = 0; i < v[SIM_workers]; i++) {
        struct figures f = figures_of(i, v[SIM_time_ns]);

        printf("%6u %10" PRId64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %6" PRIu64 " %6.1f %%\n", i, f.executed,
               f.stolen, f.lost, f.failed, f.left, 100 * f.idle);
    }
}

static void print_csv(const double *v)
{
    for (int i = 0; i < SIM_MEASURE_COUNT; i++)
        printf("%s%s", i ? "," : "", sim_measure_names[i]);
    printf("\n");
    for (int i = 0; i < SIM_MEASURE_COUNT; i++) {
        printf(i ? "," : "");
        if (!isnan(v[i]))
            printf("%.*f", sim_measure_digits[i], v[i]);
    }
    printf("\n");
}

static void print_json(const double *v)
{
    printf("{");
    for (int i = 0; i < SIM_MEASURE_COUNT; i++) {
        printf("%s\"%s\": ", i ? ", " : "", sim_measure_names[i]);
        printf(isnan(v[i]) ? "null" : "%.*f", sim_measure_digits[i], v[i]);
    }
    printf(",\n \"each\": [");
    for (unsigned i = 0; i < v[SIM_workers]; i++) {
        struct figures f = figures_of(i, v[SIM_time_ns]);

        printf("%s\n  {\"executed\": %" PRId64 ", \"stolen\": %" PRIu64 ", \"lost\": %" PRIu64 ", \"failed\": %" PRIu64
               ", \"left\": %" PRIu64 ", \"idle\": %.4f}",
               i ? "," : "", f.executed, f.stolen, f.lost, f.failed, f.left, f.idle);
    }
    printf("\n ]}\n");
}

void sim_report_print(const double *v)
{
    switch (sim_options.format) {
    case SIM_FORMAT_TABLE: print_text(v); break;
    case SIM_FORMAT_CSV: print_csv(v); break;
    case SIM_FORMAT_JSON: print_json(v); break;
    }
}
