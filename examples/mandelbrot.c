/* SPDX-License-Identifier: MIT */
/*
 * mandelbrot [WIDTH [HEIGHT]] >picture.pgm - draws the Mandelbrot set. It shows a parallel loop. A row inside the set takes
 * much longer than one outside; idle workers take the rest of the loop in parts.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wsfj.h>

enum { MAX_SIDE = 32768, MAX_STEPS = 1000 };

struct picture {
    size_t width, height;
    unsigned char *pixels;
};

/* White outside, darker near the set, black inside. */
static unsigned char shade(double x, double y)
{
    double re = 0, im = 0;
    int steps = 0;

    while (steps < MAX_STEPS && re * re + im * im < 4) {
        double next = re * re - im * im + x;

        im = 2 * re * im + y;
        re = next;
        steps++;
    }
    return steps == MAX_STEPS ? 0 : (unsigned char)(255 - 200 * steps / (steps + 20));
}

/* One iteration draws one row. */
static WS_LOOP(draw, size_t, row, const struct picture *, p)
{
    double pixel = 3.4 / (double)p->width;

    for (size_t i = 0; i < p->width; i++)
        p->pixels[row * p->width + i] = shade((double)i * pixel - 2.3, ((double)row - (double)p->height / 2) * pixel);
}

/* 0: the text is no number of pixels. */
static size_t pixels(const char *text)
{
    char *end;
    long n = strtol(text, &end, 10);

    if (end != text && !*end && n >= 1 && n <= MAX_SIDE)
        return (size_t)n;
    fprintf(stderr, "mandelbrot: '%s' is not a number from 1 to %d\n", text, MAX_SIDE);
    return 0;
}

int main(int argc, char **argv)
{
    struct picture p = {600, 400, NULL};

    if (argc > 3)
        return fputs("usage: mandelbrot [WIDTH [HEIGHT]] >picture.pgm\n", stderr), 2;
    if (argc > 1)
        p.height = ((p.width = pixels(argv[1])) * 2 + 2) / 3;
    if (argc > 2)
        p.height = pixels(argv[2]);
    if (!p.width || !p.height)
        return 2;
    p.pixels = malloc(p.width * p.height);
    if (!p.pixels)
        return fprintf(stderr, "mandelbrot: %zu x %zu pixels: %s\n", p.width, p.height, strerror(errno)), 1;

    int error = ws_for(draw, 0, p.height, &p);
    if (error)
        return fprintf(stderr, "mandelbrot: %s\n", ws_strerror(error)), 1;
    printf("P5\n%zu %zu\n255\n", p.width, p.height);
    fwrite(p.pixels, p.width, p.height, stdout);
    free(p.pixels);
    if (ferror(stdout) || fclose(stdout))
        return fprintf(stderr, "mandelbrot: standard output: %s\n", strerror(errno)), 1;
    return 0;
}
