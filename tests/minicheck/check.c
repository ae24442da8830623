/* SPDX-License-Identifier: MIT */
#include "child.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct test {
    struct test *next;
    const TTest *test;
    int signal, code, first, end;
};

struct TCase {
    TCase *next;
    const char *name;
    double timeout;
    void (*setup)(void), (*teardown)(void);
    struct test *tests, **last;
};

struct Suite {
    const char *name;
    TCase *cases, **last;
};

struct SRunner {
    Suite *suite;
    int checks, failures, errors;
};

#define TIMEOUT_S 4

static void *make(size_t size)
{
    void *memory = calloc(1, size);

    if (!memory) {
        perror("calloc");
        exit(EXIT_FAILURE);
    }
    return memory;
}

TCase *tcase_create(const char *name)
{
    TCase *c = make(sizeof *c);

    c->name = name;
    c->timeout = TIMEOUT_S;
    c->last = &c->tests;
    return c;
}

void tcase_set_timeout(TCase *c, double seconds)
{
    c->timeout = seconds;
}

void tcase_add_checked_fixture(TCase *c, void (*setup)(void), void (*teardown)(void))
{
    c->setup = setup;
    c->teardown = teardown;
}

void minicheck_add(TCase *c, const TTest *test, int signal, int code, int first, int end)
{
    struct test *t = make(sizeof *t);

    *t = (struct test){.test = test, .signal = signal, .code = code, .first = first, .end = end};
    *c->last = t;
    c->last = &t->next;
}

Suite *suite_create(const char *name)
{
    Suite *s = make(sizeof *s);

    s->name = name;
    s->last = &s->cases;
    return s;
}

void suite_add_tcase(Suite *s, TCase *c)
{
    *s->last = c;
    s->last = &c->next;
}

SRunner *srunner_create(Suite *suite)
{
    SRunner *r = make(sizeof *r);

    r->suite = suite;
    return r;
}

static void run_once(SRunner *r, const TCase *c, const struct test *t, int i)
{
    const struct run run = {.test = t->test,
                            .i = i,
                            .signal = t->signal,
                            .code = t->code,
                            .timeout = c->timeout,
                            .setup = c->setup,
                            .teardown = c->teardown};
    static struct account account;
    enum verdict verdict = child_run(&run, &account);

    r->checks++;
    r->failures += verdict == FAILED;
    r->errors += verdict == DIED;
    if (verdict != PASSED)
        printf("%s:%d:%c:%s:%s:%d: %s\n", account.file, account.line, verdict == FAILED ? 'F' : 'E', c->name,
               t->test->name, i, account.text);
}

void srunner_run_all(SRunner *r, enum print_output mode)
{
    int passed;

    (void)mode;
    child_start();
    printf("Running suite(s): %s\n", r->suite->name);
    for (const TCase *c = r->suite->cases; c; c = c->next)
        for (const struct test *t = c->tests; t; t = t->next)
            for (int i = t->first; i < t->end; i++)
                run_once(r, c, t, i);
    passed = r->checks - r->failures - r->errors;
    printf("%d%%: Checks: %d, Failures: %d, Errors: %d\n", r->checks ? 100 * passed / r->checks : 100, r->checks,
           r->failures, r->errors);
}

int srunner_ntests_failed(SRunner *r)
{
    return r->failures + r->errors;
}

void srunner_free(SRunner *r)
{
    for (TCase *c = r->suite->cases, *next_case; c; c = next_case) {
        next_case = c->next;
        for (struct test *t = c->tests, *next; t; t = next) {
            next = t->next;
            free(t);
        }
        free(c);
    }
    free(r->suite);
    free(r);
}

int minicheck_compare(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) : 1;
}
