/* SPDX-License-Identifier: MIT */
/* Notes places: none in what is silent, and which words have a meaning. */
#include "reader.h"

#include <string.h>

/* Calls in which nothing is noted, and which are not left out. */
static const char *const silent[] = {
    "wsfj_assert",  "assert",     "_Static_assert",  "static_assert",  "wsfj_say",      "wsfj_print",
    "wsfj_misused", "WSFJ_EVENT", "WSFJ_COUNT",      "WSFJ_COUNT_ONE", "WSFJ_SHOW",     "WSFJ_FOREIGN",
    "WSFJ_PROBE",   "wsfj_chaos", "wsfj_chaos_seed", "wsfj_chaos_too", "wsfj_failpoint"};

static const char *const keywords[] = {"if",   "else",   "while", "for",   "do",       "switch",
                                       "case", "return", "goto",  "break", "continue", "default"};

static const char *const types[] = {"const", "volatile", "static", "extern", "register", "struct", "enum",
                                    "union", "unsigned", "signed", "int",    "char",     "short",  "long",
                                    "void",  "bool",     "float",  "double", "_Bool",    "_Atomic"};

/* True if the tokens are a silent call, with or without signs beside it. */
static bool is_silent(const struct reader *r, struct span span)
{
    const struct token *tokens = r->t->tokens;

    while (span.first < span.last && tokens[span.first].kind == SIGN)
        span.first++;
    return reader_is_silent(r, &tokens[span.first]) && tokens[span.first + 1].other + 2 >= span.last;
}

void reader_note(struct reader *r, const char *rule, struct span span, const char *now, const struct span *context)
{
    const struct token *tokens = r->t->tokens;
    struct places *p = r->out;
    uint64_t hash = text_hash(r->t, 0, &r->function->name, &r->function->name + 1);

    if (r->quiet || span.first >= span.last || is_silent(r, span))
        return;
    for (const char *c = rule; *c; c++)
        hash = text_mix(hash, (unsigned char)*c);
    for (const char *c = now; *c; c++)
        hash = text_mix(hash, (unsigned char)*c);
    context = context ? context : &span;
    p->at = room_for(p->at, p->n, 1, sizeof *p->at);
    p->at[p->n] = (struct place){.function = r->function,
                                 .rule = rule,
                                 .ordinal = (unsigned)p->n,
                                 .hash = text_hash(r->t, hash, &tokens[context->first], &tokens[context->last]),
                                 .begin = tokens[span.first].begin,
                                 .end = tokens[span.last - 1].end,
                                 .now = now};
    p->n++;
}

void reader_condition(struct reader *r, struct span span, bool loops)
{
    const struct token *first = &r->t->tokens[span.first];
    bool calls = false;
    bool constant = span.last - span.first == 1 &&
                    (first->kind == NUMBER || text_is(r->t, first, "true") || text_is(r->t, first, "false"));

    if (r->stuck || constant)
        return;
    reader_note(r, "turn", span, "!($)", NULL);
    if (!loops)
        reader_note(r, "drop-condition", span, "1", NULL);
    reader_note(r, "drop-condition", span, "0", NULL);
    for (size_t i = span.first; i < span.last; i++)
        calls = calls || text_is(r->t, &r->t->tokens[i], "(");
    if (!calls)
        return;
    if (!loops)
        reader_note(r, "drop-condition", span, "(($), 1)", NULL);
    reader_note(r, "drop-condition", span, "(($), 0)", NULL);
}

void reader_skip_brackets(struct reader *r)
{
    size_t other = look(r, 0)->other;

    r->at = other > r->at ? other + 1 : r->at + 1;
}

bool reader_is_silent(const struct reader *r, const struct token *token)
{
    return AMONG(r, token, silent);
}

bool reader_is_keyword(const struct reader *r, const struct token *token)
{
    return AMONG(r, token, keywords);
}

bool reader_is_type(const struct reader *r, const struct token *token)
{
    return AMONG(r, token, types);
}

bool reader_is_constant(const struct reader *r, const struct token *value)
{
    return text_is(r->t, value, "true") || text_is(r->t, value, "false") || text_is(r->t, value, "NULL") ||
           text_is_error(r->t, value);
}

void reader_result(struct reader *r, struct span span)
{
    const struct token *value = &r->t->tokens[span.first];

    /* A number and a constant have been noted as operands. */
    if (span.last - span.first == 1 && (value->kind != WORD || reader_is_constant(r, value)))
        return;
    reader_note(r, "result", span, "0", NULL);
    reader_note(r, "result", span, "1", NULL);
}
