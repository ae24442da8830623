/* SPDX-License-Identifier: MIT */
/*
 * A program that contains the library (libwsfj.a) and uses it before main(). Its constructors and the functions in
 * .preinit_array run before the library's constructors. By then the library must know the properties of processor and
 * program that it needs.
 */
#include "../support/runtime.h"

#include "sched/team.h"
#include <string.h>

#if defined __x86_64__ && !defined __ILP32__
#define HAS_SLOW_PATH_EXITS 1
#else
#define HAS_SLOW_PATH_EXITS 0
#endif

/* glibc places these in each thread's stack. If the library did not add their size, its threads would not start. */
#define LOCALS (1 << 20)
static __thread volatile char locals[LOCALS];

#define WORKERS 2

/* More than a loop leaves in the deque: the loop calls the rest from its slow-path exit. */
#define CHILDREN 70000

#define LIST_16(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)

struct values {
    _Alignas(32) unsigned long long v[16][4];
};

/* The results for main(). */
static struct {
    bool ran, has_avx2;
    int init_error, run_error;
    size_t workers; /* that have threads */
    struct values in_region, outside;
} early;

#if HAS_SLOW_PATH_EXITS
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

typedef unsigned long long y __attribute__((vector_size(32), may_alias));

/* Destroys the registers, as any C function may: its callers save them. */
static void spoil(void)
{
#define SPOIL(n) __asm__ volatile("vpcmpeqd %%ymm" #n ", %%ymm" #n ", %%ymm" #n : : : "xmm" #n);
    if (early.has_avx2) {
        LIST_16(SPOIL)
    }
}

/* Replaces the C library's function. The runtime reads the clock when it answers the request that each new stack
 * has. */
int clock_gettime(clockid_t id, struct timespec *t)
{
    int error = (int)syscall(SYS_clock_gettime, id, t);

    spoil();
    return error;
}

static WS_TASK(long, child, long, n)
{
    return n;
}

static WS_TASK_VOID(spoiler, int, unused)
{
    (void)unused;
    spoil();
}

/* The compiler keeps all values in registers over spawn and sync. */
#define GET(i) y v##i = *(const y *)in->v[i];
#define HOLD(i) __asm__ volatile("" : "+x"(v##i));
#define PUT(i) *(y *)out->v[i] = v##i;

__attribute__((target("avx2"), noinline)) static long keep(const struct values *in, struct values *out)
{
    long r = 0;
    ws_frame();
    LIST_16(GET)
    LIST_16(HOLD)
    ws_spawn(child, &r, 1);
    LIST_16(HOLD)
    ws_sync();
    LIST_16(HOLD)
    LIST_16(PUT)
    return r;
}

__attribute__((target("avx2"), noinline)) static void keep_in_loop(const struct values *in, struct values *out, int n)
{
    ws_frame();
    LIST_16(GET)
    for (int i = 0; i < n; i++) {
        LIST_16(HOLD)
        ws_spawn(spoiler, 0);
        LIST_16(HOLD)
    }
    LIST_16(PUT)
    ws_sync();
}

static WS_TASK(long, root, const struct values *, in, struct values *, out)
{
    return keep(in, out);
}

static WS_TASK_VOID(serial_root, const struct values *, in, struct values *, out)
{
    keep_in_loop(in, out, CHILDREN);
}

static void fill(struct values *values)
{
    for (unsigned i = 0; i < 16; i++)
        for (unsigned j = 0; j < 4; j++)
            values->v[i][j] = 16 * i + j + 1;
}

/* Begins outside any region, where the runtime is not started yet. */
static void use_registers(void)
{
    static struct values in;
    long sum = 0;

    __builtin_cpu_init();
    early.has_avx2 = __builtin_cpu_supports("avx2");
    if (!early.has_avx2)
        return;
    fill(&in);
    serial_root(&in, &early.outside);
    early.run_error = ws_run(root, &sum, &in, &early.in_region);
}
#else
static void use_registers(void)
{
}
#endif

static void run_early(void)
{
    ws_config config;

    if (early.ran)
        return;
    early.ran = true;
    ws_config_default(&config);
    config.num_workers = WORKERS;
    use_registers();
    (void)ws_fini();
    early.init_error = ws_init(&config);
    early.workers = wsfj_team_has_threads() ? ws_num_workers() : 0;
    (void)ws_fini();
}

/* A sanitizer is not ready before its own constructor has run. musl calls no .preinit_array. */
#if !WSFJ_ASAN && !WSFJ_TSAN
__attribute__((section(".preinit_array"), used)) static void (*const before_all)(void) = run_early;
#endif

__attribute__((constructor)) static void constructor(void)
{
    run_early();
}

/* Catches: a library that learns only in its constructor how much thread-local memory the program has: before that, the
 * stacks of the workers' threads are too small. */
START_TEST(workers_start_before_the_library_is_constructed)
{
    ck_assert(early.ran);
    ck_assert_int_eq(early.init_error, 0);
    ck_assert_uint_eq(early.workers, WORKERS);
    locals[LOCALS - 1] = 1;
}
END_TEST

#if HAS_SLOW_PATH_EXITS
static void expect_kept(const struct values *values)
{
    struct values in;

    fill(&in);
    for (int i = 0; i < 16; i++)
        ck_assert_msg(memcmp(in.v[i], values->v[i], sizeof in.v[i]) == 0, "ymm%d", i);
}

/* Catches: slow-path exits that save only the lower halves of the vectors before the library's constructor has found
 * their width. */
START_TEST(vectors_live_on_over_a_sync_before_the_library_is_constructed)
{
    if (!early.has_avx2)
        return;
    ck_assert_int_eq(early.run_error, 0);
    expect_kept(&early.in_region);
}
END_TEST

/* Catches: the same outside any region, before the runtime is started. A full loop calls its children from a slow-path
 * exit. */
START_TEST(vectors_live_on_over_a_full_loop_before_anything_is_started)
{
    if (early.has_avx2)
        expect_kept(&early.outside);
}
END_TEST
#endif

int main(void)
{
    TCase *tcase = new_case("early");

    tcase_add_test(tcase, workers_start_before_the_library_is_constructed);
#if HAS_SLOW_PATH_EXITS
    tcase_add_test(tcase, vectors_live_on_over_a_sync_before_the_library_is_constructed);
    tcase_add_test(tcase, vectors_live_on_over_a_full_loop_before_anything_is_started);
#endif
    return run_case("early", tcase);
}
