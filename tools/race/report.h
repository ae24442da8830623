/* SPDX-License-Identifier: MIT */
/* A race as it is told, with names for all addresses. report.c makes it, text.c and json.c write it. */
#ifndef RACE_REPORT_H
#define RACE_REPORT_H

#include "detector.h"

/** A line of the source; file NULL: not known. */
struct place {
    const char *function, *file;
    unsigned line;
    int body;          /**< 1: of a task, a function in the function of its name; 2: of a loop, in such a one */
    int stores_result; /**< the store of a child's result */
};

enum { MOST_STEPS = 24, MOST_STACK = 48 };

/** A spawn on the way from the region to an access, or several equal ones in a row. */
struct step {
    const char *what; /**< child, task, iteration */
    const char *task;
    struct place at;
    unsigned times;
};

struct side {
    enum kind kind;
    uint32_t flags;
    struct place at;
    struct step steps[MOST_STEPS];
    size_t n_steps; /**< from the innermost outwards */
    int cut;        /**< there are more */
    struct place stack[MOST_STACK];
    size_t n_stack;
};

struct report {
    unsigned long number;
    char title[200], location[200];
    size_t size;
    struct side earlier, later;
    int has_later;
};

/* words.c */
void race_fill(struct report *report, const struct conflict *conflict);
/* text.c */
void race_text(FILE *f, const struct report *report);
/* json.c */
void race_json(FILE *f, const struct report *report);
void race_json_end(FILE *f, unsigned long races, unsigned long suppressed);
/* symbols.c */
size_t race_places(uintptr_t pc, const struct place **places);
/** The innermost of them in a file of the program; NULL: nothing is known. */
const struct place *race_place(uintptr_t pc);
const char *race_variable(uintptr_t a, uintptr_t *offset);
int race_is_own(uintptr_t pc);
const char *race_relative(const char *file);
/* stacks.c */
void race_stacks_start(void);
size_t race_stack_here(uintptr_t *pcs, size_t most);
void race_stack_places(struct side *side, const uintptr_t *pcs, size_t n);
size_t race_stack_of(uint32_t time, uint32_t context, const uintptr_t **pcs);
void race_stack_want(uint32_t time, uint32_t context);
/* suppress.c */
void race_suppress_start(void);
int race_suppressed(const struct report *report);

#endif
