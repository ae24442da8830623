/* SPDX-License-Identifier: MIT */
/* Reports as text. */
#include "report.h"

#include <string.h>

static void put_place(FILE *f, const struct place *p)
{
    if (p->function)
        (void)fprintf(f, "%s at ", p->function);
    if (p->file && p->line)
        (void)fprintf(f, "%s:%u", p->file, p->line);
    else if (p->file)
        (void)fprintf(f, "%s", p->file);
    else
        (void)fputs("a place without a line (compile with -g)", f);
}

static void put_side(FILE *f, const char *when, const struct side *side)
{
    (void)fprintf(f, "  %s %s%s %s", when, side->flags & WAS_ATOMIC ? "atomic " : "",
                  side->flags & WAS_FREE ? "free"
                  : side->kind == WRITE  ? "write"
                                         : "read",
                  side->at.stores_result ? "of " : "by ");
    if (side->at.stores_result) {
        (void)fprintf(f, "the result of %s", side->n_steps && side->steps[0].task ? side->steps[0].task : "a child");
        if (side->at.file && side->at.function && !strchr(side->at.function, ':')) /* not of the headers for C++ */
            (void)fprintf(f, " at %s:%u", side->at.file, side->at.line);
    } else {
        put_place(f, &side->at);
    }
    (void)fputc('\n', f);
}

static void put_steps(FILE *f, const struct side *side)
{
    for (size_t i = 0; i < side->n_steps; i++) {
        const struct step *s = &side->steps[i];

        (void)fprintf(f, "    in %s %s, %s at %s:%u", s->what, s->task ? s->task : "",
                      s->what[0] == 's'   ? "submitted"
                      : s->what[0] == 'i' ? "defined"
                                          : "spawned",
                      s->at.file ? s->at.file : "?", s->at.line);
        if (s->times > 1)
            (void)fprintf(f, " (%u times)", s->times);
        (void)fputc('\n', f);
    }
    if (side->cut)
        (void)fputs("    ...\n", f);
}

static int same(const struct place *a, const struct place *b)
{
    return a->line == b->line && a->file == b->file && a->function == b->function;
}

/* Equal lines of a recursion become one. */
static void put_stack(FILE *f, const struct side *side)
{
    for (size_t i = 0, times; i < side->n_stack; i += times) {
        for (times = 1; i + times < side->n_stack && same(&side->stack[i], &side->stack[i + times]);)
            times++;
        (void)fprintf(f, "    #%zu ", i);
        put_place(f, &side->stack[i]);
        if (times > 1)
            (void)fprintf(f, " (%zu times)", times);
        (void)fputc('\n', f);
    }
}

void race_text(FILE *f, const struct report *r)
{
    (void)fprintf(f, "wsfj-race: race %lu: %s\n  %zu byte%s of %s\n", r->number, r->title, r->size,
                  r->size == 1 ? "" : "s", r->location);
    put_side(f, "earlier", &r->earlier);
    put_steps(f, &r->earlier);
    put_stack(f, &r->earlier);
    if (r->has_later)
        put_side(f, "later", &r->later);
    else
        (void)fputs("  later the task returns\n", f);
    put_steps(f, &r->later);
    put_stack(f, &r->later);
    (void)fflush(f);
}
