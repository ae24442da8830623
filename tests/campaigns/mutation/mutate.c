/* SPDX-License-Identifier: MIT */
/*
 * mutate list FILE...                        all mistakes: file, line, function, rule, ordinal, hash, proposed or -, change
 * mutate propose FILE...                     those that are proposed: at one place in five, by the hash
 * mutate apply FILE FUNCTION RULE ORDINAL    the file with this mistake
 */
#include "mutate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The bytes [begin, end), with one blank instead of several. */
static void print_short(const struct text *t, size_t begin, size_t end)
{
    bool blank = false;

    for (size_t i = begin; i < end; i++) {
        bool now = strchr(" \t\n\\", t->bytes[i]) != NULL;

        if (!now || !blank)
            putchar(now ? ' ' : t->bytes[i]);
        blank = now;
    }
}

static void print(const struct text *t, const struct place *p, bool is_proposed)
{
    const struct token *name = &p->function->name;

    printf("%s\t%u\t%.*s\t%s\t%u\t%016" PRIx64 "\t%s\t", t->file, p->line, (int)(name->end - name->begin),
           t->bytes + name->begin, p->rule, p->ordinal, p->hash, is_proposed ? "proposed" : "-");
    print_short(t, p->begin, p->end);
    fputs(" -> ", stdout);
    for (const char *c = p->now; *c; c++)
        if (*c == '$')
            print_short(t, p->begin, p->end);
        else
            putchar(*c);
    putchar('\n');
}

/* Of the mistakes with the same bytes, the one with the least hash; of these, one in five. */
static bool proposed(const struct places *places, size_t i)
{
    const struct place *all = places->at, *p = &all[i];
    size_t first = i;

    while (first > 0 && all[first - 1].begin == p->begin)
        first--;
    for (size_t k = first; k < places->n && all[k].begin == p->begin; k++)
        if (all[k].end == p->end && all[k].hash < p->hash)
            return false;
    return p->hash % 5 == 0;
}

static void list(const char *file, bool all)
{
    struct text t = text_read(file);
    struct places places = places_of(&t);

    for (size_t i = 0; i < places.n; i++)
        if (all || proposed(&places, i))
            print(&t, &places.at[i], proposed(&places, i));
    free(places.at);
    text_free(&t);
}

/* The lines keep their numbers. */
static void print_changed(const struct text *t, const struct place *p)
{
    fwrite(t->bytes, 1, p->begin, stdout);
    for (const char *c = p->now; *c; c++)
        if (*c == '$')
            fwrite(t->bytes + p->begin, 1, p->end - p->begin, stdout);
        else
            putchar(*c);
    for (size_t i = p->begin; i < p->end && !strchr(p->now, '$'); i++)
        if (t->bytes[i] == '\n')
            fputs(t->bytes[i - 1] == '\\' ? "\\\n" : "\n", stdout);
    fwrite(t->bytes + p->end, 1, t->size - p->end, stdout);
}

static int apply(const char *file, const char *name, const char *rule, const char *ordinal)
{
    struct text t = text_read(file);
    struct places places = places_of(&t);
    unsigned long n = strtoul(ordinal, NULL, 10);

    for (size_t i = 0; i < places.n; i++) {
        const struct place *p = &places.at[i];

        if (p->ordinal == n && strcmp(p->rule, rule) == 0 && text_is(&t, &p->function->name, name)) {
            print_changed(&t, p);
            return 0;
        }
    }
    fprintf(stderr, "%s: %s has no place for %s %s\n", file, name, rule, ordinal);
    return 1;
}

int main(int argc, char **argv)
{
    bool all = argc > 2 && strcmp(argv[1], "list") == 0, some = argc > 2 && strcmp(argv[1], "propose") == 0;

    if (argc == 6 && strcmp(argv[1], "apply") == 0)
        return apply(argv[2], argv[3], argv[4], argv[5]);
    if (!all && !some) {
        fputs("mutate list|propose FILE... | apply FILE FUNCTION RULE ORDINAL\n", stderr);
        return 2;
    }
    for (int i = 2; i < argc; i++)
        list(argv[i], all);
    return 0;
}
