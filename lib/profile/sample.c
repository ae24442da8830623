/* SPDX-License-Identifier: MIT */
/* What is known of the timed strands of a kind, which begin in one way at one site: mean, median and variance of those that
 * ended in the same way. strand.c decides which strands are timed. */
#include "profile/profile.h"

/* About how many recent strands the mean covers. */
#define MEMORY 64

uint64_t wsfj_sample_usual(const struct wsfj_sample *s)
{
    uint64_t sorted[WSFJ_RECENT];
    unsigned n = s->wsfj_known < WSFJ_RECENT ? (unsigned)s->wsfj_known : WSFJ_RECENT;

    for (unsigned i = 0; i < n; i++) {
        unsigned j = i;

        for (; j > 0 && sorted[j - 1] > s->wsfj_recent[i]; j--)
            sorted[j] = sorted[j - 1];
        sorted[j] = s->wsfj_recent[i];
    }
    return n < 3 ? 0 : sorted[(n - 1) / 2];
}

uint64_t wsfj_sample_beyond(uint64_t length, uint64_t usual)
{
    return length > usual ? length - usual : 0;
}

void wsfj_strands_learn(struct wsfj_strands *s, enum wsfj_end end, uint64_t length)
{
    struct wsfj_sample *sample = &s->wsfj_sample[end];
    int64_t n = ++sample->wsfj_timed < MEMORY ? (int64_t)sample->wsfj_timed : MEMORY;

    s->wsfj_mean[end] = (uint64_t)((int64_t)s->wsfj_mean[end] + ((int64_t)length - (int64_t)s->wsfj_mean[end]) / n);
    sample->wsfj_recent[sample->wsfj_known++ % WSFJ_RECENT] = length;
    s->wsfj_doubt[end] = wsfj_sample_beyond(s->wsfj_mean[end], wsfj_sample_usual(sample));
    sample->wsfj_stands_for += s->wsfj_drawn;
    sample->wsfj_sum += (double)length;
    sample->wsfj_squares += (double)length * (double)length;
}

/* The mean of n samples has the variance s^2 / n, and is used for all untimed strands. */
double wsfj_strands_variance(struct wsfj_strands *s)
{
    double variance = 0;

    for (int end = 0; end < WSFJ_ENDS; end++) {
        struct wsfj_sample *sample = &s->wsfj_sample[end];
        double n = (double)sample->wsfj_timed, others = sample->wsfj_stands_for - n;

        if (n > 1 && others > 0)
            variance +=
                others * others * (sample->wsfj_squares - sample->wsfj_sum * sample->wsfj_sum / n) / (n - 1) / n;
    }
    return variance > 0 ? variance : 0;
}
