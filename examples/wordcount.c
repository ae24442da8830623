/* SPDX-License-Identifier: MIT */
/*
 * wordcount FILE... - lines, words and bytes of each file and of all, as `wc` counts them. It shows ws_group: any
 * thread submits independent tasks and waits for all of them.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wsfj.h>

struct count {
    const char *name;
    long lines, words, bytes;
    int error;
};

static void count_text(struct count *c, const char *text, size_t n, int *in_word)
{
    for (size_t i = 0; i < n; i++) {
        int space = isspace((unsigned char)text[i]) != 0;

        c->lines += text[i] == '\n';
        c->words += !space && !*in_word;
        *in_word = !space;
    }
    c->bytes += (long)n;
}

/* A detached task: a plain function with one pointer. It does not sync, so errno is always that of one thread. */
static void count_file(void *arg)
{
    struct count *c = arg;
    char text[65536];
    size_t n;
    int in_word = 0;

    errno = 0;
    FILE *file = fopen(c->name, "r");
    if (file) {
        while ((n = fread(text, 1, sizeof text, file)) > 0)
            count_text(c, text, n, &in_word);
        c->error = ferror(file) ? errno : 0;
        fclose(file);
    } else {
        c->error = errno;
    }
}

static void print(const struct count *c)
{
    printf("%7ld %7ld %7ld %s\n", c->lines, c->words, c->bytes, c->name);
}

int main(int argc, char **argv)
{
    size_t n = argc > 1 ? (size_t)argc - 1 : 0;
    struct count *counts = calloc(n + 1, sizeof *counts), *total = counts + n;
    ws_group group = WS_GROUP_INIT;
    int status = 0;

    if (!n)
        return fputs("usage: wordcount FILE...\n", stderr), 2;
    if (!counts)
        return fprintf(stderr, "wordcount: %s\n", strerror(errno)), 1;
    for (size_t i = 0; i < n; i++) {
        counts[i].name = argv[i + 1];
        int error = ws_group_submit(&group, count_file, &counts[i]);
        if (error) /* the task does not run */
            counts[i].error = error;
    }
    ws_group_wait(&group); /* this thread sleeps; all that the tasks have written is there afterwards */

    total->name = "total";
    for (size_t i = 0; i < n; i++) {
        const struct count *c = &counts[i];

        if (c->error) {
            fprintf(stderr, "wordcount: %s: %s\n", c->name, strerror(c->error));
            status = 1;
            continue;
        }
        print(c);
        total->lines += c->lines;
        total->words += c->words;
        total->bytes += c->bytes;
    }
    if (n > 1)
        print(total);
    free(counts);
    if (ferror(stdout) || fclose(stdout))
        return fprintf(stderr, "wordcount: standard output: %s\n", strerror(errno)), 1;
    return status;
}
