/* SPDX-License-Identifier: MIT */
/* Why the program is not faster, in a few sentences, the greatest loss first. */
#ifndef WSFJ_VIEW_ADVICE_H
#define WSFJ_VIEW_ADVICE_H

#include "sums.h"

enum { VIEW_ADVICE_MOST = 18 };

struct view_sentence {
    double weight; /* the share of the workers' time that the sentence is about */
    char text[400];
};

struct view_advice {
    int count;
    struct view_sentence at[VIEW_ADVICE_MOST]; /* the first describes the trace */
};

void view_advise(struct view_advice *advice, const struct view_sums *sums);

#endif
