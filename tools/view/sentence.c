/* SPDX-License-Identifier: MIT */
#include "sentence.h"

#include "put.h"

#include <inttypes.h>
#include <string.h>

static bool is(const char *word, size_t length, const char *text)
{
    return strlen(text) == length && strncmp(word, text, length) == 0;
}

static const uint32_t *number_of(const struct view_row *row, const char *word, size_t length, const struct view_words *w)
{
    for (int i = 0; i < 3 && row->keys[i]; i++) {
        if (is(word, length, row->keys[i]))
            return &w->numbers[i];
    }
    return NULL;
}

/* What stands in braces. */
static void put_word(FILE *out, const struct view_row *row, const char *word, size_t length, const struct view_words *w)
{
    const uint32_t *number = number_of(row, word, length, w);

    if (is(word, length, "task")) {
        view_put_plain(out, w->task ? w->task : "a task");
        fprintf(out, " on stack %" PRIu32, w->stack);
    } else if (is(word, length, "name")) {
        view_put_plain(out, w->name);
    } else if (is(word, length, "children") && w->children) {
        fprintf(out, "%" PRIu32 " %s", w->children, w->children == 1 ? "child" : "children");
    } else if (is(word, length, "children")) {
        fputs("children", out);
    } else if (is(word, length, "tasks") && *number == 1 && w->stolen) {
        view_put_plain(out, w->stolen);
    } else {
        fprintf(out, "%" PRIu32, number ? *number : w->stack);
        if (is(word, length, "tasks"))
            fputs(*number == 1 ? " task" : " tasks", out);
    }
}

void view_sentence(FILE *out, enum view_event event, const struct view_words *words)
{
    const struct view_row *row = &view_rows[event];
    const char *text = row->text;

    putc(' ', out);
    while (*text) {
        size_t plain = strcspn(text, "{");

        fwrite(text, 1, plain, out);
        text += plain;
        if (*text) {
            size_t length = strcspn(++text, "}");

            put_word(out, row, text, length, words);
            text += length + 1;
        }
    }
}
