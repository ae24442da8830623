/* SPDX-License-Identifier: MIT */
/* mandelbrot WIDTH HEIGHT: a picture by ws_mpi_map(), a row an element. Rows inside the set take much longer than those outside. */
#include "figures.h"

#include <string.h>
#include <wsfj.h>
#include <wsfj/mpi.h>
#include <wsfj/mpi_loop.h>

enum { STEPS = 1000, WIDTH_MOST = 1 << 20 };

struct picture {
    long width, height;
};

static unsigned char shade(double x, double y)
{
    double re = 0, im = 0;
    int steps = 0;

    while (steps < STEPS && re * re + im * im < 4) {
        double next = re * re - im * im + x;

        im = 2 * re * im + y;
        re = next;
        steps++;
    }
    return (unsigned char)(steps == STEPS ? 0 : 255 - 200 * steps / (steps + 20));
}

static void draw(int64_t row, void *out, void *arg)
{
    const struct picture *p = arg;
    double pixel = 3.4 / (double)p->width;

    for (long i = 0; i < p->width; i++)
        ((unsigned char *)out)[i] = shade((double)i * pixel - 2.3, ((double)row - (double)p->height / 2) * pixel);
}

/* Some rows, drawn again by one thread. */
static int is_right(const struct picture *p, const unsigned char *pixels, unsigned char *row)
{
    int right = 1;

    for (long y = 0; y < p->height; y += p->height / 16 + 1) {
        draw(y, row, (void *)(uintptr_t)p);
        right = right && memcmp(row, pixels + y * p->width, (size_t)p->width) == 0;
    }
    return right;
}

int main(int argc, char **argv)
{
    struct figures begin;
    struct picture p;
    unsigned char *pixels;
    int error = ws_mpi_init(&argc, &argv), rank, right;

    p = (struct picture){figures_argument(argc, argv, 1, 1200), figures_argument(argc, argv, 2, 800)};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pixels = malloc((size_t)p.width * (size_t)(p.height + 1));
    if (error || !pixels || p.width > WIDTH_MOST) {
        fprintf(stderr, "mandelbrot: %s\n", error ? ws_mpi_strerror(error) : "the picture is too large");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    begin = figures_begin();
    error = ws_mpi_map(draw, 0, p.height, &p, rank ? NULL : pixels, (size_t)p.width);
    right = figures_end(begin, "mandelbrot", !error);
    right = right && (rank || is_right(&p, pixels, pixels + p.width * p.height));
    free(pixels);
    return ws_mpi_fini() || !right;
}
