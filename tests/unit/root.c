/* SPDX-License-Identifier: MIT */
/*
 * Calls from outside (lib/api/run.c, short_loop.c): large arguments, which have memory of their own, and loops, which
 * begin a region unless they are predicted to be short. The tests write the prediction. Neighbour: user/roots.c.
 */
#include "../support/flags.h"
#include "../support/runtime.h"
#include "queue/root.h"
#include "task/mode.h"
#include "guarded.h"

#include <errno.h>
#include <stdlib.h>

/* More bytes than the runtime allocates while it runs. */
struct large {
    char bytes[100000];
};

static bool refuse;
static void *kept;  /* the memory of large arguments, until it is freed, */
static void *freed; /* and then */

void *__wrap_aligned_alloc(size_t align, size_t size);
void __real_free(void *block);
void __wrap_free(void *block);

void *__wrap_aligned_alloc(size_t align, size_t size)
{
    if (size < sizeof(struct large))
        return guarded_alloc(align, size);
    return kept = refuse ? NULL : __real_aligned_alloc(align, size);
}

void __wrap_free(void *block)
{
    if (block && block == kept) {
        freed = kept;
        kept = NULL;
    }
    __real_free(block);
}

static long ran;

static WS_TASK(int, last_byte, struct large, l)
{
    return l.bytes[sizeof l.bytes - 1];
}

static WS_LOOP(over_large, int, i, struct large, l)
{
    (void)__atomic_fetch_add(&ran, l.bytes[i], __ATOMIC_RELAXED);
}

#define LOOP_OF(type, name)                                                                                            \
    static WS_LOOP(name, type, i, int, unused)                                                                         \
    {                                                                                                                  \
        (void)i;                                                                                                       \
        (void)unused;                                                                                                  \
        add(&ran, 1);                                                                                                  \
    }
LOOP_OF(int8_t, of_i8)
LOOP_OF(uint8_t, of_u8)
LOOP_OF(int16_t, of_i16)
LOOP_OF(uint16_t, of_u16)
LOOP_OF(int32_t, of_i32)
LOOP_OF(uint32_t, of_u32)
LOOP_OF(int64_t, of_i64)
LOOP_OF(uint64_t, of_u64)

/* 1024 times the iterations that fit into 2 us. A loop of at most 4 times as many, less 3, is short. */
#define SHORT (UINT64_C(1) << 40)
#define NINE_ARE_SHORT (UINT64_C(3) << 10)

/* Catches: a call without memory that has no error, or whose error is another one; arguments of an earlier call that run
 * instead; memory of arguments that stays or is freed twice. */
START_TEST(large_arguments_are_refused_or_given_back)
{
    static struct large l;
    int r = 0;

    l.bytes[0] = 1;
    l.bytes[sizeof l.bytes - 1] = 7;
    start_runtime(2, 0, WS_SPIN_DEFAULT);
    for (int i = 0; i < 4; i++) {
        refuse = i % 2;
        ran = r = 0;
        ck_assert_int_eq(ws_run(last_byte, &r, l), refuse ? ENOMEM : 0);
        ck_assert_int_eq(r, refuse ? 0 : 7);
        ck_assert_ptr_null(kept);
        wsfj_site_over_large.wsfj_fits = i < 2 ? 1 : SHORT;
        ck_assert_int_eq(ws_for(over_large, 0, 2, l), refuse ? ENOMEM : 0);
        ck_assert_int_eq(ran, refuse ? 0 : 1);
        ck_assert_ptr_null(kept);
        kept = freed;
        ck_assert_int_eq(ws_for(of_i32, 0, 2, 0), 0);
        ck_assert_ptr_eq(kept, freed);
    }
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

/* Catches: arguments that do not fit into their memory, or are not aligned; wsfj_area_take() that finds room in an area
 * with none. */
START_TEST(arguments_of_any_size_have_room)
{
    for (size_t align = 1; align <= 256; align *= 2) {
        for (size_t i = 0; i < GUARDED_SIZES; i++) {
            struct wsfj_root root;
            char *args;

            wsfj_root_open(&root);
            args = wsfj_area_take(&root.wsfj_deque, guarded_sizes[i], align);
            ck_assert(args && args == root.wsfj_area);
            ck_assert_uint_eq((uintptr_t)args % align, 0);
            ck_assert_msg(guard_holds(args, guarded_sizes[i]), "%zu bytes", guarded_sizes[i]);
            free(args);
        }
    }
}
END_TEST

/* Catches: room that is taken beyond the end of the area, or not up to it; a block that overlaps the one before it. */
START_TEST(an_area_is_used_up_to_its_end)
{
    static _Alignas(128) char area[1024];

    for (size_t align = 1; align <= 128; align *= 2) {
        for (size_t i = 0; i < GUARDED_SIZES; i++) {
            struct wsfj_deque deque = {.wsfj_area = area, .wsfj_area_start = area, .wsfj_mode = WSFJ_MODE_NORMAL};
            size_t size = guarded_sizes[i], apart = (size + align - 1) / align * align, n = 0;
            char *block;

            for (int odd = 0; odd < 2; odd++) { /* the last block ends where the area does, or a byte behind */
                size_t most = sizeof area / apart < 5 ? sizeof area / apart : 5;

                if (most == 0)
                    continue;
                deque.wsfj_area = area;
                deque.wsfj_area_end = area + (most - 1) * apart + size - odd;
                for (n = 0; (block = wsfj_area_take(&deque, size, align)); n++)
                    ck_assert_ptr_eq(block, area + n * apart);
                ck_assert_uint_eq(n, most - (size_t)odd);
            }
        }
    }
}
END_TEST

static WS_LOOP2(of_plane, int8_t, i, uint16_t, j, int, unused)
{
    (void)i;
    (void)j;
    (void)unused;
    add(&ran, 1);
}

static unsigned long long regions;

/* The loop has run `n` iterations, and a region has begun unless it was short. */
static void expect(long n)
{
    unsigned long long now = read_stats().regions;

    ck_assert_int_eq(ran, n);
    ck_assert_uint_eq(now - regions, n > 9);
    regions = now;
    ran = 0;
}

/* Calls the loop, which runs n iterations. */
#define CHECK_CALL(n, name, ...)                                                                                       \
    wsfj_site_##name.wsfj_fits = NINE_ARE_SHORT;                                                                       \
    ck_assert_int_eq(ws_for(name, __VA_ARGS__), 0);                                                                    \
    expect(n)

/* From `from` on; turned, it has nothing to do. */
#define CHECK_LOOP(name, type, from)                                                                                   \
    for (int n = 8; n <= 11; n++) {                                                                                    \
        const type lo = (from), hi = (type)(lo + (type)n);                                                             \
                                                                                                                       \
        CHECK_CALL(n, name, lo, hi, 0);                                                                                \
        CHECK_CALL(0, name, hi, lo, 0);                                                                                \
    }

/* At both ends of the type, and where the sign changes or another type of that size would be negative. */
#define CHECK_TYPES(bits)                                                                                              \
    CHECK_LOOP(of_i##bits, int##bits##_t, INT##bits##_MIN)                                                             \
    CHECK_LOOP(of_i##bits, int##bits##_t, -5)                                                                          \
    CHECK_LOOP(of_i##bits, int##bits##_t, INT##bits##_MAX - 11)                                                        \
    CHECK_LOOP(of_u##bits, uint##bits##_t, 0)                                                                          \
    CHECK_LOOP(of_u##bits, uint##bits##_t, INT##bits##_MAX - 5)                                                        \
    CHECK_LOOP(of_u##bits, uint##bits##_t, UINT##bits##_MAX - 11)

/* Catches: an index type whose values are read as another type's: a long loop that runs on one thread, or a short one
 * that begins a region. */
START_TEST(only_short_loops_begin_no_region)
{
    start_runtime(2, 0, WS_SPIN_DEFAULT);
    regions = read_stats().regions;
    CHECK_TYPES(8)
    CHECK_TYPES(16)
    CHECK_TYPES(32)
    CHECK_TYPES(64)
    for (int n = 1; n <= 5; n++) {
        CHECK_CALL(2 * n, of_plane, -1, 1, INT16_MAX, (uint16_t)(INT16_MAX + n), 0);
    }
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

/* Catches: a fork child whose workers look for the parent's roots for ever. */
START_TEST(a_reset_forgets_the_roots)
{
    wsfj_roots = 3;
    wsfj_root_reset();
    ck_assert(!wsfj_root_pending());
    ck_assert_ptr_null(wsfj_root_pop());
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("root");

    tcase_add_test(tcase, large_arguments_are_refused_or_given_back);
    tcase_add_test(tcase, arguments_of_any_size_have_room);
    tcase_add_test(tcase, an_area_is_used_up_to_its_end);
    tcase_add_test(tcase, only_short_loops_begin_no_region);
    tcase_add_test(tcase, a_reset_forgets_the_roots);
    return run_case("root", tcase);
}
