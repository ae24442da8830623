/* SPDX-License-Identifier: MIT */
/* A recorded program that is refused memory: each allocation of the library fails once, the linker replaces the
 * allocating functions. Neighbours: profile_refused.c; user/record_file.c, files that cannot be written. */
#include "../user/record.h"

#include <errno.h>
#include <sys/mman.h>

/* The linker's names: __real_ is the C library's function, __wrap_ is called in its place. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
void *__real_mmap(void *at, size_t size, int protection, int flags, int file, off_t from);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int file, off_t from);

/* So many allocations of this thread until one is refused; 0: none is. The worker's thread allocates meanwhile. */
static __thread long until;

static bool is_refused(void)
{
    return until && --until == 0;
}

void *__wrap_malloc(size_t size)
{
    return is_refused() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return is_refused() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return is_refused() ? NULL : __real_realloc(old, size);
}

char *__wrap_strdup(const char *text)
{
    return is_refused() ? NULL : __real_strdup(text);
}

void *__wrap_mmap(void *at, size_t size, int protection, int flags, int file, off_t from)
{
    if (!is_refused())
        return __real_mmap(at, size, protection, flags, file, from);
    errno = ENOMEM;
    return MAP_FAILED;
}

static void detached(void *unused)
{
    (void)unused;
}

static WS_LOOP(iterations, long, i)
{
    ws_spawn(leaf);
    (void)i;
}

/* More lists than there is room for at first. */
static WS_TASK_VOID(deep, long, n)
{
    if (n == 0)
        return;
    ws_spawn(deep, n - 1);
    ws_sync();
}

/* As many words in one list. */
static WS_TASK_VOID(all)
{
    ws_group g = WS_GROUP_INIT;

    (void)ws_group_submit(&g, detached, NULL);
    (void)ws_submit(detached, NULL);
    (void)ws_group_wait(&g);
    ws_call(iterations, 0, 40);
    for (long i = 0; i < 40; i++) {
        ws_spawn(fib, NULL, i % 3);
        if (i % 7 == 0)
            ws_sync();
    }
    ws_sync(); /* else the debug build says that results are lost */
    ws_call(deep, 300);
}

enum { REGIONS = 2, MORE_THAN_THERE_ARE = 3 };

/* The n-th allocation is refused. Regions that cannot begin are begun again. */
static int run_refused(long n)
{
    int error = ENOMEM;

    if (ws_init(NULL))
        return 1;
    until = n;
    for (int begun = 0; begun < REGIONS; begun += !error) {
        error = ws_run(all);
        if (error && error != ENOMEM)
            return 1;
    }
    return until ? MORE_THAN_THERE_ARE : 0;
}

static uint64_t num_tasks; /* of a whole record */

enum { WHOLE, CUT_SHORT, NOT_WRITTEN, RESULTS };

/* "libwsfj: WSFJ_RECORD=... WHAT" */
static const char *line_of(const char *what)
{
    static char line[700];

    snprintf(line, sizeof line, "libwsfj: WSFJ_RECORD=%.80s %s\n", folder_path("graph"), what);
    return line;
}

/* What became of the record, of which the process has said `text`. */
static int result_of(const char *text, long n)
{
    const char *error;

    if (strcmp(text, line_of("cannot be written (no memory); nothing is recorded")) == 0) {
        ck_assert_msg(access(folder_path("graph"), F_OK) != 0, "allocation %ld: there is a file", n);
        return NOT_WRITTEN;
    }
    error = read_record("graph");
    if (strcmp(text, line_of("was cut short (no memory)")) == 0) {
        ck_assert_msg(error && strstr(error, "cut short"), "allocation %ld: the file is whole", n);
        graph_free(&graph);
        return CUT_SHORT;
    }
    ck_assert_msg(!*text, "allocation %ld: %s", n, text);
    ck_assert_msg(!error, "allocation %ld: %s", n, error ? error : "");
    num_tasks = num_tasks ? num_tasks : sums.tasks;
    ck_assert_msg(graph.num_regions == REGIONS && sums.tasks == num_tasks, "allocation %ld: something is missing", n);
    ck_assert_double_eq_tol(sums.work, graph.work, 1e-12 * graph.work);
    graph_free(&graph);
    return WHOLE;
}

/* Catches: an allocation whose failure is not looked at, or told in no line, in two, or as something else; a file that looks
 * whole and is not, or is cut short without need: for a site, or a region that never began. */
START_TEST(each_refused_allocation_costs_one_line_at_most)
{
    int results[RESULTS] = {0};

    setenv("WSFJ_NUM_WORKERS", "1", 1);
    for (long n = 0;; n++) {
        struct outcome o = outcome_of(run_refused, n, _i ? "1" : "0", folder_path("graph"));

        if (WIFEXITED(o.status) && WEXITSTATUS(o.status) == MORE_THAN_THERE_ARE)
            break;
        expect_exit(&o, 0);
        results[result_of(o.text, n)]++;
        unlink(folder_path("graph"));
        ck_assert_int_lt(n, 1000);
    }
    ck_assert_int_ge(results[NOT_WRITTEN], 4);        /* name, buffer, two tables */
    ck_assert_int_ge(results[CUT_SHORT], _i ? 5 : 7); /* builder, lists, words, a group; the means of thread and file */
    ck_assert_int_ge(results[WHOLE], 5);              /* sites and accounts */
}
END_TEST

#define GROUPS 65536 /* how many are kept */

static ws_group groups[GROUPS + 1];

static WS_TASK_VOID(many_groups)
{
    for (size_t i = 0; i <= GROUPS; i++) {
        ws_group_init(&groups[i]);
        (void)ws_group_submit(&groups[i], detached, NULL);
    }
}

static int run_groups(long unused)
{
    (void)unused;
    return ws_run(many_groups);
}

/* Catches: a group without a number, which becomes no group, or another one. */
START_TEST(too_many_groups_cost_one_line)
{
    struct outcome o = outcome_of(run_groups, 0, "1", folder_path("graph"));

    expect_exit(&o, 0);
    ck_assert_str_eq(o.text, line_of("was cut short (too many groups)"));
    ck_assert_ptr_nonnull(read_record("graph"));
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("record_refused");

    tcase_add_loop_test(tcase, each_refused_allocation_costs_one_line_at_most, 0, 2); /* in units, or not */
    tcase_add_test(tcase, too_many_groups_cost_one_line);
    return run_records("record_refused", tcase);
}
