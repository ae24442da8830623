/* SPDX-License-Identifier: MIT */
/* How many workers may run, on machines made of files that change: lib/idle/cpu_limit.h. With real threads:
 * stress/cpu_limit. */
#include "idle/cpu_limit.h"

#include "api/guest.h"
#include "base/atomic.h"
#include "config/settings.h"
#include "idle/allowed.h"
#include "idle/idle_counts.h"
#include "idle/park.h"
#include "idle/phase.h"
#include "machine/cgroup.h"
#include "worker/awake.h"
#include "worker/worker.h"
#include "worker/workers.h"

#include "../support/process.h"
#include "fakeroot.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>

#define WORKERS 33
#define HOUR_NS (UINT64_C(3600) * 1000000000)

#define UNIFIED "35 24 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
#define LEGACY "36 31 0:31 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
#define CPU_MAX "/sys/fs/cgroup/a/b/cpu.max"
#define ABOVE "/sys/fs/cgroup/a/cpu.max"
#define CFS_QUOTA "/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us"
#define CFS_PERIOD "/sys/fs/cgroup/cpu/a/cpu.cfs_period_us"

/* Workers without threads: nothing runs here, so each park word stays as the test has set it. */
static struct wsfj_worker team[WORKERS];

static void make_team(void)
{
    wsfj_workers = team;
    wsfj_num_workers = WORKERS;
    for (unsigned i = 0; i < WORKERS; i++)
        team[i].id = i;
    wsfj_cpu_limit_root = fakeroot;
    wsfj_cpu_limit_period = 0;
    fakeroot_make();
}

static void start(enum wsfj_cpu_limit what)
{
    static struct wsfj_victim_order order;
    unsigned near[WORKERS];
    enum wsfj_tier gap[WORKERS];

    for (unsigned i = 0; i < WORKERS; i++) {
        near[i] = i;
        gap[i] = WSFJ_TIER_CACHE;
    }
    wsfj_victim_order_free(&order);
    ck_assert(wsfj_victim_order_make(&order, WORKERS, near, gap, wsfj_awake_set));
    wsfj_awake_start(order.near);
    for (unsigned i = 0; i < WORKERS; i++)
        wsfj_victims_make(&team[i].victims, &order, i);
    (void)wsfj_cpu_limit_open(what);
    wsfj_cpu_limit_start(WORKERS);
    wsfj_cpu_limit_follow();
}

static void expect(unsigned n)
{
    wsfj_cpu_limit_check();
    for (unsigned i = 0; i < WORKERS; i++)
        ck_assert_msg(wsfj_allowed_to_run(i) == (i < n), "%u: worker %u", n, i);
    ck_assert(!wsfj_allowed_to_run(WORKERS));
}

static void make_unified(const char *max)
{
    fakeroot_file("/proc/self/mountinfo", UNIFIED);
    fakeroot_file("/proc/self/cgroup", "0::/a/b\n");
    fakeroot_file(CPU_MAX, max);
}

/* Catches: a quota read only once; an outer group's limit not read again; more workers than there are, or none. */
START_TEST(a_quota_of_version_2_that_changes)
{
    make_unified("max 100000\n");
    start(WSFJ_CPU_LIMIT_QUOTA);
    expect(WORKERS);
    fakeroot_file(CPU_MAX, "200000 100000\n");
    expect(2);
    fakeroot_file(CPU_MAX, "550000 100000\n");
    expect(5);
    fakeroot_file(ABOVE, "10000 100000\n");
    expect(1);
    fakeroot_file(ABOVE, "max 100000\n");
    expect(5);
    fakeroot_file(CPU_MAX, "9900000 100000\n");
    expect(WORKERS);
    fakeroot_file(CPU_MAX, "300000 100000\n");
    expect(3);
    fakeroot_file("/proc/self/cgroup", "0::/a\n"); /* moved to another group */
    expect(WORKERS);
}
END_TEST

/* Catches: the same errors with version 1. */
START_TEST(a_quota_of_version_1_that_changes)
{
    fakeroot_file("/proc/self/mountinfo", LEGACY);
    fakeroot_file("/proc/self/cgroup", "3:cpu:/a\n");
    fakeroot_file(CFS_QUOTA, "400000\n");
    fakeroot_file(CFS_PERIOD, "100000\n");
    start(WSFJ_CPU_LIMIT_QUOTA);
    expect(4);
    fakeroot_file(CFS_QUOTA, "-1\n");
    expect(WORKERS);
    fakeroot_file(CFS_QUOTA, "700000\n");
    expect(7);
    fakeroot_file(CFS_PERIOD, "200000\n");
    expect(3);
}
END_TEST

/* Catches: a file that cannot be read taken for a limit, or as a reason never to read again. */
START_TEST(a_file_that_comes_and_goes)
{
    char path[600];

    make_unified("200000 100000\n");
    start(WSFJ_CPU_LIMIT_QUOTA);
    expect(2);
    snprintf(path, sizeof path, "%s" CPU_MAX, fakeroot);
    ck_assert_int_eq(unlink(path), 0);
    expect(WORKERS);
    fakeroot_file(CPU_MAX, "nonsense\n");
    expect(WORKERS);
    fakeroot_file(CPU_MAX, "600000 100000\n");
    expect(6);
    snprintf(path, sizeof path, "%s/proc/self/cgroup", fakeroot);
    ck_assert_int_eq(unlink(path), 0);
    expect(WORKERS);
    fakeroot_file("/proc/self/cgroup", "0::/a/b\n");
    expect(6);
}
END_TEST

/* Catches: a quota that counts although the user said otherwise: WSFJ_CGROUP=0, or a given number of workers. */
START_TEST(what_does_not_count_is_not_looked_at)
{
    make_unified("200000 100000\n");
    ck_assert_uint_eq(wsfj_cpu_limit_open(WSFJ_CPU_LIMIT_QUOTA), 2);
    ck_assert_uint_eq(wsfj_cpu_limit_open(WSFJ_CPU_LIMIT_MASKS), WSFJ_CGROUP_NONE);
    ck_assert_uint_eq(wsfj_cpu_limit_open(WSFJ_CPU_LIMIT_FIXED), WSFJ_CGROUP_NONE);
    start(WSFJ_CPU_LIMIT_FIXED);
    expect(WORKERS);
    start(WSFJ_CPU_LIMIT_MASKS);
    expect(WORKERS);
    start(WSFJ_CPU_LIMIT_QUOTA);
    expect(2);
    start(WSFJ_CPU_LIMIT_FIXED); /* after a restart */
    expect(WORKERS);
    wsfj_cpu_limit_change(5);
    expect(5); /* nobody reads the masks */
}
END_TEST

/* Catches: workers that retire while a thread's mask is not known, as that of a thread which has not begun yet; masks that are
 * never known. Here each worker has the same thread. */
START_TEST(masks_limit_once_all_are_known)
{
    cpu_set_t mask;

    ck_assert_int_eq(sched_getaffinity(0, sizeof mask, &mask), 0);
    start(WSFJ_CPU_LIMIT_MASKS);
    for (unsigned i = 0; i < WORKERS - 1; i++)
        team[i].tid = getpid();
    expect(WORKERS);
    team[WORKERS - 1].tid = getpid();
    expect(CPU_COUNT(&mask) < WORKERS ? (unsigned)CPU_COUNT(&mask) : WORKERS);
}
END_TEST

/* Catches: files read at every call, or never again. */
START_TEST(looks_are_a_period_apart)
{
    make_unified("200000 100000\n");
    wsfj_cpu_limit_period = HOUR_NS;
    start(WSFJ_CPU_LIMIT_QUOTA);
    expect(WORKERS); /* start made one worker for each CPU of the quota: the first reading comes later */
    wsfj_cpu_limit_period = 0;
    start(WSFJ_CPU_LIMIT_QUOTA);
    wsfj_cpu_limit_period = HOUR_NS;
    expect(2); /* it was due at once; the next reading is not */
    fakeroot_file(CPU_MAX, "300000 100000\n");
    for (int i = 0; i < 1000; i++)
        expect(2);
    wsfj_cpu_limit_period = 0;
    start(WSFJ_CPU_LIMIT_QUOTA);
    expect(3);
}
END_TEST

static unsigned rechecks, rouses;

void __wrap_wsfj_wake_recheck(void);
void __wrap_wsfj_wake_rouse(void);

void __wrap_wsfj_wake_recheck(void)
{
    rechecks++;
}

void __wrap_wsfj_wake_rouse(void)
{
    rouses++;
}

/* Worker 1, worker 2, or both are retired, and none; all four may run again. Catches: a recall that only the first or the last
 * worker counts for; a recheck without a recall; one worker woken in a phase, or all outside of one. */
START_TEST(a_recall_of_any_worker_is_followed_by_a_recheck)
{
    bool phase = _i & 4;

    make_unified("100000 100000\n");
    start(WSFJ_CPU_LIMIT_QUOTA);
    expect(1);
    for (unsigned i = 1; i < WORKERS; i++)
        team[i].park = i < 3 && _i & (1 << (i - 1)) ? WSFJ_PARK_RETIRED : WSFJ_PARK_GUEST;
    if (phase)
        wsfj_phase_begin();
    rechecks = rouses = 0;
    fakeroot_file(CPU_MAX, "400000 100000\n");
    expect(4);
    ck_assert_uint_eq(rechecks, !phase && _i & 3);
    ck_assert_uint_eq(rouses, phase && _i & 3);
    wsfj_phase_forget();
}
END_TEST

/* Catches: retired workers that may run again but stay retired; changes to other workers; workers woken without
 * work. */
START_TEST(growth_recalls_the_retired_workers_below_it)
{
    make_unified("100000 100000\n");
    start(WSFJ_CPU_LIMIT_QUOTA);
    expect(1);
    for (unsigned i = 1; i < WORKERS; i++)
        team[i].park = i % 3 ? WSFJ_PARK_RETIRED : WSFJ_PARK_GUEST;
    fakeroot_file(CPU_MAX, "2000000 100000\n");
    expect(20);
    for (unsigned i = 1; i < WORKERS; i++)
        ck_assert_uint_eq(team[i].park, i % 3 == 0 ? WSFJ_PARK_GUEST : i < 20 ? WSFJ_PARK_ASLEEP : WSFJ_PARK_RETIRED);
}
END_TEST

/* Catches: surplus sleepers that do not retire before they are woken; changes to guests; a surplus slot that becomes a
 * sleeper after its guest; a wrong count of sleepers. */
START_TEST(surplus_sleepers_retire_at_once)
{
    make_unified("2000000 100000\n");
    start(WSFJ_CPU_LIMIT_QUOTA);
    expect(20);
    wsfj_idle_counts_start(20);
    for (unsigned i = 0; i < 20; i++)
        wsfj_park_lie_down(&team[i], true);
    for (unsigned i = 0; i < 4; i++)
        ck_assert_ptr_eq(wsfj_guest_enter(), &team[i]);
    fakeroot_file(CPU_MAX, "200000 100000\n");
    expect(2);
    for (unsigned i = 0; i < 20; i++)
        ck_assert_uint_eq(team[i].park, i < 4 ? WSFJ_PARK_GUEST : WSFJ_PARK_RETIRED);
    ck_assert_int_eq(wsfj_idle_counts().sleeping, 0);
    ck_assert_ptr_null(wsfj_guest_enter());
    wsfj_guest_leave(&team[2]);
    ck_assert_uint_eq(team[2].park, WSFJ_PARK_RETIRED);
    ck_assert_ptr_null(wsfj_guest_enter());
    wsfj_guest_leave(&team[1]);
    ck_assert_int_eq(wsfj_idle_counts().sleeping, 1);
    ck_assert_ptr_eq(wsfj_guest_enter(), &team[1]);
}
END_TEST

/* Catches: a guest that leaves the only surplus worker, while all others sleep: it stays a sleeper. */
START_TEST(the_only_surplus_worker_retires_after_its_guest)
{
    make_unified("3300000 100000\n");
    start(WSFJ_CPU_LIMIT_QUOTA);
    expect(WORKERS);
    wsfj_idle_counts_start(WORKERS);
    for (unsigned i = 0; i < WORKERS; i++)
        wsfj_park_lie_down(&team[i], true);
    for (unsigned i = 0; i < WORKERS; i++)
        ck_assert_ptr_eq(wsfj_guest_enter(), &team[i]);
    fakeroot_file(CPU_MAX, "3200000 100000\n");
    expect(WORKERS - 1);
    for (unsigned i = 0; i < WORKERS; i++)
        wsfj_guest_leave(&team[i]);
    ck_assert_uint_eq(team[WORKERS - 1].park, WSFJ_PARK_RETIRED);
    ck_assert_int_eq(wsfj_idle_counts().sleeping, WORKERS - 1);
}
END_TEST

/* Catches: a guest on a surplus slot that its thread has offered and will take to sleep in a moment. */
START_TEST(guests_take_offered_slots_but_no_surplus_ones)
{
    make_unified("200000 100000\n");
    start(WSFJ_CPU_LIMIT_QUOTA);
    expect(2);
    wsfj_idle_counts_start(4);
    for (unsigned i = 1; i < 4; i++)
        wsfj_awake_enter(i);
    team[2].park = team[3].park = WSFJ_PARK_OFFERED;
    ck_assert_ptr_null(wsfj_guest_enter());
    team[1].park = WSFJ_PARK_OFFERED;
    ck_assert_ptr_eq(wsfj_guest_enter(), &team[1]);
    ck_assert_uint_eq(team[1].park, WSFJ_PARK_GUEST);
    ck_assert_uint_eq(wsfj_idle_counts().searching, 3);
    ck_assert_ptr_null(wsfj_guest_enter());
}
END_TEST

/* Catches: a changed errno for the caller of ws_run(), also when the line for the user cannot be written; descriptors
 * left open. */
START_TEST(a_look_leaves_nothing_behind)
{
    int lowest, full = open("/dev/full", O_WRONLY);

    ck_assert_int_eq(dup2(full, STDERR_FILENO), STDERR_FILENO);
    close(full);
    lowest = dup(0);
    close(lowest);
    wsfj_settings.display = true;
    make_unified("200000 100000\n");
    start(WSFJ_CPU_LIMIT_QUOTA);
    for (int i = 0; i < 100; i++) {
        errno = 12345;
        fakeroot_file(CPU_MAX, i % 2 ? "200000 100000\n" : "x\n");
        errno = 12345;
        wsfj_cpu_limit_check();
        ck_assert_int_eq(errno, 12345);
        ck_assert(wsfj_allowed_to_run(1));
    }
    ck_assert_int_eq(dup(0), lowest);
    close(lowest);
}
END_TEST

static void *look_and_go(void *argument)
{
    int state;

    pthread_cancel(pthread_self());
    wsfj_cpu_limit_check();
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    return state == PTHREAD_CANCEL_ENABLE ? argument : NULL;
}

/* Catches: a thread with a pending cancellation that dies while it reads the files: they would never be read again; one
 * that can no longer be cancelled. */
START_TEST(a_look_is_no_point_of_cancellation)
{
    int survived;
    void *result;
    pthread_t thread;

    make_unified("200000 100000\n");
    start(WSFJ_CPU_LIMIT_QUOTA);
    ck_assert_int_eq(pthread_create(&thread, NULL, look_and_go, &survived), 0);
    ck_assert_int_eq(pthread_join(thread, &result), 0);
    ck_assert_ptr_eq(result, &survived);
    expect(2);
}
END_TEST

static int change_and_look(long display)
{
    wsfj_settings.display = display != 0;
    make_unified("200000 100000\n");
    start(WSFJ_CPU_LIMIT_QUOTA);
    wsfj_cpu_limit_check();
    wsfj_cpu_limit_check();
    fakeroot_file(CPU_MAX, "max 100000\n");
    wsfj_cpu_limit_check();
    wsfj_cpu_limit_check();
    return 0;
}

/* Catches: no line although WSFJ_DISPLAY=1 asks for one; a line at each reading, or without WSFJ_DISPLAY. */
START_TEST(a_change_is_displayed_once)
{
    struct outcome o = in_child(change_and_look, _i);

    expect_exit(&o, 0);
    ck_assert_int_eq(o.lines, _i ? 2 : 0);
    ck_assert_msg(!_i || (strstr(o.text, "now leaves 2 of 33 workers") && strstr(o.text, "now leaves 33 of 33 workers")),
                  "%s", o.text);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("supply");

    tcase_add_checked_fixture(tcase, make_team, fakeroot_remove);
    tcase_add_test(tcase, a_quota_of_version_2_that_changes);
    tcase_add_test(tcase, a_quota_of_version_1_that_changes);
    tcase_add_test(tcase, a_file_that_comes_and_goes);
    tcase_add_test(tcase, what_does_not_count_is_not_looked_at);
    tcase_add_test(tcase, masks_limit_once_all_are_known);
    tcase_add_test(tcase, looks_are_a_period_apart);
    tcase_add_test(tcase, growth_recalls_the_retired_workers_below_it);
    tcase_add_loop_test(tcase, a_recall_of_any_worker_is_followed_by_a_recheck, 0, 8);
    tcase_add_test(tcase, surplus_sleepers_retire_at_once);
    tcase_add_test(tcase, guests_take_offered_slots_but_no_surplus_ones);
    tcase_add_test(tcase, a_look_leaves_nothing_behind);
    tcase_add_test(tcase, a_look_is_no_point_of_cancellation);
    tcase_add_loop_test(tcase, a_change_is_displayed_once, 0, 2);
    tcase_add_test(tcase, the_only_surplus_worker_retires_after_its_guest);
    return run_case("supply", tcase);
}
