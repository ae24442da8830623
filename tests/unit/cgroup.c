/* SPDX-License-Identifier: MIT */
/* How many CPUs the control groups allow, on machines made of files: lib/machine/cgroup.h. */
#include "machine/cgroup.h"

#include "base/procfile.h"

#include "fakeroot.h"
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>

#define NONE WSFJ_CGROUP_NONE

/* Lines of mountinfo. Every machine has such lines before and after the cgroup mounts: */
#define FIRST "22 27 0:21 / /proc rw,relatime - proc proc rw\n27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n"
#define UNIFIED_AT(root, point) "35 24 0:30 " root " " point " rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
#define UNIFIED FIRST UNIFIED_AT("/", "/sys/fs/cgroup")
#define LEGACY_AT(root, point, with) "36 31 0:31 " root " " point " rw,nosuid shared:10 - cgroup cgroup rw," with "\n"
#define LEGACY FIRST LEGACY_AT("/", "/sys/fs/cgroup/cpu", "cpu")
#define OTHERS                                                                                                         \
    "37 31 0:33 / /sys/fs/cgroup/cpuset rw shared:11 - cgroup cgroup rw,cpuset\n"                                      \
    "38 31 0:34 / /sys/fs/cgroup/systemd rw shared:12 - cgroup cgroup rw,xattr,name=systemd\n"                         \
    "39 31 0:35 / /sys/fs/cgroup/cpuacct rw shared:13 - cgroup cgroup rw,cpuacct\n"
#define HYBRID LEGACY OTHERS UNIFIED_AT("/", "/sys/fs/cgroup/unified")
/* Files of a group, relative to the fake root. */
#define U "/sys/fs/cgroup"
#define L "/sys/fs/cgroup/cpu"
/* clang-format off */
#define QUOTA(group, quota, period) {group "/cpu.cfs_quota_us", quota "\n"}, {group "/cpu.cfs_period_us", period "\n"}
#define MAX(group, text) {group "/cpu.max", text "\n"}
/* clang-format on */

struct machine {
    const char *what, *mountinfo, *member; /* member: /proc/self/cgroup */
    struct {
        const char *path, *text;
    } files[8];
    unsigned expected;
};

static struct wsfj_cgroup quota;

static unsigned read_anew(void)
{
    wsfj_cgroup_find(&quota, fakeroot);
    return wsfj_cgroup_read(&quota);
}

static void check_machine(const struct machine *m)
{
    fakeroot_file("/proc/self/mountinfo", m->mountinfo);
    fakeroot_file("/proc/self/cgroup", m->member);
    for (size_t i = 0; i < 8 && m->files[i].path; i++)
        fakeroot_file(m->files[i].path, m->files[i].text);

    unsigned n = read_anew();

    ck_assert_msg(n == m->expected, "%s: %u instead of %u", m->what, n, m->expected);
}

#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))

static const struct machine unified[] = {
    {"the process's own group", UNIFIED, "0::/a/b\n", {MAX(U "/a/b", "200000 100000")}, 2},
    {"the group above is tighter",
     UNIFIED,
     "0::/a/b\n",
     {MAX(U "/a/b", "500000 100000"), MAX(U "/a", "300000 100000")},
     3},
    {"the group above is wider", UNIFIED, "0::/a/b\n", {MAX(U "/a/b", "200000 100000"), MAX(U "/a", "300000 100000")}, 2},
    {"only the outermost of five has one",
     UNIFIED,
     "0::/a/b/c/d/e\n",
     {MAX(U "/a", "400000 100000"), MAX(U "/a/b", "max 100000"), MAX(U "/a/b/c", "max 100000"),
      MAX(U "/a/b/c/d", "max 100000"), MAX(U "/a/b/c/d/e", "max 100000")},
     4},
    {"one in the middle, with a period of its own",
     UNIFIED,
     "0::/a/b/c\n",
     {MAX(U "/a", "800000 100000"), MAX(U "/a/b", "25000 5000"), MAX(U "/a/b/c", "700000 100000")},
     5},
    {"a container: the limit is at the mount point", UNIFIED, "0::/\n", {MAX(U, "200000 100000")}, 2},
    {"below a container's mount point", UNIFIED, "0::/x\n", {MAX(U, "200000 100000"), MAX(U "/x", "max 100000")}, 2},
    {"max everywhere", UNIFIED, "0::/a\n", {MAX(U "/a", "max 100000")}, NONE},
    {"no controller anywhere", UNIFIED, "0::/a\n", {{U "/a/cgroup.procs", "1\n"}}, NONE},
    {"the root group has no file", UNIFIED, "0::/\n", {{U "/cgroup.procs", "1\n"}}, NONE},
    {"a sibling's does not count",
     UNIFIED,
     "0::/a/b\n",
     {MAX(U "/a/c", "100000 100000"), MAX(U "/a/bb", "100000 100000")},
     NONE},
    {"a child's does not count", UNIFIED, "0::/a\n", {MAX(U "/a/b", "100000 100000")}, NONE},
    {"the group has been removed", UNIFIED, "0::/a/b (deleted)\n", {MAX(U "/a", "300000 100000")}, 3},
    {"colons in a name", UNIFIED, "0::/a:b/c:0::\n", {MAX(U "/a:b/c:0::", "300000 100000")}, 3},
    {"not mounted", FIRST, "0::/a\n", {MAX(U "/a", "300000 100000")}, NONE},
};

/* Catches: only one group read; the last limit wins, not the smallest; a neighbour's limit taken; the period
 * assumed. */
START_TEST(version_2_is_the_tightest_of_all_groups_above)
{
    check_machine(&unified[_i]);
}
END_TEST

static const struct machine legacy[] = {
    {"the process's own group", LEGACY, "3:cpu:/a/b\n", {QUOTA(L "/a/b", "200000", "100000")}, 2},
    {"unlimited", LEGACY, "3:cpu:/a\n", {QUOTA(L "/a", "-1", "100000"), QUOTA(L, "-1", "100000")}, NONE},
    {"unlimited below a limit",
     LEGACY,
     "3:cpu:/a/b\n",
     {QUOTA(L "/a/b", "-1", "100000"), QUOTA(L "/a", "350000", "50000"), QUOTA(L, "-1", "100000")},
     7},
    {"nested limits", LEGACY, "3:cpu:/a/b\n", {QUOTA(L "/a/b", "200000", "100000"), QUOTA(L "/a", "150000", "50000")}, 2},
    {"mounted with cpuacct",
     FIRST LEGACY_AT("/", U "/cpu,cpuacct", "cpu,cpuacct") OTHERS,
     "4:memory:/a\n3:cpu,cpuacct:/a\n2:cpuset:/\n",
     {QUOTA(U "/cpu,cpuacct/a", "200000", "100000")},
     2},
    {"the other way round",
     FIRST LEGACY_AT("/", U "/cpu,cpuacct", "cpuacct,cpu"),
     "3:cpuacct,cpu:/a\n",
     {QUOTA(U "/cpu,cpuacct/a", "200000", "100000")},
     2},
    {"cpuset and cpuacct are not cpu",
     FIRST OTHERS,
     "4:cpu:/a\n3:cpuset:/a\n2:cpuacct:/a\n",
     {QUOTA(U "/cpuset/a", "200000", "100000"), QUOTA(U "/cpuacct/a", "200000", "100000")},
     NONE},
    {"each hierarchy has a path of its own",
     LEGACY OTHERS,
     "9:cpuset:/b\n8:name=cpu:/b\n3:cpu:/a\n2:cpuacct:/b\n",
     {QUOTA(L "/a", "300000", "100000"), QUOTA(L "/b", "100000", "100000")},
     3},
    {"a quota without its period", LEGACY, "3:cpu:/a\n", {{L "/a/cpu.cfs_quota_us", "100000\n"}}, NONE},
};

/* Catches: -1 taken for a number; a controller whose name only begins with cpu; the path of another hierarchy. */
START_TEST(version_1_is_the_tightest_of_all_groups_above)
{
    check_machine(&legacy[_i]);
}
END_TEST

static const struct machine hybrid[] = {
    {"the controller is in version 1",
     HYBRID,
     "3:cpu:/a\n2:cpuset:/\n1:name=systemd:/x\n0::/x\n",
     {QUOTA(L "/a", "200000", "100000"), {U "/unified/x/cgroup.procs", "1\n"}},
     2},
    {"version 1 names the group, version 2 stands before it",
     FIRST UNIFIED_AT("/", U "/unified") OTHERS LEGACY_AT("/", L, "cpu"),
     "0::/x\n3:cpu:/a\n",
     {QUOTA(L "/a", "200000", "100000")},
     2},
    {"the controller is in version 2",
     HYBRID,
     "3:cpu:/\n1:name=systemd:/x\n0::/x\n",
     {QUOTA(L, "-1", "100000"), MAX(U "/unified/x", "300000 100000")},
     3},
    {"the paths are not mixed up",
     HYBRID,
     "3:cpu:/a\n0::/x\n",
     {QUOTA(L "/x", "100000", "100000"), QUOTA(L "/a", "400000", "100000"), MAX(U "/unified/a", "100000 100000")},
     4},
};

/* Catches: only one version read; a path of one version looked up in the other. */
START_TEST(both_versions_at_once)
{
    check_machine(&hybrid[_i]);
}
END_TEST

static const struct machine views[] = {
    {"a container without a namespace: its group is the mount's root",
     FIRST LEGACY_AT("/docker/c1", L, "cpu"),
     "3:cpu:/docker/c1\n",
     {QUOTA(L, "200000", "100000")},
     2},
    {"a group inside such a container",
     FIRST LEGACY_AT("/docker/c1", L, "cpu"),
     "3:cpu:/docker/c1/job\n",
     {QUOTA(L "/job", "300000", "100000"), QUOTA(L, "400000", "100000")},
     3},
    {"another container's mount",
     FIRST LEGACY_AT("/docker/c1", L, "cpu"),
     "3:cpu:/docker/c11\n",
     {QUOTA(L, "200000", "100000"), QUOTA(L "/1", "200000", "100000")},
     NONE},
    {"a mount of a group below ours",
     FIRST LEGACY_AT("/docker/c1", L, "cpu"),
     "3:cpu:/docker\n",
     {QUOTA(L, "200000", "100000")},
     NONE},
    {"the mount shows the group above the namespace", FIRST UNIFIED_AT("/..", U), "0::/\n", {MAX(U, "300000 100000")}, 3},
    {"... and what lies between has no name",
     FIRST UNIFIED_AT("/../..", U),
     "0::/x\n",
     {MAX(U, "300000 100000"), MAX(U "/x", "100000 100000")},
     3},
    {"moved to a neighbour of the namespace, seen by the mount",
     FIRST UNIFIED_AT("/..", U),
     "0::/../x\n",
     {MAX(U, "300000 100000"), MAX(U "/x", "200000 100000")},
     2},
    {"moved to a neighbour of the namespace, not seen",
     UNIFIED,
     "0::/../x\n",
     {MAX(U, "300000 100000"), MAX("/sys/fs/x", "200000 100000")},
     NONE},
    {"... with the mount of another neighbour",
     FIRST UNIFIED_AT("/../y", U),
     "0::/../x\n",
     {MAX(U, "300000 100000"), MAX(U "/x", "200000 100000")},
     NONE},
    {"... with its own",
     FIRST UNIFIED_AT("/../x", U),
     "0::/../x/z\n",
     {MAX(U, "300000 100000"), MAX(U "/z", "200000 100000")},
     2},
    {"two mounts, the wider one shows more",
     FIRST UNIFIED_AT("/a/b", U) UNIFIED_AT("/", "/mnt/all"),
     "0::/a/b\n",
     {MAX(U, "400000 100000"), MAX("/mnt/all/a/b", "400000 100000"), MAX("/mnt/all/a", "200000 100000")},
     2},
};

/* Catches: the path appended unchanged to the mount point; a prefix that ends inside a name; a path that leaves by
 * "..". */
START_TEST(paths_are_relative_to_what_the_mount_shows)
{
    check_machine(&views[_i]);
}
END_TEST

#define LAYER "/var/lib/layers/0123456789abcdef0123456789abcdef0123456789abcdef:"
#define LAYERS LAYER LAYER LAYER LAYER LAYER LAYER LAYER LAYER LAYER LAYER
#define LAYERS_50 LAYERS LAYERS LAYERS LAYERS LAYERS
#define LAYERS_100 LAYERS_50 LAYERS_50
static const struct machine lines[] = {
    {"blank, tabulator and backslash in the mount point",
     FIRST UNIFIED_AT("/", "/my\\040cgroups\\011and\\134more"),
     "0::/a\n",
     {MAX("/my cgroups\tand\\more/a", "200000 100000")},
     2},
    {"blank in the mount's root, not escaped in the group's path",
     FIRST UNIFIED_AT("/my\\040job", U),
     "0::/my job/a\n",
     {MAX(U "/a", "200000 100000")},
     2},
    {"a backslash that begins no escape",
     FIRST UNIFIED_AT("/", "/a\\9\\04"),
     "0::/\n",
     {MAX("/a\\9\\04", "200000 100000")},
     2},
    {"no optional field, and several",
     "35 24 0:30 / /c rw - cgroup cgroup rw,cpu\n36 24 0:31 / " U " rw shared:1 master:2 unbindable - cgroup2 none rw\n",
     "3:cpu:/a\n0::/a\n",
     {MAX(U "/a", "300000 100000"), QUOTA("/c/a", "200000", "100000")},
     2},
    {"a source without a name", "35 24 0:30 / " U " rw - cgroup2  rw\n", "0::/a\n", {MAX(U "/a", "200000 100000")}, 2},
    {"a cgroup2 that is only called so",
     "35 24 0:30 / " U " rw - tmpfs cgroup2 rw,cpu\n",
     "0::/a\n3:cpu:/a\n",
     {MAX(U "/a", "200000 100000"), QUOTA(U "/a", "200000", "100000")},
     NONE},
    {"a line longer than any buffer comes first",
     "30 24 0:40 / /over rw - overlay overlay rw,lowerdir=" LAYERS_100 "\n" UNIFIED,
     "0::/a\n",
     {MAX(U "/a", "200000 100000")},
     2},
    {"lines that are none",
     "\n \nx\n35\n35 24\n35 24 0:30 /\n35 24 0:30 / " U "\n35 24 0:30 / " U " rw -\n35 24 0:30 / " U " rw - cgroup2\n"
     "x 24 0:30 / " U " rw - cgroup2 c rw\n35 24 0:30 - - rw - cgroup2 c rw\n" UNIFIED,
     "\n:\n::\n0:\n0::\n0::a\n1::/b\n0::/a\n",
     {MAX(U "/a", "200000 100000"), MAX(U "/b", "100000 100000"), MAX(U, "max 100000")},
     2},
    {"a mount that hides another one",
     FIRST UNIFIED_AT("/b", U) "50 35 0:50 / " U " rw - cgroup2 c rw\n",
     "0::/b/a\n",
     {MAX(U "/b/a", "200000 100000"), MAX(U "/a", "100000 100000")},
     2},
    {"one hidden by something else altogether",
     UNIFIED "50 35 0:50 / " U " rw - tmpfs t rw\n",
     "0::/a\n",
     {MAX(U "/a", "200000 100000")},
     NONE},
    {"the root's line comes last, and hides nothing",
     "31 23 0:29 / /sys/fs rw - tmpfs t rw\n" UNIFIED
     "24 23 0:2 / /sys rw - sysfs s rw\n23 1 0:1 / / rw - ext4 /dev/vda rw\n",
     "0::/a\n",
     {MAX(U "/a", "200000 100000")},
     2},
    {"mount points longer than any buffer",
     FIRST UNIFIED_AT("/", "/1" LAYERS_50) UNIFIED_AT("/", "/2" LAYERS_50) UNIFIED_AT("/", "/3" LAYERS_50)
         UNIFIED_AT("/", "/4" LAYERS_50) UNIFIED_AT("/", "/5" LAYERS_50) UNIFIED_AT("/", "/6" LAYERS_50)
             UNIFIED_AT("/", "/7" LAYERS_50) UNIFIED_AT("/", "/8" LAYERS_50) UNIFIED_AT("/", U),
     "0::/a\n",
     {MAX(U "/a", "200000 100000")},
     2},
    {"roots longer than the room for text, at points for which there is room",
     FIRST UNIFIED_AT("/1" LAYERS_50, "/1") UNIFIED_AT("/2" LAYERS_50, "/2") UNIFIED_AT("/", U),
     "0::/a\n",
     {MAX(U "/a", "200000 100000")},
     2},
    {"ten mounts of one hierarchy",
     UNIFIED UNIFIED_AT("/", "/1") UNIFIED_AT("/", "/2") UNIFIED_AT("/", "/3") UNIFIED_AT("/", "/4")
         UNIFIED_AT("/", "/5") UNIFIED_AT("/", "/6") UNIFIED_AT("/", "/7") UNIFIED_AT("/", "/8") UNIFIED_AT("/", "/9"),
     "0::/a\n",
     {MAX(U "/a", "200000 100000")},
     2},
};

/* Catches: escapes not decoded, or decoded where there are none; fields counted from the wrong end; a truncated line
 * taken for the start of the next; a hidden mount read; a table that overflows. */
START_TEST(mountinfo_is_read_as_the_kernel_writes_it)
{
    check_machine(&lines[_i]);
}
END_TEST

/* Catches: a long line truncated and its rest taken for the next line; a buffer overrun by one. */
START_TEST(lines_that_do_not_fit_are_passed_over)
{
    static const char text[] = "1234567\n12345678\n\n1234567812345678abcdefg\nx\nunfinished";
    char path[600], line[8] = "";

    fakeroot_file("/lines", text);
    snprintf(path, sizeof path, "%s/lines", fakeroot);

    struct wsfj_procfile file = {.fd = open(path, O_RDONLY)};

    ck_assert(wsfj_procfile_line(&file, line, sizeof line));
    ck_assert_str_eq(line, "1234567");
    ck_assert(wsfj_procfile_line(&file, line, sizeof line));
    ck_assert_str_eq(line, "");
    ck_assert(wsfj_procfile_line(&file, line, sizeof line));
    ck_assert_str_eq(line, "x");
    ck_assert(!wsfj_procfile_line(&file, line, sizeof line));
    close(file.fd);
}
END_TEST

static const struct {
    const char *quota, *period;
    unsigned expected;
} ratios[] = {
    {"1000", "100000", 1},     {"50000", "100000", 1},        {"99999", "100000", 1},
    {"100000", "100000", 1},   {"199999", "100000", 1},       {"200000", "100000", 2},
    {"250000", "100000", 2},   {"299999", "100000", 2},       {"25000", "10000", 2},
    {"4000000", "1000000", 4}, {"409600000", "100000", 4096}, {"1", "1", 1},
    {"0", "100000", NONE},     {"100000", "0", NONE},         {"4294967294", "1", NONE - 1},
    {"4294967295", "1", NONE}, {"4294967297", "1", NONE},     {"18446744073709551615", "1", NONE},
};

/* Catches: rounding up or to nearest (with one worker too many the kernel throttles the whole group); 0 workers; a
 * division by 0; a quotient truncated to 32 bits. */
START_TEST(quotas_are_rounded_down_to_whole_cpus_but_1)
{
    char text[128];

    fakeroot_file("/proc/self/mountinfo", HYBRID);
    fakeroot_file("/proc/self/cgroup", "3:cpu:/a\n");
    snprintf(text, sizeof text, "%s\n", ratios[_i].quota);
    fakeroot_file(L "/a/cpu.cfs_quota_us", text);
    snprintf(text, sizeof text, "%s\n", ratios[_i].period);
    fakeroot_file(L "/a/cpu.cfs_period_us", text);
    ck_assert_uint_eq(read_anew(), ratios[_i].expected);

    fakeroot_file("/proc/self/cgroup", "0::/a\n");
    snprintf(text, sizeof text, "%s %s\n", ratios[_i].quota, ratios[_i].period);
    fakeroot_file(U "/unified/a/cpu.max", text);
    ck_assert_uint_eq(read_anew(), ratios[_i].expected);
}
END_TEST

/* clang-format off */
static const char *const malformed[] = {
    "", "\n", " ", "max", "maximum 100000\n", "-1 100000\n", "+100000 100000\n", " 100000 100000\n", "100000\n",
    "100000 \n", "100000  100000\n", "100000,100000\n", "100000\t100000\n", "100000 100000 \n", "100000 100000x\n",
    "100000 100000\n\n", "100000 -100000\n", "1e5 1e5\n", "0x10000 100000\n", "100000.0 100000\n", "100.000 100000\n",
    "100000 max\n", "18446744073709651616 100000\n", "100000 18446744073709651616\n", /* 2^64 + 100000 */
    "99999999999999999999999999 100000\n", "\xff\xfe\n", "100000 100000\n100000\n",
    "000000000000000000000000000000000000000000000000000000000000000100000 100000\n",
};
/* clang-format on */

/* Catches: an invalid number used in part; a limit of an outer group forgotten because the file of an inner group is
 * invalid. */
START_TEST(a_malformed_file_sets_no_limit)
{
    fakeroot_file("/proc/self/mountinfo", HYBRID);
    fakeroot_file("/proc/self/cgroup", "3:cpu:/a\n0::/a/b\n");
    fakeroot_file(U "/unified/a/b/cpu.max", malformed[_i]);
    fakeroot_file(L "/a/cpu.cfs_quota_us", malformed[_i]);
    fakeroot_file(L "/a/cpu.cfs_period_us", "100000\n");
    ck_assert_msg(read_anew() == (strcmp(malformed[_i], "100000\n") == 0 ? 1 : NONE), "'%s'", malformed[_i]);
    fakeroot_file(L "/a/cpu.cfs_quota_us", "100000\n");
    fakeroot_file(L "/a/cpu.cfs_period_us", malformed[_i]);
    ck_assert_msg(read_anew() == (strcmp(malformed[_i], "100000\n") == 0 ? 1 : NONE), "'%s'", malformed[_i]);
    fakeroot_file(L "/a/cpu.cfs_quota_us", "-1\n");
    fakeroot_file(U "/unified/a/cpu.max", "300000 100000\n");
    ck_assert_uint_eq(read_anew(), 3);
}
END_TEST

/* Catches: an error, or a forgotten limit, when a file cannot be opened or read. */
START_TEST(an_unreadable_file_sets_no_limit)
{
    const char *name;

    fakeroot_file("/proc/self/mountinfo", UNIFIED);
    fakeroot_file("/proc/self/cgroup", "0::/a/directory/loop/dangling/forbidden/closed/leaf\n");
    fakeroot_file(U "/a/cpu.max", "300000 100000\n");
    fakeroot_file(U "/a/directory/cpu.max/x", "");
    close(fakeroot_directory(U "/a/directory/loop/dangling/forbidden/closed/leaf/x", &name));

    int loop = fakeroot_directory(U "/a/directory/loop/x", &name);

    ck_assert_int_eq(symlinkat("cpu.max", loop, "cpu.max"), 0);
    ck_assert_int_eq(symlinkat("/nowhere", loop, "dangling/cpu.max"), 0);
    fakeroot_file(U "/a/directory/loop/dangling/forbidden/cpu.max", "100000 100000\n");
    ck_assert_int_eq(fchmodat(loop, "dangling/forbidden/cpu.max", 0, 0), 0);
    fakeroot_file(U "/a/directory/loop/dangling/forbidden/closed/leaf/cpu.max", "200000 100000\n");
    ck_assert_int_eq(fchmodat(loop, "dangling/forbidden/closed", 0, 0), 0);

    bool root = geteuid() == 0;

    ck_assert(!root || seteuid(65534) == 0); /* root may read everything */
    unsigned n = read_anew();
    ck_assert(!root || seteuid(0) == 0);
    ck_assert_uint_eq(n, 3);
    ck_assert_int_eq(fchmodat(loop, "dangling/forbidden/closed", 0755, 0), 0);
    ck_assert_uint_eq(read_anew(), root ? 1 : 2);
    close(loop);
}
END_TEST

/* Catches: a missing /proc, or neither of its two files, that causes an error or keeps the last machine's mounts. */
START_TEST(without_proc_there_is_no_limit)
{
    check_machine(&unified[0]);
    wsfj_cgroup_find(&quota, "/nowhere/at/all");
    ck_assert_uint_eq(wsfj_cgroup_read(&quota), NONE);

    char path[600];

    ck_assert_uint_eq(read_anew(), 2);
    snprintf(path, sizeof path, "%s/proc/self/cgroup", fakeroot);
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_uint_eq(read_anew(), NONE);
    fakeroot_file("/proc/self/cgroup", "0::/a/b\n");
    ck_assert_uint_eq(read_anew(), 2);
    snprintf(path, sizeof path, "%s/proc/self/mountinfo", fakeroot);
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_uint_eq(read_anew(), NONE);
}
END_TEST

/* Catches: a cached number or group: the quota changes while the program runs, and systemd moves processes between
 * groups. */
START_TEST(each_read_sees_the_present_quota_and_group)
{
    check_machine(&unified[0]);
    fakeroot_file(U "/a/b/cpu.max", "300000 100000\n");
    ck_assert_uint_eq(wsfj_cgroup_read(&quota), 3);
    fakeroot_file(U "/a/cpu.max", "100000 100000\n");
    ck_assert_uint_eq(wsfj_cgroup_read(&quota), 1);
    fakeroot_file("/proc/self/cgroup", "0::/c\n");
    ck_assert_uint_eq(wsfj_cgroup_read(&quota), NONE);
    fakeroot_file(U "/c/cpu.max", "500000 100000\n");
    ck_assert_uint_eq(wsfj_cgroup_read(&quota), 5);
}
END_TEST

/* Catches: a path longer than a buffer, or than the kernel accepts, that ends the search for the outer groups. */
START_TEST(groups_may_be_nested_deeply)
{
    static char path[5000], member[sizeof path + 8], file[sizeof path + 64];
    size_t most = _i ? 4500 : 3000, length = 0;

    while (length < most)
        length +=
            (size_t)snprintf(path + length, sizeof path - length, "/a-group-of-thirty-characters-%zu", length % 10);
    snprintf(member, sizeof member, "0::%s\n", path);
    snprintf(file, sizeof file, U "%s/cpu.max", path);
    fakeroot_file("/proc/self/mountinfo", UNIFIED);
    fakeroot_file("/proc/self/cgroup", member);
    fakeroot_file(U "/a-group-of-thirty-characters-0/cpu.max", "300000 100000\n");
    fakeroot_file(file, "200000 100000\n");
    ck_assert_uint_eq(read_anew(), _i ? 3 : 2);
}
END_TEST

/* Catches: a table of mounts that is used beyond its end, or not up to it. */
START_TEST(so_many_mounts_are_looked_at)
{
    char mounts[WSFJ_CGROUP_MOUNTS * 64 + 64];
    unsigned n = WSFJ_CGROUP_MOUNTS - 1 + (unsigned)_i;
    size_t length = 0;

    for (unsigned i = 0; i <= n; i++)
        length += (size_t)snprintf(mounts + length, sizeof mounts - length, "%u 20 0:26 / /m%u rw - cgroup2 x rw\n",
                                   30 + i, i);
    fakeroot_file("/proc/self/mountinfo", mounts);
    fakeroot_file("/proc/self/cgroup", "0::/\n");
    snprintf(mounts, sizeof mounts, "/m%u/cpu.max", n);
    fakeroot_file(mounts, "200000 100000\n");
    ck_assert_uint_eq(read_anew(), _i ? NONE : 2);
}
END_TEST

static void count_signal(int signal)
{
    (void)signal;
}

/* Writes the content to a named pipe, piece by piece. */
static void *feed(void *path)
{
    static const char *const pieces[] = {"2000", "00 1", "00000\n"};
    const struct timespec pause = {0, 30000000};
    sigset_t all;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    nanosleep(&pause, NULL);

    int fd = open(path, O_RDWR); /* waits for no reader: the reader may have given up */

    for (size_t i = 0; i < 3; i++) {
        (void)!write(fd, pieces[i], strlen(pieces[i]));
        nanosleep(&pause, NULL);
    }
    close(fd);
    return NULL;
}

/* Catches: a call interrupted by a signal handler taken for a failure; a short read taken for the end. */
START_TEST(signals_and_short_reads_change_nothing)
{
    const struct itimerval often = {{0, 3000}, {0, 3000}}, never = {{0, 0}, {0, 0}};
    struct sigaction action = {.sa_handler = count_signal};
    const char *name;
    char path[600];
    pthread_t feeder;

    fakeroot_file("/proc/self/mountinfo", UNIFIED);
    fakeroot_file("/proc/self/cgroup", "0::/a\n");
    close(fakeroot_directory(U "/a/x", &name));
    snprintf(path, sizeof path, "%s" U "/a/cpu.max", fakeroot);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    ck_assert_int_eq(pthread_create(&feeder, NULL, feed, path), 0);
    sigaction(SIGALRM, &action, NULL); /* without SA_RESTART */
    setitimer(ITIMER_REAL, &often, NULL);
    unsigned n = read_anew();
    setitimer(ITIMER_REAL, &never, NULL);
    pthread_join(feeder, NULL);
    ck_assert_uint_eq(n, 2);
}
END_TEST

/* Catches: a descriptor that stays open after each call; a changed errno for the caller of ws_run(). */
START_TEST(nothing_is_left_behind)
{
    unsigned before = open_files();

    fakeroot_file("/proc/self/mountinfo", HYBRID);
    fakeroot_file("/proc/self/cgroup", "3:cpu:/a\n0::/b\n");
    for (int round = 0; round < 3; round++) {
        errno = 12345;
        ck_assert_uint_eq(read_anew(), round == 2 ? 2 : NONE);
        wsfj_cgroup_find(&quota, "/nowhere/at/all");
        ck_assert_int_eq(errno, 12345);
        ck_assert_uint_eq(open_files(), before);
        fakeroot_file(L "/a/cpu.cfs_quota_us", round ? "200000\n" : "x\n");
        fakeroot_file(L "/a/cpu.cfs_period_us", "100000\n");
    }
}
END_TEST

/* Catches: a changed byte that makes the parser read beyond its text (with a sanitizer), or return 0. */
START_TEST(damaged_files_do_no_harm)
{
    static const char alphabet[] = " /\\:,-\n.0129amxcpu~\xff";
    static const char *const files[] = {"/proc/self/mountinfo", "/proc/self/cgroup", U "/unified/b/cpu.max"};
    unsigned random = 12345u + (unsigned)_i;

    for (int round = 0; round < 200; round++) {
        char texts[3][2048] = {HYBRID, "3:cpu:/a\n0::/b\n", "200000 100000\n"};

        for (int changes = 0; changes < 5; changes++) {
            random = random * 1103515245u + 12345u;

            char *text = texts[(random >> 8) % 3];

            text[(random >> 12) % strlen(text)] = alphabet[(random >> 24) % (sizeof alphabet - 1)];
        }
        for (int i = 0; i < 3; i++)
            fakeroot_file(files[i], texts[i]);
        ck_assert_uint_ge(read_anew(), 1);
    }
}
END_TEST

/* Catches: what the fake machines lack: reads the files of this machine, twice, with the same result. */
START_TEST(the_real_machine_has_a_limit_or_none)
{
    wsfj_cgroup_find(&quota, "/");

    unsigned n = wsfj_cgroup_read(&quota);

    ck_assert_uint_ge(n, 1);
    ck_assert_uint_eq(wsfj_cgroup_read(&quota), n);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("quota");

    tcase_add_checked_fixture(tcase, fakeroot_make, fakeroot_remove);
    tcase_add_loop_test(tcase, version_2_is_the_tightest_of_all_groups_above, 0, COUNT(unified));
    tcase_add_loop_test(tcase, version_1_is_the_tightest_of_all_groups_above, 0, COUNT(legacy));
    tcase_add_loop_test(tcase, both_versions_at_once, 0, COUNT(hybrid));
    tcase_add_loop_test(tcase, paths_are_relative_to_what_the_mount_shows, 0, COUNT(views));
    tcase_add_loop_test(tcase, mountinfo_is_read_as_the_kernel_writes_it, 0, COUNT(lines));
    tcase_add_test(tcase, lines_that_do_not_fit_are_passed_over);
    tcase_add_loop_test(tcase, quotas_are_rounded_down_to_whole_cpus_but_1, 0, COUNT(ratios));
    tcase_add_loop_test(tcase, a_malformed_file_sets_no_limit, 0, COUNT(malformed));
    tcase_add_test(tcase, an_unreadable_file_sets_no_limit);
    tcase_add_test(tcase, without_proc_there_is_no_limit);
    tcase_add_test(tcase, each_read_sees_the_present_quota_and_group);
    tcase_add_loop_test(tcase, groups_may_be_nested_deeply, 0, 2);
    tcase_add_loop_test(tcase, so_many_mounts_are_looked_at, 0, 2);
    tcase_add_test(tcase, signals_and_short_reads_change_nothing);
    tcase_add_test(tcase, nothing_is_left_behind);
    tcase_add_loop_test(tcase, damaged_files_do_no_harm, 0, 4);
    tcase_add_test(tcase, the_real_machine_has_a_limit_or_none);
    return run_case("quota", tcase);
}
