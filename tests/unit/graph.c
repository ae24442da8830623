/* SPDX-License-Identifier: MIT */
/* The readers of graphs: what they read, what they refuse and with which line, and that no change of a file makes them fail
 * otherwise. Neighbour: user/record.c, files that the library has written. */
#include "../../tools/sim/dag.h"
#include "../../tools/sim/graph.h"

#include "../support/run.h"

#include <string.h>

static char error[300];

static FILE *open_text(const char *text, size_t size)
{
    FILE *f = fmemopen((void *)text, size, "r");

    ck_assert_ptr_nonnull(f);
    return f;
}

/* Reads a graph; NULL, or the error. */
static const char *read_graph(struct graph *g, const char *text, size_t size)
{
    FILE *f = open_text(text, size);
    bool done = graph_read(g, f, "g", error, sizeof error);

    fclose(f);
    ck_assert(done == !*error);
    return done ? NULL : error;
}

static const char *read_dag(struct dag *d, const char *text, size_t size)
{
    FILE *f = open_text(text, size);
    bool done = dag_read(d, f, "d", error, sizeof error);

    fclose(f);
    ck_assert(done == !*error);
    return done ? NULL : error;
}

static const struct {
    const char *text;
    double work, blocked, span;
    uint64_t tasks;
} sums[] = {
    /* A child beside its parent, and one after another. */
    {"wsfj-graph 1\nnode 0 work 10\nnode 1 spawn 0 work 3\nregion 0 epoch 1 thread 1 node 1\nend 4\n", 13, 0, 10, 2},
    {"wsfj-graph 1\nnode 0 work 10\nnode 1 spawn 0 work 3\nnode 2 call 1 work 4\nregion 0 epoch 1 thread 1 node 2\nend 5\n",
     17, 0, 14, 2},
    {"wsfj-graph 1\nnode 0 work 10\nnode 1 spawn 0 work 3\nnode 2 call 1 * 5\nregion 0 epoch 1 thread 1 node 2\nend 5\n",
     65, 0, 50, 6},
    {"wsfj-graph 1\nnode 0 work 10\nnode 1 spawn 0 work 3\nnode 2 part 1 * 5\nregion 0 epoch 1 thread 1 node 2\nend 5\n",
     65, 0, 22, 6},
    /* Costs by their numbers, which come later. */
    {"wsfj-graph 1\nnode 0 work @7 block @2 * 3\nregion 0 epoch 1 thread 1 node 0\n# a comment\n\ncost 2 0.5\ncost 7 1e3 "
     "site 0 child end\nsite 0 3 a b.c\tname of it\nend 8\n",
     1000, 1.5, 1001.5, 1},
    /* A loop is as long as its longest block. */
    {"wsfj-graph 1\nnode 0 run 5 10 run 3 12 * 4 run 1 2\nnode 1 work 1 loop 0\nregion 0 epoch 1 thread 1 node 1\nend 4\n",
     61, 0, 13, 1},
    /* Detached tasks: in a group, in none, and in none that anybody waits for. */
    {"wsfj-graph 1\nnode 0 work 10\nnode 1 work 1 submit 0 group 4 work 2 wait 4 work 5 submit 0\nregion 0 epoch 1 thread 1 "
     "node 1\nend 4\n",
     28, 0, 26, 3},
    {"wsfj-graph 1\nnode 0 work 10\nnode 1 post 1 yield\nregion 0 epoch 1 thread 1 node 1\nposted 1 node 0\nend 5\n",
     10, 0, 10, 2},
    /* Regions: two at once, then one; two of a thread follow each other. */
    {"wsfj-graph 1\nnode 0 work 10\nnode 1 work 4\nregion 2 epoch 2 thread 1 node 0\nregion 1 epoch 1 thread 2 node 1\n"
     "region 0 epoch 1 thread 1 node 1\nend 6\n",
     18, 0, 14, 3},
    {"wsfj-graph 1\nnode 0 work 10\nregion 0 epoch 1 thread 1 node 0\nregion 1 epoch 1 thread 1 node 0\nend 4\n", 20, 0,
     20, 2},
    {"wsfj-graph 1\nend 1\n", 0, 0, 0, 0},
};

/* Catches: a sum that is a maximum, children of one scope that another one waits for. */
START_TEST(graphs_are_added_up)
{
    struct graph g;
    struct graph_sums s;
    const char *why, *failed = read_graph(&g, sums[_i].text, strlen(sums[_i].text));

    ck_assert_msg(!failed, "%s", failed);
    ck_assert(graph_sum(&g, &s, &why));
    ck_assert_double_eq(s.work, sums[_i].work);
    ck_assert_double_eq(s.blocked, sums[_i].blocked);
    ck_assert_double_eq(s.span, sums[_i].span);
    ck_assert_uint_eq(s.tasks, sums[_i].tasks);
    graph_free(&g);
}
END_TEST

#define HEAD "wsfj-graph 1\n"

static const struct {
    const char *text, *error;
} refused[] = {
    {"x", "g:1: no graph: it does not begin with \"wsfj-graph 1\""},
    {"wsfj-graph 2\nend 1\n", "g:1: version 2, and only 1 is known"},
    {"wsfj-graph\n", "g:1: the version is missing"},
    {HEAD, "g:2: cut short: there is no line \"end\""},
    {HEAD "node 0 work 1\nnode 1 wor", "g:3: cut short: there is no line \"end\""},
    {HEAD "end 1", "g:2: cut short"},
    {HEAD "node 0\nend 1\n", "g:3: 2 lines before the end, not 1: some are missing or too many"},
    {HEAD "end 1\nend 2\n", "g:3: a line behind the end"},
    {HEAD "node 1\n", "g:2: node 1 where node 0 should stand"},
    {HEAD "node 0 spawn 0\n", "g:2: node 0 leads to itself"},
    {HEAD "node 0 spawn 7\n", "g:2: node 7 is not known here"},
    {HEAD "region 0 epoch 0 thread 0 node 0\n", "g:2: node 0 is not known here"},
    {HEAD "node 0 work -1\n", "g:2: the cost -1 is negative"},
    {HEAD "node 0 work 9223372036854775808\n", "g:2: the cost 9223372036854775808 is 2^63 or more"},
    {HEAD "node 0 work nan\n", "g:2: the cost nan is no number"},
    {HEAD "node 0 work\n", "g:2: the cost is missing"},
    {HEAD "node 0 work @3\nend 2\n", "g:2: cost @3 is used here, and no line says what it is"},
    {HEAD "node 0 work @16777216\n", "g:2: the number of a cost 16777216 is above 16777215"},
    {HEAD "cost 3 1\ncost 3 1\n", "g:3: cost 3 twice"},
    {HEAD "cost 3 -2\n", "g:2: the cost -2 is negative"},
    {HEAD "node 0 run 0 1\n", "g:2: a run of 0 iterations"},
    {HEAD "node 0 run 1 1\nnode 1 call 0\n", "g:3: node 0 has a run, and is no loop"},
    {HEAD "node 0 run 1 1\nregion 0 epoch 0 thread 0 node 0\n", "g:3: node 0 has a run, and is no loop"},
    {HEAD "node 0\nnode 1 spawn 0\nnode 2 loop 1\n", "g:4: loop 1 spawns outside of a call"},
    {HEAD "node 0 * 2\n", "g:2: * repeats nothing"},
    {HEAD "node 0 work 1 * 0\n", "g:2: * 0"},
    {HEAD "node 0 work 1 * 2 * 2\n", "g:2: * twice"},
    {HEAD "node 0 jump 1\n", "g:2: jump is nothing that a node does"},
    {HEAD "knot 0\n", "g:2: knot is no kind of line"},
    {HEAD "node 0\nregion 0 epoch 0 thread 0 node 0 6\n", "g:3: 6 behind the end of the line"},
    {HEAD "node 0\nregion 0 epoch 0 thread 0\n", "g:3: the end where \"node\" should stand"},
    {HEAD "node 0\nregion 1 epoch 0 thread 0 node 0\nregion 1 epoch 0 thread 0 node 0\nend 4\n", "g:5: region 1 twice"},
    {HEAD "node 0\nregion 1 epoch 0 thread 0 node 0\nregion 0 epoch 1 thread 0 node 0\nend 4\n",
     "g:5: region 1 has a lower epoch than region 0"},
    {HEAD "site 0 1 a b\n", "g:2: no tab between the site's file and its task"},
    {HEAD "total s work 1\n", "g:2: s where \"ns\" or \"units\" should stand"},
};

/* Catches: bad input that is taken, or told as something else. */
START_TEST(bad_graphs_are_refused)
{
    struct graph g;
    const char *said = read_graph(&g, refused[_i].text, strlen(refused[_i].text));

    ck_assert_msg(said, "it was read: %s", refused[_i].text);
    ck_assert_str_eq(said, refused[_i].error);
    graph_free(&g);
}
END_TEST

/* Catches: a byte 0 that ends a line in its middle. */
START_TEST(a_zero_is_no_text)
{
    static const char text[] = HEAD "node 0\0\nend 2\n";
    struct graph g;

    ck_assert_str_eq(read_graph(&g, text, sizeof text - 1), "g:2: a byte 0 in the text");
    graph_free(&g);
}
END_TEST

/* Catches: work that overflows. 2^62 four times is more than a graph may have; tasks are counted as far as they go. */
START_TEST(sums_are_bounded)
{
    char text[8000] = HEAD "node 0 work 4611686018427387904\nnode 1 call 0 * 4\nend 3\n";
    struct graph g;
    struct graph_sums s;
    const char *why;
    size_t n;

    ck_assert_ptr_null(read_graph(&g, text, strlen(text)));
    ck_assert(!graph_sum(&g, &s, &why));
    ck_assert_str_eq(why, "its work is 2^63 or more");
    graph_free(&g);
    n = (size_t)sprintf(text, HEAD "node 0\n");
    for (int i = 0; i < 100; i++)
        n += (size_t)sprintf(text + n, "node %d spawn %d * 1000\n", i + 1, i);
    sprintf(text + n, "region 0 epoch 0 thread 0 node 100\nend 103\n");
    ck_assert_ptr_null(read_graph(&g, text, strlen(text)));
    ck_assert(graph_sum(&g, &s, &why));
    ck_assert_uint_eq(s.tasks, UINT64_MAX / 2);
    graph_free(&g);
}
END_TEST

static const struct {
    const char *text, *error;
    double work, span, end;
} dags[] = {
    {"a 10 -\n", NULL, 10, 10, 10},
    {"# c\n\nb 5 parent:a\na 10 -\nc 7 after:a,b\n", NULL, 22, 17, 17},
    {"a 10 - 100\nb 5 after:a parent:a 50 3\nc 1 - 0 4095\n", NULL, 16, 15, 115},
    {"# nothing\n", "d:1: there is no task", 0, 0, 0},
    {"a 10 -", "d:1: cut short: the line has no end", 0, 0, 0},
    {"a 10\n", "d:1: the end where \"-\", \"parent:\" or \"after:\" should stand", 0, 0, 0},
    {"a\n", "d:1: the cost is missing", 0, 0, 0},
    {"a -1 -\n", "d:1: the cost -1 is negative", 0, 0, 0},
    {"a 1e19 -\n", "d:1: the cost 1e19 is 2^63 or more", 0, 0, 0},
    {"a 5e18 -\nb 5e18 -\n", "d:2: up to here the costs are 2^63 or more together", 0, 0, 0},
    {"a 1 -\nb 2 parent:x\n", "d:2: parent x of task b is not known", 0, 0, 0},
    {"a 1 after:y\n", "d:1: task y of task a is not known", 0, 0, 0},
    {"a 1 after:a\n", "d:1: a cycle: task a needs a, which needs it", 0, 0, 0},
    {"a 1 after:c\nb 1 parent:a\nc 1 after:b\n", "d:2: a cycle: task b needs a, which needs it", 0, 0, 0},
    {"a 1 -\na 2 -\n", "d:2: task a twice: it stands in line 1, too", 0, 0, 0},
    {"a 1 parent:b parent:c\n", "d:1: two parents", 0, 0, 0},
    {"a 1 parent:b -\n", "d:1: \"-\" besides what the task needs", 0, 0, 0},
    {"a 1 after:b,,c\n", "d:1: a name is missing behind \"after:\"", 0, 0, 0},
    {"a 1 - -5\n", "d:1: the arrival -5 is negative", 0, 0, 0},
    {"a 1 - 0 4096\n", "d:1: the worker 4096 is above 4095", 0, 0, 0},
    {"a 1 - 0 1 x\n", "d:1: x behind the end of the line", 0, 0, 0},
};

/* Catches: an order of lines that matters, a cycle that is taken, a wrong line. */
START_TEST(plain_graphs_are_read_or_refused)
{
    struct dag d;
    struct dag_sums s;
    size_t size = strlen(dags[_i].text);
    const char *said = read_dag(&d, dags[_i].text, size);

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
    ck_assert_ptr_null(read_dag(&d, text, n));
    ck_assert(dag_sum(&d, &s));
    ck_assert_double_eq(s.span, LENGTH);
    dag_free(&d);
    free(text);
}
END_TEST

static uint64_t state = 1;

static unsigned draw(unsigned n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % n;
}

/* Changes, drops, doubles or swaps some bytes, and reads what that is. */
static size_t mutate(char *text, size_t n, size_t most)
{
    static const char bytes[] = "0123456789 \n-@*.,:#\te";
    unsigned changes = 1 + draw(4);

    while (changes--) {
        size_t at = draw((unsigned)n), length = 1 + draw(12);

        length = length < n - at ? length : n - at;
        switch (draw(4)) {
        case 0: text[at] = bytes[draw(sizeof bytes - 1)]; break;
        case 1:
            if (n - length > 10) {
                memmove(text + at, text + at + length, n - at - length);
                n -= length;
            }
            break;
        case 2:
            if (n + length <= most) {
                memmove(text + at + length, text + at, n - at);
                n += length;
            }
            break;
        default: text[at] = (char)draw(256);
        }
    }
    return n;
}

/* A reader says what is wrong in one line, with the file's name in front. */
static void expect_line(const char *said)
{
    ck_assert_ptr_null(strchr(said, '\n'));
    ck_assert(said[1] == ':' && said[2] >= '0' && said[2] <= '9');
}

/* Catches: input for which the reader crashes, hangs, or says nothing. */
START_TEST(any_change_is_read_or_refused)
{
    enum { TRIES = 20000, MOST = 1000 };
    char text[MOST];
    int num_read = 0;

    for (size_t i = 0; i < TRIES; i++) {
        const char *whole = i % 2 ? sums[i / 2 % (sizeof sums / sizeof *sums)].text : dags[1 + i / 2 % 2].text;
        size_t n = strlen(whole);
        const char *said, *why;

        memcpy(text, whole, n);
        n = mutate(text, n, MOST);
        if (i % 2) {
            struct graph g;
            struct graph_sums s;

            said = read_graph(&g, text, n);
            if (!said)
                (void)graph_sum(&g, &s, &why);
            graph_free(&g);
        } else {
            struct dag d;
            struct dag_sums s;

            said = read_dag(&d, text, n);
            if (!said)
                ck_assert(dag_sum(&d, &s));
            dag_free(&d);
        }
        if (said)
            expect_line(said);
        num_read += !said;
    }
    ck_assert_int_gt(num_read, TRIES / 100);
    ck_assert_int_lt(num_read, TRIES / 2);
}
END_TEST

int main(void)
{
    TCase *tcase = new_case("graph");

    tcase_add_loop_test(tcase, graphs_are_added_up, 0, (int)(sizeof sums / sizeof *sums));
    tcase_add_loop_test(tcase, bad_graphs_are_refused, 0, (int)(sizeof refused / sizeof *refused));
    tcase_add_test(tcase, a_zero_is_no_text);
    tcase_add_test(tcase, sums_are_bounded);
    tcase_add_loop_test(tcase, plain_graphs_are_read_or_refused, 0, (int)(sizeof dags / sizeof *dags));
    tcase_add_test(tcase, a_long_chain_is_no_problem);
    tcase_add_test(tcase, any_change_is_read_or_refused);
    return run_case("graph", tcase);
}
