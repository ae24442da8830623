/* SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "config/places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char heard[1 << 16];
static size_t length;
static bool listens;

ssize_t __real_write(int fd, const void *text, size_t n);
ssize_t __wrap_write(int fd, const void *text, size_t n);

ssize_t __wrap_write(int fd, const void *text, size_t n)
{
    if (fd != STDERR_FILENO || !listens)
        return __real_write(fd, text, n);
    must(n < sizeof heard - length);
    memcpy(heard + length, text, n);
    length += n;
    return (ssize_t)n;
}

void fuzz_listen(void)
{
    length = 0;
    listens = true;
}

const char *fuzz_heard(void)
{
    listens = false;
    heard[length] = '\0';
    must(strlen(heard) == length);
    return heard;
}

void fuzz_fail(const char *what, const char *file, int line)
{
    listens = false;
    heard[length] = '\0';
    fprintf(stderr, "%s:%d: does not hold: %s; the library said: %s\n", file, line, what, heard);
    abort();
}

unsigned fuzz_lines(const char *text)
{
    static const char prefix[] = "libwsfj: ";
    unsigned lines = 0;

    for (const char *end; *text; text = end + 1, lines++) {
        end = strchr(text, '\n');
        must(end && strncmp(text, prefix, sizeof prefix - 1) == 0);
        for (const char *c = text; c < end; c++)
            must((unsigned char)*c >= ' ' && *c != '\x7f');
    }
    return lines;
}

struct fuzz_texts fuzz_cut(const uint8_t *data, size_t size)
{
    struct fuzz_texts texts = {.n = 0};

    for (size_t start = 0; start < size && texts.n < FUZZ_TEXTS;) {
        const uint8_t *zero = memchr(data + start, 0, size - start);
        size_t n = (zero ? (size_t)(zero - data) : size) - start;
        char *text = malloc(n + 1);

        must(text);
        memcpy(text, data + start, n);
        text[n] = '\0';
        texts.at[texts.n++] = text;
        start += n + 1;
    }
    return texts;
}

void fuzz_free(struct fuzz_texts *texts)
{
    while (texts->n)
        free(texts->at[--texts->n]);
}

void fuzz_check_places(const struct wsfj_places *p)
{
    unsigned start = 0;

    must(p->what <= WSFJ_PLACES_LIST && p->most <= WSFJ_PLACES_CPUS && p->count <= WSFJ_PLACES_COUNT);
    must((p->what == WSFJ_PLACES_LIST) == (p->count > 0));
    must(p->what != WSFJ_PLACES_UNSET || !p->most);
    for (unsigned i = 0; i < p->count; start = p->end[i++]) {
        must(p->end[i] > start && p->end[i] <= WSFJ_PLACES_MEMBERS);
        for (unsigned j = start; j < p->end[i]; j++)
            must(p->cpu[j] < WSFJ_PLACES_CPUS && (j == start || p->cpu[j - 1] < p->cpu[j]));
    }
}

bool fuzz_same_places(const struct wsfj_places *a, const struct wsfj_places *b)
{
    if (a->what != b->what || a->most != b->most || a->count != b->count)
        return false;
    return !a->count || (memcmp(a->end, b->end, a->count * sizeof *a->end) == 0 &&
                         memcmp(a->cpu, b->cpu, a->end[a->count - 1] * sizeof *a->cpu) == 0);
}
