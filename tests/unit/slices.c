/* SPDX-License-Identifier: MIT */
/*
 * The slices of a static loop, and the children that a driver takes back, on one thread. A library with assertions
 * (--enable-debug) also ends the process when a slice is taken twice, or a child is not next to the driver's piece.
 */
#include "../support/process.h"
#include "config/parse.h"
#include "task/stack.h"
#include "worker/worker.h"
#include "worker/workers.h"
#include "one_deque.h"

#include <wsfj.h>

static struct wsfj_slices slices;
static struct wsfj_deque *deque;

static void begin(unsigned workers, uint64_t n)
{
    start(WSFJ_MODE_NORMAL);
    deque = &stack->deque;
    wsfj_num_workers = workers;
    memset(&slices, 0x55, sizeof slices);
    wsfj_slices_begin(&slices, deque, n);
}

/* Catches: a slice that is given twice or not at all; slices of an earlier loop that count as taken; more than there are
 * iterations. */
START_TEST(each_slice_is_taken_once)
{
    static const unsigned workers[] = {1, 2, 3, 63, 64, 65, 200, WSFJ_WORKERS_MOST};
    static const uint64_t iterations[] = {1, 2, 5, 64, 100, 1000000};

    for (unsigned w = 0; w < sizeof workers / sizeof *workers; w++) {
        for (unsigned i = 0; i < sizeof iterations / sizeof *iterations; i++) {
            static bool taken[WSFJ_WORKERS_MOST];
            uint64_t most = workers[w] < iterations[i] ? workers[w] : iterations[i];

            memset(taken, 0, sizeof taken);
            begin(workers[w], iterations[i]);
            ck_assert_uint_eq(slices.wsfj_count, most);
            for (uint64_t n = 0; n < most; n++) {
                uint64_t k = wsfj_slices_take(&slices, deque);

                ck_assert_uint_lt(k, most);
                ck_assert(!taken[k]);
                taken[k] = true;
            }
            stop();
        }
    }
}
END_TEST

/* Catches: a slice that counts as at home on a worker for which there was none. */
START_TEST(a_slice_is_at_home_on_its_worker_only)
{
    static const unsigned ids[] = {0, 1, 5};
    static struct wsfj_worker w;

    for (int i = 0; i < 3; i++) {
        begin(8, 2);
        memset(&w.log, 0, sizeof w.log);
        w.id = ids[i];
        stack->worker = &w;
        for (int k = 0; k < 2; k++)
            (void)wsfj_slices_take(&slices, deque);
        ck_assert_uint_eq(w.log.count[WSFJ_EVENT_slice_home], ids[i] < 2);
        ck_assert_uint_eq(w.log.count[WSFJ_EVENT_slice_other], ids[i] < 2 ? 1 : 2);
        stack->worker = NULL;
        stop();
    }
}
END_TEST

static struct wsfj_loop_site site = {.wsfj_size = {2}, .wsfj_signed = {1}};
static const struct wsfj_kind child_kind = {.wsfj_name = "child", .wsfj_site = &site};
static struct wsfj_loop driver;

/* The driver of the iterations from -3 on; what it has run; a child from `lo` to `hi` that it thinks to be of `size`. */
static void take_back(uint64_t ran, short lo, short hi, uint64_t size)
{
    struct wsfj_descriptor *child = deque->wsfj_tail;
    const short ends[] = {lo, hi};

    child->wsfj_word = (uintptr_t)&child_kind;
    memcpy((char *)child->wsfj_args, ends, sizeof ends);
    wsfj_publish_tail(deque, child + 1);
    driver.wsfj_at = driver.wsfj_ran = ran;
    driver.wsfj_left = 0;
    driver.wsfj_size[driver.wsfj_children++] = size;
    ck_assert_ptr_eq(wsfj_loop_turn(&driver, child + 1), child);
    ck_assert_uint_eq(driver.wsfj_left, size);
    ck_assert_uint_eq(driver.wsfj_children, 0);
}

static void begin_driver(void)
{
    begin(2, 1);
    wsfj_loop_begin(&driver, &site, deque, 100, 1);
}

/* Catches: a child that is not taken back, or of which the driver does not know how long it is; an assertion that is
 * wrong of a right driver. */
START_TEST(a_driver_takes_its_lines_back)
{
    begin_driver();
    take_back(2, -1, 5, 6);
    take_back(8, 5, 6, 1);
    take_back(9, 6, 97, 91);
    stop();
}
END_TEST

/* Catches: a loop that no run has measured yet, and that takes more than one iteration before it looks. */
START_TEST(an_unknown_loop_looks_after_one_iteration)
{
    begin_driver();
    ck_assert_uint_eq(driver.wsfj_fits, 0);
    ck_assert_uint_eq(driver.wsfj_looks, 1);
    ck_assert_uint_eq(driver.wsfj_chunk, 1);
    stop();
}
END_TEST

/* Catches: a piece of less than the grain that is spawned or kept; one that could be divided and is not; a grain of another
 * unit, or one that overflows. */
START_TEST(no_piece_is_shorter_than_the_grain)
{
    static const uint64_t grains[] = {0, 1, 2, 3, 1000, UINT64_C(1) << 63, UINT64_MAX - 1};
    static struct wsfj_loop_site known = {.wsfj_size = {2}};

    begin(2, 1);
    for (size_t g = 0; g < sizeof grains / sizeof *grains; g++) {
        uint64_t grain = grains[g] ? grains[g] : 1, more = grain / 2 ? grain / 2 : 1;

        known.wsfj_fits = g % 2; /* also measured: iterations that are longer than 2 us */
        for (uint64_t n = 1, i = 0; i<8; i++, n = n> UINT64_MAX - more ? UINT64_MAX : n + more) {
            wsfj_loop_begin(&driver, &known, deque, n, grains[g]);
            ck_assert_msg(n / 2 >= grain ? driver.wsfj_push == n / 2 : !driver.wsfj_push, "%llu of %llu, grain %llu",
                          (unsigned long long)driver.wsfj_push, (unsigned long long)n, (unsigned long long)grain);
        }
    }
    known.wsfj_fits = 40 << 10; /* 40 iterations take 2 us: a shorter piece is not worth a child */
    wsfj_loop_begin(&driver, &known, deque, 40, 5);
    ck_assert_uint_eq(driver.wsfj_push, 0);
    wsfj_loop_begin(&driver, &known, deque, 41, 5);
    ck_assert_uint_eq(driver.wsfj_push, 20);
    stop();
}
END_TEST

#ifdef WSFJ_DEBUG
static int misuse(long how)
{
    switch (how) {
    case 0: /* one ticket too many */
        begin(3, 100);
        for (int i = 0; i < 4; i++)
            (void)wsfj_slices_take(&slices, deque);
        break;
    case 1: /* a slice that is free again */
        begin(3, 100);
        (void)wsfj_slices_take(&slices, deque);
        slices.wsfj_taken[0] = 0;
        (void)wsfj_slices_take(&slices, deque);
        break;
    case 2: /* a child that is longer than noted */
        begin_driver();
        take_back(2, -1, 5, 5);
        break;
    case 3: /* the second child leaves one iteration out */
        begin_driver();
        take_back(2, -1, 5, 6);
        take_back(8, 6, 7, 1);
        break;
    default: /* or overlaps */
        begin_driver();
        take_back(2, -1, 5, 6);
        take_back(8, 4, 5, 1);
    }
    return 0;
}
#define MISUSES 5

/* Catches: an assertion that cannot fail. */
START_TEST(an_overlap_ends_the_process)
{
    struct outcome o = in_child(misuse, _i);

    expect_death(&o, SIGABRT);
    ck_assert_msg(strstr(o.text, "broken invariant") != NULL, "%s", o.text);
    ck_assert_msg(strstr(o.text, _i < 2 ? "loop/slices.c" : "loop/loop.c") != NULL, "%s", o.text);
}
END_TEST
#endif

int main(void)
{
    TCase *tcase = new_case("slices");

    tcase_add_test(tcase, each_slice_is_taken_once);
    tcase_add_test(tcase, a_slice_is_at_home_on_its_worker_only);
    tcase_add_test(tcase, a_driver_takes_its_lines_back);
    tcase_add_test(tcase, an_unknown_loop_looks_after_one_iteration);
    tcase_add_test(tcase, no_piece_is_shorter_than_the_grain);
#ifdef WSFJ_DEBUG
    tcase_add_loop_test(tcase, an_overlap_ends_the_process, 0, MISUSES);
#endif
    return run_case("slices", tcase);
}
