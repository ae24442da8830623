/* SPDX-License-Identifier: MIT */
/*
 * mergesort [FILE] - sorts lines, as `LC_ALL=C sort` does. It shows ws_spawn, ws_call, ws_sync and ws_run: both halves
 * of the array are sorted in parallel, and so are both halves of each merge.
 */
#define _GNU_SOURCE /* getline */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wsfj.h>

enum { SMALL = 512 }; /* fewer lines are one task: a task should take a microsecond or more */

struct line {
    char *text;
    size_t length;
};

static int compare(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    int order = memcmp(x->text, y->text, x->length < y->length ? x->length : y->length);

    return order ? order : (x->length > y->length) - (x->length < y->length);
}

/* Merges the sorted a[0..na) and b[0..nb) into out. */
static WS_TASK_VOID(merge, struct line *, a, size_t, na, struct line *, b, size_t, nb, struct line *, out)
{
    size_t middle = na / 2, low = 0, high = nb;

    if (na < nb) {
        ws_call(merge, b, nb, a, na, out);
        return;
    }
    if (na + nb <= SMALL) {
        while (na + nb)
            *out++ = nb == 0 || (na && compare(a, b) <= 0) ? (na--, *a++) : (nb--, *b++);
        return;
    }
    while (low < high) { /* how many of b are less than the middle of a? */
        size_t i = (low + high) / 2;
        if (compare(&b[i], &a[middle]) < 0)
            low = i + 1;
        else
            high = i;
    }
    ws_spawn(merge, a, middle, b, low, out);
    ws_call(merge, a + middle, na - middle, b + low, nb - low, out + middle + low);
    ws_sync();
}

/* Sorts a[0..n). The result is in b if `to_b`, else in a; the other array is scratch. */
static WS_TASK_VOID(sort, struct line *, a, struct line *, b, size_t, n, int, to_b)
{
    size_t half = n / 2;

    if (n <= SMALL) {
        qsort(a, n, sizeof *a, compare);
        if (to_b)
            memcpy(b, a, n * sizeof *a);
        return;
    }
    ws_spawn(sort, a, b, half, !to_b); /* another worker may take this half ... */
    ws_call(sort, a + half, b + half, n - half, !to_b);
    ws_sync(); /* ... and here both are done */
    if (to_b)
        ws_call(merge, a, half, a + half, n - half, b);
    else
        ws_call(merge, b, half, b + half, n - half, a);
}

/* The lines of a file without their newlines, and room for as many more. NULL: errno says why. */
static struct line *read_lines(FILE *file, size_t *n)
{
    struct line *lines = NULL, *more = NULL;
    size_t room = 0, size = 0;
    char *text = NULL;

    *n = 0;
    for (ssize_t length; (length = getline(&text, &size, file)) > 0; text = NULL, size = 0) {
        if (*n == room && !(more = realloc(lines, (room = 2 * room + 1000) * 2 * sizeof *lines)))
            return NULL;
        lines = more;
        lines[(*n)++] = (struct line){text, (size_t)(length - (text[length - 1] == '\n'))};
    }
    free(text);
    return !feof(file) ? NULL : lines ? lines : malloc(1);
}

static int fail(const char *what, const char *why)
{
    return fprintf(stderr, "mergesort: %s: %s\n", what, why), 1;
}

int main(int argc, char **argv)
{
    FILE *file = argc == 2 ? fopen(argv[1], "r") : stdin;
    struct line *lines;
    size_t n;

    if (argc > 2)
        return fputs("usage: mergesort [FILE]\n", stderr), 2;
    if (!file || !(lines = read_lines(file, &n)))
        return fail(argc == 2 ? argv[1] : "standard input", strerror(errno));
    int error = ws_run(sort, lines, lines + n, n, 0);
    if (error)
        return fail("ws_run", ws_strerror(error));
    for (size_t i = 0; i < n; i++) {
        fwrite(lines[i].text, 1, lines[i].length, stdout);
        putchar('\n');
        free(lines[i].text);
    }
    free(lines);
    if (ferror(stdout) || fclose(stdout))
        return fail("standard output", strerror(errno));
    return 0;
}
