/* SPDX-License-Identifier: MIT */
/*
 * The text of a places setting (lib/config/places.h). Catches: a reader that runs off the text or its arrays, does not end, or
 * forgets memory; a list that is not in order or too long; a value that is changed by a text that is refused; blanks and
 * case that matter; a list that says something else when it is written out.
 */
#include "fuzz.h"

#include "config/places.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char fuzz_name[] = "places";
const bool fuzz_memory_is_ours = true;

/* The same with a blank at each sign, and large letters. */
static char *spaced(const char *text)
{
    char *copy = malloc(3 * strlen(text) + 1), *to = copy;

    must(copy);
    for (; *text; text++) {
        bool sign = strchr("{}():,!-", *text) != NULL;

        if (sign)
            *to++ = ' ';
        *to++ = (char)toupper((unsigned char)*text);
        if (sign)
            *to++ = '\t';
    }
    *to = '\0';
    return copy;
}

/* Longer lists would only cost time. */
#define WRITTEN_MOST 4096u

/* A list of numbers in braces. */
static char *written_out(const struct wsfj_places *p)
{
    size_t room = 8 * (size_t)(p->end[p->count - 1] + p->count) + 1, used = 0;
    char *text = malloc(room);

    must(text);
    for (unsigned i = 0, start = 0; i < p->count; start = p->end[i++])
        for (unsigned j = start; j < p->end[i]; j++)
            used += (size_t)snprintf(text + used, room - used, "%s%u%s",
                                     j > start ? ","
                                     : i       ? ",{"
                                               : "{",
                                     p->cpu[j], j + 1 < p->end[i] ? "" : "}");
    return text;
}

/* Parses `text`, which is given up, and expects the same. */
static void expect(char *text, bool ok, const struct wsfj_places *p)
{
    struct wsfj_places again = {.what = WSFJ_PLACES_UNSET};

    must(wsfj_places_parse(text, &again) == ok);
    must(fuzz_same_places(&again, p));
    wsfj_places_free(&again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wsfj_places p = {.what = WSFJ_PLACES_UNSET};
    struct fuzz_texts texts = fuzz_cut(data, size);

    for (size_t i = 0; i < texts.n; i++) {
        struct wsfj_places before = p; /* its arrays are gone if the text is taken */

        errno = 0;

        bool ok = wsfj_places_parse(texts.at[i], &p);

        must(errno == 0);
        must(ok || memcmp(&before, &p, sizeof p) == 0);
        must(!ok || p.what != WSFJ_PLACES_UNSET);
        fuzz_check_places(&p);
        expect(spaced(texts.at[i]), ok, ok ? &p : &(struct wsfj_places){.what = WSFJ_PLACES_UNSET});
        if (ok && p.what == WSFJ_PLACES_LIST && p.end[p.count - 1] <= WRITTEN_MOST)
            expect(written_out(&p), true, &p);
    }
    wsfj_places_free(&p);
    must(p.what == WSFJ_PLACES_UNSET && !p.end && !p.cpu);
    fuzz_free(&texts);
    return 0;
}
