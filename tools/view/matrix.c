/* SPDX-License-Identifier: MIT */
#include "matrix.h"

void view_matrix_make(struct view_matrix *m, const struct view_trace *t)
{
    *m = (struct view_matrix){.each = (t->workers + VIEW_MATRIX_MOST - 1) / VIEW_MATRIX_MOST};
    m->size = (t->workers + m->each - 1) / m->each;
    for (size_t i = 0; i < t->instants.count; i++) {
        const struct view_instant *instant = &t->instants.at[i];

        if (instant->event != VIEW_steal || instant->lane >= t->workers)
            continue;

        uint64_t *cell = &m->cell[instant->lane / m->each][instant->numbers[0] / m->each];

        m->most = ++*cell > m->most ? *cell : m->most;
    }
}
