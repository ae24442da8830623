/* SPDX-License-Identifier: MIT */
/*
 * The description of a machine, XML or synthetic, then, with a zero byte before each, a text of places, and a policy and
 * a number of workers in one letter each (lib/machine/topology.h, placement.h). hwloc reads it, so machines are small; what is to
 * hold is ours: arrays that are in order whatever hwloc makes of the text. Catches: an object that has no set or lies in
 * nothing; numbers with gaps; a worker in no place; memory that is lost.
 */
#include "fuzz.h"

#include "machine/placement.h"
#include "machine/report.h"
#include "machine/topology.h"
#include "machine/tier.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

const char fuzz_name[] = "machine";
const bool fuzz_memory_is_ours = false;

/* hwloc 2.9 meets null pointers in XML that libFuzzer makes within seconds (hwloc_bitmap_compare_first): only the saved
 * inputs are read. */
#ifdef FUZZED
#define XML false
#else
#define XML true
#endif

/* hwloc builds in full what a text describes: larger ones measure only its patience. */
#define UNITS_MOST 512u

/* hwloc 2.9 forgets memory where it refuses a text; for clang's and gcc's search for leaks. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhwloc.so";
}

static bool is_small(const char *synthetic)
{
    unsigned long units = 1;

    for (const char *c = synthetic; *c; c++) {
        char *end;

        if (!isdigit((unsigned char)*c))
            continue;

        unsigned long n = strtoul(c, &end, 0);

        if (n > UNITS_MOST || (units *= n ? n : 1) > UNITS_MOST)
            return false;
        c = end - 1;
    }
    return true;
}

static bool read_xml(struct wsfj_topology *t, const char *text)
{
    int fd = memfd_create("machine", MFD_CLOEXEC);
    size_t n = strlen(text);
    char path[64];

    must(fd >= 0 && write(fd, text, n) == (ssize_t)n);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);

    bool ok = wsfj_topology_read(t, WSFJ_MACHINE_XML, path);

    close(fd);
    return ok;
}

static void check_machine(const struct wsfj_topology *t)
{
    bool *seen = calloc(t->num_threads, sizeof *seen);

    must(seen && t->num_threads > 0 && t->num_kinds > 0);
    must(t->num_cores == t->count[WSFJ_LEVEL_CORE]);
    for (int level = 0; level < WSFJ_LEVELS; level++)
        must(t->count[level] > 0 && t->count[level] <= t->num_threads);
    for (unsigned i = 0; i < t->num_threads; i++) {
        const struct wsfj_unit *u = &t->units[i];

        must(u->index < t->num_threads && !seen[u->index]);
        seen[u->index] = true;
        must(u->kind < t->num_kinds && u->rank < t->num_threads);
        must(i == 0 || u->rank >= t->units[i - 1].rank);
        must((u->rank == 0) == (i < t->num_cores));
        for (int level = 0; level < WSFJ_LEVELS; level++)
            must(u->in[level] < t->count[level]);
    }
    free(seen);
}

static void check_layout(const struct wsfj_topology *t, const struct wsfj_placement *l)
{
    unsigned start = 0;

    must(l->places > 0);
    for (unsigned p = 0; p < l->places; start = l->end[p++]) {
        must(l->end[p] > start);
        for (unsigned i = start; i < l->end[p]; i++)
            must(l->member[i] < t->num_threads);
    }
    for (unsigned i = 0; i < l->workers; i++) {
        unsigned n;

        must(l->place[i] < l->places && l->unit[i] < t->num_threads);
        (void)wsfj_placement_units(l, i, &n);
        must(n > 0);
        must(wsfj_placement_tier(l, t, 0, i) < WSFJ_TIER_COUNT);
        must(wsfj_placement_node(l, t, i) < t->count[WSFJ_LEVEL_NUMA]);
    }
}

__attribute__((format(printf, 1, 2))) static void take_line(const char *format, ...)
{
    char line[512];
    va_list arguments;

    va_start(arguments, format);
    must((size_t)vsnprintf(line, sizeof line, format, arguments) < sizeof line);
    va_end(arguments);
    must(!strchr(line, '\n'));
}

/* Each policy with and without places, as many workers as the letter says and as fit. */
static void lay_out(const struct wsfj_topology *t, const char *places, unsigned char policy, unsigned char workers)
{
    struct wsfj_places p = {.what = WSFJ_PLACES_UNSET};
    struct wsfj_placement l;

    (void)wsfj_places_parse(places, &p);
    must(wsfj_placement_places(&l, t, &p, (enum ws_bind)(WS_BIND_CLOSE + policy % 5)));

    unsigned room = wsfj_placement_room(&l, t, policy & 4);

    must(room > 0 && room <= t->num_threads);
    must(wsfj_placement_workers(&l, t, workers + 1u));
    check_layout(t, &l);
    must(wsfj_placement_workers(&l, t, room));
    check_layout(t, &l);
    wsfj_report_machine(take_line, t);
    wsfj_report_workers(take_line, t, &l);
    wsfj_placement_free(&l);
    wsfj_places_free(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_texts texts = fuzz_cut(data, size);
    const char *text = texts.n > 0 ? texts.at[0] : "", *places = texts.n > 1 ? texts.at[1] : "";
    unsigned char policy = texts.n > 2 ? (unsigned char)texts.at[2][0] : 0;
    unsigned char workers = texts.n > 2 && policy ? (unsigned char)texts.at[2][1] : 0;
    struct wsfj_topology t = {.units = NULL};
    bool ok = false;

    setenv("HWLOC_HIDE_ERRORS", "2", 1);
    if (*text == '<' && XML)
        ok = read_xml(&t, text);
    else if (*text != '<' && is_small(text))
        ok = wsfj_topology_read(&t, WSFJ_MACHINE_SYNTHETIC, text);
    if (ok) {
        must(!t.can_bind);
        check_machine(&t);
        lay_out(&t, places, policy, workers);
    }
    wsfj_topology_free(&t);
    fuzz_free(&texts);
    return 0;
}
