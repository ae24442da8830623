/* SPDX-License-Identifier: MIT */
#include "rounds.h"

#include <stdlib.h>
#include <string.h>

struct rounds rounds_measure(struct lab *lab, size_t lines, size_t figures, size_t rounds,
                             void (*measure)(struct lab *lab, void *context, size_t line, double *figures),
                             void *context)
{
    struct rounds r = {lines, figures, rounds, lab_alloc(lab, lines * figures * rounds, sizeof *r.values)};
    double *now = lab_alloc(lab, figures, sizeof *now);

    for (size_t round = 0; round < rounds; round++) {
        for (size_t i = 0; i < lines; i++) {
            size_t line = (round + i) % lines;

            measure(lab, context, line, now);
            for (size_t k = 0; k < figures; k++)
                r.values[(line * figures + k) * rounds + round] = now[k];
        }
    }
    free(now);
    return r;
}

const double *rounds_values(const struct rounds *r, size_t line, size_t figure)
{
    return &r->values[(line * r->figures + figure) * r->rounds];
}

struct sample rounds_sample(struct lab *lab, const struct rounds *r, size_t line, size_t figure)
{
    double *sorted = lab_alloc(lab, r->rounds, sizeof *sorted);
    struct sample s;

    memcpy(sorted, rounds_values(r, line, figure), r->rounds * sizeof *sorted);
    s = sample_of(sorted, r->rounds);
    free(sorted);
    return s;
}

double rounds_median(struct lab *lab, const struct rounds *r, size_t line, size_t figure)
{
    return rounds_sample(lab, r, line, figure).median;
}

void rounds_free(struct rounds *r)
{
    free(r->values);
    r->values = NULL;
}
