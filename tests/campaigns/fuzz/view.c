/* SPDX-License-Identifier: MIT */
/*
 * A file for wsfj-view: a trace or a profile (tools/view). Catches: a reader that runs off the file or its arrays, does not
 * end, or forgets memory; a file that is refused in silence, or with a line that moves a cursor; a name that leaves its
 * place in a page or picture; numbers that break what is drawn.
 */
#include "fuzz.h"

#include "check.h"
#include "join.h"
#include "profile.h"
#include "put.h"
#include "show.h"

#include <stdlib.h>
#include <string.h>

const char fuzz_name[] = "view";
const bool fuzz_memory_is_ours = true;

static char title[] = "a <b> & \"c\"";

static unsigned count(const char *text, const char *piece)
{
    unsigned n = 0;

    for (const char *c = text; (c = strstr(c, piece)) != NULL; c++)
        n++;
    return n;
}

/* What one of the ways to show it writes. */
struct page {
    char *text;
    size_t size;
    FILE *file;
};

static void begin(struct page *page)
{
    *page = (struct page){.text = NULL};
    page->file = open_memstream(&page->text, &page->size);
    must(page->file);
}

/* UTF-8 through and through, and no control characters but the ends of lines. */
static void check_characters(const char *text)
{
    for (size_t n; *text; text += n) {
        n = *text == '\n' ? 1 : view_character(text);
        must(n > 0);
    }
}

/* `scripts`: how many elements of that name it has itself. */
static void end(struct page *page, bool is_markup, unsigned scripts)
{
    must(fclose(page->file) == 0 && strlen(page->text) == page->size);
    check_characters(page->text);
    if (is_markup) {
        must(count(page->text, "</script") == scripts && count(page->text, "<script") == scripts);
        must(count(page->text, "<svg") == count(page->text, "</svg>") &&
             count(page->text, "<text") == count(page->text, "</text>"));
    }
    free(page->text);
}

static void show_trace(const struct view_trace *trace)
{
    struct view_advice advice;
    struct view_sums sums;
    struct page page;

    must(view_sums_make(&sums, trace));
    view_advise(&advice, &sums);
    must(advice.count >= 1 && advice.count <= VIEW_ADVICE_MOST);
    begin(&page);
    view_show_html(page.file, &sums, &advice, title);
    end(&page, true, 2);
    begin(&page);
    view_show_svg(page.file, &sums, &advice, title);
    end(&page, true, 0);
    begin(&page);
    view_show_text(page.file, &sums, &advice, title);
    end(&page, false, 0);
    view_sums_free(&sums);
    begin(&page);
    must(view_show_log(page.file, trace));
    end(&page, false, 0);
}

static void show_profile(const struct view_profile *profile)
{
    struct page page;

    begin(&page);
    view_profile_html(page.file, profile, title);
    end(&page, true, 0);
    begin(&page);
    view_profile_svg(page.file, profile, title);
    end(&page, true, 0);
    begin(&page);
    view_profile_text(page.file, profile, title);
    end(&page, false, 0);
}

/* The trace joined with that of rank 1, which is made of the same bytes. Frees it. What is odd is told on stderr. */
static void show_joined(struct view_trace *trace, const uint8_t *data, size_t size)
{
    static const char rank[] = "MPI rank 0 of";
    struct view_source source = {.name = "other", .size = size, .room = size, .bytes = malloc(size)};
    struct view_part parts[2] = {{"input", *trace}, {.name = "other"}};
    struct view_trace joined = {0};

    must(source.bytes);
    memcpy(source.bytes, data, size);
    if (!memmem(data, size, rank, sizeof rank - 1)) { /* the same trace twice would be refused */
        view_source_free(&source);
        return;
    }
    for (char *at = source.bytes; (at = memmem(at, size - (size_t)(at - source.bytes), rank, sizeof rank - 1)) != NULL;
         at++)
        at[9] = '1';
    if (view_trace_read(&parts[1].trace, &source) && view_join(&joined, parts, 2))
        show_trace(&joined);
    *trace = (struct view_trace){0};
    view_trace_free(&parts[0].trace);
    view_trace_free(&parts[1].trace);
    view_trace_free(&joined);
    view_source_free(&source);
}

/* One line, if and only if it is refused. */
static void check_error(const struct view_source *source, bool ok)
{
    must(ok == (source->error[0] == '\0'));
    must(!strchr(source->error, '\n'));
    check_characters(source->error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct view_source source = {.name = "input", .size = size, .room = size, .bytes = malloc(size ? size : 1)};

    must(source.bytes);
    if (size == 0) { /* view_source_read() refuses it */
        view_source_free(&source);
        return 0;
    }
    memcpy(source.bytes, data, size);
    if (view_profile_is(&source)) {
        struct view_profile profile;
        bool ok = view_profile_read(&profile, &source);

        check_error(&source, ok);
        if (ok)
            show_profile(&profile);
        view_profile_free(&profile);
    } else {
        struct view_trace trace;
        bool ok = view_trace_read(&trace, &source);

        check_error(&source, ok);
        if (ok) {
            check_error(&source, view_check(&trace, &source));
            show_trace(&trace);
            show_joined(&trace, data, size);
        }
        view_trace_free(&trace);
    }
    view_source_free(&source);
    return 0;
}
