/* SPDX-License-Identifier: MIT */
/* Sums and tables of counters that are known: lib/observe/stats.c, without a runtime. Neighbours: user/queries.c,
 * user/outputs.c, the counters of programs. */
#include "observe/stats.h"

#include "arch/arch.h"
#include "worker/worker.h"
#include "worker/workers.h"

#include "../support/heard.h"

#include <stddef.h>

#define N 3
#define ALL 0x01010101ull /* one of each worker's unit and of the others' */

static _Alignas(4096) struct wsfj_worker team[N];

#define FOLLOWED 100ull

/* Worker w has (event + 1) << 8 w of each event and (tier + 101) << 8 w steals of each distance, and FOLLOWED << 8 w tasks have
 * followed others; what is not a worker, N. */
static void count(struct wsfj_log *log, unsigned w)
{
    for (unsigned event = 0; event < WSFJ_EVENT_COUNT; event++)
        log->count[event] = (uint64_t)(event + 1) << 8 * w;
    log->followed = FOLLOWED << 8 * w;
    for (unsigned tier = 0; tier < WSFJ_TIERS; tier++)
        log->steals[tier] = (uint64_t)(tier + 101) << 8 * w;
}

static void begin(void)
{
    wsfj_stats_reset();
    wsfj_workers = team;
    wsfj_num_workers = N;
    for (unsigned w = 0; w < N; w++)
        count(&team[w].log, w);
    count(&wsfj_foreign_log, N);
}

#define UNIT(event) (WSFJ_EVENT_##event + 1ull)

/* Each field but `size` and `stacks` counts something: an event of lib/task/event_rows.h. */
static void expect_all(const struct ws_stats *sum)
{
    const char *words = (const char *)sum;

    for (size_t at = offsetof(struct ws_stats, steals); at < sizeof *sum; at += sizeof(uint64_t)) {
        uint64_t value;

        memcpy(&value, words + at, sizeof value);
        ck_assert_msg(value > 0 || at == offsetof(struct ws_stats, stacks), "the field at %zu counts nothing", at);
    }
}

/* All fields of the sum if one of an event's units counts so much. */
static void expect_sum(const struct ws_stats *sum, uint64_t unit)
{
    ck_assert_uint_eq(sum->steals, UNIT(steal) * unit);
    ck_assert_uint_eq(sum->steals_failed, UNIT(steal_fail) * unit);
    ck_assert_uint_eq(sum->exposures_asked, UNIT(expose_request) * unit);
    ck_assert_uint_eq(sum->exposures_answered, UNIT(expose) * unit);
    ck_assert_uint_eq(sum->exposures_forced, UNIT(expose_force) * unit);
    ck_assert_uint_eq(sum->suspensions, UNIT(suspend) * unit);
    ck_assert_uint_eq(sum->parks, UNIT(park) * unit);
    ck_assert_uint_eq(sum->wakes, UNIT(wake) * unit);
    ck_assert_uint_eq(sum->tasks, (UNIT(task_end) + FOLLOWED) * unit);
    ck_assert_uint_eq(sum->regions, UNIT(region_end) * unit);
    ck_assert_uint_eq(sum->resumptions, UNIT(resume) * unit);
    ck_assert_uint_eq(sum->waits, UNIT(wait) * unit);
    ck_assert_uint_eq(sum->yields, UNIT(yield) * unit);
    ck_assert_uint_eq(sum->blockings, UNIT(block_begin) * unit);
    ck_assert_uint_eq(sum->overflows, UNIT(overflow) * unit);
    ck_assert_uint_eq(sum->global_takes, UNIT(global_queue_take) * unit);
    ck_assert_uint_eq(sum->searches, UNIT(search) * unit);
    ck_assert_uint_eq(sum->splits, UNIT(split) * unit);
    ck_assert_uint_eq(sum->slices, (UNIT(slice_home) + UNIT(slice_other)) * unit);
    ck_assert_uint_eq(sum->slices_home, UNIT(slice_home) * unit);
    ck_assert_uint_eq(sum->cancelled, UNIT(cancel) * unit);
    ck_assert_uint_eq(sum->short_waits, UNIT(short_wait) * unit);
    ck_assert_uint_eq(sum->short_waits_vain, UNIT(short_wait_vain) * unit);
    ck_assert_uint_eq(sum->timeouts, UNIT(timeout) * unit);
    ck_assert_uint_eq(sum->cancelled_waits, UNIT(wait_cut) * unit);
    ck_assert_uint_eq(sum->fd_events, UNIT(fd_event) * unit);
    for (unsigned tier = 0; tier < WSFJ_TIERS; tier++)
        ck_assert_uint_eq(sum->steals_by_distance[tier], (tier + 101) * unit);
}

/* Catches: a thread, a distance or an event that is left out of a sum, or counts as another one; a field without an event. */
START_TEST(a_sum_has_all_of_each)
{
    struct ws_stats sum = {0}, one = {0};

    begin();
    wsfj_stats_sum(&sum);
    expect_all(&sum);
    expect_sum(&sum, ALL);
    ck_assert(wsfj_stats_of(1, &one));
    expect_sum(&one, 1 << 8);
    ck_assert(!wsfj_stats_of(N, &one));
    wsfj_stats_reset(); /* the others' start from 0, each worker has its own start */
    sum = (struct ws_stats){0};
    wsfj_stats_sum(&sum);
    ck_assert_uint_eq(sum.searches, UNIT(search) * (ALL & 0xffffff));
}
END_TEST

/* What has been printed from there on. */
static const char *find(const char *at, const char *text)
{
    const char *found = strstr(at, text);

    ck_assert_msg(found != NULL, "no '%s' in %s", text, at);
    return found;
}

/* The first line behind `at` that begins with the name must have these numbers of one unit. Those of other
 * fields may follow. */
static void expect_row(const char *at, const char *name, const unsigned long long *numbers, uint64_t unit)
{
    at = find(at, name) + strlen(name);
    for (; *numbers; numbers++) {
        char *end;

        ck_assert_uint_eq(strtoull(at, &end, 10), *numbers * unit);
        at = end;
    }
    ck_assert(*at == '\n' || *at == ' ');
}

/* Catches: a number in the column or line of another one. */
START_TEST(a_table_has_each_threads_numbers)
{
    const unsigned long long steals[] = {101,
                                         102,
                                         103,
                                         104,
                                         105,
                                         UNIT(steal_fail),
                                         UNIT(expose_request),
                                         UNIT(expose),
                                         UNIT(expose_force),
                                         UNIT(suspend),
                                         UNIT(park),
                                         UNIT(wake),
                                         0};
    const unsigned long long tasks[] = {UNIT(task_end) + FOLLOWED,
                                        UNIT(region_end),
                                        UNIT(resume),
                                        UNIT(wait),
                                        UNIT(yield),
                                        UNIT(block_begin),
                                        UNIT(overflow),
                                        UNIT(global_queue_take),
                                        UNIT(search),
                                        UNIT(cancel),
                                        0};
    static const char *const names[] = {"\n     0 ", "\n     1 ", "\n     2 ", "\nothers "};

    begin();
    listen_begin();
    wsfj_stats_print();
    listen_end();
    for (unsigned w = 0; w <= N; w++) {
        expect_row(find(heard, "libwsfj: steals by distance;"), names[w], steals, 1ull << 8 * w);
        expect_row(find(heard, "libwsfj: tasks with a stack of their own"), names[w], tasks, 1ull << 8 * w);
    }
}
END_TEST

static void set_steals(unsigned w, uint64_t steals, uint64_t failed)
{
    team[w].log.count[WSFJ_EVENT_steal] = steals;
    team[w].log.count[WSFJ_EVENT_steal_fail] = failed;
}

/* Catches: a part that is rounded down, a part of nothing, a worker that does not count for all, a rate of another time. */
START_TEST(rates_are_rounded_to_tenths)
{
    static const struct {
        const char *name;
        unsigned long long steals, attempts;
        const char *successful;
    } rows[] = {{"\n     0 ", 200000000, 300000000, "66.7"},
                {"\n     1 ", 0, 0, "-"},
                {"\n     2 ", 1, 8, "12.5"},
                {"\n   all ", 200000001, 300000008, "66.7"}};
    unsigned long long seconds, ms;
    const char *table;
    uint64_t until, began = wsfj_now();

    begin();
    set_steals(0, 200000000, 100000000);
    set_steals(1, 0, 0);
    set_steals(2, 1, 7);
    for (until = wsfj_now() + 10000000; wsfj_now() < until;)
        ;
    listen_begin();
    wsfj_stats_print();
    listen_end();
    table = find(heard, "libwsfj: steals of each worker in ");
    ck_assert_int_eq(sscanf(table, "libwsfj: steals of each worker in %llu.%llu s\n", &seconds, &ms), 2);
    ms += 1000 * seconds;
    ck_assert_uint_ge(ms, 10);
    ck_assert_uint_le(ms, (wsfj_now() - began) / 1000000);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned long long steals, attempts;
        char successful[32];
        double rate;

        ck_assert_int_eq(
            sscanf(find(table, rows[i].name) + 7, "%llu %llu %31s %lf", &steals, &attempts, successful, &rate), 4);
        ck_assert_uint_eq(steals, rows[i].steals);
        ck_assert_uint_eq(attempts, rows[i].attempts);
        ck_assert_str_eq(successful, rows[i].successful);
        ck_assert_double_le(rate, (double)steals * 1000 / (double)ms + 0.1);
        ck_assert_double_ge(rate, (double)steals * 1000 / (double)(ms + 1) - 0.1);
    }
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("stats");

    tcase_add_test(tcase, a_sum_has_all_of_each);
    tcase_add_test(tcase, a_table_has_each_threads_numbers);
    tcase_add_test(tcase, rates_are_rounded_to_tenths);
    return run_case("stats", tcase);
}
