/* SPDX-License-Identifier: MIT */
/*
 * The number of workers that a program starts with by default: under taskset, and in control groups that the test makes
 * if the machine allows it (as root, with the cpu controller in version 1).
 *
 * The program starts itself again with an argument; the second program is put into a group.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* unshare(), sched_getaffinity() */
#endif
#include "../support/run.h"
#include "cgroups.h"
#include <wsfj.h>

#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SAID "workers started: "

static char self[4096];
static char said[1 << 16];      /* stderr of the started program */
static unsigned all, first_cpu; /* CPUs in the program's affinity mask, and one of them */

/* In the child: enters the group, binds itself to the CPUs, and starts again. */
static _Noreturn void become(const char *group, const char *cpus, va_list settings)
{
    char pid[32];

    for (char *setting; (setting = va_arg(settings, char *));)
        putenv(setting);
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    if (group && !write_file(group, "cgroup.procs", pid))
        _exit(126);
    if (cpus)
        execlp("taskset", "taskset", "-c", cpus, self, "count", (char *)NULL);
    else
        execl(self, self, "count", (char *)NULL);
    _exit(127);
}

/* The workers of this program when it is started in `group` (NULL: the present one) on `cpus` (NULL: the present ones),
 * with settings of the form NAME=VALUE. */
static unsigned workers_in(const char *group, const char *cpus, ...)
{
    int out[2], status;
    size_t used = 0;
    va_list settings;

    ck_assert_int_eq(pipe(out), 0);

    pid_t child = fork();

    if (child == 0) {
        dup2(out[1], STDERR_FILENO);
        close(out[0]);
        close(out[1]);
        va_start(settings, cpus);
        become(group, cpus, settings);
    }
    close(out[1]);
    for (ssize_t n; (n = read(out[0], said + used, sizeof said - 1 - used)) > 0;)
        used += (size_t)n;
    said[used] = '\0';
    close(out[0]);
    ck_assert_int_eq(waitpid(child, &status, 0), child);

    const char *number = strstr(said, SAID);

    ck_assert_msg(number != NULL && status == 0, "status %d: %s", status, said);
    return (unsigned)strtoul(number + strlen(SAID), NULL, 10);
}

#define HERE NULL, NULL
#define END (char *)NULL

/* The program that is started. */
static int count(void)
{
    int error = ws_init(NULL);

    fprintf(stderr, SAID "%zu\n", ws_num_workers());
    return error || ws_fini();
}

/* Catches: a mask that is ignored. */
START_TEST(as_many_workers_as_taskset_leaves_cpus)
{
    char cpu[16];

    snprintf(cpu, sizeof cpu, "%u", first_cpu);
    ck_assert_uint_eq(workers_in(NULL, cpu, END), 1);
    ck_assert_uint_eq(workers_in(NULL, cpu, "WSFJ_CGROUP=0", END), 1);
    ck_assert_uint_eq(workers_in(NULL, cpu, "WSFJ_NUM_WORKERS=3", END), 3);
    ck_assert_uint_eq(workers_in(HERE, "WSFJ_CGROUP=0", END), all);
}
END_TEST

#define LIMITS 11
static const struct {
    const char *outer, *inner, *period;
    unsigned workers; /* at most */
} limits[LIMITS] = {{"-1", "-1", "100000", 4096},      {"100000", "-1", "100000", 1}, {"-1", "100000", "100000", 1},
                    {"50000", "-1", "100000", 1},      {"150000", "-1", "100000", 1}, {"199000", "150000", "100000", 1},
                    {"200000", "100000", "100000", 1}, {"-1", "1000", "10000", 1},    {"200000", "-1", "100000", 2},
                    {"-1", "250000", "100000", 2},     {"-1", "20000", "10000", 2}};

/* Catches: one worker too many, which makes the kernel throttle the whole group; a limit of an outer group ignored;
 * real files read in another way than the test's own. */
START_TEST(as_many_workers_as_the_quota_has_whole_cpus)
{
    unsigned here = workers_in(HERE, END), most = limits[_i].workers < here ? limits[_i].workers : here;

    if (limit(limits[_i].outer, limits[_i].inner, limits[_i].period))
        ck_assert_uint_eq(workers_in(inner, NULL, END), most);
}
END_TEST

/* Catches: an explicit number that is reduced; WSFJ_CGROUP=0 without effect. */
START_TEST(who_asks_for_a_number_gets_it)
{
    if (!limit("100000", "-1", "100000"))
        return;
    ck_assert_uint_eq(workers_in(inner, NULL, "WSFJ_NUM_WORKERS=2", END), 2);
    ck_assert_uint_eq(workers_in(inner, NULL, "WSFJ_NUM_WORKERS=5", END), 5);
    ck_assert_uint_eq(workers_in(inner, NULL, "WSFJ_CGROUP=0", END), all);
    ck_assert_uint_eq(workers_in(inner, NULL, "WSFJ_NUM_WORKERS=cores", END), 1);
    ck_assert_uint_eq(workers_in(inner, NULL, "WSFJ_NUM_WORKERS=threads", END), 1);
    if (can_test("the quota of a machine that is not ours", WITHOUT_MACHINES))
        ck_assert_uint_eq(workers_in(inner, NULL, "HWLOC_SYNTHETIC=core:7 pu:1", END),
                          7); /* this machine's quota does not count */
}
END_TEST

/* Catches: the line missing, or printed though the quota changed nothing; all containers bound to the same CPUs. */
START_TEST(the_display_says_when_it_was_the_quota)
{
    if (!limit("100000", "-1", "100000"))
        return;
    workers_in(inner, NULL, "WSFJ_DISPLAY=1", END);
    ck_assert_msg(strstr(said, "CPU quota") && strstr(said, "not bound") && strstr(said, "WSFJ_CGROUP=1"), "%s", said);
    workers_in(inner, NULL, "WSFJ_DISPLAY=1", "WSFJ_BIND=close", END);
    ck_assert_msg(strstr(said, "CPU quota") && !strstr(said, "not bound"), "%s", said);
    workers_in(inner, NULL, "WSFJ_DISPLAY=1", "WSFJ_CGROUP=0", END);
    ck_assert_msg(!strstr(said, "CPU quota") && !strstr(said, "not bound"), "%s", said);
    ck_assert_msg(strstr(said, "WSFJ_CGROUP=0") != NULL, "%s", said);
    workers_in(inner, NULL, "WSFJ_DISPLAY=1", "WSFJ_NUM_WORKERS=1", END);
    ck_assert_msg(!strstr(said, "CPU quota"), "%s", said);

    char just_enough[32];

    snprintf(just_enough, sizeof just_enough, "%u", all * 10000);
    if (!limit(just_enough, "-1", "10000"))
        return;
    ck_assert_uint_eq(workers_in(inner, NULL, "WSFJ_DISPLAY=1", END), all);
    ck_assert_msg(!strstr(said, "CPU quota") && !strstr(said, "not bound"), "%s", said);
}
END_TEST

/* Catches: the quota used instead of the mask where the mask is tighter. */
START_TEST(the_tighter_of_taskset_and_quota_counts)
{
    char cpu[16];

    snprintf(cpu, sizeof cpu, "%u", first_cpu);
    if (!limit("200000", "-1", "100000"))
        return;
    ck_assert_uint_eq(workers_in(inner, cpu, "WSFJ_DISPLAY=1", END), 1);
    ck_assert_msg(!strstr(said, "CPU quota"), "%s", said);
}
END_TEST

static void set_up(void)
{
    static const char *const ours[] = {"WSFJ_NUM_WORKERS", "WSFJ_BIND",       "WSFJ_DISPLAY",
                                       "WSFJ_CGROUP",      "HWLOC_SYNTHETIC", "HWLOC_XMLFILE"};
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    cpu_set_t mask;

    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        unsetenv(ours[i]);
    self[length > 0 ? length : 0] = '\0';
    if (sched_getaffinity(0, sizeof mask, &mask) == 0) {
        all = (unsigned)CPU_COUNT(&mask);
        while (!CPU_ISSET(first_cpu, &mask))
            first_cpu++;
    }
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "count") == 0)
        return count();

    if (!can_test("all", emulated("the program starts itself again, and the kernel cannot")))
        return EXIT_SKIPPED;

    TCase *tcase = new_case("quota");
    bool have_taskset = system("taskset -V >/dev/null 2>&1") == 0;
    const char *missing = make_groups();

    set_up();
    if (have_taskset)
        tcase_add_test(tcase, as_many_workers_as_taskset_leaves_cpus);
    else
        puts("quota: no taskset here: not tested with a mask");
    if (!missing) {
        tcase_add_loop_test(tcase, as_many_workers_as_the_quota_has_whole_cpus, 0, LIMITS);
        tcase_add_test(tcase, who_asks_for_a_number_gets_it);
        if (have_taskset)
            tcase_add_test(tcase, the_tighter_of_taskset_and_quota_counts);
    } else {
        printf("quota: not tested in control groups: %s\n", missing);
    }
    if (!missing && all > 1)
        tcase_add_test(tcase, the_display_says_when_it_was_the_quota);

    int status = run_case("quota", tcase);

    remove_groups();
    return !missing || have_taskset ? status : 77;
}
