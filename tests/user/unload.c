/* SPDX-License-Identifier: MIT */
/*
 * dlopen() and dlclose() of the library, and of plugins that use it. libwsfj.so stays (doc/decisions/0009), a copy
 * inside a plugin goes with it. This program does not link the library. Neighbour: copies.c, several copies.
 */
#include "../plugin/load.h"
#include "../support/process.h"
#include "../support/resources.h"
#include "../support/sanitizer.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <wsfj.h>

#define WARM_UP 10
#define ROUNDS (SANITIZED ? 30 : 200)

static void check_no_growth(const struct resources *before, const struct resources *after)
{
    ck_assert_int_eq(after->threads, before->threads);
    ck_assert_int_eq(after->files, before->files);
#if !SANITIZED
    if (!can_test("memory", emulated(NOT_OUR_MEMORY)))
        return;
    ck_assert_uint_le(after->maps, before->maps + 40);
    ck_assert_uint_le(after->mapped, before->mapped + (100 << 10)); /* KiB: a worker's stacks take 40 MiB each */
    ck_assert_uint_le(after->resident, before->resident + (8 << 10));
#endif
}

/* One life of a plugin; every third time the program forgets to stop the runtime. */
static void live(const char *path, int round)
{
    struct loaded l = load(path);

    ck_assert_uint_le(l.plugin->num_workers(), 2);
    check_plugin(l.plugin);
    ck_assert_uint_eq(l.plugin->num_workers(), 2);
    if (round % 3)
        ck_assert_int_eq(l.plugin->fini(), 0);
    unload(&l);
}

static void check_loop(const char *path)
{
    struct resources before, after;

    setenv("WSFJ_NUM_WORKERS", "2", 1);
    for (int i = 0; i < WARM_UP; i++)
        live(path, i);
    live(path, 1);
    before = read_resources(count_threads_down_to(1));
    for (int i = 0; i < ROUNDS; i++)
        live(path, i);
    live(path, 1);
    after = read_resources(before.threads);
    check_no_growth(&before, &after);
}

/* Catches: threads, mappings, static thread-local memory that each life of a plugin leaves. */
START_TEST(plugins_come_and_go)
{
    check_loop(_i ? PLUGIN_OWN : PLUGIN_SHARED);
}
END_TEST

/* Catches: the same of the library, opened by a program that looks its functions up. */
START_TEST(the_library_is_opened_and_closed)
{
    struct resources before = {0}, after;

    setenv("WSFJ_NUM_WORKERS", "2", 1);
    for (int i = 0; i < WARM_UP + ROUNDS; i++) {
        void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
        int (*init)(const ws_config *), (*fini)(void);
        size_t (*num_workers)(void);

        ck_assert_msg(handle != NULL, "%s", dlerror());
        *(void **)&init = dlsym(handle, "ws_init");
        *(void **)&fini = dlsym(handle, "ws_fini");
        *(void **)&num_workers = dlsym(handle, "ws_num_workers");
        ck_assert(init && fini && num_workers);
        ck_assert_int_eq(init(NULL), 0);
        ck_assert_uint_eq(num_workers(), 2);
        ck_assert_int_eq(fini(), 0);
        ck_assert_int_eq(dlclose(handle), 0);
        if (i == WARM_UP)
            before = read_resources(count_threads_down_to(1));
    }
    after = read_resources(before.threads);
    check_no_growth(&before, &after);
}
END_TEST

static bool is_mapped(const char *name)
{
    FILE *file = fopen("/proc/self/maps", "r");
    char line[1024];
    bool found = false;

    ck_assert_ptr_nonnull(file);
    while (fgets(line, sizeof line, file))
        found |= strstr(line, name) != NULL;
    fclose(file);
    return found;
}

/* A thread that has used the plugin and outlives it. */
static struct survivor {
    pthread_mutex_t turn;
    const struct plugin *plugin;
    int wrong;
} survivor = {.turn = PTHREAD_MUTEX_INITIALIZER};
static int has_run;

static void *outlives(void *unused)
{
    stack_t now;
    long r = 0;

    (void)unused;
    do { /* until it has run a root itself, and so has a signal stack that ends with the thread */
        survivor.wrong += survivor.plugin->fib(12, &r) != 0 || r != 144;
        nanosleep(&(struct timespec){0, 200000}, NULL); /* sleeping workers give it a slot */
        (void)sigaltstack(NULL, &now);
    } while (now.ss_flags & SS_DISABLE);
    __atomic_store_n(&has_run, 1, __ATOMIC_RELEASE);
    pthread_mutex_lock(&survivor.turn); /* until the plugin is gone */
    pthread_mutex_unlock(&survivor.turn);
    return NULL;
}

/* `way` & 1: it first calls ws_fini(); & 2: the process ends by quick_exit(). */
static int leaves_nothing_behind(long way)
{
    struct sigaction before, after;
    struct loaded l;
    pthread_t thread;
    pid_t child;
    int status = -1;

    sigaction(SIGSEGV, NULL, &before);
    l = load(PLUGIN_OWN);
    survivor.plugin = l.plugin;
    pthread_mutex_lock(&survivor.turn);
    pthread_create(&thread, NULL, outlives, NULL);
    while (!__atomic_load_n(&has_run, __ATOMIC_ACQUIRE))
        usleep(100);
    check_plugin(l.plugin);
    if (way & 1)
        ck_assert_int_eq(l.plugin->fini(), 0);
    unload(&l);
    if (is_mapped("plugin/.libs/own.so"))
        return 11;
    sigaction(SIGSEGV, NULL, &after);
    if (after.sa_handler != before.sa_handler)
        return 12;
    pthread_mutex_unlock(&survivor.turn);
    pthread_join(thread, NULL); /* its destructors were the plugin's */
    child = fork();             /* so were the handlers of this */
    if (child == 0)
        _exit(0);
    if (waitpid(child, &status, 0) != child || status != 0)
        return 13;
    if (way & 2)
        quick_exit(survivor.wrong); /* and of this */
    exit(survivor.wrong);           /* and of this */
}

/* Catches: a pointer into a plugin that is gone: a handler of signals, fork() or exit(), a destructor of threads. */
START_TEST(nobody_calls_a_plugin_that_is_gone)
{
    struct outcome o = in_child(leaves_nothing_behind, _i);

    expect_exit(&o, 0);
}
END_TEST

static pthread_key_t at_end;
static const struct plugin *goes;
static int ended, refused;

/* On the plugin's worker. */
static void calls_the_plugin(void *unused)
{
    long r;

    (void)unused;
    ended++;
    refused += goes->submit(1) == EDEADLK && goes->fib(5, &r) == EDEADLK && goes->fini() == EDEADLK;
}

static void leaves_a_value(void *unused)
{
    (void)unused;
    pthread_setspecific(at_end, &at_end);
}

/* Catches: a destructor of the program that runs as a worker ends and calls the copy that is being closed, which waits for
 * the worker. */
START_TEST(a_destructor_calls_the_plugin_that_goes)
{
    struct loaded l = load(PLUGIN_OWN);

    goes = l.plugin;
    ck_assert_int_eq(pthread_key_create(&at_end, calls_the_plugin), 0);
    ck_assert_int_eq(goes->init(1, 0), 0);
    ck_assert_int_eq(goes->call(leaves_a_value), 0);
    unload(&l);
    ck_assert_int_eq(is_mapped("plugin/.libs/own.so"), false);
    ck_assert_int_eq(ended, 1);
    ck_assert_int_eq(refused, 1);
}
END_TEST

#define KEYS 1100 /* more than a process can have */

static int opens_in_vain(long unused)
{
    pthread_key_t key;

    (void)unused;
    for (int i = 0; i < KEYS; i++) {
        struct loaded l = load(PLUGIN_OWN);

        ck_assert_uint_eq(l.plugin->num_workers(), 0);
        unload(&l);
    }
    if (pthread_key_create(&key, NULL) != 0)
        return 14;
    pthread_exit(NULL);
}

/* Catches: a key that a plugin which has never started the runtime leaves behind, or whose destructor is gone. */
START_TEST(a_plugin_that_only_loads_leaves_nothing)
{
    struct outcome o = in_child(opens_in_vain, 0);

    expect_exit(&o, 0);
}
END_TEST

static int exits_without_closing(long with_work)
{
    struct loaded l = load(with_work & 2 ? PLUGIN_OWN : PLUGIN_SHARED);

    if (with_work & 1)
        check_plugin(l.plugin);
    exit(0);
}

/* Catches: an exit() that meets threads and handlers of a plugin in the wrong order. */
START_TEST(exit_may_come_first)
{
    struct outcome o = in_child(exits_without_closing, _i);

    expect_exit(&o, 0);
}
END_TEST

int main(void)
{
    TCase *tcase;

    if (!can_test("all", cannot_load()))
        return EXIT_SKIPPED;
    tcase = new_case("unload");
    tcase_add_loop_test(tcase, plugins_come_and_go, 0, 2);
    tcase_add_test(tcase, the_library_is_opened_and_closed);
    tcase_add_loop_test(tcase, nobody_calls_a_plugin_that_is_gone, 0, 4);
    tcase_add_loop_test(tcase, exit_may_come_first, 0, 4);
    tcase_add_test(tcase, a_destructor_calls_the_plugin_that_goes);
    tcase_add_test(tcase, a_plugin_that_only_loads_leaves_nothing);
    return run_case("unload", tcase);
}
