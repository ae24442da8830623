/* SPDX-License-Identifier: MIT */
/*
 * A ws_config of any bytes: the structure as it lies in memory, then the text that `places` points to if it is not null.
 * Catches: a field that is read though `size` says that it is not there; an impossible value that is taken, or refused
 * without one line that names the field; a possible one that is refused, or goes elsewhere.
 */
#include "fuzz.h"

#include "config/settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

const char fuzz_name[] = "config";
const bool fuzz_memory_is_ours = true;

/* `size` bytes that end where a page begins that cannot be read. */
static char *at_the_edge(size_t size)
{
    static char *pages;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    if (!pages) {
        pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        must(pages != MAP_FAILED && mprotect(pages + page, page, PROT_NONE) == 0);
    }
    return pages + page - size;
}

static bool at_most(unsigned value, unsigned most)
{
    return value <= most;
}

/* What wsfj.h says of the numbers. */
static bool possible(const ws_config *c)
{
    return c->num_workers <= 4096 && at_most(c->bind, WS_BIND_AUTO) &&
           (c->stack_size == 0 || (c->stack_size >= 65536 && c->stack_size <= 68719476736)) &&
           (c->spin_us == WS_SPIN_DEFAULT || c->spin_us == WS_SPIN_FOREVER ||
            (c->spin_us >= 0 && c->spin_us <= 1000000000)) &&
           (c->max_spares == WS_SPARES_DEFAULT || (c->max_spares >= 0 && c->max_spares <= 4096)) &&
           c->max_pending <= 1073741824;
}

static void check_taken(const ws_config *c)
{
    const struct wsfj_settings *s = &wsfj_settings;
    size_t stack = c->stack_size ? c->stack_size : (size_t)8 << 20;

    must(s->num_workers == c->num_workers);
    must(s->bind == (c->bind ? c->bind : WS_BIND_CLOSE));
    must(s->stack_size >= stack && s->stack_size - stack < (size_t)sysconf(_SC_PAGESIZE));
    must(s->spin_ns == (c->spin_us == WS_SPIN_FOREVER   ? WSFJ_FOREVER
                        : c->spin_us == WS_SPIN_DEFAULT ? 50000
                                                        : (uint64_t)c->spin_us * 1000));
    must(s->max_stacks == c->max_stacks);
    must(s->max_pending == (c->max_pending ? c->max_pending : 65536));
    must(s->max_spares == (c->max_spares == WS_SPARES_DEFAULT ? 256 : (size_t)c->max_spares));
    must(s->poll == c->poll && s->poll_arg == c->poll_arg);
    must((s->from[WSFJ_SET_WORKERS] == WSFJ_FROM_API) == (c->num_workers != 0));
    must((s->from[WSFJ_SET_PLACES] == WSFJ_FROM_API) == (c->places != NULL));
}

static void check(const ws_config *c, const ws_config *whole)
{
    struct wsfj_places places = {.what = WSFJ_PLACES_UNSET};
    bool fits = whole->size >= sizeof *whole;
    bool good = fits && possible(whole) && (!whole->places || wsfj_places_parse(whole->places, &places));

    fuzz_listen();

    int error = wsfj_settings_read(c);
    const char *heard = fuzz_heard();

    must(error == (good ? 0 : EINVAL));
    must(fuzz_lines(heard) == !good);
    if (good) {
        check_taken(whole);
        must(fuzz_same_places(&wsfj_settings.places, &places));
    } else {
        must(strncmp(heard, "libwsfj: invalid value ws_config.", sizeof "libwsfj: invalid value ws_config." - 1) == 0);
        must(fits || strstr(heard, "ws_config.size"));
    }
    wsfj_places_free(&places);
    wsfj_places_free(&wsfj_settings.places);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *none = NULL, **saved = environ;
    struct fuzz_texts texts = {.n = 0};
    ws_config c = {.size = 0};

    memcpy(&c, data, size < sizeof c ? size : sizeof c);
    if (size > sizeof c)
        texts = fuzz_cut(data + sizeof c, size - sizeof c);
    if (c.places)
        c.places = texts.n ? texts.at[0] : "";

    size_t there = c.size >= sizeof c ? sizeof c : sizeof c.size; /* more is not ours */

    environ = &none;
    check(memcpy(at_the_edge(there), &c, there), &c);
    environ = saved;
    fuzz_free(&texts);
    return 0;
}
