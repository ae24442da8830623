/* SPDX-License-Identifier: MIT */
#include "machine/cgroup.h"

#include "base/procfile.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Room for two numbers of 20 digits, a blank and a newline. A longer file is not a limit. */
#define VALUE_MOST 64

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static int open_top(const struct wsfj_cgroup *q)
{
    return wsfj_procfile_open(AT_FDCWD, q->top, O_PATH | O_DIRECTORY);
}

static const char *keep(struct wsfj_cgroup *q, const char *text)
{
    char *copy = q->text + q->text_used;
    size_t size = strlen(text) + 1;

    if (size > sizeof q->text - q->text_used)
        return NULL;
    q->text_used += size;
    return memcpy(copy, text, size);
}

/* A mount on the root of another one hides that one. (Order and prefixes do not tell: /proc may come before /.) */
static void drop_hidden(struct wsfj_cgroup *q, uint64_t parent, const char *point)
{
    for (unsigned i = 0; i < q->num_mounts; i++)
        if (q->mounts[i].id == parent && strcmp(q->mounts[i].point, point) == 0)
            q->mounts[i--] = q->mounts[--q->num_mounts];
}

/* A line of mountinfo: id parent device root point options [optional...] - type source options */
static void add_mount(struct wsfj_cgroup *q, char *line)
{
    const char *id = strsep(&line, " "), *parent = strsep(&line, " ");
    struct wsfj_cgroup_mount m;
    uint64_t above;

    strsep(&line, " ");

    char *root = strsep(&line, " "), *point = strsep(&line, " "), *field;

    if (!point || *root != '/' || *point != '/' || !wsfj_procfile_number(&id, &m.id) ||
        !wsfj_procfile_number(&parent, &above))
        return;
    wsfj_procfile_unescape(root);
    wsfj_procfile_unescape(point);
    drop_hidden(q, above, point);
    do
        field = strsep(&line, " ");
    while (field && strcmp(field, "-") != 0);

    const char *type = strsep(&line, " ");

    strsep(&line, " ");
    if (!type || !line || q->num_mounts == WSFJ_CGROUP_MOUNTS)
        return;
    m.unified = strcmp(type, "cgroup2") == 0;
    if (!m.unified && (strcmp(type, "cgroup") != 0 || !wsfj_procfile_lists(line, "cpu")))
        return;
    m.root = keep(q, root);
    m.point = keep(q, point);
    if (m.root && m.point)
        q->mounts[q->num_mounts++] = m;
}

void wsfj_cgroup_find(struct wsfj_cgroup *q, const char *top)
{
    int before = errno;

    q->top = top;
    q->num_mounts = 0;
    q->text_used = 0;

    int directory = open_top(q);
    struct wsfj_procfile file = {.fd = wsfj_procfile_open(directory, "proc/self/mountinfo", 0)};

    if (file.fd >= 0) {
        while (wsfj_procfile_line(&file, q->line, sizeof q->line))
            add_mount(q, q->line);
        close(file.fd);
    }
    if (directory >= 0)
        close(directory);
    errno = before;
}

static const char *skip_slashes(const char *path)
{
    return path + strspn(path, "/");
}

static bool is_up(const char *component, size_t length)
{
    return length == 2 && component[0] == '.' && component[1] == '.';
}

/*
 * The path from a mount's root down to the group `path`: "" if the group is the root, else a path that begins with a
 * slash. NULL if the group does not lie below the mount's root.
 *
 * Both paths are relative to the root of the control group namespace, and "/.." is the group above that. So a mount
 * whose root is "/.." shows a group above "/". The names on the way down are unknown then: returns "", for that
 * ancestor.
 */
static const char *way_down(const char *root, const char *path)
{
    bool up = true;

    for (;;) {
        const char *next = skip_slashes(path);
        size_t r, p = strcspn(next, "/");

        root = skip_slashes(root);
        r = strcspn(root, "/");
        if (r == 0 || r != p || memcmp(root, next, r) != 0)
            break;
        root += r;
        path = next + p;
    }
    if (*root) {
        for (size_t n; up && *root; root = skip_slashes(root + n))
            up = is_up(root, n = strcspn(root, "/"));
        return up ? "" : NULL;
    }
    for (const char *c = skip_slashes(path), *end; *c; c = skip_slashes(end)) {
        end = c + strcspn(c, "/");
        if (is_up(c, (size_t)(end - c)))
            return NULL;
    }
    return *skip_slashes(path) ? path : "";
}

/* The text of a file of the group whose directory is the first `length` bytes of q->path. False if there is none. */
static bool read_value(struct wsfj_cgroup *q, int top, size_t length, const char *name, char text[VALUE_MOST])
{
    size_t used = 0;
    ssize_t n = 0;

    strcpy(q->path + length, name); /* fits: `path` has 32 bytes more than a mount point and a line */

    int fd = wsfj_procfile_open(top, q->path, 0);

    if (fd < 0)
        return false;
    while (used < VALUE_MOST && (n = wsfj_procfile_read(fd, text + used, VALUE_MOST - used)) > 0) {
        used += (size_t)n;
        if (text[used - 1] == '\n')
            break; /* saves the read() that would find the end */
    }
    close(fd);
    if (n < 0 || used == VALUE_MOST)
        return false;
    used -= used && text[used - 1] == '\n';
    text[used] = '\0';
    return true;
}

static unsigned whole_cpus(uint64_t quota, uint64_t period)
{
    if (quota == 0 || period == 0)
        return WSFJ_CGROUP_NONE; /* the kernel never writes 0 */
    return quota < period ? 1 : quota / period < WSFJ_CGROUP_NONE ? (unsigned)(quota / period) : WSFJ_CGROUP_NONE;
}

/* The limit of this one group. No limit if the text is not a number: "max", -1 or empty. */
static unsigned limit_of(struct wsfj_cgroup *q, int top, size_t length, bool unified)
{
    char text[VALUE_MOST];
    const char *at = text;
    uint64_t quota, period;

    if (!read_value(q, top, length, unified ? "/cpu.max" : "/cpu.cfs_quota_us", text) ||
        !wsfj_procfile_number(&at, &quota))
        return WSFJ_CGROUP_NONE;
    if (*at != (unified ? ' ' : '\0'))
        return WSFJ_CGROUP_NONE;
    if (unified)
        at++;
    else if (read_value(q, top, length, "/cpu.cfs_period_us", text))
        at = text;
    else
        return WSFJ_CGROUP_NONE;
    return wsfj_procfile_number(&at, &period) && *at == '\0' ? whole_cpus(quota, period) : WSFJ_CGROUP_NONE;
}

/* The tightest limit from the group at the end of `way` up to the mount's root. */
static unsigned tightest(struct wsfj_cgroup *q, int top, const struct wsfj_cgroup_mount *m, const char *way)
{
    size_t point = strlen(m->point) + 1, length = point + strlen(way);
    unsigned n = WSFJ_CGROUP_NONE;

    q->path[0] = '.'; /* below `top` */
    memcpy(q->path + 1, m->point, point - 1);
    memcpy(q->path + point, way, length - point);
    for (;;) {
        n = least(n, limit_of(q, top, length, m->unified));
        if (length == point)
            return n;
        do
            length--;
        while (q->path[length] != '/');
    }
}

/* A line of /proc/self/cgroup: hierarchy:controllers:path */
static unsigned limit_by(struct wsfj_cgroup *q, int top, char *line)
{
    const char *hierarchy = strsep(&line, ":"), *controllers = strsep(&line, ":"), *path = line;
    unsigned n = WSFJ_CGROUP_NONE;

    if (!path || *path != '/')
        return n;

    bool unified = strcmp(hierarchy, "0") == 0 && *controllers == '\0';

    if (!unified && !wsfj_procfile_lists(controllers, "cpu"))
        return n;
    for (unsigned i = 0; i < q->num_mounts; i++) {
        const char *way = q->mounts[i].unified == unified ? way_down(q->mounts[i].root, path) : NULL;

        if (way)
            n = least(n, tightest(q, top, &q->mounts[i], way));
    }
    return n;
}

unsigned wsfj_cgroup_read(struct wsfj_cgroup *q)
{
    unsigned n = WSFJ_CGROUP_NONE;
    int before = errno;

    if (q->num_mounts == 0)
        return n;

    int top = open_top(q);
    struct wsfj_procfile file = {.fd = wsfj_procfile_open(top, "proc/self/cgroup", 0)};

    if (file.fd >= 0) {
        while (wsfj_procfile_line(&file, q->line, sizeof q->line))
            n = least(n, limit_by(q, top, q->line));
        close(file.fd);
    }
    if (top >= 0)
        close(top);
    errno = before;
    return n;
}
