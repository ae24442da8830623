/* SPDX-License-Identifier: MIT */
/*
 * Several copies of the library in one process: the one that this program links, and two more inside plugins, which are
 * the same file under other names. Each copy has its own workers, settings and life. Neighbour: unload.c.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dlmopen() */
#endif
#include "../support/fib.h"
#include "../plugin/bottomless.h"
#include "../plugin/load.h"
#include "../support/process.h"
#include "../support/resources.h"
#include "../support/runtime.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

#define COPIES 3
#define ROUNDS (SANITIZED ? 20 : 200)

/* The copy that this program links, in the same form. */
static int own_init(size_t workers, size_t stack_size)
{
    start_runtime(workers, stack_size, WS_SPIN_DEFAULT);
    return 0;
}

static int own_fib(long n, long *result)
{
    return ws_run(fib, result, n);
}

static void nothing(void *unused)
{
    (void)unused;
}

static int own_submit(long n)
{
    ws_group group = WS_GROUP_INIT;
    int error = 0;

    for (long i = 0; i < n && !error; i++)
        error = ws_group_submit(&group, nothing, NULL);
    return error ? error : ws_group_wait(&group);
}

static const struct plugin own = {.init = own_init,
                                  .fini = ws_fini,
                                  .num_workers = ws_num_workers,
                                  .worker_id = ws_worker_id,
                                  .fib = own_fib,
                                  .submit = own_submit,
                                  .overflow = run_bottomless};

static void copy_file(const char *from, const char *to)
{
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    char block[65536];
    size_t n;

    ck_assert(in && out);
    while ((n = fread(block, 1, sizeof block, in)))
        ck_assert_uint_eq(fwrite(block, 1, n, out), n);
    fclose(in);
    ck_assert_int_eq(fclose(out), 0);
}

static struct loaded load_copy(int number)
{
    char path[64];
    struct loaded l;

    snprintf(path, sizeof path, "tests/plugin/.libs/copy-%ld-%d.so", (long)getpid(), number);
    copy_file(PLUGIN_OWN, path);
    l = load(path);
    ck_assert_int_eq(unlink(path), 0);
    return l;
}

struct copy {
    struct loaded loaded;
    const struct plugin *plugin;
    size_t workers;
    int wrong;
};

static void load_all(struct copy *copies)
{
    for (int i = 0; i < COPIES; i++) {
        copies[i] = (struct copy){.plugin = &own, .workers = 2 + (size_t)i};
        if (i == 0)
            continue;
        copies[i].loaded = load_copy(i);
        copies[i].plugin = copies[i].loaded.plugin;
    }
}

static void *use(void *argument)
{
    struct copy *c = argument;

    for (int i = 0; i < ROUNDS; i++) {
        long r = 0;
        bool wrong = c->plugin->fib(14, &r) != 0 || r != 377 || c->plugin->num_workers() != c->workers ||
                     c->plugin->worker_id() != -1 || (i % 10 == 0 && c->plugin->submit(300) != 0);

        (void)__atomic_fetch_add(&c->wrong, wrong, __ATOMIC_RELAXED);
    }
    return NULL;
}

/* Two threads for each copy, all at the same time. */
static void use_all(struct copy *copies)
{
    pthread_t threads[2 * COPIES];

    for (int i = 0; i < 2 * COPIES; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, use, &copies[i % COPIES]), 0);
    for (int i = 0; i < 2 * COPIES; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < COPIES; i++)
        ck_assert_int_eq(copies[i].wrong, 0);
}

static int count_workers(const struct copy *copies)
{
    int n = 0;

    for (int i = 0; i < COPIES; i++)
        n += (int)copies[i].plugin->num_workers();
    return n;
}

/* Catches: state that copies share: workers, settings, the look-up of the calling task. */
START_TEST(each_copy_has_its_own_workers_and_life)
{
    struct copy copies[COPIES];
    int threads = count_threads(), n;

    load_all(copies);
    for (int i = 0; i < COPIES; i++) {
        for (int j = 0; j < COPIES; j++)
            ck_assert_uint_eq(copies[j].plugin->num_workers(), j < i ? copies[j].workers : 0);
        ck_assert_int_eq(copies[i].plugin->init(copies[i].workers, (size_t)(256 << i) << 10), 0);
    }
    use_all(copies);
    if (SANITIZED)
        threads = count_threads() - count_workers(copies); /* its threads exist from now on */
    n = count_workers(copies);
    ck_assert_int_eq(count_threads_down_to(threads + n), threads + n);
    for (int i = 0; i < COPIES; i++) { /* the copies stop one by one, and the others go on */
        int next = (_i + i) % COPIES;

        ck_assert_int_eq(copies[next].plugin->fini(), 0);
        n = count_workers(copies);
        ck_assert_int_eq(count_threads_down_to(threads + n), threads + n);
        for (int j = 0; j < COPIES; j++) {
            if (copies[j].plugin->num_workers() > 0)
                check_plugin(copies[j].plugin);
        }
    }
    ck_assert_int_eq(n, 0);
    for (int i = 1; i < COPIES; i++)
        unload(&copies[i].loaded);
}
END_TEST

static const struct plugin *inner;

static WS_TASK(long, uses_inner, long, n)
{
    long x = 0, y = 0, z = 0;

    if (n == 0)
        return 0;
    ws_spawn(uses_inner, &x, n - 1);
    if (inner->fib(10, &y) != 0 || y != 55 || inner->worker_id() != -1 || ws_worker_id() < 0)
        z++;
    y = ws_call(uses_inner, n - 1);
    ws_sync();
    return x + y + z;
}

/* Catches: a task that another copy takes for its own, or that returns to the wrong stack. */
START_TEST(a_task_of_one_copy_may_call_another_copy)
{
    struct copy copies[COPIES];
    long bad = -1;

    load_all(copies);
    inner = copies[1].plugin;
    start_runtime(3, 0, WS_SPIN_DEFAULT);
    ck_assert_int_eq(inner->init(2, 0), 0);
    ck_assert_int_eq(ws_run(uses_inner, &bad, 9L), 0);
    ck_assert_int_eq(bad, 0);
    ck_assert_int_eq(inner->fini(), 0);
    ck_assert_int_eq(ws_fini(), 0);
}
END_TEST

#if !SANITIZED
/* All copies start. `form` modulo COPIES is the copy whose task overflows; other bits say which copies stop before. */
static int overflows(long form)
{
    struct copy copies[COPIES];
    int whose = (int)form % COPIES, stopped = (int)form / COPIES;

    load_all(copies);
    for (int i = 0; i < COPIES; i++)
        copies[i].plugin->init(copies[i].workers, (size_t)(128 << i) << 10);
    for (int i = 0; i < COPIES; i++) {
        if (i != whose && stopped >> i & 1)
            copies[i].plugin->fini();
    }
    copies[whose].plugin->overflow();
    return 1;
}

/* Catches: a fault handler that is lost, or calls itself, when one copy stops and another goes on. */
START_TEST(an_overflow_is_reported_by_the_copy_it_belongs_to)
{
    struct outcome o = in_child(overflows, _i);
    char size[32];

    snprintf(size, sizeof size, "%d KiB", 128 << _i % COPIES);
    expect_death(&o, SIGSEGV);
    ck_assert_msg(o.lines == 1 && strstr(o.text, size), "%s", o.text);
}
END_TEST

static int faults_after_all(long order)
{
    struct copy copies[COPIES];

    load_all(copies);
    for (int i = 0; i < COPIES; i++)
        copies[i].plugin->init(copies[i].workers, 0);
    for (int i = 0; i < COPIES; i++)
        copies[(order + i) % COPIES].plugin->fini();
    touch_nothing();
    return 1;
}

/* Catches: a fault of the program that the handlers pass to each other for ever. */
START_TEST(a_fault_after_all_have_stopped_kills)
{
    struct outcome o = in_child(faults_after_all, _i);

    expect_death(&o, SIGSEGV);
    ck_assert_str_eq(o.text, "");
}
END_TEST

#ifdef LM_ID_NEWLM
static int in_another_namespace(long unused)
{
    struct loaded l = {.handle = dlmopen(LM_ID_NEWLM, PLUGIN_SHARED, RTLD_NOW | RTLD_LOCAL)};
    long r = 0;

    (void)unused;
    if (!l.handle) {
        fprintf(stderr, "%s\n", dlerror());
        return EXIT_SKIPPED;
    }
    l.plugin = dlsym(l.handle, "plugin");
    start_runtime(2, 0, WS_SPIN_DEFAULT);
    if (l.plugin->init(3, 0) != 0 || l.plugin->num_workers() != 3 || ws_num_workers() != 2)
        return 1;
    for (int i = 0; i < ROUNDS; i++) {
        if (l.plugin->fib(14, &r) != 0 || r != 377 || ws_run(fib, &r, 14L) != 0 || r != 377)
            return 2;
    }
    if (l.plugin->fini() != 0 || ws_num_workers() != 2 || ws_fini() != 0)
        return 3;
    return 0;
}

/* Catches: errors that need dlmopen(): two namespaces, each with a C library of its own. */
START_TEST(a_copy_may_live_in_a_namespace_of_its_own)
{
    struct outcome o = in_child(in_another_namespace, 0);

    if (WIFEXITED(o.status) && WEXITSTATUS(o.status) == EXIT_SKIPPED)
        printf("no second namespace to be had: %s", o.text);
    else
        expect_exit(&o, 0);
}
END_TEST
#endif
#endif

int main(void)
{
    TCase *tcase;

    if (!can_test("all", cannot_load()))
        return EXIT_SKIPPED;
    tcase = new_case("copies");
    tcase_add_loop_test(tcase, each_copy_has_its_own_workers_and_life, 0, COPIES);
    tcase_add_test(tcase, a_task_of_one_copy_may_call_another_copy);
#if !SANITIZED /* a sanitizer's handlers come first, and exist only once */
    tcase_add_loop_test(tcase, an_overflow_is_reported_by_the_copy_it_belongs_to, 0, COPIES << COPIES);
    tcase_add_loop_test(tcase, a_fault_after_all_have_stopped_kills, 0, COPIES);
#ifdef LM_ID_NEWLM
    tcase_add_test(tcase, a_copy_may_live_in_a_namespace_of_its_own);
#else
    can_test("a_copy_may_live_in_a_namespace_of_its_own", "this C library has no dlmopen()");
#endif
#endif
    return run_case("copies", tcase);
}
