/* SPDX-License-Identifier: MIT */
/* Reads the operands of an expression. What is none, such as a type among a macro's arguments, has no places. */
#include "reader.h"

#include <string.h>

/* What stands in their parentheses is no expression, or is not computed. */
static const char *const opaque[] = {"__asm__",  "asm",           "sizeof",   "__alignof__", "_Alignof",
                                     "_Alignas", "__attribute__", "offsetof", "_Generic",    "__builtin_offsetof"};

/* An operand. */
static void constant(struct reader *r, struct span span)
{
    const struct token *value = &r->t->tokens[span.first];

    if (text_is(r->t, value, "true") || text_is(r->t, value, "false")) {
        reader_note(r, "result", span, text_is(r->t, value, "true") ? "false" : "true", NULL);
    } else if (text_is_error(r->t, value)) {
        reader_note(r, "result", span, text_is(r->t, value, "EAGAIN") ? "ENOMEM" : "EAGAIN", NULL);
        reader_note(r, "result", span, "0", NULL);
    }
}

void reader_value(struct reader *r)
{
    size_t first;

    take(r, "=");
    first = r->at;
    reader_assignment(r);
    if (!r->stuck && text_is(r->t, &r->t->tokens[first - 1], "=") && !text_is(r->t, &r->t->tokens[first], "{"))
        reader_result(r, (struct span){first, r->at});
}

/* What stands between braces behind `=` or a type: values, with or without names. */
static void braces(struct reader *r)
{
    size_t end = look(r, 0)->other;

    for (r->at++; r->at < end && !r->stuck;) {
        if (is(r, ".") && look(r, 1)->kind == WORD)
            r->at += 2;
        else if (is(r, "["))
            reader_skip_brackets(r);
        else if (!take(r, ","))
            reader_value(r);
    }
    r->at = end + 1;
}

/* True if a type stands in the parentheses here, and a value behind them. */
static bool is_cast(const struct reader *r)
{
    size_t close = look(r, 0)->other;
    const struct token *first = look(r, 1), *last = &r->t->tokens[close - 1], *next = &r->t->tokens[close + 1];

    if (close < r->at + 2 || first->kind != WORD || next->kind == END)
        return false;
    for (const struct token *i = first; i <= last; i++)
        if (i->kind != WORD && !text_is(r->t, i, "*"))
            return false;
    if (next->kind == SIGN && !strchr("(&*-+!~{", r->t->bytes[next->begin]))
        return false;
    return reader_is_type(r, first) || text_is(r->t, last, "*") ||
           (last->end - last->begin > 2 && memcmp(r->t->bytes + last->end - 2, "_t", 2) == 0) ||
           (first == last && (next->kind != SIGN || text_is(r->t, next, "(") || text_is(r->t, next, "{")));
}

/* What follows an operand that begins at `first`. */
static void postfix(struct reader *r, size_t first)
{
    for (;;) {
        if (is(r, "(") && look(r, 0)->other) {
            bool quiet = reader_is_silent(r, look(r, 0) - 1) || AMONG(r, look(r, 0) - 1, opaque);
            bool stores = text_begins(r->t, look(r, 0) - 1, "store_");
            size_t close = look(r, 0)->other;

            r->quiet += quiet;
            for (r->at++; r->at < close && !r->stuck;) {
                size_t value = r->at;

                reader_assignment(r);
                if (stores && r->at == close && !r->stuck)
                    reader_result(r, (struct span){value, close});
                if (!take(r, ",") && r->at < close)
                    r->at++;
            }
            r->quiet -= quiet;
            r->at = close + 1;
        } else if (is(r, "[") && look(r, 0)->other) {
            size_t close = look(r, 0)->other;

            r->at++;
            reader_expression(r);
            r->at = close + 1;
        } else if (is(r, ".") || is(r, "->")) {
            r->at += 2;
        } else if (is(r, "++") || is(r, "--")) {
            reader_note(r, "drop-term", (struct span){r->at, r->at + 1}, "", &(struct span){first, r->at + 1});
            r->at++;
        } else if (is(r, "##") || look(r, 0)->kind == STRING ||
                   (look(r, 0)->kind == WORD && !reader_is_keyword(r, look(r, 0)))) {
            r->at++;
        } else {
            return;
        }
    }
}

static void unary(struct reader *r)
{
    static const char *const left_out[] = {"!", "~", "-", "++", "--"}, *const others[] = {"&", "*", "+", "#"};
    size_t first = r->at;

    if (AMONG(r, look(r, 0), left_out)) {
        r->at++;
        unary(r);
        if (!r->stuck)
            reader_note(r, "drop-term", (struct span){first, first + 1}, "", &(struct span){first, r->at});
    } else if (AMONG(r, look(r, 0), others)) {
        r->at++;
        unary(r);
    } else if (is(r, "sizeof") && !text_is(r->t, look(r, 1), "(")) {
        r->at++;
        r->quiet++;
        unary(r);
        r->quiet--;
    } else if (is(r, "(") && look(r, 0)->other) {
        size_t close = look(r, 0)->other;

        if (is_cast(r)) {
            r->at = close + 1;
            if (is(r, "{") && look(r, 0)->other)
                braces(r);
            else
                unary(r);
        } else {
            r->at++;
            if (is(r, "{"))
                reader_statement(r);
            else
                reader_expression(r);
            r->at = close + 1;
        }
        postfix(r, first);
    } else if (is(r, "{") && look(r, 0)->other) {
        braces(r);
    } else if (look(r, 0)->kind == NUMBER &&
               !memchr(r->t->bytes + look(r, 0)->begin, '.', look(r, 0)->end - look(r, 0)->begin)) {
        r->at++;
        reader_note(r, "edge", (struct span){first, r->at}, "($ + 1)", NULL);
        reader_note(r, "edge", (struct span){first, r->at}, "($ - 1)", NULL);
    } else if (look(r, 0)->kind == WORD && reader_is_constant(r, look(r, 0))) {
        constant(r, (struct span){first, first + 1});
        r->at++;
    } else if (look(r, 0)->kind != SIGN && look(r, 0)->kind != END && !reader_is_keyword(r, look(r, 0))) {
        r->at++;
        postfix(r, first);
    } else {
        r->stuck = true; /* an operand is missing: this was no expression */
    }
}

/* From the loosest to the tightest. */
static const char *const levels[][5] = {
    {"||"},       {"&&"},     {"|"},          {"^"}, {"&"}, {"==", "!="}, {"<", ">", "<=", ">="},
    {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}};
enum { EQUALITY = 5, RELATION = 6, LEVELS = sizeof levels / sizeof levels[0] };

static bool at_level(const struct reader *r, size_t level)
{
    for (size_t i = 0; levels[level][i]; i++)
        if (is(r, levels[level][i]))
            return true;
    return false;
}

/* The comparison's sign is at `at`, and its operands from `begin` on. */
static void compare(struct reader *r, size_t begin, size_t at)
{
    static const char *const table[][3] = {{"==", "<=", ">="}, {"!=", "<", ">"},  {"<", "<=", ">"},
                                           {">", ">=", "<"},   {"<=", "<", ">="}, {">=", ">", "<="}};
    static const char *const turned[] = {"!=", "==", ">=", "<=", ">", "<"};
    const struct span sign = {at, at + 1}, left = {begin, at}, right = {at + 1, r->at}, both = {begin, r->at};
    size_t i = 0;

    while (!text_is(r->t, &r->t->tokens[at], table[i][0]))
        i++;
    reader_note(r, "turn", sign, turned[i], &both);
    reader_note(r, "edge", sign, table[i][1], &both);
    reader_note(r, i < 2 ? "edge" : "turn", sign, table[i][2], &both);
    reader_note(r, "edge", left, "($) + 1", &both);
    if (r->at - at > 2 || r->t->tokens[at + 1].kind != NUMBER)
        reader_note(r, "edge", right, "($) + 1", &both);
}

/* Operands with signs of the level between them. One operand may be left out, with the sign before it, or for the first one
 * that behind it. */
static void operands(struct reader *r, size_t level)
{
    size_t begin = r->at, before = r->out->n;
    bool first = true;

    if (level == LEVELS) {
        unary(r);
        return;
    }
    operands(r, level + 1);
    while (!r->stuck && at_level(r, level)) {
        size_t sign = r->at++;

        operands(r, level + 1);
        if (r->stuck)
            break;
        if (level == EQUALITY || level == RELATION) {
            compare(r, begin, sign);
        } else {
            if (first)
                reader_note(r, "drop-term", (struct span){begin, sign + 1}, "", NULL);
            reader_note(r, "drop-term", (struct span){sign, r->at}, "", NULL);
        }
        first = false;
    }
    if (r->stuck)
        r->out->n = before;
}

void reader_assignment(struct reader *r)
{
    static const char *const signs[] = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
    size_t first = r->at;

    operands(r, 0);
    if (is(r, "?")) {
        reader_condition(r, (struct span){first, r->at}, false);
        r->at++;
        reader_expression(r);
        if (take(r, ":"))
            reader_assignment(r);
    } else if (AMONG(r, look(r, 0), signs)) {
        size_t value = ++r->at;
        bool assigns = false;

        if (!text_is(r->t, look(r, 0) - 1, "="))
            reader_note(r, "drop-term", (struct span){value - 1, value}, "=", &(struct span){first, value});
        reader_assignment(r);
        if (r->stuck)
            return;
        for (size_t i = value; i < r->at; i++)
            assigns = assigns || text_is(r->t, &r->t->tokens[i], "=");
        if (AMONG(r, &r->t->tokens[first - 1], signs) || assigns)
            reader_note(r, "drop-term", (struct span){first, value}, "", NULL);
        reader_result(r, (struct span){value, r->at});
    }
}

void reader_expression(struct reader *r)
{
    do
        reader_assignment(r);
    while (!r->stuck && take(r, ","));
}
