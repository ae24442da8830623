/* SPDX-License-Identifier: MIT */
/* Reads a function's statements and notes the places of each rule. */
#include "reader.h"

#include <stdlib.h>
#include <string.h>

/* True if a declaration begins here: a type, or two words in a row, also with stars between. */
static bool declares(const struct reader *r)
{
    size_t i = 1;

    if (look(r, 0)->kind != WORD)
        return false;
    if (reader_is_type(r, look(r, 0)))
        return true;
    while (text_is(r->t, look(r, i), "*"))
        i++;
    return look(r, i)->kind == WORD && !reader_is_keyword(r, look(r, 0)) && !reader_is_keyword(r, look(r, i)) &&
           !text_is(r->t, look(r, i + 1), ")");
}

/* Up to its semicolon, or to the brace of a function's body in a macro. */
static void declaration(struct reader *r)
{
    while (look(r, 0)->kind != END && !is(r, ";") && !is(r, "{") && !is(r, "}")) {
        if (is(r, "=")) {
            r->stuck = false;
            reader_value(r);
        } else if (is(r, "(") || is(r, "[")) {
            reader_skip_brackets(r);
        } else {
            r->at++;
        }
    }
}

/* In parentheses, after if, while or switch: the condition. */
static void parentheses(struct reader *r, bool decides, bool loops)
{
    size_t close = look(r, 0)->other, first = r->at + 1;

    if (!is(r, "(") || !close)
        return;
    r->at++;
    r->stuck = false;
    if (close > first + 1 || look(r, 0)->kind == WORD) /* not for `while (0)` */
        reader_expression(r);
    if (decides)
        reader_condition(r, (struct span){first, close}, loops);
    r->at = close + 1;
}

static void for_loop(struct reader *r)
{
    size_t close = look(r, 0)->other, first;

    if (!is(r, "(") || !close)
        return;
    r->at++;
    r->stuck = false;
    if (declares(r))
        declaration(r);
    else if (!is(r, ";"))
        reader_expression(r);
    take(r, ";");
    first = r->at;
    if (!is(r, ";")) {
        reader_expression(r);
        reader_condition(r, (struct span){first, r->at}, true);
    }
    take(r, ";");
    first = r->at;
    if (r->at < close) {
        reader_expression(r);
        if (r->at == close)
            reader_note(r, "drop-statement", (struct span){first, close}, "", NULL);
    }
    r->at = close + 1;
    reader_statement(r);
}

static void jump(struct reader *r)
{
    size_t first = r->at++, value = r->at;

    if (is(r, ";")) {
        reader_note(r, "go-on", (struct span){first, r->at}, "", NULL);
    } else if (text_is(r->t, &r->t->tokens[first], "goto")) {
        r->at++;
        reader_note(r, "go-on", (struct span){first, r->at}, "", NULL);
    } else {
        r->stuck = false;
        reader_expression(r);
        if (!r->stuck && is(r, ";"))
            reader_result(r, (struct span){value, r->at});
        if (r->function->macro || look(r, 2)->kind != END)
            reader_note(r, "go-on", (struct span){first, r->at}, "", NULL);
    }
    take(r, ";");
}

static void simple(struct reader *r)
{
    size_t first = r->at;

    r->stuck = false;
    reader_expression(r);
    if (is(r, ";") && !r->stuck)
        reader_note(r, "drop-statement", (struct span){first, r->at}, "", NULL);
    if (!is(r, ";") && !is(r, "{") && !is(r, "}") && !reader_is_keyword(r, look(r, 0)) && look(r, 0)->kind != END)
        reader_skip_brackets(r);
    take(r, ";");
}

void reader_statement(struct reader *r)
{
    static const char *const jumps[] = {"return", "goto", "break", "continue"};
    size_t first = r->at;

    if (is(r, "{")) {
        size_t close = look(r, 0)->other;

        for (r->at++; r->at < close;)
            reader_statement(r);
        r->at = close > first ? close + 1 : r->at;
    } else if (take(r, "if")) {
        parentheses(r, true, false);
        reader_statement(r);
        if (take(r, "else"))
            reader_statement(r);
    } else if (take(r, "while")) {
        parentheses(r, true, true);
        reader_statement(r);
    } else if (take(r, "switch")) {
        parentheses(r, false, false);
        reader_statement(r);
    } else if (take(r, "do")) {
        reader_statement(r);
        if (take(r, "while"))
            parentheses(r, true, true);
        take(r, ";");
    } else if (take(r, "for")) {
        for_loop(r);
    } else if (is(r, "case") || is(r, "default")) {
        while (look(r, 0)->kind != END && !is(r, ":"))
            r->at++;
        take(r, ":");
        reader_note(r, "drop-condition", (struct span){first, r->at}, "", NULL);
    } else if (look(r, 0)->kind == WORD && text_is(r->t, look(r, 1), ":")) {
        r->at += 2;
    } else if (AMONG(r, look(r, 0), jumps)) {
        jump(r);
    } else if (declares(r)) {
        declaration(r);
        take(r, ";");
    } else if (!take(r, ";")) {
        simple(r);
    }
    r->at += r->at == first && look(r, 0)->kind != END;
}

/* By position; at the same one, as they were noted. */
static int by_position(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return x->ordinal < y->ordinal ? -1 : x->ordinal > y->ordinal;
}

/* Places of a rule in functions of one name. */
static bool count_together(const struct text *t, const struct place *x, const struct place *y)
{
    const struct token *a = &x->function->name, *b = &y->function->name;

    return strcmp(x->rule, y->rule) == 0 && a->end - a->begin == b->end - b->begin &&
           memcmp(t->bytes + a->begin, t->bytes + b->begin, a->end - a->begin) == 0;
}

/* Lines and ordinals. Where hashes are equal, each gets its own. */
static void number(const struct text *t, struct places *p)
{
    unsigned line = 1;
    size_t at = 0;

    if (p->n)
        qsort(p->at, p->n, sizeof *p->at, by_position);
    for (size_t i = 0; i < p->n; i++) {
        for (; at < p->at[i].begin; at++)
            line += t->bytes[at] == '\n';
        p->at[i].line = line;
    }
    for (size_t i = p->n; i-- > 0;) {
        struct place *here = &p->at[i];
        uint64_t equal = 0;

        here->ordinal = 1;
        for (size_t k = 0; k < i; k++) {
            here->ordinal += count_together(t, &p->at[k], here);
            equal += p->at[k].hash == here->hash;
        }
        here->hash = text_mix(here->hash, equal);
    }
}

struct places places_of(const struct text *t)
{
    struct places out = {NULL, 0};

    for (size_t i = 0; i < t->num_functions; i++) {
        struct reader r = {.t = t, .function = &t->functions[i], .out = &out, .at = t->functions[i].first};

        while (look(&r, 0)->kind != END)
            reader_statement(&r);
    }
    number(t, &out);
    return out;
}
