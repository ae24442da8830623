/* SPDX-License-Identifier: MIT */
/* The processor time of workers in a trace: that of the threads which serve them, and only meanwhile. What is asserted
 * holds however slow the machine is. Neighbour: trace.c, for all else that is in a trace. */
#include "../support/folder.h"
#include "../support/process.h"
#include "../support/sanitizer.h"
#include "../support/viewed.h"
#include "workers.h"

#include <sched.h>
#include <string.h>
#include <time.h>

#define PIECE_NS 40000000L
/* Far more than a worker uses besides its task, and less than a piece. */
#define SLACK_NS (PIECE_NS / 2)

static long ns_of(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (long)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Uses the processor for so long. */
static void use(void)
{
    long until = ns_of(CLOCK_THREAD_CPUTIME_ID) + PIECE_NS;

    while (ns_of(CLOCK_THREAD_CPUTIME_ID) < until)
        ;
}

static WS_TASK_VOID(use_it)
{
    use();
}

/* One piece on the worker, and one beside it. */
static WS_TASK_VOID(work)
{
    use();
    WS_BLOCKING
    {
        use();
    }
}

static WS_TASK_VOID(end_it)
{
    use();
    abort();
}

static int competes, ended;

/* Wants the one processor for as long as the task. */
static void *compete(void *unused)
{
    __atomic_store_n(&competes, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&ended, __ATOMIC_ACQUIRE))
        ;
    return unused;
}

static WS_TASK_VOID(has_a_competitor)
{
    while (!__atomic_load_n(&competes, __ATOMIC_ACQUIRE))
        sched_yield();
    use();
    __atomic_store_n(&ended, 1, __ATOMIC_RELEASE);
}

/* What happens. */
enum { SPARE, NO_SPARE, TO_THE_END, WITH_A_COMPETITOR };

static int share_a_processor(void)
{
    cpu_set_t all, one;
    pthread_t other;
    int cpu = 0, error;

    if (sched_getaffinity(0, sizeof all, &all) != 0)
        return 1;
    while (!CPU_ISSET(cpu, &all))
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0)
        return 1;
    start_runtime(1, 0, 0);
    if (pthread_create(&other, NULL, compete, NULL) != 0)
        return 1;
    error = ws_run(has_a_competitor);
    pthread_join(other, NULL);
    return error ? 1 : ws_fini();
}

/* The caller serves the worker while its ws_run() lasts, and uses a piece before and after. */
static int use_around(void)
{
    use();
    if (ws_run(work) || ws_run(use_it))
        return 1;
    use();
    fprintf(stderr, "%ld", ns_of(CLOCK_PROCESS_CPUTIME_ID));
    return ws_fini();
}

static int run(long what)
{
    if (what == WITH_A_COMPETITOR)
        return share_a_processor();
    start_runtime(1, 0, 0);
    return what == TO_THE_END ? ws_run(end_it) : use_around();
}

/* What the trace says of worker 0, and of all processors. */
static long read_trace(const char *name, unsigned *cpus)
{
    static char head[4096];
    FILE *file = fopen(folder_path(name), "r");
    const char *at;

    ck_assert_ptr_nonnull(file);
    ck_assert_ptr_nonnull(fgets(head, sizeof head, file));
    fclose(file);
    trace_fits(folder_path(name));
    at = strstr(head, "\"cpus\":");
    ck_assert_ptr_nonnull(at);
    *cpus = (unsigned)atoi(at + 7);
    at = strstr(head, "\"cpu_ns\":[");
    ck_assert_ptr_nonnull(at);
    return atol(at + 10);
}

static struct outcome traced(const char *name, long what)
{
    folder_make();
    setenv("WSFJ_TRACE", folder_path(name), 1);
    setenv("WSFJ_SPARES", what == NO_SPARE ? "0" : "4", 1);
    return in_child(run, what);
}

/* Catches: time of a guest outside of its ws_run(), or of a task in a blocking section, taken for the worker's. */
START_TEST(a_worker_has_the_time_of_who_serves_it)
{
    struct outcome o = traced("whole.json", _i);
    cpu_set_t mask;
    unsigned cpus;
    long cpu = read_trace("whole.json", &cpus);

    expect_exit(&o, 0);
    ck_assert_int_ge(cpu, 2 * PIECE_NS);
    ck_assert_int_le(cpu, atol(o.text) - 3 * PIECE_NS + SLACK_NS);
    ck_assert_int_eq(sched_getaffinity(0, sizeof mask, &mask), 0);
    ck_assert_uint_eq(cpus, (unsigned)CPU_COUNT(&mask));
}
END_TEST

/* Catches: time of a thread that still serves the worker when the trace is written. */
START_TEST(a_trace_in_the_middle_has_it_too)
{
    struct outcome o = traced("middle.json", TO_THE_END);
    unsigned cpus;

    expect_death(&o, SIGABRT);
    ck_assert_int_ge(read_trace("middle.json", &cpus), PIECE_NS);
}
END_TEST

/* The second number of this thread's schedstat; negative: the kernel does not count. */
static long kernel_counts(void)
{
    FILE *file = fopen("/proc/thread-self/schedstat", "r");
    long ran, waited = -1;

    if (file && fscanf(file, "%ld %ld", &ran, &waited) != 2)
        waited = -1;
    if (file)
        fclose(file);
    return waited;
}

/* Catches: a thread that waited for a processor, because another one had it, without a word in the trace. */
START_TEST(the_wait_for_a_processor_is_told)
{
    static char head[4096];
    struct outcome o = traced("shared.json", WITH_A_COMPETITOR);
    FILE *file = fopen(folder_path("shared.json"), "r");
    long worker, main_thread;
    const char *at;

    expect_exit(&o, 0);
    ck_assert_ptr_nonnull(file);
    ck_assert_ptr_nonnull(fgets(head, sizeof head, file));
    fclose(file);
    at = strstr(head, "\"delay_ns\":[");
    ck_assert_ptr_nonnull(at);
    ck_assert_int_eq(sscanf(at, "\"delay_ns\":[%ld,%ld]", &worker, &main_thread), 2);
    ck_assert_int_ge(worker + main_thread, PIECE_NS / 4); /* whichever of them has run the task */
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("trace_cpu");
    int status;

    if (folder_begin("trace_cpu") != 0)
        return EXIT_FAILURE;
    tcase_add_loop_test(tcase, a_worker_has_the_time_of_who_serves_it, SPARE, NO_SPARE + 1);
    if (can_test("a_trace_in_the_middle_has_it_too", SANITIZED ? "its own handlers speak first" : NULL))
        tcase_add_test(tcase, a_trace_in_the_middle_has_it_too);
    if (can_test("the_wait_for_a_processor_is_told", kernel_counts() > 0 ? NULL : "the kernel counts no such time"))
        tcase_add_test(tcase, the_wait_for_a_processor_is_told);
    status = run_case("trace_cpu", tcase);
    folder_end();
    return status;
}
