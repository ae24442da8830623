/* SPDX-License-Identifier: MIT */
/* The reader of plain graphs: what it reads, what it refuses and with which line, and that no change of a file makes it
 * fail otherwise. Neighbours: graph.c; sim/work.sh, which plays them. */
#include "../../tools/sim/dag.h"

#include "graph.h"

static const struct {
    const char *text, *error;
    double work, span, end;
} dags[] = {
    {"a 10 -\n", NULL, 10, 10, 10},
    {"# c\n\nb 5 parent:a\na 10 -\nc 7 after:a,b\n", NULL, 22, 17, 17},
    {"a 10 - 100\nb 5 after:a parent:a 50 3\nc 1 - 0 4095\n", NULL, 16, 15, 115},
    {"# nothing\n", "g:1: there is no task", 0, 0, 0},
    {"a 10 -", "g:1: cut short: the line has no end", 0, 0, 0},
    {"a 10\n", "g:1: the end where \"-\", \"parent:\" or \"after:\" should stand", 0, 0, 0},
    {"a\n", "g:1: the cost is missing", 0, 0, 0},
    {"a -1 -\n", "g:1: the cost -1 is negative", 0, 0, 0},
    {"a 1e19 -\n", "g:1: the cost 1e19 is 2^63 or more", 0, 0, 0},
    {"a 5e18 -\nb 5e18 -\n", "g:2: up to here the costs are 2^63 or more together", 0, 0, 0},
    {"a 1 -\nb 2 parent:x\n", "g:2: parent x of task b is not known", 0, 0, 0},
    {"a 1 after:y\n", "g:1: task y of task a is not known", 0, 0, 0},
    {"a 1 after:a\n", "g:1: a cycle: task a needs a, which needs it", 0, 0, 0},
    {"a 1 after:c\nb 1 parent:a\nc 1 after:b\n", "g:2: a cycle: task b needs a, which needs it", 0, 0, 0},
    {"a 1 -\na 2 -\n", "g:2: task a twice: it stands in line 1, too", 0, 0, 0},
    {"a 1 parent:b parent:c\n", "g:1: two parents", 0, 0, 0},
    {"a 1 parent:b -\n", "g:1: \"-\" besides what the task needs", 0, 0, 0},
    {"a 1 after:b,,c\n", "g:1: a name is missing behind \"after:\"", 0, 0, 0},
    {"a 1 - -5\n", "g:1: the arrival -5 is negative", 0, 0, 0},
    {"a 1 - 0 4096\n", "g:1: the worker 4096 is above 4095", 0, 0, 0},
    {"a 1 - 0 1 x\n", "g:1: x behind the end of the line", 0, 0, 0},
    {"a 1 parent:x\nb 2 -\n", "g:1: parent x of task a is not known", 0, 0, 0},
    {"a 4611686018427387904 -\nb 4611686018427387904 -\nc 1 -\n", "g:2: up to here the costs are 2^63 or more together",
     0, 0, 0},
    {"a 10 -\nb 5 parent:a 50\n", NULL, 15, 10, 55},
    {"a 10 -\nb 5 after:a 50\n", NULL, 15, 15, 55},
    {"a 10 -\nb 30 -\nc 5 after:b,a\nd 1 -\n", NULL, 46, 35, 35},
    {"a 1 parent:\n", "g:1: a name is missing behind \"parent:\"", 0, 0, 0},
};

/* Catches: an order of lines that matters, a cycle that is taken, a wrong line. */
START_TEST(plain_graphs_are_read_or_refused)
{
    struct dag d;
    struct dag_sums s;
    size_t size = strlen(dags[_i].text);
    const char *said = read_text(dag_read, &d, dags[_i].text, size);

    if (dags[_i].error) {
        ck_assert_msg(said, "it was read: %s", dags[_i].text);
        ck_assert_str_eq(said, dags[_i].error);
    } else {
        ck_assert_msg(!said, "%s", said);
        ck_assert(dag_sum(&d, &s));
        ck_assert_double_eq(s.work, dags[_i].work);
        ck_assert_double_eq(s.span, dags[_i].span);
        ck_assert_double_eq(s.end, dags[_i].end);
    }
    dag_free(&d);
}
END_TEST

/* Catches: a value that is not kept. */
START_TEST(all_values_are_kept)
{
    static const char text[] = "# c\nx 10 - 100\ny 5.5 after:x parent:x 50 3\n";
    struct dag d;

    ck_assert_ptr_null(read_text(dag_read, &d, text, sizeof text - 1));
    ck_assert_uint_eq(d.num_tasks, 2);
    ck_assert_str_eq(d.tasks[1].id, "y");
    ck_assert_uint_eq(d.tasks[1].line, 3);
    ck_assert_double_eq(d.tasks[1].cost, 5.5);
    ck_assert_double_eq(d.tasks[1].arrival, 50);
    ck_assert_uint_eq(d.tasks[1].parent, 0);
    ck_assert_uint_eq(d.tasks[1].worker, 3);
    ck_assert_uint_eq(d.tasks[1].count, 1);
    ck_assert_uint_eq(d.after[d.tasks[1].first], 0);
    ck_assert_uint_eq(d.tasks[0].parent, DAG_NONE);
    ck_assert_uint_eq(d.tasks[0].worker, DAG_NONE);
    dag_free(&d);
}
END_TEST

/* Catches: a chain that is too deep for a recursion. */
START_TEST(a_long_chain_is_no_problem)
{
    enum { LENGTH = 200000 };
    char *text = malloc((size_t)LENGTH * 40);
    size_t n = 0;
    struct dag d;
    struct dag_sums s;

    ck_assert_ptr_nonnull(text);
    for (int i = 0; i < LENGTH; i++)
        n += (size_t)(i < LENGTH - 1 ? sprintf(text + n, "t%d 1 after:t%d\n", i, i + 1)
                                     : sprintf(text + n, "t%d 1 -\n", i));
    ck_assert_ptr_null(read_text(dag_read, &d, text, n));
    ck_assert(dag_sum(&d, &s));
    ck_assert_double_eq(s.span, LENGTH);
    dag_free(&d);
    free(text);
}
END_TEST

static const char *read_and_sum(const char *text, size_t size)
{
    struct dag d;
    struct dag_sums s;
    const char *said = read_text(dag_read, &d, text, size);

    if (!said)
        ck_assert(dag_sum(&d, &s));
    dag_free(&d);
    return said;
}

/* Catches: input for which the reader crashes, hangs, or says nothing. */
START_TEST(any_change_is_read_or_refused)
{
    static const char *const texts[] = {"# c\n\nb 5 parent:a\na 10 -\nc 7 after:a,b\n",
                                        "a 10 - 100\nb 5 after:a parent:a 50 3\nc 1 - 0 4095\n"};

    read_changed(texts, sizeof texts / sizeof *texts, read_and_sum);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("dag");

    tcase_add_test(tcase, all_values_are_kept);
    tcase_add_loop_test(tcase, plain_graphs_are_read_or_refused, 0, (int)(sizeof dags / sizeof *dags));
    tcase_add_test(tcase, a_long_chain_is_no_problem);
    tcase_add_test(tcase, any_change_is_read_or_refused);
    return run_case("dag", tcase);
}
