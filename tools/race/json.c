/* SPDX-License-Identifier: MIT */
/* Reports as one JSON object: races (an array), suppressed, regions, spawns. */
#include "report.h"

static void put_string(FILE *f, const char *s)
{
    (void)fputc('"', f);
    for (; *s; s++)
        if (*s == '"' || *s == '\\')
            (void)fprintf(f, "\\%c", *s);
        else if ((unsigned char)*s < 0x20)
            (void)fprintf(f, "\\u%04x", (unsigned)*s);
        else
            (void)fputc(*s, f);
    (void)fputc('"', f);
}

static void put_name(FILE *f, const char *key, const char *s)
{
    (void)fprintf(f, "\"%s\":", key);
    if (s)
        put_string(f, s);
    else
        (void)fputs("null", f);
    (void)fputc(',', f);
}

static void put_place(FILE *f, const struct place *p)
{
    put_name(f, "function", p->function);
    put_name(f, "file", p->file);
    (void)fprintf(f, "\"line\":%u", p->line);
}

static void put_side(FILE *f, const struct side *side)
{
    (void)fprintf(f, "{\"kind\":\"%s\",\"atomic\":%s,",
                  side->flags & WAS_FREE ? "free"
                  : side->kind == WRITE  ? "write"
                                         : "read",
                  side->flags & WAS_ATOMIC ? "true" : "false");
    put_place(f, &side->at);
    (void)fputs(",\"spawns\":[", f);
    for (size_t i = 0; i < side->n_steps; i++) {
        const struct step *s = &side->steps[i];

        (void)fputs(i ? ",{" : "{", f);
        put_name(f, "what", s->what);
        put_name(f, "task", s->task);
        put_name(f, "file", s->at.file);
        (void)fprintf(f, "\"line\":%u,\"times\":%u}", s->at.line, s->times);
    }
    (void)fputs("],\"stack\":[", f);
    for (size_t i = 0; i < side->n_stack; i++) {
        (void)fputs(i ? ",{" : "{", f);
        put_place(f, &side->stack[i]);
        (void)fputc('}', f);
    }
    (void)fputs("]}", f);
}

void race_json(FILE *f, const struct report *r)
{
    (void)fputs(r->number == 1 ? "{\"races\":[\n{" : ",\n{", f);
    put_name(f, "title", r->title);
    put_name(f, "location", r->location);
    (void)fprintf(f, "\"size\":%zu,\"earlier\":", r->size);
    put_side(f, &r->earlier);
    (void)fputs(",\"later\":", f);
    if (r->has_later)
        put_side(f, &r->later);
    else
        (void)fputs("null", f);
    (void)fputc('}', f);
}

void race_json_end(FILE *f, unsigned long races, unsigned long suppressed)
{
    (void)fprintf(f, "%s],\"suppressed\":%lu,\"regions\":%llu,\"spawns\":%llu}\n", races ? "\n" : "{\"races\":[",
                  suppressed, (unsigned long long)race.regions, (unsigned long long)race.spawns);
}
