/* SPDX-License-Identifier: MIT */
/*
 * Finds a source file's functions: the layout is that of .clang-format, in which a function's outer braces, and no others
 * that follow a parenthesis, stand in the first column. Of the preprocessor's lines only #define counts; of alternatives
 * under #if, all.
 */
#include "mutate.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_function(struct text *t, size_t name, size_t first, bool macro)
{
    t->functions = room_for(t->functions, t->num_functions, 1, sizeof *t->functions);
    t->functions[t->num_functions++] = (struct function){t->tokens[name], first, macro};
}

/* A macro's replacement; [at, end) is what follows #define. */
static void add_macro(struct text *t, size_t at, size_t end)
{
    size_t name = t->num_tokens, first = name + 1;

    text_cut(t, at, end);
    if (t->tokens[name].kind != WORD)
        return;
    if (text_is(t, &t->tokens[first], "(") && t->tokens[first].begin == t->tokens[name].end && t->tokens[first].other)
        first = t->tokens[first].other + 1;
    add_function(t, name, first, true);
}

static bool is_upper(const struct text *t, const struct token *token)
{
    for (size_t i = token->begin; i < token->end; i++)
        if (islower((unsigned char)t->bytes[i]))
            return false;
    return true;
}

/*
 * The name in a function's head, the tokens from `first` on: the first word before a parenthesis. If that is a macro such
 * as WS_TASK_VOID(name, ...) or WS_TASK(int, name, ...): the first word in its parentheses that a comma follows, and that
 * is no type.
 */
static size_t name_in(const struct text *t, size_t first)
{
    size_t macro = 0;

    for (size_t i = first; t->tokens[i].kind != END && t->tokens[i + 1].kind != END; i++) {
        if (t->tokens[i].kind != WORD || !text_is(t, &t->tokens[i + 1], "("))
            continue;
        if (!is_upper(t, &t->tokens[i]) && !text_is(t, &t->tokens[i], "__attribute__"))
            return i;
        if (is_upper(t, &t->tokens[i]) && !macro)
            macro = i;
        i = t->tokens[i + 1].other ? t->tokens[i + 1].other : i;
    }
    if (!macro)
        return 0;
    for (size_t i = macro + 2; i < t->tokens[macro + 1].other; i++) {
        if (t->tokens[i].kind == WORD && (text_is(t, &t->tokens[i - 1], "(") || text_is(t, &t->tokens[i - 1], ",")) &&
            !text_is(t, &t->tokens[i], "int") && !text_is(t, &t->tokens[i], "long") &&
            (text_is(t, &t->tokens[i + 1], ",") || text_is(t, &t->tokens[i + 1], ")")))
            return i;
    }
    return macro;
}

/* The function whose outer brace is at `at`; its head begins at `head`. Returns its end. */
static size_t add_body(struct text *t, size_t head, size_t at)
{
    const char *stop = strstr(t->code + at, "\n}");
    size_t end = stop ? (size_t)(stop - t->code) + 2 : t->size, begin = t->num_tokens, name, first;

    text_cut(t, head, at);
    name = name_in(t, begin);
    first = t->num_tokens;
    text_cut(t, at, end);
    if (name)
        add_function(t, name, first, false);
    return end;
}

static void blank(struct text *t, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++)
        if (t->code[i] != '\n' && !(t->code[i] == '\\' && t->code[i + 1] == '\n'))
            t->code[i] = ' ';
}

static void blank_comments(struct text *t)
{
    for (size_t at = 0; at < t->size;) {
        const char *b = t->code + at, *end;

        if (*b == '"' || *b == '\'') {
            at = text_string_end(t, at);
        } else if (b[0] == '/' && (b[1] == '*' || b[1] == '/')) {
            end = b[1] == '*' ? strstr(b + 2, "*/") : strchr(b, '\n');
            end = !end ? t->code + t->size : b[1] == '*' ? end + 2 : end;
            blank(t, at, (size_t)(end - t->code));
            at = (size_t)(end - t->code);
        } else {
            at++;
        }
    }
}

/* Adds the macros, and blanks out all lines of the preprocessor. */
static void take_directives(struct text *t)
{
    for (size_t at = 0, end; at < t->size; at = end + 1) {
        size_t sign = at + strspn(t->code + at, " \t");

        for (end = at; end < t->size && t->code[end] != '\n'; end++)
            end += t->code[end] == '\\';
        if (t->code[sign] != '#')
            continue;
        sign += 1 + strspn(t->code + sign + 1, " \t");
        if (strncmp(t->code + sign, "define ", 7) == 0)
            add_macro(t, sign + 7, end);
        for (size_t i = at; i < end; i++)
            if (t->code[i] != '\n')
                t->code[i] = ' ';
    }
}

static int by_position(const void *a, const void *b)
{
    const struct function *x = a, *y = b;

    return x->name.begin < y->name.begin ? -1 : x->name.begin > y->name.begin;
}

static char *bytes_of(const char *file, size_t *size)
{
    FILE *stream = fopen(file, "r");
    char *bytes = NULL;
    size_t n = 0;

    if (!stream) {
        perror(file);
        exit(2);
    }
    for (int c; (c = getc(stream)) != EOF; n++) {
        bytes = room_for(bytes, n, 2, 1);
        bytes[n] = (char)c;
    }
    fclose(stream);
    bytes = room_for(bytes, n, 2, 1);
    bytes[n] = bytes[n + 1] = 0;
    *size = n;
    return bytes;
}

struct text text_read(const char *file)
{
    struct text t = {.file = file};

    t.bytes = bytes_of(file, &t.size);
    t.code = bytes_of(file, &t.size);
    blank_comments(&t);
    take_directives(&t);
    for (size_t at = 0, head = 0; at < t.size; at++) {
        if (t.code[at] == ';' || t.code[at] == '}')
            head = at + 1;
        else if (t.code[at] == '{' && at > 0 && t.code[at - 1] == '\n')
            head = at = add_body(&t, head, at);
    }
    text_cut(&t, t.size, t.size); /* so many may be looked at behind one that is none */
    text_cut(&t, t.size, t.size);
    if (t.num_functions)
        qsort(t.functions, t.num_functions, sizeof *t.functions, by_position);
    return t;
}

void text_free(struct text *t)
{
    free(t->bytes);
    free(t->code);
    free(t->tokens);
    free(t->functions);
}
